// Package gate decides whether a draft of a lesson is valid. The gates are the same for a draft of a model, a draft of
// the rules and the edit of a person, but some are stricter or laxer for one of them (Subject.Person, Subject.Strict).
//
// A draft is valid if all of these are true:
//   - it is made of sentences in the language of its cases;
//   - it cites cases of two tests, most of those it is for, which missed the check it is about;
//   - it does not apply to everything, and does not state that its cases differ;
//   - it names nothing that belongs to one test, nor the result of a test;
//   - it decides no verdict and contradicts no memory in use.
//
// Whether the advice is good, or is about the actual mistake of its cases, cannot be checked here: the prompt of the
// writing model requires it to refuse such a group, and people review. Each reason for a refusal names the refused
// text, in a sentence that a model can act on.
//
// Gates are immutable and safe for concurrent use.
//
// Where to look:
//   - draft.go, view.go: a draft, and the evidence of its cases
//   - shape.go, sentence.go: content, language, cited cases, whole sentences
//   - citation.go, breadth.go: the right check, and no universal condition
//   - quote.go, leak.go: nothing of one test; contradiction.go: nothing against a memory in use
//   - taught.go: lessons that people taught, and comparing two lessons
package gate

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/memtree/memtree/internal/cue"
	"github.com/memtree/memtree/internal/guard"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Subject is what a draft is about: a group of cases with one error type and direction, and what is known about it.
type Subject struct {
	Type      tree.Type // Experience or Strategy
	ErrorType string
	Direction taxonomy.Direction
	Lang      string       // language of most cases: zh or en
	Check     string       // id of the check that the group shares, "" for none
	Members   []*tree.Node // all cases of the group
	Shown     []*tree.Node // the cases that the writer of the draft saw; its lessons must cite most
	Parts     []*tree.Node // of a strategy: the experiences below it
	Opposite  []*tree.Node // memories in use of the same type with the opposite direction
	Person    bool         // the writer of the draft is a person
	Strict    bool         // the writer can reword the draft, so the gates are stricter about orders
}

// Gates checks drafts. Each gate is one reason for which it may refuse a draft.
type Gates struct {
	tax       *taxonomy.Taxonomy
	unsafe    func(string) (string, bool)
	forces    func(string) (string, bool)
	general   func() map[string]bool // sentences of the taxonomy, which belong to no case
	catalogue func() *cue.Catalogue
	cuts      cuts
}

// cuts are fitted numbers. TestQualityOfGates fits them to the drafts of all writers but one, and measures that one.
type cuts struct {
	functionEN float64 // the least share of function words among a lesson's English words
	functionZH float64 // the same among its Chinese characters
	sure       float64 // how sure the catalogue must be of the check that a lesson is about
}

var fitted = cuts{functionEN: 0.30, functionZH: 0.07, sure: 0.90}

// New returns Gates for the checks and types of tax. unsafe reports whether a text must not be shown to an agent, and
// returns the reason, which continues "its text …". forces reports whether a text decides a verdict, and returns the
// part that does. If unsafe or forces is nil, its gate is skipped.
func New(tax *taxonomy.Taxonomy, unsafe, forces func(string) (string, bool)) *Gates {
	general := sync.OnceValue(func() map[string]bool { return sentencesOf(tax) })
	return &Gates{tax: tax, unsafe: unsafe, forces: forces, general: general, catalogue: cue.Of(tax), cuts: fitted}
}

// gate is one check of a draft. ask returns why the draft is refused, or "".
type gate struct {
	name string
	ask  func(*Gates, *view) string
}

// gates returns all gates, in the order in which they are applied.
func gates() []gate {
	return []gate{
		{"limits", limits},
		{"language", language},
		{"sentence", sentence},
		{"members", members},
		{"coverage", coverage},
		{"one cause", oneCause},
		{"citations", citations},
		{"breadth", breadth},
		{"identity", identity},
		{"numbers", numbers},
		{"quotes", quotes},
		{"truth", truth},
		{"forcing", forcing},
		{"safety", safety},
		{"contradiction", contradiction},
	}
}

// Refuses returns every reason why draft d about a is not valid, none if it is valid. A reason is the name of a gate,
// a colon and a sentence in the language of the cases. Call d.Clean first.
func (j *Gates) Refuses(a *Subject, d *Draft) []string {
	return j.ask(j.view(a, d), nil)
}

// RefusesTranslation returns every reason why d.Other is not valid, none if it is valid or nil. It applies only the
// gates about texts; those about cases, the breadth of conditions and other memories are for d itself. Call d.Clean
// first.
func (j *Gates) RefusesTranslation(a *Subject, d *Draft) []string {
	if d.Other == nil || len(d.Lessons) == 0 {
		return nil
	}
	about, l := *a, d.Lessons[0]
	about.Lang = map[string]string{"zh": "en", "en": "zh"}[a.Lang]
	l.Check, l.Mistake, l.Instead = d.Other.Check, d.Other.Mistake, ""
	v := j.view(&about, &Draft{Title: d.Other.Title, AppliesWhen: d.Other.AppliesWhen, Lessons: []tree.Lesson{l}})
	asked := []string{"limits", "language", "sentence", "identity", "numbers", "quotes", "truth", "forcing", "safety"}
	return j.ask(v, asked)
}

// ask returns the reasons of the gates with these names, of all without names.
func (j *Gates) ask(v *view, names []string) []string {
	var why []string
	for _, g := range gates() {
		if len(names) > 0 && !slices.Contains(names, g.name) {
			continue
		}
		if s := g.ask(j, v); s != "" {
			why = append(why, g.name+": "+s)
		}
	}
	return why
}

// because formats a reason in the language of the cases.
func (v *view) because(t taxonomy.Text, args ...any) string {
	return fmt.Sprintf(t.In(v.about.Lang), args...)
}

// forcing refuses a draft that decides a verdict: a lesson describes what to look at, never the answer. It skips
// titles and mistakes, which describe what was done wrongly, advice of the catalogue, and the description of a
// person's draft. The advice of a strict draft must also pass [guard.Decides].
func forcing(j *Gates, v *view) string {
	if j.forces == nil {
		return ""
	}
	orders := slices.Concat(v.draft.AppliesWhen, v.draft.NotWhen)
	if !v.about.Person {
		orders = append(orders, v.draft.Description)
	}
	var advice []string
	for _, l := range v.draft.Lessons {
		if !j.catalogued(v, &l) {
			advice = append(advice, l.Check, l.Instead)
		}
	}
	refused := taxonomy.Text{EN: "%q decides the verdict; say what to check instead",
		ZH: "%q 替智能体下了结论；请改为说明要检查什么"}
	for _, s := range append(orders, advice...) {
		if at, yes := j.forces(s); yes {
			return v.because(refused, at)
		}
	}
	for _, s := range advice {
		if at, yes := guard.Decides(s); yes && v.about.Strict {
			return v.because(refused, at)
		}
	}
	return ""
}

// safety refuses a draft that gives an agent orders beyond its role.
func safety(j *Gates, v *view) string {
	if j.unsafe == nil {
		return ""
	}
	for _, s := range v.draft.Texts() {
		if reason, yes := j.unsafe(s); yes {
			return v.because(taxonomy.Text{EN: "its text %s: %q", ZH: "文字不安全：%s：%q"}, reason,
				text.Clip(cmp.Or(guard.Which(s), s), 60))
		}
	}
	return ""
}
