package harness

import (
	"context"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/risk"
	"github.com/memtree/memtree/tree"
)

// guideSafely is Memory.Guide for Wrap, which must not fail: after an error or a panic it returns empty guidance.
func (h *Harness) guideSafely(ctx context.Context, t *Test, holdout *effect.Holdout) (g Advice) {
	defer func() {
		if r := recover(); r != nil {
			h.failed.guidance.Add(1)
			h.o.Logger.Error("guidance failed, the run goes on without", "panic", r)
			g = Advice{}
		}
	}()
	g, err := h.o.Memory.Guide(ctx, t, holdout)
	if err != nil {
		h.o.Logger.Warn("no guidance, the run goes on without", "error", err)
		return Advice{}
	}
	return g
}

// riskSafely is Memory.Risk for Wrap, which must not fail: after an error or a panic it returns nil. It takes at most
// Options.Deadline.
func (h *Harness) riskSafely(ctx context.Context, e tree.Evaluation) (r *risk.Risk) {
	defer func() {
		if p := recover(); p != nil {
			h.o.Logger.Error("no risk could be said, the run goes on without", "panic", p)
			r = nil
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, h.o.Deadline)
	defer cancel()
	x, err := h.o.Memory.Risk(ctx, e)
	if err != nil {
		h.o.Logger.Warn("no risk could be said, the run goes on without", "error", err)
		return nil
	}
	return &x
}
