package memtree

import (
	"context"
	"fmt"

	"github.com/memtree/memtree/appmap"
	"github.com/memtree/memtree/appmap/naming"
	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
)

// Map returns the map of the applications under test. Advanced.
func (m *Memory) Map() *appmap.Atlas {
	view := func(ctx context.Context, read func(*appmap.Map)) error {
		atlas := m.learned.atlas
		if err := m.latest(ctx, m.learned.names); err != nil {
			return fmt.Errorf("read the map: %w", err)
		}
		if err := m.learned.View(ctx, func() { read(atlas.Map) }, atlas); err != nil {
			return fmt.Errorf("read the map: %w", err)
		}
		return nil
	}
	write := func(ctx context.Context, es []ledger.Entry) error {
		if m.opts.ReadOnly {
			return store.ErrReadOnly
		}
		return m.core.Apply(ctx, store.Batch{Entries: es})
	}
	clean := func(s string) string { s, _ = formation.RedactText(s); return s }
	return appmap.NewAtlas(view, write, clean, m.opts.Now)
}

// Naming returns what asks a model to name elements of the map. Advanced.
func (m *Memory) Naming() *naming.Namer {
	s := naming.Sources{
		Map: m.Map().Read, Names: m.learned.names.Names, Hidden: m.taxonomy.WithoutModel, ReadOnly: m.opts.ReadOnly,
		Save: func(ctx context.Context) { m.learned.SaveBoxes(ctx, 0, m.learned.names) },
	}
	if m.halt != nil {
		s.Model = m.halt
	}
	return naming.New(s)
}
