package jsonstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/memtree/memtree/store"
)

// snapshotted is a committed snapshot, or the error that prevented it.
type snapshotted struct {
	snapshotter *snapshotter
	err         error
}

// Compact writes a snapshot now, whatever the size of the journal, and returns once the store uses it. Older journals
// are removed when no reader uses them any more.
func (s *Store) Compact(ctx context.Context) error {
	if err := s.send(ctx, &request{compact: true}); err != nil {
		return fmt.Errorf("compact: %w", err)
	}
	return nil
}

// considerSnapshot starts a snapshot if the journals have grown too large for their base, or if one was requested. The
// writer itself only starts the next journal; another goroutine writes the snapshot.
func (s *Store) considerSnapshot() {
	asked := len(s.asking) > 0
	// After a failed write no snapshot starts, but requests still receive the error.
	if s.running || !asked && (s.failed != nil ||
		s.replayed() <= max(s.limit, emptyJournal, s.state.Load().base.bytes()/2)) {
		return
	}
	waiting := s.asking
	s.asking = nil
	err := s.failed
	var st *state
	if err == nil {
		st, err = s.rotate()
	}
	if err != nil {
		s.postpone()
		s.refuse(waiting, err)
		answer(waiting)
		return
	}
	s.running, s.answering = true, waiting
	number, seq, prev := s.journal.number, s.journal.begun.seq, s.journal.begun.prev
	go func() { s.snapshots <- s.commitSnapshot(st, number, seq, prev) }()
}

// emptyJournal is the most bytes of a journal with nothing but its first line.
const emptyJournal = 128

// replayed returns how many bytes of journals an open would have to read now.
func (s *Store) replayed() int64 { return s.journal.before + s.journal.size }

// postpone doubles the size at which the next snapshot is tried.
func (s *Store) postpone() {
	s.limit = max(s.limit, 2*s.replayed())
}

// rotate starts the next journal and returns the state before it, whose layer is frozen from then on. It waits for the
// disk, and so do writers; readers do not.
func (s *Store) rotate() (*state, error) {
	old := s.journal
	// If the new journal cannot be started, it must be removed: a later open would treat it as valid.
	next, err := s.disk.begin(old.number+1, old.seq, old.prev)
	if err != nil {
		if errors.Is(err, store.ErrFailed) {
			s.failed = err
		}
		if name := journalName(old.number + 1); !s.removeBegun(name) {
			s.failed = fmt.Errorf("remove %s: %w", name, err)
		}
		return nil, err
	}
	next.before = old.before + old.size
	next.begun = position{old.seq, old.prev}
	s.journal = next
	_ = old.file.Close() // it is durable
	// st is the content of the snapshot. From here on, changes go to a new top layer above it.
	st := s.state.Load().nextGroup()
	st.base.adopt(next.reader)
	after := *st
	after.frozen, after.top = st.top, journalLayer{}
	after.journaled = s.replayed()
	s.publish(&after)
	return st, nil
}

// removeBegun removes a journal whose beginning failed. It returns false if the journal may
// still be there.
func (s *Store) removeBegun(name string) bool {
	if err := s.disk.remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return s.disk.syncDir(".") == nil
}

// commitSnapshot writes a snapshot and its manifest, which is the commit point.
func (s *Store) commitSnapshot(st *state, number int, seq uint64, prev link) snapshotted {
	w, err := s.disk.snapshot(st, number, seq, prev)
	if err != nil {
		return snapshotted{err: err}
	}
	b, err := w.out.encode()
	if err == nil {
		err = s.disk.replace(manifestName(number), b)
	}
	return snapshotted{w, err}
}

// install makes a committed snapshot the base, and marks the files it replaces for removal.
func (s *Store) install(r snapshotted) {
	defer func() {
		for _, w := range s.answering {
			w.err = r.err
		}
		answer(s.answering)
		s.running, s.answering = false, nil
	}()
	if r.err != nil {
		// The present state remains; its frozen layer is merged again, because the next rotation freezes another one.
		s.snapshotErr = r.err
		if st := s.state.Load(); st.frozen.nodes.n+st.frozen.known.n > 0 {
			s.thawFrozen(st)
		}
		s.postpone()
		return
	}
	s.snapshotErr, s.limit = nil, s.journalLimit()
	// The state has changed while the snapshot was written. Later changes remain in the layers.
	st := s.state.Load()
	next := st.rebase(s.disk, r.snapshotter)
	s.journal.before = 0
	next.journaled = s.replayed()
	s.publish(next)
	old := st.base
	// Readers may still use the old files, so the last one to release them removes them.
	for name, h := range old.handles {
		if next.base.handles[name] == nil {
			h.doomed.Store(true)
		}
	}
	for _, h := range old.since(0) {
		if h.number < next.base.Number {
			h.doomed.Store(true)
		}
	}
	old.release()
	s.dropManifests(next.base.Number)
}

// thawFrozen merges a frozen layer, whose snapshot failed, with the top layer.
func (s *Store) thawFrozen(st *state) {
	next := st.nextGroup()
	top := st.frozen
	for id, n := range st.top.nodes.from("") {
		top.nodes = top.nodes.put(id, n)
	}
	for key, k := range st.top.known.from("") {
		top.known = top.known.put(key, k)
	}
	next.top, next.frozen = top, journalLayer{}
	s.publish(next)
}

