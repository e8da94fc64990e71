package gate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// The advice of a check holds for cases that missed the check; the rules write nothing
// else. A draft of anybody else must say more about the cases.
func TestCatalogueHolds(t *testing.T) {
	j := judge(t)
	for _, c := range j.tax.Checks() {
		for _, d := range []taxonomy.Direction{taxonomy.FalsePass, taxonomy.FalseFail} {
			for _, lang := range []string{"en", "zh"} {
				if !c.Speaks(d) {
					continue
				}
				for _, from := range []string{tree.FromCatalogue, tree.FromPerson} {
					why := j.Refuses(written(&c, d, lang, from))
					if from == tree.FromPerson {
						why = slices.DeleteFunc(why, func(s string) bool {
							name, _, _ := strings.Cut(s, ":")
							return slices.Contains([]string{"substance", "circle", "grounding", "forcing"}, name)
						})
					}
					if len(why) > 0 {
						t.Errorf("%s %s %s %s: %v\n%s", c.ID, d, lang, from, why, c.Advice(d).Do.In(lang))
					}
				}
			}
		}
	}
}

// written is a draft of a check's own advice, about three cases that missed it.
func written(c *taxonomy.Check, d taxonomy.Direction, lang, from string) (*About, *Draft) {
	advice := c.Advice(d)
	a := &About{Type: tree.Experience, ErrorType: c.ErrorType(), Direction: d, Lang: lang, Check: c.ID}
	var cites []string
	for i := range 3 {
		n := &tree.Node{Type: tree.Case, Level: 1, ErrorType: c.ErrorType(), Direction: d, Lang: lang,
			CaseData: &tree.CaseData{
				TestCase: tree.TestCase{CaseID: fmt.Sprint("T", i), Prompt: advice.When.In(lang)},
				Misses:   []tree.Miss{{Check: c.ID, ErrorType: c.ErrorType(), How: advice.Mistake.In(lang), From: tree.FromPerson}},
			}}
		n.ID = tree.EvidenceID(n)
		a.Members = append(a.Members, n)
		cites = append(cites, n.ID)
	}
	a.Shown = a.Members
	draft := &Draft{Title: advice.Title.In(lang), AppliesWhen: []string{advice.When.In(lang)}, Lessons: []tree.Lesson{{
		Kind: c.ID, Check: advice.Do.In(lang), Mistake: advice.Mistake.In(lang), From: from, Cites: cites,
	}}}
	draft.Clean()
	return a, draft
}
