package risk

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/tree"
)

// scored is a verdict as a scaling of P gets it.
type scored struct {
	mixed  float64 // before any scaling
	p      float64 // as it is, the base rate where nothing is proven
	enough bool
	judge  uint32
	look   uint8
	wrong  bool
	at     int // in the order of time
}

// scoredWith returns the verdicts of a history, each before its truth.
func scoredWith(es []tree.Evaluation, code func(*tree.Evaluation) uint8, at map[string]int) (out []scored) {
	m := New()
	for i := range es {
		e := &es[i]
		f := Extract(e).WithLook(code(e))
		r := m.ScoreLooked(e, code(e))
		x := m.forecast(&f)
		mixed, _ := m.all.blend.mix(x.of().x[:])
		out = append(out, scored{mixed, r.P, r.Enough, f.judges[0], code(e), !*e.Correct, at[e.Key()]})
		m.Learn(e.Key(), f, *e.Correct, e.Direction)
	}
	return out
}

// scaling is a way to scale P by the truths known so far: a regression of what x gives, in log-odds.
type scaling struct {
	name        string
	x           func(*scored) []float64
	mean, width []float64
}

// oddsOf returns the log-odds of a prediction that is never quite sure.
func oddsOf(p float64) float64 { return logit(max(1e-6, min(1-1e-6, p))) }

// kindOfLook is 0 for no look, 1 for one that decides nothing, 2 and 3 for one against and for the verdict.
func kindOfLook(code uint8) int {
	switch {
	case code == 0:
		return 0
	case code >= 16:
		return 3
	case code >= 4 && code <= 6:
		return 2
	}
	return 1
}

// scalings are those tried. The first is P as it is.
func scalings() []scaling {
	mixed := func(s *scored) []float64 { return []float64{1, oddsOf(s.mixed)} }
	again := func(s *scored) []float64 { return []float64{1, oddsOf(s.p)} }
	shifts := func(of func(*scored) int) func(*scored) []float64 { // one of eight, beside the odds
		return func(s *scored) []float64 {
			x := make([]float64, 9)
			x[0], x[1+of(s)] = oddsOf(s.p), 1
			return x
		}
	}
	eight := func(width float64) []float64 { return append([]float64{0}, slices.Repeat([]float64{width}, 8)...) }
	beta := func(s *scored) []float64 {
		p := max(1e-6, min(1-1e-6, s.p))
		return []float64{1, math.Log(p), -math.Log(1 - p)}
	}
	judge := shifts(func(s *scored) int { return int(s.judge % 8) })
	look := shifts(func(s *scored) int { return kindOfLook(s.look) })
	unit, one := []float64{0, 1}, append([]float64{1}, make([]float64, 8)...)
	return []scaling{
		{name: "as it is"},
		{"none", mixed, unit, []float64{0, 0}},
		{"one, of width .1", mixed, unit, []float64{0.1, 0.1}},
		{"one, of width .2", mixed, unit, []float64{0.2, 0.2}},
		{"one, of width .4", mixed, unit, []float64{0.4, 0.4}},
		{"one, of width 1.5 and .5", mixed, unit, []float64{1.5, 0.5}},
		{"a temperature alone, .1", mixed, unit, []float64{0, 0.1}},
		{"a temperature alone, .3", mixed, unit, []float64{0, 0.3}},
		{"as it is, and a shift, .3", again, unit, []float64{0.3, 0}},
		{"as it is, and a temperature, .3", again, unit, []float64{0, 0.3}},
		{"as it is, and a shift by judge, .3", judge, one, eight(0.3)},
		{"as it is, and a shift by look, .3", look, one, eight(0.3)},
		{"as it is, and a beta curve, .3", beta, []float64{0, 1, 1}, []float64{0.3, 0.3, 0.3}},
	}
}

// erring holds the predictions of the order of time, those of all orders after the warm-up, and by verdict the sum of
// their squared errors and their number.
type erring struct {
	time, ps []effect.Prediction
	sum, n   []float64
}

// add adds the errors of one order of a history.
func (e *erring) add(s *scaling, vs []scored) {
	var l logistic
	if s.x != nil {
		l = newLogistic(s.mean, s.width)
	}
	for i := range vs {
		v := &vs[i]
		p := v.p
		if s.x != nil {
			x := s.x(v)
			if v.enough {
				p = sigmoid(l.odds(x))
			}
			l.learn(x, v.wrong)
		}
		if len(e.time) < len(vs) {
			e.time = append(e.time, effect.Prediction{P: p, Wrong: v.wrong})
		}
		if i >= min(150, len(vs)/2) {
			d := p - indicator(v.wrong)
			e.sum[v.at] += d * d
			e.n[v.at]++
			e.ps = append(e.ps, effect.Prediction{P: p, Wrong: v.wrong})
		}
	}
}

