package memtree

import (
	"context"
	"errors"
	"fmt"

	"github.com/memtree/memtree/appmap"
	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/run"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// Runs returns the runs of agents, under way and ended. Advanced.
func (m *Memory) Runs() *run.Runs {
	return run.New(run.Options{
		View: func(ctx context.Context, read func(*run.Log)) error {
			work := m.learned.work
			if err := m.learned.View(ctx, func() { read(work.Log) }, work); err != nil {
				return fmt.Errorf("read the runs: %w", err)
			}
			return nil
		},
		Write: func(ctx context.Context, es []ledger.Entry) error {
			if m.opts.ReadOnly {
				return store.ErrReadOnly
			}
			return m.core.Apply(ctx, store.Batch{Entries: es})
		},
		Clean: func(s string) string { s, _ = formation.RedactText(s); return s },
		Page:  appmap.PageOf, Now: m.opts.Now, Ended: m.proposePattern,
	})
}

// proposePattern proposes what runs like an ended one have in common as a fact. A person confirms it, or no run is
// given it.
func (m *Memory) proposePattern(ctx context.Context, r run.Run) error {
	said, err := m.Runs().Common(ctx, &r)
	if err != nil || said == "" {
		return err
	}
	s := ledger.Statement{Text: said, Kind: ledger.Pattern, Scope: tree.Scope{Product: r.Product}}
	var unfit *tree.FieldError
	if _, _, err = m.Knowledge().Propose(ctx, s, "runs"); errors.As(err, &unfit) {
		return nil // it is no statement, or too many wait
	}
	return err
}
