package pages

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/find"
	"github.com/memtree/memtree/tree"
)

// draftData is a draft of a lesson with its cases, and its effect on guidance.
type draftData struct {
	evolution.Proposal
	Lesson                    []diffLine // compared with the lesson that it replaces
	Cases                     []draftCase
	Hidden                    int            // cases that are not shown
	Own, Recent               []testGuidance // tests whose guidance would change
	OwnTests, RecentTests     int            // number of tests compared
	OwnChanged, RecentChanged int
}

// draftCase is a case with the agent's judgment.
type draftCase struct {
	tree.Node
	Judgment outcomeView
}

// testGuidance is a test, and its guidance before and after.
type testGuidance struct {
	Prompt, Product string
	Lines           []diffLine
}

// Limits of the comparison and the page.
const (
	draftCases  = 12
	recentTests = 20
	draftShown  = 4 // changed tests of each kind
)

// draft shows one draft.
func (s *Site) draft(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	ctx := r.Context()
	all, err := v.Memory.Review().Proposals(ctx)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(all, func(p evolution.Proposal) bool { return p.Key == r.PathValue("key") })
	if at < 0 {
		return &tree.FieldError{Field: "key", Problem: "names no draft that waits; somebody may have decided on it"}
	}
	d := draftData{Proposal: all[at]}
	as := d.nodes()
	own, err := d.cases(ctx, v)
	if err != nil {
		return err
	}
	d.OwnTests = len(own)
	if d.OwnChanged, d.Own, err = changed(ctx, v.Memory, own, as); err != nil {
		return err
	}
	recent, err := recentOf(ctx, v.Memory, own)
	if err != nil {
		return err
	}
	d.RecentTests = len(recent)
	if d.RecentChanged, d.Recent, err = changed(ctx, v.Memory, recent, as); err != nil {
		return err
	}
	d.show(v, s.speech(v.Lang))
	return s.render(w, http.StatusOK, s.page(r, v, "draft", s.speech(v.Lang).say("Draft of a lesson"), &d))
}

// nodes returns the nodes that the draft would change.
func (d *draftData) nodes() []tree.Node {
	n := d.Node.Clone()
	n.Status = cmp.Or(n.Status, tree.Probation)
	out := []tree.Node{n}
	if was := d.Replaces; was != nil && was.ID != n.ID {
		gone := was.Clone()
		gone.Status, gone.SupersededBy = tree.Retired, n.ID
		out = append(out, gone)
	}
	return out
}

// cases reads the cases of a draft and returns their tests, each once.
func (d *draftData) cases(ctx context.Context, v *Visitor) ([]memtree.Query, error) {
	ids, err := v.casesOf(ctx, &d.Node)
	if err != nil {
		return nil, err
	}
	shown := ids[:min(draftCases, len(ids))]
	d.Hidden = len(ids) - len(shown)
	below, err := v.kin(ctx, shown)
	if err != nil {
		return nil, err
	}
	var tests []memtree.Query
	for i := range below {
		n := &below[i]
		c := draftCase{Node: *n}
		if n.CaseData != nil {
			c.Judgment = judged(n)
			tests = append(tests, memtree.Query{Prompt: n.CaseData.TestCase.Prompt, Scene: n.Scene, Scope: n.Scope})
		}
		d.Cases = append(d.Cases, c)
	}
	return once(tests), nil
}

// casesOf returns the cases that a lesson rests on, those of a strategy through its experiences.
func (v *Visitor) casesOf(ctx context.Context, n *tree.Node) ([]string, error) {
	if n.Type != tree.Strategy {
		return n.Children, nil
	}
	below, err := v.kin(ctx, n.Children)
	var out []string
	for i := range below {
		out = append(out, below[i].Children...)
	}
	slices.Sort(out)
	return slices.Compact(out), err
}

// once removes tests without a prompt or with an earlier one.
func once(tests []memtree.Query) []memtree.Query {
	known := map[string]bool{"": true}
	return slices.DeleteFunc(tests, func(q memtree.Query) bool {
		was := known[q.Prompt]
		known[q.Prompt] = true
		return was
	})
}

// recentOf returns the tests of the newest runs that wait for a label, except some.
func recentOf(ctx context.Context, m *memtree.Memory, without []memtree.Query) ([]memtree.Query, error) {
	waiting, err := m.Inbox().Waiting(ctx, find.Query{})
	if err != nil {
		return nil, err
	}
	tests := slices.Clone(without)
	for i := range waiting {
		e := &waiting[i].Evaluation
		tests = append(tests, memtree.Query{Prompt: e.Prompt, Scene: e.Scene, Scope: e.Scope})
	}
	tests = once(tests)[len(without):]
	return tests[:min(recentTests, len(tests))], nil
}

// changed returns the number of tests whose guidance changes if the tree has some nodes in the given form, and the
// first of them.
func changed(
	ctx context.Context, m *memtree.Memory, tests []memtree.Query, as []tree.Node,
) (n int, out []testGuidance, err error) {
	for i := range tests {
		was, err := m.Explain(ctx, tests[i])
		if err != nil {
			return 0, nil, err
		}
		with := tests[i]
		with.As = as
		is, err := m.Explain(ctx, with)
		if err != nil {
			return 0, nil, err
		}
		if was.Text == is.Text {
			continue
		}
		if n++; n <= draftShown {
			out = append(out, testGuidance{tests[i].Prompt, tests[i].Scope.Product, diff(was.Text, is.Text)})
		}
	}
	return n, out, nil
}

// show writes the draft, and the lesson it replaces, in the language of the visitor.
func (d *draftData) show(v *Visitor, said *speech) {
	d.Node = v.shown(&d.Node)
	was := ""
	if d.Replaces != nil {
		n := v.shown(d.Replaces)
		was = said.wordsOf(&n)
	}
	d.Lesson = diff(was, said.wordsOf(&d.Node))
}

// wordsOf returns the text of a lesson, a sentence a line.
func (s *speech) wordsOf(n *tree.Node) string {
	var out []string
	for _, l := range n.Content.Lessons {
		out = append(out, strings.TrimSpace(l.Check+" "+l.Instead))
	}
	if len(out) == 0 {
		out = []string{n.Content.Guidance}
	}
	for _, when := range n.Content.AppliesWhen {
		out = append(out, s.say("When: %s", when))
	}
	return strings.Join(out, "\n")
}
