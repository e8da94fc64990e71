package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/memtree/memtree/internal/seldom"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// drainEvery is how often the journal of this machine is looked at, drainRuns how many evaluations are sent at once.
const (
	drainEvery = 500 * time.Millisecond
	drainRuns  = 100
)

// isAway returns why the database is away, as far as the last question knows.
func (r *Replica) isAway() error {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.away
}

// Accept adds evaluations to the outbox of the database. If the database is away, refuses or fails, Accept adds them
// to ReplicaOptions.Local and sets Here in their receipts. It returns an error instead if there is no Local, if that
// fails too, if ctx ends, if the tree was deleted, or if the database can never hold the evaluations. See store.Store.
func (r *Replica) Accept(ctx context.Context, es []tree.Evaluation) ([]store.Receipt, error) {
	if err := r.usable(ctx); err != nil {
		return nil, fmt.Errorf("accept: %w", err)
	}
	err := r.isAway()
	if err == nil {
		var receipts []store.Receipt
		receipts, err = r.acceptBelow(ctx, es)
		r.noteRefusal(intakeWrites, err)
		if err == nil {
			r.accepts.Add(1)
			return receipts, nil
		}
	}
	if r.o.Local == nil || ctx.Err() != nil || !keepable(err) {
		return nil, err
	}
	receipts, err := r.o.Local.Accept(ctx, es)
	if err != nil {
		return nil, fmt.Errorf("accept on this machine, because the database cannot: %w", err)
	}
	for i := range receipts {
		if receipts[i].Status != store.Contradiction {
			receipts[i].Here = true
		}
	}
	return receipts, r.countWaiting(ctx)
}

// keepable reports whether evaluations that the database did not take because of err can wait in the journal: not if
// the reason is in them, or the tree is gone.
func keepable(err error) bool {
	var field *tree.FieldError
	var code interface{ SQLState() string }
	switch {
	case errors.Is(err, store.ErrContradiction), errors.Is(err, store.ErrDeleted), errors.Is(err, store.ErrClosed),
		errors.As(err, &field):
		return false
	case errors.As(err, &code): // 22: a value, 54: more than the server can hold
		return !strings.HasPrefix(code.SQLState(), "22") && !strings.HasPrefix(code.SQLState(), "54")
	}
	return true
}

// Knows reports which keys the database has accepted. While the database does not answer, and Accept would add
// evaluations to Local, Knows reports false for every key. See store.Knower.
func (r *Replica) Knows(ctx context.Context, keys []string) (known []bool, err error) {
	if err = r.usable(ctx); err != nil {
		return nil, fmt.Errorf("look up keys: %w", err)
	}
	if err = r.isAway(); err == nil {
		err = r.untilAway(ctx, func(ctx context.Context) (err error) {
			known, err = r.below.Knows(ctx, keys)
			return err
		})
	}
	if err != nil && r.o.Local != nil && ctx.Err() == nil && keepable(err) {
		return make([]bool, len(keys)), nil
	}
	return known, err
}

// acceptBelow adds evaluations to the database. If it hangs, the caller's runs go into the journal; if they came to the
// database too, they are duplicates later.
func (r *Replica) acceptBelow(ctx context.Context, es []tree.Evaluation) (receipts []store.Receipt, err error) {
	err = r.untilAway(ctx, func(ctx context.Context) (err error) {
		receipts, err = r.below.Accept(ctx, es)
		return err
	})
	return receipts, err
}

// slow is after how long a call of the database asks whether that has become away meanwhile.
const slow = time.Second

// untilAway calls the database. Where there is a journal, a database that hangs does not hold the caller up for longer
// than it takes to find that it is away; the error is then why it is.
func (r *Replica) untilAway(ctx context.Context, call func(context.Context) error) error {
	if r.o.Local == nil {
		return call(ctx)
	}
	within, end := context.WithCancelCause(ctx)
	defer end(nil)
	timer := time.AfterFunc(slow, func() {
		tick := time.NewTicker(r.o.Every)
		defer tick.Stop()
		for within.Err() == nil {
			if err := r.isAway(); err != nil {
				end(err)
			}
			<-tick.C
		}
	})
	defer timer.Stop()
	err := call(within)
	if away := context.Cause(within); err != nil && ctx.Err() == nil && away != nil {
		return away
	}
	return err
}

