package evolution

import (
	"testing"

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
