package enhance

import (
	"fmt"
	"slices"

	"github.com/memtree/memtree/fact"
	"github.com/memtree/memtree/internal/guard"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// maxFacts is the maximum number of clauses about facts in a text.
const maxFacts = 6

// facts writes the decided facts. It returns the clauses, each once, and all facts that they express, then the silent
// ones. A requirement that is met is included only if no earlier miss of the page is open or broken: a small judge
// takes one such line for the whole page. Facts that may not be shown are omitted.
func (o Options) facts() (clauses []string, told []ObservedFact) {
	whole := !slices.ContainsFunc(o.Facts, func(f ObservedFact) bool {
		return f.State != fact.Holds && (!f.Alarm || f.State == fact.Broken)
	})
	var silent []ObservedFact
	for _, f := range o.Facts {
		c := factClause(f.Finding, o.Lang)
		if c == "" || f.Aside {
			continue
		}
		f.Clause = c
		_, unsafe := guard.Unsafe(c)
		switch {
		case unsafe:
		case f.State == fact.Holds && !whole:
			f.Silent = true
			silent = append(silent, f)
		case slices.Contains(clauses, c):
			told = append(told, f)
		case len(clauses) < maxFacts:
			clauses, told = append(clauses, c), append(told, f)
		}
	}
	return clauses, append(told, silent...)
}

// openness is how much of a case the facts of its page leave open.
type openness int

const (
	untouched openness = iota // no part of it is decided
	partly                    // a part of the page is decided, and a part of the case is open
	settled                   // all of it is decided
)

// leaveOpen removes the decided misses from a case; their advice would send an agent to look for what is known. It
// returns a copy, or the node itself if nothing is decided.
func (o Options) leaveOpen(n *tree.Node) (*tree.Node, openness) {
	known := slices.ContainsFunc(o.Facts, func(f ObservedFact) bool { return f.ID == n.ID })
	decided := slices.ContainsFunc(o.Facts, func(f ObservedFact) bool { return f.State != fact.Unknown && !f.Aside })
	if !known || !decided || n.CaseData == nil || n.Direction == taxonomy.FalseFail && !o.decides(n) {
		return n, untouched
	}
	c := n.Clone()
	c.CaseData.Misses = nil
	for i, m := range n.CaseData.Misses {
		if n.Direction != taxonomy.FalseFail && o.isOpen(n.ID, i) {
			c.CaseData.Misses = append(c.CaseData.Misses, m)
		}
	}
	if len(c.CaseData.Misses) == 0 {
		return n, settled
	}
	return &c, partly
}

// isOpen reports whether a part of a miss is undecided.
func (o Options) isOpen(id string, miss int) bool {
	return slices.ContainsFunc(o.Facts, func(f ObservedFact) bool {
		return f.ID == id && f.Miss == miss && f.State == fact.Unknown
	})
}

// decides reports whether a fact that may be included was read from a case.
func (o Options) decides(n *tree.Node) bool {
	return slices.ContainsFunc(o.Facts, func(f ObservedFact) bool {
		return f.ID == n.ID && f.State != fact.Unknown && !f.Aside
	})
}

// factClause returns a decided fact as a clause in zh or en. If the requirement is met, the clause states that too,
// because a small judge takes any text about a page as something wrong with it. From the page the clause contains only
// the expected text, and numbers. It is "" for an undecided fact, except for a control that is disabled, as it was
// when it was missed: whether it should be, the agent has to decide.
func factClause(f fact.Finding, lang string) string {
	switch c := clause(f, lang == "zh"); {
	case f.State == fact.Unknown && f.Kind == fact.Control && f.Line > 0 && lang == "zh":
		return c + "；请核对此时是否应可用"
	case f.State == fact.Unknown && f.Kind == fact.Control && f.Line > 0:
		return c + "; check whether it should be, at this point"
	case f.State == fact.Unknown:
		return ""
	case f.State == fact.Broken:
		return c
	case lang == "zh":
		return c + "，符合要求"
	default:
		return c + ", as required"
	}
}

// clause describes the page, without judging it.
func clause(f fact.Finding, zh bool) string {
	pick := func(en, inZH string, args ...any) string {
		if zh {
			return fmt.Sprintf(inZH, args...)
		}
		return fmt.Sprintf(en, args...)
	}
	thing := quoteFact(f.Thing)
	if f.Role != "" {
		thing = roleName(f.Role, zh) + thing
	}
	holds := f.State == fact.Holds
	switch f.Kind {
	case fact.Control:
		if holds {
			return pick("%s is enabled", "%s可用", thing)
		}
		return pick("%s is disabled", "%s是禁用的", thing)
	case fact.There:
		if holds {
			return pick("%s is on the page", "页面上有%s", thing)
		}
		return pick("there is no %s on the page", "页面上没有%s", thing)
	case fact.Input:
		return pick("%s is of type %s", "%s的类型是 %s", thing, f.Have)
	case fact.Set:
		if f.Have == fact.On {
			return pick("%s is on", "%s是选中或打开的", thing)
		}
		return pick("%s is off", "%s没有选中或打开", thing)
	case fact.Product:
		return pick("%s is shown as %s", "%s 显示为 %s", f.Thing, f.Have)
	case fact.Value:
		if f.Have != "" {
			return pick("beside %s stands %s", "%s旁边的数字是 %s", quoteFact(f.Thing), f.Have)
		}
	}
	return textClause(f, holds, zh, pick)
}

// textClause describes which of two texts is on the page: the required or the other one.
func textClause(f fact.Finding, holds, zh bool, pick func(en, zh string, args ...any) string) string {
	of := ""
	if f.Role != "" && f.Line > 0 {
		of = roleName(f.Role, zh)
	}
	there, absent := f.Got, f.Want
	if holds { // “no X” would read as a lack, even where X should be absent
		there, absent = f.Want, ""
	}
	switch {
	case f.Line == 0:
		return pick("there is no %s on the page", "页面上没有%s", quoteFact(f.Want))
	case absent == "":
		return pick("%s is on the page", "页面上有%s", of+quoteFact(there))
	}
	return pick("%s is on the page, %s is not", "页面上有%s，没有%s", of+quoteFact(there), quoteFact(absent))
}

// quoteFact quotes a text of a page, made safe.
func quoteFact(s string) string { return "“" + inert(s) + "”" }

// roleName returns what people call an element with an ARIA role; "" in Chinese for a role
// that has no common name.
func roleName(role string, zh bool) string {
	if !zh {
		return role + " "
	}
	return map[string]string{
		"button": "按钮", "link": "链接", "textbox": "输入框", "checkbox": "复选框", "radio": "单选框", "combobox": "下拉框",
		"switch": "开关", "slider": "滑块", "tab": "标签页", "option": "选项", "heading": "标题", "img": "图片",
	}[role]
}

// Expectation returns what should be true of a page, as a clause in lang: "zh", else English.
func Expectation(e fact.Expected, lang string) string {
	zh := lang == "zh"
	pick := func(en, inZH string, args ...any) string {
		if zh {
			return fmt.Sprintf(inZH, args...)
		}
		return fmt.Sprintf(en, args...)
	}
	thing := quoteFact(e.Thing)
	if e.Role != "" {
		thing = roleName(e.Role, zh) + thing
	}
	switch e.Kind {
	case fact.Control:
		return pick("%s can be used", "%s可以使用", thing)
	case fact.There:
		return pick("%s is on the page", "页面上有%s", thing)
	case fact.Input:
		if e.Want == "" {
			return pick("%s is not of type %s", "%s的类型不是 %s", thing, inert(e.Got))
		}
		return pick("%s is of type %s", "%s的类型是 %s", thing, inert(e.Want))
	case fact.Set:
		if e.Want == fact.On {
			return pick("%s is on", "%s是选中或打开的", thing)
		}
		return pick("%s is off", "%s没有选中或打开", thing)
	case fact.Product:
		return pick("a price times its quantity is what stands behind them", "单价乘以数量等于后面的小计")
	}
	return readExpectation(e, zh, pick)
}

// readExpectation returns the text or number that is expected as a clause.
func readExpectation(e fact.Expected, zh bool, pick func(en, zh string, args ...any) string) string {
	of := ""
	if e.Role != "" {
		of = roleName(e.Role, zh)
	}
	switch {
	case e.Kind == fact.Value && e.Thing != "" && e.Want != "":
		return pick("beside %s stands %s", "%s旁边是%s", quoteFact(e.Thing), quoteFact(e.Want))
	case e.Want != "" && e.Got != "":
		return pick("%s is on the page, not %s", "页面上是%s，不是%s", of+quoteFact(e.Want), quoteFact(e.Got))
	case e.Want != "":
		return pick("%s is on the page", "页面上有%s", of+quoteFact(e.Want))
	}
	return pick("%s is not on the page", "页面上没有%s", of+quoteFact(e.Got))
}
