package memtree

import (
	"context"
	"fmt"

	"github.com/memtree/memtree/appmap"
	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/tree"
)

// Map returns the map of the applications under test. Advanced.
func (m *Memory) Map() *appmap.Atlas {
	view := func(ctx context.Context, read func(*appmap.Map)) error {
		atlas := m.learned.atlas
		if err := m.learned.View(ctx, func() { read(atlas.Map) }, atlas); err != nil {
			return fmt.Errorf("read the map: %w", err)
		}
		return nil
	}
	write := func(ctx context.Context, es []tree.Entry) error {
		if m.opts.ReadOnly {
			return tree.ErrReadOnly
		}
		return m.core.Apply(ctx, tree.Batch{Entries: es})
	}
	clean := func(s string) string { s, _ = formation.RedactText(s); return s }
	return appmap.NewAtlas(view, write, clean, m.opts.Now)
}
