package cue

import (
	"bytes"
	_ "embed" // tasks.head
	"encoding/gob"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/memtree/memtree/internal/embed/use"
	"github.com/memtree/memtree/taxonomy"
)

// head estimates from the meaning of a task how likely it calls for each check: a multinomial logistic regression over
// the vector of the built-in encoder. It recognises what is written in words that no example has. It was fitted to the
// example tasks of the catalogue and to those of twenty writers who had not seen them (testdata/voices). It is
// immutable once fitted. The fields are exported for gob.
type head struct {
	Key   string    // keyOf what it was fitted to
	Of    []int     // the indices of the checks that have examples, ascending
	Bias  []float32 // of each check
	Scale []float32 // for each check: the weight of one step of a byte in its row of Bytes
	Bytes []byte    // the weights: a row a check, int8 in two's complement
}

// The parameters of fitting.
const (
	headRounds    = 12
	headRate      = 0.5
	headShrink    = 1e-5 // weight of the sum of squares in the loss
	biased        = 0.1  // the input of the bias
	leastGradient = 1e-4 // a smaller one is ignored
	dims          = 512  // of the encoder
)

// builtinHead is the head of the built-in checks. "go test ./internal/cue -run TestHead -update" writes it.
//
//go:embed tasks.head
var builtinHead []byte

var decodedHead = sync.OnceValue(func() *head {
	var h head
	if err := gob.NewDecoder(bytes.NewReader(builtinHead)).Decode(&h); err != nil {
		return &head{} // knows no check; TestHead compares the file
	}
	return &h
})

// headOf returns the head for checks. The built-in checks come first in every taxonomy, so their places are those that
// it was fitted with. A check that a team added is as likely as by chance.
func headOf(checks []taxonomy.Check) *head {
	h := decodedHead()
	if len(h.Of) == 0 || h.Of[len(h.Of)-1] >= len(checks) {
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
	if v == nil || len(h.Of) == 0 {
		return
	}
	p := make([]float64, len(h.Of))
	for k := range p {
		sum := float32(0)
		for d, w := range h.Bytes[k*dims : (k+1)*dims] {
			sum += float32(float32(int8(w)) * v[d]) //nolint:gosec // two's complement
		}
		p[k] = float64(float32(sum*h.Scale[k]) + h.Bias[k])
	}
	addLog(scores, h.Of, p, by)
}

// calledTask is a task to learn from.
type calledTask struct {
	text   string
	check  int  // its index
	not    bool // the task does not call for the check
	vector []float32
}

// fitHead learns from tasks by stochastic gradient descent, as linear does. An explicit conversion rounds a product
// before it is added, so that every machine computes the same weights.
func fitHead(list []calledTask) *head {
	h := &head{}
	for _, x := range list {
		if !x.not {
			h.Of = append(h.Of, x.check)
		}
	}
	slices.Sort(h.Of)
	h.Of = slices.Compact(h.Of)
	rows, p := make([]headRow, len(h.Of)), make([]float64, len(h.Of))
	order := rand.New(rand.NewPCG(seed, seed)) //nolint:gosec // it need not be secret, it must be the same
	for range headRounds {
		for _, i := range order.Perm(len(list)) {
			x := &list[i]
			k, known := slices.BinarySearch(h.Of, x.check)
			if !known || x.vector == nil {
				continue
			}
			for j := range rows {
				p[j] = float64(rows[j].score(x.vector))
			}
			softmax(p)
			gradient(p, k, x.not)
			for j := range rows {
				rows[j].descend(x.vector, float32(p[j]))
			}
		}
	}
	h.pack(rows)
	return h
}

// gradient turns the probabilities p into the gradient of the loss by the score of each check: of -log p[k], or of
// -log(1 - p[k]) if the task does not call for it.
func gradient(p []float64, k int, not bool) {
	if !not {
		p[k]--
		return
	}
	is := p[k]
	by := is / max(1-is, leastFound)
	for j, x := range p {
		p[j] = -by * x
	}
	p[k] = is
}

// headRow is the regression of one check while it is fitted. The last number is the bias.
type headRow struct{ weights, seen [dims + 1]float32 }

func (r *headRow) score(v []float32) float32 {
	sum := r.weights[dims]
	for d, x := range v {
		sum += float32(r.weights[d] * x)
	}
	return sum
}

// descend takes one step against the gradient g of the loss by the score.
func (r *headRow) descend(v []float32, g float32) {
	if g > -leastGradient && g < leastGradient {
		return
	}
	for d, x := range v {
		r.step(d, float32(g*x))
	}
	r.step(dims, float32(g*biased))
}

func (r *headRow) step(d int, g float32) {
	g += float32(headShrink * r.weights[d])
	r.seen[d] += float32(g * g)
	if r.seen[d] > 0 {
		r.weights[d] -= float32(headRate*g) / float32(math.Sqrt(float64(r.seen[d])))
	}
}

// pack stores each weight in a byte, relative to the largest of its check.
func (h *head) pack(rows []headRow) {
	for i := range rows {
		w, most := rows[i].weights[:dims], float32(0)
		for _, x := range w {
			most = max(most, x, -x)
		}
		h.Bias, h.Scale = append(h.Bias, rows[i].weights[dims]), append(h.Scale, most/levels)
		for _, x := range w {
			b := 0.0
			if most > 0 {
				b = math.Round(float64(x / most * levels))
			}
			h.Bytes = append(h.Bytes, byte(int8(b))) //nolint:gosec // within levels
		}
	}
}
