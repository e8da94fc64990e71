package curation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// MostLabels is the maximum number of evaluations in one call of Label or LabelEach.
const MostLabels = 2000

// Labelled is what Label or LabelEach changed.
type Labelled struct {
	DecisionResult
	Verdicts []ledger.Verdict `json:"verdicts"` // the new verdict of each labelled evaluation
	Decided  []KnownVerdict   `json:"decided"`  // evaluations that had a label and are unchanged
	Unkept   []string         `json:"unkept"`   // ids of evaluations whose run is not stored
}

// KnownVerdict is a verdict and its time. Its By is "" if the run came with its truth.
type KnownVerdict struct {
	ledger.Verdict
	At time.Time `json:"at"`
}

// Label gives the unlabelled evaluations with these ids the same truth, each as Relabel does. All are one action,
// which one undo reverts. An evaluation that was labelled in the meantime remains unchanged. If none is left to label,
// Label writes nothing, and Labelled.Action is the zero value.
func (c *Curation) Label(ctx context.Context, ids []string, truth Truth, o Options) (Labelled, error) {
	list := make([]OneLabel, len(ids))
	for i, id := range ids {
		list[i] = OneLabel{id, truth}
	}
	return c.LabelEach(ctx, list, o)
}

// OneLabel is a person's label of one evaluation.
type OneLabel struct {
	Evaluation string // its full id
	Truth      Truth
}

// LabelEach does what Label does, with a truth of its own for each evaluation.
func (c *Curation) LabelEach(ctx context.Context, ids []OneLabel, o Options) (Labelled, error) {
	if len(ids) > MostLabels {
		return Labelled{}, &tree.FieldError{Field: "evaluations", Problem: fmt.Sprintf(
			"are %d, and one label is about %d at most; choose fewer, such as those of one product or day",
			len(ids),
			MostLabels,
		)}
	}
	var out Labelled
	err := c.apply(ctx, o, func() (b store.Batch, err error) {
		b, out, err = c.label(ctx, ids, o)
		return b, err
	})
	if err != nil && !errors.Is(err, errNothing) {
		return Labelled{}, wrap(tree.DecisionRelabel, ids[0].Evaluation, err)
	}
	return out, nil
}

// errNothing ends a plan without changes.
var errNothing = errors.New("nothing to write")

// label plans a label.
func (c *Curation) label(ctx context.Context, list []OneLabel, o Options) (store.Batch, Labelled, error) {
	out := Labelled{Verdicts: []ledger.Verdict{}, Decided: []KnownVerdict{}, Unkept: []string{}}
	ids := make([]string, len(list))
	for i := range list {
		ids[i] = list[i].Evaluation
	}
	l, err := c.ledger(ctx, ids)
	if err != nil {
		return store.Batch{}, out, err
	}
	es, were := out.sort(c, list, l)
	if len(es) == 0 {
		return store.Batch{}, out, errNothing
	}
	p := c.begin(tree.DecisionRelabel, "", o, len(l.acts), nil)
	if err := c.formAll(ctx, p, es, were, o, &out); err != nil {
		return store.Batch{}, out, err
	}
	if len(were) == 1 {
		p.act.Evaluation, p.act.Verdict, p.act.Verdicts = were[0].verdict.Evaluation, &p.act.Verdicts[0], nil
	}
	p.stood = true
	out.DecisionResult, err = c.finish(ctx, p)
	if len(were) == 1 {
		out.Verdict = &out.Verdicts[0]
	}
	return p.batch, out, err
}

