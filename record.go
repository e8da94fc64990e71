package memtree

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// Evaluation is one judged run. Prompt and Judgment are required; GroundTruth or Correct is its label.
type Evaluation = tree.Evaluation

// Record accepts one judged run. When it returns nil the run is durable, without its secrets. Recording it again
// changes nothing, but can add a missing label. The error is a *tree.FieldError for an invalid run, and
// store.ErrContradiction if another run has the same id, or a person labelled this one otherwise.
func (m *Memory) Record(ctx context.Context, e Evaluation) error {
	receipts, err := m.RecordAll(ctx, []Evaluation{e})
	if err != nil {
		return err
	}
	if err := receipts[0].Err(); err != nil {
		return fmt.Errorf("record %s: %w", receipts[0].Key, err)
	}
	return nil
}

// RecordAll records runs in one write: none if one is invalid. Advanced.
func (m *Memory) RecordAll(ctx context.Context, es []Evaluation) ([]store.Receipt, error) {
	clean, bySecret := make([]Evaluation, len(es)), []int{}
	for i, e := range es {
		if err := checkEvaluation(&e); err != nil {
			return nil, fmt.Errorf("record: %w", nameEvaluation(i, len(es), err))
		}
		e.Identify()
		if e.At.IsZero() {
			e.At = m.opts.Now().UTC()
		}
		clean[i], _ = formation.Redact(e)
		if e.ID == "" && clean[i].ID != "" {
			bySecret = append(bySecret, i)
		}
	}
	if err := m.keepKeys(ctx, clean, bySecret); err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	receipts, err := m.accept(ctx, clean)
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	m.intake.Poke()
	return receipts, m.putAgain(ctx, clean, receipts)
}

// keepKeys removes the ids that redaction gave to es[i], for each i of bySecret, where an earlier version recorded the
// run without: under the key of its redacted texts. So it is the same run still.
func (m *Memory) keepKeys(ctx context.Context, es []tree.Evaluation, bySecret []int) error {
	k, ok := m.store.(store.Knower)
	if !ok || len(bySecret) == 0 {
		return nil
	}
	keys := make([]string, len(bySecret))
	for n, i := range bySecret {
		e := es[i]
		e.ID = ""
		keys[n] = e.Key()
	}
	known, err := k.Knows(ctx, keys)
	if err != nil {
		return err
	}
	for n, i := range bySecret {
		if known[n] {
			es[i].ID = ""
		}
	}
	return nil
}

// putAgain returns the texts of known runs without a label to the inbox if it does not have them, because it was full
// or damaged.
func (m *Memory) putAgain(ctx context.Context, es []Evaluation, receipts []store.Receipt) error {
	gone := map[string]*Evaluation{}
	for i := range es {
		e := &es[i]
		if receipts[i].Status != store.Duplicate || receipts[i].Here || len(e.GroundTruth) > 0 || e.Correct != nil {
			continue
		}
		if _, kept := m.learned.inbox.Get(e.Key()); !kept {
			gone[e.Key()] = e
		}
	}
	if len(gone) == 0 {
		return nil
	}
	labelled := map[string]bool{}
	for x, err := range m.store.Ledger(ctx, 0) {
		if err != nil {
			return fmt.Errorf("record: %w", err)
		}
		if v := x.Verdict; v != nil && gone[v.Evaluation] != nil {
			labelled[v.Evaluation] = v.Settled()
		}
	}
	for i := range es {
		if is, formed := labelled[es[i].Key()]; formed && !is {
			m.learned.inbox.Put(&es[i])
		}
	}
	if err := m.saveAdded(ctx); err != nil {
		return fmt.Errorf("record: %w", err)
	}
	return nil
}

// checkEvaluation returns a *tree.FieldError for an invalid evaluation. Stores may hold contradictions that an older
// version accepted; those are formed, with a note.
func checkEvaluation(e *tree.Evaluation) error {
	if err := e.Check(); err != nil {
		return err
	}
	return judgment.Denied(e, "judgment", "ground_truth")
}

// nameEvaluation prepends the index i to the field of an error, if there is more than one evaluation.
func nameEvaluation(i, n int, err error) error {
	var f *tree.FieldError
	if n == 1 || !errors.As(err, &f) {
		return err
	}
	return &tree.FieldError{Field: "[" + strconv.Itoa(i) + "]." + f.Field, Problem: f.Problem}
}

// Wait waits until all runs recorded so far are processed. Advanced.
func (m *Memory) Wait(ctx context.Context) error {
	err := m.harness.Wait(ctx) // a run that is not judged yet may be a failure
	if err == nil {
		err = m.harness.WaitAblated(ctx)
	}
	if err != nil {
		return fmt.Errorf("wait: %w", err)
	}
	if err := m.waitAll(ctx); err != nil {
		return err
	}
	return m.core.WaitVectors(ctx)
}

// waitAll waits until the runs and answers that were handed over before are in the tree and in the ledger.
func (m *Memory) waitAll(ctx context.Context) error {
	if err := m.waitTrials(ctx); err != nil {
		return fmt.Errorf("wait: %w", err)
	}
	return m.waitFormed(ctx)
}

// waitFormed waits until the runs that were handed over before are in the tree.
func (m *Memory) waitFormed(ctx context.Context) error {
	select {
	case <-m.closed:
		return fmt.Errorf("wait: %w", store.ErrClosed)
	default:
	}
	if err := m.harness.Wait(ctx); err != nil {
		return fmt.Errorf("wait: %w", err)
	}
	return m.intake.Wait(ctx)
}
