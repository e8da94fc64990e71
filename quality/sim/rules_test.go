package sim

import (
	"github.com/memtree/memtree/effect"
)

// Rule scores memories from runs: a higher score is a better memory.
type Rule struct {
	Name string

	// Score returns a score by memory, for those that were included.
	Score func([]effect.TrialRun) map[string]float64

	// Gives reports from a score and its number of runs whether the memory is included again, as the rule's
	// publication defines it.
	Gives func(score float64, runs int) bool

	// Compares reports whether the rule needs runs without memory.
	Compares bool
}

// Rules returns ours and published ones.
func Rules() []Rule {
	return []Rule{
		{"lineage ridge (ours)", ridge, nil, true},
		{"success rate", successRate, func(s float64, n int) bool { return n < 5 || s >= 0.5 }, false},
		{"trust, +.05 -.10", trust, func(s float64, _ int) bool { return s >= 0.3 }, false},
		{"exponential average, .1", average, func(s float64, _ int) bool { return s >= 0.4 }, false},
		{"window of 20, .15", window, func(s float64, n int) bool { return n < 20 || s > -0.15 }, true},
		{"against its tests", against, func(s float64, n int) bool { return n < 5 || s > -0.05 }, false},
	}
}

func ridge(runs []effect.TrialRun) map[string]float64 {
	book := effect.NewCreditBook()
	for i := range runs {
		book.Add(&runs[i])
	}
	out := map[string]float64{}
	for _, e := range book.Fit(runs[len(runs)-1].At) {
		out[e.ID] = e.Effect
	}
	return out
}

// each calls f with every use of a memory, in order.
func each(runs []effect.TrialRun, f func(id string, r *effect.TrialRun)) {
	for i := range runs {
		for _, c := range runs[i].Injected {
			f(c.ID, &runs[i])
		}
	}
}

func one(right bool) float64 {
	if right {
		return 1
	}
	return 0
}

// successRate is the share of right runs with the memory, with one right and one wrong run added.
func successRate(runs []effect.TrialRun) map[string]float64 {
	n, right, out := map[string]float64{}, map[string]float64{}, map[string]float64{}
	each(runs, func(id string, r *effect.TrialRun) {
		n[id]++
		right[id] += one(r.Correct)
		out[id] = (right[id] + 1) / (n[id] + 2)
	})
	return out
}

// trust rises a little after a right run and falls twice as far after a wrong one.
func trust(runs []effect.TrialRun) map[string]float64 {
	out := map[string]float64{}
	each(runs, func(id string, r *effect.TrialRun) {
		t, ok := out[id]
		if !ok {
			t = 0.5
		}
		if r.Correct {
			t += 0.05
		} else {
			t -= 0.10
		}
		out[id] = max(0, min(1, t))
	})
	return out
}

func average(runs []effect.TrialRun) map[string]float64 {
	out := map[string]float64{}
	each(runs, func(id string, r *effect.TrialRun) {
		a, ok := out[id]
		if !ok {
			a = 0.5
		}
		out[id] = a + 0.1*(one(r.Correct)-a)
	})
	return out
}

// window compares the last 20 runs with the memory with the last 20 without any.
func window(runs []effect.TrialRun) map[string]float64 {
	with := map[string][]float64{}
	var without []float64
	for i := range runs {
		if runs[i].Arm == effect.None {
			without = last20(without, one(runs[i].Correct))
		}
	}
	each(runs, func(id string, r *effect.TrialRun) { with[id] = last20(with[id], one(r.Correct)) })
	out := map[string]float64{}
	for id, w := range with {
		out[id] = mean(w) - mean(without)
	}
	return out
}

func last20(xs []float64, x float64) []float64 {
	xs = append(xs, x)
	return xs[max(0, len(xs)-20):]
}

func mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / max(1, float64(len(xs)))
}

// against compares every use with the share of right runs of its test. It is unpublished: it is ours without lineage,
// siblings and uncertainty.
func against(runs []effect.TrialRun) map[string]float64 {
	type count struct{ n, right float64 }
	byTest := map[string]*count{}
	for i := range runs {
		c := byTest[runs[i].Test]
		if c == nil {
			c = &count{}
			byTest[runs[i].Test] = c
		}
		c.n++
		c.right += one(runs[i].Correct)
	}
	n, out := map[string]float64{}, map[string]float64{}
	each(runs, func(id string, r *effect.TrialRun) {
		c := byTest[r.Test]
		n[id]++
		out[id] += (one(r.Correct) - c.right/c.n - out[id]) / n[id]
	})
	return out
}
