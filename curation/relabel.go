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

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Truth is a person's label of an evaluation: what was true, or whether the judgment was right.
type Truth struct {
	GroundTruth tree.Raw // any JSON
	// Correct is whether the judgment was right. Set it if the judgment cannot be compared with GroundTruth; nil: they
	// are compared.
	Correct   *bool
	Direction taxonomy.Direction // which way the judgment was wrong, if that cannot be derived
	Reason    string             // explanation; "": the earlier one, unless the direction changes
	Run       *tree.Evaluation   // the run as recorded; nil: as stored in its case or the inbox
}

// FormResult is what becomes of an evaluation: changes of nodes, and its verdict.
type FormResult struct {
	Changes []tree.Change
	Verdict ledger.Verdict
	Note    string // why judgment and truth cannot be compared; "" if they can
}

// UnkeptError is the error for a run that cannot be labelled because it is not stored. Truth.Run can supply it.
type UnkeptError struct{ Evaluation string }

func (e *UnkeptError) Error() string {
	return fmt.Sprintf("relabel %s: what the run said was not kept, since it was right or too long ago; hand it in as "+
		"it was recorded", e.Evaluation)
}

// SeveralError is the error for an id that several evaluations match.
type SeveralError struct {
	ID          string
	Evaluations []string // ids of the evaluations, sorted; at most the first 5
}

func (e *SeveralError) Error() string {
	return fmt.Sprintf("relabel %s: it names several evaluations: %s", e.ID, strings.Join(e.Evaluations, ", "))
}

// Relabel sets or corrects the truth of an evaluation. Its case is archived, added or changed accordingly, and the
// next evolution learns the lessons again that depend on the case. The ledger gets a new verdict and, if the run had a
// trial, a new outcome, so that risk and effect learn the new truth.
//
// evaluation is an id, the beginning of an id, or the id of a run with one evaluation.
func (c *Curation) Relabel(ctx context.Context, evaluation string, truth Truth, o Options) (DecisionResult, error) {
	return c.do(ctx, tree.DecisionRelabel, evaluation, o, func() (*plan, error) {
		known, err := c.verdict(ctx, evaluation)
		if err != nil {
			return nil, err
		}
		return c.relabel(ctx, &known, truth, o)
	})
}

// Evaluation returns the latest verdict of the evaluation that id identifies, as in Relabel.
func (c *Curation) Evaluation(ctx context.Context, id string) (ledger.Verdict, error) {
	k, err := c.verdict(ctx, id)
	if err != nil {
		return ledger.Verdict{}, wrap(tree.DecisionRelabel, id, err)
	}
	return k.verdict, nil
}

// evaluationEntries is the ledger's information on one evaluation.
type evaluationEntries struct {
	verdict ledger.Verdict
	at      time.Time       // of the verdict
	truth   *ledger.Verdict // the last truth that no person gave; nil: none
	outcome *ledger.Outcome // nil: it has no trial
	acts    int             // number of people's actions in the ledger
	decided *ledger.Action  // a person's latest label that was not undone; nil: none
}

// verdict returns the ledger's information on an evaluation, identified as for Relabel.
func (c *Curation) verdict(ctx context.Context, id string) (evaluationEntries, error) {
	whole, err := c.named(ctx, id)
	if err != nil {
		return evaluationEntries{}, err
	}
	l, err := c.ledger(ctx, []string{whole})
	if err != nil {
		return evaluationEntries{}, err
	}
	k := *l.of[whole]
	k.acts, k.decided = len(l.acts), l.decider(whole)
	return k, nil
}

