package guard

import (
	"bytes"
	_ "embed" // learned.gob
	"encoding/gob"
	"math"
	"strings"
	"sync"
)

// stored is the stored form of a fitted model. "go test ./internal/guard -run TestLearned -update" writes it.
type stored struct {
	Sentences int    // how many it was fitted to
	Features  string // sorted, one a line
	Seen      []int  // how many sentences have each feature
	Weights   []int8 // in parts of Most
	Most      float64
	Bias      float64
}

const levels = 127 // values a stored weight can have on each side of 0

// builtinLearned is the model of testdata/examples.txt and of sentences of the built-in taxonomy.
//
//go:embed learned.gob
var builtinLearned []byte

var learned = sync.OnceValue(func() *linear {
	var m stored
	if err := gob.NewDecoder(bytes.NewReader(builtinLearned)).Decode(&m); err != nil {
		panic("guard: learned.gob is damaged: " + err.Error()) // it is part of the program
	}
	return m.open()
})

// open returns the model. It looks features up where they are stored: a map of all of them takes longer to make than
// most processes take to look up theirs.
func (m *stored) open() *linear {
	return &linear{model: m, features: strings.Split(strings.TrimSuffix(m.Features, "\n"), "\n"), bias: m.Bias}
}

// weight returns the weight of feature i.
func (m *stored) weight(i int) weight {
	return weight{rarity(m.Seen[i], m.Sentences), float64(m.Weights[i]) / levels * m.Most}
}

func rarity(seen, sentences int) float64 {
	return math.Log((float64(sentences) + 1) / (float64(seen) + .5))
}
