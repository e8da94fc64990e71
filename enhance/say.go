package enhance

import (
	"slices"
	"strings"

	"github.com/memtree/memtree/tree"
)

// Say returns the text of guidance about a memory on its own page, its points in lines: clean and escaped, so that it
// can be put into the fence. If the memory may not be shown it returns "" and the reason, a sentence without its
// subject.
func Say(n *tree.Node, o Options) (said, why string) {
	if o.Budget <= 0 {
		o.Budget = defaultBudget(o.Prompt)
	}
	if o.Words == nil {
		o.Words = NewWording(nil)
	}
	if o.Lang == "" {
		o.Lang = n.Lang
	}
	o.Here, o.Own = append(slices.Clone(o.Here), n.ID), append(slices.Clone(o.Own), n.ID)
	it, left := newItem(n, o)
	if left.sentence != "" {
		return "", left.String()
	}
	return strings.TrimSuffix(it.text(), "\n"), ""
}

// Inert makes a text safe to put into the fence beside guidance: clean, on one line, with nothing that could end the
// fence or look like one of its headings. It reads at most the maximum length of a memory's text.
func Inert(s string) string { return inert(s) }
