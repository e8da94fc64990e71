package curation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memtree/memtree/evolution/gate"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// GateError is the error for a person's text that gates refuse. Nothing was changed.
type GateError struct {
	Said    tree.DecisionKind // the decision: edit or teach
	ID      string            // id of the memory; "" for a taught lesson
	Reasons []string          // each begins with the name of its gate
}

func (e *GateError) Error() string {
	return strings.TrimSpace(fmt.Sprintf("%s %s", e.Said, e.ID)) + ": " + strings.Join(e.Reasons, "; ")
}

// DraftOf returns the texts of lesson or strategy n that a person can edit. It omits citations of cases that n no
// longer has.
func DraftOf(n *tree.Node) gate.Draft {
	c := n.Clone().Content
	for i := range c.Lessons {
		if l := &c.Lessons[i]; n.Type == tree.Experience {
			l.Cites = slices.DeleteFunc(l.Cites, func(id string) bool { return !slices.Contains(n.Children, id) })
		}
	}
	return gate.Draft{Title: c.Title, Description: c.Description, AppliesWhen: c.AppliesWhen, NotWhen: c.NotWhen,
		Lessons: c.Lessons}
}

// Edit gives the experience or strategy with this id the text words. It returns a *GateError if the gates refuse that
// text, as they may refuse any draft of a lesson. Without Options.Over it refuses a new sentence that repeats one of
// a lesson that was banned or rejected. Evolution leaves the text unchanged from then on. A case is evidence and cannot
// be edited: see Relabel.
func (c *Curation) Edit(ctx context.Context, id string, words gate.Draft, o Options) (DecisionResult, error) {
	return c.do(ctx, tree.DecisionEdit, id, o, func() (*plan, error) {
		n, err := c.door.Tree.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		switch {
		case n.Type == tree.Case:
			return nil, &tree.FieldError{
				Field: "id", Problem: "is of a case, which is evidence; edit its lesson, or relabel",
			}
		case c.door.Waits(&n):
			return nil, &RefusedError{Said: tree.DecisionEdit, ID: id, Why: Waiting}
		case !n.Live():
			return nil, &RefusedError{
				Said: tree.DecisionEdit, ID: id, Why: Archived, Now: string(n.Status) + " " + string(n.Mark),
			}
		}
		past, err := c.History(ctx, "")
		if err != nil {
			return nil, err
		}
		p := c.begin(tree.DecisionEdit, id, o, len(past), &tree.Decision{At: n.Provenance.At})
		is, why, err := c.door.Edit(ctx, id, words, p.at)
		switch {
		case err != nil:
			return nil, err
		case len(why) > 0:
			return nil, &GateError{tree.DecisionEdit, id, why}
		case tree.ContentHash(&is) == tree.ContentHash(&n):
			return nil, &RefusedError{Said: tree.DecisionEdit, ID: id, Why: Already}
		}
		if err := owned(past, tree.DecisionEdit, id, o, tree.DecisionEdit, tree.DecisionTeach); err != nil {
			return nil, err
		}
		if err := c.notBanned(ctx, tree.DecisionEdit, &is, &n.Content, o.Over); err != nil {
			return nil, err
		}
		before := n.Clone()
		p.put(tree.OpRevise, is, "a person wrote it",
			ledger.Before{Mark: n.Mark, Decision: n.Decision, Content: &before.Content,
				Provenance: &before.Provenance})
		return p, nil
	})
}
