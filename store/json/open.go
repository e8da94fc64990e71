package jsonstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/spf13/afero"

	"github.com/memtree/memtree/store"
)

// openStore reads before it locks, and locks before it changes anything, so that it does not change a folder that is
// not a store of this format.
func openStore(
	ctx context.Context, d *disk, dir string, o Options, lock func() (func() error, error),
) (_ *Store, err error) {
	_, made, err := d.readFormat(dir)
	if err != nil {
		return nil, err
	}
	if o.ReadOnly && !made {
		return nil, &store.FormatError{Dir: dir, Problem: "is not a memory store: there is no FORMAT.json in it"}
	}
	unlock := func() error { return nil }
	if !o.ReadOnly {
		if unlock, err = lock(); err != nil {
			return nil, err
		}
	}
	s, err := openLocked(ctx, d, dir, o)
	if err != nil {
		return nil, errors.Join(err, unlock())
	}
	s.unlock = unlock
	return s, nil
}

// openLocked opens the store, or creates it, with the lock held.
func openLocked(ctx context.Context, d *disk, dir string, o Options) (*Store, error) {
	f, made, err := d.readFormat(dir)
	if err != nil {
		return nil, err
	}
	if !made {
		if f, err = d.make(o.Origin); err != nil {
			return nil, err
		}
	}
	s := &Store{disk: d, options: o, readOnly: o.ReadOnly, format: f, stopped: make(chan struct{})}
	s.limit = s.journalLimit()
	s.leases.Held = map[string]store.Hash{}
	s.queue.wake = make(chan struct{}, 1)
	s.snapshots = make(chan snapshotted, 1)
	if err := s.load(!made); err != nil {
		return nil, err
	}
	if o.ReadOnly {
		close(s.stopped)
		return s, nil
	}
	go s.writer()
	if s.state.Load().purge != nil { // an earlier process did not finish it
		if err := s.finishPurge(ctx); err != nil {
			s.queue.close()
			<-s.stopped
			s.state.Load().base.release()
			return nil, err
		}
	}
	return s, nil
}

// load reads the manifest of the last snapshot and the journals since. It repairs only after reading everything.
func (s *Store) load(fresh bool) error {
	r, err := s.disk.recover(s.readOnly)
	for range 100 { // each further round means that a snapshot replaced the files
		if !s.readOnly || !errors.Is(err, fs.ErrNotExist) {
			break
		}
		r, err = s.disk.recover(true)
	}
	if err != nil {
		return err
	}
	if r.damage != nil && !s.readOnly {
		r.state.base.release()
		return r.damage
	}
	s.state.Store(r.state)
	if s.readOnly {
		s.replay = r
		return nil
	}
	r.clean = r.clean || fresh // a store that was just made is durable
	if err := s.prepareToWrite(r); err != nil {
		r.state.base.release()
		return err
	}
	return nil
}

// prepareToWrite prepares the folder for writing.
func (s *Store) prepareToWrite(r *replay) error {
	if !r.clean {
		if err := s.finishRecovery(r); err != nil {
			return err
		}
	}
	j, err := s.disk.resume(r.file, r.size, r.seq, r.prev)
	if err != nil {
		return err
	}
	j.before = r.state.journaled - r.size
	s.journal, s.recorded = j, r.recorded
	return nil
}

// finishRecovery completes what the last process left unfinished. That process may have ended because the disk failed.
// Then the last lines of the journal and the newest names can be readable and still not durable. After a failed fsync
// the kernel marks pages clean, so a new fsync proves nothing; rewrite and rename instead.
func (s *Store) finishRecovery(r *replay) error {
	if err := r.setAside(); err != nil {
		return err
	}
	if err := s.disk.writeFormat(s.format); err != nil {
		return err
	}
	if m := r.state.base.manifest; m.Number > 1 {
		b, err := m.encode()
		if err == nil {
			err = s.disk.replace(manifestName(m.Number), b)
		}
		if err != nil {
			return err
		}
	}
	if err := s.disk.rewriteJournal(r.file, r.size); err != nil {
		return err
	}
	return s.disk.sweep(r.state.base)
}

// recover reads everything that an open reads, and changes nothing. For a reader it opens the files at once, because a
// writer may remove them.
func (d *disk) recover(readOnly bool) (*replay, error) {
	m, damage, err := d.lastManifest()
	if bad := new(store.CorruptError); readOnly && errors.As(err, &bad) {
		return d.pieceForReading(bad)
	}
	if err != nil {
		return nil, err
	}
	g := newGeneration(d, m, nil)
	st := &state{base: g, counts: m.Counts}
	err = st.loadOutbox()
	if err == nil && readOnly {
		err = g.openFiles()
	}
	if err != nil {
		g.release()
		return nil, err
	}
	r, err := d.replayFrom(st, m.Number, m.Seq, m.link(), readOnly)
	if err != nil {
		g.release()
		return nil, err
	}
	if r.damage != nil && readOnly {
		if now, _, err := d.lastManifest(); err != nil || now.Number != m.Number {
			g.release()
			return nil, errors.Join(err, fs.ErrNotExist) // the snapshot was replaced during the read
		}
	}
	if r.damage == nil {
		r.damage = damage
	}
	return r, nil
}

