package learned

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// read calls load with the derived data under a name, and returns the version of that data.
func read(ctx context.Context, from store.Store, name string, load func(io.Reader) error) (uint64, error) {
	kept, err := store.OpenDerived(ctx, from, name)
	if err != nil {
		return 0, err
	}
	err = load(io.NewSectionReader(kept, 0, kept.Size))
	return kept.Version, errors.Join(err, kept.Closer.Close())
}

// inPieces calls load with the saved head of a box, which it closes, and with what opens its pieces, which stay open
// until Close. The caller holds mu.
func (f *Follower) inPieces(ctx context.Context, b Box, load func(head *store.Derived, open openPiece) error) error {
	return store.OpenPieces(ctx, f.store, b.Name(), func(head *store.Derived, open openPiece) error {
		had := len(f.files)
		err := load(head, func(piece string) (*store.Derived, error) {
			d, err := open(piece)
			if err == nil {
				f.files = append(f.files, d.Closer)
			}
			return d, err
		})
		err = errors.Join(err, head.Closer.Close())
		if errors.Is(err, store.ErrPieceGone) { // it is loaded again
			err = errors.Join(err, closeAll(f.files[had:]))
			f.files = f.files[:had]
		}
		return err
	})
}

// Close closes the files from which boxes read. It saves nothing.
func (f *Follower) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := closeAll(f.files)
	f.files = nil
	for _, b := range f.boxes {
		err = errors.Join(err, closeAll(slices.Concat(append(b.older, b.files)...)))
		b.older, b.files = nil, nil
	}
	return err
}

func closeAll(files []io.Closer) (err error) {
	for _, c := range files {
		err = errors.Join(err, c.Close())
	}
	return err
}

// Hold adds the box b to f and loads its saved state. found reports whether there is a saved state. If it cannot be
// read, Hold returns an error, but b is a box of f all the same and can be used.
func (f *Follower) Hold(ctx context.Context, b Box) (found bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	number := f.Number(ctx, b.Name()) // first, so that what is saved meanwhile is noticed
	if p, ok := b.(pieced); ok {
		err = f.inPieces(ctx, b, p.LoadPieces)
	} else {
		_, err = read(ctx, f.store, b.Name(), b.Load)
	}
	if found = !errors.Is(err, tree.ErrNotFound); !found {
		err = nil
	}
	held := &savedBox{Box: b, number: number, dated: f.Number(ctx, tailOf(b))}
	f.boxes = append(f.boxes, held)
	tailErr := f.readTail(ctx, held)
	return found || held.tail, errors.Join(err, tailErr)
}

// readTail loads the saved tail of a box, if it has one.
func (f *Follower) readTail(ctx context.Context, b *savedBox) error {
	t, ok := b.Box.(tailed)
	if !ok {
		return nil
	}
	_, err := read(ctx, f.store, tailOf(b), t.LoadTail)
	if errors.Is(err, tree.ErrNotFound) {
		return nil
	}
	_, b.tails = t.Sizes()
	b.tail = true
	return err
}

// tailOf returns the name of the derived data with the tail of b.
func tailOf(b Box) string { return store.PieceOf(b.Name(), "tail") }

// Save saves all boxes, and all folds with a name, that changed since their last save. It only logs a failure: a fold
// can be computed again, and a box is saved the next time.
func (f *Follower) Save(ctx context.Context) {
	f.saving.Lock()
	defer f.saving.Unlock()
	if f.readOnly || f.lock.Acquire(ctx, 1) != nil {
		return
	}
	f.mu.Lock()
	for _, s := range f.folds {
		if s.Name() == "" || s.again || s.pos == s.saved {
			continue
		}
		if err := store.SaveDerived(ctx, f.store, s.Name(), s.pos, s.Save); err != nil {
			f.log.Warn("what was learned was not saved and will be learned anew", "fold", s.Name(), "error", err)
			continue
		}
		s.saved = s.pos
	}
	f.mu.Unlock()
	f.lock.Release(1)
	f.saveBoxes(ctx, 0)
}

