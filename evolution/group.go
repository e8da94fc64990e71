package evolution

import (
	"cmp"
	"slices"

	"github.com/memtree/memtree/tree"
)

// What is alike enough.
const (
	join         = 0.52 // to be of one group: average likeness across it
	joinMargin   = 0.05 // by which the best group must lead the next
	formCohesion = 0.50 // within a group, to be learned from
	splitBelow   = 0.45 // lower than formCohesion, so that a group does not flicker
	mergeAbove   = 0.85 // between two groups, to be one
)

// Bounds on the work. Up to exact points all pairs are looked at; beyond, pairs
// that share a telling word of the cause.
const (
	exact       = 1500
	tellingOnes = 6   // words of a cause that pairs are found by
	shortList   = 48  // cases that share a word, up to which all pairs are looked at
	window      = 16  // neighbours beyond
	microSize   = 400 // points of a part of a very large group
	sampled     = 8   // points that stand for a group
)

// group is some points, sorted by id.
type group struct {
	points []*point
	sample []*point // up to sampled of them, the same whatever the order
}

func newGroup(points []*point) *group {
	slices.SortFunc(points, func(a, b *point) int { return cmp.Compare(a.id, b.id) })
	g := &group{points: points, sample: points}
	if len(points) > sampled { // evenly spread: ids are hashes, so this is a random sample
		g.sample = make([]*point, sampled)
		for i := range g.sample {
			g.sample[i] = points[i*len(points)/sampled]
		}
	}
	return g
}

// key tells groups of different points apart.
func (g *group) key() string {
	ids := make([]string, len(g.points))
	for i, p := range g.points {
		ids[i] = p.id
	}
	return tree.Hash(ids...)
}

// between returns the average likeness of two groups.
func (s *space) between(a, b *group) float64 { return s.reach(a, b, 0) }

// reach is between, but 0 where that is less than least: most pairs of groups
// are so far apart that a few of their points show it.
func (s *space) reach(a, b *group, least float64) float64 {
	pairs := float64(len(a.sample) * len(b.sample))
	sum, spare := 0.0, (1-least)*pairs // what may yet be missing from all ones
	for _, x := range a.sample {
		for _, y := range b.sample {
			v := s.like(x, y)
			if spare -= 1 - v; spare < -1e-9 {
				return 0
			}
			sum += v
		}
	}
	return sum / pairs
}

// cohesion is the average likeness of pairs within a group, 1 for a single point.
func (s *space) cohesion(points []*point) float64 {
	if len(points) < 2 {
		return 1
	}
	points = newGroup(slices.Clone(points)).spread(4 * sampled)
	sum, n := 0.0, 0
	for i := range points {
		for j := range i {
			sum += s.like(points[i], points[j])
			n++
		}
	}
	return sum / float64(n)
}

// spread returns up to n points, evenly by id.
func (g *group) spread(n int) []*point {
	if len(g.points) <= n {
		return g.points
	}
	out := make([]*point, n)
	for i := range out {
		out[i] = g.points[i*len(g.points)/n]
	}
	return out
}

// centrality is how alike a point is to the rest of its group on average.
func (s *space) centrality(p *point, all []*point) float64 {
	sum, n := 0.0, 0
	for _, o := range all {
		if o != p {
			sum += s.like(p, o)
			n++
		}
	}
	if n == 0 {
		return 1
	}
	return sum / float64(n)
}

// medoidFirst returns up to n points: the most central one, then always the one
// farthest from those before it, so that few points show all a group has in it.
func (s *space) medoidFirst(points []*point, n int) []*point {
	pool := newGroup(slices.Clone(points)).spread(128)
	central := make([]float64, len(pool))
	parallel(len(pool), func(i int) { central[i] = s.centrality(pool[i], pool) })
	best := 0
	for i := range pool { // sorted by id: of several the first
		if central[i] > central[best] {
			best = i
		}
	}
	out := []*point{pool[best]}
	near := make([]float64, len(pool)) // likeness to the nearest taken one
	for len(out) < min(n, len(pool)) {
		last, far := out[len(out)-1], -1
		for i, p := range pool {
			near[i] = max(near[i], s.like(p, last))
			if !slices.Contains(out, p) && (far < 0 || near[i] < near[far]) {
				far = i
			}
		}
		out = append(out, pool[far])
	}
	return out
}

