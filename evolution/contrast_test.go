package evolution

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

func TestContrastInChinese(t *testing.T) {
	var members, rest []tree.Node
	for i, x := range []string{"订单", "发票", "收据"} {
		members = append(members, made(i, "content_validation_error", taxonomy.FalsePass, "p", "智能体读错了日期："+x+"详情页的月份与列表中的月份不一致，但没有逐字比对", "h"))
	}
	for i, x := range []string{"按钮", "图标", "标题"} {
		rest = append(rest, made(10+i, "content_validation_error", taxonomy.FalsePass, "p", "智能体没有看到"+x+"的颜色，读错了样式", "h"))
	}
	reason := func(n *tree.Node) string { return n.CaseData.ErrorReason }
	got := newContrast(pointers(members), pointers(rest), reason, reader{}).words(5, general(), reason(&members[0]))
	require.Equal(t, []string{"日期", "详情页", "月份", "列表", "一致"}, got)
}

func TestContrastInEnglish(t *testing.T) {
	reason := func(n *tree.Node) string { return n.CaseData.ErrorReason }
	nodes := shop()
	got := newContrast(pointers(nodes[:5]), pointers(nodes[5:]), reason, reader{}).words(4, general(), "")
	require.Equal(t, []string{"add", "exact", "lines", "rounded"}, got)
	require.Empty(t, newContrast(pointers(nodes[:1]), nil, reason, reader{}).words(4, general(), ""), "one case has nothing in common with others")
}

func TestContrastKeepsIdentifiersWhole(t *testing.T) {
	reason := func(n *tree.Node) string { return n.CaseData.ErrorReason }
	var members, rest []tree.Node
	for i, x := range []string{"Newark", "Boston", "Denver"} {
		members = append(members, made(i, "interaction_sequence_error", taxonomy.FalsePass, "p", "update_flight_booking left out for "+x, "h"))
		rest = append(rest, made(10+i, "interaction_sequence_error", taxonomy.FalsePass, "p", "send_mail left out for "+x, "h"))
	}
	got := newContrast(pointers(members), pointers(rest), reason, reader{}).words(5, general(), "")
	require.Equal(t, []string{"update_flight_booking"}, got)
	require.Equal(t, 3, countWords(got))
}

// TestTheRulesTakeTheHintThatCasesShare has hints as the rules analyst words
// them: the task of each case first, then what holds of others too.
func TestTheRulesTakeTheHintThatCasesShare(t *testing.T) {
	const left = "it is done only if every request of the task has been carried out by its own call; send_receipt was left out before."
	j := &job{kind: tree.Experience, partition: Partition{"interaction_sequence_error", taxonomy.FalsePass}, lang: "en", read: reader{}}
	for i, x := range []string{"pay the bill", "close the account", "return the lamp"} {
		n := made(i, "interaction_sequence_error", taxonomy.FalsePass, x, "send_receipt left out", "For a task like “"+x+"” (form), before reporting it as passed or done: "+left)
		n.Provenance.Analyst = "rules"
		j.members = append(j.members, &n)
		o := made(10+i, "interaction_sequence_error", taxonomy.FalsePass, x+" late", "it was slow", "For a task like “"+x+" late”, before reporting it as passed or done: wait.")
		o.Provenance.Analyst = "rules"
		j.rest = append(j.rest, &o)
	}
	j.shown = j.members
	e, err := New(options(t))
	require.NoError(t, err)
	w := newWriter(e, j)
	require.Equal(t, "Before reporting it as passed or done: "+left, w.repeatedHint())
	for _, n := range j.rest { // said of all of the type, it tells nothing of these
		n.CaseData.AvoidanceHint = "For a task like “x”, before reporting it as passed or done: " + left
	}
	require.Empty(t, w.repeatedHint())
}

// Where a type has one group alone, what the rules say of every case of the type is
// said of all there are; it is no hint about the group all the same.
func TestChecklistIsNoHint(t *testing.T) {
	var runs []tree.Evaluation
	for i, thing := range []string{"购物车", "订单", "发票", "退款单", "优惠券"} {
		at := time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC)
		runs = append(runs, tree.Evaluation{
			ID: thing, RunID: thing, CaseID: thing, At: at, Prompt: "检查" + thing + "页面的合计金额是否等于各行金额之和",
			Judgment: tree.Raw(`"pass"`), GroundTruth: tree.Raw(`"fail"`), Scene: tree.Scene{ID: thing, Type: "form"},
			Reason: "智能体没有把" + thing + "的各行金额逐一相加，把四舍五入后的合计当成了准确的合计。",
		})
	}
	m := newMemory(t)
	m.form(runs)
	m.evolve(options(t), PlanOptions{})
	lessons := m.live(tree.Experience)
	require.Len(t, lessons, 1)
	kind, _ := taxonomy.Default().ErrorType(lessons[0].ErrorType)
	for _, l := range lessons[0].Content.Lessons {
		require.NotContains(t, l.Check, kind.Checklist.ZH)
	}
	require.Contains(t, lessons[0].Content.Lessons[0].Check, "四舍五入")
	require.Contains(t, lessons[0].Content.Lessons[0].Mistake, "没有把")
}

func TestCountWords(t *testing.T) {
	require.Equal(t, 0, countWords(nil))
	require.Equal(t, 7, countWords([]string{"total", "cancel_reservation", "WebSurfer", "四舍五入", "合计"}))
}
