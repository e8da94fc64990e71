package jsonstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/store/move"
	"github.com/memtree/memtree/tree"
)

// Folder is a new store of JSON files that receives the content of another store; it implements move.Target. For the
// folder DIR, it writes to DIR.moving, which Finish renames to DIR. A move never continues an earlier one: it first
// removes what that left in DIR.moving.
type Folder struct {
	*Store
	dir string
}

var _ move.Target = (*Folder)(nil)

// beginning is the end of the name of a folder that is not complete.
const beginning = ".moving"

// NewFolder begins a store with the given origin, for the folder dir, which must not exist. Processes that find the
// store locked get now as store.LockedError.Started.
func NewFolder(ctx context.Context, dir string, origin tree.Origin, now time.Time) (*Folder, error) {
	if _, err := os.Lstat(dir); err == nil {
		return nil, &store.FormatError{Dir: dir, Problem: "exists already; move to a folder that does not"}
	}
	_, absent := os.Lstat(dir + beginning)
	// Another move holds the lock of its store.
	s, err := OpenDir(ctx, dir+beginning, Options{Started: now, Origin: origin})
	if err == nil && absent == nil { // an earlier move left it; it may be of another tree
		if err = errors.Join(s.Close(), os.RemoveAll(dir+beginning)); err == nil {
			s, err = OpenDir(ctx, dir+beginning, Options{Started: now, Origin: origin})
		}
	}
	if err != nil {
		return nil, err
	}
	return &Folder{s, dir}, nil
}

// Reached returns the zero value, because every move into a folder begins anew.
func (f *Folder) Reached(context.Context) (move.Reached, error) { return move.Reached{}, nil }

// Drop does nothing, because the next move begins anew in any case.
func (f *Folder) Drop(context.Context) error { return nil }

// PutNodes adds nodes as they are, with their revisions. See move.Target.
func (f *Folder) PutNodes(ctx context.Context, part []tree.Node) error {
	for len(part) > 0 {
		var changes [][]byte
		size, n := 0, 0
		for ; n < len(part) && (n == 0 || size < maxMoved); n++ {
			raw, err := encodeChange(&tree.Change{Op: tree.OpAdd, Node: part[n], Why: "moved here", By: "transfer",
				Basis: map[string]int{part[n].ID: part[n].Revision - 1}, Key: part[n].LastChange})
			if err != nil {
				return err
			}
			changes, size = append(changes, raw), size+len(raw)
		}
		// Not by Commit, which would look for the revisions before.
		if err := f.write(ctx, func(st *state) ([]byte, error) {
			b := appendList(strconv.AppendUint([]byte(`{"version":`), st.Version+1, 10), "changes", changes)
			return append(b, '}'), nil
		}); err != nil {
			return err
		}
		part = part[n:]
	}
	return nil
}

// maxMoved is about how many bytes of nodes are written at once.
const maxMoved = 4 << 20

// PutEntries adds entries of the ledger. Their numbers must follow those already there.
func (f *Folder) PutEntries(ctx context.Context, part []ledger.Entry) error {
	info, err := f.Info(ctx)
	if err != nil {
		return err
	}
	if part[0].Seq != info.Entries+1 {
		return fmt.Errorf("the ledger goes on with number %d after %d", part[0].Seq, info.Entries)
	}
	_, err = f.Commit(ctx, store.Batch{Entries: part})
	return err
}

// PutOutbox adds evaluations to the outbox. See move.Target.
func (f *Folder) PutOutbox(ctx context.Context, part []tree.Evaluation) error {
	receipts, err := f.Accept(ctx, part)
	for _, r := range receipts {
		if r.Status != store.Accepted {
			return fmt.Errorf("evaluation %q of the outbox is a %s", r.Key, r.Status)
		}
	}
	return err
}

// PutLetters adds dead letters. See move.Target.
func (f *Folder) PutLetters(ctx context.Context, part []store.DeadLetter) error {
	for i := range part {
		if _, err := f.Accept(ctx, []tree.Evaluation{part[i].Evaluation}); err != nil {
			return err
		}
		if _, err := f.Commit(ctx, store.Batch{Dead: part[i : i+1]}); err != nil {
			return err
		}
	}
	return nil
}

// PutKnown adds what the source remembers of accepted keys. It is durable after Finish only. See move.Target.
func (f *Folder) PutKnown(ctx context.Context, part []store.KnownKey) error {
	return f.importKnown(ctx, part)
}

// Finish writes a snapshot, closes the store and renames its folder to the name given to NewFolder.
func (f *Folder) Finish(ctx context.Context, _ store.Info) error {
	if err := f.Compact(ctx); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.dir+beginning, f.dir); err != nil {
		return fmt.Errorf("put the folder in its place: %w", err)
	}
	return nil
}
