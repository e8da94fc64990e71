package say

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/memtree/memtree/internal/text"
)

func TestTableFitsWhateverIsInIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cell := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.RuneFrom([]rune("订单金额 校验abc é👍\x1b[31m\n\t"))))
		tab := &Table{Indent: "  ", Columns: []Column{
			{Head: "a", Least: 4}, {Head: "数量", Right: true, Least: 3}, {Head: "c", Least: 8},
		}}
		for range rapid.IntRange(0, 5).Draw(t, "rows") {
			tab.Add(cell.Draw(t, "x"), cell.Draw(t, "y"), cell.Draw(t, "z"))
		}
		width := rapid.IntRange(24, 100).Draw(t, "width")
		for _, l := range tab.Lines(width) {
			if text.Width(l) > width || strings.ContainsAny(l, "\x1b\n\r\t") {
				t.Fatalf("%d cells of %d: %q", text.Width(l), width, l)
			}
		}
	})
}

func TestTableAlignsChinese(t *testing.T) {
	tab := &Table{Columns: []Column{{Head: "类型"}, {Head: "n", Right: true}, {Head: "说明", Least: 6}}}
	tab.Add("内容校验错误", "7", "short")
	tab.Add("form", "12", "金额没有核对清楚")
	require.Equal(t, []string{
		"类型           n  说明",
		"内容校验错误   7  short",
		"form          12  金额没有核对清楚",
	}, tab.Lines(80))
	require.Equal(t, []string{
		"类型           n  说明",
		"内容校验错误   7  short",
		"form          12  金额没…",
	}, tab.Lines(25))
}

func TestWrap(t *testing.T) {
	require.Equal(t, []string{"one two", "three"}, Wrap("one two three", 8))
	require.Equal(t, []string{"abcdefgh", "ij"}, Wrap("abcdefghij", 8))
	require.Equal(t, []string{"检查订单", "金额。"}, Wrap("检查订单金额。", 8))
	require.Equal(t, []string{"检查订", "单。"}, Wrap("检查订单。", 8), "a full stop does not begin a line")
	require.Equal(t, []string{"a", "", "  b c"}, Wrap("a\n\n  b c", 20))
	require.Equal(t, []string{"it was", "17 % of"}, Wrap("it was 17 % of", 9))
	require.Equal(t, []string{""}, Wrap("", 8))
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		width := rapid.IntRange(4, 40).Draw(t, "width")
		out := Wrap(s, width)
		for _, l := range out {
			if text.Width(l) > width {
				t.Fatalf("%q has %d cells, not %d", l, text.Width(l), width)
			}
		}
		plain := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if want, got := plain(text.Clean(s)), plain(strings.Join(out, "")); want != got {
			t.Fatalf("%q became %q", want, got)
		}
	})
}

func TestPaintOnlyWhereItIsSeen(t *testing.T) {
	s := Terminal{}
	require.Equal(t, "x", s.Paint(Red, "x"))
	s.Colour = true
	require.Equal(t, "\x1b[31mx\x1b[0m", s.Paint(Red, "x"))
	require.Empty(t, s.Paint(Red, ""))
}
