package guard

import (
	_ "embed" // learned.flat
	"math"
	"sync"

	"github.com/memtree/memtree/internal/flat"
)

const levels = 127 // values a stored weight can have on each side of 0

// builtinLearned is the model of testdata/examples.txt and of sentences of the built-in taxonomy.
// "go generate ./internal/guard" writes it.
//
//go:generate go test . -run ^TestLearned$ -update
//go:embed learned.flat
var builtinLearned string

var learned = sync.OnceValue(func() *linear { return readLinear(flat.Open(builtinLearned)) })

// readLinear reads a model: how many sentences it was fitted to, the features, how many sentences have each, their
// weights in parts of the largest, and the largest and the bias.
func readLinear(d *flat.Data) *linear {
	l := &linear{sentences: d.Int(), features: d.Names(), seen: d.Ints(), weights: d.Text()}
	ends := d.Doubles()
	l.most, l.bias = ends.At(0), ends.At(1)
	return l
}

func rarity(seen, sentences int) float64 {
	return math.Log((float64(sentences) + 1) / (float64(seen) + .5))
}
