package curation

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/memtree/memtree/tree"
)

// Past is a word that somebody said.
type Past struct {
	tree.Action
	At     time.Time
	Labels []tree.Verdict // of a relabel: what it labelled the verdicts as
	Gone   bool           // it was taken back
	Free   bool           // nothing decided later rests on it: an undo can take it back
}

// labelAt is when a person labelled an evaluation.
type labelAt struct {
	evaluation string
	at         int64
}

// Target returns the memory or evaluation that a word is about, as Undo takes it.
func (p *Past) Target() string {
	if p.Evaluation != "" {
		return p.Evaluation
	}
	return p.Node
}

// named names a decision: what was decided, and on what.
func (p *Past) named() string {
	if n := len(p.Verdicts); n > 0 {
		return fmt.Sprintf("%s of %d", p.Kind, n)
	}
	return string(p.Kind) + " " + p.Target()
}

// History returns what people said of a memory or evaluation, undos too, the latest first; of everything
// where id is "".
func (c *Curation) History(ctx context.Context, id string) ([]Past, error) {
	var all []Past
	gone, labels := map[string]bool{}, map[labelAt]*tree.Verdict{}
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
	later := map[string]bool{} // what a later word that stands is about
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

// evaluations returns the ids of those that a relabel is about.
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

// abouts returns everything that an act is about.
func abouts(a *tree.Action) []string {
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
