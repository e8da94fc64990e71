package curation

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Truth is what was true of an evaluation after all.
type Truth struct {
	GroundTruth tree.Raw           // any JSON
	Correct     *bool              // whether the judgment was right, where the two cannot be compared; nil: they say
	Direction   taxonomy.Direction // which way it was wrong, likewise
	Reason      string             // what the evaluator says now; "": what was said stays, unless the direction changes
	Run         *tree.Evaluation   // the run as it was recorded; nil: as its case or the inbox keeps it
}

// Formed is what forming an evaluation gave.
type Formed struct {
	Changes []tree.Change
	Verdict tree.Verdict
	Note    string // why its judgment and its truth could not be compared; ""
}

// UnkeptError says that a run cannot be judged anew, because what it said was not kept.
type UnkeptError struct{ Evaluation string }

func (e *UnkeptError) Error() string {
	return fmt.Sprintf("relabel %s: what the run said was not kept, since it was right or too long ago; hand it in as "+
		"it was recorded", e.Evaluation)
}

// SeveralError says that an id names several evaluations.
type SeveralError struct {
	ID          string
	Evaluations []string
}

func (e *SeveralError) Error() string {
	return fmt.Sprintf("relabel %s: it names several evaluations: %s", e.ID, strings.Join(e.Evaluations, ", "))
}

// Relabel says that the truth of an evaluation was another. Its case goes, appears or changes
// with it; lessons that stand on it are learned anew the next time the tree evolves. What the
// ledger knows of the evaluation is corrected, so that risk and effect learn the new truth.
//
// evaluation is its id, the beginning of it, or the id of a run with one evaluation.
func (c *Curation) Relabel(ctx context.Context, evaluation string, truth Truth, o Options) (Result, error) {
	var d Result
	err := c.apply(ctx, o, func() (tree.Batch, error) {
		known, err := c.verdict(ctx, evaluation)
		if err != nil {
			return tree.Batch{}, err
		}
		var p *plan
		p, d, err = c.relabel(ctx, &known, truth, o)
		if err != nil {
			return tree.Batch{}, err
		}
		return p.batch, nil
	})
	if err != nil {
		return Result{}, wrap(tree.DecisionRelabel, evaluation, err)
	}
	return d, nil
}

// Evaluation returns what the ledger knows last of an evaluation, named as for Relabel.
func (c *Curation) Evaluation(ctx context.Context, id string) (tree.Verdict, error) {
	k, err := c.verdict(ctx, id)
	if err != nil {
		return tree.Verdict{}, wrap(tree.DecisionRelabel, id, err)
	}
	return k.verdict, nil
}

// known is what the ledger has of one evaluation.
type known struct {
	verdict tree.Verdict
	at      time.Time     // when it was said
	outcome *tree.Outcome // nil: it named no trial
	acts    int           // of people, in all
	decided *tree.Action  // the latest label of a person that was not taken back; nil: there is none
}

// verdict finds an evaluation in the ledger.
func (c *Curation) verdict(ctx context.Context, id string) (known, error) {
	whole, err := c.named(ctx, id)
	if err != nil {
		return known{}, err
	}
	l, err := c.ledger(ctx, []string{whole})
	if err != nil {
		return known{}, err
	}
	k := *l.of[whole]
	k.acts, k.decided = len(l.acts), l.decider(whole)
	return k, nil
}

// named returns the id of the evaluation that an id, the beginning of one, or the id of a run names.
func (c *Curation) named(ctx context.Context, id string) (string, error) {
	begun, ofRun := map[string]bool{}, map[string]bool{}
	for e, err := range c.door.Tree.Ledger(ctx, 0) {
		switch {
		case err != nil:
			return "", err
		case e.Verdict == nil:
			continue
		case e.Verdict.Evaluation == id && id != "":
			return id, nil
		}
		if strings.HasPrefix(e.Verdict.Evaluation, id) {
			begun[e.Verdict.Evaluation] = true
		}
		if e.Verdict.RunID == id {
			ofRun[e.Verdict.Evaluation] = true
		}
	}
	for _, among := range []map[string]bool{ofRun, begun} {
		switch ids := slices.Sorted(maps.Keys(among)); {
		case len(ids) == 1:
			return ids[0], nil
		case len(ids) > 1:
			return "", &SeveralError{id, ids[:min(len(ids), 5)]}
		}
	}
	return "", tree.ErrNotFound
}

