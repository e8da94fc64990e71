package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/memtree/memtree/store"
)

type nothing struct{}

type healthOutput struct {
	Status int
	Body   health
}

// health is the state of the service. It names no tree.
type health struct {
	Status   string   `json:"status" enum:"ok,degraded,closing" doc:"degraded: it answers, and something has to be done"`
	Problems []string `json:"problems,omitempty" doc:"What has to be done"`
}

func (s *Server) healthz(context.Context, *nothing) (*healthOutput, error) {
	return &healthOutput{http.StatusOK, health{Status: "ok"}}, nil
}

// readyz reports whether the service accepts requests. A damaged tree can still be read, so the service stays ready
// and reports the damage.
func (s *Server) readyz(context.Context, *nothing) (*healthOutput, error) {
	if s.closing() {
		return &healthOutput{http.StatusServiceUnavailable, health{Status: "closing"}}, nil
	}
	damaged, deleted, full, waiting := 0, 0, 0, 0
	var away, refused outages
	var clock time.Duration
	for _, name := range s.trees.names {
		t := s.trees.get(name)
		h := t.Health()
		if h.Damage != nil {
			damaged++
		}
		if t.reopen != nil {
			full++
		}
		if f := h.Following; f != nil {
			waiting += f.Waiting
			if f.Clock.Abs() > clock.Abs() {
				clock = f.Clock
			}
			switch {
			case errors.Is(f.Away, store.ErrDeleted):
				deleted++
			case f.Away != nil:
				away.add(f.Away, f.Lag)
			case f.Refused != nil:
				refused.add(f.Refused, f.Lag)
			}
		}
	}
	out := &healthOutput{http.StatusOK, health{Status: "ok"}}
	report := func(format string, args ...any) {
		out.Body.Status, out.Body.Problems = "degraded", append(out.Body.Problems, fmt.Sprintf(format, args...))
	}
	if damaged > 0 {
		report("%d of %d trees are damaged and only read; "+
			"`memtree fsck` says what is lost and how to go on", damaged, len(s.trees.names))
	}
	if full > 0 {
		report("the disk of %d of %d trees is full, so they are only read until there is room", full, len(s.trees.names))
	}
	if deleted > 0 {
		report("%d of %d trees were deleted from their database; stop serving them, or restore it", deleted,
			len(s.trees.names))
	}
	for _, why := range away.all {
		report("the database of %d of %d trees %s; answers are from memory, %.0f s old", away.count[why],
			len(s.trees.names), why, away.lag[why].Seconds())
	}
	for _, why := range refused.all {
		report("the database of %d of %d trees %s; answers go on, and nothing is changed", refused.count[why],
			len(s.trees.names), why)
	}
	if clock.Abs() > clockOff {
		report("the clock of this server is %s %s that of the database; set both right, by NTP",
			clock.Abs().Round(time.Second), aheadOf(clock))
	}
	if waiting > 0 {
		report("%d runs are on this server alone until the database takes them; keep its disk", waiting)
	}
	return out, nil
}

// clockOff is how far the clocks of a service and its database may differ before that is a problem. Times of what
// happened are those of the service, leases and the budget of a day go by the database.
const clockOff = time.Minute

func aheadOf(d time.Duration) string {
	if d < 0 {
		return "behind"
	}
	return "ahead of"
}

// outages counts trees by what is wrong with their databases.
type outages struct {
	all   []string // in the order of the trees
	count map[string]int
	lag   map[string]time.Duration // the longest
}

func (t *outages) add(err error, lag time.Duration) {
	why := outageOf(err)
	if t.count == nil {
		t.count, t.lag = map[string]int{}, map[string]time.Duration{}
	}
	if t.count[why] == 0 {
		t.all = append(t.all, why)
	}
	t.count[why]++
	t.lag[why] = max(t.lag[why], lag)
}

// outageOf returns what is wrong with a database, as the end of a sentence without names: everybody may read it.
func outageOf(err error) string {
	var refused *store.RefusedError
	var format *store.FormatError
	switch {
	case errors.As(err, &refused):
		return refusals[refused.Why]
	case errors.As(err, &format):
		return line(format.Problem)
	case errors.Is(err, store.ErrFull):
		return "has no room: its disk is full"
	case errors.Is(err, store.ErrAway):
		return "cannot be reached"
	}
	return "does not work; the log of the service has the reason"
}

// refusals are what a refusing database does, for outageOf.
var refusals = map[store.Refusal]string{
	store.OnlyReads:  "only lets read, as a standby does",
	store.NoEntry:    "does not let the service in; check its user and password",
	store.NoDatabase: "is not there under its name",
	store.NoRight:    "does not permit what the service needs; GRANT it the rights in docs/operate.md",
}

// setAsOf adds to an answer from a shared tree of which version and moment the tree is.
func setAsOf(h http.Header, t *treeOf) {
	if f := t.Health().Following; f != nil && !f.AsOf.IsZero() {
		h.Set("Memtree-Version", strconv.FormatUint(f.Version, 10))
		h.Set("Memtree-As-Of", f.AsOf.UTC().Format(time.RFC3339Nano))
	}
}

// writable returns why a tree accepts no changes, or nil.
func (t *treeOf) writable() error {
	var bad *store.CorruptError
	switch {
	case !t.readOnly:
		return nil
	case t.reopen != nil:
		return store.ErrFull
	case errors.As(t.Health().Damage, &bad):
		return newProblem(http.StatusServiceUnavailable, typeDamaged, "A part of this tree cannot be read, so it takes no "+
			"changes; `memtree fsck` on the server says what is lost and how to go on.")
	}
	return store.ErrReadOnly
}
