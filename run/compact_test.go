package run_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/run"
)

// What has a kind stays, the budget holds, and the order is that of the transcript, whatever is in it.
func TestCompact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) run.Message {
			return run.Message{
				Role: rapid.SampledFrom([]string{"system", "user", "assistant", "tool"}).Draw(t, "role"),
				Kind: rapid.SampledFrom([]ledger.WorkKind{"", "", "", "", ledger.WorkError, ledger.WorkFinding,
					ledger.WorkDecision}).Draw(t, "kind"),
				Text: rapid.SampledFrom([]string{"", "ok", "页面已加载", rapid.StringN(0, 400, 2000).Draw(t, "text")}).Draw(t, "which"),
			}
		}), 0, 60).Draw(t, "list")
		budget := rapid.IntRange(600, 6000).Draw(t, "budget")
		out, did := run.Compact(list, run.CompactOptions{Budget: budget, Last: rapid.IntRange(0, 8).Draw(t, "last")})
		total, kinds := 0, 0
		for _, m := range out {
			total += text.Estimate(m.Text) + 4
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
	decided := run.Message{Role: "assistant", Kind: ledger.WorkDecision,
		Text: "I pay by card, since the invoice is broken."}
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

// Errors, findings and decisions are found in plain messages, in both languages, and the rest is left to the summary.
func TestKindOf(t *testing.T) {
	for s, kind := range map[string]ledger.WorkKind{
		"The page does not show any orders.":                               ledger.WorkError,
		"点击提交后没有反应":                                                        ledger.WorkError,
		"I will try another payment method.":                               ledger.WorkDecision,
		"改用银行卡支付":                                                          ledger.WorkDecision,
		"Only three of the invoices are open, in total 41.20 euros.":       ledger.WorkFinding,
		"合计 320 元":                                                         ledger.WorkFinding,
		"call cancel_order {\"order\": 7}":                                 ledger.WorkDecision,
		"The page has loaded.":                                             "",
		"click('79')":                                                      "",
		"打开购物车页面":                                                          "",
		"Opening the cart. The button is not visible. I will go back now.": ledger.WorkError,
	} {
		kind2, sentences := run.KindOf(s)
		require.Equal(t, kind, kind2, s)
		require.Equal(t, kind == "", len(sentences) == 0, s)
	}
	_, sentences := run.KindOf("Opening the cart. The button is not visible. I will go back now.")
	require.Equal(t, []string{"The button is not visible.", "I will go back now."}, sentences)
}

// A message of a megabyte is cut to what counts, in time, also with a tokenizer that counts its own way.
func TestCompactOfLongMessages(t *testing.T) {
	long := strings.Repeat("The page has loaded; it lists twenty products. ", 22_000)
	list := []run.Message{
		{Role: "system", Text: "You explore the shop."},
		{Role: "tool", Text: "The coupon was not found. " + long},
		{Role: "tool", Text: strings.Repeat("界", 350_000)},
		{Role: "assistant", Kind: ledger.WorkDecision, Text: "I pay by card. " + long},
		{Role: "user", Text: long + "Go on."},
	}
	for _, count := range []func(string) int{nil, func(s string) int { return len(s) }} {
		out, did := run.Compact(list, run.CompactOptions{Budget: 2000, Count: count})
		require.LessOrEqual(t, did.After, 2000)
		require.Equal(t, list[0], out[0])
		require.True(t, slices.ContainsFunc(out, func(m run.Message) bool {
			return strings.Contains(m.Text, "The coupon was not found.")
		}))
		require.True(t, slices.ContainsFunc(out, func(m run.Message) bool { return m.Kind == ledger.WorkDecision }))
	}
}
