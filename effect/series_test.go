package effect

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// TestSequenceHoldsAtAllTimes: in at most one stream of twenty the interval ever excludes the lift of the runs so far,
// for any hold-out and any drift of the product.
func TestSequenceHoldsAtAllTimes(t *testing.T) {
	const streams, runs = 100, 600
	for _, c := range []struct {
		name  string
		rho   func(i int) float64
		lift  func(i int) float64
		width float64 // largest mean width of the last interval
	}{
		{"nothing, 20 % held out", fixed(0.8), fixed(0), 0.42},
		{"help, 20 % held out", fixed(0.8), fixed(0.2), 0.42},
		{"harm, half held out", fixed(0.5), fixed(-0.25), 0.32},
		{"it turns, the schedule", func(i int) float64 { return []float64{0.8, 0.95}[min(1, i/200)] },
			func(i int) float64 { return 0.25 - float64(i)/runs/2 }, 0.62},
	} {
		rng := rand.New(rand.NewPCG(11, 7))
		missed, width := 0, 0.0
		for range streams {
			var s sequence
			var guess guess
			out, truth, weight := false, 0.0, 0.0
			var low, high float64
			for i := range runs {
				cell := cellOf(fmt.Sprint(i % 7))
				rho, base := c.rho(i), 0.35+0.04*float64(i%7)
				x := betOutcome{memory: rng.Float64() < rho, rho: rho, expected: guess.expect(cell)}
				p := base
				if x.memory {
					p += c.lift(i)
				}
				x.failed = rng.Float64() >= p
				guess.count(cell, x.failed)
				s.add(x)
				truth += rho * (1 - rho) * c.lift(i)
				weight += rho * (1 - rho)
				if i%25 == 24 {
					_, low, high = s.lift()
					out = out || truth/weight < low || truth/weight > high
				}
			}
			if width += high - low; out {
				missed++
			}
		}
		t.Logf("%s: %d of %d streams missed, width %.3f", c.name, missed, streams, width/streams)
		require.LessOrEqual(t, missed, streams/20, c.name)
		require.Less(t, width/streams, c.width, c.name)
	}
}

func fixed(x float64) func(int) float64 { return func(int) float64 { return x } }

// TestSeries: the last point equals the report, and the number of points is bounded.
func TestSeries(t *testing.T) {
	for _, n := range []int{0, 1, 60, 900} {
		runs, b, effects := history(n, 0.2, Fixed(0.2), 1)
		j := Joined{Runs: runs}
		for i := range runs {
			j.Asked = append(j.Asked, Asked{At: runs[i].At, Found: true}, Asked{At: runs[i].At, Found: i%2 == 0})
		}
		r := NewReport(&j, b, effects)
		s := r.Series()
		require.LessOrEqual(t, len(s.Points), mostPoints+2)
		require.LessOrEqual(t, len(s.Spans), mostSpans)
		if n == 0 {
			require.Empty(t, s.Points)
			require.Empty(t, s.Spans)
			continue
		}
		last := s.Points[len(s.Points)-1]
		require.Equal(t, n, last.Runs)
		require.InDelta(t, r.EHelp, last.EHelp, 1e-5)
		require.InDelta(t, r.EHarm, last.EHarm, 1e-5)
		require.True(t, n < 900 || math.Abs(r.Lift.Lift-last.Lift) < 0.05,
			"the two ways of holding runs against each other agree")
		require.LessOrEqual(t, last.Low, last.Lift)
		require.GreaterOrEqual(t, last.High, last.Lift)
		asked, found := 0, 0
		for i, p := range s.Spans {
			asked += p.Asked
			found += p.Found
			require.True(t, i == 0 || p.From.After(s.Spans[i-1].From))
		}
		require.Equal(t, []int{2 * n, n + (n+1)/2}, []int{asked, found})
		require.Equal(t, []int{r.Asked, r.Found}, []int{asked, found})
	}
}

