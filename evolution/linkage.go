package evolution

import "slices"

// link groups texts by average linkage with the algorithm of nearest-neighbour chains
// (Murtagh, 1983), in n² steps for n texts. A chain goes from each group to the one
// nearest to it. When two groups are nearest to each other, they are merged.
func (t *weighedTexts) link(points []int, join float64) [][]int {
	n := len(points)
	l := linkage{n: n, like: make([]float32, n*n), groups: make([][]int, n), alive: make([]bool, n)}
	for i := range points {
		l.groups[i], l.alive[i] = []int{points[i]}, true
		for j := range i {
			v := float32(t.like(points[i], points[j]))
			l.like[i*n+j], l.like[j*n+i] = v, v
		}
	}
	var chain []int
	for start := 0; start < n; {
		if len(chain) == 0 {
			if !l.alive[start] {
				start++
				continue
			}
			chain = append(chain, start)
		}
		tip := chain[len(chain)-1]
		next := l.nearest(tip, chain)
		switch {
		case next < 0 || l.like[tip*n+next] < float32(join): // no group is near enough: this one is finished
			l.alive[tip] = false
			chain = chain[:len(chain)-1]
		case len(chain) > 1 && next == chain[len(chain)-2]:
			chain = chain[:len(chain)-2]
			l.merge(min(tip, next), max(tip, next))
		default:
			chain = append(chain, next)
		}
	}
	var out [][]int
	for _, g := range l.groups {
		if len(g) > 1 {
			slices.Sort(g)
			out = append(out, g)
		}
	}
	return out
}

// linkage is the state of link.
type linkage struct {
	n      int
	like   []float32 // n × n: average similarity of the texts of two groups
	groups [][]int   // indices of texts
	alive  []bool    // whether a group can still be merged
}

// nearest returns the group most similar to tip, -1 if there is no other. On a tie it returns the one before tip in
// the chain, so that the chain ends, else the first.
func (l *linkage) nearest(tip int, chain []int) int {
	best := -1
	if len(chain) > 1 {
		best = chain[len(chain)-2]
	}
	for i, v := range l.like[tip*l.n : (tip+1)*l.n] {
		if l.alive[i] && i != tip && (best < 0 || v > l.like[tip*l.n+best]) {
			best = i
		}
	}
	return best
}

// merge merges group b into a. The similarity of the union to another group is the mean of theirs, weighted by their
// sizes.
func (l *linkage) merge(a, b int) {
	x, y := float32(len(l.groups[a])), float32(len(l.groups[b]))
	l.alive[b] = false
	for k := range l.n {
		if k != a && k != b {
			v := (x*l.like[a*l.n+k] + y*l.like[b*l.n+k]) / (x + y)
			l.like[a*l.n+k], l.like[k*l.n+a] = v, v
		}
	}
	l.groups[a], l.groups[b] = append(l.groups[a], l.groups[b]...), nil
}

// forest is a disjoint-set forest with path halving. The root of a set is its least
// member.
type forest []int

func newForest(n int) forest {
	f := make(forest, n)
	for i := range f {
		f[i] = i
	}
	return f
}

func (f forest) find(i int) int {
	for f[i] != i {
		f[i] = f[f[i]]
		i = f[i]
	}
	return i
}

func (f forest) union(a, b int) {
	a, b = f.find(a), f.find(b)
	f[max(a, b)] = min(a, b)
}