// pieceForReading returns, for a reader, the readable part of a store without its manifest.
func (d *disk) pieceForReading(damage *store.CorruptError) (*replay, error) {
	s, err := d.salvage()
	if err != nil {
		return nil, err
	}
	return &replay{disk: d, state: s.state, number: s.highest, damage: damage, pieced: true}, nil
}

// lastManifest returns the valid manifest with the highest number, or an empty one before the first snapshot. A
// manifest gets its name only when it is complete, so an invalid highest one is damage. It is no error if the manifest
// before it and all its files exist, because then nothing is lost.
func (d *disk) lastManifest() (*manifest, *store.CorruptError, error) {
	names, err := d.names(".")
	if err != nil {
		return nil, nil, fmt.Errorf("read the folder: %w", err)
	}
	numbers := numbered(names, "manifest.", ".json")
	// Before the first snapshot there is no manifest. After it, journal 1 is gone.
	if len(numbers) == 0 && d.hasSnapshots(names) && !d.exists(journalName(1)) {
		return nil, nil, &store.CorruptError{File: "the manifest", Lost: "the list of the snapshot's files is not there"}
	}
	if len(numbers) == 0 {
		return &manifest{Number: 1, Prev: link{}.String()}, nil, nil
	}
	var damage *store.CorruptError
	// If the newest manifest is intact it is used, even if a file of it is missing: an older one would lose
	// acknowledged data.
	for _, n := range slices.Backward(numbers) {
		b, err := d.read(manifestName(n), maxManifest)
		if err != nil {
			return nil, nil, fmt.Errorf("read %s: %w", manifestName(n), err)
		}
		m, err := parseManifest(b)
		if err == nil && m.Number != n {
			err = fmt.Errorf("%w: it says it is number %d", errManifest, m.Number)
		}
		switch {
		case err == nil && damage == nil:
			if bad := d.firstMissing(m); bad != nil {
				return nil, nil, bad
			}
			return m, nil, nil
		case err == nil && d.complete(m):
			return m, nil, nil
		case damage == nil:
			damage = &store.CorruptError{File: manifestName(n), Lost: "the list of the snapshot's files cannot be read"}
		}
	}
	return nil, nil, damage
}

// firstMissing returns the damage of the first file that a manifest lists and that does not exist or has another
// length, nil if there is none. Such a file fails every read that needs it, so the rest is served without it.
func (d *disk) firstMissing(m *manifest) *store.CorruptError {
	for _, f := range m.files() {
		info, err := d.stat(f.Name)
		if err == nil && info.Size() != f.Bytes {
			return &store.CorruptError{File: f.Name, Offset: min(info.Size(), f.Bytes),
				Lost: fmt.Sprintf("it has %d bytes instead of %d", info.Size(), f.Bytes)}
		}
		if !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if file, err := d.open(f.Name); errors.Is(err, fs.ErrNotExist) { // confirms the absence, see disk.open
			return &store.CorruptError{File: f.Name, Lost: "the file is not there"}
		} else if err == nil {
			_ = file.Close() // nothing was read or written
		}
	}
	return nil
}

// complete reports whether all files of a manifest, and its journal, exist.
func (d *disk) complete(m *manifest) bool {
	for _, f := range m.files() {
		if info, err := d.stat(f.Name); err != nil || info.Size() != f.Bytes {
			return false
		}
	}
	_, err := d.stat(journalName(m.Number))
	return err == nil
}

// loadOutbox reads the index of the waiting evaluations, not the evaluations.
func (st *state) loadOutbox() error {
	ref := st.base.Outbox
	if ref == nil {
		return nil
	}
	r := blockReader{gen: st.base, ref: ref}
	for {
		at, ok, err := r.index()
		if err != nil {
			return err
		}
		if !ok {
			return nil
		}
		st.enterOutbox(order(at.num), at.tag, piece{place: at.place})
	}
}

// makeFolder creates a real folder and its parents, durably.
func makeFolder(dir string) error {
	if info, err := os.Stat(dir); err == nil {
		if !info.IsDir() {
			return &store.FormatError{Dir: dir, Problem: "is a file; a store is a folder"}
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

// makeSelf creates the folder of d if it does not exist.
func (d *disk) makeSelf() error {
	if info, err := d.stat("."); err == nil {
		if !info.IsDir() {
			return &store.FormatError{Dir: d.dir, Problem: "is a file; a store is a folder"}
		}
		return nil
	}
	if err := d.fs.MkdirAll(d.dir, 0o755); err != nil {
		return fmt.Errorf("make %s: %w", d.dir, err)
	}
	above := disk{fs: d.fs, dir: path.Dir(d.dir)}
	return above.syncDir(".")
}

func syncFolder(dir string) error {
	d := disk{fs: afero.NewOsFs(), dir: dir}
	return d.syncDir(".")
}
