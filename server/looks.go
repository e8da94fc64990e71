package server

import (
	"context"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/meter"
	"github.com/memtree/memtree/look"
	"github.com/memtree/memtree/tree"
)

// readLooks has the model of a tree look a second time at the riskiest verdicts that wait for a label, and logs the
// result. It looks at none twice, so where a bound ends it the next night goes on.
func (s *Server) readLooks(ctx context.Context, t *treeOf, of look.Extent, o *meter.Reading) {
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
		did, err = t.Inbox().Looks().Read(ctx, es, look.Options{Reading: *o})
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
	*o = o.Less(did.ReadUsage)
}
