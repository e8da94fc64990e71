package risk

import (
	"math"
	"slices"

	"github.com/memtree/memtree/internal/judgment"
)

// shaped is a verdict for learning a prior.
type shaped struct {
	x     shape
	value judgment.Polarity
	wrong bool
}

// priorWidth is the standard deviation of the weights about 0.
const priorWidth = 0.3

// learnPrior returns the prior of one kind of verdict, given those of each of several histories.
func learnPrior(sets [][]shaped) (p prior) {
	all := slices.Concat(sets...)
	for j := range p.mean {
		square := 0.0
		for _, s := range all {
			p.mean[j] += float64(s.x[j]) / float64(len(all))
		}
		for _, s := range all {
			square += math.Pow(float64(s.x[j])-p.mean[j], 2) / float64(len(all))
		}
		p.sd[j] = math.Sqrt(square) + 0.01 // at least this, so that a number that never changes divides nothing
	}
	p.passes, p.fail = p.fit(sets, judgment.Passes), p.fit(sets, judgment.Fails)
	return p
}

// fit returns the most probable weights for verdicts of one polarity, with a constant for each history.
func (p *prior) fit(sets [][]shaped, of judgment.Polarity) (out [shapes]float64) {
	dim := shapes + len(sets)
	w := make([]float64, dim)
	for range 8 {
		g, h := make([]float64, dim), make([][]float64, dim)
		for j := range h {
			width := priorWidth
			if j >= shapes {
				width = 2
			}
			h[j] = make([]float64, dim)
			g[j], h[j][j] = -w[j]/(width*width), 1/(width*width)
		}
		for k, set := range sets {
			for _, s := range set {
				if s.value == of {
					p.observe(w, g, h, &s, shapes+k)
				}
			}
		}
		step(w, g, h)
	}
	for j := range out {
		out[j] = w[j]
	}
	return out
}

// observe adds a verdict to the gradient and the curvature.
func (p *prior) observe(w, g []float64, h [][]float64, s *shaped, constant int) {
	x := make([]float64, len(w))
	x[constant] = 1
	z := w[constant]
	for j := range s.x {
		x[j] = max(-extreme, min(extreme, (float64(s.x[j])-p.mean[j])/p.sd[j]))
		z += w[j] * x[j]
	}
	q := sigmoid(z)
	for j := range x {
		g[j] += (indicator(s.wrong) - q) * x[j]
		for l := range x {
			h[j][l] += q * (1 - q) * x[j] * x[l]
		}
	}
}

// step adds the solution of h y = g to w, by Gauss and Jordan; h is positive definite.
func step(w, g []float64, h [][]float64) {
	for c := range h {
		for i := range h {
			if i == c {
				continue
			}
			q := h[i][c] / h[c][c]
			for j := range h {
				h[i][j] -= q * h[c][j]
			}
			g[i] -= q * g[c]
		}
	}
	for c := range h {
		w[c] += g[c] / h[c][c]
	}
}

// rounded returns the prior with two decimals.
func (p prior) rounded() prior {
	for _, xs := range []*[shapes]float64{&p.mean, &p.sd, &p.passes, &p.fail} {
		for i := range xs {
			xs[i] = math.Round(100*xs[i]) / 100
		}
	}
	return p
}
