package effect

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var noon = time.Date(2026, 1, 28, 12, 0, 0, 0, time.UTC)

// watched returns the i-th run of a stream.
func watched(i int, arm Treatment, memory float64, correct bool) *TrialRun {
	return &TrialRun{
		ID: fmt.Sprint(i), Seq: uint64(i), At: noon.Add(time.Duration(i) * time.Minute),
		Test: fmt.Sprint("test", i%7), Arm: arm, Correct: correct, Chances: Chances{Memory: memory},
		Eligible: []Candidate{{ID: "c_1", ErrorType: "form_validation_error"}},
	}
}

// TestBetIsFair: after any history and for any result of this run, the expected value of the evidence over the random
// arm is unchanged.
func TestBetIsFair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b purse
		goal := rapid.SampledFrom([]float64{proof, proof * maxTypes, 1.5}).Draw(t, "goal")
		share := rapid.Float64Range(0, 1)
		sign := rapid.SampledFrom([]float64{1, -1}).Draw(t, "sign")
		x := rapid.Custom(func(t *rapid.T) betOutcome {
			return betOutcome{
				memory: rapid.Bool().Draw(t, "memory"), failed: rapid.Bool().Draw(t, "failed"),
				rho: rapid.Float64Range(0.01, 0.99).Draw(t, "rho"), expected: share.Draw(t, "expected"),
			}
		})
		for _, past := range rapid.SliceOfN(x, 0, 60).Draw(t, "past") {
			b.settle(past, sign, goal)
		}
		next := x.Draw(t, "next")
		with, without := b, b
		next.memory = true
		with.settle(next, sign, goal)
		next.memory = false
		without.settle(next, sign, goal)
		mean := next.rho*with.E() + (1-next.rho)*without.E()
		require.InEpsilon(t, b.E(), mean, 1e-9)
	})
}

func TestBetOfNothingIsOne(t *testing.T) {
	var b bet
	require.InDelta(t, 1, b.E(), 1e-12)
	b.start()
	b.N = 1
	require.InDelta(t, (1+spare(1))/2, b.E(), 1e-12)
}

// TestHarmAfterHelp: losses while memory helped do not hide later harm.
func TestHarmAfterHelp(t *testing.T) {
	var b bet
	rng := rand.New(rand.NewPCG(1, 3))
	plain := 0.0
	for i := range 3000 {
		x := betOutcome{memory: rng.Float64() < 0.8, rho: 0.8, expected: 0.4}
		x.failed = rng.Float64() < map[bool]float64{true: 0.35, false: 0.6}[x.memory]
		if i >= 1500 {
			x.failed = rng.Float64() < map[bool]float64{true: 0.45, false: 0.2}[x.memory]
		}
		b.settle(x, 1)
		mean := 0.0
		for _, l := range b.First {
			mean += math.Exp(l) / float64(len(bets))
		}
		if plain = max(plain, mean); i < 1500 {
			require.Less(t, b.E(), proof)
		}
	}
	require.Less(t, plain, proof, "a stake that was all in play from the first run sees nothing")
	require.GreaterOrEqual(t, b.E(), proof)
}

// TestNoFalseAlarm simulates 200 streams in which memory has no effect and difficulty drifts.
func TestNoFalseAlarm(t *testing.T) {
	trips, mean := 0, 0.0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var b Breaker
		at := 0.0
		for i := range 1000 {
			r := watched(i, None, b.Decide(nil, Schedule()).Chances.Memory, rng.Float64() < 0.6+0.3*math.Sin(float64(i)/80))
			if r.Arm = DrawArm(fmt.Sprint(seed, "/", i), "s", r.Chances); b.All.State == Open {
				break
			}
			b.Observe(r)
			if i == 99 {
				at = b.All.Harm.E()
			}
		}
		mean += at / 200
		if b.All.Trips > 0 {
			trips++
		}
	}
	require.LessOrEqual(t, trips, 10, "5 %% of 200")
	require.InDelta(t, 1, mean, 0.4, "the mean of the evidence after 100 runs")
}

// harmful adds runs that fail with memory and pass without to a breaker, until it opens.
func harmful(t *testing.T, b *Breaker, from int) int {
	t.Helper()
	for i := from; i < from+500; i++ {
		arm := Memory
		if i%2 == 0 {
			arm = None
		}
		for _, turn := range b.Observe(watched(i, arm, 0.5, arm == None)) {
			if turn.ErrorType == "" && turn.State == Open {
				require.GreaterOrEqual(t, turn.E, 20.0)
				return i
			}
		}
	}
	require.Fail(t, "it never opened")
	return 0
}

