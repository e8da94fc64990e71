package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// TestSieve: in a tree with more memories than fit in one request, the sieve keeps the memories that a capable reader
// picked among all memories of a suite. The tree contains all suites.
func TestSieve(t *testing.T) {
	shared(t)
	var all []tree.Node
	var tests []brief.UpcomingTest
	picks := map[string][]string{} // by key of the test
	for _, name := range []string{"a", "b", "g", "i"} {
		m := play(t, name)
		for n, err := range m.Tree().Scan(t.Context(), store.Filter{}) {
			require.NoError(t, err)
			all = append(all, n)
		}
		for _, b := range m.Briefs().Coming() {
			tests = append(tests, b.UpcomingTest)
			for _, p := range b.Picks {
				picks[b.Key] = append(picks[b.Key], p.ID)
			}
		}
	}
	ix := retrieval.New(taxonomy.Default(), nil)
	require.NoError(t, ix.Update(t.Context(), 1, all))
	lines := brief.Memories(all, nil)
	byLine := map[string]string{}
	for i := range lines {
		byLine[lines[i].Line] = lines[i].ID
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%d memories; share of %d picks that are left\n", len(byLine), count(picks))
	for _, room := range []int{120, 60, 30} {
		book := brief.New()
		for _, x := range tests {
			require.NoError(t, book.Note(x, x.Prompt))
		}
		book.Learn(lines)
		asked, left, of := 0, 0, 0
		for _, q := range book.Plan(tests, brief.QuestionLimits{Memories: room}, near(t, ix)) {
			asked++
			var there []string
			for _, m := range q.In.Memories {
				there = append(there, byLine[m.Line])
			}
			for _, x := range q.In.Tests {
				for _, id := range picks[keyOf(tests, x.Prompt)] {
					of++
					if slices.Contains(there, id) {
						left++
					}
				}
			}
		}
		fmt.Fprintf(&out, "%4d in a question, %2d questions: %.3f\n", room, asked, float64(left)/float64(of))
	}
	golden.Equal(t, "testdata/sieve.golden", out.String())
}

// near is the sieve of a memory; see memtree.Memory.Brief.
func near(t *testing.T, ix *retrieval.Index) brief.Sieve {
	return func(x *brief.UpcomingTest) []string {
		r, err := ix.Explain(t.Context(), retrieval.Query{Prompt: x.Prompt, Limits: retrieval.Limits{Candidates: 12}})
		require.NoError(t, err)
		ids := make([]string, len(r.Considered))
		for i := range r.Considered {
			ids[i] = r.Considered[i].ID
		}
		return ids
	}
}

func count(picks map[string][]string) (n int) {
	for _, p := range picks {
		n += len(p)
	}
	return n
}

func keyOf(tests []brief.UpcomingTest, prompt string) string {
	i := slices.IndexFunc(tests, func(x brief.UpcomingTest) bool { return x.Prompt == prompt })
	return tests[i].Key()
}
