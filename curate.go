package memtree

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/evolution/gate"
	"github.com/memtree/memtree/find"
	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/internal/guard"
	"github.com/memtree/memtree/internal/intake"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

// Curation returns what executes people's decisions on memories. Advanced.
func (m *Memory) Curation() *curation.Curation {
	m.refresh(m.learned.inbox)
	return curation.New(curation.Door{
		Tree: m.Tree(), Apply: m.curate, Form: m.formAnew, Edit: m.edit, Kept: m.learned.inbox.Get, Facts: m.viewFacts,
		Waits: transfer.Waits, Now: m.opts.Now, Secrets: formation.RedactText, Origin: m.origin,
		Gates:  gate.New(m.taxonomy, guard.Instructs, guard.Forces),
		TypeOf: m.typeOf, Words: m.words.Fill, In: m.words.In, Given: m.shown,
		Withdraw: func(ctx context.Context, job string) error {
			err := m.Review().Withdraw(ctx, job)
			if errors.Is(err, evolution.ErrNoDraft) {
				return nil // the next evolve writes one
			}
			return err
		},
	})
}

// edit checks a person's text of a lesson with the gates.
func (m *Memory) edit(
	ctx context.Context, id string, words gate.Draft, at time.Time,
) (tree.Node, []string, error) {
	e := evolution.New(evolution.Options{
		Taxonomy: m.taxonomy, Unsafe: guard.Instructs, Forces: guard.Forces, Words: m.words.Fill, Lift: m.former.Lift,
	})
	return e.Edit(ctx, m.core.Trusted(), id, words, at)
}

// formAnew forms evaluations that were formed before again, on the tree with changes applied. A verdict that is
// labelled wrong without a direction is wrong in the only direction that its judgment allows.
func (m *Memory) formAnew(
	ctx context.Context, es []tree.Evaluation, changes []tree.Change,
) ([]curation.FormResult, error) {
	view, clean, runs := m.intake.Plan(), make([]tree.Evaluation, len(es)), make([]*formation.DetectedRun, len(es))
	view.Add(changes)
	for i := range es {
		e := es[i]
		if e.Correct != nil && !*e.Correct && e.Direction == taxonomy.None && e.GroundTruth.Null() {
			e.Direction = find.Way(&e)
		}
		if err := checkEvaluation(&e); err != nil {
			return nil, err
		}
		clean[i], _ = formation.Redact(e)
		var err error
		if runs[i], err = m.former.Detect(ctx, clean[i]); err != nil {
			return nil, err
		}
	}
	if err := m.former.Read(ctx, view, runs); err != nil {
		return nil, err
	}
	out := make([]curation.FormResult, len(es))
	for i, run := range runs {
		f, err := m.former.Insert(ctx, view, run)
		if err != nil {
			return nil, err
		}
		view.Add(f.Changes)
		intake.Learnable(&clean[i], &f.Verdict, m.looked(&clean[i]))
		out[i] = curation.FormResult{Changes: f.Changes, Verdict: f.Verdict, Note: strings.Join(f.Notes, "; ")}
	}
	return out, nil
}

// triesBeside is how often a decision is planned beside others before the others have to wait for it.
const triesBeside = 2

// curate applies a person's decision, after everything that was handed over before has been formed. If two people
// decide at once, the second decision is planned again, on the result of the first. So is a label of a run whose truth
// was formed meanwhile. A decision that others overtook twice has its turn: until it is applied, no other one is. So
// none fails because there are many.
func (m *Memory) curate(ctx context.Context, plan func() (store.Batch, error)) error {
	if m.opts.ReadOnly {
		return store.ErrReadOnly
	}
	if err := m.waitAll(ctx); err != nil {
		return err
	}
	tries, turn := 0, false
	defer func() {
		if turn {
			<-m.deciding
		}
	}()
	return m.core.UntilFresh(func() error {
		if tries++; tries > triesBeside && !turn {
			if err := m.takeTurn(ctx); err != nil {
				return err
			}
			turn = true
		}
		said := m.core.Decisions()
		info, err := m.store.Info(ctx)
		if err != nil {
			return err
		}
		b, err := plan()
		if err != nil {
			return err
		}
		b.Read = info.Entries
		if !turn {
			if err := m.takeTurn(ctx); err != nil {
				return err
			}
			defer func() { <-m.deciding }()
		}
		if b.Purge == nil {
			err := m.core.ApplyIf(ctx, b, func() bool { return m.core.Decisions() == said })
			if err == nil {
				m.saveInbox(context.WithoutCancel(ctx)) // what was labelled waits no more, also for other processes
			}
			return err
		}
		return m.purge(ctx, b)
	})
}

// takeTurn waits until no other decision is being applied. The caller receives from deciding when it is done.
func (m *Memory) takeTurn(ctx context.Context) error {
	select {
	case m.deciding <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// purge applies a decision that purges.
func (m *Memory) purge(ctx context.Context, b store.Batch) error {
	jobs, err := m.openJobs(ctx, true) // the store loses them with all derived data
	if err == nil {
		// First, so that a crash leaves none behind.
		err = m.Pictures().Purge(ctx, b.Purge)
	}
	if err != nil {
		return err
	}
	err = m.learned.Purge(ctx, b.Purge, func() error {
		return m.learned.decisions.Purge(ctx, b.Purge, func() error { return m.core.Apply(ctx, b) })
	})
	if !store.Purged(err) {
		return err
	}
	m.unlearn()
	jobs.Purge(b.Purge)
	return errors.Join(err, jobs.Save(context.WithoutCancel(ctx)))
}

// unlearn drops the credit of the ledger, which a purge cleaned. It is settled again.
func (m *Memory) unlearn() {
	l := m.learned
	l.settling.Lock()
	defer l.settling.Unlock()
	l.settled = 0
}

// typeOf returns the error type of a check of the catalogue, or of the tree's own, that has advice in a direction.
func (m *Memory) typeOf(ctx context.Context, check string, d taxonomy.Direction) (string, error) {
	if c, known := m.taxonomy.Check(check); known {
		if !c.Speaks(d) {
			return "", &tree.FieldError{Field: "is", Problem: fmt.Sprintf("is %q, which says nothing of a %s", check, d)}
		}
		return c.ErrorType(), nil
	}
	for n, err := range m.core.Trusted().Scan(ctx, store.Filter{Level: tree.Experience.Level()}) {
		if err != nil {
			return "", err
		}
		if taxonomy.IsOwn(check) && n.Live() && slices.Contains(brief.Checks(&n), check) {
			return n.ErrorType, nil
		}
	}
	var ids []string
	for _, c := range m.taxonomy.Checks() {
		if c.Speaks(d) {
			ids = append(ids, c.ID)
		}
	}
	slices.Sort(ids)
	return "", &tree.FieldError{
		Field: "is", Problem: fmt.Sprintf("names %q, which is no check; name one of: %s", check, strings.Join(ids, ", ")),
	}
}
