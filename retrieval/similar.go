package retrieval

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/memtree/memtree/text"
	"github.com/memtree/memtree/tree"
)

// Similar returns the k live cases of n's error type, direction and scene id that
// have most of its words, best first, without n itself: where near-duplicates of
// it would be. It asks no embedder.
func (ix *Index) Similar(n *tree.Node, k int) ([]Near, error) {
	out, err := ix.similar(n, min(k, maxCandidates))
	if err != nil {
		return nil, fmt.Errorf("similar: %w", err)
	}
	return out, nil
}

func (ix *Index) similar(n *tree.Node, k int) ([]Near, error) {
	if k <= 0 {
		return nil, nil
	}
	m := metaOf(n)
	s := &search{st: ix.state.Load()}
	var places []place
	err := s.each(key(alikeKind, m.errorType, string(m.direction), m.scene.ID), func(p *part, slot int) { places = append(places, place{p, slot}) })
	if err != nil || len(places) == 0 {
		return nil, err // most new cases are the first of their partition: then the text need not be read
	}
	own, words := key(idKind, m.id), keysOf(n.Text())
	var out []Near
	for _, at := range places {
		id, err := at.part.idAt(at.slot)
		if err != nil {
			return nil, err
		}
		if id == own {
			continue
		}
		their, err := at.part.wordKeys(at.slot)
		if err != nil {
			return nil, err
		}
		cm, err := at.meta()
		if err != nil {
			return nil, err
		}
		out = append(out, Near{ID: cm.id, Overlap: overlap(words, their)})
	}
	slices.SortFunc(out, func(a, b Near) int { return cmp.Or(cmp.Compare(b.Overlap, a.Overlap), cmp.Compare(a.ID, b.ID)) })
	return out[:min(k, len(out))], nil
}

// keysOf returns the sorted keys of the different words of a text.
func keysOf(s string) []uint64 {
	var keys []uint64
	for _, t := range text.Tokens(s) {
		keys = append(keys, key(wordKind, t))
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// idAt returns the key of a slot's id.
func (s *segment) idAt(slot int) (uint64, error) {
	heads, err := s.heads()
	if err != nil {
		return 0, err
	}
	return readHead(heads[slot*headSize:]).id, nil
}
