package cue

import (
	"cmp"
	"math"
	"slices"

	"github.com/memtree/memtree/text"
)

// examples tells which kind a text is of by the sentences most like it: for each
// kind the mean likeness of its nearest sentences (k nearest neighbours, Cover and
// Hart, 1967), by the cosine of their words weighed by rarity. It is immutable
// once built.
type examples struct {
	kinds int
	of    []int                // kind of each sentence
	lists map[string][]entryOf // sentences by word
	df    map[string]int
	norm  []float64 // length of each sentence
	texts []map[string]bool
}

// entryOf is a sentence that has a word.
type entryOf int32

// nearest is how many sentences of a kind count.
const nearest = 5

func newExamples(kinds int) *examples {
	return &examples{kinds: kinds, lists: map[string][]entryOf{}, df: map[string]int{}}
}

// learn adds a sentence of a kind; build ends it.
func (x *examples) learn(kind int, s string) {
	words := wordSet(s)
	if len(words) == 0 {
		return
	}
	i := entryOf(len(x.of)) //nolint:gosec // a few thousand sentences
	x.of, x.texts = append(x.of, kind), append(x.texts, words)
	for w := range words {
		x.df[w]++
		x.lists[w] = append(x.lists[w], i)
	}
}

func (x *examples) build() {
	x.norm = make([]float64, len(x.of))
	for i, words := range x.texts {
		for w := range words {
			x.norm[i] += x.weight(w) * x.weight(w)
		}
		x.norm[i] = math.Sqrt(x.norm[i])
	}
	x.texts = nil
}

// weight is how rare a word is among the sentences (inverse document frequency).
func (x *examples) weight(w string) float64 {
	return math.Log((float64(len(x.of)) + 1) / (float64(x.df[w]) + 0.5))
}

func wordSet(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range text.Tokens(s) {
		out[string([]byte(w))] = true
	}
	return out
}

// scores returns how like the nearest sentences of each kind are to a text, 0 to 1.
func (x *examples) scores(s string) []float64 {
	out := make([]float64, x.kinds)
	if len(x.of) == 0 {
		return out
	}
	own, dots := 0.0, make([]float64, len(x.of))
	words := make([]string, 0, 64)
	for w := range wordSet(s) {
		words = append(words, w)
	}
	slices.Sort(words) // sums of floats in one order
	for _, w := range words {
		v := x.weight(w) * x.weight(w)
		own += v
		for _, i := range x.lists[w] {
			dots[i] += v
		}
	}
	near := make([][]float64, x.kinds)
	for i, d := range dots {
		if d > 0 {
			near[x.of[i]] = append(near[x.of[i]], d/(x.norm[i]*math.Sqrt(own)))
		}
	}
	for k, l := range near {
		slices.SortFunc(l, func(a, b float64) int { return cmp.Compare(b, a) })
		for _, v := range l[:min(nearest, len(l))] {
			out[k] += v / nearest
		}
	}
	return out
}
