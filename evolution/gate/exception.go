package gate

import (
	"regexp"
	"strings"
	"sync"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/text"
)

// restricts matches words that narrow an exception, so that it does not hold for all
// the cases the lesson is for.
var restricts = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:only|single|just|no|not|none|never|without|already|except|itself|themselves|` +
		`one|alone|less|fewer|nothing|neither|cannot|too|far|much|longer|static|trivial)\b|n't\b|` +
		`[只仅没不未无非单已另少超很长久]|一个|一次|本身|除了|之外`)
})

// furniture is the set of words for what nearly every page has.
var furniture = bagOf(`page button buttons menu menus picker pickers link links text texts label labels field fields
input inputs form forms list lists table tables row rows column columns
dialog dialogs icon icons image images tab tabs heading headings control controls checkbox checkboxes toggle toggles
element elements content number numbers value values data option options dropdown selector widget header footer
按钮 菜单 链接 文字 文本 标签 字段 输入框 表单 列表 表格 弹窗 图标 图片 标题 控件 复选框 开关 元素 内容 数字 数据 选项 下拉 校验 提示 输入 选择器`)

// covers is the share of an exception's words that a condition must have for the
// exception to cover it. An exception with more words of its own is narrower.
const covers = 0.70

// there matches words that only say that a page has something.
var there = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:has|have|having|contains?|with|there (?:is|are)|includes?|` +
		`on the page)\b|有|包含|含|存在`)
})

// exceptions refuses an exception that holds wherever the lesson applies.
func exceptions(_ *Gates, v *view) string {
	for _, s := range v.draft.NotWhen {
		for _, part := range clauses(s) {
			if restricts().MatchString(part) {
				continue
			}
			if v.cancels(part) {
				return v.because(taxonomy.Text{EN: "the exception “%s” holds wherever the lesson applies; " +
					"leave it out or narrow it down", ZH: "例外“%s”在经验适用的地方都成立；请去掉或缩小范围"}, text.Clip(s, 60))
			}
		}
	}
	return ""
}

// cancels reports whether an exception holds for any test, or covers a condition of the
// draft.
func (v *view) cancels(exception string) bool {
	words := telling(exception)
	if broad(exception) || there().MatchString(exception) && len(words) > 0 && words.shared(furniture) == len(words) {
		return true
	}
	for _, s := range v.draft.AppliesWhen {
		own := telling(s)
		if n := words.shared(own); n > 0 && float64(n) >= covers*float64(len(words)) && (n > 1 || len(own) == 1) {
			return true
		}
	}
	return false
}

// clauses splits a condition at “or” and semicolons.
func clauses(s string) []string {
	return strings.FieldsFunc(either().ReplaceAllString(s, "\n"),
		func(r rune) bool { return r == '\n' || r == '；' || r == ';' })
}

var either = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`，或者?|；或者?|, or `) })
