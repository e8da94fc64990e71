package look

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/meter"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/tree"
)

// evaluations reads a data set.
func evaluations(t *testing.T, name string) (out []tree.Evaluation) {
	t.Helper()
	dir := cmp.Or(os.Getenv("MEMTREE_SHARED"), filepath.Join("..", "..", "shared"))
	b, err := os.ReadFile(filepath.Join(dir, "data", "evaluations", name+".jsonl"))
	if err != nil {
		t.Skip("the real data is not here; set MEMTREE_SHARED to measure on it")
	}
	for line := range strings.Lines(string(b)) {
		var e tree.Evaluation
		require.NoError(t, json.Unmarshal([]byte(line), &e))
		out = append(out, e)
	}
	return out
}

func inTime(es []tree.Evaluation) []tree.Evaluation {
	slices.SortStableFunc(es, func(a, b tree.Evaluation) int { return a.At.Compare(b.At) })
	return es
}

// TestQualityTokens: a look at a real verdict costs at most 2,500 tokens in the median, with a long answer, and no look
// is lost because evidence reads like an order.
func TestQualityTokens(t *testing.T) {
	set := prompts.Load()
	table := "Tokens of a look at a verdict: the median, and the most.\n\n"
	for _, name := range []string{"webjudge", "judgebench", "tau"} {
		var tokens []int
		empty, cut := 0, 0
		for _, e := range evaluations(t, name) {
			if visible(&e) == "" {
				empty++
			}
			in := question(&e, nil)
			if in.Evidence != (prompts.LookInput{Evidence: visible(&e)}).Shown() {
				cut++
			}
			require.False(t, orders(&in), e.ID)
			p, err := set.Look(in)
			require.NoError(t, err)
			used := meter.Estimate(llm.Request{System: p.System, Prompt: p.Text, Schema: p.Schema, MaxTokens: maxTokens})
			tokens = append(tokens, used.InputTokens+firstAnswer)
		}
		slices.Sort(tokens)
		t.Logf("%s: %d verdicts, %d without evidence, tokens: median %d, most %d; with a sentence withheld: %d", name,
			len(tokens), empty, tokens[len(tokens)/2], tokens[len(tokens)-1], cut)
		require.LessOrEqual(t, tokens[len(tokens)/2], 2500)
		table += fmt.Sprintf("%-10s %4d %4d\n", name, tokens[len(tokens)/2], tokens[len(tokens)-1])
	}
	golden.Equal(t, "testdata/tokens.golden", table)
}
