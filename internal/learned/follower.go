package learned

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// Follower keeps folds up to date with the ledger of a store, in one pass for all of them. It saves folds and boxes
// beside the store. It is safe for concurrent use.
type Follower struct {
	store    store.Store
	readOnly bool
	log      *slog.Logger

	saving sync.Mutex     // held while derived data is saved, and during a purge; locked before lock
	purges []*store.Purge // in order; guarded by saving

	lock  *semaphore.Weighted // of the folds: readers take 1, the writer takes all
	folds []*followed         // guarded by lock

	mu    sync.Mutex  // held during a save; locked after lock
	boxes []*savedBox // guarded by mu
	files []io.Closer // of pieces of boxes; guarded by mu

	reloads atomic.Uint64
}

// readers is the most concurrent readers.
const readers = 1 << 20

// followed is a fold and its position in the ledger.
type followed struct {
	Fold
	again bool   // an entry that was not added corrects an earlier one
	pos   uint64 // number of the last entry added
	saved uint64 // pos when it was saved; 0: never
}

// savedBox is a box and its saved state.
type savedBox struct {
	Box
	saved uint64    // Changes of the saved state
	at    time.Time // time of the last save
	anew  bool      // save even without changes

	number uint64        // of the saved state that was loaded, see store.Dated; 0: there was none
	files  []io.Closer   // of its pieces, once it was reloaded
	older  [][]io.Closer // of states before, oldest first

	// Of a tailed box:
	added uint64 // Changes when the box or its tail was last saved
	tail  bool   // a tail is saved
	tails int    // bytes of the saves of the tail since the box was saved whole
	dated uint64 // number of the saved tail that was loaded, like number
}

// New returns a Follower of s without folds and boxes. With readOnly it saves nothing.
func New(s store.Store, readOnly bool, log *slog.Logger) *Follower {
	return &Follower{store: s, readOnly: readOnly, log: log, lock: semaphore.NewWeighted(readers)}
}

// Drop removes folds from f. They receive no later entries.
func (f *Follower) Drop(ctx context.Context, folds ...Fold) error {
	if err := f.lock.Acquire(ctx, readers); err != nil {
		return err
	}
	defer f.lock.Release(readers)
	f.folds = slices.DeleteFunc(f.folds, func(s *followed) bool { return slices.Contains(folds, s.Fold) })
	return nil
}

// find returns the entry of a fold, nil if it is not followed. The caller holds the lock.
func (f *Follower) find(x Fold) *followed {
	for _, s := range f.folds {
		if s.Fold == x {
			return s
		}
	}
	return nil
}

// View calls read once the folds in of contain every entry that was in the ledger when View was called. No fold changes
// while read runs, so read must be short and must call no method of f. Except for Knowledge, a fold may be read only in
// View. If View returns an error, such as that of ctx, it has not called read. A fold that is new to f is loaded from
// its saved state, or starts at the first entry, and then receives all later entries too.
func (f *Follower) View(ctx context.Context, read func(), of ...Fold) error {
	info, err := f.store.Info(ctx)
	if err != nil {
		return err
	}
	for {
		if err := f.lock.Acquire(ctx, 1); err != nil {
			return err
		}
		if f.has(info.Entries, of) {
			defer f.lock.Release(1)
			read()
			return nil
		}
		f.lock.Release(1)
		if err := f.CatchUp(ctx, of...); err != nil {
			return err
		}
	}
}

// has reports whether the folds have the ledger up to an entry. The caller holds the lock.
func (f *Follower) has(entry uint64, of []Fold) bool {
	for _, x := range of {
		if s := f.find(x); s == nil || s.again || s.pos < entry {
			return false
		}
	}
	return true
}

// CatchUp adds the folds in of to f, and then adds the new entries of the ledger to all folds of f in one pass. After
// an error each fold has the entries before the error, or is computed again at the next call.
func (f *Follower) CatchUp(ctx context.Context, of ...Fold) error {
	if err := f.lock.Acquire(ctx, readers); err != nil {
		return err
	}
	defer f.lock.Release(readers)
	info, err := f.store.Info(ctx)
	if err != nil {
		return err
	}
	for _, x := range of {
		if f.find(x) == nil {
			f.folds = append(f.folds, f.load(ctx, x, info.Entries))
		}
	}
	if err := f.pass(ctx, info.Entries); err != nil {
		return err
	}
	for _, s := range f.folds {
		if !s.again {
			continue
		}
		if err := f.refold(ctx, s, info.Entries); err != nil {
			return err
		}
	}
	return nil
}