// groups clusters points by average linkage, cut at join: deterministic and
// independent of the order of points. It returns groups of all sizes, sorted by
// their first id.
//
// No merge at join or more can be without one pair of at least that likeness, so
// the connected components of such pairs are clustered apart and nothing is lost.
func (s *space) groups(points []*point) []*group {
	points = slices.Clone(points)
	slices.SortFunc(points, func(a, b *point) int { return cmp.Compare(a.id, b.id) })
	var out []*group
	for _, part := range s.components(points) {
		out = append(out, s.cluster(part)...)
	}
	slices.SortFunc(out, func(a, b *group) int { return cmp.Compare(a.points[0].id, b.points[0].id) })
	return out
}

// cluster groups one component.
func (s *space) cluster(part component) []*group {
	if len(part.points) <= exact {
		return s.link(singles(part.points))
	}
	// Too many to compare all: cluster the parts that hang together most, then
	// the groups found, each by a sample of its points.
	var groups []*group
	for _, micro := range part.split(microSize) {
		groups = append(groups, s.link(singles(micro))...)
	}
	if len(groups) <= exact {
		groups = s.link(groups)
	}
	return groups
}

func singles(points []*point) []*group {
	out := make([]*group, len(points))
	for i, p := range points {
		out[i] = newGroup([]*point{p})
	}
	return out
}

// link is average linkage by nearest-neighbour chains (Murtagh, 1983): n² steps
// for n groups. What is left are the groups that no average of join or more
// connects.
func (s *space) link(groups []*group) []*group {
	n := len(groups)
	like := make([]float32, n*n)
	parallel(n, func(i int) {
		for j := range i {
			v := float32(s.between(groups[i], groups[j]))
			like[i*n+j], like[j*n+i] = v, v
		}
	})
	weight := make([]float64, n)
	for i, g := range groups {
		weight[i] = float64(len(g.points))
	}
	alive := make([]bool, n)
	for i := range alive {
		alive[i] = true
	}
	parent := newForest(n)
	var chain []int
	for start := 0; start < n; {
		if len(chain) == 0 {
			if !alive[start] {
				start++
				continue
			}
			chain = append(chain, start)
		}
		tip := chain[len(chain)-1]
		next := nearest(like[tip*n:(tip+1)*n], alive, tip, chain)
		switch {
		case next < 0 || like[tip*n+next] < join: // nothing is near enough: done with it
			alive[tip] = false
			chain = chain[:len(chain)-1]
		case len(chain) > 1 && next == chain[len(chain)-2]:
			chain = chain[:len(chain)-2]
			parent.union(tip, next)
			merge(like, weight, alive, tip, next, n)
		default:
			chain = append(chain, next)
		}
	}
	return parent.gather(groups)
}

// nearest returns the alive one most like tip; of several the one before tip in
// the chain, else the first.
func nearest(row []float32, alive []bool, tip int, chain []int) int {
	best := -1
	if len(chain) > 1 {
		best = chain[len(chain)-2]
	}
	for i, v := range row {
		if alive[i] && i != tip && (best < 0 || v > row[best]) {
			best = i
		}
	}
	return best
}

// merge puts b into a: the likeness of the union is the weighted mean.
func merge(like []float32, weight []float64, alive []bool, a, b, n int) {
	if b < a {
		a, b = b, a
	}
	alive[b] = false
	for k := range n {
		if k == a || k == b {
			continue
		}
		v := float32((weight[a]*float64(like[a*n+k]) + weight[b]*float64(like[b*n+k])) / (weight[a] + weight[b]))
		like[a*n+k], like[k*n+a] = v, v
	}
	weight[a] += weight[b]
}