func TestBreakerOpensAndCloses(t *testing.T) {
	var b Breaker
	n := harmful(t, &b, 0)
	require.Less(t, n, 40)
	require.Equal(t, Open, b.All.State)
	require.Zero(t, b.Decide([]string{"form_validation_error"}, Schedule()).Chances.Memory,
		"nothing is given while it is open")
	require.Nil(t, b.Observe(watched(n+1, Memory, 0.5, false)), "a late outcome changes nothing")

	evolved := noon.Add(24 * time.Hour)
	b.Evolved(evolved, 1000)
	require.Equal(t, HalfOpen, b.All.State)
	require.Empty(t, b.Evolved(evolved, 1000), "once is enough")
	require.InDelta(t, 0.5, b.Decide(nil, Schedule()).Chances.Memory, 1e-12)
	require.InDelta(t, 1, b.All.Harm.E(), 1e-12, "the bets begin anew")
	b.Observe(watched(n+2, Memory, 0.5, false))
	require.Zero(t, b.All.Trial, "drawn before the tree evolved")

	later := func(i int, arm Treatment, correct bool) *TrialRun {
		r := watched(i, arm, 0.5, correct)
		r.At, r.Seq = r.At.Add(-48*time.Hour), r.Seq+1000 // the clock went back
		return r
	}
	var turns []Turn
	for i := range 100 {
		arm := []Treatment{Memory, None}[i%2]
		turns = append(turns, b.Observe(later(i, arm, i%4 < 2))...)
	}
	require.Equal(t, Closed, b.All.State)
	require.Contains(t, turns, Turn{State: Closed, At: later(99, None, true).At, E: b.All.Harm.E()})
	require.InDelta(t, 0.2, b.Decide(nil, Fixed(0.2)).Chances.None(), 1e-12)
	require.Equal(t, 1, b.All.Trips)
}

func TestBreakerOpensAgainOnTrial(t *testing.T) {
	var b Breaker
	n := harmful(t, &b, 0)
	b.Evolved(noon, 1)
	harmful(t, &b, n+1)
	require.Equal(t, 2, b.All.Trips)
}

func TestBreakerByErrorType(t *testing.T) {
	var b Breaker
	run := func(i int, errorType string, arm Treatment, correct bool) {
		r := watched(i, arm, 0.5, correct)
		r.Eligible[0].ErrorType = errorType
		b.Observe(r)
	}
	for i := range 120 { // one type harms, the other helps: no effect in total
		arm := []Treatment{Memory, None}[i/2%2]
		harms := i%2 == 0
		run(i, map[bool]string{true: "harms", false: "helps"}[harms], arm, (arm == None) == harms)
	}
	require.NotEqual(t, Open, b.All.State)
	require.Equal(t, Open, b.Types["harms"].State)
	require.Greater(t, b.Types["helps"].Help.E(), 20.0)

	d := b.Decide([]string{"helps", "harms"}, Fixed(0.2))
	require.Equal(t, []string{"harms"}, d.Blocked)
	require.InDelta(t, 0.8, d.Chances.Memory, 1e-12, "the others are given")
	require.Zero(t, b.Decide([]string{"harms"}, Fixed(0.2)).Chances.Memory, "nothing is left to give")
	b.Evolved(noon, 1)
	require.InDelta(t, 0.5, b.Decide([]string{"harms"}, Fixed(0.2)).Chances.Memory, 1e-12, "on trial")

	for i := range 40 {
		run(200+i, fmt.Sprint("type", i), Memory, true)
	}
	require.Len(t, b.Types, maxTypes, "further types are taken together")
	require.Equal(t, 35, b.Types[restTypes].Harm.Steady.N)
}

// TestBreakerRests: the rest grows each time, up to a limit.
func TestBreakerRests(t *testing.T) {
	b := Breaker{All: stream{State: Open, Since: noon, Trips: 1}}
	for trips, weeks := range []int{1, 1, 2, 4, 8, 8, 8} {
		b.All.Trips = trips
		require.False(t, b.Rested(noon.Add(time.Duration(weeks)*rest-1)))
		require.True(t, b.Rested(noon.Add(time.Duration(weeks)*rest)))
	}
	b.All.State, b.All.Trips = HalfOpen, math.MaxInt
	require.False(t, b.Rested(noon.Add(100*rest)))
	b.Types = map[string]*stream{"a": {State: Open, Since: noon, Trips: math.MaxInt}}
	require.True(t, b.Rested(noon.Add(mostRest)))
	require.False(t, (&Breaker{}).Rested(noon), "nothing is open")
}

func TestBreakerPassesOver(t *testing.T) {
	for name, change := range map[string]func(*TrialRun){
		"a later attempt":       func(r *TrialRun) { r.Attempt = 2 },
		"nothing was eligible":  func(r *TrialRun) { r.Eligible = nil },
		"other memories":        func(r *TrialRun) { r.Arm = Other },
		"memory for all":        func(r *TrialRun) { r.Chances = Chances{Memory: 1} },
		"memory for none":       func(r *TrialRun) { r.Chances, r.Arm = Chances{}, None },
		"a probability of NaN":  func(r *TrialRun) { r.Chances.Memory = math.NaN() },
		"an arm of another age": func(r *TrialRun) { r.Arm = "holdout" },
	} {
		var b Breaker
		r := watched(0, Memory, 0.5, false)
		change(r)
		require.Empty(t, b.Observe(r), name)
		require.Zero(t, b.All.Harm.Steady.N, name)
	}
}