// named returns the id of the evaluation that a full id, the beginning of an id or the id of a run identifies.
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
func (c *Curation) relabel(ctx context.Context, k *evaluationEntries, truth Truth, o Options) (*plan, error) {
	was := k.verdict
	p := c.begin(tree.DecisionRelabel, "", o, k.acts, nil)
	p.act.Evaluation, p.act.Verdict = was.Evaluation, &was
	old, has, err := c.caseOf(ctx, &was)
	if err != nil {
		return nil, err
	}
	if kept, ok := c.door.Kept(was.Evaluation); ok && !has && truth.Run == nil {
		truth.Run = &kept
	}
	e, err := evaluation(&was, old, has, truth)
	if err != nil {
		return nil, err
	}
	switch {
	case k.outcome != nil:
		e.Trial = k.outcome.Trial
	case e.Trial != "": // its trial had no outcome yet
		k.outcome = &ledger.Outcome{Trial: e.Trial, Evaluation: was.Evaluation, Attempt: was.Attempt}
	}
	if has {
		p.take(old, &was)
	}
	f, err := c.form(ctx, &e, truth, was.Direction, p.batch.Changes)
	if err != nil {
		return nil, err
	}
	now := f.Verdict
	now.Features, now.By = cmp.Or(was.Features, now.Features), cmp.Or(o.By, tree.ByPerson)
	if was.Settled() && was.Labelled == now.Labelled && now.Correct == was.Correct && now.Node == was.Node &&
		now.Direction == was.Direction {
		return nil, &RefusedError{Said: tree.DecisionRelabel, ID: was.Evaluation, Why: Already}
	}
	if a := k.decided; a != nil && a.By != o.By && !o.Over {
		return nil, theirs(tree.DecisionRelabel, was.Evaluation,
			&Past{Action: *a, At: k.at, Labels: []ledger.Verdict{was}})
	}
	for i := range f.Changes {
		p.gain(&f.Changes[i], was.Evaluation)
	}
	p.correct(&now, k.outcome, &f)
	p.stood, p.of.Verdict = true, &now
	return p, nil
}

// form forms an evaluation with its new truth. It drops the evaluator's reason if that explains another direction: that
// of the truth which the run was recorded with, if it is handed in with one, else that before the relabel.
func (c *Curation) form(
	ctx context.Context, e *tree.Evaluation, truth Truth, before taxonomy.Direction, taken []tree.Change,
) (FormResult, error) {
	f, err := c.formOne(ctx, e, taken)
	if err != nil || truth.Reason != "" || e.Reason == "" || f.Verdict.Direction == before && truth.Run == nil {
		return f, cmp.Or(err, uncompared(&f))
	}
	if r := truth.Run; r != nil && r.Labelled() {
		as := *e
		as.GroundTruth, as.Correct, as.Direction = r.GroundTruth, r.Correct, r.Direction
		recorded, err := c.formOne(ctx, &as, taken)
		if err != nil {
			return recorded, err
		}
		before = recorded.Verdict.Direction
	}
	if f.Verdict.Direction != before {
		e.Reason = ""
		if f, err = c.formOne(ctx, e, taken); err != nil {
			return f, err
		}
	}
	return f, uncompared(&f)
}

func (c *Curation) formOne(ctx context.Context, e *tree.Evaluation, taken []tree.Change) (FormResult, error) {
	f, err := c.door.Form(ctx, []tree.Evaluation{*e}, taken)
	if err != nil {
		return FormResult{}, err
	}
	return f[0], nil
}

// uncompared returns the error for a truth that cannot be compared with the judgment, nil for one that was.
func uncompared(f *FormResult) error {
	if f.Verdict.Settled() {
		return nil
	}
	return &tree.FieldError{Field: "truth", Problem: "cannot be compared with the judgment (" +
		cmp.Or(f.Note, "nothing says what was true") + "); say whether the judgment was correct"}
}

// caseOf returns the case that contains an evaluation, and whether there is one.
func (c *Curation) caseOf(ctx context.Context, v *ledger.Verdict) (tree.Node, bool, error) {
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

// evaluation returns a run with its new truth: from truth.Run, else from its case.
func evaluation(v *ledger.Verdict, n tree.Node, has bool, truth Truth) (tree.Evaluation, error) {
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
	e.Excuse = "" // a person outweighs it
	e.Reason = cmp.Or(truth.Reason, e.Reason)
	return e, nil
}

// judgmentOf returns a judgment as JSON. A case stores the text of a JSON string, and any other JSON in canonical form.
func judgmentOf(s string) tree.Raw {
	if s != "" && strings.ContainsRune("{[", rune(s[0])) && json.Valid([]byte(s)) {
		return tree.Raw(s)
	}
	if s == "true" || s == "false" {
		return tree.Raw(s)
	}
	return tree.Quote(s)
}
