package quality

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/embed/use"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// finder returns the ids of the k documents nearest to a query, best first.
type finder func(tb testing.TB, q query, k int) []string

func indexOf(tb testing.TB, t task, e llm.Embedder) *retrieval.Index {
	tb.Helper()
	nodes := make([]tree.Node, len(t.docs))
	for i, d := range t.docs {
		nodes[i] = tree.Node{
			ID: d.id, Type: tree.Case, Level: 1, ErrorType: taxonomy.OtherError, Direction: taxonomy.Other,
			Content: tree.Content{Confidence: 0.5}, Status: tree.Active, Revision: 1, Scene: tree.Scene{Type: sceneType},
			CaseData: &tree.CaseData{TestCase: tree.TestCase{Prompt: d.text}},
		}
	}
	ix := retrieval.New(taxonomy.Default(), e)
	require.NoError(tb, ix.Update(tb.Context(), 1, nodes))
	return ix
}

// memtree returns a finder that queries an index with the default settings.
func memtree(tb testing.TB, t task) finder {
	e, err := use.Default()
	require.NoError(tb, err)
	return alike(indexOf(tb, t, e))
}

// lexical returns a finder that queries an index without vectors.
func lexical(tb testing.TB, t task) finder { return alike(indexOf(tb, t, nil)) }

func alike(ix *retrieval.Index) finder {
	return func(tb testing.TB, q query, k int) []string {
		r, err := ix.Explain(tb.Context(), retrieval.Query{
			Prompt: q.text, Alike: true, Exclude: []string{q.exclude}, Limits: retrieval.Limits{Candidates: k},
		})
		require.NoError(tb, err)
		out := make([]string, len(r.Considered))
		for i, h := range r.Considered {
			out[i] = h.ID
		}
		return out
	}
}

// words returns a finder with BM25 over the same tokens: k1 = 1.2, b = 0.75, each token of a query once.
func words(tb testing.TB, t task) finder {
	type posting struct {
		doc   int
		times float64
	}
	lists := map[string][]posting{}
	length := make([]float64, len(t.docs))
	total := 0.0
	for i, d := range t.docs {
		times := map[string]float64{}
		for _, w := range text.Tokens(d.text) {
			times[w]++
			length[i]++
		}
		total += length[i]
		for w, n := range times {
			lists[w] = append(lists[w], posting{i, n})
		}
	}
	n, average := float64(len(t.docs)), total/float64(len(t.docs))
	return func(tb testing.TB, q query, k int) []string {
		score := make([]float64, len(t.docs))
		tokens := text.Tokens(q.text)
		slices.Sort(tokens)
		for _, w := range slices.Compact(tokens) {
			df := float64(len(lists[w]))
			idf := math.Log(1 + (n-df+0.5)/(df+0.5))
			for _, p := range lists[w] {
				score[p.doc] += idf * 2.2 * p.times / (p.times + 1.2*(0.25+0.75*length[p.doc]/average))
			}
		}
		return best(t, score, q, k)
	}
}

// meanings returns a finder that scans the encoder's vectors exactly.
func meanings(tb testing.TB, t task) finder {
	e, err := use.Default()
	require.NoError(tb, err)
	all := make([][]float32, len(t.docs))
	for i, d := range t.docs {
		all[i] = e.Vector(d.text)
	}
	return func(tb testing.TB, q query, k int) []string {
		v := e.Vector(q.text)
		score := make([]float64, len(all))
		for i, d := range all {
			for j, x := range d {
				score[i] += float64(x) * float64(v[j])
			}
		}
		return best(t, score, q, k)
	}
}

func best(t task, score []float64, q query, k int) []string {
	order := make([]int, len(score))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	var out []string
	for _, i := range order {
		if t.docs[i].id != q.exclude && len(out) < k {
			out = append(out, t.docs[i].id)
		}
	}
	return out
}

// scores has three figures: R@1, R@10 and MRR@10 of a search, or the accuracy of the
// nearest one and of the ten nearest of a vote.
type scores [3]float64

func measure(tb testing.TB, t task, find finder) scores {
	var s scores
	for _, q := range t.queries {
		ids := find(tb, q, 10)
		if t.labels != nil {
			s.add(boolean(len(ids) > 0 && t.labels[ids[0]] == t.labels[q.id]), boolean(vote(t, ids) == t.labels[q.id]), 0)
			continue
		}
		rank := slices.IndexFunc(ids, func(id string) bool { return slices.Contains(q.relevant, id) })
		if rank >= 0 {
			s.add(boolean(rank == 0), 1, 1/float64(rank+1))
		}
	}
	for i := range s {
		s[i] /= float64(len(t.queries))
	}
	return s
}

func (s *scores) add(a, b, c float64) { s[0], s[1], s[2] = s[0]+a, s[1]+b, s[2]+c }

func boolean(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// vote returns the label that most of the documents have; ties go to the nearest.
func vote(t task, ids []string) string {
	count := map[string]int{}
	most := 0
	for _, id := range ids {
		count[t.labels[id]]++
		most = max(most, count[t.labels[id]])
	}
	for _, id := range ids {
		if count[t.labels[id]] == most {
			return t.labels[id]
		}
	}
	return ""
}
