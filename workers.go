package memtree

// The workers: they form what is accepted, judge what Wrap leaves, write trials
// and learn risks, from Open until Close.

import (
	"context"
	"sync"
	"time"

	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/tree"
)

// poke wakes a worker that waits, and does nothing to one that is at work and
// will look again.
func poke(wake chan<- struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}

// outboxProgress lets Wait see the outbox worker: a channel that closes at the next
// step, and what stopped it, if anything did. Beside it stands what was formed.
type outboxProgress struct {
	mu      sync.Mutex
	next    chan struct{}
	stopped error
	formed  formation.Tally
}

func (p *outboxProgress) init() { p.next = make(chan struct{}) }

func (p *outboxProgress) state() (<-chan struct{}, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.next, p.stopped
}

func (p *outboxProgress) step(stopped error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = stopped
	close(p.next)
	p.next = make(chan struct{})
}

// count adds what was committed.
func (p *outboxProgress) count(formed []formation.Formed) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.formed.Add(formed)
}

func (p *outboxProgress) tally() formation.Tally {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.formed.Clone()
}

// formOutbox turns accepted evaluations into cases until ctx ends. What a
// failure leaves behind stays in the outbox, for the next poke or Open.
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
				poke(m.risks.wake)
			}
			if err != nil && ctx.Err() == nil {
				m.opts.Logger.Error("forming stopped; what was accepted is kept", "error", err)
			}
			m.outbox.step(err)
			if n == 0 || err != nil {
				break
			}
		}
	}
}

// keepTrials writes what Guide left for the ledger, as many lines at once as
// there are.
func (m *Memory) keepTrials(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-m.trials:
			m.writeTrials(ctx, e)
		}
	}
}

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

// keepLearning learns from verdicts as they are formed, until ctx ends. It is a
// worker of its own since forming need not wait for it; what it has not reached
// is learned after the next Open, or when someone asks.
func (m *Memory) keepLearning(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-m.risks.wake:
		}
		if err := m.learnRisks(ctx); err != nil && ctx.Err() == nil {
			m.opts.Logger.Warn("risks will be learned later", "error", err)
		}
	}
}

// judgeRuns judges and records what Wrap leaves, until ctx ends.
func (m *Memory) judgeRuns(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case f := <-m.runs:
			m.recordRun(ctx, f)
		}
	}
}

// drainRuns judges what is left when memory closes, and waits for what is being
// judged. What there is no time for is kept without a label.
func (m *Memory) drainRuns() {
	ctx, cancel := context.WithTimeout(context.Background(), closeDeadline)
	defer cancel()
	m.held.close()
	for left := m.held.now(); len(left) > 0; left = m.held.now() {
		select {
		case f := <-m.runs:
			m.recordRun(ctx, f)
			continue
		default:
		}
		select {
		case f := <-m.runs:
			m.recordRun(ctx, f)
		case <-left[0]:
		case <-ctx.Done():
			return
		}
	}
}

// wrapped waits until every run that Wrap has handed over so far is recorded.
func (m *Memory) wrapped(ctx context.Context) error {
	for _, done := range m.held.now() {
		select {
		case <-done:
		case <-m.closed:
			return tree.ErrClosed
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// closeDeadline bounds how long Close judges what Wrap left.
const closeDeadline = 10 * time.Second

// stopWorkers lets the workers finish what they hold and ends them.
func (m *Memory) stopWorkers() {
	m.drainRuns()
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