// SaveBoxes saves the boxes in of, or all boxes if of is empty. It skips boxes that did not change, and boxes that were
// last saved less than the duration every ago.
func (f *Follower) SaveBoxes(ctx context.Context, every time.Duration, of ...Box) {
	f.saving.Lock()
	defer f.saving.Unlock()
	f.saveBoxes(ctx, every, of...)
}

// saveBoxes is SaveBoxes for a caller that holds saving.
func (f *Follower) saveBoxes(ctx context.Context, every time.Duration, of ...Box) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, b := range f.boxes {
		chosen := len(of) == 0 || slices.Contains(of, b.Box)
		if chosen && time.Since(b.at) >= every { // real time, not the memory's clock
			f.trySave(ctx, b)
		}
	}
}

// trySave saves a box if it changed, and logs a failure. The caller holds mu.
func (f *Follower) trySave(ctx context.Context, b *savedBox) {
	if err := f.saveBox(ctx, b); err != nil {
		f.log.Warn("what is held beside the store was not saved", "box", b.Name(), "error", err)
	}
}

// saveBox saves a box whole if it changed. The caller holds mu.
func (f *Follower) saveBox(ctx context.Context, b *savedBox) error {
	now := b.Changes()
	if f.readOnly || !b.anew && now == b.saved {
		return nil
	}
	err := f.write(ctx, b.Box)
	if m, ok := b.Box.(sharedBox); err != nil && ok && f.bring(ctx, m) == nil { // another process has saved it
		now = b.Changes()
		err = f.write(ctx, b.Box)
	}
	if err != nil {
		return err
	}
	b.saved, b.at, b.anew = now, time.Now(), false
	t, ok := b.Box.(tailed)
	if !ok {
		return nil
	}
	t.SavedWhole()
	b.added, b.tails = now, 0
	if b.tail && store.DropDerived(ctx, f.store, tailOf(b), nil) == nil { // the next save tries again
		b.tail = false
	}
	return nil
}

// SaveAdded makes durable what was added to the box b of f. It saves the tail of b, or b whole once the saves of the
// tail are together as large as b.
func (f *Follower) SaveAdded(ctx context.Context, b tailed) error {
	f.saving.Lock()
	defer f.saving.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	x := f.boxes[slices.IndexFunc(f.boxes, func(x *savedBox) bool { return x.Box == b })]
	now := b.Changes()
	whole, tail := b.Sizes()
	switch {
	case f.readOnly, !x.anew && (tail == 0 || now == x.added):
		return nil
	case x.anew, x.tails+tail >= whole:
		return f.saveBox(ctx, x)
	}
	if err := store.SaveDerived(ctx, f.store, tailOf(b), 0, b.SaveTail); err != nil {
		return err
	}
	x.added, x.tail, x.tails = now, true, x.tails+tail
	return nil
}

// write saves a box. In a shared store it is whole, because a process cannot know which pieces another one is about to
// name.
func (f *Follower) write(ctx context.Context, b Box) error {
	p, ok := b.(pieced)
	if _, shared := f.store.(store.Shared); !ok || shared {
		err := store.SaveDerived(ctx, f.store, b.Name(), 0, b.Save)
		if err == nil && ok { // pieces of a tree that was moved from files
			err = store.DropDerived(ctx, f.store, store.PieceOf(b.Name(), ""), nil)
		}
		return err
	}
	pieces, err := p.Pieces()
	if err != nil {
		return err
	}
	return store.SavePieces(ctx, f.store, b.Name(), pieces)
}

// Sync merges into m the state of m that another process saved in a shared store. It does nothing if nothing is saved.
func (f *Follower) Sync(ctx context.Context, m sharedBox) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.bring(ctx, m)
}

// bring brings in what another process has saved of a box. The caller holds mu.
func (f *Follower) bring(ctx context.Context, m sharedBox) error {
	err := f.inPieces(ctx, m, m.Merge)
	if errors.Is(err, tree.ErrNotFound) {
		return nil
	}
	return err
}
