package effect

import (
	"maps"
	"slices"
	"time"
)

// BreakerState is the state of a Breaker, for all memories or for the memories of one error type.
type BreakerState string

// The states of a Breaker.
const (
	Closed   BreakerState = "closed"    // runs receive memories
	Open     BreakerState = "open"      // no run receives the memories; they are still retrieved and logged
	HalfOpen BreakerState = "half-open" // at most half of the runs receive memories: a trial after the tree has evolved
)

// Limits of a Breaker.
const (
	Alpha     = 0.05 // probability of a wrong proof; evidence of 1/Alpha is proof
	maxTypes  = 8    // streams by error type, each at Alpha/maxTypes
	restTypes = "…"  // key of the stream for all further error types
	onTrial   = 100  // runs of a trial in state HalfOpen
)

// Breaker decides whether runs receive memories. It watches whether runs with memories go worse than runs without, for
// all runs together and for each error type of the memories found. Its JSON is its whole state; the zero value is
// closed and without runs. It is not safe for concurrent use.
type Breaker struct {
	All   stream             `json:"all"`             // evidence of all runs
	Types map[string]*stream `json:"types,omitempty"` // by error type of the memories found; "…" joins all after seven
	Drawn int                `json:"drawn,omitempty"` // number of runs drawn so far, see [Holdout.Chances]
	Guess guess              `json:"guess"`           // how hard the tests are
}

// stream is the evidence of one kind of run.
type stream struct {
	State BreakerState `json:"state,omitempty"` // "" means closed
	Since time.Time    `json:"since,omitzero"`  // time of the run that caused State
	Begun uint64       `json:"begun,omitempty"` // ledger position at which the bets restarted
	Harm  purse        `json:"harm"`
	Help  purse        `json:"help"`
	Trial int          `json:"trial,omitempty"` // runs in state half-open
	Trips int          `json:"trips,omitempty"` // how often it opened
}

// observe settles a run and returns whether the state changed. It ignores runs drawn before the memories changed.
func (s *stream) observe(x betOutcome, alpha float64) (changed bool) {
	if s.State == Open || x.seq < s.Begun {
		return false
	}
	s.Harm.settle(x, 1, 1/alpha)
	s.Help.settle(x, -1, 1/alpha)
	switch {
	case s.Harm.E() >= 1/alpha:
		s.State, s.Since, s.Trial = Open, x.at, 0
		s.Trips++
		return true
	case s.State == HalfOpen:
		s.Trial++
		if s.Trial >= onTrial {
			s.State, s.Since, s.Trial = Closed, x.at, 0
			return true
		}
	}
	return false
}

// evolved puts an open stream on trial: the memories that did harm have changed, so the bets restart. Their value at
// the end of the trial remains.
func (s *stream) evolved(at time.Time, seq uint64) bool {
	if s.State != Open {
		return false
	}
	s.State, s.Since, s.Begun, s.Trial = HalfOpen, at, seq, 0
	s.Harm, s.Help = purse{}, purse{}
	return true
}

// Clearance is what the next run may receive, as Breaker.Decide returns it.
type Clearance struct {
	Chances Chances  // probabilities of the arms of the run
	Blocked []string // error types whose memories the run must not receive, sorted
	All     bool     // the run must not receive any of the memories found
}

// Decide returns the probabilities of the arms of the next run, and counts the run. types are the error types of the
// memories found for the run. If the breaker blocks all of them, the run receives nothing and both probabilities are 0;
// callers still retrieve and log the memories.
func (b *Breaker) Decide(types []string, h Holdout) Clearance {
	d := Clearance{Chances: h.Chances(b.Drawn, b.All.Harm.E())}
	b.Drawn++
	d.Blocked, d.All = b.Blocked(types)
	trial := b.All.State == HalfOpen || slices.ContainsFunc(types, func(t string) bool {
		return b.stream(t).State == HalfOpen
	})
	switch {
	case d.All:
		d.Chances = Chances{}
	case trial && d.Chances.None() < 0.5:
		scale := 0.5 / (1 - d.Chances.None())
		d.Chances = Chances{Memory: d.Chances.Memory * scale, Other: d.Chances.Other * scale}
	}
	return d
}

