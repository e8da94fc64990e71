package guard

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/taxonomy"
)

// TestDecides: what two test leads taught and edited, as it was meant to be taken.
func TestDecides(t *testing.T) {
	for _, s := range []string{
		"If the login form is shown, the test has passed.", "The account lock is not a bug.",
		"Do not report a missing lock message.", "A missing banner counts as failed.", "Skip the check of the banner.",
		"登录失败不算缺陷。", "登录的时候以提示为准，提示成功即可放行。", "登录失败不能算缺陷。", "If the page loads, mark it as passed.",
		"The test passes when the toast is shown.", "Ignore the tooltip.", "保存失败也判为通过。", "不用核对金额。", "不要上报样式问题。",
		"这不是问题。", "Layout differences need not be reported.", "There is no need to compare the sums.",
	} {
		at, yes := Decides("Compare the sums. " + s)
		require.True(t, yes, s)
		require.Contains(t, s, strings.TrimSpace(at))
	}
	for _, s := range []string{
		"Read the unit next to each volume and convert to ml before comparing.", "Enlarge the photo of the delivery.",
		"Do not pass the test on the toast alone.", "If the totals differ, name the row.",
		"Passed orders are listed under Done.", "The error message must name the field.", "不要只看提示就判通过。", "不要跳过最后一页。",
		"登录失败后要等十分钟。", "确认没有多余的提示。", "通过菜单打开设置页。", "Scroll down before you judge.",
	} {
		at, yes := Decides(s)
		require.False(t, yes, at)
	}
	var refused []string
	for _, c := range taxonomy.Default().Checks() {
		for _, d := range []taxonomy.Direction{taxonomy.FalsePass, taxonomy.FalseFail} {
			if !c.Speaks(d) {
				continue
			}
			for _, lang := range []string{"en", "zh"} {
				if at, yes := Decides(c.Advice(d).Do.In(lang)); yes {
					refused = append(refused, at)
				}
			}
		}
	}
	require.LessOrEqual(t, len(refused), 2, refused)
}

// TestDecidesUnseen measures Decides on sentences that it was not fitted to.
func TestDecidesUnseen(t *testing.T) {
	b, err := os.ReadFile("testdata/orders_unseen.txt")
	require.NoError(t, err)
	for lang, zh := range map[string]bool{"en": false, "zh": true} {
		n, hit := map[string]int{}, map[string]int{}
		for line := range strings.Lines(string(b)) {
			kind, s, ok := strings.Cut(strings.TrimSpace(line), "\t")
			if !ok || strings.ContainsFunc(s, isHan) != zh {
				continue
			}
			n[kind]++
			if _, yes := Decides(s); yes {
				hit[kind]++
			}
		}
		require.Equal(t, map[string]int{"forces": 40, "fine": 40}, n)
		t.Logf("%s: forcing found %d of 40, innocent refused %d of 40", lang, hit["forces"], hit["fine"])
		require.GreaterOrEqual(t, hit["forces"], 34, lang)
		require.LessOrEqual(t, hit["fine"], 2, lang)
	}
}
