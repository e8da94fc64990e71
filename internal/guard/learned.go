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

func (m *stored) open() *linear {
	l := &linear{of: make(map[string]weight, len(m.Seen)), bias: m.Bias}
	i := 0
	for f := range strings.Lines(m.Features) {
		l.of[f[:len(f)-1]] = weight{rarity(m.Seen[i], m.Sentences), float64(m.Weights[i]) / levels * m.Most}
		i++
	}
	return l
}

func rarity(seen, sentences int) float64 {
	return math.Log((float64(sentences) + 1) / (float64(seen) + .5))
}
