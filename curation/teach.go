package curation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/memtree/memtree/evolution/gate"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// TaughtLesson is a lesson that a person or an agent teaches: what to do, and when. It needs no case.
type TaughtLesson struct {
	Lesson    string             `json:"lesson"`              // what to do, in one or two sentences
	When      []string           `json:"when"`                // conditions, best in terms that the tests use
	Product   string             `json:"product,omitempty"`   // "": every product
	For       []string           `json:"for,omitempty"`       // tests for which it is retrieved first: prompts or ids
	NotFor    []string           `json:"notFor,omitempty"`    // tests that never receive it
	Direction taxonomy.Direction `json:"direction,omitempty"` // of the mistake it prevents; "": false_pass
}

// Limits on taught lessons.
const (
	mostLesson = 260 // columns: 260 characters, 130 Chinese ones, so that the prompt includes it in full
	mostWhen   = 120 // characters of a condition
)

// takenBack is the ArchivedFor of a lesson whose teaching was undone.
const takenBack = "a person took back what was taught"

// Teach adds lesson l, written by a person. Runs receive it at once, and its effect is measured like that of every
// lesson. Teaching it again adds tests to For and NotFor. Teach refuses a lesson with the same text as another one in
// use. It refuses a lesson that was banned itself, and without Options.Over one with the same text as a banned one. It
// accepts a lesson that contradicts others, and lists these in DecisionResult.Against. Undo removes the lesson.
func (c *Curation) Teach(ctx context.Context, l TaughtLesson, o Options) (DecisionResult, error) {
	return c.do(ctx, tree.DecisionTeach, "", o, func() (*plan, error) {
		p, err := c.next(ctx, tree.DecisionTeach, "", o, nil)
		if err != nil {
			return nil, err
		}
		if err := c.whenAgain(ctx, &l); err != nil {
			return nil, err
		}
		n, redacted, err := c.Draft(l, o.By, p.at)
		if err != nil {
			return nil, err
		}
		p.act.Node = n.ID
		p.of.Redacted = redacted
		if p.of.Against, p.of.Mirrored, err = c.beside(ctx, &n, o.Over); err != nil {
			return nil, err
		}
		return p, c.place(ctx, p, n)
	})
}

// place plans to add a lesson, to restore it, or to add examples to the existing one.
func (c *Curation) place(ctx context.Context, p *plan, n tree.Node) error {
	old, err := c.door.Tree.Get(ctx, n.ID)
	no := func(why RefusalReason, now string) error {
		return &RefusedError{Said: tree.DecisionTeach, ID: n.ID, Why: why, Now: now}
	}
	switch {
	case errors.Is(err, tree.ErrNotFound):
		p.put(tree.OpAdd, n, "a person taught it", ledger.Before{Status: tree.Archived, ArchivedFor: takenBack})
		return nil
	case err != nil:
		return err
	case old.Decision != nil && old.Decision.Purged:
		return no(Purged, "")
	case old.Mark == tree.Banned:
		return &RefusedError{Said: tree.DecisionTeach, ID: n.ID, Why: Banned, By: old.Decision.By, At: old.Decision.At,
			Now: cmp.Or(old.Content.Title, old.Content.Guidance)}
	}
	is, was := old.Clone(), old.Clone()
	before := ledger.Before{Mark: old.Mark, Decision: old.Decision, Taught: was.Taught, Content: &was.Content,
		Provenance: &was.Provenance}
	if is.Taught == nil {
		is.Taught = &tree.Taught{}
	}
	is.Taught.For = united(is.Taught.For, n.Taught.For)
	is.Taught.NotFor = united(is.Taught.NotFor, n.Taught.NotFor)
	if err := fewExamples(is.Taught.For, is.Taught.NotFor); err != nil {
		return err
	}
	if !old.Live() {
		before.Status, before.ArchivedFor, before.SupersededBy = old.Status, old.ArchivedFor, old.SupersededBy
		is.Status, is.ArchivedFor, is.SupersededBy = n.Status, "", ""
		is.Content, is.Provenance, is.Taught.By = n.Content, n.Provenance, n.Taught.By
		if old.Decision != nil {
			is.Decision = &tree.Decision{Kind: tree.DecisionUndo, At: after(p.at, old.Decision), By: p.act.By, Why: p.act.Why}
			is.Mark = tree.Unmarked
		}
	} else if tree.Spelled(&is) == tree.Spelled(&old) {
		return no(Already, "")
	}
	p.put(tree.OpRevise, is, "a person taught it again", before)
	return nil
}

