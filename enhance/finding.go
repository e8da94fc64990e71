package enhance

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memtree/memtree/internal/guard"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// maxFinding is the maximum length of a finding, in tokens.
const maxFinding = 60

// finding returns a sentence on what was true when a case was judged wrongly, with its day and as possibly outdated.
// It is "" if that may not be included: for a lesson, and for a case of another build unless Options.Findings is set.
func (o Options) finding(n *tree.Node) string {
	same := o.Build != "" && o.Build == n.Scope.Build
	if n.Type != tree.Case || !same && !o.Findings {
		return ""
	}
	found := ""
	for _, s := range truthsThen(n) {
		if _, unsafe := guard.Unsafe(s); unsafe {
			continue
		}
		longer := text.Append(found, endSentence(inert(s)))
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
		return fmt.Sprintf("%s（%s）当时是这样、没有问题：%s现在是否如此，以所见为准。", buildName(same, "zh"), day, found)
	case o.Lang == "zh":
		return fmt.Sprintf("%s（%s）当时：%s现在是否如此，以所见为准。", buildName(same, "zh"), day, found)
	case alarm:
		return fmt.Sprintf("On %s (%s) this was so, and right: %s Go by what is there now.", buildName(same, "en"), day,
			found)
	default:
		return fmt.Sprintf("On %s (%s): %s Go by what is there now.", buildName(same, "en"), day, found)
	}
}

// buildName returns whether the build is the same, as text. If a side has no name of a build it is unknown, so the
// text is “perhaps”.
func buildName(same bool, lang string) string {
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

// truthsThen returns the sentences on what was true then: the defects, or without any how the case was misjudged.
func truthsThen(n *tree.Node) []string {
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
