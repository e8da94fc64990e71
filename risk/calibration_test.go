package risk

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/internal/golden"
)

// calibrationOrders is the number of orders in which the calibration of a history is measured, the original one
// included.
const calibrationOrders = 20

// warmedOf caches the predictions of warmed by history and whether there are looks.
var warmedOf = map[string][][]effect.Prediction{}

// warmed returns the predictions after the first 150 verdicts, or half, for each order of a history; the first order
// is that of time. Case is that of one verdict. Call it after leaveOut.
func warmed(t *testing.T, s stream, looks bool) (out [][]effect.Prediction) {
	key := fmt.Sprint(s.name, looks)
	if warmedOf[key] != nil {
		return warmedOf[key]
	}
	code := noLooks
	if looks {
		code = allLooks(t, s.name)
	}
	for seed := range uint64(calibrationOrders) {
		es := inOrder(s, seed).es
		ps := withLooks(es, code)
		for i := range ps {
			ps[i].Case = es[i].Key()
		}
		out = append(out, ps[effect.RiskFigures(ps).Warmup:])
	}
	warmedOf[key] = out
	return out
}

// chance holds calibration errors of predictions if every P were right, one for each of many histories, sorted.
type chance []float64

func (c chance) mean() (sum float64) {
	for _, x := range c {
		sum += x / float64(len(c))
	}
	return sum
}

// middle90 formats the interval that holds the middle 90 %.
func (c chance) middle90() string {
	return fmt.Sprintf("(%.3f-%.3f)", c[len(c)/20], c[len(c)-1-len(c)/20])
}

// within returns the share that is at most x.
func (c chance) within(x float64) float64 {
	n, _ := slices.BinarySearch(c, x)
	return float64(n) / float64(len(c))
}

// byChance draws the truth of each verdict, once for all its predictions, since these share it.
func byChance(ps []effect.Prediction) chance {
	rng := rand.New(rand.NewPCG(1, 2))
	again, verdicts := slices.Clone(ps), map[string]int{}
	at := make([]int, len(ps))
	for i := range ps {
		if _, ok := verdicts[ps[i].Case]; !ok {
			verdicts[ps[i].Case] = len(verdicts)
		}
		at[i] = verdicts[ps[i].Case]
	}
	const draws = 1000
	var of chance
	drawn := make([]float64, len(verdicts))
	for range draws {
		for i := range drawn {
			drawn[i] = rng.Float64()
		}
		for i := range again {
			again[i].Wrong = drawn[at[i]] < ps[i].P
		}
		ece, _ := effect.Calibration(again)
		of = append(of, ece)
	}
	slices.Sort(of)
	return of
}

// asMany returns n of the predictions, drawn with replacement, as verdicts of their own.
func asMany(ps []effect.Prediction, n int) []effect.Prediction {
	rng := rand.New(rand.NewPCG(3, 4))
	out := make([]effect.Prediction, n)
	for i := range out {
		out[i] = ps[rng.IntN(len(ps))]
		out[i].Case = fmt.Sprint(i)
	}
	return out
}

// reliability writes, for each bin with predictions, their mean, the share that was wrong, and its standard error if
// every P were right.
func reliability(b *strings.Builder, name string, ps []effect.Prediction) {
	_, bins := effect.Calibration(ps)
	fmt.Fprintf(b, "\n%s\n", name)
	for i := range bins {
		if x := &bins[i]; x.N > 0 {
			sd := math.Sqrt(x.P * (1 - x.P) / float64(x.N))
			fmt.Fprintf(b, "  .%d  %4d  P %.3f  wrong %.3f  by chance ± %.3f  %+.1f\n", i, x.N, x.P, x.Wrong, sd,
				(x.Wrong-x.P)/sd)
		}
	}
}

// byCode writes, for each code of a look, the mean P in the order of time and the share that was wrong.
func byCode(t *testing.T, b *strings.Builder, s stream, ps []effect.Prediction) {
	code := allLooks(t, s.name)
	var n, p, variance, wrong [maxLook + 1]float64
	for i := range ps {
		x := &ps[i]
		c := code(&s.es[len(s.es)-len(ps)+i])
		n[c], p[c], variance[c] = n[c]+1, p[c]+x.P, variance[c]+x.P*(1-x.P)
		wrong[c] += indicator(x.Wrong)
	}
	for c := range n {
		if n[c] > 0 {
			fmt.Fprintf(b, "  code %2d  %3.0f  P %.3f  wrong %.3f  by chance ± %.3f  %+.1f\n", c, n[c], p[c]/n[c], wrong[c]/n[c],
				math.Sqrt(variance[c])/n[c], (wrong[c]-p[c])/math.Sqrt(variance[c]))
		}
	}
}

// TestQualityRiskCalibration measures how far P is from the share of wrong verdicts, beside what it would be if every P
// were right.
func TestQualityRiskCalibration(t *testing.T) {
	var rows, size, bins strings.Builder
	measure := func(t *testing.T, s stream, looks bool) {
		leaveOut(t, s.name)
		name := s.name
		if looks {
			name += ", all looks"
		}
		of := warmed(t, s, looks)
		one, together := of[0], slices.Concat(of...)
		e1, _ := effect.Calibration(one)
		e2, _ := effect.Calibration(together)
		c1, c2 := byChance(one), byChance(together)
		fmt.Fprintf(&rows, "%-21s %4d  %.3f  %.3f %s  %.3f %.3f      %.3f  %.3f %s\n", name, len(one), e1, c1.mean(),
			c1.middle90(), c1.within(0.015), c1.within(0.05), e2, c2.mean(), c2.middle90())
		fmt.Fprintf(&size, "%-21s", name)
		for _, n := range []int{100, 400, 1600, 6400} {
			fmt.Fprintf(&size, "  %.3f", byChance(asMany(one, n)).mean())
		}
		size.WriteByte('\n')
		reliability(&bins, name, one)
		if looks {
			byCode(t, &bins, s, one)
		}
	}
	for _, s := range streams(t) {
		if s.nothing {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			measure(t, s, false)
			if slices.Contains(lookedStreams, s.name) {
				measure(t, s, true)
			}
		})
	}
	table := fmt.Sprintf("Calibration error after the first 150 verdicts, or half: in the order of time, and in %d "+
		"orders together. by chance: if every\nP were right, mean and middle 90 %%, and in how many histories it would be "+
		"at most .015 and .05; a verdict has one truth in all orders.\nWhat ships learned is learned from the other "+
		"histories.\n\n%-21s %4s  %-5s  %-20s  %-14s %-5s  by chance\n%s\n"+
		"If every P were right, of so many verdicts like these: 100, 400, 1600, 6400.\n\n%s\n"+
		"In the order of time, by tenths of P and by codes of looks: verdicts, their mean P, the share that was wrong, and "+
		"in standard errors\nhow far it is off.\n%s", calibrationOrders, "", "n", "ECE", "by chance", "<= .015, .05",
		"all", rows.String(), size.String(), bins.String())
	t.Log("\n" + table)
	golden.Equal(t, "testdata/calibration.golden", table)
}
