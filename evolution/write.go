package evolution

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/evolution/gate"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// input returns the group of a job as input for a model: its cases in a few words each.
func (w *partitionWork) input(j *job) prompts.EvolveGroup {
	g := prompts.EvolveGroup{Direction: string(j.Direction), Check: w.e.nameOf(j.Check, j.Lang), Refused: j.objections}
	for _, n := range j.Shown {
		g.Cases = append(g.Cases, w.inputCase(n, j.Check))
	}
	if j.present != nil && j.present.Disregarded() && len(j.present.Content.Lessons) > 0 {
		g.Told = text.Append(j.present.Content.Lessons[0].Check, creditOf(j.present, j.Lang))
	}
	return g
}

// inputCase returns a case of a check: the notes of people, the agent's claim and the truth, from the misses of the
// check or else from all.
func (w *partitionWork) inputCase(n *tree.Node, check string) prompts.EvolveCase {
	d := n.CaseData
	c := prompts.EvolveCase{Task: d.TestCase.Prompt, Notes: d.EvaluatorReason}
	misses := slices.DeleteFunc(slices.Clone(d.Misses), func(m tree.Miss) bool { return !w.e.speaksOf(&m, check) })
	if len(misses) == 0 {
		misses = d.Misses
	}
	for _, m := range misses {
		c.Notes = cmp.Or(c.Notes, m.How)
		c.Claimed = cmp.Or(c.Claimed, m.Claimed)
		c.Truth = cmp.Or(c.Truth, m.Truth)
	}
	if c.Claimed == "" {
		c.Claimed = longestText(tree.Raw(d.AgentJudgment))
	}
	if c.Truth == "" {
		c.Truth = longestText(d.TestCase.GroundTruth)
	}
	return c
}

// longestText returns the longest text of a field of a JSON value, which is the reason if it has one beside a verdict,
// "" if all are single tokens. It returns other values as text unchanged.
func longestText(v tree.Raw) string {
	if v.Check() != nil || len(v) == 0 || v[0] != '{' && v[0] != '[' {
		return v.Text()
	}
	best := ""
	_, _ = v.Replace(func(x tree.Scalar) (string, int) {
		if x.Field != "" && len(x.Text) > len(best) && len(text.Tokens(x.Text)) > 1 {
			best = x.Text
		}
		return x.Text, 0
	})
	return best
}

// creditOf returns a sentence on the credit of a memory, "" without runs.
func creditOf(n *tree.Node, lang string) string {
	c := n.Credit
	if c == nil || c.Runs == 0 {
		return ""
	}
	e := effect.Effect{Runs: c.Runs, Tests: c.Tests, Right: c.Right, Effect: c.Effect, SD: c.SD}
	again := taxonomy.Text{
		EN: fmt.Sprintf("In spite of it %d runs made the mistake again.", c.Repeated),
		ZH: fmt.Sprintf("尽管有它，仍有 %d 次运行再犯。", c.Repeated),
	}
	return text.Append(e.Size().In(lang), again.In(lang))
}

// draftOf makes a draft of a model's answer, about the cases of the job.
func draftOf(j *job, a *prompts.EvolveLesson) gate.Draft {
	says, other := a.EN, a.ZH
	if j.Lang == "zh" {
		says, other = a.ZH, a.EN
	}
	d := gate.Draft{
		Title: says.Title, AppliesWhen: conditionOf(says),
		Lessons: []tree.Lesson{{
			Kind: j.Check, From: tree.FromModel, Check: says.Do, Mistake: says.Mistake, Cites: idsOf(j.Members),
			Tests: tests(j.Members), Times: times(j.Members),
		}},
		Other: &tree.Translation{
			Title: other.Title, Check: other.Do, Mistake: other.Mistake, AppliesWhen: conditionOf(other),
		},
	}
	d.Clean()
	return d
}

func conditionOf(l prompts.EvolveText) []string {
	if l.When == "" {
		return nil
	}
	return []string{l.When}
}

// objection returns the problem of an answer as a reason to refuse it.
func objection(err error) string { return "answer: " + strings.ReplaceAll(err.Error(), "\n", "; ") }
