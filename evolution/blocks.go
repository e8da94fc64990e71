package evolution

import (
	"cmp"
	"math/bits"
	"slices"
)

// component is points that are connected by pairs of at least join.
type component struct {
	points []*point
	edges  []edge // a spanning tree, by place in points
}

type edge struct {
	a, b int
	like float64
}

// components finds them; points are sorted by id.
func (s *space) components(points []*point) []component {
	f := newForest(len(points))
	var edges []edge
	try := func(i, j int) {
		if f.find(i) == f.find(j) || !s.couldJoin(points[i], points[j]) {
			return
		}
		if v := s.like(points[i], points[j]); v >= join {
			f.union(i, j)
			edges = append(edges, edge{i, j, v})
		}
	}
	if len(points) <= exact {
		for i := range points {
			for j := range i {
				try(i, j)
			}
		}
	} else {
		sharing(points, try)
	}
	place := map[int]int{} // root → component
	at := make([]int, len(points))
	var out []component
	for i, p := range points {
		r := f.find(i)
		if _, ok := place[r]; !ok {
			place[r] = len(out)
			out = append(out, component{})
		}
		c := &out[place[r]]
		at[i] = len(c.points)
		c.points = append(c.points, p)
	}
	for _, e := range edges {
		c := &out[place[f.find(e.a)]]
		c.edges = append(c.edges, edge{at[e.a], at[e.b], e.like})
	}
	return out
}

// couldJoin rules most pairs out by their cause alone.
func (s *space) couldJoin(a, b *point) bool {
	w := s.causeWords.at(dotTerms(a.cause.terms, b.cause.terms))
	most := w
	if a.cause.dense != nil && b.cause.dense != nil {
		most = (w + 1) / 2
	}
	return causeWeight*most+promptWeight+sceneWeight >= join
}

// sharing calls try for pairs that have one of the most telling words of their
// causes in common: all pairs of a short list, neighbours in a long one, which
// is ordered by what else the causes say.
func sharing(points []*point, try func(i, j int)) {
	lists := map[uint32][]int{}
	sign := make([]uint64, len(points))
	for i, p := range points {
		sign[i] = signature(p)
		for _, w := range telling(p.cause.terms) {
			lists[w] = append(lists[w], i)
		}
	}
	words := make([]uint32, 0, len(lists))
	for w := range lists {
		words = append(words, w)
	}
	slices.Sort(words)
	for _, w := range words {
		list := lists[w]
		reach := len(list)
		if len(list) > shortList {
			reach = window
			slices.SortFunc(list, func(a, b int) int { return cmp.Or(cmp.Compare(sign[a], sign[b]), cmp.Compare(a, b)) })
		}
		for i := range list {
			for j := max(0, i-reach); j < i; j++ {
				try(list[i], list[j])
			}
		}
	}
}

func telling(terms []term) []uint32 {
	t := slices.Clone(terms)
	slices.SortFunc(t, func(a, b term) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.word, b.word))
	})
	out := make([]uint32, 0, tellingOnes)
	for _, x := range t[:min(tellingOnes, len(t))] {
		out = append(out, x.word)
	}
	return out
}

// signature orders causes so that like ones come near each other: the signs of
// the first numbers of the vector, or the word of most weight where there is none.
func signature(p *point) uint64 {
	if p.cause.dense == nil {
		if w := telling(p.cause.terms); len(w) > 0 {
			return bits.Reverse64(uint64(w[0]))
		}
		return 0
	}
	var s uint64
	for _, v := range p.cause.dense[:min(64, len(p.cause.dense))] {
		s <<= 1
		if v > 0 {
			s |= 1
		}
	}
	return s
}

// split cuts a component into parts of at most size points, along its weakest
// connections.
func (c *component) split(size int) [][]*point {
	edges := slices.Clone(c.edges)
	slices.SortFunc(edges, func(a, b edge) int {
		return cmp.Or(cmp.Compare(b.like, a.like), cmp.Compare(a.a, b.a), cmp.Compare(a.b, b.b))
	})
	f := newForest(len(c.points))
	for _, e := range edges {
		if f.size[f.find(e.a)]+f.size[f.find(e.b)] <= size {
			f.union(e.a, e.b)
		}
	}
	var out [][]*point
	for _, g := range f.gather(singles(c.points)) {
		out = append(out, g.points)
	}
	return out
}

// forest is a disjoint-set forest; the root of a set is its least member.
type forest struct{ up, size []int }

func newForest(n int) *forest {
	f := &forest{up: make([]int, n), size: make([]int, n)}
	for i := range n {
		f.up[i], f.size[i] = i, 1
	}
	return f
}

func (f *forest) find(i int) int {
	for f.up[i] != i {
		f.up[i] = f.up[f.up[i]]
		i = f.up[i]
	}
	return i
}

func (f *forest) union(a, b int) {
	a, b = f.find(a), f.find(b)
	if a == b {
		return
	}
	if b < a {
		a, b = b, a
	}
	f.up[b] = a
	f.size[a] += f.size[b]
}

// gather joins the groups of each set.
func (f *forest) gather(groups []*group) []*group {
	sets := map[int][]*point{}
	var roots []int
	for i, g := range groups {
		r := f.find(i)
		if sets[r] == nil {
			roots = append(roots, r)
		}
		sets[r] = append(sets[r], g.points...)
	}
	out := make([]*group, len(roots))
	for i, r := range roots {
		out[i] = newGroup(sets[r])
	}
	return out
}
