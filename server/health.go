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
	damaged, deleted, away, waiting, lag := 0, 0, 0, 0, time.Duration(0)
	for _, name := range s.trees.names {
		h := s.trees.byName[name].Health()
		if h.Damage != nil {
			damaged++
		}
		if f := h.Following; f != nil {
			waiting += f.Waiting
			switch {
			case errors.Is(f.Away, store.ErrDeleted):
				deleted++
			case f.Away != nil:
				away, lag = away+1, max(lag, f.Lag)
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
	if deleted > 0 {
		report("%d of %d trees were deleted from their database; stop serving them, or restore it", deleted,
			len(s.trees.names))
	}
	if away > 0 {
		report("the database of %d of %d trees cannot be reached; answers are from memory, %.0f s old", away,
			len(s.trees.names), lag.Seconds())
	}
	if waiting > 0 {
		report("%d runs are on this server alone until the database takes them; keep its disk", waiting)
	}
	return out, nil
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
	case errors.As(t.Health().Damage, &bad):
		return newProblem(http.StatusServiceUnavailable, typeDamaged, "A part of this tree cannot be read, so it takes no "+
			"changes; `memtree fsck` on the server says what is lost and how to go on.")
	}
	return store.ErrReadOnly
}
