package taxonomy

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Limits on the catalogue.
const (
	maxChecks = 300 // a count
	maxAdvice = 400 // bytes of a sentence of advice
)

// check reads one entry of checks. f is the path of the field, for errors.
func (d *decoder) check(f string, n ast.Node, c *Check) {
	var directions []string
	d.fields(n, f, map[string]func(string, ast.Node){
		"id": d.name(&c.ID), "wider": d.name(&c.Wider), "name": d.text(&c.Name, maxName),
		"errorTypes": d.words(&c.ErrorTypes), "directions": d.words(&directions),
		"missed":   func(f string, n ast.Node) { d.advice(f, n, &c.Missed) },
		"alarm":    func(f string, n ast.Node) { d.advice(f, n, &c.Alarm) },
		"asked":    d.cues(&c.Asked),
		"said":     d.cues(&c.Said),
		"claimed":  d.cues(&c.Claimed),
		"shows":    d.words(&c.Shows),
		"facts":    d.words(&c.Facts),
		"examples": d.sentences(&c.Examples), "claims": d.sentences(&c.Claims), "tasks": d.sentences(&c.Tasks),
	})
	for _, s := range c.Facts {
		if !slices.Contains(FactKinds, s) {
			d.bad(line(n), f+".facts", "has %s in it; use %s", quote(s), strings.Join(FactKinds, ", "))
		}
	}
	for _, s := range directions {
		if !Direction(s).Valid() {
			d.bad(line(n), f+".directions", "has %s in it; use false_pass, false_fail and other", quote(s))
		}
		c.Directions = append(c.Directions, Direction(s))
	}
}

// sentences reads a list of whole sentences.
func (d *decoder) sentences(out *[]string) func(string, ast.Node) {
	return func(f string, n ast.Node) { d.list(out, maxSentence)(f, n) }
}

func (d *decoder) advice(f string, n ast.Node, a *Advice) {
	d.fields(n, f, map[string]func(string, ast.Node){
		"title":   d.text(&a.Title, maxName),
		"do":      d.instruction(&a.Do),
		"with":    d.instruction(&a.With),
		"mistake": d.text(&a.Mistake, maxAdvice), "when": d.text(&a.When, maxAdvice),
	})
}

// instruction reads a sentence with an instruction. The sentence of the field "with" must contain {what}.
func (d *decoder) instruction(out *Text) func(string, ast.Node) {
	return func(f string, n ast.Node) {
		d.text(out, maxAdvice)(f, n)
		for _, s := range []string{out.EN, out.ZH} {
			if s != "" && !imperative(s) {
				d.bad(line(n), f, "is %s, which tells nobody to do anything; "+
					"begin it with what to do, such as click, compare or wait (点击、比较、等待)", quote(s))
			}
			if s != "" && strings.HasSuffix(f, ".with") && !strings.Contains(s, What) {
				d.bad(line(n), f, "has no %s in it; say where the things go", What)
			}
		}
	}
}

// What is the placeholder in Advice.With for the things on the page that the check is about.
const What = "{what}"

// checks adds the checks of a document to those of t. A check with a known id changes the existing one; a new one must
// have a name, an error type and advice.
func (m *merger) checks(t *Taxonomy, list []at[Check]) {
	for _, c := range list {
		v := c.value
		if !m.id(c.line, c.field, v.ID, list) {
			continue
		}
		for _, e := range v.ErrorTypes {
			if _, known := t.ErrorType(e); !known || e == OtherError {
				m.bad(c.line, c.field+".errorTypes",
					"has %s in it, which is no error type to learn from; declare it under errorTypes", quote(e))
			}
		}
		i := slices.IndexFunc(t.checks, func(o Check) bool { return o.ID == v.ID })
		if i < 0 {
			m.need(c.line, c.field, "name", v.Name)
			if len(v.ErrorTypes) == 0 {
				m.bad(c.line, c.field+".errorTypes",
					"is missing; say how the check is misjudged, such as [state_detection_error]")
			}
			if v.Missed.Empty() && v.Alarm.Empty() {
				m.bad(c.line, c.field+".missed.do",
					"is missing; a new check says what to do, after a missed defect (missed) or a false alarm (alarm)")
			}
			t.checks = append(t.checks, Check{ID: v.ID})
			i = len(t.checks) - 1
		}
		t.checks[i].merge(&v)
		for _, n := range []int{len(t.checks[i].Asked), len(t.checks[i].Said), len(t.checks[i].Claimed)} {
			if n > maxCues {
				m.bad(c.line, c.field, "makes %d phrases of one list; the most is %d", n, maxCues)
			}
		}
	}
	m.atMost(len(t.checks), maxChecks, "checks")
	wider := make(map[string]string, len(t.checks))
	for _, c := range t.checks {
		wider[c.ID] = c.Wider
	}
	for _, c := range list {
		m.ancestors(c.line, c.field+".wider", c.value.ID, "check", "checks", wider)
	}
}

