package evolution

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/tree"
)

// NewFinder returns a Finder that searches an index of its own with the draft in it. It starts from the index that the
// function index returns at the first Rank after Begin. get reads stored nodes. The Finder serves one plan at a time.
func NewFinder(index func() *retrieval.Index, get func(ctx context.Context, id string) (tree.Node, error)) Finder {
	return &finder{index: index, get: get, seen: map[string]tree.Node{}}
}

type finder struct {
	index func() *retrieval.Index
	get   func(ctx context.Context, id string) (tree.Node, error)
	seen  map[string]tree.Node // nodes that differ from the store
	base  *retrieval.Index     // the cases in the state of the plan
	ix    *retrieval.Index     // with the draft
	draft *tree.Node
}

// Begin implements Finder.
func (f *finder) Begin(cases, lessons []*tree.Node) {
	*f = finder{index: f.index, get: f.get, seen: map[string]tree.Node{}}
	for _, n := range cases {
		f.seen[n.ID] = n.Clone()
	}
	for _, n := range lessons {
		gone := n.Clone()
		gone.Status = tree.Retired
		f.seen[n.ID] = gone
	}
}

// Rank implements Finder. It excludes cases from the hits: cases on the page of the test are no argument against a
// lesson.
func (f *finder) Rank(ctx context.Context, candidate, held *tree.Node) (int, error) {
	if err := f.show(ctx, candidate); err != nil {
		return 0, err
	}
	q := retrieval.Query{
		Prompt: held.CaseData.TestCase.Prompt, Scene: held.Scene, Scope: held.Scope,
		Exclude: []string{held.ID}, Limits: retrieval.Limits{Cases: -1},
	}
	if id := held.CaseData.TestCase.CaseID; id != "" {
		q.ExcludeTests = []string{id} // a lesson is for new tests; for a known one its own cases are more specific
	}
	res, err := f.ix.Search(ctx, q)
	if err != nil {
		return 0, err
	}
	for i := range res.Hits {
		if res.Hits[i].ID == candidate.ID {
			return i + 1, nil
		}
	}
	return 0, nil
}

// show adds a draft to an index like the memory's own, with its cases under it.
func (f *finder) show(ctx context.Context, draft *tree.Node) error {
	if f.draft != nil && f.draft.ID == draft.ID && f.draft.Text() == draft.Text() &&
		slices.Equal(f.draft.Children, draft.Children) {
		return nil
	}
	if f.base == nil {
		var changed []tree.Node
		for _, id := range slices.Sorted(maps.Keys(f.seen)) {
			changed = append(changed, f.seen[id])
		}
		base := f.index().Fork()
		if err := base.Update(ctx, 0, changed); err != nil {
			return err
		}
		f.base = base
	}
	batch, err := f.live(ctx, draft.Children)
	if err != nil {
		return err
	}
	for i := range batch {
		batch[i].Parent = draft.ID
	}
	f.ix, f.draft = f.base.Fork(), draft
	return f.ix.Update(ctx, 0, append(batch, draft.Clone()))
}

// live reads those of the nodes that are in use.
func (f *finder) live(ctx context.Context, ids []string) ([]tree.Node, error) {
	var out []tree.Node
	for _, id := range ids {
		n, ok := f.seen[id]
		if !ok {
			var err error
			if n, err = f.get(ctx, id); errors.Is(err, tree.ErrNotFound) {
				continue
			} else if err != nil {
				return nil, err
			}
		}
		if n.Live() {
			out = append(out, n.Clone())
		}
	}
	return out, nil
}
