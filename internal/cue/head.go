package cue

import (
	_ "embed" // tasks.flat
	"slices"
	"sync"

	"github.com/memtree/memtree/internal/embed/use"
	"github.com/memtree/memtree/internal/flat"
	"github.com/memtree/memtree/taxonomy"
)

// head estimates from the meaning of a task how likely it calls for each check: a multinomial logistic regression over
// the vector of the built-in encoder. It recognises what is written in words that no example has. It was fitted to the
// example tasks of the catalogue and to those of twenty writers who had not seen them (testdata/voices). It is
// immutable once fitted.
type head struct {
	key   string      // keyOf what it was fitted to
	of    []int       // the indices of the checks that have examples, ascending
	bias  flat.Floats // of each check
	scale flat.Floats // for each check: the weight of one step of a byte in its row of bytes
	bytes string      // the weights: a row a check, int8 in two's complement
}

// readHead reads what fitHead of the tests returned.
func readHead(d *flat.Data) *head {
	return &head{key: d.Text(), of: d.Ints().All(), bias: d.Floats(), scale: d.Floats(), bytes: d.Text()}
}

const dims = 512 // of the encoder

// builtinHead is the head of the built-in checks. "go generate ./internal/cue" writes it.
//
//go:generate go test . -run ^TestHead$ -update
//go:embed tasks.flat
var builtinHead string

var storedHead = sync.OnceValue(func() *head { return readHead(flat.Open(builtinHead)) })

// headOf returns the head for checks. The built-in checks come first in every taxonomy, so their places are those that
// it was fitted with. A check that a team added is as likely as by chance.
func headOf(checks []taxonomy.Check) *head {
	h := storedHead()
	if len(h.of) == 0 || h.of[len(h.of)-1] >= len(checks) {
		return &head{}
	}
	return h
}

// vectorOf returns the vector of a text, nil if the encoder knows too few of its characters.
func vectorOf(s string) []float32 {
	e, err := use.Default()
	if err != nil {
		return nil
	}
	v := e.Vector(s)
	if slices.ContainsFunc(v, func(x float32) bool { return x != 0 }) {
		return v
	}
	return nil
}

// add adds the logarithm of how likely a task with the vector v calls for each check, times by, to scores, as
// linear.add does.
func (h *head) add(scores []float64, v []float32, by float64) {
	if v == nil || len(h.of) == 0 {
		return
	}
	p := make([]float64, len(h.of))
	for k := range p {
		sum, row := float32(0), h.bytes[k*dims:(k+1)*dims]
		for d, x := range v {
			sum += float32(float32(int8(row[d])) * x) //nolint:gosec // two's complement
		}
		p[k] = float64(float32(sum*h.scale.At(k)) + h.bias.At(k))
	}
	addLog(scores, h.of, p, by)
}
