package curation

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// Past is a decision of the ledger, and whether it was undone or can be.
type Past struct {
	ledger.Action
	At     time.Time
	Labels []ledger.Verdict // of a relabel: the verdicts it set
	Gone   bool             // somebody undid it
	Free   bool             // no later decision depends on it, so it can be undone
}

// labelAt identifies a person's label of an evaluation.
type labelAt struct {
	evaluation string
	at         int64
}

// Target returns the id of the evaluation or memory that the decision concerns, as Undo accepts it. It is empty for a
// label of several evaluations; pass the id of the decision to Undo instead.
func (p *Past) Target() string {
	if p.Evaluation != "" {
		return p.Evaluation
	}
	return p.Node
}

// named returns the kind and target of a decision, for messages.
func (p *Past) named() string {
	if n := len(p.Verdicts); n > 0 {
		return fmt.Sprintf("%s of %d runs", p.Kind.Name(), n)
	}
	return p.Kind.Name() + " " + p.Target()
}

// History returns the decisions on the memory or evaluation with this id, including undos, latest first; all decisions
// if id is "".
func (c *Curation) History(ctx context.Context, id string) ([]Past, error) {
	var all []Past
	gone, labels := map[string]bool{}, map[labelAt]*ledger.Verdict{}
	for e, err := range c.door.Tree.Ledger(ctx, 0) {
		if err != nil {
			return nil, err
		}
		if e.Verdict != nil && e.Verdict.By != "" {
			labels[labelAt{e.Verdict.Evaluation, e.At.UnixNano()}] = e.Verdict
		}
		if e.Act != nil {
			gone[e.Act.Undoes] = true
			all = append(all, Past{Action: *e.Act, At: e.At})
		}
	}
	slices.Reverse(all)
	later := map[string]bool{} // targets of later decisions in force
	for i := range all {
		p := &all[i]
		p.Gone = gone[p.ID]
		if p.Kind == tree.DecisionRelabel {
			for _, id := range p.evaluations() {
				if v := labels[labelAt{id, p.At.UnixNano()}]; v != nil {
					p.Labels = append(p.Labels, *v)
				}
			}
		}
		if p.Gone || p.Kind == tree.DecisionUndo {
			continue
		}
		of := abouts(&p.Action)
		p.Free = !p.Purged && !slices.ContainsFunc(of, func(id string) bool { return later[id] })
		for _, id := range of {
			later[id] = true
		}
	}
	if id != "" {
		all = slices.DeleteFunc(all, func(p Past) bool { return !p.About(id) })
	}
	return all, nil
}

// evaluations returns the ids of the evaluations of a relabel.
func (p *Past) evaluations() []string {
	if p.Evaluation != "" {
		return []string{p.Evaluation}
	}
	out := make([]string, len(p.Verdicts))
	for i := range p.Verdicts {
		out[i] = p.Verdicts[i].Evaluation
	}
	return out
}

// abouts returns the ids of everything that an action concerns or changed.
func abouts(a *ledger.Action) []string {
	out := make([]string, 0, 2+len(a.Before)+len(a.Verdicts))
	for _, id := range []string{a.Node, a.Evaluation} {
		if id != "" {
			out = append(out, id)
		}
	}
	for i := range a.Before {
		out = append(out, a.Before[i].ID)
	}
	for i := range a.Verdicts {
		out = append(out, a.Verdicts[i].Evaluation)
	}
	return out
}
