package curation

import (
	"cmp"
	"context"
	"errors"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// beneath is what an undo of a label brings back for one evaluation.
type beneath struct {
	ledger  *evaluationEntries
	verdict ledger.Verdict   // before the label; or the truth that the run was recorded with since
	run     *tree.Evaluation // with a truth that was put aside for the label; nil: none
	formed  bool             // the truth was recorded since, and formed
}

// beneath returns what is beneath the labels of an action, in their order: an earlier label of a person if there is
// one; else the truth that a tool gave, before the label or since; else nothing but the run.
func (c *Curation) beneath(ctx context.Context, last *ledger.Action) ([]beneath, error) {
	were := last.Verdicts
	if last.Verdict != nil {
		were = []ledger.Verdict{*last.Verdict}
	}
	if len(were) == 0 {
		return nil, nil
	}
	ids, out := make([]string, len(were)), make([]beneath, len(were))
	for i := range were {
		ids[i] = were[i].Evaluation
	}
	l, err := c.ledger(ctx, ids)
	if err != nil {
		return nil, err
	}
	aside := map[string]*beneath{}
	for i, v := range were {
		k := l.of[v.Evaluation]
		if k == nil {
			return nil, tree.ErrNotFound
		}
		out[i] = beneath{ledger: k, verdict: v}
		switch {
		case v.Decided():
		case k.truth != nil:
			out[i].verdict, out[i].formed = *k.truth, true
		default:
			aside[v.Evaluation] = &out[i]
		}
	}
	if len(aside) == 0 {
		return out, nil
	}
	for d, err := range c.door.Tree.DeadLetters(ctx) {
		if err != nil {
			return nil, err
		}
		if b := aside[d.Evaluation.Key()]; b != nil && d.Overruled() {
			b.run = &d.Evaluation
		}
	}
	return out, nil
}

// stays reports whether a truth that was recorded since the label has the evaluation in the case with this id; for "",
// any evaluation of the label.
func (p *plan) stays(evaluation, id string) bool {
	for i := range p.back {
		b := &p.back[i].verdict
		if p.back[i].formed && (evaluation == "" || b.Evaluation == evaluation) && b.Node == id {
			return true
		}
	}
	return false
}

// uncorrect adds the verdicts beneath a label to the ledger again, and forms truths that were put aside for it.
func (c *Curation) uncorrect(ctx context.Context, p *plan, last *ledger.Action) error {
	for i := range p.back {
		b := &p.back[i]
		v, now, outcome := b.verdict, b.ledger.verdict, b.ledger.outcome
		if b.run != nil {
			f, err := c.formOne(ctx, b.run, p.batch.Changes)
			var field *tree.FieldError
			switch {
			case errors.As(err, &field): // it was purged
			case err != nil:
				return err
			case f.Verdict.Decided():
				for j := range f.Changes {
					p.gain(&f.Changes[j], v.Evaluation)
				}
				if v = f.Verdict; outcome == nil && b.run.Trial != "" {
					outcome = &ledger.Outcome{Trial: b.run.Trial, Evaluation: v.Evaluation, Attempt: v.Attempt}
				}
			}
		}
		v.By = cmp.Or(v.By, p.act.By, tree.ByPerson)
		p.correct(&v, outcome, &FormResult{Changes: p.batch.Changes})
		if last.Verdict != nil {
			p.act.Verdict = &now
			return nil
		}
		now.Features = ""
		p.act.Verdicts = append(p.act.Verdicts, now)
	}
	return nil
}
