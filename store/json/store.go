// Package jsonstore is the embedded store: a folder of JSON files that one
// process writes and any number read. FORMAT.md describes the files for readers
// in other languages.
//
// A write is one line of the journal, durable before it is answered; one
// goroutine writes the lines of all who wait together. Snapshots, written from
// time to time, keep the journal short; opening reads the manifest of the last
// one and the journal since, never the nodes.
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

	"github.com/memtree/memtree/tree"
)

// Options are the choices of who opens a store. The zero value is useful.
type Options struct {
	// ReadOnly opens for reading: nothing is created or written, a process that
	// writes may be at work, and what it commits is seen.
	ReadOnly bool

	// Origin names the tree. It is written when the store is made and ignored
	// afterwards. Without an ID a random one is made.
	Origin tree.Origin

	// Started is the time told to others who find the store in use.
	Started time.Time

	// JournalLimit is the size of the journal, in bytes, above which a snapshot
	// is written while the store is open, if it is also above half the snapshot.
	// 0 means 4 MiB.
	JournalLimit int64
}

func (s *Store) journalLimit() int64 {
	if s.options.JournalLimit > 0 {
		return s.options.JournalLimit
	}
	return 4 << 20
}

// Store is an open store. It implements tree.Store, tree.Deriver and
// tree.Verifier.
type Store struct {
	disk      *disk
	options   Options
	readOnly  bool
	format    format
	unlock    func() error
	state     atomic.Pointer[state]
	closed    atomic.Bool
	replay    *replay // what opening found
	leases    leases
	deriving  sync.Mutex // held while derived data is written
	following sync.Mutex // held while a reader looks for news

	// What follows belongs to the writer.
	queue             queue
	journal           *journal
	recorded          shutdown // by the last clean close
	failed            error    // why nothing more is written
	snapshots         chan snapshotted
	running           bool       // a snapshot is being written
	asking, answering []*request // who waits for the next snapshot, and for this one
	limit             int64      // of the journals, in bytes, before a snapshot
	snapshotErr       error      // why the last one failed
	stopped           chan struct{}

	closing  sync.Once
	closeErr error
}

var _ tree.Store = (*Store)(nil)

// OpenDir opens the store in a folder of the real file system, made if it is
// not there. Nothing outside the folder is touched, whatever links are in it.
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
	s, err := open(&disk{fs: confined{root}, dir: "."}, dir, o, func() (func() error, error) { return lockFolder(dir, o.Started) })
	if err != nil {
		return nil, fmt.Errorf("open store: %w", errors.Join(err, root.Close()))
	}
	unlock := s.unlock
	s.unlock = func() error { return errors.Join(unlock(), root.Close()) }
	return s, nil
}

// Open opens the store in a folder of a file system. An *afero.OsFs is the real
// one, see OpenDir; on any other the folder is locked within this process only.
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
	s, err := open(d, dir, o, func() (func() error, error) { return lockMemory(fs, dir) })
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	return s, nil
}

// OpenMemory opens a store that is in memory, and gone once it is closed.
func OpenMemory(ctx context.Context, o Options) (*Store, error) {
	return Open(ctx, afero.NewMemMapFs(), "memory", o)
}

// Close waits for writes under way and gives the store up; see tree.Store.
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

// Damage says what is damaged in a store that is open for reading, as a
// *tree.CorruptError, or nil: what is whole is served all the same.
func (s *Store) Damage() error {
	s.following.Lock()
	defer s.following.Unlock()
	if s.replay == nil || s.replay.damage == nil {
		return nil
	}
	return s.replay.damage
}

// usable says why the store cannot be used, if it cannot.
func (s *Store) usable(ctx context.Context) error {
	if s.closed.Load() {
		return tree.ErrClosed
	}
	return ctx.Err()
}

// view returns the present state with its files kept open until the base is
// released.
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
			return nil, tree.ErrClosed
		}
	}
}

// Info says what the store holds; see tree.Store.
func (s *Store) Info(ctx context.Context) (tree.Info, error) {
	st, err := s.view(ctx)
	if err != nil {
		return tree.Info{}, fmt.Errorf("info: %w", err)
	}
	defer st.base.release()
	return tree.Info{
		Version: st.Version, Format: s.format.String(), Origin: s.format.Origin, Nodes: st.Nodes,
		Evaluations: st.Evaluations, Outbox: st.outbox.n, Dead: st.Dead, Entries: st.Entries, Bytes: st.base.bytes() + st.journaled,
	}, nil
}
