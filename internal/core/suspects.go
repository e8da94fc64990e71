package core

import (
	"context"
	"slices"
	"sync"

	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/tree"
)

// suspects finds among the memories that are out of use for their effect. Reading them from the
// store takes as long as reading the whole tree, so an index of them is kept until one of them
// changes, or another joins them.
type suspects struct {
	making sync.Mutex // held while the index is made

	mu   sync.Mutex       // for the fields below; never held for long, since commits take it
	ix   *retrieval.Index // nil: to be made when it is next asked
	ids  map[string]bool  // of the nodes in ix
	gone int              // how often the index was forgotten
}

// isSuspect reports whether a run in ten may be given n so that n can clear itself. What a person
// said about n wins.
func isSuspect(n *tree.Node) bool { return n.HeldBack() && n.Mark == tree.Unmarked }

// changed forgets the index if nodes, as they are after a commit, have to do with it.
func (s *suspects) changed(nodes []tree.Node) {
	s.mu.Lock()
	defer s.mu.Unlock()
	has := func(n tree.Node) bool { return s.ids[n.ID] || isSuspect(&n) }
	if s.ix == nil || slices.ContainsFunc(nodes, has) { // one that is being made may have any of them
		s.ix, s.ids = nil, nil
		s.gone++
	}
}

// forget forgets the index.
func (s *suspects) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ix, s.ids = nil, nil
	s.gone++
}

// present returns the index, nil if it has to be made, and how often it was forgotten.
func (s *suspects) present() (*retrieval.Index, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ix, s.gone
}

// keep keeps an index unless it was forgotten while it was made.
func (s *suspects) keep(ix *retrieval.Index, ids map[string]bool, gone int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone == gone {
		s.ix, s.ids = ix, ids
	}
}

// Probe returns the suspect that fits best, nil if none does.
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

// suspectIndex returns the index of the suspects as they are now.
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
	for n, err := range c.store.Scan(ctx, tree.Filter{Status: tree.Quarantined}) {
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
