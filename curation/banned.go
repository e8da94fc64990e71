package curation

import (
	"cmp"
	"context"
	"slices"

	"github.com/memtree/memtree/evolution/gate"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// repeats reports whether n has a sentence, other than those of was, that is nearly the same as one of o, and o is
// banned or rejected. It compares what o has as text and what agents get of it in the language of n. A strategy
// summarizes lessons, so of a banned one only a person's sentences count.
func (c *Curation) repeats(n *tree.Node, was *tree.Content, o *tree.Node) bool {
	if o.Mark != tree.Banned || o.Direction != n.Direction || o.ID == n.ID {
		return false
	}
	own := func(l tree.Lesson) bool { return o.Type == tree.Strategy && l.From != tree.FromPerson }
	lessons := slices.DeleteFunc(slices.Concat(o.Content.Lessons, c.door.In(o, n.Lang).Content.Lessons), own)
	refused, before := sentences(lessons), sentences(was.Lessons)
	for _, s := range sentences(n.Content.Lessons) {
		if slices.Contains(before, s) {
			continue
		}
		for _, r := range refused {
			if gate.Alike(saying(s), saying(r)) {
				return true
			}
		}
	}
	return false
}

// sentences returns the texts of lessons: each by itself, and both of a lesson together.
func sentences(list []tree.Lesson) (out []string) {
	for i := range list {
		l := &list[i]
		for _, s := range []string{l.Check, l.Instead} {
			if s != "" {
				out = append(out, s)
			}
		}
		if l.Check != "" && l.Instead != "" {
			out = append(out, l.Check+" "+l.Instead)
		}
	}
	return out
}

func saying(s string) *tree.Content { return &tree.Content{Lessons: []tree.Lesson{{Check: s}}} }

// notBanned returns a *RefusedError if n, whose text was, repeats what a person banned or rejected. If over is set it
// returns nil, and makes the text of n later than the ban, so that it counts more.
func (c *Curation) notBanned(
	ctx context.Context, said tree.DecisionKind, n *tree.Node, was *tree.Content, over bool,
) error {
	for _, t := range []tree.Type{tree.Experience, tree.Strategy} {
		for o, err := range c.door.Tree.Scan(ctx, store.Filter{Level: t.Level()}) {
			if err != nil {
				return err
			}
			if !c.repeats(n, was, &o) {
				continue
			}
			if !over {
				return c.bannedBy(said, n, &o)
			}
			n.Provenance.At = after(n.Provenance.At, o.Decision)
		}
	}
	return nil
}

// bannedBy returns the error for a decision on n that repeats the banned o.
func (c *Curation) bannedBy(said tree.DecisionKind, n, o *tree.Node) error {
	in := c.door.In(o, n.Lang)
	return &RefusedError{Said: said, ID: o.ID, Why: Banned, By: o.Decision.By, At: o.Decision.At,
		Now: cmp.Or(in.Content.Title, in.Content.Guidance)}
}

// Repeated returns a *RefusedError that names the lesson or strategy whose sentence draft n repeats, and which a person
// banned or rejected; nil for none.
func (c *Curation) Repeated(ctx context.Context, n *tree.Node) error {
	return c.notBanned(ctx, tree.DecisionTeach, n, &tree.Content{}, false)
}
