package jsonstore

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strconv"

	"github.com/memtree/memtree/tree"
)

// A purge is a member of a journal line: from the moment that line is durable, the store has to
// be rid of the bytes. It removes derived data and what was set aside, and writes a snapshot with
// the ledger and the dead letters cleaned; that replaces all journals, and with them the line. So
// whoever opens the store and still finds the line finishes the purge.

// applyPurge notes what a line of the journal purges.
func (st *state) applyPurge(b []byte) error {
	var p tree.Purge
	if err := json.Unmarshal(b, &p); err != nil {
		return fmt.Errorf("%w: its purge", errJSON)
	}
	st.purge = st.purge.With(p)
	return nil
}

// finishPurge removes the bytes of what was purged.
func (s *Store) finishPurge(ctx context.Context) error {
	s.deriving.Lock()
	err := s.disk.removeAll(derivedFolder)
	if err == nil {
		err = s.disk.removeAll(brokenName)
	}
	s.deriving.Unlock()
	if err == nil {
		err = s.Compact(ctx)
	}
	if err != nil {
		return fmt.Errorf("purge: what was purged is out of use, and its bytes go when the store is opened next: %w", err)
	}
	return nil
}

// removeAll removes all files of a folder, durably.
func (d *disk) removeAll(folder string) error {
	names, err := d.names(folder)
	if err != nil || len(names) == 0 {
		return err
	}
	for _, n := range names {
		if err := d.fs.RemoveAll(d.name(path.Join(folder, n))); err != nil {
			return fmt.Errorf("remove %s: %w", path.Join(folder, n), err)
		}
	}
	return d.syncDir(folder)
}

// cleanEntry returns a line of the ledger without what is purged.
func cleanEntry(p *tree.Purge, raw []byte) ([]byte, error) {
	var e tree.Entry
	if err := decode(raw, &e); err != nil {
		return nil, err
	}
	if !p.Clean(&e) {
		return raw, nil
	}
	return encode(&e)
}

// cleanLetter returns a dead letter without what is purged.
func cleanLetter(p *tree.Purge, raw []byte) ([]byte, error) {
	var l tree.DeadLetter
	if err := decode(raw, &l); err != nil {
		return nil, err
	}
	if !p.CleanLetter(&l) {
		return raw, nil
	}
	key, err := encode(l.Evaluation.ID)
	if err != nil {
		return nil, err
	}
	return []byte(`{"key":` + string(key) + `,"why":` + strconv.Quote(l.Why) + `,"evaluation":{"id":` + string(key) +
		`,"prompt":""}}`), nil
}

// applyPurge has a repair write the ledger and the dead letters without what was purged.
func (s *salvage) applyPurge(b []byte) error { return s.state.applyPurge(b) }
