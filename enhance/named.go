package enhance

import (
	"slices"
	"strings"

	"github.com/memtree/memtree/fact"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// nameWhatIsHere removes the names of things that are not at hand from a memory of another page: “Operate “Undo” once”
// sends an agent to look for a button that its page never had. Such a name is replaced by its kind, “the buttons”;
// without a known kind, the general sentence of the check is used. A memory of this very page or test keeps all its
// names, since the absence of the thing may be the defect; so does, without an observation of the page, a lesson: its
// things were missed in several tests. It returns a copy, or the node unchanged.
func (o Options) nameWhatIsHere(n *tree.Node) *tree.Node {
	if slices.Contains(o.Here, n.ID) || o.Seen == "" && n.Type != tree.Case || !namesAny(n) {
		return n
	}
	page, prompt := fact.Read(o.Seen), strings.ToLower(o.Prompt)
	kinds := func(things []string) []string {
		var out []string
		for _, thing := range things {
			if !strings.Contains(prompt, strings.ToLower(thing)) && (o.Seen == "" || !page.Names(thing)) {
				thing = kindName(fact.RoleOf(thing), o.Lang)
			}
			if thing != "" && !slices.Contains(out, thing) {
				out = append(out, thing)
			}
		}
		return out
	}
	c := n.Clone()
	if c.CaseData != nil {
		for i := range c.CaseData.Misses {
			m := &c.CaseData.Misses[i]
			m.What = kinds(m.What)
		}
	}
	for i := range c.Content.Lessons {
		l := &c.Content.Lessons[i]
		l.What = kinds(l.What)
	}
	return &c
}

// kindNames are the names of all elements with an ARIA role.
var kindNames = map[string]taxonomy.Text{
	"button": {EN: "the buttons", ZH: "各个按钮"}, "link": {EN: "the links", ZH: "各个链接"},
	"textbox": {EN: "the fields", ZH: "各个输入框"}, "checkbox": {EN: "the checkboxes", ZH: "各个复选框"},
	"radio": {EN: "the radio buttons", ZH: "各个单选框"}, "combobox": {EN: "the lists", ZH: "各个下拉框"},
	"switch": {EN: "the switches", ZH: "各个开关"}, "slider": {EN: "the sliders", ZH: "各个滑块"},
	"tab": {EN: "the tabs", ZH: "各个标签页"}, "option": {EN: "the options", ZH: "各个选项"},
	"heading": {EN: "the headings", ZH: "各个标题"}, "img": {EN: "the icons and their labels", ZH: "各个图标及其说明"},
}

func kindName(role, lang string) string { return kindNames[role].In(lang) }

// isKind reports whether a thing is a kind of things, and no name.
func isKind(thing string) bool {
	for _, k := range kindNames {
		if thing == k.EN || thing == k.ZH {
			return true
		}
	}
	return false
}

func namesAny(n *tree.Node) bool {
	return slices.ContainsFunc(n.Says(), func(l tree.Lesson) bool { return len(l.What) > 0 })
}
