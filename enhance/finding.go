package enhance

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memtree/memtree/guard"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/text"
	"github.com/memtree/memtree/tree"
)

// maxFinding is how long what was found may be, in tokens.
const maxFinding = 60

// finding words what was true when a case was judged wrongly, with its day and with reserve.
// It is "" where it may not be told: on another build, without leave, or of a lesson.
func (o Options) finding(n *tree.Node) string {
	same := o.Build != "" && o.Build == n.Scope.Build
	if n.Type != tree.Case || !same && !o.Findings {
		return ""
	}
	found := ""
	for _, s := range wasSo(n) {
		if _, unsafe := guard.Unsafe(s); unsafe {
			continue
		}
		longer := text.Append(found, stop(inert(s)))
		if Tokens(longer) > maxFinding {
			break
		}
		found = longer
	}
	if found == "" {
		return ""
	}
	day := n.Metadata.UpdatedAt.UTC().Format("2006-01-02")
	switch alarm := n.Direction == taxonomy.FalseFail; {
	case o.Lang == "zh" && alarm:
		return fmt.Sprintf("%s（%s）当时是这样、没有问题：%s现在是否如此，以所见为准。", build(same, "zh"), day, found)
	case o.Lang == "zh":
		return fmt.Sprintf("%s（%s）当时：%s现在是否如此，以所见为准。", build(same, "zh"), day, found)
	case alarm:
		return fmt.Sprintf("On %s (%s) this was so, and right: %s Go by what is there now.", build(same, "en"), day, found)
	default:
		return fmt.Sprintf("On %s (%s): %s Go by what is there now.", build(same, "en"), day, found)
	}
}

func build(same bool, lang string) string {
	switch {
	case same && lang == "zh":
		return "同一版本"
	case same:
		return "this build"
	case lang == "zh":
		return "可能是别的版本"
	}
	return "perhaps another build"
}

// wasSo are the sentences on what was true: the defects, or else how it was misjudged.
func wasSo(n *tree.Node) []string {
	if n.CaseData == nil {
		return nil
	}
	var out []string
	add := func(s string) {
		for one := range strings.Lines(s) {
			if one = strings.TrimSpace(one); one != "" && !slices.Contains(out, one) {
				out = append(out, one)
			}
		}
	}
	for i := range n.CaseData.Misses {
		add(n.CaseData.Misses[i].Truth)
	}
	if len(out) == 0 {
		for i := range n.CaseData.Misses {
			add(n.CaseData.Misses[i].How)
		}
	}
	return out
}