// less is how much smaller the errors of a scaling are, in thousandths: the mean over verdicts, and its standard error.
type less struct {
	mean, se, ece float64
	put, broke    int // by corrections in the order of time
}

func (e *erring) less(other *erring) less {
	sum, squares, n := 0.0, 0.0, 0.0
	for i := range e.n {
		if e.n[i] > 0 {
			d := 1000 * (e.sum[i] - other.sum[i]) / e.n[i]
			sum, squares, n = sum+d, squares+d*d, n+1
		}
	}
	ece, _ := effect.Calibration(other.ps)
	put, broke := turned(other.time)
	return less{sum / n, math.Sqrt(max(0, squares/n-sum*sum/n/n) / n), ece, put, broke}
}

// scalingOrders is the number of orders of a history in which scalings are compared.
const scalingOrders = 8

// compared returns, for each scaling, how much smaller its errors are than those of P as it is.
func compared(t *testing.T, s stream, looks bool) (out []less) {
	leaveOut(t, s.name)
	code, at := noLooks, map[string]int{}
	if looks {
		code = allLooks(t, s.name)
	}
	for i := range s.es {
		at[s.es[i].Key()] = i
	}
	all := scalings()
	of := make([]erring, len(all))
	for i := range of {
		of[i] = erring{sum: make([]float64, len(s.es)), n: make([]float64, len(s.es))}
	}
	for seed := range uint64(scalingOrders) {
		vs := scoredWith(inOrder(s, seed).es, code, at)
		for i := range all {
			of[i].add(&all[i], vs)
		}
	}
	for i := range of {
		out = append(out, of[0].less(&of[i]))
	}
	return out
}

// bestBut returns the scaling with the smallest errors in the mean of all histories but one.
func bestBut(of [][]less, out int) (best int) {
	sums := make([]float64, len(of[0]))
	for h := range of {
		for i := range sums {
			if h != out {
				sums[i] += of[h][i].mean
			}
		}
	}
	for i := range sums {
		if sums[i] > sums[best] {
			best = i
		}
	}
	return best
}

// TestQualityRiskScalings compares ways to scale P by the truths known so far, and measures the one that is best on the
// other histories on the one left out.
func TestQualityRiskScalings(t *testing.T) {
	every := everyStream(t)
	all := scalings()
	var b strings.Builder
	fmt.Fprintf(&b, "Ways to scale P by the truths known so far, each verdict scored before its truth: by how many "+
		"thousandths the Brier score after the\nfirst 150 verdicts, or half, is smaller than that of P as it is, and the "+
		"standard error; then the calibration error; %d orders together.\nThen the verdicts put right and broken if those "+
		"with P of .8 or more are reversed, in the order of time. What\nships learned is learned from the other "+
		"histories.\n", scalingOrders)
	for _, g := range []struct {
		name  string
		looks bool
		of    []string
	}{
		{"all looks", true, lookedStreams},
		{"no look", false, []string{"webjudge", "judgebench", "tau", "suite a", "suite b", "suite g", "suite i"}},
	} {
		var of [][]less
		for _, name := range g.of {
			i := slices.IndexFunc(every, func(s stream) bool { return s.name == name })
			t.Run(name, func(t *testing.T) { of = append(of, compared(t, every[i], g.looks)) })
		}
		fmt.Fprintf(&b, "\n%-34s", g.name)
		for _, name := range g.of {
			fmt.Fprintf(&b, " %-25s", name)
		}
		b.WriteString(" mean\n")
		for i := range all {
			mean := 0.0
			fmt.Fprintf(&b, "%-34s", all[i].name)
			for _, h := range of {
				x := h[i]
				mean += x.mean / float64(len(of))
				fmt.Fprintf(&b, " %+5.2f ± %-4.2f %.3f %3d %2d", x.mean, x.se, x.ece, x.put, x.broke)
			}
			fmt.Fprintf(&b, " %+5.2f\n", mean)
		}
		mean := 0.0
		for h, name := range g.of {
			best := bestBut(of, h)
			x := of[h][best]
			mean += x.mean / float64(len(of))
			fmt.Fprintf(&b, "left out %-12s best on the others: %-34s here %+5.2f ± %.2f\n", name, all[best].name, x.mean, x.se)
		}
		fmt.Fprintf(&b, "mean of those left out %+5.2f\n", mean)
	}
	t.Log("\n" + b.String())
	golden.Equal(t, "testdata/scalings.golden", b.String())
}
