package look

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/guard"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/meter"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/tree"
)

// TestQualityTokens: a look at a real verdict costs at most 2,500 tokens in the median, and real evidence is seldom
// taken for an order.
func TestQualityTokens(t *testing.T) {
	dir := cmp.Or(os.Getenv("MEMTREE_SHARED"), filepath.Join("..", "..", "shared"))
	set, err := prompts.Load(nil)
	require.NoError(t, err)
	for _, name := range []string{"webjudge", "judgebench", "tau"} {
		b, err := os.ReadFile(filepath.Join(dir, "data", "evaluations", name+".jsonl"))
		if err != nil {
			t.Skip("the real data is not here; set MEMTREE_SHARED to measure on it")
		}
		var tokens []int
		orders, empty := 0, 0
		for line := range strings.Lines(string(b)) {
			var e tree.Evaluation
			require.NoError(t, json.Unmarshal([]byte(line), &e))
			if Evidence(&e) == "" {
				empty++
			}
			in := question(&e, nil)
			p, err := set.Look(in)
			require.NoError(t, err)
			used := meter.Estimate(llm.Request{System: p.System, Prompt: p.Text, Schema: p.Schema, MaxTokens: maxTokens})
			tokens = append(tokens, used.InputTokens+used.OutputTokens)
			if _, is := guard.Forces(in.Shown()); is {
				orders++
			}
		}
		slices.Sort(tokens)
		t.Logf("%s: %d verdicts, %d without evidence, tokens: median %d, most %d; taken for orders: %d", name, len(tokens),
			empty, tokens[len(tokens)/2], tokens[len(tokens)-1], orders)
		require.LessOrEqual(t, tokens[len(tokens)/2], 2500)
	}
}
