package memtree

import (
	"context"
	"fmt"

	"github.com/memtree/memtree/internal/core"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/tree"
)

// Preview answers queries as Explain would if the tree contained some nodes in the given form, such as a draft of a
// lesson. It does not change the tree. Advanced.
func (m *Memory) Preview(
	ctx context.Context,
	nodes []tree.Node,
) (func(context.Context, Query) (Explanation, error), error) {
	ix := m.core.Index().Fork()
	if err := ix.Update(ctx, ix.Version(), nodes); err != nil {
		return nil, fmt.Errorf("preview: %w", err)
	}
	as := make(map[string]*tree.Node, len(nodes))
	for i := range nodes {
		as[nodes[i].ID] = &nodes[i]
	}
	ask := func(_ *retrieval.Index, ctx context.Context, q retrieval.Query) (retrieval.Result, error) {
		return ix.Explain(ctx, q)
	}
	return func(ctx context.Context, q Query) (Explanation, error) {
		x, err := m.answer(core.WithNodes(ctx, as), q, ask, nil)
		if err == nil {
			err = x.write(&x.draft)
		}
		if err != nil {
			return Explanation{}, fmt.Errorf("preview: %w", err)
		}
		return x.Explanation, nil
	}, nil
}
