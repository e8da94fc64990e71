// Package score says how well an analyst reads labelled runs, and what a tree learns of a labelled
// suite. Labels are for measuring only: nothing that learns may see them. Everything in it is a pure
// function of its arguments.
package score

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/memtree/memtree/internal/stat"
)

// Pair is one labelled thing: the class it is of, and the one that was found.
type Pair struct{ Want, Got string }

// Agreement returns how many pairs agree, the share that they are, and its interval by Wilson.
func Agreement(pairs []Pair) (n int, share float64, in stat.Interval) {
	for _, p := range pairs {
		if p.Want == p.Got {
			n++
		}
	}
	return n, Round(float64(n) / float64(max(1, len(pairs)))), rounded(stat.Wilson(n, len(pairs)))
}

// MacroF1 returns the mean, over the classes that are wanted, of the harmonic mean of precision and
// recall. A class that is never wanted has none; whoever finds it loses recall where it was wrong.
func MacroF1(pairs []Pair) float64 {
	type counts struct{ wanted, found, right int }
	classes := map[string]*counts{}
	of := func(name string) *counts {
		c := classes[name]
		if c == nil {
			c = &counts{}
			classes[name] = c
		}
		return c
	}
	for _, p := range pairs {
		of(p.Want).wanted++
		of(p.Got).found++
		if p.Want == p.Got {
			of(p.Want).right++
		}
	}
	sum, n := 0.0, 0
	for _, name := range slices.Sorted(maps.Keys(classes)) { // sorted, so that the sum is always the same
		if c := classes[name]; c.wanted > 0 {
			sum += 2 * float64(c.right) / float64(c.wanted+c.found)
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return Round(sum / float64(n))
}

// Round returns a figure with four digits after the point: more of them differ between machines.
func Round(x float64) float64 { return math.Round(x*1e4) / 1e4 }

func rounded(in stat.Interval) stat.Interval {
	return stat.Interval{Low: Round(in.Low), High: Round(in.High)}
}

// Rounds is how often Bootstrap draws.
const Rounds = 1000

// Bootstrap returns the 95 % interval of a measure of pairs: the pairs are drawn anew, with replacement, Rounds
// times. The same seed gives the same interval.
func Bootstrap(pairs []Pair, seed uint64, measure func([]Pair) float64) stat.Interval {
	if len(pairs) == 0 {
		return stat.Interval{Low: 0, High: 1}
	}
	r := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // no secret
	drawn, values := make([]Pair, len(pairs)), make([]float64, Rounds)
	for i := range values {
		for j := range drawn {
			drawn[j] = pairs[r.IntN(len(pairs))]
		}
		values[i] = measure(drawn)
	}
	slices.Sort(values)
	return rounded(stat.Interval{Low: values[Rounds/40], High: values[Rounds-1-Rounds/40]})
}
