package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/jobs"
	"github.com/memtree/memtree/internal/pages"
	"github.com/memtree/memtree/look"
)

// Nightly configures when every tree evolves, and what that may cost. The zero value means never.
type Nightly struct {
	At    string                // time of day in the time zone of the service, such as 02:30; "" or "off": never
	Bound memtree.EvolveOptions // MaxCalls and MaxCost of each evolve; other options are ignored
	// extent of the second look at the riskiest verdicts, which a model takes after the evolve, within Bound
	Look look.Extent
	// Ran stores, beyond the life of the process, when a tree evolved by this schedule. Last returns the latest such
	// time, the zero time for never. Both may be called at any time. If they are nil, a missed evolve is not made up.
	Last func(tree string) time.Time
	Ran  func(tree string, at time.Time)
}

// sameNight is within which time the schedules of several services of a tree mean the same evolve.
const sameNight = time.Hour

// bySchedule is the originator of a job of the schedule.
const bySchedule = "schedule"

// ParseAt parses a time of day such as 02:30. on is false for "" and "off", which mean never.
func ParseAt(at string) (hour, minute int, on bool, err error) {
	if at == "" || at == "off" {
		return 0, 0, false, nil
	}
	t, err := time.Parse("15:04", at)
	if err != nil {
		return 0, 0, false, fmt.Errorf("%q is no time of day; write one such as 02:30, or off", at)
	}
	return t.Hour(), t.Minute(), true, nil
}

// nextAt returns the first moment after now at which a local clock shows hour:minute. Where the clock is put forward
// over that time, the moment is as long after midnight as on other days, and where the clock is put back it is only
// the first of the two.
func nextAt(now time.Time, hour, minute int) time.Time {
	for day := 0; ; day++ {
		y, m, d := now.Date()
		if t := time.Date(y, m, d+day, hour, minute, 0, 0, now.Location()); t.After(now) {
			return t
		}
	}
}

// RunSchedule lets every writable tree evolve at the time of day in n, one after the other, until ctx ends or s closes.
// It skips a tree that evolved by this schedule within the last hour. When it starts, a tree whose last such evolve is
// more than 24 hours ago evolves at once. It returns nil if n.At means never, and an error if n.At is invalid.
func (s *Server) RunSchedule(ctx context.Context, n Nightly) error {
	hour, minute, on, err := ParseAt(n.At)
	if err != nil || !on {
		return err
	}
	s.nights.Store(&n)
	s.evolveAll(ctx, &n, func(_ string, last, now time.Time) bool {
		return !last.IsZero() && now.Sub(last) > 24*time.Hour
	})
	for {
		now := s.opts.Now()
		if !s.until(ctx, nextAt(now, hour, minute)) {
			return nil
		}
		s.evolveAll(ctx, &n, func(_ string, last, now time.Time) bool { return now.Sub(last) > sameNight })
	}
}

// night returns the schedule for the page of a tree's health; nil: never.
func (s *Server) night(ctx context.Context, name string) *pages.Night {
	n := s.nights.Load()
	if n == nil {
		return nil
	}
	hour, minute, _, _ := ParseAt(n.At) // it was parsed before
	now := s.opts.Now()
	v := &pages.Night{At: n.At, Next: nextAt(now, hour, minute), Last: s.lastNight(ctx, n, name)}
	if !v.Last.IsZero() {
		v.Last = v.Last.In(now.Location())
	}
	return v
}

func (n *Nightly) last(name string) time.Time {
	if n.Last == nil {
		return time.Time{}
	}
	return n.Last(name)
}

// lookAgain is the maximum length of one sleep: a clock that was set, and a machine that slept, are noticed that soon.
const lookAgain = time.Minute

// until waits for a time, and reports whether to continue.
func (s *Server) until(ctx context.Context, at time.Time) bool {
	for {
		left := at.Sub(s.opts.Now())
		if left <= 0 {
			return true
		}
		if !s.opts.Pause(ctx, min(left, lookAgain)) || s.closing() {
			return false
		}
	}
}

func (s *Server) evolveAll(ctx context.Context, n *Nightly, due func(name string, last, now time.Time) bool) {
	for _, name := range s.trees.names {
		now := s.opts.Now()
		if ctx.Err() != nil || s.closing() || !due(name, s.lastNight(ctx, n, name), now) {
			continue
		}
		t := s.trees.get(name)
		if t.writable() != nil {
			continue // readyz, the metrics and every refused change report why
		}
		j, err := t.jobs.Add(ctx, evolveOrder(bySchedule, &evolveWork{
			evolve: evolve{MaxCalls: n.Bound.MaxCalls}, Night: true, Look: n.Look,
		}, n.Bound.MaxCost))
		if err != nil {
			if _, runs := errors.AsType[*jobs.BusyError](err); !runs {
				s.opts.Logger.WarnContext(ctx, "a tree does not evolve tonight", "tree", name, "error", err.Error())
			}
			continue // another evolve of it waits or runs already
		}
		j = s.follow(ctx, t, j)
		s.opts.Audit.InfoContext(ctx, "change", "token", bySchedule, "route", "evolve", "tree", name, "job", j.ID,
			"state", j.State, "ms", s.opts.Now().Sub(now).Milliseconds())
		s.meters.ran(name, j.State, now)
		if n.Ran != nil && j.State == jobs.Done {
			n.Ran(name, now)
		}
	}
}

// follow waits for a job, and returns it as it is in the end. It does not wait for one that is put off for long, or
// when the service stops.
func (s *Server) follow(ctx context.Context, t *treeOf, j jobs.Job) jobs.Job {
	ctx, cancel := s.living(ctx)
	defer cancel()
	for !j.Over() && (j.State != jobs.Waiting || j.Next.Sub(s.opts.Now()) < putOff) {
		t.jobs.Wait(ctx, &j)
		now, err := t.jobs.Get(context.WithoutCancel(ctx), j.ID)
		if err == nil {
			j = now
		}
		if ctx.Err() != nil {
			break
		}
	}
	return j
}

// putOff is how long a job of the schedule may wait before that of the next tree begins.
const putOff = time.Hour

// lastNight returns when a tree last evolved by the schedule of any of its services, the zero time for never.
func (s *Server) lastNight(ctx context.Context, n *Nightly, name string) time.Time {
	last := n.last(name)
	all, err := s.trees.get(name).jobs.List(ctx, jobsMost)
	if err != nil {
		return last
	}
	for i := range all {
		if j := &all[i]; j.By == bySchedule && j.State == jobs.Done && j.Added.After(last) {
			last = j.Added
		}
	}
	return last
}
