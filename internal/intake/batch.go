package intake

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/risk"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// formBatch is the number of evaluations that are formed on one view of the tree and committed
// together.
const formBatch = 256

// formSome leases evaluations from the outbox, at most formBatch, and forms them. It returns how many it finished.
// After an error the others are in the outbox again.
func (in *Intake) formSome(ctx context.Context) (done int, err error) {
	es, err := in.o.Store.Lease(ctx, formBatch)
	if err != nil || len(es) == 0 {
		return 0, err
	}
	detected := in.detect(ctx, es)
	for done < len(es) && err == nil {
		some := detected[done : done+in.share(detected[done:])]
		if err = in.o.Former.Read(ctx, in.Plan(), runsOf(some)); err == nil {
			err = in.o.Core.UntilFresh(func() error { return in.formBatch(ctx, some) })
		}
		if err == nil {
			done += len(some)
		}
	}
	if err == nil {
		return done, nil
	}
	keys := make([]string, 0, len(es)-done)
	for i := range es[done:] {
		keys = append(keys, es[done+i].Key())
	}
	return done, errors.Join(err, in.o.Store.Release(context.WithoutCancel(ctx), keys))
}

// detected is an evaluation after detection, or the error.
type detected struct {
	e   *tree.Evaluation
	run *formation.DetectedRun // nil with an error
	err error
}

// atOnce is the number of evaluations that are detected concurrently.
const atOnce = 4

// detect detects for each evaluation whether its verdict was wrong. It may call a model.
func (in *Intake) detect(ctx context.Context, es []tree.Evaluation) []detected {
	out := make([]detected, len(es))
	var looking sync.WaitGroup
	places := make(chan struct{}, atOnce)
	for i := range es {
		places <- struct{}{}
		looking.Go(func() {
			defer func() { <-places }()
			run, err := in.o.Former.Detect(ctx, es[i])
			out[i] = detected{&es[i], run, err}
		})
	}
	looking.Wait()
	return out
}

// share returns how many of the first evaluations are read and committed together. A model is slow, and its answers
// cost money, so they are committed often.
func (in *Intake) share(all []detected) int {
	if !in.o.Reads {
		return len(all)
	}
	wrong := 0
	for i := range all {
		if all[i].run == nil || !all[i].run.Wrong() {
			continue
		}
		if wrong++; wrong > formation.MaxReads {
			return i
		}
	}
	return len(all)
}

func runsOf(all []detected) []*formation.DetectedRun {
	runs := make([]*formation.DetectedRun, 0, len(all))
	for i := range all {
		if all[i].run != nil {
			runs = append(runs, all[i].run)
		}
	}
	return runs
}

// formBatch inserts evaluations in order and applies the results in one batch. An evaluation that can never be formed
// becomes a dead letter, and so does one with a truth that differs from a person's label: however and whenever a truth
// comes, it comes through here, and a person's label is above it.
func (in *Intake) formBatch(ctx context.Context, some []detected) error {
	view := in.Plan()
	var b store.Batch
	labels, err := in.labels(ctx, some, &b)
	if err != nil {
		return err
	}
	es := make([]tree.Evaluation, 0, len(some))
	all := make([]formation.Formed, 0, len(some))
	for i := range some {
		e, err := *some[i].e, some[i].err
		var formed formation.Formed
		if err == nil {
			formed, err = in.o.Former.Insert(ctx, view, some[i].run)
		}
		if err != nil {
			if !unusable(err) {
				return fmt.Errorf("form %s: %w", e.Key(), err)
			}
			b.Dead = append(b.Dead, store.DeadLetter{Evaluation: e, Why: err.Error()})
			continue
		}
		if label, ok := labels[e.Key()]; ok && !formed.Verdict.Agrees(&label) {
			why := &store.LabelledError{By: label.By}
			b.Dead = append(b.Dead, store.DeadLetter{Evaluation: e, Why: why.Error()})
			in.o.Logger.Warn("the truth of a run was put aside", "evaluation", e.Key(), "reason", why)
			continue
		}
		in.warn(&e, formed.ModelErr)
		es, all = append(es, e), append(all, formed)
		view.Add(formed.Changes)
		b.Changes = append(b.Changes, formed.Changes...)
		b.Done = append(b.Done, e.Key())
		Learnable(&e, &formed.Verdict, in.o.Looked(&e))
		b.Entries = append(b.Entries, ledger.Entry{At: e.At, Verdict: &formed.Verdict})
		if formed.Outcome != nil {
			b.Entries = append(b.Entries, ledger.Entry{At: e.At, Outcome: formed.Outcome})
		}
	}
	if b.Changes, err = in.o.Core.Displace(ctx, b.Changes); err != nil {
		return err
	}
	if err := in.o.Forming(ctx, es, all); err != nil {
		return err
	}
	in.noting.Lock()
	defer in.noting.Unlock()
	if err := in.o.Core.Apply(ctx, b); err != nil {
		return err
	}
	in.noteFormed(all)
	in.o.Formed(es, all)
	in.outbox.count(all)
	return nil
}

// labels returns people's labels of the runs in some that have a truth, and sets b.Read, so that a label that comes
// later is a conflict.
func (in *Intake) labels(ctx context.Context, some []detected, b *store.Batch) (map[string]ledger.Verdict, error) {
	var keys []string
	for i := range some {
		if e := some[i].e; e.Labelled() || e.Excuse != "" {
			keys = append(keys, e.Key())
		}
	}
	if len(keys) == 0 {
		return nil, nil
	}
	info, err := in.o.Store.Info(ctx)
	if err != nil {
		return nil, fmt.Errorf("form: %w", err)
	}
	b.Read = info.Entries
	return in.o.Labels(ctx, keys)
}

// warn logs that a model that may answer later did not.
func (in *Intake) warn(e *tree.Evaluation, err error) {
	var failed *llm.Error
	if errors.As(err, &failed) && failed.Retryable() {
		in.o.Logger.Warn("the model did not answer, the rules analyst did", "evaluation", e.Key(), "error", err)
	}
}

// Learnable adds to v, the verdict of e, the features that package risk learns from, and whether the opposite verdict
// would have been right. It does nothing for a verdict without a label. A second attempt under one trial gets no
// features, because it was made only because the first was risky. look is the code of the second look at e, 0 if there
// is none.
func Learnable(e *tree.Evaluation, v *ledger.Verdict, look uint8) {
	if !v.Labelled {
		return
	}
	if e.Trial == "" || e.Attempt <= 1 {
		f := risk.Extract(e)
		f = f.WithLook(look)
		v.Features = f.Encode()
	}
	if !v.Correct {
		v.Mends, _ = judgment.OppositeRight(e, false)
	}
}

// unusable reports whether the evaluation itself is invalid, so that forming it would fail again.
func unusable(err error) bool {
	var f *tree.FieldError
	return errors.As(err, &f)
}