// Behind returns how many entries of the ledger x lacks. If x is not a fold of f, it counts the entries since x was
// last saved, without loading x. After an error it returns 0.
func (f *Follower) Behind(ctx context.Context, x Fold) uint64 {
	info, err := f.store.Info(ctx)
	if err != nil || f.lock.Acquire(ctx, 1) != nil {
		return 0
	}
	defer f.lock.Release(1)
	var pos uint64
	if s := f.find(x); s != nil {
		pos = s.pos
	} else if saved, err := store.OpenDerived(ctx, f.store, x.Name()); err == nil {
		pos = saved.Version
		_ = saved.Closer.Close() // only its head was read
	}
	return info.Entries - min(pos, info.Entries)
}

// pass adds the entries of the ledger, at least up to to, to the folds that lack them.
func (f *Follower) pass(ctx context.Context, to uint64) error {
	var behind []*followed
	from := to
	for _, s := range f.folds {
		if !s.again && s.pos < to {
			behind, from = append(behind, s), min(from, s.pos)
		}
	}
	if len(behind) == 0 {
		return nil
	}
	for e, err := range f.store.Ledger(ctx, from) {
		if err != nil {
			return fmt.Errorf("read the ledger: %w", err)
		}
		for _, s := range behind {
			if s.again || e.Seq <= s.pos {
				continue
			}
			if h, ok := s.Fold.(hindsight); ok && h.Corrects(&e) {
				s.again = true
				continue
			}
			s.Add(&e)
			s.pos = e.Seq
		}
	}
	for _, s := range behind {
		if !s.again {
			s.pos = max(s.pos, to)
		}
	}
	return nil
}

// refold folds the whole ledger again, after an entry that corrects an earlier one.
func (f *Follower) refold(ctx context.Context, s *followed, to uint64) error {
	h, _ := s.Fold.(hindsight)
	s.Reset()
	s.pos = 0
	for e, err := range f.store.Ledger(ctx, 0) {
		if err != nil {
			return fmt.Errorf("read the ledger: %w", err)
		}
		h.Foresee(&e)
		to = max(to, e.Seq)
	}
	for e, err := range f.store.Ledger(ctx, 0) {
		if err != nil {
			return fmt.Errorf("read the ledger: %w", err)
		}
		if e.Seq > to {
			break
		}
		s.Add(&e)
	}
	h.Foreseen()
	s.pos, s.again = to, false
	return nil
}

// load loads a fold. An unusable one starts at the first entry.
func (f *Follower) load(ctx context.Context, x Fold, entries uint64) *followed {
	if x.Name() == "" {
		x.Reset()
		return &followed{Fold: x}
	}
	version, err := read(ctx, f.store, x.Name(), x.Load)
	if err == nil && version <= entries {
		return &followed{Fold: x, pos: version, saved: version}
	}
	if err == nil {
		err = errors.New("it is of a longer ledger")
	}
	x.Reset()
	if !errors.Is(err, tree.ErrNotFound) {
		f.log.Info("folding the ledger anew", "fold", x.Name(), "reason", err)
	}
	return &followed{Fold: x}
}

// Purge calls commit, which commits the purge p of the store, and then removes what p removed. It resets all folds,
// which read the ledger again when next used. It removes the purged content from the boxes and saves them at once,
// because the commit removed all derived data. Nothing else is saved meanwhile: it would be of before the purge. Purge
// returns the error of commit. If that error means that nothing was committed (see store.Purged), f stays as it is.
func (f *Follower) Purge(ctx context.Context, p *store.Purge, commit func() error) error {
	f.saving.Lock()
	defer f.saving.Unlock()
	err := commit()
	if !store.Purged(err) {
		return err
	}
	f.purges = append(f.purges, p)
	ctx = context.WithoutCancel(ctx)
	f.reset(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, b := range f.boxes {
		b.Purge(p)
		if m, ok := b.Box.(sharedBox); ok {
			if info, err := f.store.Info(ctx); err == nil {
				m.Purged(info.Version)
			}
		}
		b.anew = true
		f.trySave(ctx, b)
	}
	return err
}

// reset resets all folds. ctx must not end.
func (f *Follower) reset(ctx context.Context) {
	_ = f.lock.Acquire(ctx, readers) // ctx does not end
	defer f.lock.Release(readers)
	for _, s := range f.folds {
		s.Reset()
		s.again, s.pos, s.saved = false, 0, 0
	}
}

// Purges returns the number of purges so far, for Saving.
func (f *Follower) Purges() int {
	f.saving.Lock()
	defer f.saving.Unlock()
	return len(f.purges)
}

// Saving calls save, which saves derived data that f does not hold, while no purge runs. save receives the purges after
// the first n, which its data may lack.
func (f *Follower) Saving(n int, save func([]*store.Purge) error) error {
	f.saving.Lock()
	defer f.saving.Unlock()
	return save(f.purges[n:])
}
