package formation

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// question returns the model's input about runs. It is in the language of most of them.
func (f *Former) question(runs []*DetectedRun) prompts.AnalyseInput {
	in := prompts.AnalyseInput{Lang: "en"}
	chinese := 0
	var directions []taxonomy.Direction
	for _, r := range runs {
		x := r.facts
		if x.lang == "zh" {
			chinese++
		}
		if d := x.judged.Direction; !slices.Contains(directions, d) {
			directions = append(directions, d)
		}
		in.Runs = append(in.Runs, prompts.AnalyseRun{
			Lang: x.lang, Direction: string(x.judged.Direction), Where: where(x), Task: x.e.Prompt,
			Claimed: claimOf(x), Truth: truthOf(x), Note: x.e.Reason,
		})
	}
	if 2*chinese > len(runs) {
		in.Lang = "zh"
	}
	for _, c := range f.taxonomy.Checks() {
		if slices.ContainsFunc(directions, func(d taxonomy.Direction) bool { return judges(&c, d) }) {
			in.Checks = append(in.Checks, prompts.AnalyseCheck{ID: c.ID, Line: c.Name.In(in.Lang), Only: only(&c)})
		}
	}
	return in
}

// judges reports whether a check may be missed in a direction. A check without directions and without advice against
// false alarms is about calls of tools: it is missed in work, not in a verdict on a product.
func judges(c *taxonomy.Check, d taxonomy.Direction) bool {
	ofWork := len(c.Directions) == 0 && c.Alarm.Empty()
	return c.Speaks(d) && (d == taxonomy.Other || !ofWork)
}

// only returns the direction of the verdicts in which a check is missed, "" if it is both of those on a product.
func only(c *taxonomy.Check) string {
	switch missed, alarm := judges(c, taxonomy.FalsePass), judges(c, taxonomy.FalseFail); {
	case missed && alarm:
		return ""
	case missed:
		return string(taxonomy.FalsePass)
	case alarm:
		return string(taxonomy.FalseFail)
	}
	return string(taxonomy.Other)
}

// where returns the page of a run, or the product if no page is known.
func where(x *facts) string {
	return cmp.Or(x.e.Scene.ID, tree.Route(x.e.Scene.Route), x.e.Scope.Product)
}

// longClaim is the maximum length of a reason in the prompt, in characters; of a longer one only the sentence that the
// verdict rests on most is included.
const longClaim = 160

// claimOf returns the agent's grounds for its verdict: its reason, or its judgment if it gave none.
func claimOf(x *facts) string {
	s := judgment.Reasoning(x.judgment)
	if utf8.RuneCountInString(s) > longClaim && x.claim.key != "" {
		return x.claim.key
	}
	return cmp.Or(s, x.e.Judgment.Text())
}

// truthOf returns the ground truth beyond the verdict, which the direction implies: the defects, or else the
// differences of judgment and truth and the truth itself.
func truthOf(x *facts) string {
	var said []string
	for _, d := range defectsOf(x.truth) {
		said = append(said, d.text)
	}
	if len(said) > 0 {
		return strings.Join(said, "; ")
	}
	_, object := x.truth.(map[string]any)
	details := x.details()
	if object && len(details) == 0 {
		return ""
	}
	return strings.TrimPrefix(words(details, x.lang)+". "+x.e.GroundTruth.Text(), ". ")
}
