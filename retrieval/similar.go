package retrieval

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/memtree/memtree/tree"
)

// Similar returns the k live cases most like n of its error type, direction and
// scene id, best first, without n itself: where near-duplicates of it would be. It asks the embedder for n's
// vector as Search does, and does without where that fails.
func (ix *Index) Similar(ctx context.Context, n *tree.Node, k int) ([]Near, error) {
	out, err := ix.similar(ctx, n, min(k, maxCandidates))
	if err != nil {
		return nil, fmt.Errorf("similar: %w", err)
	}
	return out, nil
}

func (ix *Index) similar(ctx context.Context, n *tree.Node, k int) ([]Near, error) {
	if k <= 0 {
		return nil, nil
	}
	m := metaOf(n)
	partition := key(alikeKind, m.errorType, string(m.direction), m.scene.ID)
	own := key(idKind, m.id)
	st := ix.state.Load()
	s := &search{st: st}
	var places []place
	if err := s.each(partition, func(p *part, slot int) { places = append(places, place{p, slot}) }); err != nil || len(places) == 0 {
		return nil, err // most new cases are the first of their partition: then the text need not be read
	}
	s.scratch = ix.borrow(st.slots)
	defer ix.end(s)
	if err := s.weigh(n.Text()); err != nil {
		return nil, err
	}
	ix.askVector(ctx, s, n.Text())
	idf := make(map[uint64]float32, len(s.words))
	keys := make([]uint64, len(s.words))
	for i, w := range s.words {
		idf[w.key], keys[i] = w.idf, w.key
	}
	slices.Sort(keys)
	t := &top{k: k}
	s.scope.everywhere = true
	for _, at := range places {
		id, err := at.part.idAt(at.slot)
		if err != nil {
			return nil, err
		}
		if id == own {
			continue
		}
		if err := s.scoreOne(at, idf); err != nil {
			return nil, err
		}
		if _, err := s.consider(t, at); err != nil {
			return nil, err
		}
	}
	out := make([]Near, 0, len(t.best))
	for _, c := range t.best {
		their, err := c.part.wordKeys(c.slot)
		if err != nil {
			return nil, err
		}
		cm, err := c.meta()
		if err != nil {
			return nil, err
		}
		out = append(out, Near{ID: cm.id, Score: c.semantic, Overlap: overlap(keys, their), Cosine: c.cosine})
	}
	slices.SortStableFunc(out, func(a, b Near) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
	return out, nil
}

// idAt returns the key of a slot's id.
func (s *segment) idAt(slot int) (uint64, error) {
	heads, err := s.heads()
	if err != nil {
		return 0, err
	}
	return readHead(heads[slot*headSize:]).id, nil
}
