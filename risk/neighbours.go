package risk

import "slices"

// window is the number of latest verdicts remembered individually.
const window = 4096

// remembered is one verdict in the window.
type remembered struct {
	id    string // of its evaluation
	f     Features
	wrong bool
}

// store is a ring of the latest verdicts. For each token of a reason, and for each token seen, it lists the verdicts
// with the token, as places in the ring, oldest first. The verdict that leaves the ring is the oldest, so it is the
// first of each of its lists and need not be searched for.
type store struct {
	ring   []remembered
	next   int // place of the next one, once the ring is full
	reason map[uint32][]uint16
	seen   map[uint32][]uint16
}

func newStore() store {
	return store{reason: map[uint32][]uint16{}, seen: map[uint32][]uint16{}}
}

// add adds a verdict, replacing the oldest once the ring is full.
func (s *store) add(r remembered) {
	at := len(s.ring)
	if at < window {
		s.ring = append(s.ring, r)
	} else {
		at = s.next
		s.next = (s.next + 1) % window
		dropPlace(s.reason, s.ring[at].f.reason)
		dropPlace(s.seen, s.ring[at].f.seen)
		s.ring[at] = r
	}
	addPlace(s.reason, r.f.reason, at)
	addPlace(s.seen, r.f.seen, at)
}

// has reports whether the verdict on an evaluation is in the window.
func (s *store) has(id string) bool {
	return slices.ContainsFunc(s.ring, func(r remembered) bool { return r.id == id })
}

func addPlace(lists map[uint32][]uint16, words []uint32, at int) {
	for _, w := range words {
		lists[w] = append(lists[w], uint16(at))
	}
}

func dropPlace(lists map[uint32][]uint16, words []uint32) {
	for _, w := range words {
		if l := lists[w]; len(l) > 1 {
			lists[w] = l[1:]
		} else {
			delete(lists, w)
		}
	}
}

// near is a place in the ring and the similarity of its verdict: the share of common tokens (Jaccard), 0 to 1.
type near struct {
	at    int
	score float64
}

// nearest returns the k verdicts most similar to words among those that keep accepts, most similar first, then latest.
// lists and of are the index, and the tokens of a verdict, for the same one of the two texts.
func (s *store) nearest(lists map[uint32][]uint16, words []uint32, k int, of func(r *remembered) []uint32,
	keep func(r *remembered) bool) []near {
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
		if len(out) == k && s.nearestFirst(x, out[k-1]) > 0 || !keep(r) {
			continue
		}
		i, _ := slices.BinarySearchFunc(out, x, s.nearestFirst)
		out = slices.Insert(out, i, x)
		out = out[:min(k, len(out))]
	}
	return out
}

// nearestFirst compares by similarity, descending, and then by age, latest first.
func (s *store) nearestFirst(a, b near) int {
	switch {
	case a.score > b.score:
		return -1
	case a.score < b.score:
		return 1
	}
	return s.age(a.at) - s.age(b.at)
}

// age returns the number of verdicts after the one at a place of the ring.
func (s *store) age(at int) int {
	return (s.next - 1 - at + 2*len(s.ring)) % max(1, len(s.ring))
}

// Numbers of neighbours used.
const (
	reasonVotes = 10
	runVotes    = 5
)

// nearReasonRate returns the rate of wrong verdicts among those of the same value with the most similar reasons,
// weighted by similarity and shrunk to base, and the neighbours.
func (m *learner) nearReasonRate(f *Features, base float64) (float64, []near) {
	ns := m.store.nearest(m.store.reason, f.reason, reasonVotes,
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

// nearRunRate returns the probability that this verdict is wrong given the truth about the most similar runs, whatever
// their verdicts were, shrunk to base, and the neighbours. The weight is the similarity squared, so an almost equal run
// weighs far more than one of the same kind.
func (m *learner) nearRunRate(f *Features, base float64) (float64, []near) {
	ns := m.store.nearest(m.store.seen, f.seen, runVotes,
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