// whenAgain sets the conditions of a lesson that is taught again with more tests and without conditions.
func (c *Curation) whenAgain(ctx context.Context, l *TaughtLesson) error {
	if len(l.When) > 0 || len(l.For)+len(l.NotFor) == 0 {
		return nil
	}
	words, _ := c.door.Secrets(text.Line(l.Lesson))
	for n, err := range c.door.Tree.Scan(ctx, store.Filter{Level: tree.Experience.Level()}) {
		if err != nil {
			return err
		}
		if n.Taught != nil && n.Content.Guidance == words && n.Scope.Product == text.Line(l.Product) &&
			n.Direction == cmp.Or(l.Direction, taxonomy.FalsePass) {
			l.When = slices.Clone(n.Content.AppliesWhen)
			return nil
		}
	}
	return nil
}

// beside returns the lessons in use that contradict n, and those equal to n for the other direction. It refuses n if an
// equal lesson for its product and direction is in use or, unless over is set, banned. It compares what a lesson has as
// text and what agents get of it in the language of n, which of the catalogue's are two wordings of one lesson.
func (c *Curation) beside(
	ctx context.Context, n *tree.Node, over bool,
) (against, mirrored []tree.Node, err error) {
	for o, err := range c.door.Tree.Scan(ctx, store.Filter{Level: tree.Experience.Level()}) {
		if err != nil {
			return nil, nil, err
		}
		if o.ID == n.ID {
			continue
		}
		said := c.door.In(&o, n.Lang)
		alike := gate.Alike(&n.Content, &o.Content) || gate.Alike(&n.Content, &said.Content)
		called := cmp.Or(said.Content.Title, said.Content.Guidance)
		banned := c.repeats(n, &tree.Content{}, &o)
		if banned { // whatever the clock, what is taught in spite of a ban is later than the ban
			n.Provenance.At = after(n.Provenance.At, o.Decision)
		}
		switch {
		case banned && !over:
			return nil, nil, c.bannedBy(tree.DecisionTeach, n, &o)
		case !o.Live() || o.Scope.Product != "" && n.Scope.Product != "" && o.Scope.Product != n.Scope.Product:
		case o.Direction != n.Direction && alike:
			mirrored = append(mirrored, o)
		case gate.Against(n, &o) || gate.Against(n, &said):
			against = append(against, o)
			n.Taught.Against = append(n.Taught.Against, o.ID)
		case alike:
			return nil, nil, &RefusedError{Said: tree.DecisionTeach, ID: o.ID, Why: Alike, Now: called}
		}
	}
	slices.Sort(n.Taught.Against)
	return against, mirrored, nil
}

