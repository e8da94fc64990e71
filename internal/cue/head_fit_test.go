package cue

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/memtree/memtree/internal/flat"
)

// The parameters of fitting.
const (
	headRounds    = 12
	headRate      = 0.5
	headShrink    = 1e-5 // weight of the sum of squares in the loss
	biased        = 0.1  // the input of the bias
	leastGradient = 1e-4 // a smaller one is ignored
)

// calledTask is a task to learn from.
type calledTask struct {
	text   string
	check  int  // its index
	not    bool // the task does not call for the check
	vector []float32
}

// fitHead learns from tasks by stochastic gradient descent, as linear does. An explicit conversion rounds a product
// before it is added, so that every machine computes the same weights. It returns the head as it is stored, under a
// key.
func fitHead(key string, list []calledTask) []byte {
	var of []int
	for _, x := range list {
		if !x.not {
			of = append(of, x.check)
		}
	}
	slices.Sort(of)
	of = slices.Compact(of)
	rows, p := make([]headRow, len(of)), make([]float64, len(of))
	order := rand.New(rand.NewPCG(seed, seed)) //nolint:gosec // it need not be secret, it must be the same
	for range headRounds {
		for _, i := range order.Perm(len(list)) {
			x := &list[i]
			k, known := slices.BinarySearch(of, x.check)
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
	return packHead(flat.AppendInts(flat.AppendText(nil, key), of), rows)
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

// packHead adds the rows to b, each weight in a byte, relative to the largest of its check.
func packHead(b []byte, rows []headRow) []byte {
	var bias, scale []float32
	var bytes []byte
	for i := range rows {
		w, most := rows[i].weights[:dims], float32(0)
		for _, x := range w {
			most = max(most, x, -x)
		}
		bias, scale = append(bias, rows[i].weights[dims]), append(scale, most/levels)
		for _, x := range w {
			step := 0.0
			if most > 0 {
				step = math.Round(float64(x / most * levels))
			}
			bytes = append(bytes, byte(int8(step))) //nolint:gosec // within levels
		}
	}
	return flat.AppendText(flat.AppendFloats(flat.AppendFloats(b, bias), scale), bytes)
}