// TestSeriesShowsTheBreaker: every change of state has a point.
func TestSeriesShowsTheBreaker(t *testing.T) {
	runs, b, effects := history(600, -0.3, Fixed(0.2), 1)
	j := Joined{Runs: runs}
	var states []BreakerState
	for _, p := range NewReport(&j, b, effects).Series().Points {
		if len(states) == 0 || states[len(states)-1] != p.State {
			states = append(states, p.State)
		}
	}
	require.Equal(t, []BreakerState{Closed, Open}, states)
}

func TestSpansOfFarApartTimes(t *testing.T) {
	s := spans([]Asked{{At: time.Unix(0, 0), Found: true}, {At: noon}, {Found: true}})
	require.Len(t, s, 3)
	require.True(t, s[0].From.Before(s[1].From))
}

// TestSpansSayHowLongItTook: durations come from the requests that were measured.
func TestSpansSayHowLongItTook(t *testing.T) {
	asked := []Asked{{At: noon}, {At: noon.Add(48 * time.Hour)}}
	for i := range 100 {
		asked = append(asked, Asked{At: noon, Took: float64(100 - i)})
	}
	s := spans(asked)
	require.Equal(t, []float64{50, 95}, []float64{s[0].Half, s[0].Most})
	require.Zero(t, s[1].Most)
}

func TestGrowth(t *testing.T) {
	require.Empty(t, Growth(nil))
	var made []time.Time
	for i := range 1000 {
		made = append(made, noon.Add(time.Duration(i*7919%1000)*time.Minute))
	}
	g := Growth(append(made, made[0]))
	require.LessOrEqual(t, len(g), mostPoints+2)
	require.Equal(t, 1001, g[len(g)-1].N)
	for i := range g[1:] {
		require.Greater(t, g[i+1].N, g[i].N)
		require.True(t, g[i+1].At.After(g[i].At))
	}
}

// TestParts: memory helps on forms and harms on lists.
func TestParts(t *testing.T) {
	var runs []TrialRun
	for i := range 400 {
		r := TrialRun{
			ID: fmt.Sprint(i), Test: fmt.Sprint("t", i%8), Chances: Chances{Memory: 0.5}, Arm: None,
			Eligible: []Candidate{{ID: "c1", ErrorType: "x", Direction: taxonomy.FalsePass, Origin: "ours"}},
			Scene:    tree.Scene{Type: "form"},
		}
		good := i%2 == 0
		if i%3 == 0 {
			r.Scene.Type = "表单"
		}
		if !good {
			r.Scene.Type = "list"
			r.Eligible = append(r.Eligible,
				Candidate{ID: "c2", ErrorType: "y", Origin: "theirs"},
				Candidate{ID: "c3", ErrorType: "y", Origin: "ours"})
		}
		if i%16 < 8 {
			r.Arm = Memory
		}
		r.Correct = (i/16)%2 == 0 || good == (r.Arm == Memory) && (i/16)%4 == 1
		runs = append(runs, r)
	}
	tax := taxonomy.Default()
	r := NewReport(&Joined{Runs: runs}, &Breaker{}, nil)
	at := func(by Grouping) map[string]float64 {
		out := map[string]float64{}
		for _, g := range r.Parts(by, tax) {
			require.Equal(t, g.Runs, g.Guided+g.None)
			out[g.Name] = g.Lift.Lift
		}
		return out
	}
	types, scenes, teams := at(ByType), at(ByScene), at(ByTeam)
	require.InDelta(t, 0, types["x"], 0.05)
	require.Less(t, types["y"], -0.2)
	require.Equal(t, types["y"], scenes["list"])
	require.Greater(t, scenes["form"], 0.2)
	require.Equal(t, types["x"], teams["ours"])
	require.Equal(t, types["y"], teams["theirs"])
	require.Equal(t, "x", r.Parts(ByType, tax)[0].Name, "the largest first")
	require.Empty(t, r.Parts("nothing", tax))
	require.Len(t, scenes, 2, "a type of scene is one part, in either language")
}
