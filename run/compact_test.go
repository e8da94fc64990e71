package run_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/memtree/memtree/run"
	"github.com/memtree/memtree/tree"
)

// What has a kind stays, the budget holds, and the order is that of the transcript, whatever is in it.
func TestCompact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) run.Message {
			return run.Message{
				Role: rapid.SampledFrom([]string{"system", "user", "assistant", "tool"}).Draw(t, "role"),
				Kind: rapid.SampledFrom([]tree.WorkKind{"", "", "", "", tree.WorkError, tree.WorkFinding,
					tree.WorkDecision}).Draw(t, "kind"),
				Text: rapid.SampledFrom([]string{"", "ok", "页面已加载", rapid.StringN(0, 400, 2000).Draw(t, "text")}).Draw(t, "which"),
			}
		}), 0, 60).Draw(t, "list")
		budget := rapid.IntRange(600, 6000).Draw(t, "budget")
		out, did := run.Compact(list, run.CompactOptions{Budget: budget, Last: rapid.IntRange(0, 8).Draw(t, "last")})
		total, kinds := 0, 0
		for _, m := range out {
			total += run.Tokens(m.Text) + 4
			if m.Kind != "" {
				kinds++
			}
		}
		require.Equal(t, did.After, total)
		require.LessOrEqual(t, total, budget)
		want := 0
		for _, m := range list {
			if m.Kind != "" {
				want++
			}
		}
		require.Equal(t, want, kinds, "nothing with a kind is dropped")
		again, _ := run.Compact(list, run.CompactOptions{Budget: budget, Last: 0})
		twice, _ := run.Compact(list, run.CompactOptions{Budget: budget, Last: 0})
		require.Equal(t, again, twice)
	})
}

func TestCompactKeepsWhatMatters(t *testing.T) {
	list := []run.Message{{Role: "system", Text: "You explore the shop."}}
	for range 200 {
		list = append(list, run.Message{Role: "tool", Text: "The page has loaded; it lists twenty products with prices."})
	}
	decided := run.Message{Role: "assistant", Kind: tree.WorkDecision, Text: "I pay by card, since the invoice is broken."}
	list = slices.Insert(list, 30, decided)
	list = append(list, run.Message{Role: "user", Text: "Go on."})
	out, did := run.Compact(list, run.CompactOptions{Budget: 1000})
	require.LessOrEqual(t, did.After, 1000)
	require.Greater(t, did.Before, 1000)
	require.Equal(t, list[0], out[0])
	require.Contains(t, out[1].Text, "Earlier messages, in short (195)")
	require.Equal(t, decided, out[2])
	require.Equal(t, "Go on.", out[len(out)-1].Text)
	same, did := run.Compact(out, run.CompactOptions{Budget: 10_000})
	require.Equal(t, out, same, "there is room")
	require.Equal(t, did.Before, did.After)
}
