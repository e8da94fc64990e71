package memtree

import (
	"context"
	"fmt"

	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/tree"
)

// Preview answers questions as Explain would if some nodes stood in the tree as they are given, such as a draft of a
// lesson. The tree stays as it is. Advanced.
func (m *Memory) Preview(
	ctx context.Context,
	nodes []tree.Node,
) (func(context.Context, Query) (Explanation, error), error) {
	ix := m.index.Load().Fork()
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
		x, err := m.answer(context.WithValue(ctx, previewKey{}, as), q, ask, nil)
		if err != nil {
			return Explanation{}, fmt.Errorf("preview: %w", err)
		}
		return x, nil
	}, nil
}

// previewKey is what a context has the nodes of a preview under.
type previewKey struct{}

// previewed returns a node of a preview, nil where it is read from the tree.
func previewed(ctx context.Context, id string) *tree.Node {
	as, _ := ctx.Value(previewKey{}).(map[string]*tree.Node)
	return as[id]
}
