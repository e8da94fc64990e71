package effect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
)

// ParseBreaker decodes the JSON of a Breaker. It returns an error for unknown fields and for values out of range.
func ParseBreaker(data []byte) (*Breaker, error) {
	b := &Breaker{}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields() // a state of another version is computed again
	if err := d.Decode(b); err != nil {
		return nil, fmt.Errorf("the breaker's state cannot be read: %w", err)
	}
	if err := b.check(); err != nil {
		return nil, fmt.Errorf("the breaker's state is damaged: %w", err)
	}
	return b, nil
}

func (b *Breaker) check() error {
	if b.Drawn < 0 {
		return fmt.Errorf("drawn is %d", b.Drawn)
	}
	if err := b.Guess.check(); err != nil {
		return fmt.Errorf("guess: %w", err)
	}
	if err := b.All.check(); err != nil {
		return fmt.Errorf("all runs: %w", err)
	}
	if len(b.Types) > maxTypes {
		return fmt.Errorf("there are %d error types; the most is %d", len(b.Types), maxTypes)
	}
	for _, t := range b.names() {
		if b.Types[t] == nil {
			return fmt.Errorf("error type %q is null", t)
		}
		if err := b.Types[t].check(); err != nil {
			return fmt.Errorf("error type %q: %w", t, err)
		}
	}
	return nil
}

func (g *guess) check() error {
	if err := g.Recent.check(); err != nil {
		return fmt.Errorf("recent: %w", err)
	}
	for cell := range maxCells {
		if err := g.Tests[uint8(cell)].check(); err != nil { //nolint:gosec // below 256
			return fmt.Errorf("test cell %d: %w", cell, err)
		}
	}
	for _, b := range g.Belief {
		if b > 0 || b < leastBelief {
			return fmt.Errorf("belief has the logarithm %v", b)
		}
	}
	return nil
}

func (c runCount) check() error {
	if !(c.Fails >= 0 && c.Fails <= c.Runs && c.Runs <= 1e9) {
		return fmt.Errorf("%v failures of %v runs", c.Fails, c.Runs)
	}
	return nil
}

func (s *stream) check() error {
	switch s.State {
	case "", Closed, Open, HalfOpen:
	default:
		return fmt.Errorf("state %q is not closed, open or half-open", s.State)
	}
	if s.Trial < 0 || s.Trial > onTrial || s.Trips < 0 {
		return fmt.Errorf("%d runs on trial, opened %d times", s.Trial, s.Trips)
	}
	if err := s.Harm.check(); err != nil {
		return fmt.Errorf("harm: %w", err)
	}
	if err := s.Help.check(); err != nil {
		return fmt.Errorf("help: %w", err)
	}
	return nil
}

func (b *bet) check() error {
	if b.N < 0 || b.N > 1e9 {
		return fmt.Errorf("%d runs", b.N)
	}
	for i := range bets {
		for _, x := range []float64{b.First[i], b.Since[i]} {
			if most := 4 * float64(b.N+1); math.Abs(x) > most+-nothing {
				return fmt.Errorf("a bet of %d runs has come to the logarithm %v", b.N, x)
			}
		}
	}
	return nil
}

func (p *purse) check() error {
	if !(p.Best >= 0) {
		return fmt.Errorf("at most %v", p.Best)
	}
	for _, b := range p.Bold {
		if most := 4*float64(p.Steady.N+1) - nothing; !(b.Learned >= 0 && b.Learned <= harmEnd && math.Abs(b.Log) <= most) {
			return fmt.Errorf("a bold bet has come to the logarithm %v, with %v learned", b.Log, b.Learned)
		}
	}
	return p.Steady.check()
}
