package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/memtree/memtree/tree"
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
	damaged := 0
	for _, name := range s.trees.names {
		if s.trees.byName[name].Health().Damage != nil {
			damaged++
		}
	}
	out := &healthOutput{http.StatusOK, health{Status: "ok"}}
	if damaged > 0 {
		out.Body = health{"degraded", []string{fmt.Sprintf("%d of %d trees are damaged and only read; "+
			"`memtree fsck` says what is lost and how to go on", damaged, len(s.trees.names))}}
	}
	return out, nil
}

// writable returns why a tree accepts no changes, or nil.
func (t *treeOf) writable() error {
	var bad *tree.CorruptError
	switch {
	case !t.readOnly:
		return nil
	case errors.As(t.Health().Damage, &bad):
		return newProblem(http.StatusServiceUnavailable, typeDamaged, "A part of this tree cannot be read, so it takes no "+
			"changes; `memtree fsck` on the server says what is lost and how to go on.")
	}
	return tree.ErrReadOnly
}
