package jsonstore

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// count sets the totals to the readable items.
func (s *salvage) count() error {
	st := s.state
	st.entries = nil
	for _, seq := range slices.Sorted(maps.Keys(s.entries)) {
		st.entries = append(st.entries, record{seq: seq, at: s.entries[seq]})
		st.Entries = max(st.Entries, seq)
	}
	if err := s.learnKeys(); err != nil {
		return err
	}
	if len(s.Lost) > 0 {
		if err := s.forget(); err != nil {
			return err
		}
		if err := s.mend(); err != nil {
			return err
		}
	}
	st.Nodes, st.Evaluations, st.Dead = st.top.nodes.n, st.top.known.n, len(st.dead)
	s.Kept = readableCounts{Nodes: st.Nodes, Evaluations: st.outbox.n, Entries: len(st.entries), Letters: st.Dead,
		Version: st.Version}
	defer func() { st.base.Counts = st.counts }()
	if !s.Whole() { // a new version, so that no index or version of the damaged store is used any more
		st.Version++
		st.Changed = st.Version
	}
	slices.SortStableFunc(s.Lost, func(a, b Loss) int {
		return cmp.Or(cmp.Compare(a.File, b.File),
			cmp.Compare(a.Offset, b.Offset))
	})
	slices.Sort(s.Again)
	return nil
}

// forget removes the keys of evaluations whose cases, according to the ledger, are lost. Recorded again, they become
// cases again.
func (s *salvage) forget() error {
	return s.verdicts(func(v *ledger.Verdict) {
		if v.Node == "" {
			return
		}
		if _, ok := s.state.top.nodes.get(v.Node); ok {
			return
		}
		h := store.HashOf(v.Evaluation)
		if s.state.knowsKey(string(h[:])) {
			s.state.top.known = s.state.top.known.del(string(h[:]))
			s.Forgotten++
		}
	})
}

// origin returns the most frequent origin id of the nodes; without nodes, the one in read, else one made from the
// journal.
func (s *salvage) origin(read tree.Origin) (tree.Origin, error) {
	times := map[string]int{}
	for _, n := range s.state.top.nodes.from("") {
		raw, err := n.at.read()
		if err != nil {
			return read, err
		}
		var node tree.Node
		if err := decode(raw, &node); err != nil {
			return read, err
		}
		times[node.Origin.ID]++
	}
	best := ""
	for _, id := range slices.Sorted(maps.Keys(times)) {
		if id != "" && times[id] > times[best] {
			best = id
		}
	}
	if best != "" {
		read.ID = best
	}
	if len(read.Label) > tree.MaxName {
		read.Label = ""
	}
	if read.ID == "" || len(read.ID) > tree.MaxName {
		read.ID = "o_" + tree.Hash(fmt.Sprint(s.seq), s.prev.String())
	}
	return read, nil
}

// commit moves the damaged bytes to broken/ and writes everything readable as a new snapshot.
func (s *salvage) commit(f format) error {
	d := s.disk
	if err := s.setAside(); err != nil {
		return err
	}
	if err := d.removeBuilt(); err != nil {
		return err
	}
	if err := d.writeFormat(f); err != nil {
		return err
	}
	if s.onlyRebuildable() {
		return d.removeIfThere(shutdownName) // a store opens without it
	}
	number := s.highest + 1
	j, err := d.begin(number, s.seq, s.prev)
	if err != nil {
		return err
	}
	if err := j.file.Close(); err != nil {
		return fmt.Errorf("close %s: %w", journalName(number), err)
	}
	if err := d.fs.RemoveAll(d.name(tempMark + snapshotName(number))); err != nil {
		return err
	}
	if err := d.fs.RemoveAll(d.name(snapshotName(number))); err != nil {
		return err // no loss: no manifest refers to it
	}
	w, err := d.snapshot(s.state, number, s.seq, s.prev)
	if err != nil {
		return err
	}
	b, err := w.out.encode()
	if err == nil {
		err = d.replace(manifestName(number), b)
	}
	if err != nil {
		return err
	}
	s.Kept.Version = s.state.Version
	return s.removeReplaced(&w.out)
}

// removeBuilt removes derived data, which was built from lost data, but for what cannot be built again and is whole.
func (d *disk) removeBuilt() error {
	names, err := d.names(derivedFolder)
	if err != nil {
		return fmt.Errorf("read %s: %w", derivedFolder, err)
	}
	for _, file := range names {
		if name, _, ok := derivedFile(file); ok && store.HeldBeside(name) {
			b, err := d.read(derivedFolder+"/"+file, 1<<40)
			if err != nil {
				return err
			}
			if wholeDerived(b) {
				continue
			}
		}
		if err := d.fs.RemoveAll(d.name(derivedFolder + "/" + file)); err != nil {
			return fmt.Errorf("remove %s/%s: %w", derivedFolder, file, err)
		}
	}
	return nil
}

// removeReplaced removes the files that the new snapshot replaces.
func (s *salvage) removeReplaced(m *manifest) error {
	names, err := s.disk.names(".")
	if err != nil {
		return fmt.Errorf("read the folder: %w", err)
	}
	for _, n := range numbered(names, "manifest.", ".json") {
		if n < m.Number {
			s.disk.discard(manifestName(n))
		}
	}
	s.release()
	g := newGeneration(s.disk, m, nil)
	defer g.release()
	return s.disk.sweep(g)
}

// setAside copies the damaged bytes to broken/, and cuts off a torn end of the last journal.
func (s *salvage) setAside() error {
	aside := func(name string, off, size int64) error {
		b, err := s.bytes(name, off, size)
		if err != nil || len(b) == 0 {
			return err
		}
		to, err := s.disk.setAside(fmt.Sprintf("%s.%d", strings.ReplaceAll(name, "/", "."), off), b)
		s.Moved = append(s.Moved, to)
		return err
	}
	for _, l := range s.Lost {
		if err := aside(l.File, l.Offset, l.Bytes); err != nil {
			return err
		}
	}
	for _, name := range s.Again {
		if err := aside(name, 0, 1<<40); err != nil {
			return err
		}
	}
	if t := s.torn; t != nil {
		if err := aside(journalName(t.number), t.off, t.size); err != nil {
			return err
		}
		return s.disk.cut(journalName(t.number), t.off)
	}
	return nil
}
