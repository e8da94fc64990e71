package gate

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// view is a draft with the cases it is about. All gates share one.
type view struct {
	about  *Subject
	draft  *Draft
	cases  []*caseTexts // of the shown cases, and of a sample of the members if they are many
	byID   map[string]*caseTexts
	things map[string]bool // lower case: the things in lessons, on which a check was missed
}

// caseTexts holds the texts of one case.
type caseTexts struct {
	node   *tree.Node
	test   string // see testOf
	prompt string
	known  string   // the prompt and the agent's own texts
	truth  []string // texts of the ground truth and of the misses' truths
	said   string   // the texts of people or a model on the mistake, and truth
	all    string   // every text of the case, in lower case
}

const (
	maxJudgment = 4000 // characters of an agent's own texts that are read
	maxCases    = 200  // cases that are read beside those shown
)

func (j *Gates) view(a *Subject, d *Draft) *view {
	v := &view{about: a, draft: d, byID: map[string]*caseTexts{}, things: map[string]bool{}}
	for _, n := range append(slices.Clone(a.Shown), evenly(a.Members, maxCases)...) {
		if n.CaseData == nil || v.byID[n.ID] != nil {
			continue
		}
		e := j.evidenceOf(n)
		v.byID[n.ID] = e
		v.cases = append(v.cases, e)
	}
	for _, l := range d.Lessons {
		for _, w := range l.What {
			v.things[strings.ToLower(w)] = true
		}
	}
	return v
}

// evenly returns at most limit of the cases, at equal distances.
func evenly(cases []*tree.Node, limit int) []*tree.Node {
	if len(cases) <= limit {
		return cases
	}
	out := make([]*tree.Node, limit)
	for i := range out {
		out[i] = cases[i*len(cases)/limit]
	}
	return out
}

func (j *Gates) evidenceOf(n *tree.Node) *caseTexts {
	d := n.CaseData
	e := &caseTexts{node: n, test: testOf(n), prompt: d.TestCase.Prompt, truth: values(d.TestCase.GroundTruth)}
	said := append([]string{d.EvaluatorReason}, e.truth...)
	for _, m := range d.Misses {
		said = append(said, m.How, m.Instead, m.Truth)
		if m.Truth != "" {
			e.truth = append(e.truth, m.Truth)
		}
	}
	if n.Provenance.Analyst != "rules" || strings.TrimSpace(strings.Join(said, "")) == "" {
		for _, s := range []string{d.ActualError, d.ErrorReason, d.AvoidanceHint} {
			said = append(said, j.withoutGeneral(s))
		}
	}
	e.said, e.known = strings.Join(said, "\n"), d.TestCase.Prompt+"\n"+d.AgentJudgment
	e.all = strings.ToLower(strings.Join([]string{
		e.prompt, e.said, d.ActualError, d.ErrorReason, d.AvoidanceHint, text.Clip(d.AgentJudgment, maxJudgment),
		n.Scene.Type, n.Scene.Route,
	}, "\n"))
	return e
}

// withoutGeneral returns a text without the sentences of the taxonomy, which a case has only because of its type.
func (j *Gates) withoutGeneral(s string) string {
	var kept []string
	for _, one := range text.Sentences(s) {
		if !j.general()[one] {
			kept = append(kept, one)
		}
	}
	return strings.Join(kept, " ")
}

// testOf returns a key of a case's test. Two runs of one test are not independent evidence.
func testOf(n *tree.Node) string {
	if id := n.CaseData.TestCase.CaseID; id != "" {
		return id
	}
	return tree.Hash(n.CaseData.TestCase.Prompt)
}

// testsOf returns the number of distinct tests.
func testsOf(all []*caseTexts) int {
	seen := map[string]bool{}
	for _, e := range all {
		seen[e.test] = true
	}
	return len(seen)
}

// testsWith returns the number of tests with evidence for which has is true.
func (v *view) testsWith(has func(*caseTexts) bool) int { return testsOf(v.having(has)) }

// having returns the evidence for which has is true.
func (v *view) having(has func(*caseTexts) bool) []*caseTexts {
	var with []*caseTexts
	for _, e := range v.cases {
		if has(e) {
			with = append(with, e)
		}
	}
	return with
}

// cited returns the evidence of the cases that a lesson cites, if v.cases has it.
func (v *view) cited(l *tree.Lesson) []*caseTexts {
	var out []*caseTexts
	for _, id := range l.Cites {
		if e := v.byID[id]; e != nil {
			out = append(out, e)
		}
	}
	return out
}

// values returns the texts of a ground truth in the order of its fields, without
// verdicts and names of actions.
func values(truth tree.Raw) []string {
	var v any
	if truth.Null() || truth.Check() != nil || json.Unmarshal(truth, &v) != nil {
		return nil
	}
	var out []string
	var walk func(v any, field string)
	walk = func(v any, field string) {
		switch v := v.(type) {
		case string:
			if !slices.Contains([]string{"name", "action", "tool", "function", "type", "verdict"}, field) {
				out = append(out, v)
			}
		case []any:
			for _, x := range v {
				walk(x, "")
			}
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				walk(v[k], k)
			}
		}
	}
	walk(v, "")
	return out
}

// sentencesOf returns the sentences of a taxonomy about error types and scene types.
func sentencesOf(tax *taxonomy.Taxonomy) map[string]bool {
	out := map[string]bool{}
	add := func(all ...taxonomy.Text) {
		for _, t := range all {
			for _, s := range append(text.Sentences(t.EN), text.Sentences(t.ZH)...) {
				out[s] = true
			}
		}
	}
	for _, e := range tax.ErrorTypes() {
		add(e.Description, e.Checklist, e.Brief)
	}
	for _, s := range tax.SceneTypes() {
		add(s.Checklist)
	}
	return out
}
