package evolution

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/memtree/memtree/evolution/gate"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/tree"
)

// Edit returns the lesson or strategy with this id as it would be with the text of draft d, which a person wrote at
// the time at. It also returns every reason why the gates refuse d; if there is one, do not use the node. A lesson in d
// may omit its cases, check and source: Edit takes them from the lesson that it replaces, or cites all cases of the
// memory. Edit returns tree.ErrNotFound if there is no lesson or strategy with this id.
func (e *Evolver) Edit(
	ctx context.Context, v Scanner, id string, d gate.Draft, at time.Time,
) (tree.Node, []string, error) {
	s, err := e.survey(ctx, v, time.Time{})
	if err != nil {
		return tree.Node{}, nil, fmt.Errorf("read the tree: %w", err)
	}
	n := s.nodes[id]
	if n == nil || n.Type == tree.Case {
		return tree.Node{}, nil, tree.ErrNotFound
	}
	p := &planner{e: e, s: s, experiences: s.live(tree.Experience), strategies: s.live(tree.Strategy)}
	w := &partitionWork{planner: p, ctx: ctx}
	w.Partition = partitionOf(n)
	b, parts := w.under(n)
	if n.Taught != nil {
		return e.editTaught(n, d, at)
	}
	if len(b.cases) == 0 {
		return tree.Node{}, []string{"members: none of its cases are here, so nothing can be held against them"}, nil
	}
	out := n.Clone()
	j := w.newJob(n.Type, b, parts, &out)
	credit(&d, &n.Content, idsOf(b.cases))
	d.Clean()
	c := &out.Content
	c.Title, c.Description, c.Lessons = d.Title, d.Description, d.Lessons
	c.AppliesWhen, c.NotWhen = d.AppliesWhen, d.NotWhen
	c.Guidance, c.Other = "", nil // they repeat the former text
	if n.Type == tree.Experience {
		c.Other = d.Other
	}
	out.Provenance = tree.Provenance{By: tree.ByPerson, Cites: n.Provenance.Cites, Left: n.Provenance.Left, At: at,
		When: n.Provenance.When || newConditions(n, d.AppliesWhen)}
	e.o.Words(&out)
	j.Person, j.Strict = true, true
	worded := gate.Draft{Title: c.Title, Description: d.Description, AppliesWhen: c.AppliesWhen, NotWhen: c.NotWhen,
		Lessons: c.Lessons} // fills the texts that the catalogue supplies
	return out, append(e.judge.Refuses(&j.Subject, &worded), e.judge.RefusesTranslation(&j.Subject, &d)...), nil
}

// newConditions reports whether a person gave a lesson other conditions than it has, in any language.
func newConditions(n *tree.Node, when []string) bool {
	same := func(a, b []string) bool {
		return slices.EqualFunc(a, b, func(x, y string) bool { return tree.TestKey(x) == tree.TestKey(y) })
	}
	for _, lang := range []string{n.Lang, "en", "zh"} {
		if same(when, n.In(lang).Content.AppliesWhen) {
			return false
		}
	}
	return len(when) > 0
}

// editTaught is Edit of a lesson that rests on no case: it applies the gates of teaching.
func (e *Evolver) editTaught(n *tree.Node, d gate.Draft, at time.Time) (tree.Node, []string, error) {
	out := n.Clone()
	for i := range d.Lessons {
		d.Lessons[i].From, d.Lessons[i].Kind, d.Lessons[i].Cites = tree.FromPerson, "", nil
	}
	d.Clean()
	c := &out.Content
	c.Title, c.Description, c.Lessons = d.Title, d.Description, d.Lessons
	c.AppliesWhen, c.NotWhen, c.Other = d.AppliesWhen, d.NotWhen, d.Other
	c.Guidance = ""
	for _, l := range d.Lessons {
		c.Guidance = text.Append(c.Guidance, text.Append(l.Check, l.Instead))
	}
	out.Provenance = tree.Provenance{By: tree.ByPerson, At: at}
	return out, e.judge.RefusesTaught(&d, n.Lang), nil
}

// under returns the cases in use under a lesson, and the experiences of a strategy.
func (w *partitionWork) under(n *tree.Node) (*bucket, []*formedNode) {
	b := &bucket{Partition: w.Partition, check: kindOf(n), close: 1}
	if n.Type == tree.Experience {
		b.cases = w.s.standing(n)
		byID(b.cases)
		return b, nil
	}
	b.check = ""
	var parts []*formedNode
	for _, x := range w.s.standing(n) {
		of := &bucket{Partition: w.Partition, check: kindOf(x), cases: w.s.standing(x), close: 1}
		parts = append(parts, &formedNode{x, of})
		b.cases = append(b.cases, of.cases...)
	}
	b.cases = united(b.cases, nil)
	return b, parts
}

// credit fills in what a person may omit of a lesson: its cases, its check, and the source of its text.
func credit(d *gate.Draft, was *tree.Content, cases []string) {
	for i := range d.Lessons {
		l := &d.Lessons[i]
		at := slices.IndexFunc(was.Lessons, func(o tree.Lesson) bool {
			return o.ID == l.ID || l.Kind != "" && o.Kind == l.Kind
		})
		if at < 0 && i < len(was.Lessons) && l.ID == "" && l.Kind == "" {
			at = i
		}
		l.From = tree.FromPerson
		if at >= 0 {
			o := &was.Lessons[at]
			l.Kind = cmp.Or(l.Kind, o.Kind)
			if len(l.Cites) == 0 {
				l.Cites = slices.Clone(o.Cites)
			}
			if l.Check == o.Check {
				l.From = o.From
			}
			l.Tests, l.Times, l.Scenes = o.Tests, o.Times, o.Scenes
		}
		if len(l.Cites) == 0 {
			l.Cites = slices.Clone(cases)
		}
	}
}
