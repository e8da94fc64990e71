package memtree

// The workers run from Open until Close, one goroutine each: intake forms, harness judges and ablates, and here the
// ledger is written and followed.

import (
	"context"
	"time"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
)

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
		return store.ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	<-written
	return nil
}

// writeTrials writes first and all other waiting entries in one commit.
func (m *Memory) writeTrials(ctx context.Context, first ledger.Entry) {
	entries := []ledger.Entry{first}
	for len(entries) < cap(m.trials) {
		select {
		case e := <-m.trials:
			entries = append(entries, e)
			continue
		default:
		}
		break
	}
	if _, err := m.store.Commit(context.WithoutCancel(ctx), store.Batch{Entries: entries}); err != nil {
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
