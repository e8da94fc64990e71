package enhance

import (
	"slices"
	"strings"

	"github.com/memtree/memtree/fact"
	"github.com/memtree/memtree/tree"
)

// nameWhatIsHere takes things out of a memory that are not at hand: “Operate “Undo” once” sends an
// agent to look for a button that its page never had. The check stays, in general words. A memory
// of this very page or test keeps all its things, since that one is missing may be the defect. It
// returns a copy; the node as it is if nobody looked at the page.
func (o Options) nameWhatIsHere(n *tree.Node) *tree.Node {
	if o.Seen == "" || slices.Contains(o.Here, n.ID) || !namesAny(n) {
		return n
	}
	page, prompt := fact.Read(o.Seen), strings.ToLower(o.Prompt)
	away := func(thing string) bool {
		return !strings.Contains(prompt, strings.ToLower(thing)) && !page.Names(thing)
	}
	c := n.Clone()
	if c.CaseData != nil {
		for i := range c.CaseData.Misses {
			m := &c.CaseData.Misses[i]
			m.What = slices.DeleteFunc(slices.Clone(m.What), away)
		}
	}
	for i := range c.Content.Lessons {
		l := &c.Content.Lessons[i]
		l.What = slices.DeleteFunc(slices.Clone(l.What), away)
	}
	return &c
}

func namesAny(n *tree.Node) bool {
	return slices.ContainsFunc(n.Says(), func(l tree.Lesson) bool { return len(l.What) > 0 })
}
