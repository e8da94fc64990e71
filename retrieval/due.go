package retrieval

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"slices"
	"sync"

	"github.com/memtree/memtree/internal/piece"
)

// mergeAtOnce is the largest number of live nodes that an update merges itself, which takes some milliseconds. Larger
// segments wait for Merge.
const mergeAtOnce = 1024

// maxParts is the number of segments from which on an update does all merges itself, because Merge is too slow, or is
// not called.
const maxParts = 64

// due returns the parts to merge next, see piece.Due; from is -1 if there are none.
func (st *indexState) due(most int, busy []*segment) (from, to int) {
	return piece.Due(len(st.parts), most,
		func(i int) piece.Size {
			return piece.Size{Live: st.parts[i].n - st.parts[i].gone, Dead: st.parts[i].gone}
		},
		func(i int) bool { return slices.Contains(busy, st.parts[i].segment) })
}

// never does not stop a merge.
func never() error { return nil }

// compact does the merges that are due of at most most live nodes, and drops segments without live nodes. Where a file
// for a merge cannot be written, the segments stay as they are.
func (st *indexState) compact(most int, busy []*segment, in room) error {
	st.parts = slices.DeleteFunc(st.parts, func(p part) bool { return p.n == p.gone && !slices.Contains(busy, p.segment) })
	if len(st.parts) > maxParts {
		most = maxSlots
	}
	for {
		from, to := st.due(most, busy)
		if from < 0 {
			return nil
		}
		s, _, err := merge(never, st.parts[from:to], in)
		if _, full := errors.AsType[*fs.PathError](err); full {
			return nil
		}
		if err != nil {
			return err
		}
		st.parts = slices.Replace(st.parts, from, to, wholePart(s))
	}
}

// Due reports whether Merge has something to merge.
func (ix *Index) Due() bool {
	from, _ := ix.state.Load().due(maxSlots, nil)
	return from >= 0
}

// Merge does one merge that is too large for Update, and reports whether one was due. It may take seconds. Searches do
// not wait for it; updates may wait at its end. After an error, such as the end of ctx or a full disk, the index is as
// before. Only one goroutine at a time may call it.
func (ix *Index) Merge(ctx context.Context) (bool, error) {
	ix.writer.Lock()
	st := ix.state.Load()
	from, to := st.due(maxSlots, nil)
	if from < 0 {
		ix.writer.Unlock()
		return false, nil
	}
	parts := slices.Clone(st.parts[from:to])
	for i := range parts {
		ix.merging = append(ix.merging, parts[i].segment)
	}
	ix.writer.Unlock()

	s, slots, err := merge(ctx.Err, parts, ix.room)

	ix.writer.Lock()
	defer ix.writer.Unlock()
	ix.merging = nil
	if err != nil {
		return false, fmt.Errorf("merge the index: %w", err)
	}
	next, err := ix.state.Load().exchange(parts, s, slots)
	if err != nil {
		return false, fmt.Errorf("merge the index: %w", err)
	}
	ix.state.Store(next)
	return true, nil
}

// exchange returns a state with s in place of the parts that it was made of. Slots of these that have died since are
// dead in s too; slots has their numbers there.
func (st *indexState) exchange(parts []part, s *segment, slots [][]int32) (*indexState, error) {
	next := &indexState{parts: slices.Clone(st.parts), version: st.version, note: st.note, changes: st.changes}
	at := slices.IndexFunc(next.parts, func(p part) bool { return p.segment == parts[0].segment })
	merged := wholePart(s)
	for i := range parts {
		was, now := &parts[i], &next.parts[at+i] // an update merges no busy segments, so they are still in a row
		for w := range now.dead {
			died := now.dead[w]
			if was.dead != nil {
				died &^= was.dead[w]
			}
			for ; died != 0; died &= died - 1 {
				if err := merged.kill(int(slots[i][64*w+bits.TrailingZeros64(died)])); err != nil {
					return nil, err
				}
			}
		}
	}
	next.parts = slices.Replace(next.parts, at, at+len(parts), merged)
	next.count()
	return next, nil
}

// kill marks a live slot dead in a part that is not published yet.
func (p *part) kill(slot int) error {
	if p.dead == nil {
		p.dead, p.counted = make([]uint64, (p.n+63)/64), &sync.Map{}
	}
	return p.markDead(slot)
}