// merge applies the fields set in v to c. Phrases, sentences, shows and facts are added to the existing ones; any
// other field is replaced.
func (c *Check) merge(v *Check) {
	if v.Wider != "" {
		c.Wider = v.Wider
	}
	if len(v.ErrorTypes) > 0 {
		c.ErrorTypes = v.ErrorTypes
	}
	if len(v.Directions) > 0 {
		c.Directions = v.Directions
	}
	c.Name = over(c.Name, v.Name)
	for _, a := range []struct{ to, from *Advice }{{&c.Missed, &v.Missed}, {&c.Alarm, &v.Alarm}} {
		if !a.from.Empty() {
			a.to.With = Text{} // it repeats the old sentence
		}
		a.to.Title, a.to.Do = over(a.to.Title, a.from.Title), over(a.to.Do, a.from.Do)
		a.to.With, a.to.Mistake = over(a.to.With, a.from.With), over(a.to.Mistake, a.from.Mistake)
		a.to.When = over(a.to.When, a.from.When)
	}
	c.Shows, c.Facts = addWords(c.Shows, v.Shows), addWords(c.Facts, v.Facts)
	c.Examples, c.Claims = addWords(c.Examples, v.Examples), addWords(c.Claims, v.Claims)
	c.Tasks = addWords(c.Tasks, v.Tasks)
	c.Asked, c.Said, c.Claimed = addCues(c.Asked, v.Asked), addCues(c.Said, v.Said), addCues(c.Claimed, v.Claimed)
}

// imperative reports whether a sentence is an instruction. In English the sentence or a clause of it begins with one
// of verbs, ignoring leads. In Chinese it contains one of verbsZH.
func imperative(s string) bool {
	low := strings.ToLower(s)
	for part := range strings.FieldsFuncSeq(low, func(r rune) bool { return strings.ContainsRune(".,;:", r) }) {
		words := strings.Fields(part)
		for len(words) > 0 && slices.Contains(leads, words[0]) {
			words = words[1:]
		}
		if len(words) > 0 && slices.Contains(verbs, words[0]) {
			return true
		}
	}
	return slices.ContainsFunc(verbsZH, func(v string) bool { return strings.Contains(s, v) })
}

// Verbs of instructions to a testing agent, and words that may precede them.
var (
	leads = []string{
		"always", "also", "and", "before", "do", "first", "never", "not", "only", "or", "please", "then", "to",
	}
	verbs = strings.Fields(`add answer apply ask begin call carry change check choose clear click close collect come
		compare complete compute confirm convert copy count cover cross decide describe divide do drag enter expand
		fill find finish follow force get give go hold hover identify inspect judge keep know leave let list load
		locate log look make match measure move multiply name navigate note open operate pass pick place play point
		press put quote read recompute reload refresh remove repeat report reproduce request resize restate retry
		return run save say scroll search select separate set show sign sort start state stay step stop submit
		subtract switch tab take tell test toggle trace treat trigger try turn type use verify view visit wait walk
		watch weigh work write zoom`)
	verbsZH = strings.Fields(`点 按 看 查 比 对 数 算 加 减 等 刷新 重新 打开 关闭 滚 翻 拖 输入 填 选 切换 操作 试 登录 退出
		进入 回到 返回 确认 核 验证 校验 读 写 列 找 记 说明 逐 做 执行 提交 保存 清除 换 问 停 截 搜 展开 收起 悬停 移 量 用 以 先 再
		只 把 按照 查看 判断 依`)
)