// Draft returns lesson l as a node, without secrets, and the number of secrets that it removed. It does not add the
// node to the tree. by is the name of the teacher, and at the time of the node. Draft returns a *tree.FieldError if a
// field is too long or missing, and a *GateError if gates refuse the lesson.
func (c *Curation) Draft(l TaughtLesson, by string, at time.Time) (tree.Node, int, error) {
	redacted := 0
	clean := func(list ...string) (out []string) {
		for _, s := range list {
			s, n := c.door.Secrets(text.Line(s))
			if redacted += n; s != "" && !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
		return out
	}
	l.When, l.For, l.NotFor = clean(l.When...), clean(l.For...), clean(l.NotFor...)
	l.Lesson, l.Direction = cmp.Or(clean(l.Lesson)...), cmp.Or(l.Direction, taxonomy.FalsePass)
	if err := l.check(); err != nil {
		return tree.Node{}, 0, err
	}
	d := gate.Draft{Title: text.Clip(l.Lesson, 80), AppliesWhen: l.When,
		Lessons: []tree.Lesson{{Check: l.Lesson, From: tree.FromPerson}}}
	d.Clean()
	lang := text.Lang(l.Lesson)
	if why := c.door.Gates.RefusesTaught(&d, lang); len(why) > 0 {
		return tree.Node{}, 0, &GateError{Said: tree.DecisionTeach, Reasons: why}
	}
	n := tree.Node{
		Type: tree.Experience, Level: tree.Experience.Level(), ErrorType: taxonomy.OtherError, Direction: l.Direction,
		Content: tree.Content{Title: d.Title, Guidance: l.Lesson, Confidence: 0.9, AppliesWhen: d.AppliesWhen,
			Lessons: d.Lessons},
		Metadata: tree.Metadata{CreatedAt: at, UpdatedAt: at}, Children: []string{}, Occurrences: []tree.Occurrence{},
		Scope: tree.Scope{Product: text.Line(l.Product)}, Lang: lang, Status: tree.Active, Origin: c.door.Origin,
		Provenance: tree.Provenance{By: tree.ByPerson, At: at},
		Taught:     &tree.Taught{By: text.Line(by), For: l.For, NotFor: l.NotFor},
	}
	parts := append([]string{d.Lessons[0].ID, "product " + n.Scope.Product}, d.AppliesWhen...)
	n.ID = tree.GroupID(n.Type, n.ErrorType, n.Direction, parts)
	return n, redacted, nil
}

// check reports the first field that is missing or too long, as a *tree.FieldError.
func (l *TaughtLesson) check() error {
	no := func(field, problem string, args ...any) error {
		return &tree.FieldError{Field: field, Problem: fmt.Sprintf(problem, args...)}
	}
	switch {
	case l.Lesson == "":
		return no("lesson", "is missing; say what to do, in one or two sentences")
	case len(text.Words(l.Lesson)) < 3:
		return no("lesson", "says too little; say what to do, in one or two sentences")
	case text.Width(l.Lesson) > mostLesson:
		return no("lesson", "is %d columns wide; the most is %d, which is %d Chinese characters; say it in fewer words, or "+
			"teach two lessons", text.Width(l.Lesson), mostLesson, mostLesson/2)
	case len(l.When) == 0:
		return no("when", "is missing; say for which tests, in words that these tests use")
	case len(l.When) > tree.MaxConditions:
		return no("when", "has %d conditions; the most is %d", len(l.When), tree.MaxConditions)
	case !l.Direction.Valid():
		return no("direction", "is %.40q; use false_pass, false_fail or other", l.Direction)
	case len(l.Product) > tree.MaxName:
		return no("product", "has %d bytes; the most is %d", len(l.Product), tree.MaxName)
	}
	for _, w := range l.When {
		if n := len([]rune(w)); n > mostWhen {
			return no("when", "has a condition of %d characters; the most is %d", n, mostWhen)
		}
	}
	return fewExamples(l.For, l.NotFor)
}

// fewExamples returns an error if a lesson cannot have these examples.
func fewExamples(tests, notFor []string) error {
	for _, f := range []struct {
		name string
		list []string
	}{{"for", tests}, {"notFor", notFor}} {
		if len(f.list) > tree.MaxExamples {
			return &tree.FieldError{Field: f.name, Problem: fmt.Sprintf("names %d tests; the most is %d", len(f.list),
				tree.MaxExamples)}
		}
		for _, s := range f.list {
			if len(s) > tree.MaxNodeLine {
				return &tree.FieldError{Field: f.name, Problem: fmt.Sprintf("names a test of %d bytes; the most is %d: give its "+
					"id", len(s), tree.MaxNodeLine)}
			}
		}
	}
	both := tree.Taught{NotFor: notFor}
	if i := slices.IndexFunc(tests, func(s string) bool { return both.IsNotFor(s) }); i >= 0 {
		return &tree.FieldError{Field: "notFor", Problem: fmt.Sprintf("names %q, which for names too; leave it out of one",
			text.Clip(tests[i], 60))}
	}
	return nil
}

// united returns the examples of both lists without duplicates.
func united(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.ContainsFunc(out, func(o string) bool { return tree.Example(o) == tree.Example(s) }) {
			out = append(out, s)
		}
	}
	return out
}
