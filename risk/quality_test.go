package risk

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/tree"
)

// run scores every verdict of a stream before it learns its truth.
func run(es []tree.Evaluation, m *Model) (ps []effect.Prediction, enough int) {
	for i := range es {
		e := &es[i]
		r := m.Score(e)
		if r.Enough {
			enough++
		}
		ps = append(ps, effect.Prediction{P: r.P, Order: r.Order, Base: r.Base, Wrong: !*e.Correct, Case: e.CaseID})
		m.Learn(e.Key(), Extract(e), *e.Correct, e.Direction)
	}
	return ps, enough
}

// without returns a new model in which a signal has no weight.
func without(signal int) *Model {
	m := New()
	for i := range m.all.blend.fits {
		l := &m.all.blend.fits[i]
		l.mean[signal], l.cov[signal*signals+signal] = 0, 0
	}
	return m
}

// figures is one row of the table.
func figures(b *strings.Builder, name string, r *effect.RiskMeasure, ps []effect.Prediction, enough int) {
	in := func(name string, f float64) string {
		return fmt.Sprintf("%.3f (%.3f-%.3f)", f, r.Intervals[name].Low, r.Intervals[name].High)
	}
	short := func(name string, f float64) string {
		return fmt.Sprintf("%2.0f (%2.0f-%2.0f)", 100*f, 100*r.Intervals[name].Low, 100*r.Intervals[name].High)
	}
	fmt.Fprintf(b, "%-21s %4d %5d  %s %s  %s %s %s  %s  %.3f %.3f %7d\n", name, r.N, r.Wrong, in("auc", *r.AUC),
		in("aucSecondHalf", *r.AUCSecondHalf),
		short("found5", r.Found.At5), short("found10", r.Found.At10), short("found20", r.Found.At20),
		eces(ps[r.Warmup:]), r.Brier, r.Baselines.Brier, enough)
}

func TestQualityRisk(t *testing.T) {
	var b strings.Builder
	b.WriteString("Each verdict scored before its truth was told. Intervals: 95 %, bootstrap by case. found: share of " +
		"the wrong ones, in %,\n" +
		"reading the riskiest 5, 10, 20 %. ECE: after the first 150 verdicts, or half; by chance: if every P were right. " +
		"enough: verdicts\ngiven more than the base rate.\n\n")
	fmt.Fprintf(&b, "%-21s %4s %5s  %-19s %-19s  %-10s %-10s %-10s  %-5s %9s  %-5s %-5s %7s\n", "", "n", "wrong", "AUC",
		"second half", "found 5", "10", "20", "ECE", "by chance", "Brier", "base", "enough")
	all := streams(t)
	got := map[string]effect.RiskMeasure{}
	for _, s := range all {
		ps, enough := run(s.es, New())
		r := effect.MeasureRisks(ps, 1)
		got[s.name] = r
		figures(&b, s.name, &r, ps, enough)
		if s.nothing {
			require.Zero(t, enough, "%s holds nothing to learn", s.name)
			require.InDelta(t, r.Baselines.Brier, r.Brier, 0.005)
		}
	}
	b.WriteString("\nWithout one signal: AUC, second half, Brier.\n\n")
	learnable := slices.DeleteFunc(slices.Clone(all), func(s stream) bool { return s.nothing })
	fmt.Fprintf(&b, "%-9s", "")
	for _, s := range learnable {
		fmt.Fprintf(&b, " %-20s", s.name)
	}
	b.WriteByte('\n')
	for signal := range signals {
		if signalNames[signal] == "" || signal >= sureOdds { // no data set here has these
			continue
		}
		fmt.Fprintf(&b, "%-9s", signalNames[signal])
		for _, s := range learnable {
			r := plain(s.es, without(signal))
			fmt.Fprintf(&b, " %.3f %.3f %.4f  ", *r.AUC, *r.AUCSecondHalf, r.Brier)
		}
		b.WriteByte('\n')
	}
	golden.Equal(t, "testdata/quality.golden", b.String())
	t.Log("\n" + b.String())

	web, once, bench := got["webjudge"], got["webjudge, once a run"], got["judgebench"]
	require.Greater(t, *web.AUC, 0.89)
	require.Greater(t, *web.AUCSecondHalf, 0.94)
	require.Greater(t, web.Found.At10, 0.42)
	require.Greater(t, web.Found.At20, 0.65)
	require.Less(t, web.ECE, 0.04)
	require.Greater(t, *once.AUC, 0.83)
	require.Greater(t, *once.AUCSecondHalf, 0.88)
	require.Greater(t, *bench.AUC, 0.93)
	require.Greater(t, *bench.AUCSecondHalf, 0.96)
}

// plain measures without intervals.
func plain(es []tree.Evaluation, m *Model) effect.RiskMeasure {
	ps, _ := run(es, m)
	return effect.RiskFigures(ps)
}

// TestQualityRiskLeak permutes, on real verdicts, everything that is known only after the verdict, and expects the same
// scores.
func TestQualityRiskLeak(t *testing.T) {
	for _, s := range streams(t) {
		m, rng := New(), rand.New(rand.NewPCG(5, 6))
		for i := range s.es {
			e := &s.es[i]
			x, other := *e, &s.es[rng.IntN(len(s.es))]
			x.GroundTruth, x.Correct, x.Direction, x.Reason, x.Trial, x.At = other.GroundTruth, other.Correct, other.Direction,
				other.Reason, other.Trial, other.At
			require.Equal(t, m.Score(e), m.Score(&x))
			m.Learn(e.Key(), Extract(e), *e.Correct, e.Direction)
		}
	}
}
