package enhance

import (
	"slices"
	"strings"

	"github.com/memtree/memtree/tree"
)

// Say returns the guidance about memory n as for the page where it was learned, without a fence, one part a line. The
// text is clean and escaped, so that it can be put into the fence. If the memory may not be shown, said is "" and why
// is the reason, in English, with "it" for the memory.
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

// Inert makes s safe to put beside guidance in the fence: clean, on one line, with nothing that could end the fence or
// look like one of its headings. It cuts s to tree.MaxNodeLine bytes.
func Inert(s string) string { return inert(s) }
