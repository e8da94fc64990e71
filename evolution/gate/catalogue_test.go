package gate

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// The advice of a check holds for cases that missed the check; the rules write nothing else.
func TestCatalogueHolds(t *testing.T) {
	right, all := catalogueHolds(judge(t), tree.FromCatalogue, func(why []string, d *Draft) {
		t.Error(why, d.Lessons[0].Check)
	})
	require.Equal(t, all, right)
}

// catalogueHolds counts the drafts of the catalogue's advice that pass, as texts of the given source.
func catalogueHolds(j *Gates, from string, refused func([]string, *Draft)) (right, all int) {
	for _, c := range j.tax.Checks() {
		for _, d := range []taxonomy.Direction{taxonomy.FalsePass, taxonomy.FalseFail} {
			for _, lang := range []string{"en", "zh"} {
				if !c.Speaks(d) {
					continue
				}
				all++
				about, draft := written(&c, d, lang, from)
				if why := j.Refuses(about, draft); len(why) > 0 {
					refused(why, draft)
				} else {
					right++
				}
			}
		}
	}
	return right, all
}

// written is a draft of a check's own advice, about three cases that missed it.
func written(c *taxonomy.Check, d taxonomy.Direction, lang, from string) (*Subject, *Draft) {
	advice := c.Advice(d)
	a := &Subject{Type: tree.Experience, ErrorType: c.ErrorType(), Direction: d, Lang: lang, Check: c.ID}
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
