package retrieval

import (
	"math"
	"slices"

	"github.com/memtree/memtree/tree"
)

// choose takes candidates one by one, within the limits, by maximal marginal relevance: each time the one with the
// highest diversity·standing − (1−diversity)·likeness. It stops when no candidate is left or when the best adds no
// more than it repeats. Then it sets the reason why the others were not taken.
func (r *ranking) choose() error {
	count := map[tree.Type]int{}
	taken := r.taughtForThis(count)
	for len(taken) < r.limits.Total {
		var best *ranked
		value := math.Inf(-1)
		for _, x := range r.all {
			if !x.passes || x.taken || r.spokenFor(x, taken, count) || r.blocked(x, taken, count) {
				continue
			}
			if v := diversity*x.standing - (1-diversity)*x.likeness; v > value {
				best, value = x, v
			}
		}
		if best == nil || value <= 0 && len(taken) > 0 { // it repeats more than it adds
			break
		}
		best.taken = true
		best.why = Why{isTaken, []any{len(taken) + 1, best.rel, best.score}}
		taken = append(taken, best)
		count[best.kind]++
		for _, x := range r.all {
			if !x.passes || x.taken {
				continue
			}
			v, err := likenessOf(x, best)
			if err != nil {
				return err
			}
			x.likeness = max(x.likeness, v)
		}
	}
	for _, x := range r.all {
		switch {
		case !x.passes || x.taken:
		case x.cover != nil && x.cover.taken:
			x.why = Why{covered, []any{x.cover.kind, x.cover.id(), x.cover.covers}}
		case x.why.Code != "":
		case len(taken) < r.limits.Total:
			x.why = Why{repetitive, []any{x.likeness}}
		default:
			x.why = Why{full, []any{r.limits.Total}}
		}
	}
	return nil
}

// blocked reports whether a candidate that passes can no longer be taken beside those that were, and writes the reason
// to x.why.
func (r *ranking) blocked(x *ranked, taken []*ranked, count map[tree.Type]int) bool {
	for _, t := range taken {
		// A lesson and a case of one error type and direction overlap: one is general, the other of one test. The one
		// that fits better is enough. A lesson that a person worded is different.
		own := t.own() || x.own()
		if t.kind != x.kind && t.errorType == x.errorType && t.direction == x.direction && !own {
			x.why = Why{kin, []any{t.id()}}
			return true
		}
		// Lessons are for tests that were not seen before. For this test the mistake is known.
		if t.again >= carriesOver && x.kind != tree.Case && !own {
			x.why = Why{sameTest, []any{t.id()}}
			return true
		}
		// Lessons have lower thresholds for queries without a similar case. Beside a case that was taken, a lesson
		// needs the threshold of a case.
		if near := threshold(tree.Case); t.kind == tree.Case && x.kind != tree.Case && x.rel < near && !own {
			x.why = Why{farther, []any{x.rel, t.id(), near}}
			return true
		}
		// Warnings in both directions about the same matter cancel each other: only the better one is taken.
		if t.direction != x.direction && t.direction == x.direction.Opposite() && sameMatter(t, x) {
			x.why = Why{opposite, []any{x.direction, t.id(), t.direction}}
			return true
		}
	}
	// An experience that passes is more specific than its strategy, which covers none here.
	if part := r.bestExperienceOf(x); part != nil && x.covers == 0 && r.limits.ofLevel(tree.Experience) > 0 {
		x.why = Why{kin, []any{part.id()}}
		return true
	}
	if n := r.limits.ofLevel(x.kind); count[x.kind] >= n {
		x.why = Why{LevelFull, []any{max(n, 0), x.kind}}
		return true
	}
	return false
}

// sameMatter reports whether two memories are about a check in common, or of one error type where
// the checks of one are unknown.
func sameMatter(a, b *ranked) bool {
	if len(a.checks) == 0 || len(b.checks) == 0 {
		if a.own() || b.own() {
			return false // its error type only files it
		}
		return a.errorType == b.errorType
	}
	return haveCommon(a.checks, b.checks)
}

// haveCommon reports whether two lists have an element in common.
func haveCommon(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

// bestExperienceOf returns the best of a strategy's experiences that pass. It is nil if none
// passes and for other levels.
func (r *ranking) bestExperienceOf(x *ranked) *ranked {
	if x.kind != tree.Strategy {
		return nil
	}
	i := slices.IndexFunc(r.all, func(e *ranked) bool {
		return e.passes && e.kind == tree.Experience && e.parent == x.id()
	})
	if i < 0 {
		return nil
	}
	return r.all[i]
}

// likenessOf returns the similarity of two nodes, 0 to 1: the cosine of their vectors, or the overlap of their tokens
// if one of them has no vector.
func likenessOf(a, b *ranked) (float64, error) {
	v, err := a.part.vectorOf(a.slot)
	if err != nil {
		return 0, err
	}
	w, err := b.part.vectorOf(b.slot)
	if err != nil {
		return 0, err
	}
	if v.row != nil && w.row != nil && len(v.row) == len(w.row) {
		return max(0, float64(likeness(v.row, w.row, v.scale, w.scale))), nil
	}
	if a.part == b.part {
		ka, err := a.part.wordPlaces(a.slot)
		if err != nil {
			return 0, err
		}
		kb, err := b.part.wordPlaces(b.slot)
		return overlap(ka, kb), err
	}
	ka, err := a.part.wordKeys(a.slot)
	if err != nil {
		return 0, err
	}
	kb, err := b.part.wordKeys(b.slot)
	return overlap(ka, kb), err
}
