// Package cluster groups short texts by shared tokens. It is pure: the same texts in the same order give the same
// groups.
package cluster

import (
	"cmp"
	"math"
	"slices"

	"github.com/memtree/memtree/internal/text"
)

// Bounds on the work. Two texts are compared when they share one of their weightiest tokens. If few texts have the
// token, all pairs are compared; if many do, each text is compared with those shortly before it.
const (
	weightiest = 10  // tokens of a text by which pairs are found
	shortList  = 48  // texts with a token, up to which all pairs are compared
	window     = 12  // texts before it that a text is compared with in a longer list
	mostLink   = 600 // texts that link compares each with each
)

// Texts holds texts as weighted tokens: by text, sorted by token. It is immutable and safe for concurrent use.
type Texts struct{ terms [][]term }

// term is a token of a text with the weight (1 + ln tf)·idf, scaled so that the weights of a text form a vector of
// length 1.
type term struct {
	word   uint32
	weight float32
}

// New weighs the tokens of texts. The document frequency counts equal texts once, so that a note that is repeated
// often does not make its tokens common.
func New(list []string) *Texts {
	t := &Texts{terms: make([][]term, len(list))}
	words, df, distinct := map[string]uint32{}, []float64{}, map[string]bool{}
	for i, s := range list {
		count := map[uint32]float32{}
		for _, w := range text.Tokens(s) {
			id, ok := words[w]
			if !ok {
				id = uint32(len(df)) //nolint:gosec // bounded by the tokens of all texts
				words[string([]byte(w))] = id
				df = append(df, 0)
			}
			count[id]++
		}
		for w, n := range count {
			t.terms[i] = append(t.terms[i], term{w, n})
			if !distinct[s] {
				df[w]++
			}
		}
		distinct[s] = true
	}
	for _, terms := range t.terms {
		weigh(terms, df, float64(len(distinct)))
	}
	return t
}

func weigh(terms []term, df []float64, n float64) {
	slices.SortFunc(terms, func(a, b term) int { return cmp.Compare(a.word, b.word) })
	square := 0.0
	for j := range terms {
		w := (1 + math.Log(float64(terms[j].weight))) * math.Log((n+1)/(df[terms[j].word]+0.5))
		terms[j].weight = float32(w)
		square += w * w
	}
	if square > 0 {
		length := float32(math.Sqrt(square))
		for j := range terms {
			terms[j].weight /= length
		}
	}
}

// Like returns the similarity of two texts, given by index: the cosine of their weighted tokens, 0 to 1.
func (t *Texts) Like(i, j int) float64 {
	a, b, sum := t.terms[i], t.terms[j], 0.0
	for x, y := 0, 0; x < len(a) && y < len(b); {
		switch {
		case a[x].word == b[y].word:
			sum += float64(a[x].weight) * float64(b[y].weight)
			x++
			y++
		case a[x].word < b[y].word:
			x++
		default:
			y++
		}
	}
	return sum
}

// Centrality returns the average similarity of a text to the others.
func (t *Texts) Centrality(i int, others []int) float64 {
	sum, n := 0.0, 0
	for _, j := range others {
		if j != i {
			sum += t.Like(i, j)
			n++
		}
	}
	return sum / float64(max(1, n))
}

// Average returns the average similarity of the pairs of a group, 1 for a single text. For a large group it takes a
// sample.
func (t *Texts) Average(group []int) float64 {
	const sampled = 32
	if len(group) < 2 {
		return 1
	}
	step := max(1, len(group)/sampled)
	sum, n := 0.0, 0
	for i := 0; i < len(group); i += step {
		for j := 0; j < i; j += step {
			sum += t.Like(group[i], group[j])
			n++
		}
	}
	return sum / float64(max(1, n))
}

// Groups returns the groups of two texts or more, by average linkage: two groups are merged while their average
// similarity is at least join. A group is a sorted list of indices; the groups are sorted by their first index. Texts
// are never in one group if they share none of their weightiest tokens, directly or through other texts.
func (t *Texts) Groups(join float64) [][]int {
	f := newForest(len(t.terms))
	t.pairs(func(i, j int) {
		if f.find(i) != f.find(j) && t.Like(i, j) >= join {
			f.union(i, j)
		}
	})
	parts := map[int][]int{}
	for i := range t.terms {
		r := f.find(i)
		parts[r] = append(parts[r], i)
	}
	var out [][]int
	for _, part := range parts {
		if len(part) < 2 {
			continue
		}
		for from := 0; from < len(part); from += mostLink { // thousands of texts are mostly one note repeated
			out = append(out, t.link(part[from:min(from+mostLink, len(part))], join)...)
		}
	}
	slices.SortFunc(out, func(a, b []int) int { return cmp.Compare(a[0], b[0]) })
	return out
}

// pairs calls try for pairs of texts that share one of their weightiest tokens.
func (t *Texts) pairs(try func(i, j int)) {
	lists := map[uint32][]int{}
	for i, terms := range t.terms {
		for _, w := range weightiestOf(terms) {
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
		}
		for i := range list {
			for j := max(0, i-reach); j < i; j++ {
				try(list[i], list[j])
			}
		}
	}
}

func weightiestOf(terms []term) []uint32 {
	all := slices.Clone(terms)
	slices.SortFunc(all, func(a, b term) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight),
			cmp.Compare(a.word, b.word))
	})
	out := make([]uint32, 0, weightiest)
	for _, x := range all[:min(weightiest, len(all))] {
		out = append(out, x.word)
	}
	return out
}

// link groups texts by average linkage with the algorithm of nearest-neighbour chains
// (Murtagh, 1983), in n² steps for n texts. A chain goes from each group to the one
// nearest to it. When two groups are nearest to each other, they are merged.
func (t *Texts) link(points []int, join float64) [][]int {
	n := len(points)
	l := linkage{n: n, like: make([]float32, n*n), groups: make([][]int, n), alive: make([]bool, n)}
	for i := range points {
		l.groups[i], l.alive[i] = []int{points[i]}, true
		for j := range i {
			v := float32(t.Like(points[i], points[j]))
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
