package effect

import (
	"slices"
	"time"
)

// State is what a breaker lets pass.
type State string

// The states of a breaker.
const (
	Closed   State = "closed"    // memories are given
	Open     State = "open"      // none is given; they are still retrieved and logged
	HalfOpen State = "half-open" // given to half of the runs, on trial after the tree has evolved
)

// Levels at which harm counts as proven, and how long a trial lasts.
const (
	Alpha     = 0.05
	maxTypes  = 8   // error types that are watched, each at Alpha/maxTypes
	restTypes = "…" // the name under which further ones are taken together
	onTrial   = 100
)

// Breaker watches whether memory does harm, of all runs and by the error type that
// memory spoke to. It is its own serialised form; the zero value is a closed one
// that has seen nothing.
type Breaker struct {
	All   stream             `json:"all"`
	Types map[string]*stream `json:"types,omitempty"`
	Drawn int                `json:"drawn,omitempty"` // runs decided so far, for the schedule
	Guess guess              `json:"guess"`
}

// stream is the evidence of one kind of run.
type stream struct {
	State State     `json:"state,omitempty"` // "" is closed
	Since time.Time `json:"since,omitzero"`  // when it came to be in State; the time of the run that did it
	Begun uint64    `json:"begun,omitempty"` // where in the ledger its bets began anew
	Harm  purse     `json:"harm"`
	Help  purse     `json:"help"`
	Trial int       `json:"trial,omitempty"` // runs in state half-open
	Trips int       `json:"trips,omitempty"` // how often it opened
}

// observe settles a run and returns whether the state changed. Runs drawn before the
// memories changed say nothing of those there are now.
func (s *stream) observe(x outcome, alpha float64) (changed bool) {
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

// evolved puts an open stream on trial: its memories are no longer those that
// did harm, so the bets begin anew. What they won on trial stays in play after it.
func (s *stream) evolved(at time.Time, seq uint64) bool {
	if s.State != Open {
		return false
	}
	s.State, s.Since, s.Begun, s.Trial = HalfOpen, at, seq, 0
	s.Harm, s.Help = purse{}, purse{}
	return true
}

// Decision is what a run may be given.
type Decision struct {
	Chances Chances
	Closed  []string // error types whose memories are not to be given, sorted
	Open    bool     // none of the memories found is to be given
	Blind   bool     // nothing is held out, so that harm would not be seen
}

// Decide says with which chances to draw the arm of the next run. types are the
// error types of the memories found for it. Where all memories are held back by the
// breaker the chance of memory is 0; the run is retrieved and logged all the same.
func (b *Breaker) Decide(types []string, h Holdout) Decision {
	d := Decision{Chances: h.Chances(b.Drawn, b.All.Harm.E()), Blind: h.Blind()}
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

// Closed returns those of the error types whose memories are not to be given, sorted,
// and whether that leaves nothing to give.
func (b *Breaker) Closed(types []string) (closed []string, all bool) {
	for _, t := range types {
		if b.stream(t).State == Open {
			closed = append(closed, t)
		}
	}
	slices.Sort(closed)
	return closed, b.All.State == Open || len(types) > 0 && len(closed) == len(types)
}

// Observe is told of a run whose outcome is known, each once, in the order in
// which they became known. It returns what changed. Of runs in which chance had no
// say between memory and none, only how hard the test is counts; later attempts do
// not count at all.
func (b *Breaker) Observe(r *Run) []Turn {
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
	x := outcome{memory: r.Arm == Memory, failed: !r.Correct, rho: rho, expected: p, at: r.At, seq: r.Seq}
	var turns []Turn
	if b.All.observe(x, Alpha) {
		turns = append(turns, Turn{State: b.All.State, At: r.At, E: b.All.Harm.E()})
	}
	var seen []*stream
	for _, t := range r.types() {
		name, s := b.make(t)
		if slices.Contains(seen, s) {
			continue // of those taken together
		}
		seen = append(seen, s)
		if s.observe(x, Alpha/maxTypes) {
			turns = append(turns, Turn{ErrorType: name, State: s.State, At: r.At, E: s.Harm.E()})
		}
	}
	return turns
}

// outcome is a run as a bet sees it.
type outcome struct {
	memory, failed bool
	rho            float64 // probability of memory, given memory or none
	expected       float64 // share of failures, before it
	at             time.Time
	seq            uint64
}

// Evolved is told that the tree has changed, when, and the sequence number from which
// the ledger's trials are drawn from the new tree. What is open goes on trial.
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

// rest is how long what is open waits for a change before it is tried again without one. Each
// time that it opens it waits twice as long, mostRest at most.
const (
	rest     = 7 * 24 * time.Hour
	mostRest = 8 * rest
)

// Rested reports whether something has been open for so long that it is to be tried again though
// no memory has changed: the product has, or the agent.
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
	ErrorType string    `json:"errorType,omitempty"` // "" for all runs
	State     State     `json:"state"`
	At        time.Time `json:"at"`
	E         float64   `json:"e"` // evidence of harm
}

// stream returns that of an error type, an empty one where there is none.
func (b *Breaker) stream(t string) *stream {
	if s := b.Types[t]; s != nil {
		return s
	}
	if s := b.Types[restTypes]; s != nil && len(b.Types) > maxTypes-1 {
		return s
	}
	return &stream{}
}

// make returns the stream of an error type and its name, a new one where there is
// room.
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
