// Package inbox keeps judged runs whose truth nobody has told, so that a person can tell it: what the agent was
// asked, and what it said. The ledger of a tree knows that there was such a run, and no more.
//
// It is derived data beside the store, bounded, oldest out: it can be lost, and then the run has to be handed in
// again to be labelled.
package inbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/memtree/memtree/tree"
)

// name is what it is kept under among a store's derived data.
const name = "inbox"

// The bounds of what is kept.
const (
	MostRuns  = 20_000    // runs
	MostBytes = 64 << 20  // of all runs
	MostRun   = 256 << 10 // of one run; a longer one is not kept
	ToldFor   = 7 * 24 * time.Hour

	saveEvery = 10 * time.Second // while runs keep coming: a crash loses those of so long
)

// Box holds runs. It is safe for concurrent use.
type Box struct {
	store tree.Store

	mu    sync.Mutex
	runs  map[string]*kept
	bytes int
	seq   uint64    // of the last run that came
	dirty bool      // there is something to save
	saved time.Time // last
}

// kept is one run as it lies in the box.
type kept struct {
	Told       time.Time       `json:"told,omitzero"`    // when its truth was told; zero: nobody told it
	Skipped    bool            `json:"skipped,omitzero"` // a person could not say, so it comes last
	Evaluation tree.Evaluation `json:"evaluation"`

	seq  uint64
	size int
}

// Open reads what is kept beside a store. What cannot be read is lost, and the error says why; the box can be used
// all the same.
func Open(ctx context.Context, s tree.Store) (*Box, error) {
	b := &Box{store: s, runs: map[string]*kept{}}
	d, err := tree.OpenDerived(ctx, s, name)
	if errors.Is(err, tree.ErrNotFound) {
		return b, nil
	}
	if err != nil {
		return b, fmt.Errorf("open the inbox: %w", err)
	}
	err = b.read(io.NewSectionReader(d, 0, d.Size))
	if err = errors.Join(err, d.Closer.Close()); err != nil {
		return b, fmt.Errorf("open the inbox: %w", err)
	}
	return b, nil
}

// Put keeps a run without a truth. A run that is there already, or is too long, is left out.
func (b *Box) Put(e *tree.Evaluation) {
	k := &kept{Evaluation: *e}
	k.Evaluation.ID = e.Key()
	k.size = sizeOf(k)
	if k.size > MostRun {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.runs[k.Evaluation.ID] == nil {
		b.put(k)
		b.shrink()
	}
}

func (b *Box) put(k *kept) {
	b.seq++
	k.seq = b.seq
	b.runs[k.Evaluation.ID] = k
	b.bytes += k.size
	b.dirty = true
}

// Tell notes what a verdict of the ledger says: that the truth of a run is told now, or that it was taken back.
// A run whose truth is told is kept for [ToldFor], for a person who takes it back.
func (b *Box) Tell(v *tree.Verdict, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.runs[v.Evaluation]
	switch {
	case k == nil:
		return
	case v.Labelled && k.Told.IsZero():
		k.Told, b.dirty = now.UTC(), true
	case !v.Labelled && !k.Told.IsZero():
		k.Told, b.dirty = time.Time{}, true
	}
}

// Get returns a run by the key of its evaluation, also one whose truth is told, if it is kept.
func (b *Box) Get(key string) (tree.Evaluation, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.runs[key]
	if k == nil {
		return tree.Evaluation{}, false
	}
	return k.Evaluation, true
}

// All returns all runs that are kept, in the order in which they came.
func (b *Box) All() []tree.Evaluation {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []tree.Evaluation
	for _, k := range b.sorted() {
		out = append(out, k.Evaluation)
	}
	return out
}

// Skip puts a run that waits behind the others, or back among them. It reports whether the run waits.
func (b *Box) Skip(key string, skipped bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.runs[key]
	if k == nil || !k.Told.IsZero() {
		return false
	}
	b.dirty = b.dirty || k.Skipped != skipped
	k.Skipped = skipped
	return true
}

// Run is one that waits.
type Run struct {
	*tree.Evaluation      // not to be changed
	Skipped          bool // it comes last
}

// Waiting returns the runs whose truth nobody has told and that are chosen, the newest first. A nil choose takes all.
func (b *Box) Waiting(choose func(*tree.Evaluation) bool) []Run {
	b.mu.Lock()
	all := make([]*kept, 0, len(b.runs))
	for _, k := range b.runs {
		if k.Told.IsZero() {
			all = append(all, k)
		}
	}
	out := make([]Run, 0, len(all))
	slices.SortFunc(all, func(x, y *kept) int {
		return cmp.Or(y.Evaluation.At.Compare(x.Evaluation.At), cmp.Compare(y.seq, x.seq))
	})
	for _, k := range all {
		out = append(out, Run{&k.Evaluation, k.Skipped})
	}
	b.mu.Unlock()
	if choose == nil {
		return out
	}
	return slices.DeleteFunc(out, func(r Run) bool { return !choose(r.Evaluation) })
}

// Purge removes runs, and has the next Save write the rest even if it was saved before.
func (b *Box) Purge(keys []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, key := range keys {
		b.drop(key)
	}
	b.dirty, b.saved = true, time.Time{}
}

func (b *Box) drop(key string) {
	if k := b.runs[key]; k != nil {
		b.bytes -= k.size
		b.dirty = true
		delete(b.runs, key)
	}
}

// shrink drops what is over the bounds: first those whose truth is told, then the oldest.
func (b *Box) shrink() {
	if len(b.runs) <= MostRuns && b.bytes <= MostBytes {
		return
	}
	all := b.sorted()
	slices.SortStableFunc(all, func(x, y *kept) int {
		switch {
		case x.Told.IsZero() == y.Told.IsZero():
			return 0
		case y.Told.IsZero():
			return -1
		}
		return 1
	})
	// A tenth more than must be is dropped, so that not every run that comes has all of them sorted.
	for _, k := range all {
		if len(b.runs) <= MostRuns*9/10 && b.bytes <= MostBytes*9/10 {
			return
		}
		b.drop(k.Evaluation.ID)
	}
}

// sorted returns all runs in the order in which they came.
func (b *Box) sorted() []*kept {
	all := make([]*kept, 0, len(b.runs))
	for _, k := range b.runs {
		all = append(all, k)
	}
	slices.SortFunc(all, func(x, y *kept) int { return cmp.Compare(x.seq, y.seq) })
	return all
}
