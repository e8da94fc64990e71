package learned

// A process that only reads a store in files shares the boxes with the one that writes it: it brings in what was saved
// since, before each question that needs them.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// unknown is the number of a saved state of which a box may have nothing, or anything.
const unknown = ^uint64(0)

// Latest calls follow, which follows the ledger, after it has replaced the boxes in of by what another process saved of
// them since. If follow calls Forget, it replaces them again. For a follower that saves, or whose store cannot tell
// what is newer, Latest only calls follow.
func (f *Follower) Latest(ctx context.Context, follow func(context.Context) error, of ...Box) error {
	if err := f.bringLatest(ctx, of, false); err != nil {
		return err
	}
	if err := follow(ctx); err != nil {
		return err
	}
	return f.bringLatest(ctx, of, true)
}

// bringLatest replaces the boxes in of by newer saved states, or only those that were forgotten.
func (f *Follower) bringLatest(ctx context.Context, of []Box, forgotten bool) error {
	dated, ok := f.store.(store.Dated)
	if !f.readOnly || !ok || len(of) == 0 {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var boxes []*savedBox
	var names []string
	for _, b := range f.boxes {
		if slices.Contains(of, b.Box) && (!forgotten || b.number == unknown) {
			boxes, names = append(boxes, b), append(names, b.Name(), tailOf(b))
		}
	}
	if len(boxes) == 0 {
		return nil
	}
	numbers, err := dated.DerivedNumbers(ctx, names)
	if err != nil {
		return fmt.Errorf("follow what is held beside the store: %w", err)
	}
	for i, b := range boxes {
		whole, tail := numbers[2*i], numbers[2*i+1]
		if b.number != whole || b.dated != tail {
			b.dated = tail
			f.reload(ctx, b, whole)
		}
	}
	return nil
}

// reload replaces a box by its saved state with a number, 0 for none. The caller holds mu.
func (f *Follower) reload(ctx context.Context, b *savedBox, number uint64) {
	b.number = number
	f.reloads.Add(1)
	if number == 0 {
		b.clear()
		return
	}
	var err error
	if p, ok := b.Box.(pieced); ok {
		had := f.files
		f.files = nil
		err = f.inPieces(ctx, b, p.LoadPieces)
		b.older = append(b.older, b.files)
		b.files, f.files = f.files, had
		if len(b.older) > generations { // too old to be read from
			err = errors.Join(err, closeAll(b.older[0]))
			b.older = b.older[1:]
		}
	} else {
		_, err = read(ctx, f.store, b.Name(), b.Load)
		if err == nil {
			err = f.readTail(ctx, b)
		}
	}
	if errors.Is(err, tree.ErrNotFound) { // a purge has removed it meanwhile
		b.number = unknown
		b.clear()
		return
	}
	if err != nil {
		f.log.Warn("what is held beside the store cannot be read in whole", "box", b.Name(), "error", err)
	}
}

// generations is how many replaced states of a box keep their files open, for those who still read from them.
const generations = 4

// clear removes the texts of a box.
func (b *savedBox) clear() {
	b.Purge(nil)
	_ = b.Load(strings.NewReader("")) // an error leaves the box as it is, without texts
}

// Reloads returns a number that grows whenever Latest replaces a box.
func (f *Follower) Reloads() uint64 { return f.reloads.Load() }

// Forget must be called after another process has purged something of the store. It resets all folds, which read the
// ledger again when next used. If f only reads, it also removes the texts of all boxes until the next Latest.
func (f *Follower) Forget(ctx context.Context) {
	f.reset(context.WithoutCancel(ctx))
	if !f.readOnly {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, b := range f.boxes {
		b.number = unknown
		b.clear()
	}
}

// Number returns the number of the last save of derived data by another process, see store.Dated, for a follower that
// only reads. For any other it returns 0.
func (f *Follower) Number(ctx context.Context, name string) uint64 {
	dated, ok := f.store.(store.Dated)
	if !f.readOnly || !ok {
		return 0
	}
	n, err := dated.DerivedNumbers(ctx, []string{name})
	if err != nil {
		return unknown
	}
	return n[0]
}