// Commit writes the batch b to the database. When it returns, reads of r see the batch; if the database went away after
// the commit, they see it later. While the database is known to be away, Commit returns an error at once. See
// store.Store.
func (r *Replica) Commit(ctx context.Context, b store.Batch) (uint64, error) {
	if err := r.usable(ctx); err != nil {
		return 0, fmt.Errorf("commit: %w", err)
	}
	if err := r.isAway(); err != nil {
		return 0, fmt.Errorf("commit: %w", err)
	}
	v, err := r.below.Commit(ctx, b)
	if errors.Is(err, store.ErrConflict) { // the caller plans again, on what it did not know
		return 0, errors.Join(err, r.poll(context.WithoutCancel(ctx)))
	}
	if err != nil {
		return 0, err
	}
	if err := r.poll(context.WithoutCancel(ctx)); err != nil {
		r.o.Logger.Warn("a commit was made, and is seen here later", "version", v, "error", err)
	}
	return v, nil
}

// Lease leases evaluations of the database's outbox. See store.Store.
func (r *Replica) Lease(ctx context.Context, n int) ([]tree.Evaluation, error) {
	if err := r.usable(ctx); err != nil {
		return nil, fmt.Errorf("lease: %w", err)
	}
	if err := r.isAway(); err != nil {
		return nil, fmt.Errorf("lease: %w", err)
	}
	es, err := r.below.Lease(ctx, n)
	r.noteRefusal(formingWrites, err)
	return es, err
}

// Release ends leases; see store.Store.
func (r *Replica) Release(ctx context.Context, keys []string) error {
	return r.below.Release(ctx, keys)
}

// countWaiting counts what the journal of this machine holds.
func (r *Replica) countWaiting(ctx context.Context) error {
	if r.o.Local == nil {
		return nil
	}
	info, err := r.o.Local.Info(ctx)
	r.waiting.Store(int64(info.Outbox))
	return err
}

// drainAll sends the journal of this machine to the database whenever that is there, until ctx ends.
func (r *Replica) drainAll(ctx context.Context) {
	if r.o.Local == nil {
		return
	}
	tick := time.NewTicker(drainEvery)
	defer tick.Stop()
	var failing seldom.Failure
	for {
		for r.waiting.Load() > 0 && r.isAway() == nil && ctx.Err() == nil {
			if err := r.drain(ctx); err != nil {
				if ctx.Err() == nil && failing.Due(time.Now()) {
					r.o.Logger.Warn("what was accepted without the database waits", "error", err)
				}
				break
			}
			failing = seldom.Failure{}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// drain sends some evaluations. One that was sent before, by a drain that ended in the middle, is a duplicate there.
// One that contradicts another there becomes a dead letter of the journal.
func (r *Replica) drain(ctx context.Context) error {
	es, err := r.o.Local.Lease(ctx, drainRuns)
	if err != nil {
		return err
	}
	keys := make([]string, len(es))
	for i := range es {
		keys[i] = es[i].Key()
	}
	receipts, err := r.below.Accept(ctx, es)
	r.noteRefusal(intakeWrites, err)
	if err != nil {
		return errors.Join(err, r.o.Local.Release(context.WithoutCancel(ctx), keys))
	}
	var b store.Batch
	for i, receipt := range receipts {
		if receipt.Status == store.Contradiction {
			b.Dead = append(b.Dead, store.DeadLetter{Evaluation: es[i], Why: store.ErrContradiction.Error()})
			r.o.Logger.Error("a run that was accepted without the database contradicts another one", "key", receipt.Key)
			continue
		}
		b.Done = append(b.Done, receipt.Key)
	}
	if _, err := r.o.Local.Commit(ctx, b); err != nil {
		return errors.Join(err, r.o.Local.Release(context.WithoutCancel(ctx), keys))
	}
	return r.countWaiting(ctx)
}