// sort returns the stored runs of unlabelled evaluations, each with its truth applied, and records the others in l.
func (l *Labelled) sort(c *Curation, list []OneLabel, in *evaluationNotes) (es []tree.Evaluation,
	were []*evaluationEntries) {
	done := map[string]bool{}
	for _, x := range list {
		id, truth := x.Evaluation, x.Truth
		k, run := in.of[id], tree.Evaluation{}
		kept := false
		if k != nil {
			run, kept = c.door.Kept(id)
		}
		switch {
		case done[id]:
		case k != nil && k.verdict.Decided():
			d := KnownVerdict{k.verdict, k.at}
			if a := in.decider(id); a != nil && d.By != "" {
				d.By = cmp.Or(a.By, tree.ByPerson)
			}
			l.Decided = append(l.Decided, d)
		case !kept:
			l.Unkept = append(l.Unkept, id)
		default:
			truth.Run = &run
			e, err := evaluation(&k.verdict, tree.Node{}, false, truth)
			if err != nil { // impossible: the run is given
				l.Unkept = append(l.Unkept, id)
				break
			}
			if k.outcome != nil {
				e.Trial = k.outcome.Trial
			} else if e.Trial != "" { // its trial had no outcome yet
				k.outcome = &ledger.Outcome{Trial: e.Trial, Evaluation: id, Attempt: k.verdict.Attempt}
			}
			es, were = append(es, e), append(were, k)
		}
		done[id] = true
	}
	return es, were
}

// formAll forms evaluations with their new truth and adds the results to the plan.
func (c *Curation) formAll(
	ctx context.Context, p *plan, es []tree.Evaluation, were []*evaluationEntries, o Options, out *Labelled,
) error {
	formed, err := c.door.Form(ctx, es, nil)
	if err != nil {
		return err
	}
	for i := range formed {
		f, was := &formed[i], were[i].verdict
		if err := uncompared(f); err != nil {
			return err
		}
		now := f.Verdict
		now.Features, now.By = cmp.Or(was.Features, now.Features), cmp.Or(o.By, tree.ByPerson)
		for k := range f.Changes {
			p.gain(&f.Changes[k], was.Evaluation)
		}
		p.correct(&now, were[i].outcome, f)
		was.Features = ""
		p.act.Verdicts = append(p.act.Verdicts, was)
		out.Verdicts = append(out.Verdicts, now)
	}
	return nil
}

// evaluationNotes is the ledger's information on some evaluations.
type evaluationNotes struct {
	of    map[string]*evaluationEntries // by id; nil if the ledger has no verdict
	acts  []ledger.Action               // of people, oldest first
	stood []ledger.Action               // actions that were not undone; nil: not computed yet
}

// decider returns a person's latest label of an evaluation that was not undone, nil for none.
func (n *evaluationNotes) decider(id string) *ledger.Action {
	for i, a := range slices.Backward(n.standing()) {
		if a.Kind == tree.DecisionRelabel && a.About(id) {
			return &n.stood[i]
		}
	}
	return nil
}

// standing returns the actions that were not undone, oldest first.
func (n *evaluationNotes) standing() []ledger.Action {
	if n.stood == nil {
		n.stood = standingActs(n.acts)
	}
	return n.stood
}

// ledger reads the verdicts and outcomes of evaluations, given by their full ids, and all actions.
func (c *Curation) ledger(ctx context.Context, ids []string) (*evaluationNotes, error) {
	out := &evaluationNotes{of: make(map[string]*evaluationEntries, len(ids))}
	for _, id := range ids {
		out.of[id] = nil
	}
	for e, err := range c.door.Tree.Ledger(ctx, 0) {
		switch {
		case err != nil:
			return nil, err
		case e.Act != nil:
			out.acts = append(out.acts, *e.Act)
		case e.Verdict != nil:
			k, asked := out.of[e.Verdict.Evaluation]
			if !asked {
				continue
			}
			if k == nil {
				k = &evaluationEntries{}
				out.of[e.Verdict.Evaluation] = k
			}
			features := k.verdict.Features
			k.verdict, k.at = *e.Verdict, e.At
			k.verdict.Features = cmp.Or(k.verdict.Features, features)
			if e.Verdict.By == "" && e.Verdict.Decided() {
				k.truth = e.Verdict
			}
		case e.Outcome != nil:
			if k := out.of[e.Outcome.Evaluation]; k != nil {
				k.outcome = e.Outcome
			}
		}
	}
	return out, nil
}
