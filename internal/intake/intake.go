// Package intake turns accepted evaluations into cases. One worker leases evaluations from the outbox and forms cases
// from them (intake.go), a batch at a time (batch.go), on the tree as the batch has changed it so far (plan.go). If a
// model failed, rules analyse a case in its place; reread.go has the model read such cases later.
package intake

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/internal/core"
	"github.com/memtree/memtree/internal/seldom"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Options configures an Intake. All fields are required but Reads and ReadOnly.
type Options struct {
	Core     *core.Core
	Store    store.Store
	Former   *formation.Former
	Taxonomy *taxonomy.Taxonomy
	Logger   *slog.Logger
	Closed   <-chan struct{} // is closed when the memory begins to close
	Reads    bool            // Former has a model
	ReadOnly bool            // Run is not called: Wait waits for no evaluation, and Reread reads none

	// Looked returns the code of the second look at e, see look.Look; 0 if there is none. e has no secrets.
	Looked func(e *tree.Evaluation) uint8

	// Labels returns people's labels, by key, of those evaluations that were recorded without a truth before, as the
	// ledger has them at the call.
	Labels func(ctx context.Context, keys []string) (map[string]ledger.Verdict, error)

	// Forming is called before the commit of each batch, with its evaluations and what was formed of them. It may be
	// called again with the same evaluations. After an error the batch is not committed, and is tried again later.
	Forming func(ctx context.Context, es []tree.Evaluation, all []formation.Formed) error
	// Formed is called after the commit of each batch. Wait returns only after Formed has returned.
	Formed func(es []tree.Evaluation, all []formation.Formed)
	// Stepped is called after n evaluations were finished, 1 or more.
	Stepped func(n int)
	// Rested is called when the outbox is empty, or after a failure.
	Rested func(ctx context.Context)
}

// Intake turns accepted evaluations into cases of the tree. It is safe for concurrent use; only one Run at a time.
type Intake struct {
	o       Options
	wake    chan struct{} // wakes Run
	outbox  progress
	rereads rereads
	noting  sync.Mutex // held from a commit until Formed has returned; acquired before a commit
}

// New returns an Intake. It forms nothing until Run is called.
func New(o Options) *Intake {
	in := &Intake{o: o, wake: make(chan struct{}, 1)}
	in.outbox.next = make(chan struct{})
	in.rereads.turn, in.rereads.vain = semaphore.NewWeighted(1), map[string]bool{}
	return in
}

// Poke wakes Run, because the outbox may have more evaluations. It does not block.
func (in *Intake) Poke() { core.Poke(in.wake) }

// Formed counts the cases formed since New.
func (in *Intake) Formed() formation.CaseTally { return in.outbox.tally() }

// tryAgain is the time after which Run tries again what failed, such as a write to a full disk.
const tryAgain = 5 * time.Second

// Run turns accepted evaluations into cases until ctx ends. After a failure they stay in the outbox, and the next Poke
// tries again, or Run itself some seconds later.
func (in *Intake) Run(ctx context.Context) {
	var failing seldom.Failure
	var again <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-in.wake:
		case <-again:
		}
		again = nil
		for ctx.Err() == nil {
			n, err := in.formSome(ctx)
			if n > 0 {
				in.o.Stepped(n)
			}
			switch {
			case err == nil:
				failing = seldom.Failure{}
			case ctx.Err() == nil && !errors.Is(err, store.ErrAway) && failing.Due(time.Now()): // its follower logs that
				in.o.Logger.Error("forming stopped; what was accepted is kept", "error", err)
			}
			in.outbox.step(err)
			if err != nil {
				again = time.After(tryAgain)
			}
			if n == 0 || err != nil {
				break
			}
		}
		in.o.Rested(context.WithoutCancel(ctx))
	}
}

// Wait returns once all evaluations accepted before the call are in the tree, or are dead letters, and Options.Formed
// was called. It returns an error if forming fails, also when tried again, or ctx ends first. With Options.ReadOnly it
// waits for none.
func (in *Intake) Wait(ctx context.Context) error {
	for tried := false; ; tried = true {
		next, err := in.outbox.state()
		if err != nil && tried {
			return fmt.Errorf("form: %w", err)
		}
		info, err := in.o.Store.Info(ctx)
		if err != nil {
			return fmt.Errorf("wait: %w", err)
		}
		if info.Outbox == 0 || in.o.ReadOnly {
			if err := in.o.Core.WaitMended(ctx); err != nil {
				return err
			}
			in.noting.Lock() // the next caller finds everything that followed the last commit
			defer in.noting.Unlock()
			in.o.Core.Wait()
			return nil
		}
		in.Poke()
		select {
		case <-next:
		case <-in.o.Closed:
			return fmt.Errorf("wait: %w", store.ErrClosed)
		case <-ctx.Done():
			return fmt.Errorf("wait: %w", ctx.Err())
		}
	}
}

// progress reports the progress of the worker of the outbox to Wait and Health.
type progress struct {
	mu      sync.Mutex
	next    chan struct{}       // closes at the next step of the worker
	stopped error               // the error of the last step; nil for none
	formed  formation.CaseTally // what was formed since Open
}

// state returns the channel of the next step and the error of the last one.
func (p *progress) state() (<-chan struct{}, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.next, p.stopped
}

// step wakes waiting callers after a step of the worker, with its error.
func (p *progress) step(stopped error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = stopped
	close(p.next)
	p.next = make(chan struct{})
}

// count adds evaluations that were formed and committed.
func (p *progress) count(formed []formation.Formed) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.formed.Add(formed)
}

// reread adds cases that a model read after it had failed.
func (p *progress) reread(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.formed.Again += n
}

// tally returns a copy of what was formed since Open.
func (p *progress) tally() formation.CaseTally {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.formed.Clone()
}
