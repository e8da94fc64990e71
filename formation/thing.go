package formation

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/memtree/memtree/tree"
)

// A thing is the object of a check: a control, a field or a page, by the name in the task. Only names in the task are
// used. They give nothing away, and an agent that reads the task knows them.

// quotedThing matches text between quotation marks of any kind.
var quotedThing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`“([^“”\n]{1,60})”|「([^「」\n]{1,60})」|"([^"\n]{1,60})"|‘([^‘’\n]{1,60})’|(?:^|` +
		`[\s(（：:，、])'([^'\n]{1,60})'`)
})

// control matches a control that is named without quotation marks: 提交按钮, the Save
// button.
var control = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[\p{Han}A-Za-z0-9+×-]{1,8}?(?:按钮|开关|链接|输入框|复选框|勾选框|下拉框|下拉菜单|滑块|图标|标签页?|选项卡|弹窗|角标|合计|小计)|` +
		`\b[A-Z][\w-]*(?: [A-Z][\w-]*){0,2} (?:button|toggle|switch|link|checkbox|tab|menu|field|input|box|badge|icon|` +
		`dialog|filter)\b`)
})

// longest is the maximum length of the name of a thing, in characters. A longer text is a sentence, such as one to be
// compared.
const longest = 24

// things returns the things of the task that the texts name: first those between quotation marks, then controls, each
// in the order of the task.
func (r *missReader) things(said ...string) []string {
	all := strings.ToLower(strings.Join(said, "\n"))
	var out []string
	for _, name := range thingsOf(r.e.Prompt) {
		if strings.Contains(all, strings.ToLower(name)) {
			out = append(out, name)
		}
	}
	return things(out)
}

// thingsOf returns the names of the things in a task.
func thingsOf(prompt string) []string {
	prompt = firstBytes(prompt, maxReasoning)
	var out []string
	add := func(s string) {
		s = strings.TrimSpace(s)
		n := utf8.RuneCountInString(s)
		isName := n > 0 && n <= longest && strings.ContainsFunc(s, isLetter) && !strings.ContainsAny(s, "。！？!?<>{}")
		if isName && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	if strings.ContainsAny(prompt, "“「\"‘'") { // else the pattern need not be compiled
		for _, m := range quotedThing().FindAllStringSubmatch(prompt, -1) {
			add(strings.Join(m[1:], ""))
		}
	}
	for _, s := range control().FindAllString(prompt, -1) {
		add(strings.TrimLeft(s, "点击的和与或在把将有每个一"))
	}
	return out
}

func isLetter(r rune) bool { return isHan(r) || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// things returns each name once, at most as many as a miss may have.
func things(list []string) []string {
	var out []string
	for _, s := range list {
		if s != "" && len(s) <= tree.MaxName && !slices.Contains(out, s) && len(out) < tree.MaxThings {
			out = append(out, s)
		}
	}
	return out
}
