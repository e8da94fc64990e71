package risk

import "slices"

// window is how many verdicts are remembered one by one, the latest.
const window = 4096

// remembered is one verdict in the window.
type remembered struct {
	id    string // of its evaluation
	f     Features
	wrong bool
}

// store remembers the latest verdicts in a ring, and for each word of each of
// its two texts where in the ring it stands. A verdict that leaves is the first
// in all its lists, so leaving costs no search.
type store struct {
	ring   []remembered
	next   int // where the next one goes, once the ring is full
	reason map[uint32][]uint16
	seen   map[uint32][]uint16
}

func newStore() store {
	return store{reason: map[uint32][]uint16{}, seen: map[uint32][]uint16{}}
}

func (s *store) add(r remembered) {
	at := len(s.ring)
	if at < window {
		s.ring = append(s.ring, r)
	} else {
		at = s.next
		s.next = (s.next + 1) % window
		leave(s.reason, s.ring[at].f.reason)
		leave(s.seen, s.ring[at].f.seen)
		s.ring[at] = r
	}
	enter(s.reason, r.f.reason, at)
	enter(s.seen, r.f.seen, at)
}

// has reports whether the verdict on an evaluation is in the window.
func (s *store) has(id string) bool {
	return slices.ContainsFunc(s.ring, func(r remembered) bool { return r.id == id })
}

func enter(lists map[uint32][]uint16, words []uint32, at int) {
	for _, w := range words {
		lists[w] = append(lists[w], uint16(at))
	}
}

func leave(lists map[uint32][]uint16, words []uint32) {
	for _, w := range words {
		if l := lists[w]; len(l) > 1 {
			lists[w] = l[1:]
		} else {
			delete(lists, w)
		}
	}
}

// near is a remembered verdict and how near it is: the share of words in common
// (Jaccard), 0 to 1.
type near struct {
	at    int
	score float64
}

// nearest returns the k verdicts with the most of words in common that keep
// lets through, the nearest first, later ones first among equals.
func (s *store) nearest(lists map[uint32][]uint16, words []uint32, k int, of func(r *remembered) []uint32, keep func(r *remembered) bool) []near {
	if len(words) == 0 || k == 0 {
		return nil
	}
	shared := make([]uint16, len(s.ring))
	for _, w := range words {
		for _, at := range lists[w] {
			shared[at]++
		}
	}
	out := make([]near, 0, k+1)
	for at, n := range shared {
		if n == 0 {
			continue
		}
		r := &s.ring[at]
		x := near{at, float64(n) / float64(len(words)+len(of(r))-int(n))}
		if len(out) == k && s.order(x, out[k-1]) > 0 || !keep(r) {
			continue
		}
		i, _ := slices.BinarySearchFunc(out, x, s.order)
		out = slices.Insert(out, i, x)
		out = out[:min(k, len(out))]
	}
	return out
}

// order sorts the nearest first, and of equals the latest.
func (s *store) order(a, b near) int {
	switch {
	case a.score > b.score:
		return -1
	case a.score < b.score:
		return 1
	}
	return s.age(a.at) - s.age(b.at)
}

// age is how many verdicts came after the one at a place of the ring.
func (s *store) age(at int) int {
	return (s.next - 1 - at + 2*len(s.ring)) % max(1, len(s.ring))
}

const (
	nearReasons = 10
	nearRuns    = 5
)

// alike votes among the verdicts of the same value that were given for the most
// similar reasons.
func (m *Model) alike(f *Features, base float64) (float64, []near) {
	ns := m.store.nearest(m.store.reason, f.reason, nearReasons,
		func(r *remembered) []uint32 { return r.f.reason },
		func(r *remembered) bool { return r.f.value == f.value })
	wrong, all := 3*base, 3.0
	for _, n := range ns {
		w := 3 * n.score
		wrong += w * indicator(m.store.ring[n.at].wrong)
		all += w
	}
	return wrong / all, ns
}

// same votes among the most similar runs, whatever was said of them, by what
// their truth means for this verdict. Nearly the same run seen again counts
// for much more than a run like many: weights go with the square.
func (m *Model) same(f *Features, base float64) (float64, []near) {
	ns := m.store.nearest(m.store.seen, f.seen, nearRuns,
		func(r *remembered) []uint32 { return r.f.seen },
		func(r *remembered) bool {
			_, w := m.implies(r.f.value, r.wrong, f.value)
			return w > 0
		})
	wrong, all := base, 1.0
	for _, n := range ns {
		r := &m.store.ring[n.at]
		is, weight := m.implies(r.f.value, r.wrong, f.value)
		w := 4 * n.score * n.score * float64(weight)
		wrong += w * indicator(is)
		all += w
	}
	return wrong / all, ns
}
