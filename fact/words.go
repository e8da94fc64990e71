package fact

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// The terms below are those of WAI-ARIA 1.2 (roles and states) and of HTML, with their usual Chinese names; the glyphs
// are those of WCAG technique G207 and of the ARIA Authoring Practices, where a control has one instead of a name.

// roles maps common words for an element to the ARIA roles it can have on a page. Longer words come first, because 下拉菜单
// is not a 菜单.
var roles = []struct {
	words string   // a regular expression
	roles []string // the first one names the group
}{
	{`按钮|buttons?|btn`, []string{"button", "switch", "tab", "menuitem"}},
	{`链接|超链接|links?`, []string{"link"}},
	{`输入框|文本框|输入栏|搜索框|textbox(?:es)?|inputs?|fields?|text area`,
		[]string{"textbox", "searchbox", "spinbutton", "combobox"}},
	{`复选框|勾选框|多选框|checkbox(?:es)?`, []string{"checkbox"}},
	{`单选框|单选按钮|单选|radios?|radio buttons?`, []string{"radio"}},
	{`下拉框|下拉菜单|下拉列表|下拉|选择框|combobox(?:es)?|dropdowns?|select`, []string{"combobox", "listbox"}},
	{`开关|switch(?:es)?|toggles?`, []string{"switch", "button", "checkbox"}},
	{`滑块|滑动条|sliders?`, []string{"slider"}},
	{`选项卡|标签页|tabs?`, []string{"tab", "button"}},
	{`选项|options?`, []string{"option", "radio", "checkbox", "menuitem"}},
	{`标题|headings?|titles?|headers?`, []string{"heading"}},
	{`图片|图标|图像|images?|icons?|pictures?`, []string{"img", "image"}},
}

// roleWord returns the role for the first of some words.
func roleWord(f []string) (string, bool) {
	if len(f) == 0 {
		return "", false
	}
	for _, r := range roleFinders() {
		if r.whole.MatchString(strings.ToLower(f[0])) {
			return r.roles[0], true
		}
	}
	return "", false
}

// roleFinder matches the words of one entry of roles.
type roleFinder struct {
	whole *regexp.Regexp // the word alone
	last  *regexp.Regexp // the word at the end of a phrase
	roles []string
}

var roleFinders = sync.OnceValue(func() []roleFinder {
	out := make([]roleFinder, len(roles))
	for i, r := range roles {
		whole := regexp.MustCompile(`^(?:` + r.words + `)$`)
		last := regexp.MustCompile(`(?i)(?:^|\p{Han}|[^\pL])(` + r.words + `)$`)
		out[i] = roleFinder{whole, last, r.roles}
	}
	return out
})

// others returns the other roles of an element that people call by role.
func others(role string) []string {
	for _, r := range roles {
		if r.roles[0] == role {
			return r.roles[1:]
		}
	}
	return nil
}

// can reports whether an element of role a may be one that people call by role b.
func can(a, b string) bool { return a == b || slices.Contains(others(b), a) }

func isDisabled(w string) bool { return w == "禁用" || strings.EqualFold(w, "disabled") }

// depends matches the names of controls that a right page may disable: while there is nothing to undo, no previous
// page, nothing selected or nothing typed.
var depends = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)撤销|撤回|重做|恢复|上一|下一|前一|后一|首页码|末页|减|清|删除|移除|全选|粘贴|保存|提交|添加|新增|发送|发布|搜索|查询|登录|注册|确认|确定|` +
		`完成|应用|重置|结算|下单|支付|` +
		`\b(?:undo|redo|revert|prev(?:ious)?|next|back|first|last|decrease|decrement|minus|less|clear|remove|delete|paste|` +
		`save|submit|add|create|send|post|publish|search|log ?in|sign ?in|sign ?up|register|confirm|ok|done|apply|reset|` +
		`check ?out|pay|continue|proceed)\b`)
})

// needsAct matches terms that mean that a thing is visible only after an action.
var needsAct = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)后|之后|以后|点击|点开|打开|展开|悬停|弹窗|弹出|对话框|抽屉|切换|选择|筛选|搜索|提交|加载|完成时|时|\b(?:after|once|` +
		`when|while|upon|dialog|popup|modal|drawer|menu|hover|click|open|expand|select|submit|search|filter|load)`)
})

// shownLater matches the names of things that a page shows only after something was opened or failed.
var shownLater = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)弹窗|弹出|弹框|对话框|模态|抽屉|浮层|菜单|下拉|面板|折叠|悬停|提示|关闭|重新加载|重试|` +
		`\b(?:dialog|popup|modal|drawer|menu|dropdown|panel|accordion|tooltip|hint|toast|close|dismiss|retry|reload)\b`)
})

// glyphs maps a sign that a control has instead of a name to a pattern of common names of the control.
var glyphs = map[string]string{
	"-": `减|minus|decrease|decrement`, "+": `加|增|plus|increase|increment`,
	"‹": `上一|前一|prev`, "<": `上一|前一|prev`, "«": `上一|前一|prev`, "←": `上一|前一|prev`, "◀": `上一|前一|prev`,
	"›": `下一|后一|next`, ">": `下一|后一|next`, "»": `下一|后一|next`, "→": `下一|后一|next`, "▶": `下一|后一|next`,
	"✕": `关闭|close|dismiss`, "×": `关闭|close|dismiss`, "✖": `关闭|close|dismiss`,
}
