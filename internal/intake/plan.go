package intake

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/memtree/memtree/internal/core"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// BatchView is the tree as the forming of a batch sees it: the nodes in the store without waiting imports, replaced by
// those that the batch has changed so far. So the result does not depend on where one batch ends and the next begins.
type BatchView struct {
	core  *core.Core
	store store.Store
	nodes map[string]tree.Node
	order []string // the ids of nodes, in order of arrival
}

// Plan returns a BatchView of the tree for a new batch.
func (in *Intake) Plan() *BatchView {
	return &BatchView{core: in.o.Core, store: in.o.Store, nodes: map[string]tree.Node{}}
}

// Add makes the view show the tree after these changes.
func (p *BatchView) Add(changes []tree.Change) {
	for _, c := range changes {
		if _, ok := p.nodes[c.Node.ID]; !ok {
			p.order = append(p.order, c.Node.ID)
		}
		p.nodes[c.Node.ID] = c.Node
	}
}

// Get returns the node with the id as the view shows it. The error wraps tree.ErrNotFound if there is none.
func (p *BatchView) Get(ctx context.Context, id string) (tree.Node, error) {
	if n, ok := p.nodes[id]; ok {
		return n, nil
	}
	return p.core.Trusted().Get(ctx, id)
}

// nearOverlap is the minimum token similarity at which a case is read as a possible near-duplicate. It is low enough
// that texts with nine in ten 5-grams in common are above it.
const nearOverlap = 0.6

// Similar returns the cases of which the case n may be one more occurrence: up to k cases of the tree with n's error
// type, direction and scene, those with the most similar tokens; all such cases of the batch; the cases of n's test, of
// those in the batch only the ones with n's direction; and the banned cases that core.BannedLike names.
func (p *BatchView) Similar(ctx context.Context, n *tree.Node, k int) ([]tree.Node, error) {
	var out []tree.Node
	ix := p.core.Index()
	near, err := ix.Similar(n, k, nearOverlap)
	if err != nil {
		return nil, fmt.Errorf("similar: %w", err)
	}
	same, err := ix.OfTest(n.CaseData.TestCase.CaseID)
	if err != nil {
		return nil, fmt.Errorf("similar: %w", err)
	}
	banned, err := p.core.BannedLike(ctx, n)
	if err != nil {
		return nil, fmt.Errorf("similar: %w", err)
	}
	ids := make([]string, 0, len(near)+len(same)+len(banned))
	for _, h := range near {
		ids = append(ids, h.ID)
	}
	for _, id := range slices.Concat(same, banned) {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	for _, id := range ids {
		if _, ok := p.nodes[id]; ok {
			continue // it is added below, in the form changed by the batch
		}
		node, err := p.store.Get(ctx, id)
		if errors.Is(err, tree.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, node)
	}
	for _, id := range p.order {
		x := p.nodes[id]
		alike := x.ErrorType == n.ErrorType && x.Scene.ID == n.Scene.ID
		id := n.CaseData.TestCase.CaseID
		test := x.CaseData != nil && id != "" && x.CaseData.TestCase.CaseID == id
		if x.Type == tree.Case && x.Direction == n.Direction && (alike || test) {
			out = append(out, x)
		}
	}
	return out, nil
}
