package formation

import (
	"strings"

	"github.com/memtree/memtree/internal/text"
)

// kindOfTask is the kind of request that a task is.
type kindOfTask int8

const (
	unclear          kindOfTask = iota
	changesSomething            // add, order, delete …
	asksSomething               // what, how many, list …
)

// taskKind returns the kind of a task. The first verb of a question or a change decides.
func taskKind(prompt string) kindOfTask {
	low := " " + text.Squeeze(strings.ToLower(firstBytes(prompt, 400))) + " "
	asks := firstOf(low, " what ", " what's ", " which ", " how many ", " how much ", " who ", " whose ", " when ",
		" where ", " tell me ", " list ", " find out ", " get the ", " give me ", " show me ", "多少", "哪个", "哪些", "什么", "几个",
		"查询", "列出", "告诉")
	changes := firstOf(low, " add ", " create ", " order ", " buy ", " post ", " comment ", " subscribe ", " unsubscribe ",
		" delete ", " remove ", " update ", " change ", " edit ", " set ", " submit ", " upload ", " send ", " fill ",
		" open ", " assign ", " reply ", " book ", " cancel ", " draft ", " sort ", " filter ", " invite ", " rate ", "添加",
		"新建", "创建", "提交", "删除", "修改", "编辑", "保存", "上传", "发送", "发布", "下单", "设置", "点击", "登录")
	switch {
	case asks < changes:
		return asksSomething
	case changes < asks:
		return changesSomething
	default:
		return unclear
	}
}

// firstOf returns the offset of the first of the words in s, len(s) if it contains none.
func firstOf(s string, words ...string) int {
	first := len(s)
	for _, w := range words {
		if i := strings.Index(s, w); i >= 0 && i < first {
			first = i
		}
	}
	return first
}
