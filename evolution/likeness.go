package evolution

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/memtree/memtree/internal/text"
)

// Bounds on the work. Two texts are compared when they share one of their weightiest tokens. If few texts have the
// token, all pairs are compared; if many do, each text is compared with those shortly before it.
const (
	weightiest = 10  // tokens of a text by which pairs are found
	shortList  = 48  // texts with a token, up to which all pairs are compared
	listWindow = 12  // texts before it that a text is compared with in a longer list
	mostLink   = 600 // texts that link compares each with each
)

// weighedTexts holds short texts as weighted tokens: by text, sorted by token. It groups them by the tokens they share;
// the same texts in the same order give the same groups. It is immutable and safe for concurrent use.
type weighedTexts struct{ terms [][]term }

// term is a token of a text with the weight (1 + ln tf)·idf, scaled so that the weights of a text form a vector of
// length 1.
type term struct {
	word   uint32
	weight float32
}

// weighTexts weighs the tokens of texts. The document frequency counts equal texts once, so that a note that is
// repeated often does not make its tokens common.
func weighTexts(list []string) *weighedTexts {
	t := &weighedTexts{terms: make([][]term, len(list))}
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
		weighTerms(terms, df, float64(len(distinct)))
	}
	return t
}

func weighTerms(terms []term, df []float64, n float64) {
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

// like returns the similarity of two texts, given by index: the cosine of their weighted tokens, 0 to 1.
func (t *weighedTexts) like(i, j int) float64 {
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

// centrality returns the average similarity of a text to the others.
func (t *weighedTexts) centrality(i int, others []int) float64 {
	sum, n := 0.0, 0
	for _, j := range others {
		if j != i {
			sum += t.like(i, j)
			n++
		}
	}
	return sum / float64(max(1, n))
}

// average returns the average similarity of the pairs of a group, 1 for a single text. For a large group it takes a
// sample.
func (t *weighedTexts) average(group []int) float64 {
	const sampled = 32
	if len(group) < 2 {
		return 1
	}
	step := max(1, len(group)/sampled)
	sum, n := 0.0, 0
	for i := 0; i < len(group); i += step {
		for j := 0; j < i; j += step {
			sum += t.like(group[i], group[j])
			n++
		}
	}
	return sum / float64(max(1, n))
}

// groups returns the groups of two texts or more, by average linkage: two groups are merged while their average
// similarity is at least join. A group is a sorted list of indices; the groups are sorted by their first index. Texts
// are never in one group if they share none of their weightiest tokens, directly or through other texts.
func (t *weighedTexts) groups(join float64) [][]int {
	f := newForest(len(t.terms))
	t.pairs(func(i, j int) {
		if f.find(i) != f.find(j) && t.like(i, j) >= join {
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
func (t *weighedTexts) pairs(try func(i, j int)) {
	lists := map[uint32][]int{}
	for i, terms := range t.terms {
		for _, w := range weightiestOf(terms) {
			lists[w] = append(lists[w], i)
		}
	}
	for _, w := range slices.Sorted(maps.Keys(lists)) {
		list := lists[w]
		reach := len(list)
		if len(list) > shortList {
			reach = listWindow
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
