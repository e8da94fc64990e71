package retrieval

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/tree"
)

// Similar returns up to k live cases that may be near-duplicates of n, best first, without n itself. They have n's
// error type, direction and scene id, and the Jaccard similarity of their tokens to n's is at least least, above 0 to
// 1. It calls no embedder, and compares only cases that have one of n's rarest tokens.
func (ix *Index) Similar(n *tree.Node, k int, least float64) ([]Near, error) {
	out, err := ix.similar(n, min(k, maxCandidates), least)
	if err != nil {
		return nil, fmt.Errorf("similar: %w", err)
	}
	return out, nil
}

// alikeAt is a slot whose tokens are similar to those of a node.
type alikeAt struct {
	slotRef
	id      uint64  // key of the slot's id
	overlap float64 // Jaccard similarity, 0 to 1
}

// similar does the work of Similar. The cases of n's partition are those in the list of kin.
func (ix *Index) similar(n *tree.Node, k int, least float64) ([]Near, error) {
	m := metaOf(n)
	s := &search{st: ix.state.Load()}
	defer runtime.KeepAlive(s)
	kin := key(alikeKind, m.errorType, string(m.direction), m.scene.ID)
	if none, err := s.isEmpty(kin); err != nil || none || k <= 0 {
		return nil, err // most new cases are the first of their partition; then their text is not read
	}
	own, words := key(idKind, m.id), keysOf(n.Text())
	marked, err := s.markSharing(words, least)
	if err != nil {
		return nil, err
	}
	var places []slotRef
	var mine []uint64 // the places of words in the segment of a slot
	if err := s.eachSlot(kin, func(p *part, slot int) {
		if marked[p.base+slot] {
			places = append(places, slotRef{p, slot})
		}
	}); err != nil {
		return nil, err
	}
	var all []alikeAt
	for i, at := range places {
		if i == 0 || at.part != places[i-1].part {
			if mine, err = at.part.placesOf(words); err != nil {
				return nil, err
			}
		}
		id, err := at.part.idAt(at.slot)
		if err != nil {
			return nil, err
		}
		their, err := at.part.wordPlaces(at.slot)
		if err != nil {
			return nil, err
		}
		if v := overlap(mine, their); v >= least && id != own {
			all = append(all, alikeAt{at, id, v})
		}
	}
	slices.SortFunc(all, func(a, b alikeAt) int {
		return cmp.Or(cmp.Compare(b.overlap, a.overlap), cmp.Compare(a.id, b.id))
	})
	var out []Near
	for _, at := range all[:min(k, len(all))] {
		m, err := at.meta()
		if err != nil {
			return nil, err
		}
		out = append(out, Near{ID: m.id, Overlap: at.overlap})
	}
	return out, nil
}

// placesOf returns the places of tokens in keys, by their sorted keys. For each token that no slot has, it has a number
// that is no place.
func (s *segment) placesOf(words []uint64) ([]uint64, error) {
	out := make([]uint64, len(words))
	absent := uint64(s.keys) //nolint:gosec // not negative
	for i, w := range words {
		at, _, err := s.seek(w)
		if err != nil {
			return nil, err
		}
		if at < 0 {
			out[i] = absent
			absent++
			continue
		}
		out[i] = uint64(at) //nolint:gosec // not negative
	}
	slices.Sort(out)
	return out, nil
}

// isEmpty reports whether a list is empty in every part. Dead slots count as entries.
func (s *search) isEmpty(k uint64) (bool, error) {
	for i := range s.st.parts {
		if l, err := s.st.parts[i].list(k); err != nil || l.n > 0 {
			return false, err
		}
	}
	return true, nil
}

// markSharing marks the slots that share one of the rarest of words, a sorted set of keys. A text whose similarity is
// at least least has at least the share least of the tokens. So it has one of any n − ⌈least·n⌉ + 1 of the n tokens;
// the rarest mark the fewest slots. This is prefix filtering: S. Chaudhuri, V. Ganti and R. Kaushik, "A Primitive
// Operator for Similarity Joins in Data Cleaning", ICDE 2006.
func (s *search) markSharing(words []uint64, least float64) (marked []bool, err error) {
	known := make(map[uint64]int, len(words))
	for _, w := range words {
		for i := range s.st.parts {
			l, err := s.st.parts[i].list(w)
			if err != nil {
				return nil, err
			}
			known[w] += l.n
		}
	}
	rare := slices.Clone(words)
	slices.SortFunc(rare, func(a, b uint64) int { return cmp.Or(cmp.Compare(known[a], known[b]), cmp.Compare(a, b)) })
	most := len(rare) - int(math.Ceil(least*float64(len(rare))-1e-9)) + 1
	marked = make([]bool, s.st.slots)
	for _, w := range rare[:min(max(most, 0), len(rare))] {
		if err := s.eachSlot(w, func(p *part, slot int) { marked[p.base+slot] = true }); err != nil {
			return nil, err
		}
	}
	return marked, nil
}

// keysOf returns the sorted keys of the distinct tokens of a text.
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
	h, err := s.head(slot)
	return h.id, err
}

// OfTest returns the ids of the live cases of a test, sorted; at most 1,000. It returns none
// for the empty id.
func (ix *Index) OfTest(caseID string) ([]string, error) {
	if caseID == "" {
		return nil, nil
	}
	s := &search{st: ix.state.Load()}
	defer runtime.KeepAlive(s)
	var places []slotRef
	if err := s.eachSlot(key(testKind, caseID), func(p *part, slot int) {
		if len(places) < maxCandidates {
			places = append(places, slotRef{p, slot})
		}
	}); err != nil {
		return nil, fmt.Errorf("cases of a test: %w", err)
	}
	var out []string
	for _, at := range places {
		m, err := at.meta()
		if err != nil {
			return nil, fmt.Errorf("cases of a test: %w", err)
		}
		if m.kind == tree.Case && slices.Contains(m.tests, caseID) {
			out = append(out, m.id)
		}
	}
	slices.Sort(out)
	return out, nil
}
