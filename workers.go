package memtree

// The workers run from Open until Close, one goroutine each. They form accepted evaluations,
// judge the runs of Wrap, write trials to the ledger, and follow it.

import (
	"context"
	"sync"
	"time"

	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/internal/core"
	"github.com/memtree/memtree/tree"
)

// outboxProgress reports the progress of the worker of the outbox to Wait and Health.
type outboxProgress struct {
	mu      sync.Mutex
	next    chan struct{}   // closes at the next step of the worker
	stopped error           // the error of the last step; nil for none
	formed  formation.Tally // what was formed since Open
}

// init makes the first channel.
func (p *outboxProgress) init() { p.next = make(chan struct{}) }

// state returns the channel of the next step and the error of the last one.
func (p *outboxProgress) state() (<-chan struct{}, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.next, p.stopped
}

// step wakes waiting callers after a step of the worker, with its error.
func (p *outboxProgress) step(stopped error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = stopped
	close(p.next)
	p.next = make(chan struct{})
}

// count adds evaluations that were formed and committed.
func (p *outboxProgress) count(formed []formation.Formed) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.formed.Add(formed)
}

// reread adds cases that a model read after it had failed.
func (p *outboxProgress) reread(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.formed.Again += n
}

// tally returns a copy of what was formed since Open.
func (p *outboxProgress) tally() formation.Tally {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.formed.Clone()
}

// saveInboxEvery is the interval of saving the inbox while runs keep coming: a crash loses at most those of this time.
const saveInboxEvery = 10 * time.Second

// formOutbox turns accepted evaluations into cases until ctx ends. After a failure they stay in the outbox, and the
// next poke or the next Open tries again.
func (m *Memory) formOutbox(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-m.wake:
		}
		for ctx.Err() == nil {
			n, err := m.formSome(ctx)
			if n > 0 {
				core.Poke(m.learned.verdicts)
				if m.learned.fresh.Load() {
					core.Poke(m.learned.outcomes)
				}
			}
			if err != nil && ctx.Err() == nil {
				m.opts.Logger.Error("forming stopped; what was accepted is kept", "error", err)
			}
			m.outbox.step(err)
			if n == 0 || err != nil {
				break
			}
		}
		m.learned.SaveBoxes(context.WithoutCancel(ctx), saveInboxEvery, m.learned.inbox)
	}
}

// restTrials is the pause after a commit of trials. The answers that a busy service gives meanwhile share the next
// commit, whose fsync costs more than the writing.
const restTrials = 20 * time.Millisecond

// keepTrials writes the trials of Guide to the ledger, until ctx ends.
func (m *Memory) keepTrials(ctx context.Context) {
	trials, rested := m.trials, (<-chan time.Time)(nil)
	for {
		select {
		case <-ctx.Done():
			return
		case <-rested:
			trials = m.trials
		case e := <-trials:
			m.writeTrials(ctx, e)
			trials, rested = nil, time.After(restTrials)
		case written := <-m.flush:
			select {
			case e := <-m.trials:
				m.writeTrials(ctx, e)
			default:
			}
			close(written)
		}
	}
}

// waitTrials waits until the trials of the answers given so far are in the ledger, or lost.
func (m *Memory) waitTrials(ctx context.Context) error {
	if m.opts.ReadOnly {
		return nil
	}
	written := make(chan struct{})
	select {
	case m.flush <- written:
	case <-m.closed:
		return tree.ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	<-written
	return nil
}

// writeTrials writes first and all other waiting entries in one commit.
func (m *Memory) writeTrials(ctx context.Context, first tree.Entry) {
	entries := []tree.Entry{first}
	for len(entries) < cap(m.trials) {
		select {
		case e := <-m.trials:
			entries = append(entries, e)
			continue
		default:
		}
		break
	}
	if _, err := m.store.Commit(context.WithoutCancel(ctx), tree.Batch{Entries: entries}); err != nil {
		m.counts.trialsLost.Add(int64(len(entries)))
		m.opts.Logger.Warn("trials were not written", "count", len(entries), "error", err)
	}
}

// stopWorkers ends the workers. Before, it judges the remaining runs; afterwards, it writes the remaining trials.
func (m *Memory) stopWorkers() {
	m.harness.Drain()
	m.stop()
	m.workers.Wait()
	if m.opts.ReadOnly {
		return
	}
	select {
	case e := <-m.trials:
		m.writeTrials(context.Background(), e)
	default:
	}
}
