package move

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"io"
	"iter"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// Sum returns the hash and the counts of everything that Copy copies. Equal content has an equal hash in every kind of
// store. Neither the version nor data that can be built again is part of the hash.
func Sum(ctx context.Context, s store.Movable) (Copied, error) { return sum(ctx, s, func() {}) }

// sum is Sum, and calls tick for each value that is read.
func sum(ctx context.Context, s store.Movable, tick func()) (Copied, error) {
	var r Copied
	h := sha256.New()
	err := sumAll(h, "memories", s.Scan(ctx, store.Filter{}), tick, &r.Nodes)
	if err == nil {
		err = sumAll(h, "ledger", s.Ledger(ctx, 0), tick, &r.Entries)
	}
	if err == nil {
		err = sumAll(h, "outbox", s.Outbox(ctx), tick, &r.Waiting)
	}
	if err == nil {
		err = sumAll(h, "letters", letters(ctx, s), tick, &r.Letters)
	}
	if err == nil {
		err = sumAll(h, "known", s.Known(ctx), tick, &r.Known)
	}
	if err == nil {
		err = sumBeside(ctx, h, s)
	}
	if err != nil {
		return r, err
	}
	pictures, err := s.Pictures(ctx)
	for _, p := range pictures {
		r.Pictures++
		_, _ = io.WriteString(h, p.SHA256) // a hash does not fail
	}
	r.SHA256 = hex.EncodeToString(h.Sum(nil))
	return r, err
}

// sumAll adds the JSON of a sequence, a value a line.
func sumAll[T any](h hash.Hash, name string, all iter.Seq2[T, error], tick func(), n *int) error {
	_, _ = io.WriteString(h, name+"\n") // a hash does not fail
	enc := json.NewEncoder(h)
	for v, err := range all {
		if err != nil {
			return err
		}
		if err := enc.Encode(v); err != nil {
			return err
		}
		*n++
		tick()
	}
	return nil
}

func sumBeside(ctx context.Context, h hash.Hash, s store.Movable) error {
	names, err := s.Beside(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		d, err := s.OpenDerived(ctx, name)
		if errors.Is(err, tree.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		_, _ = io.WriteString(h, name+"\n") // a hash does not fail
		_, err = io.Copy(h, io.NewSectionReader(d, 0, d.Size))
		if err = errors.Join(err, d.Closer.Close()); err != nil {
			return err
		}
	}
	return nil
}
