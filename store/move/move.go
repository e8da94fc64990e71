// Package move copies a whole store into another one, and proves by a hash that the copy is equal. A store has
// memories, the ledger, the outbox, dead letters, every key that was ever accepted, data that cannot be built again
// ([store.HeldBeside]), and pictures.
//
// Where to look:
//   - move.go: copying; sum.go: the hash
package move

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"strings"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// Target is a new store that receives the content of another one. Copy calls the Put methods in the order of the
// interface, each once per part of up to 1,000 values. It copies derived data and pictures with SaveDerived and
// PutPicture.
type Target interface {
	store.Movable

	// Reached returns what an earlier move that was interrupted has put durably. Copy continues from there.
	Reached(ctx context.Context) (Reached, error)

	PutNodes(ctx context.Context, part []tree.Node) error          // nodes, sorted by id
	PutEntries(ctx context.Context, part []ledger.Entry) error     // entries of the ledger, with their numbers
	PutLetters(ctx context.Context, part []store.DeadLetter) error // dead letters, oldest first
	PutOutbox(ctx context.Context, part []tree.Evaluation) error   // evaluations in the outbox, oldest first
	PutKnown(ctx context.Context, part []store.KnownKey) error     // accepted keys, sorted

	// Drop discards everything that this move and earlier ones have put. It may leave the work to the next move, which
	// then starts from nothing.
	Drop(ctx context.Context) error

	// Finish makes the copy a store that can be opened. info is the summary of the source; the copy may take its version
	// and origin.
	Finish(ctx context.Context, info store.Info) error
}

// Reached is how much of the content a Target has already.
type Reached struct {
	Node   string // id of the last node
	Entry  uint64 // number of the last entry of the ledger
	Known  []byte // the last key; nil: none
	Nodes  int    // number of nodes
	Keys   int    // number of keys
	Outbox int    // number of evaluations in the outbox
	Letter int    // number of dead letters
}

// Copied has the hash of a store's content, and counts what the content consists of.
type Copied struct {
	SHA256   string `json:"sha256"` // hash of the content, see Sum
	Nodes    int    `json:"memories"`
	Entries  int    `json:"entries"`
	Waiting  int    `json:"waiting"` // evaluations in the outbox
	Letters  int    `json:"letters"`
	Known    int    `json:"known"` // accepted keys
	Pictures int    `json:"pictures"`
}

// ErrChanged means that the source was written to during the move.
var ErrChanged = errors.New("the store was written to during the move; stop what writes to it, and move again")

// ErrDiffers means that the copy is not equal to the source, or cannot be read. Copy then drops the copy, see
// Target.Drop.
var ErrDiffers = errors.New("the copy differs from the store, so it is not taken into use")

// partSize is how many values a Put gets.
const partSize = 1000

// Copy copies the store from into to, or continues an earlier copy. It compares the hashes of both, and if they are
// equal, makes the copy a store that can be opened. Nothing may write to the source meanwhile. Copy leaves out dead
// letters that were purged.
//
// Copy calls step to report progress. what is the content that it copies (memories, ledger, letters, outbox, known or
// beside), or verify. done is the number of values so far, and total about how many there are; 0 means unknown.
func Copy(ctx context.Context, from store.Movable, to Target, step func(what string, done, total int)) (Copied, error) {
	before, err := from.Info(ctx)
	if err != nil {
		return Copied{}, fmt.Errorf("move: %w", err)
	}
	if err := copyAll(ctx, from, to, &before, step); err != nil {
		return Copied{}, fmt.Errorf("move: %w", err)
	}
	read := 0
	tick := func() {
		step("verify", read, 2*(before.Nodes+int(before.Entries)+before.Outbox+before.Evaluations)) //nolint:gosec // a count
		read++
	}
	want, err := sum(ctx, from, tick)
	if err != nil {
		return Copied{}, fmt.Errorf("move: %w", err)
	}
	got, unread := sum(ctx, to, tick)
	if unread != nil && (ctx.Err() != nil || errors.Is(unread, store.ErrAway)) {
		return Copied{}, fmt.Errorf("move: %w", unread)
	}
	after, err := from.Info(ctx)
	switch {
	case err != nil:
		return Copied{}, fmt.Errorf("move: %w", err)
	case after.Version != before.Version || after.Evaluations != before.Evaluations || after.Outbox != before.Outbox:
		return Copied{}, ErrChanged
	case unread != nil || got != want:
		return got, errors.Join(ErrDiffers, unread, to.Drop(ctx))
	}
	if err := to.Finish(ctx, after); err != nil {
		return Copied{}, fmt.Errorf("move: %w", err)
	}
	return got, nil
}

