package effect

import (
	"slices"
	"time"
)

// BreakerState is the state of a breaker.
type BreakerState string

// The states of a breaker.
const (
	Closed   BreakerState = "closed"    // memories are injected
	Open     BreakerState = "open"      // none is injected; they are still retrieved and logged
	HalfOpen BreakerState = "half-open" // injected into half of the runs, on trial after the tree has evolved
)

// The proof level of harm, and the length of a trial in runs.
const (
	Alpha     = 0.05
	maxTypes  = 8   // streams by error type, each at Alpha/maxTypes
	restTypes = "…" // key of the stream for all further error types
	onTrial   = 100
)

// Breaker monitors whether memory does harm, over all runs and by the error type of the memories found. It is its own
// serialised form; the zero value is closed and without runs.
type Breaker struct {
	All   stream             `json:"all"`
	Types map[string]*stream `json:"types,omitempty"`
	Drawn int                `json:"drawn,omitempty"` // runs drawn so far, for the schedule
	Guess guess              `json:"guess"`
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

// Clearance is what a run may receive.
type Clearance struct {
	Chances Chances
	Closed  []string // error types whose memories must not be injected, sorted
	Open    bool     // no memory found may be injected
	Blind   bool     // nothing is held out, so harm cannot be detected
}

// Decide returns the probabilities for the arm of the next run. types are the error types of the memories found for it.
// If the breaker holds all of them back, the probability of memory is 0; the run is still retrieved and logged. It
// counts the run as drawn.
func (b *Breaker) Decide(types []string, h Holdout) Clearance {
	d := Clearance{Chances: h.Chances(b.Drawn, b.All.Harm.E()), Blind: h.Blind()}
	b.Drawn++
	d.Closed, d.Open = b.Closed(types)
	trial := b.All.State == HalfOpen || slices.ContainsFunc(types, func(t string) bool {
		return b.stream(t).State == HalfOpen
	})
	switch {
	case d.Open:
		d.Chances = Chances{}
	case trial && d.Chances.None() < 0.5:
		scale := 0.5 / (1 - d.Chances.None())
		d.Chances = Chances{Memory: d.Chances.Memory * scale, Other: d.Chances.Other * scale}
	}
	return d
}

// Closed returns the error types whose memories must not be injected, sorted, and whether nothing remains to inject.
func (b *Breaker) Closed(types []string) (closed []string, all bool) {
	for _, t := range types {
		if b.stream(t).State == Open {
			closed = append(closed, t)
		}
	}
	slices.Sort(closed)
	return closed, b.All.State == Open || len(types) > 0 && len(closed) == len(types)
}

// Observe adds a run with a known outcome: each run once, in order of the outcomes. It returns the changes of state. A
// run whose arm was not drawn between memory and none is used only to estimate the difficulty of its test; later
// attempts are ignored.
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

// Evolved records that the tree changed, at a time and from a sequence number on. Open streams go on trial.
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

// Rested reports whether something has been open long enough to be tried again although no memory has changed: the
// product or the agent may have.
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

// Turn is a change of state.
type Turn struct {
	ErrorType string       `json:"errorType,omitempty"` // "" for all runs
	State     BreakerState `json:"state"`
	At        time.Time    `json:"at"`
	E         float64      `json:"e"` // evidence of harm
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

func (b *Breaker) names() []string {
	names := make([]string, 0, len(b.Types))
	for t := range b.Types {
		names = append(names, t)
	}
	slices.Sort(names)
	return names
}
