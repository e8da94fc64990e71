package jsonstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/spf13/afero"

	"github.com/memtree/memtree/tree"
)

// open looks before it locks, and locks before it changes: somebody else's
// folder stays as it is.
func open(d *disk, dir string, o Options, lock func() (func() error, error)) (_ *Store, err error) {
	_, made, err := d.readFormat(dir)
	if err != nil {
		return nil, err
	}
	if o.ReadOnly && !made {
		return nil, &tree.FormatError{Dir: dir, Problem: "is not a memory store: there is no FORMAT.json in it"}
	}
	unlock := func() error { return nil }
	if !o.ReadOnly {
		if unlock, err = lock(); err != nil {
			return nil, err
		}
	}
	s, err := openLocked(d, dir, o)
	if err != nil {
		return nil, errors.Join(err, unlock())
	}
	s.unlock = unlock
	return s, nil
}

func openLocked(d *disk, dir string, o Options) (*Store, error) {
	f, made, err := d.readFormat(dir)
	if err != nil {
		return nil, err
	}
	if !made {
		if f, err = d.make(o.Origin); err != nil {
			return nil, err
		}
	}
	if o.JournalLimit <= 0 {
		o.JournalLimit = 4 << 20
	}
	s := &Store{disk: d, options: o, readOnly: o.ReadOnly, format: f, stopped: make(chan struct{})}
	s.leases.held = map[string]hash{}
	s.queue.wake = make(chan struct{}, 1)
	s.snapshots = make(chan snapshotted, 1)
	if err := s.load(); err != nil {
		return nil, err
	}
	if o.ReadOnly {
		close(s.stopped)
		return s, nil
	}
	go s.writer()
	return s, nil
}

// load reads the last snapshot's manifest and the journal, decides, and only
// then repairs.
func (s *Store) load() error {
	base := newGeneration()
	r, err := s.disk.replayFrom(&state{base: base}, 1, 0, link{})
	if err != nil {
		return err
	}
	if r.damage != nil && !s.readOnly {
		return r.damage
	}
	s.state.Store(r.state)
	if s.readOnly {
		return nil
	}
	if err := r.repair(); err != nil {
		return err
	}
	s.journal, err = s.disk.resume(r.number, r.size, r.seq, r.prev)
	if err != nil {
		return err
	}
	// Lines may be here that were never made durable; from now on they count.
	if err := s.disk.sync(s.journal.file); err != nil {
		return errors.Join(failure("sync", r.number, err), s.journal.file.Close())
	}
	return nil
}

// makeFolder makes a real folder and those above it, durably.
func makeFolder(dir string) error {
	if info, err := os.Stat(dir); err == nil {
		if !info.IsDir() {
			return &tree.FormatError{Dir: dir, Problem: "is a file; a store is a folder"}
		}
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := makeFolder(filepath.Dir(dir)); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) { //nolint:gosec // others may read it
		return err
	}
	return syncFolder(filepath.Dir(dir))
}

func (d *disk) makeSelf() error {
	if info, err := d.stat("."); err == nil {
		if !info.IsDir() {
			return &tree.FormatError{Dir: d.dir, Problem: "is a file; a store is a folder"}
		}
		return nil
	}
	if err := d.fs.MkdirAll(d.dir, 0o755); err != nil {
		return fmt.Errorf("make %s: %w", d.dir, err)
	}
	above := disk{fs: d.fs, dir: path.Dir(d.dir), hooks: d.hooks}
	return above.syncDir(".")
}

func syncFolder(dir string) error {
	d := disk{fs: afero.NewOsFs(), dir: dir}
	return d.syncDir(".")
}