// dropManifests removes the manifests before number, except the latest of these.
func (s *Store) dropManifests(number int) {
	names, err := s.disk.names(".")
	if err != nil {
		return // a later snapshot does it
	}
	old := numbered(names, "manifest.", ".json")
	old = slices.DeleteFunc(old, func(n int) bool { return n >= number })
	for i := 0; i < len(old)-1; i++ {
		s.disk.discard(manifestName(old[i]))
	}
}

// rebase returns st on top of a snapshot that was written from an earlier state.
func (st *state) rebase(d *disk, w *snapshotter) *state {
	next := st.nextGroup()
	next.base = newGeneration(d, &w.out, st.base)
	next.frozen = journalLayer{}
	if next.purge == w.from.purge {
		next.purge = nil
	}
	next.entries = since(st.entries, w.out.Counts.Entries)
	next.dead = since(st.dead, uint64(w.out.Counts.Dead)) //nolint:gosec // a count
	i := 0
	for i < len(st.commits) && st.commits[i].version <= w.out.Counts.Version {
		i++
	}
	next.commits = slices.Clone(st.commits[i:])
	for _, m := range w.moved {
		at := order(m.arrival)
		if it, ok := next.outbox.get(at); ok {
			next.outbox = next.outbox.put(at, item{key: it.key, at: piece{place: m.place}})
		}
	}
	return next
}

// since returns the records after a sequence number.
func since(records []record, seq uint64) []record {
	i := 0
	for i < len(records) && records[i].seq <= seq {
		i++
	}
	return slices.Clone(records[i:])
}

// numbered returns, sorted, the n of all names of the form prefix + n (6 digits) + suffix.
func numbered(names []string, prefix, suffix string) []int {
	var out []int
	for _, name := range names {
		mid, ok := strings.CutPrefix(name, prefix)
		if mid, ok2 := strings.CutSuffix(mid, suffix); ok && ok2 {
			if n, err := strconv.Atoi(mid); err == nil && n > 0 && fmt.Sprintf("%s%06d%s", prefix, n, suffix) == name {
				out = append(out, n)
			}
		}
	}
	slices.Sort(out)
	return out
}

// worthSnapshot reports whether a closing store should write a snapshot: whether the next
// open would have to replay much, compared with what a snapshot costs.
func (s *Store) worthSnapshot() bool {
	size := s.state.Load().base.bytes()
	return s.replayed() > max(64<<10, min(size/8, max(1<<20, size/64)))
}

// finish ends the writer. It writes a snapshot if that is worthwhile, closes the journal,
// and records its length, so that a later open notices if any of it is missing.
func (s *Store) finish() {
	for s.running || len(s.asking) > 0 { // every request receives an answer
		if !s.running {
			s.considerSnapshot()
			continue
		}
		s.install(<-s.snapshots)
	}
	if s.failed == nil && s.worthSnapshot() {
		if st, err := s.rotate(); err == nil {
			s.install(s.commitSnapshot(st, s.journal.number, s.journal.begun.seq, s.journal.begun.prev))
		} else {
			s.snapshotErr = err
		}
	}
	s.closeErr = errors.Join(s.closeErr, s.snapshotErr)
	if s.failed == nil {
		j := s.journal
		rec := shutdown{Journal: j.number, Bytes: j.size, Seq: j.seq}
		rec.Sum = rec.sum()
		b, err := encode(rec)
		if err == nil && rec != s.recorded {
			err = s.disk.replace(shutdownName, append(b, '\n'))
		}
		s.closeErr = errors.Join(s.closeErr, err)
	}
	s.closeErr = errors.Join(s.closeErr, s.journal.file.Close())
}

// sweep removes what an interrupted snapshot or removal left. Only the writing process may call it, and only after it
// has chosen the base snapshot.
func (d *disk) sweep(g *generation) error {
	names, err := d.names(".")
	if err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	for _, n := range names {
		switch {
		case isTemp(n):
			_ = d.fs.RemoveAll(d.name(n)) // harmless if it fails
		case strings.HasPrefix(n, "snapshot."):
			d.sweepFolder(n, g)
		}
	}
	derived, err := d.names(derivedFolder)
	if err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	for _, n := range derived {
		if isTemp(n) {
			_ = d.remove(path.Join(derivedFolder, n)) // harmless if it fails
		}
	}
	for _, n := range numbered(names, "journal.", ".jsonl") {
		if n < g.Number {
			d.discard(journalName(n))
		}
	}
	return nil
}

// sweepFolder removes the files of a snapshot's folder that the generation does not use.
func (d *disk) sweepFolder(folder string, g *generation) {
	names, err := d.names(folder)
	if err != nil {
		return // not a folder, or not readable
	}
	for _, n := range names {
		name := path.Join(folder, n)
		if info, err := d.stat(name); err == nil && info.IsDir() {
			d.sweepFolder(name, g)
		} else if g.handles[name] == nil {
			d.discard(name)
		}
	}
}