// relabel plans a relabel.
func (c *Curation) relabel(ctx context.Context, k *known, truth Truth, o Options) (*plan, Result, error) {
	was := k.verdict
	p := c.begin(tree.DecisionRelabel, "", o, k.acts, nil)
	p.act.Evaluation, p.act.Verdict = was.Evaluation, &was
	old, has, err := c.caseOf(ctx, &was)
	if err != nil {
		return nil, Result{}, err
	}
	if kept, ok := c.door.Kept(was.Evaluation); ok && !has && truth.Run == nil {
		truth.Run = &kept
	}
	e, err := evaluation(&was, old, has, truth)
	if err != nil {
		return nil, Result{}, err
	}
	switch {
	case k.outcome != nil:
		e.Trial = k.outcome.Trial
	case e.Trial != "": // nobody had said what came of its trial
		k.outcome = &tree.Outcome{Trial: e.Trial, Evaluation: was.Evaluation, Attempt: was.Attempt}
	}
	if has {
		p.take(old, &was)
	}
	f, err := c.form(ctx, &e, &was, truth, p.batch.Changes)
	if err != nil {
		return nil, Result{}, err
	}
	now := f.Verdict
	now.Features, now.By = cmp.Or(was.Features, now.Features), cmp.Or(o.By, tree.ByPerson)
	if was.Labelled && now.Correct == was.Correct && now.Node == was.Node && now.Direction == was.Direction {
		return nil, Result{}, &RefusedError{Said: tree.DecisionRelabel, ID: was.Evaluation, Why: Already}
	}
	if a := k.decided; a != nil && a.By != o.By && !o.Over {
		return nil, Result{}, theirs(tree.DecisionRelabel, was.Evaluation, &Past{Action: *a, At: k.at, Labels: []tree.Verdict{was}})
	}
	for i := range f.Changes {
		p.gain(&f.Changes[i], was.Evaluation)
	}
	p.correct(&now, k.outcome, &f)
	d, err := c.finish(ctx, p, true)
	d.Verdict = &now
	return p, d, err
}

// form forms an evaluation with its new truth. What the evaluator said belongs to the old one
// where the direction is another now.
func (c *Curation) form(
	ctx context.Context, e *tree.Evaluation, was *tree.Verdict, truth Truth, taken []tree.Change,
) (Formed, error) {
	f, err := c.formOne(ctx, e, taken)
	if err == nil && truth.Reason == "" && e.Reason != "" && f.Verdict.Direction != was.Direction {
		e.Reason = ""
		f, err = c.formOne(ctx, e, taken)
	}
	if err == nil && !f.Verdict.Labelled {
		err = uncompared(&f)
	}
	return f, err
}

func (c *Curation) formOne(ctx context.Context, e *tree.Evaluation, taken []tree.Change) (Formed, error) {
	f, err := c.door.Form(ctx, []tree.Evaluation{*e}, taken)
	if err != nil {
		return Formed{}, err
	}
	return f[0], nil
}

// uncompared says that a truth says nothing of a judgment.
func uncompared(f *Formed) error {
	return &tree.FieldError{Field: "truth", Problem: "cannot be compared with the judgment (" +
		cmp.Or(f.Note, "nothing says what was true") + "); say whether the judgment was correct"}
}

// caseOf returns the case that an evaluation stands in, false if there is none.
func (c *Curation) caseOf(ctx context.Context, v *tree.Verdict) (tree.Node, bool, error) {
	if v.Node == "" || v.Correct || !v.Labelled {
		return tree.Node{}, false, nil
	}
	n, err := c.door.Tree.Get(ctx, v.Node)
	if err != nil {
		return n, false, err
	}
	if n.Decision != nil && n.Decision.Purged {
		return n, false, &RefusedError{Said: tree.DecisionRelabel, ID: n.ID, Why: Purged}
	}
	return n, n.CaseData != nil, nil
}

// evaluation returns a run with its new truth: as it was handed in, or as its case kept it.
func evaluation(v *tree.Verdict, n tree.Node, has bool, truth Truth) (tree.Evaluation, error) {
	var e tree.Evaluation
	switch {
	case truth.Run != nil:
		e = *truth.Run
	case !has:
		return e, &UnkeptError{v.Evaluation}
	default:
		d := n.CaseData
		e = tree.Evaluation{
			CaseID: cmp.Or(v.CaseID, d.TestCase.CaseID), Scene: n.Scene, Scope: n.Scope, Prompt: d.TestCase.Prompt,
			Judgment: judgmentOf(d.AgentJudgment), Reason: d.EvaluatorReason, At: n.Metadata.CreatedAt,
			Evidence: d.Evidence.Clone(),
		}
		for _, o := range n.Occurrences {
			if o.Evaluation == v.Evaluation {
				e.At = o.At
			}
		}
	}
	e.ID, e.RunID, e.Attempt, e.Agent = v.Evaluation, v.RunID, v.Attempt, v.Agent
	e.GroundTruth, e.Correct, e.Direction = truth.GroundTruth, truth.Correct, truth.Direction
	e.Reason = cmp.Or(truth.Reason, e.Reason)
	return e, nil
}

// judgmentOf returns a judgment as JSON. A case keeps the text of one that was a JSON string,
// and any other in canonical form.
func judgmentOf(s string) tree.Raw {
	if s != "" && strings.ContainsRune("{[", rune(s[0])) && json.Valid([]byte(s)) {
		return tree.Raw(s)
	}
	if s == "true" || s == "false" {
		return tree.Raw(s)
	}
	return tree.Quote(s)
}
