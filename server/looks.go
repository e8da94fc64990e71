package server

import (
	"context"

	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/look"
	"github.com/memtree/memtree/tree"
)

// readLooks has the model of a tree look a second time at the riskiest verdicts that wait for a label, and logs the
// result. It looks at none twice, so where a bound ends it the next night goes on.
func (s *Server) readLooks(ctx context.Context, t *treeOf, of look.Extent, o *brief.ReadOptions) {
	if of.IsZero() {
		return
	}
	ctx, part := s.step(ctx, "look")
	var es []tree.Evaluation
	box, err := t.Inbox().List(ctx, 0)
	for i := range of.Of(len(box.Waiting)) {
		es = append(es, box.Waiting[i].Evaluation)
	}
	var did look.ReadResult
	if err == nil {
		did, err = t.Inbox().Looks().Read(ctx, es, look.Options{MaxCalls: o.MaxCalls, MaxCost: o.MaxCost, Price: o.Price})
	}
	part.name("tree", t.name)
	part.count("calls", did.Calls)
	part.end(err)
	switch {
	case llm.KindOf(err) == llm.KindNotSet:
	case err != nil:
		s.opts.Logger.WarnContext(ctx, "verdicts were not looked at again", "tree", t.name, "error", err.Error())
	case did.Looks > 0:
		s.opts.Logger.InfoContext(ctx, "verdicts were looked at again", "tree", t.name, "looks", did.Looks,
			"against", did.Against, "left", did.Left, "calls", did.Calls)
	}
	if o.MaxCalls != nil {
		o.MaxCalls = new(max(0, *o.MaxCalls-did.Calls))
	}
	if o.MaxCost != nil {
		o.MaxCost = new(max(0, *o.MaxCost-did.Cost))
	}
}
