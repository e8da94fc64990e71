package memtree

import (
	"context"
	"sync"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/tree"
)

// search returns the way in which Guide asks: for one run in ten the best of the memories that
// were quarantined for their effect is found too, so that it can clear itself.
func (m *Memory) search(q *Query) searchFunc {
	ask := (*retrieval.Index).Search
	if q.RunID == "" || q.Trial != "" || !effect.Probes(q.drawn(), m.origin.ID) {
		return ask
	}
	return func(ix *retrieval.Index, ctx context.Context, rq retrieval.Query) (retrieval.Result, error) {
		r, err := ask(ix, ctx, rq)
		if err != nil {
			return r, err
		}
		probe, err := m.probe(ctx, rq)
		if probe != nil {
			r.Hits = append(r.Hits, *probe)
		}
		return r, err
	}
}

// suspects finds among the memories that are out of use for their effect. Reading them from the
// store takes as long as reading the whole tree, so an index of them is kept until one of them
// changes, or another joins them.
type suspects struct {
	mu  sync.Mutex
	ix  *retrieval.Index // nil: to be made when it is next asked
	ids map[string]bool  // of the nodes in ix
}

// isSuspect reports whether a run in ten may be given n so that n can clear itself. What a person
// said about n wins.
func isSuspect(n *tree.Node) bool { return n.HeldBack() && n.Mark == tree.Unmarked }

// changed forgets the index if nodes, as they are after a commit, have to do with it.
func (s *suspects) changed(nodes []tree.Node) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range nodes {
		if n := &nodes[i]; s.ids[n.ID] || isSuspect(n) {
			s.ix, s.ids = nil, nil
		}
	}
}

// forget forgets the index.
func (s *suspects) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ix, s.ids = nil, nil
}

// probe returns the suspect that fits best, nil if none does.
func (m *Memory) probe(ctx context.Context, q retrieval.Query) (*retrieval.Hit, error) {
	ix, err := m.suspectIndex(ctx)
	if err != nil {
		return nil, err
	}
	r, err := ix.Search(ctx, q)
	if err != nil || len(r.Hits) == 0 {
		return nil, err
	}
	return &r.Hits[0], nil
}

// suspectIndex returns the index of the suspects as they are now.
func (m *Memory) suspectIndex(ctx context.Context) (*retrieval.Index, error) {
	s := &m.effects.suspects
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ix != nil {
		return s.ix, nil
	}
	var nodes []tree.Node
	ids := map[string]bool{}
	for n, err := range m.store.Scan(ctx, tree.Filter{Status: tree.Quarantined}) {
		if err != nil {
			return nil, err
		}
		if isSuspect(&n) {
			nodes = append(nodes, n)
			ids[n.ID] = true
		}
	}
	ix, err := m.indexOf(ctx, nodes)
	if err != nil {
		return nil, err
	}
	s.ix, s.ids = ix, ids
	return ix, nil
}
