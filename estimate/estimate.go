// Package estimate estimates how often a judge is wrong from few labels, with 95 % intervals, and which labels would
// narrow them most.
//
// People label the riskiest verdicts first, so the share of wrong ones among the labelled is too high. Here verdicts
// are counted by the risk that was predicted before the label (estimate.go), and the predictions of those without a
// label are corrected by the labels (ppi.go). ask.go chooses the labels to ask for next. Rogan and Gladen's
// estimate (truth.go) is of something else: how many tests fail in truth, when a judge with known errors judged them.
//
// All functions are pure. Assumption: of verdicts with equal risks the labelled ones are like the others.
package estimate

import (
	"fmt"
	"math"

	"github.com/memtree/memtree/internal/stat"
)

// Estimate is an estimated share P with its 95 % interval, all within 0 to 1.
type Estimate struct {
	P float64 `json:"p"` // the share
	stat.Interval
}

// String returns the share and its interval in percent, such as "71.4 % (63.8–78.0)". If the interval has no width, it
// returns only the share.
func (e Estimate) String() string {
	if e.Low == e.High {
		return fmt.Sprintf("%.1f %%", 100*e.P)
	}
	return fmt.Sprintf("%.1f %% (%.1f–%.1f)", 100*e.P, 100*e.Low, 100*e.High)
}

// wide is the interval of what is not known.
var wide = stat.Interval{Low: 0, High: 1}

// Stratum counts verdicts with similar risks.
type Stratum struct {
	N        int     `json:"n"`     // verdicts, labelled or not
	Known    int     `json:"known"` // of N, with a label
	Wrong    int     `json:"wrong"` // of Known, wrong verdicts
	Forecast float64 `json:"-"`     // sum of the predicted probabilities that a verdict is wrong, over all N
}

// Add counts a verdict whose predicted probability of being wrong is p. known is whether it has a label; if not, wrong
// has no effect.
func (s *Stratum) Add(p float64, known, wrong bool) {
	s.N++
	s.Forecast += p
	if known {
		s.Known++
		if wrong {
			s.Wrong++
		}
	}
}

// Labelled returns the share of wrong verdicts among the labelled ones, with Wilson's interval; 0 with the interval 0
// to 1 if there are none. As an estimate for all verdicts it is right only if the labelled ones were drawn at random.
func Labelled(of []Stratum) Estimate {
	k, n := 0, 0
	for i := range of {
		k, n = k+of[i].Wrong, n+of[i].Known
	}
	return Estimate{float64(k) / float64(max(1, n)), stat.Wilson(k, n)}
}

// Bins is the number of bins into which Bin divides risks.
const Bins = 16

// Bin returns the bin, 0 to Bins-1, of a predicted probability of being wrong, 0 to 1. Bin 0 is the least risky. Bins
// have equal width in log-odds, except that the first and the last reach to 0 and 1.
func Bin(p float64) int {
	p = max(0.001, min(0.999, p))
	return max(0, min(Bins-1, int((math.Log(p/(1-p))+4)/8*Bins)))
}

// Center returns the probability in the middle of a bin.
func Center(bin int) float64 { return sigmoid((float64(bin)+0.5)*8/Bins - 4) }

// bands is the number of bands of risk.
const bands = 3

// bandOf returns the band of a predicted probability to be wrong, from 0, the least risky.
func bandOf(p float64) int {
	switch {
	case p < 0.1:
		return 0
	case p < 0.3:
		return 1
	}
	return bands - 1
}
