package risk

import (
	"sync"

	"github.com/memtree/memtree/internal/judgment"
)

// evidenceClass separates verdicts with evidence of their run from those without, as a report of tests has them. What
// makes a reason suspicious differs between the two.
type evidenceClass int

const (
	reported evidenceClass = iota // without an observation
	observed
	kinds
)

func kindOf(s *shape) evidenceClass {
	if s[seenLength] == 0 {
		return reported
	}
	return observed
}

// prior is what other histories show about the shapes of one kind of verdict: mean and deviation of each number, and
// its weights in verdicts that pass and that fail. The zero prior knows nothing.
type prior struct {
	mean, sd     [shapes]float64
	passes, fail [shapes]float64
}

func (p *prior) known() bool { return p.sd[reasonLength] > 0 }

// weights returns the weights for verdicts of a value.
func (p *prior) weights(value uint32) [shapes]float64 {
	switch polarities()[value] {
	case judgment.Passes:
		return p.passes
	case judgment.Fails:
		return p.fail
	default:
		return [shapes]float64{}
	}
}

// polarities maps the hashes of the usual values of a verdict to their polarity.
var polarities = sync.OnceValue(func() map[uint32]judgment.Polarity {
	of := map[uint32]judgment.Polarity{}
	for _, w := range judgment.Words() {
		of[hash("value", w)] = judgment.Word(w)
	}
	return of
})

// priorWeight is the weight of a prior at the start. Its odds are calibrated on other histories, and over the suites of
// which each is left out once the weight is 0.6 to 1.3.
const priorWeight = 1

// odds returns the log-odds of a wrong verdict by its shape, beyond those of the usual shape of its kind.
func (p *prior) odds(f *Features) (z float64) {
	if !p.known() {
		return 0
	}
	w := p.weights(f.value)
	for i, x := range f.shape {
		if x != unknown {
			z += w[i] * max(-extreme, min(extreme, (float64(x)-p.mean[i])/p.sd[i]))
		}
	}
	return z
}
