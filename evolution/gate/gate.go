// Package gate answers one question: does a draft of a lesson hold? The answer is
// the same for a model's draft, one of the rules and a person's edit.
//
// A draft holds if it is a sentence in the language of its cases, says something
// to do that is particular to them and was wanting in them, rests on those it
// cites, says when it applies by what can be told beforehand, and neither gives
// a test away nor decides a verdict. The package looks at words, not at meaning;
// what it refuses it says why, in a sentence a model can act on.
//
// A Judge is immutable and safe for concurrent use.
package gate

import (
	"fmt"
	"regexp"
	"sync"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// About is what a draft is written for: a group of cases of one type and
// direction, and what is known of it.
type About struct {
	Type      tree.Type // Experience or Strategy
	ErrorType string
	Direction taxonomy.Direction
	Lang      string       // of most cases
	Check     string       // id of the check the group shares, "" for none
	Members   []*tree.Node // the cases
	Shown     []*tree.Node // those a writer saw; the draft has to cover them
	Parts     []*tree.Node // of a strategy: its experiences
	Opposite  []*tree.Node // live memories of the type that warn of the other direction
}

// Judge holds drafts against the gates.
type Judge struct {
	tax     *taxonomy.Taxonomy
	unsafe  func(string) (string, bool)
	forces  func(string) (string, bool)
	general map[string]bool // sentences of the taxonomy, which belong to no case
	kinds   kinds
}

// New returns a Judge that takes sentences about checks and types from tax.
// unsafe says whether a text tries to instruct the agent, with a reason that
// continues "its text …"; forces whether it decides a verdict, with the words
// that do. Either may be nil.
func New(tax *taxonomy.Taxonomy, unsafe, forces func(string) (string, bool)) *Judge {
	return &Judge{tax: tax, unsafe: unsafe, forces: forces, general: sentencesOf(tax), kinds: newKinds(tax)}
}

// A gate returns why a draft is refused, or "".
type gate struct {
	name string
	ask  func(*Judge, *view) string
}

// gates are asked in this order, all of them.
func gates() []gate {
	return []gate{
		{"limits", limits},
		{"language", language},
		{"sentence", sentence},
		{"members", members},
		{"coverage", coverage},
		{"citations", citations},
		{"substance", substance},
		{"circle", circle},
		{"grounding", grounding},
		{"cause", cause},
		{"identity", identity},
		{"numbers", numbers},
		{"quotes", quotes},
		{"truth", truth},
		{"breadth", breadth},
		{"narrowness", narrowness},
		{"knowable", knowable},
		{"exceptions", exceptions},
		{"polarity", polarity},
		{"presumption", presumption},
		{"forcing", forcing},
		{"safety", safety},
		{"contradiction", contradiction},
	}
}

// Refuses returns every reason why the draft does not hold, in the language of
// its cases, each with the name of its gate and a colon before it. The draft
// should be clean (see Clean). No reason means that it holds.
func (j *Judge) Refuses(a *About, d *Draft) []string {
	v := j.view(a, d)
	var why []string
	for _, g := range gates() {
		if s := g.ask(j, v); s != "" {
			why = append(why, g.name+": "+s)
		}
	}
	return why
}

// because words a reason in the language of the cases.
func (v *view) because(t taxonomy.Text, args ...any) string {
	return fmt.Sprintf(t.In(v.about.Lang), args...)
}

// forcing: a lesson says what to look at, never what to answer. A title and a
// mistake tell what was done wrongly, often without a subject, and count only
// where they order something. What the taxonomy says is no order.
func forcing(j *Judge, v *view) string {
	if j.forces == nil {
		return ""
	}
	d := v.draft
	orders := append(append([]string{d.Description}, d.AppliesWhen...), d.NotWhen...)
	told := []string{d.Title}
	for _, l := range d.Lessons {
		told = append(told, l.Mistake)
		if !j.catalogued(v, &l) {
			orders = append(orders, l.Check, l.Instead)
		}
	}
	for _, s := range told {
		if ordering().MatchString(s) {
			orders = append(orders, s)
		}
	}
	for _, s := range orders {
		if at, yes := j.forces(s); yes {
			return v.because(taxonomy.Text{EN: "%q decides the verdict; say what to check instead", ZH: "%q 替智能体下了结论；请改为说明要检查什么"}, at)
		}
	}
	return ""
}

var ordering = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:always|never|must|should|please|just|simply|whatever|regardless|safe to)\b|一律|统一|总是|永远|必须|务必|请|直接|只管|放心|不管|无论|就好|即可`)
})

// safety: nothing speaks to the agent as its master.
func safety(j *Judge, v *view) string {
	if j.unsafe == nil {
		return ""
	}
	for _, s := range v.draft.Texts() {
		if reason, yes := j.unsafe(s); yes {
			return v.because(taxonomy.Text{EN: "its text %s", ZH: "文字不安全：%s"}, reason)
		}
	}
	return ""
}
