package sim

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/memtree/memtree/effect"
)

// Stream describes the runs that a breaker watches.
type Stream struct {
	Fail    float64 // share of failures without memory, in the mean over 40 tests
	Spread  float64 // standard deviation of it between tests
	Drift   float64 // amplitude of its drift
	Harm    float64 // by how much memory raises it; below 0 memory helps
	Turn    int     // number of runs before which the effect is reversed
	Before  int     // runs without memory that were known before
	Late    float64 // runs before an outcome arrives, in the mean
	Missing float64 // share of outcomes that never arrive, twice as many of the failures
	Runs    int
	Holdout effect.Holdout
}

// Watched is the result of rules on streams, as shares of the streams.
type Watched struct {
	Harm   float64 // the breaker opened
	Help   float64 // help was proven
	Typed  float64 // the breaker opened for some error type, of eight
	Window float64 // windows of 20 runs differed by .15
	Oracle float64 // a rule that knows every test's share and the size of the effect found it
	Half   int     // runs after which harm or help was found in half of the streams; 0 in fewer
	Most   int     // and in 95 % of them
}

// Watch simulates so many streams, with seeds from 1.
func Watch(s Stream, streams int) Watched {
	var out Watched
	var at []int
	add := func(to *float64, yes bool) {
		if yes {
			*to += 1 / float64(streams)
		}
	}
	for seed := range streams {
		h := s.watch(uint64(seed) + 1) //nolint:gosec // small
		add(&out.Harm, h.harm > 0)
		add(&out.Help, h.help > 0)
		add(&out.Typed, h.typed)
		add(&out.Window, h.window)
		add(&out.Oracle, s.oracle(uint64(seed)+1)) //nolint:gosec // small
		found := h.harm
		if s.Harm < 0 {
			found = h.help
		}
		if found == 0 {
			found = math.MaxInt
		}
		at = append(at, found)
	}
	slices.Sort(at)
	out.Half, out.Most = within(at[(streams-1)/2]), within(at[(95*streams+99)/100-1])
	return out
}

func within(n int) int {
	if n == math.MaxInt {
		return 0
	}
	return n
}

// heard is the result of one stream; harm and help are the number of runs until they were found, or 0.
type heard struct {
	harm, help    int
	typed, window bool
}

// watching is the state of a stream.
type watching struct {
	Stream
	seed    uint64
	rng     *rand.Rand
	shares  []float64
	breaker effect.Breaker
	with    []float64
	without []float64
	heard
}

func (s Stream) begin(seed uint64) *watching {
	w := &watching{
		Stream: s,
		seed:   seed,
		rng:    rand.New(rand.NewPCG(seed, 0x7374726d)), //nolint:gosec // must come out the same again
	}
	for range 40 {
		w.shares = append(w.shares, between(s.Fail+s.Spread*w.rng.NormFloat64()))
	}
	return w
}

func (s Stream) watch(seed uint64) heard {
	w := s.begin(seed)
	for range s.Before {
		test := w.rng.IntN(len(w.shares))
		w.breaker.Observe(&effect.TrialRun{Test: strconv.Itoa(test), Correct: w.rng.Float64() >= w.shares[test]})
	}
	var line queue
	for i := range s.Runs {
		r, _ := w.draw(i, func(types []string) effect.Chances {
			return w.breaker.Decide(types, w.Holdout).Chances
		})
		if !r.Correct && w.rng.Float64() < 2*s.Missing || r.Correct && w.rng.Float64() < s.Missing {
			continue
		}
		line.put(i+int(s.Late*w.rng.ExpFloat64()), r)
		for _, r := range line.take(i) {
			w.observe(&r, i+1)
		}
	}
	return w.heard
}

// oracle repeats a stream with a bet that no rule can beat: it knows the truth.
func (s Stream) oracle(seed uint64) bool {
	if s.Harm == 0 {
		return false
	}
	w, odds := s.begin(seed), 0.0
	for i := range s.Runs {
		r, p := w.draw(i, func([]string) effect.Chances { return s.Holdout.Chances(i, math.Exp(odds)) })
		rho := r.Chances.Memory
		if r.Correct {
			p[0], p[1] = 1-p[0], 1-p[1]
		}
		q := p[1]
		if r.Arm == effect.Memory {
			q = p[0]
		}
		odds += math.Log(q / (rho*p[0] + (1-rho)*p[1]))
		if i >= s.Turn && odds >= math.Log(1/effect.Alpha) {
			return true
		}
	}
	return false
}

func between(p float64) float64 { return max(0.02, min(0.98, p)) }

// draw creates a run and its outcome, and returns the failure shares with and without memory from which it was drawn.
func (w *watching) draw(i int, chances func(types []string) effect.Chances) (effect.TrialRun, [2]float64) {
	test := w.rng.IntN(len(w.shares))
	without := w.shares[test] + w.Drift*math.Sin(2*math.Pi*float64(i)/400)
	if i%500 >= 250 {
		without += w.Drift
	}
	without = between(without)
	harm := w.Harm
	if i < w.Turn {
		harm = -harm
	}
	p := [2]float64{between(without + harm), without}
	first := strconv.Itoa(test % 8)
	r := effect.TrialRun{
		ID: strconv.FormatUint(w.seed, 10) + "/" + strconv.Itoa(i), At: Start.Add(time.Duration(i) * time.Minute),
		Test: strconv.Itoa(test), Arm: effect.None, Eligible: []effect.Candidate{{ErrorType: first}},
		Chances: chances([]string{first}),
	}
	r.Arm = effect.DrawArm(r.ID, "sim", r.Chances)
	fail := p[1]
	if r.Arm == effect.Memory {
		fail = p[0]
	}
	r.Correct = w.rng.Float64() >= fail
	return r, p
}

func (w *watching) observe(r *effect.TrialRun, n int) {
	for _, t := range w.breaker.Observe(r) {
		if t.State != effect.Open {
			continue
		}
		if t.ErrorType != "" {
			w.typed = true
		} else if w.harm == 0 {
			w.harm = n
		}
	}
	if w.help == 0 && w.breaker.All.Help.E() >= 1/effect.Alpha {
		w.help = n
	}
	if r.Arm == effect.Memory {
		w.with = last20(w.with, 1-one(r.Correct))
	} else {
		w.without = last20(w.without, 1-one(r.Correct))
	}
	if len(w.with) == 20 && len(w.without) == 20 && mean(w.with)-mean(w.without) > 0.15 {
		w.window = true
	}
}
