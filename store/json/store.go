// Package jsonstore is the embedded store: a folder of JSON files that one process writes and any number of processes
// read. FORMAT.md describes the files for readers in other languages.
//
// A write is one line of the journal, which is durable before the write returns. One goroutine writes the lines of all
// waiting callers together. Snapshots are written from time to time and keep the journal short. Opening reads the
// manifest of the last snapshot and the journal since, never the nodes.
//
// Where to look:
//   - writer.go, write.go, journal.go, frame.go: a write, from callers to the disk
//   - open.go, recover.go, format.go: opening, including after a crash
//   - compact.go, snapshot.go, manifest.go, table.go: snapshots; state.go, sorted.go, read.go, decode.go: reading
//   - lock.go, follow.go: several processes; disk.go, rootfs.go: the file system
//   - fsck.go, salvage.go, verify.go, backup.go, purge.go: repair, checks, copies and removal
package jsonstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/afero"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// Options configures Open. The zero value is valid.
type Options struct {
	// ReadOnly opens the store for reading. Nothing is created or written. Another process may write at the same time,
	// and its commits are visible.
	ReadOnly bool

	// Origin identifies the tree. It is written when the store is created and ignored afterwards. If it has no ID, a
	// random one is generated.
	Origin tree.Origin

	// Started is the time since which this process has the store open. Other processes that find the store locked get it
	// in store.LockedError.
	Started time.Time

	// JournalLimit is the size of the journals, in bytes, above which a snapshot is written while the store is open, if
	// they are also larger than half of the last snapshot. 0 means 4 MiB.
	JournalLimit int64
}

// journalLimit returns the configured limit, or the default of 4 MiB.
func (s *Store) journalLimit() int64 {
	if s.options.JournalLimit > 0 {
		return s.options.JournalLimit
	}
	return 4 << 20
}

// Store is an open store in a folder. It implements store.Store, store.Deriver, store.Scratcher, store.Gallery,
// store.Knower, store.Movable and store.Verifier. It is safe for concurrent use.
type Store struct {
	disk      *disk
	options   Options
	readOnly  bool
	format    format
	unlock    func() error
	state     atomic.Pointer[state]
	closed    atomic.Bool
	replay    *replay              // how far a reader has read; nil for the writer
	leases    store.Leases[string] // by order of arrival
	deriving  sync.Mutex           // held while derived data is written
	gallery   gallery
	following sync.Mutex // held while a reader reads new batches

	// Only the writer's goroutine uses the following fields.
	queue             writeQueue
	journal           *journal
	recorded          shutdown // record of the last clean close
	failed            error    // why nothing can be written any more
	snapshots         chan snapshotted
	running           bool       // a snapshot is being written
	asking, answering []*request // requests for the next snapshot, and for the one being written
	limit             int64      // bytes of journals above which a snapshot is written
	snapshotErr       error      // why the last snapshot failed
	stopped           chan struct{}

	closing  sync.Once
	closeErr error
}

var _ store.Store = (*Store)(nil)

// OpenDir opens the store in a folder of the real file system. Unless o.ReadOnly, it creates the folder and the store
// if they do not exist. It touches nothing outside the folder, regardless of links in it.
func OpenDir(ctx context.Context, dir string, o Options) (*Store, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	if o.ReadOnly {
		if _, err := os.Stat(dir); err != nil {
			return nil, fmt.Errorf("open store: %w", err)
		}
	} else if err := makeFolder(dir); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	s, err := openStore(ctx, &disk{fs: confined{root}, dir: "."}, dir,
		o, func() (func() error, error) { return lockFolder(root, dir, o.Started) })
	if err != nil {
		return nil, fmt.Errorf("open store: %w", errors.Join(err, root.Close()))
	}
	unlock := s.unlock
	s.unlock = func() error { return errors.Join(unlock(), root.Close()) }
	return s, nil
}

// Open opens the store in the folder dir of the file system fs. For an *afero.OsFs it is the same as OpenDir. On any
// other file system, the folder is locked within this process only.
func Open(ctx context.Context, fs afero.Fs, dir string, o Options) (*Store, error) {
	if _, real := fs.(*afero.OsFs); real {
		return OpenDir(ctx, dir, o)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	d := &disk{fs: fs, dir: dir}
	if !o.ReadOnly {
		if err := d.makeSelf(); err != nil {
			return nil, fmt.Errorf("open store: %w", err)
		}
	}
	s, err := openStore(ctx, d, dir, o, func() (func() error, error) { return lockMemory(fs, dir) })
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	return s, nil
}

// OpenMemory opens a store in memory, whose content is lost when it is closed.
func OpenMemory(ctx context.Context, o Options) (*Store, error) {
	return Open(ctx, afero.NewMemMapFs(), "memory", o)
}

// Close waits for running writes and closes the store. See store.Store.
func (s *Store) Close() error {
	var err error
	s.closing.Do(func() {
		s.closed.Store(true)
		if !s.readOnly {
			s.queue.close()
			<-s.stopped
		}
		s.state.Load().base.release()
		if err = errors.Join(s.closeErr, s.unlock()); err != nil {
			err = fmt.Errorf("close store: %w", err)
		}
	})
	return err
}

// Damage returns the damage that was found in a store that is open for reading, as a *store.CorruptError, or nil. The
// store still serves the intact part. For a store open for writing Damage returns nil.
func (s *Store) Damage() error {
	s.following.Lock()
	defer s.following.Unlock()
	if s.replay == nil || s.replay.damage == nil {
		return nil
	}
	return s.replay.damage
}

// usable returns why the store cannot be used, nil if it can.
func (s *Store) usable(ctx context.Context) error {
	if s.closed.Load() {
		return store.ErrClosed
	}
	return ctx.Err()
}

// view returns the present state. Its files stay open until the caller releases its base.
func (s *Store) view(ctx context.Context) (*state, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	if s.readOnly {
		if err := s.follow(); err != nil {
			return nil, err
		}
	}
	for {
		st := s.state.Load()
		if st.base.acquire() {
			return st, nil
		}
		if s.closed.Load() {
			return nil, store.ErrClosed
		}
	}
}

// Info returns version, format and counts of the store. See store.Store.
func (s *Store) Info(ctx context.Context) (store.Info, error) {
	st, err := s.view(ctx)
	if err != nil {
		return store.Info{}, fmt.Errorf("info: %w", err)
	}
	defer st.base.release()
	return store.Info{
		Version: st.Version, Format: s.format.String(), Origin: s.format.Origin, Nodes: st.Nodes,
		Evaluations: st.Evaluations, Outbox: st.outbox.n, Dead: st.Dead, Entries: st.Entries,
		Bytes: st.base.bytes() + st.journaled,
	}, nil
}