// Blocked returns those error types in types whose state is Open, sorted: runs must not receive their memories. all
// reports whether runs must not receive any memory of types, because the state of every type or of all memories is
// Open.
func (b *Breaker) Blocked(types []string) (blocked []string, all bool) {
	for _, t := range types {
		if b.stream(t).State == Open {
			blocked = append(blocked, t)
		}
	}
	slices.Sort(blocked)
	return blocked, b.All.State == Open || len(types) > 0 && len(blocked) == len(types)
}

// Observe adds run r, whose outcome is known, and returns the changes of state. Call it once for each run, in the
// order of the outcomes. It ignores later attempts. A run is evidence only if memories were found for it and chance
// chose between memory and none; any other run only helps to estimate how hard its test is.
func (b *Breaker) Observe(r *TrialRun) []Turn {
	if !r.first() {
		return nil
	}
	cell := cellOf(r.Test)
	p := b.Guess.expect(cell)
	b.Guess.count(cell, !r.Correct)
	rho, drawn := r.Chances.share()
	if !drawn || len(r.Eligible) == 0 || (r.Arm != Memory && r.Arm != None) {
		return nil
	}
	x := betOutcome{memory: r.Arm == Memory, failed: !r.Correct, rho: rho, expected: p, at: r.At, seq: r.Seq}
	var turns []Turn
	if b.All.observe(x, Alpha) {
		turns = append(turns, Turn{State: b.All.State, At: r.At, E: b.All.Harm.E()})
	}
	var seen []*stream
	for _, t := range r.types() {
		name, s := b.make(t)
		if slices.Contains(seen, s) {
			continue // shared stream
		}
		seen = append(seen, s)
		if s.observe(x, Alpha/maxTypes) {
			turns = append(turns, Turn{ErrorType: name, State: s.State, At: r.At, E: s.Harm.E()})
		}
	}
	return turns
}

// betOutcome is the data of a run for a bet.
type betOutcome struct {
	memory, failed bool
	rho            float64 // probability of memory, given memory or none
	expected       float64 // expected share of failures before the run
	at             time.Time
	seq            uint64
}

// Evolved records that the tree changed at the time at and that trials from ledger entry seq on use the new tree.
// States that are Open become HalfOpen; Evolved returns these changes.
func (b *Breaker) Evolved(at time.Time, seq uint64) []Turn {
	var turns []Turn
	if b.All.evolved(at, seq) {
		turns = append(turns, Turn{State: HalfOpen, At: at, E: 1})
	}
	for _, t := range b.names() {
		if b.Types[t].evolved(at, seq) {
			turns = append(turns, Turn{ErrorType: t, State: HalfOpen, At: at, E: 1})
		}
	}
	return turns
}

// rest is the time after which an open stream is tried again without a change of the tree. It doubles each time the
// stream opens, up to mostRest.
const (
	rest     = 7 * 24 * time.Hour
	mostRest = 8 * rest
)

// Rested reports whether a state has been Open for so long at the time now that memories should be tried again, even if
// no memory has changed. That takes a week the first time, and twice as long after each further opening, up to eight
// weeks.
func (b *Breaker) Rested(now time.Time) bool {
	rested := func(s *stream) bool {
		return s.State == Open && now.Sub(s.Since) >= min(mostRest, rest<<min(max(s.Trips-1, 0), 8))
	}
	if rested(&b.All) {
		return true
	}
	for _, s := range b.Types {
		if rested(s) {
			return true
		}
	}
	return false
}

// Turn is a change of the state of a Breaker.
type Turn struct {
	ErrorType string       `json:"errorType,omitempty"` // "" for all runs
	State     BreakerState `json:"state"`               // the new state
	At        time.Time    `json:"at"`                  // time of the run or change that caused it
	E         float64      `json:"e"`                   // evidence of harm at that time
}

// stream returns the stream of an error type, or an empty one.
func (b *Breaker) stream(t string) *stream {
	if s := b.Types[t]; s != nil {
		return s
	}
	if s := b.Types[restTypes]; s != nil && len(b.Types) > maxTypes-1 {
		return s
	}
	return &stream{}
}

// make returns the stream of an error type and its key, and creates it if there is room.
func (b *Breaker) make(t string) (string, *stream) {
	if b.Types == nil {
		b.Types = map[string]*stream{}
	}
	if s := b.Types[t]; s != nil {
		return t, s
	}
	if len(b.Types) >= maxTypes-1 {
		t = restTypes
	}
	if b.Types[t] == nil {
		b.Types[t] = &stream{}
	}
	return t, b.Types[t]
}

func (b *Breaker) names() []string { return slices.Sorted(maps.Keys(b.Types)) }
