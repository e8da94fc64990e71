package jsonstore

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strconv"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
)

// A purge is a member of a journal line: once that line is durable, the store has to remove the bytes. It removes
// derived data and the files in broken/, and writes a snapshot with cleaned ledger and dead letters; that replaces all
// journals, including the line. An open that finds the line finishes the purge.

// applyPurge records the purge of a journal line.
func (st *state) applyPurge(b []byte) error {
	var p store.Purge
	if err := json.Unmarshal(b, &p); err != nil {
		return fmt.Errorf("%w: its purge", errJSON)
	}
	st.purge = st.purge.With(p)
	return nil
}

// finishPurge removes the purged bytes, or returns a *store.UnfinishedPurgeError.
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
		return fmt.Errorf("purge: %w", &store.UnfinishedPurgeError{Cause: err})
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

// cleanEntry returns a line of the ledger without purged content.
func cleanEntry(p *store.Purge, raw []byte) ([]byte, error) {
	var e ledger.Entry
	if err := decode(raw, &e); err != nil {
		return nil, err
	}
	if !p.Clean(&e) {
		return raw, nil
	}
	return encode(&e)
}

// cleanLetter returns a dead letter without purged content.
func cleanLetter(p *store.Purge, raw []byte) ([]byte, error) {
	var l store.DeadLetter
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

// applyPurge makes a repair write the ledger and the dead letters without purged content.
func (s *salvage) applyPurge(b []byte) error { return s.state.applyPurge(b) }