func TestBreakerState(t *testing.T) {
	var b Breaker
	harmful(t, &b, 0)
	b.Evolved(noon, 1)
	harmful(t, &b, 1)
	data, err := json.Marshal(&b)
	require.NoError(t, err)
	require.Less(t, len(data), 4000)
	again, err := ParseBreaker(data)
	require.NoError(t, err)
	require.Equal(t, &b, again)
	for state, problem := range map[string]string{
		`{`:            "the breaker's state cannot be read: unexpected EOF",
		`{"drawn":-1}`: "the breaker's state is damaged: drawn is -1",
		`{"all":{"state":"ajar"}}`: `the breaker's state is damaged: all runs: ` +
			`state "ajar" is not closed, open or half-open`,
		`{"guess":{"recent":{"fails":3}}}`:     "the breaker's state is damaged: guess: recent: 3 failures of 0 runs",
		`{"types":{"a":null}}`:                 `the breaker's state is damaged: error type "a" is null`,
		`{"all":{"harm":{"steady":{"n":-1}}}}`: "the breaker's state is damaged: all runs: harm: -1 runs",
		`{"guess":{"belief":[0,1,0,0]}}`:       "the breaker's state is damaged: guess: belief has the logarithm 1",
		`{"all":{"trial":101}}`:                "the breaker's state is damaged: all runs: 101 runs on trial, opened 0 times",
		`{"guess":{"tests":{"3":{"runs":-1}}}}`: "the breaker's state is damaged: guess: " +
			"test cell 3: 0 failures of -1 runs",
		`{"all":{"help":{"n":3}}}`: `the breaker's state cannot be read: json: unknown field "n"`,
		`{"all":{"help":{"bold":[{},{"learned":19}]}}}`: "the breaker's state is damaged: all runs: help: " +
			"a bold bet has come to the logarithm 0, with 19 learned",
		`{"all":{"help":{"best":-1}}}`: "the breaker's state is damaged: all runs: help: at most -1",
		`{"all":{"help":{"steady":{"first":[1e6,0,0,0]}}}}`: "the breaker's state is damaged: all runs: help: " +
			"a bet of 0 runs has come to the logarithm 1e+06",
	} {
		_, err := ParseBreaker([]byte(state))
		require.EqualError(t, err, problem)
	}
}

// FuzzParseBreaker: an accepted state can be used and written, and reads back equal.
func FuzzParseBreaker(f *testing.F) {
	var b Breaker
	for i := range 30 {
		b.Observe(watched(i, []Treatment{Memory, None}[i%2], 0.5, i%2 == 1))
	}
	data, err := json.Marshal(&b)
	require.NoError(f, err)
	f.Add(data)
	f.Add([]byte(`{}`))
	f.Add([]byte(`{"all":{"state":"half-open","trial":99}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := ParseBreaker(data)
		if err != nil {
			return
		}
		b.Decide([]string{"form_validation_error"}, Schedule())
		b.Observe(watched(1, Memory, 0.5, false))
		require.False(t, math.IsNaN(b.All.Harm.E()))
		out, err := json.Marshal(b)
		require.NoError(t, err)
		again, err := ParseBreaker(out)
		require.NoError(t, err)
		twice, err := json.Marshal(again)
		require.NoError(t, err)
		require.Equal(t, string(out), string(twice))
	})
}

// TestGuessLearnsHowUnlikeTestsAre: similar tests are treated as one, different ones separately.
func TestGuessLearnsHowUnlikeTestsAre(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var alike, unlike guess
	for range 2000 {
		test := uint8(rng.IntN(20))
		alike.count(test, rng.Float64() < 0.3)
		unlike.count(test, rng.Float64() < []float64{0.05, 0.8}[test%2])
	}
	require.Zero(t, alike.Belief[len(pulls)-1])
	require.InDelta(t, 0.3, alike.expect(3), 0.08)
	require.Less(t, unlike.Belief[len(pulls)-1], -10.0)
	require.InDelta(t, 0.8, unlike.expect(3), 0.25)
	require.Less(t, unlike.expect(4), 0.2)
}

func BenchmarkDecision(b *testing.B) {
	var x Breaker
	r := watched(1, Memory, 0.8, true)
	h := Schedule()
	for b.Loop() {
		d := x.Decide([]string{"form_validation_error"}, h)
		r.Arm = DrawArm(r.ID, "salt", d.Chances)
		x.Observe(r)
	}
}
