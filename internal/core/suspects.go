package core

import (
	"context"
	"slices"
	"sync"

	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// suspects searches memories that are out of use for harm. Reading them takes a scan of the whole tree, so their index
// is cached until one of them changes or another is added.
type suspects struct {
	making sync.Mutex // held while the index is built

	mu   sync.Mutex       // guards the fields below; held only briefly, because commits take it
	ix   *retrieval.Index // nil: built at the next search
	ids  map[string]bool  // of the nodes in ix
	gone int              // how often the index was invalidated
}

// isSuspect reports whether one run in ten may receive n, to measure it again. A person's decision on n wins.
func isSuspect(n *tree.Node) bool { return n.HeldBack() && n.Mark == tree.Unmarked }

// changed invalidates the index if one of the nodes, as they are after a commit, belongs to it.
func (s *suspects) changed(nodes []tree.Node) {
	s.mu.Lock()
	defer s.mu.Unlock()
	has := func(n tree.Node) bool { return s.ids[n.ID] || isSuspect(&n) }
	if s.ix == nil || slices.ContainsFunc(nodes, has) { // an index under construction may have any of them
		s.ix, s.ids = nil, nil
		s.gone++
	}
}

// forget invalidates the index.
func (s *suspects) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ix, s.ids = nil, nil
	s.gone++
}

// present returns the index, nil if it has to be built, and the number of invalidations.
func (s *suspects) present() (*retrieval.Index, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ix, s.gone
}

// keep stores an index unless it was invalidated during its construction.
func (s *suspects) keep(ix *retrieval.Index, ids map[string]bool, gone int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone == gone {
		s.ix, s.ids = ix, ids
	}
}

// Probe searches the suspects, which are memories that may have done harm and are withheld. It returns the best hit,
// nil if there is none.
func (c *Core) Probe(ctx context.Context, q retrieval.Query) (*retrieval.Hit, error) {
	ix, err := c.suspectIndex(ctx)
	if err != nil {
		return nil, err
	}
	r, err := ix.Search(ctx, q)
	if err != nil || len(r.Hits) == 0 {
		return nil, err
	}
	return &r.Hits[0], nil
}

// suspectIndex returns the index of the present suspects.
func (c *Core) suspectIndex(ctx context.Context) (*retrieval.Index, error) {
	s := &c.suspects
	s.making.Lock()
	defer s.making.Unlock()
	ix, gone := s.present()
	if ix != nil {
		return ix, nil
	}
	var nodes []tree.Node
	ids := map[string]bool{}
	for n, err := range c.store.Scan(ctx, store.Filter{Status: tree.Quarantined}) {
		if err != nil {
			return nil, err
		}
		if isSuspect(&n) {
			nodes = append(nodes, n)
			ids[n.ID] = true
		}
	}
	ix, err := c.indexOf(ctx, nodes)
	if err != nil {
		return nil, err
	}
	s.keep(ix, ids, gone)
	return ix, nil
}