func copyAll(ctx context.Context, from store.Movable, to Target, all *store.Info,
	step func(what string, done, total int)) error {
	at, err := to.Reached(ctx)
	if err != nil {
		return err
	}
	ticks := func(what string, done, total int) func(int) {
		step(what, done, total)
		return func(n int) {
			done += n
			step(what, done, total)
		}
	}
	entries := int(all.Entries) //nolint:gosec // a count
	if err := inParts(ctx, from.Scan(ctx, store.Filter{After: at.Node}), 0, to.PutNodes,
		ticks("memories", at.Nodes, all.Nodes)); err != nil {
		return err
	}
	if err := inParts(ctx, from.Ledger(ctx, at.Entry), 0, to.PutEntries,
		ticks("ledger", int(at.Entry), entries)); err != nil { //nolint:gosec // a count
		return err
	}
	if err := inParts(ctx, letters(ctx, from), at.Letter, to.PutLetters,
		ticks("letters", at.Letter, all.Dead)); err != nil {
		return err
	}
	if err := inParts(ctx, from.Outbox(ctx), at.Outbox, to.PutOutbox, ticks("outbox", at.Outbox, all.Outbox)); err != nil {
		return err
	}
	if err := inParts(ctx, knownAfter(ctx, from, at.Known), 0, to.PutKnown,
		ticks("known", at.Keys, all.Evaluations)); err != nil {
		return err
	}
	step("beside", 0, 0)
	if err := copyBeside(ctx, from, to); err != nil {
		return err
	}
	return copyPictures(ctx, from, to)
}

// inParts puts a sequence in parts, without the first skip values. It calls tick with the size of each part.
func inParts[T any](ctx context.Context, all iter.Seq2[T, error], skip int,
	put func(context.Context, []T) error, tick func(int)) error {
	part := make([]T, 0, partSize)
	for v, err := range all {
		if err != nil {
			return err
		}
		if skip > 0 {
			skip--
			continue
		}
		if part = append(part, v); len(part) == partSize {
			if err := put(ctx, part); err != nil {
				return err
			}
			tick(len(part))
			part = part[:0]
		}
	}
	if len(part) == 0 {
		return nil
	}
	return put(ctx, part)
}

// letters yields the dead letters that still hold a run. A purged one is only a key, which is known besides.
func letters(ctx context.Context, s store.Movable) iter.Seq2[store.DeadLetter, error] {
	return func(yield func(store.DeadLetter, error) bool) {
		for l, err := range s.DeadLetters(ctx) {
			if err == nil && l.Evaluation.Prompt == "" {
				continue
			}
			if !yield(l, err) || err != nil {
				return
			}
		}
	}
}

func knownAfter(ctx context.Context, s store.Movable, after []byte) iter.Seq2[store.KnownKey, error] {
	return func(yield func(store.KnownKey, error) bool) {
		for k, err := range s.Known(ctx) {
			if err == nil && string(k.Key[:]) <= string(after) && after != nil {
				continue
			}
			if !yield(k, err) || err != nil {
				return
			}
		}
	}
}

func copyBeside(ctx context.Context, from, to store.Movable) error {
	names, err := from.Beside(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		d, err := from.OpenDerived(ctx, name)
		if errors.Is(err, tree.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if old, err := to.OpenDerived(ctx, name); err == nil {
			_ = old.Closer.Close() // opened, so that it may be saved over
		}
		err = to.SaveDerived(ctx, name, d.Version, func(w io.Writer) error {
			_, err := io.Copy(w, io.NewSectionReader(d, 0, d.Size))
			return err
		})
		if err = errors.Join(err, d.Closer.Close()); err != nil {
			return err
		}
	}
	return nil
}

func copyPictures(ctx context.Context, from, to store.Movable) error {
	all, err := from.Pictures(ctx)
	if err != nil {
		return err
	}
	for _, p := range all {
		b, err := from.Picture(ctx, p.SHA256)
		if err != nil {
			return err
		}
		kind := "image/" + strings.TrimPrefix(path.Ext(p.File), ".")
		if err := to.PutPicture(ctx, tree.Picture{SHA256: p.SHA256, Type: kind, Bytes: len(b)}, b); err != nil {
			return err
		}
	}
	return nil
}
