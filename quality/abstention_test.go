package quality

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/embed/use"
	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/tree"
)

// promptsPerSet is the maximum number of prompts of a set.
const promptsPerSet = 200

// sceneType is the scene type of all memories and prompts that have one.
const sceneType = "form"

// TestQualityOfAbstention measures how often a prompt gets memories, first by text and vectors alone, then if every
// memory has the scene type of the prompt. A prompt with a partner in the tree should get that partner; a prompt of
// another set should get nothing.
func TestQualityOfAbstention(t *testing.T) {
	all := tasks(t)
	e, err := use.Default()
	require.NoError(t, err)
	var b strings.Builder
	fmt.Fprintf(&b, "%-30s  %s\n", "%, of the prompts",
		"shown: its partner  anything | anything, to prompts of other sets")
	for _, m := range []struct {
		name, scene string
		e           llm.Embedder
	}{
		{"words and encoder", "", e}, {"words alone", "", nil},
		{"encoder and scene type", sceneType, e}, {"words and scene type", sceneType, nil},
	} {
		for _, x := range all {
			ix := indexOf(t, x, m.e)
			right, any := shownPercent(t, ix, x, m.scene, x.labels)
			fmt.Fprintf(&b, "%-30s  %17.1f %9.1f |", m.name+", "+x.name, right, any)
			for _, y := range all {
				if y.name != x.name {
					y.queries = slices.Clone(y.queries)
					for i := range y.queries {
						y.queries[i].exclude = ""
					}
					_, any := shownPercent(t, ix, y, m.scene, nil)
					fmt.Fprintf(&b, " %s %.1f", y.name, any)
				}
			}
			b.WriteString("\n")
		}
	}
	t.Log("\n" + b.String())
	golden.Equal(t, "testdata/abstention.golden", b.String())
}

// shownPercent returns how many of a task's prompts get a right memory and any memory, in percent.
func shownPercent(tb testing.TB, ix *retrieval.Index, t task, scene string, labels map[string]string) (right,
	any float64) {
	queries := t.queries[:min(promptsPerSet, len(t.queries))]
	for _, q := range queries {
		r, err := ix.Search(tb.Context(), retrieval.Query{Prompt: q.text, Scene: tree.Scene{Type: scene},
			Exclude: []string{q.exclude}})
		require.NoError(tb, err)
		any += boolean(!r.Abstained)
		right += boolean(slices.ContainsFunc(r.Hits, func(h retrieval.Hit) bool {
			return slices.Contains(q.relevant, h.ID) || labels != nil && labels[h.ID] == labels[q.id]
		}))
	}
	n := float64(len(queries)) / 100
	return right / n, any / n
}
