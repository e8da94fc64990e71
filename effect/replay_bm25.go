package effect

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/tree"
)

// Nearest is a simple memory to compare with. It stores the prompt of every wrong verdict and returns the wrong
// verdicts with the nearest prompts by BM25 (Robertson and Zaragoza 2009; k1 1.2, b 0.75). It uses no scene and no
// threshold, and forgets nothing. It uses memtree's own tokenizer, so that only the method is compared.
type Nearest struct {
	give  int
	docs  []bm25Document
	terms map[string][]bm25Posting
	total int // tokens in all documents
}

type bm25Document struct {
	item   ReplayWarning
	tokens int
}

type bm25Posting struct {
	doc, count int
}

// The constants of BM25 most often used.
const (
	k1 = 1.2
	b  = 0.75
)

// NewNearest returns an empty Nearest that answers with at most give cases for each run.
func NewNearest(give int) *Nearest {
	return &Nearest{give: give, terms: map[string][]bm25Posting{}}
}

// Name returns "bm25", the name of its row.
func (*Nearest) Name() string { return "bm25" }

// Matched marks Nearest as a subject without a threshold of its own, see Replay.
func (*Nearest) Matched() {}

// Ask returns the wrong verdicts with the prompts nearest to the prompt of e, nearest first. Score is the highest BM25.
func (x *Nearest) Ask(_ context.Context, e *tree.Evaluation) (ReplayAnswer, error) {
	scores := make([]float64, len(x.docs))
	for _, t := range slices.Compact(slices.Sorted(slices.Values(text.Tokens(e.Prompt)))) {
		ps := x.terms[t]
		df, n := float64(len(ps)), float64(len(x.docs))
		idf := math.Log1p((n - df + 0.5) / (df + 0.5))
		for _, p := range ps {
			f, long := float64(p.count), float64(x.docs[p.doc].tokens)*n/float64(x.total)
			scores[p.doc] += idf * f * (k1 + 1) / (f + k1*(1-b+b*long))
		}
	}
	found := make([]int, 0, len(scores))
	for i, s := range scores {
		if s > 0 {
			found = append(found, i)
		}
	}
	slices.SortFunc(found, func(i, j int) int { return cmp.Or(cmp.Compare(scores[j], scores[i]), i-j) })
	a := ReplayAnswer{Guided: len(found) > 0}
	for _, i := range found[:min(x.give, len(found))] {
		a.Items = append(a.Items, x.docs[i].item)
	}
	if a.Guided {
		a.Score = scores[found[0]]
	}
	return a, nil
}

// Learn stores the prompt of e if its verdict was wrong.
func (x *Nearest) Learn(_ context.Context, e *tree.Evaluation, v RunLabel) error {
	if !v.Wrong() {
		return nil
	}
	tokens := text.Tokens(e.Prompt)
	counts := map[string]int{}
	for _, t := range tokens {
		counts[t]++
	}
	for t, n := range counts {
		x.terms[strings.Clone(t)] = append(x.terms[t], bm25Posting{doc: len(x.docs), count: n})
	}
	x.docs = append(x.docs, bm25Document{item: ReplayWarning{Direction: v.Direction, Scenes: []tree.Scene{e.Scene}},
		tokens: len(tokens)})
	x.total += len(tokens)
	return nil
}
