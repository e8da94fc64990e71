package intake

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/meter"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// rereads is the state of the cases that wait for a model.
type rereads struct {
	turn *semaphore.Weighted // one reread at a time
	none atomic.Bool         // no case is known to wait

	mu   sync.Mutex
	vain map[string]bool // sent without an answer since Open, or the last Evolve; guarded by mu
}

// inVain records that a case was sent without an answer.
func (r *rereads) inVain(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.vain[id] = true
}

func (r *rereads) wasInVain(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.vain[id]
}

// noteFormed records which cases of a batch wait. A model that refused one of them, did not finish its answer, or may
// not be called, is not called for it again at once; one that was unreachable is.
func (in *Intake) noteFormed(all []formation.Formed) {
	for i := range all {
		switch llm.KindOf(all[i].ModelErr) {
		case llm.KindRefused, llm.KindMalformed, llm.KindTruncated, llm.KindTooLarge, llm.KindBound, llm.KindNotRecorded:
			in.rereads.inVain(all[i].Verdict.Node)
		default:
		}
	}
	in.rereads.none.Store(false) // after the commit, so that a search for waiting cases finds them
}

// Reread has the model read cases that rules analysed because the model had failed, and returns how many it read. It
// sends each case once, and stops when m, which counts and limits the calls, is full. If learned is true, it also reads
// cases recorded before a model was configured, and cases of lessons, so that these may be learned again. Only Evolve
// sets learned, because its cost can be estimated before.
func (in *Intake) Reread(ctx context.Context, learned bool, m *meter.Meter) (done int, err error) {
	if in.o.ReadOnly || in.rereads.none.Load() {
		return 0, nil
	}
	if err := in.rereads.turn.Acquire(ctx, 1); err != nil {
		return 0, err
	}
	defer in.rereads.turn.Release(1)
	if learned {
		in.rereads.mu.Lock()
		in.rereads.vain = map[string]bool{}
		in.rereads.mu.Unlock()
	}
	waiting, err := in.waiting(ctx, learned)
	if err != nil {
		return 0, err
	}
	former := in.o.Former.With(m)
	for len(waiting) > 0 && !m.Full() && ctx.Err() == nil {
		some := waiting[:min(formation.MaxReads, len(waiting))]
		waiting = waiting[len(some):]
		n, err := in.keepReread(ctx, in.rereadSome(ctx, former, some))
		if done += n; err != nil {
			return done, err
		}
	}
	return done, ctx.Err()
}

// EstimateReread estimates what a Reread with learned would use. m counts the estimated calls.
func (in *Intake) EstimateReread(ctx context.Context, m *meter.Meter) (meter.Spent, error) {
	waiting, err := in.waiting(ctx, true)
	if err != nil {
		return meter.Spent{}, err
	}
	in.o.Former.With(m).Again(ctx, waiting)
	return m.Total(), ctx.Err()
}

// waiting returns the cases that no model has read, sorted by id; with learned false, only those for which the model
// failed, without those of lessons and those that were sent in vain.
func (in *Intake) waiting(ctx context.Context, learned bool) ([]tree.Node, error) {
	var out []tree.Node
	none := true
	in.rereads.none.Store(true) // a case that is added meanwhile resets it
	for n, err := range in.o.Core.Trusted().Scan(ctx, store.Filter{Level: tree.Case.Level()}) {
		if err != nil {
			in.rereads.none.Store(false)
			return nil, err
		}
		if formation.Waits(&n) && !in.o.Taxonomy.WithoutModel(n.Scope.Product) {
			none = false
			if learned || n.Provenance.Again && n.Parent == "" && !in.rereads.wasInVain(n.ID) {
				out = append(out, n)
			}
		}
	}
	if !none {
		in.rereads.none.Store(false)
	}
	return out, nil
}

// rereadSome sends cases, and returns those that wait no longer.
func (in *Intake) rereadSome(ctx context.Context, f *formation.Former, some []tree.Node) []tree.Node {
	read, why := f.Again(ctx, some)
	for i := range some {
		if err := why[some[i].ID]; err != nil {
			in.rereads.inVain(some[i].ID)
			in.o.Logger.Debug("the model did not read a case", "case", some[i].ID, "error", err)
		}
	}
	return read
}

// keepReread commits cases that the model read, and returns their number.
func (in *Intake) keepReread(ctx context.Context, read []tree.Node) (done int, err error) {
	if len(read) == 0 {
		return 0, nil
	}
	e := evolution.New(evolution.Options{Taxonomy: in.o.Taxonomy, Lift: in.o.Former.Lift})
	err = in.o.Core.UntilFresh(func() error {
		changes, err := e.Reread(ctx, in.o.Core.Trusted(), read)
		if err != nil || len(changes) == 0 {
			return err
		}
		done = 0
		for _, c := range changes {
			if c.Node.Type == tree.Case && c.Node.Provenance.Analyst == "model" {
				done++
			}
		}
		return in.o.Core.Apply(ctx, store.Batch{Changes: changes})
	})
	if err != nil {
		return 0, fmt.Errorf("keep what the model read: %w", err)
	}
	in.outbox.reread(done)
	return done, nil
}
