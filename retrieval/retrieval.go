// Package retrieval finds the memories that fit a prompt, and gives the reasons.
//
// Four channels give evidence for a memory: the exact place (scene id and route pattern), the meaning of the prompt
// (tokens and vectors, fused), its task (checks.go), and the type of the scene. Meaning and task are reasons to take a
// memory, and at the same place a weaker meaning is reason enough. Place and scene type alone are none; they raise a
// memory that has a reason. With s as the evidence of a channel, 0 to 1, the channels combine to rel = 1 −
// Π(1 − weight·s), where only the stronger of meaning and task enters. The memories of each level with the most
// evidence are the candidates. Those with a reason and a rel that reaches the threshold of their level are ranked by
// rel, by trust and by age; those that repeat others are dropped, and the best few are taken. Often no candidate
// reaches its threshold. Then the result abstains and names the nearest one.
//
// An [Index] is derived data: it can be built again from the nodes at any time. It is a short list of immutable
// segments (segment.go) behind one atomic pointer. Search waits for no update. Update writes a small new segment,
// publishes it, and merges small segments of similar size; Merge does so with large ones, beside searches and updates.
// So a node is rewritten about log(n) times in all. The results do not depend on the order of insertion, nor on what
// is merged. An index is stored in pieces (pieces.go), so that an update writes only what is new.
//
// Where to look:
//   - search.go, sweep.go: one search, and the scores of all slots
//   - scan.go, scan_order.go, rank.go, choose.go: its candidates, their order, and which are taken
//   - calibrate.go, fit.go, around.go: the weights of the channels
//   - words.go, dense.go, scene.go, checks.go: a channel each; kernel.go: the loops over vectors
//   - why.go, signals.go, hit.go: the answer and its reasons
//   - build.go, update.go, merge.go, due.go: segments being made, in memory or in a file, and which are merged
//   - pieces.go, partlist.go, segment_file.go: segments on disk
package retrieval

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/memtree/memtree/internal/cue"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/taxonomy"
)

// Index finds live nodes. It is safe for concurrent use: searches wait for no
// update, updates wait for each other.
type Index struct {
	tax    *taxonomy.Taxonomy
	checks func() *cue.Catalogue // compiled for the first search
	model  llm.Embedder          // nil: lexical search only

	alien string // the note of an index with vectors of another embedder; "" for others

	room   room
	atOnce int // the largest number of live nodes that an update merges: mergeAtOnce, less in tests

	writer  sync.Mutex // held while a new state is made from the last
	merging []*segment // those that Merge reads now; guarded by writer
	state   atomic.Pointer[indexState]
	saved   atomic.Pointer[savedState]
	turns   atomic.Pointer[rotation] // for vectors of this index's length; nil until a vector was seen
	scratch sync.Pool                // of *scratch
	answers atomic.Pointer[answers]  // of the present state, or of one before; nil before the first search
}

// indexState is one version of the index; it never changes once published. Whoever reads bytes of its segments keeps it
// alive until then, because they may be those of a mapped file, see [piece.Mapped].
type indexState struct {
	parts   []part
	version uint64
	live    int    // nodes that can be found
	length  int64  // tokens of the live nodes together
	vectors int    // live nodes that have a vector
	slots   int    // slots of all parts, dead ones included
	note    string // why some nodes have no vector; "" when nothing went wrong
	changes uint64 // nodes that updates have changed until now
}

// part is a segment and the set of its dead slots. A slot is dead when its node was
// replaced or can no longer be shown.
type part struct {
	*segment
	base    int       // number of its first slot in the numbering across all parts
	dead    []uint64  // one bit a slot; nil: all live
	gone    int       // bits set in dead
	counted *sync.Map // from the keys of tokens to the number of live slots with them, see living; nil: all live
	length  int64     // tokens of the live slots together
	vectors int       // live slots with a vector, of another embedder too
}

func (p *part) isDead(slot int) bool {
	return p.dead != nil && p.dead[slot>>6]>>(slot&63)&1 != 0
}

// longList is the length of a list from which the number of its live slots is cached.
const longList = 64

// living returns how many slots of the list of a token are live. A query has tokens that half of the memories have; to
// count them each time would take as long as to score them.
func (p *part) living(word uint64, l list) (int, error) {
	if p.gone == 0 {
		return l.n, nil
	}
	if n, ok := p.counted.Load(word); ok {
		return n.(int), nil
	}
	live, long := l.n, l.n >= longList
	for l.n > 0 {
		b, rest, err := p.next(l)
		if err != nil {
			return 0, err
		}
		for ; len(b) >= postingSize; b = b[postingSize:] {
			slot := le32(b)
			if int(slot) >= p.n {
				return 0, p.Damaged(0, "a list names a slot that is not there")
			}
			live -= int(p.dead[slot>>6] >> (slot & 63) & 1)
		}
		l = rest
	}
	if long {
		p.counted.Store(word, live)
	}
	return live, nil
}

// New returns an empty index. tax may be nil: then scene types have no parents and no aliases, and no checks are read
// from prompts. e may be nil: then the search is lexical only, and tasks are read by their words alone.
func New(tax *taxonomy.Taxonomy, e llm.Embedder) *Index {
	ix := &Index{tax: tax, model: e, checks: cue.Of(tax), atOnce: mergeAtOnce}
	if e == nil {
		ix.checks = sync.OnceValue(func() *cue.Catalogue { return cue.Of(tax)().ByWords() })
	}
	ix.state.Store(&indexState{})
	ix.setSaved(ix.state.Load())
	return ix
}

// savedState is the state that was stored last, or the first one. It does not hold its segments.
type savedState struct {
	of      weak.Pointer[indexState]
	changes uint64
}

func (ix *Index) setSaved(st *indexState) { ix.saved.Store(&savedState{weak.Make(st), st.changes}) }

// Fork returns a second index with the present content of ix. It copies no data, because
// the segments that both share never change. Updates of one do not touch the other.
func (ix *Index) Fork() *Index {
	f := New(ix.tax, ix.model)
	f.checks, f.alien, f.room = ix.checks, ix.alien, ix.room
	f.turns.Store(ix.turns.Load())
	f.state.Store(ix.state.Load())
	f.saved.Store(ix.saved.Load())
	return f
}

// Version returns the version given to the last Update or Take, or that of the loaded pieces.
func (ix *Index) Version() uint64 { return ix.state.Load().version }

// IndexStats holds the sizes of an index.
type IndexStats struct {
	Nodes    int    // nodes that can be found
	Vectors  int    // nodes of Nodes that have a vector
	Segments int    // segments that the index consists of
	Bytes    int64  // size of the segments, in memory or on disk
	Note     string // why some nodes have no vector; "" when nothing went wrong
}

// Stats returns the sizes of the index. If Vectors < Nodes although there is an embedder, the embedder failed or has no
// vector for some texts, or the index was saved with another embedder.
func (ix *Index) Stats() IndexStats {
	st := ix.state.Load()
	s := IndexStats{Nodes: st.live, Vectors: st.vectors, Segments: len(st.parts), Note: st.note}
	for _, p := range st.parts {
		s.Bytes += p.Size()
	}
	return s
}

// Has reports whether the index can find this revision of a node. It is false when the
// index cannot be read.
func (ix *Index) Has(id string, revision int) bool {
	st := ix.state.Load()
	defer runtime.KeepAlive(st)
	at, ok, err := st.find(id)
	if err != nil || !ok {
		return false
	}
	m, err := at.meta()
	return err == nil && m.revision == revision
}

// Dims returns the length of the vectors, 0 if there are none yet.
func (ix *Index) Dims() int {
	if r := ix.turns.Load(); r != nil {
		return r.dims
	}
	return 0
}

// Bare returns the ids of the nodes that have no vector of the present embedder.
func (ix *Index) Bare() ([]string, error) {
	var ids []string
	st := ix.state.Load()
	defer runtime.KeepAlive(st)
	for i := range st.parts {
		p := &st.parts[i]
		if p.vectors == p.n-p.gone && !p.alien {
			continue // all have one
		}
		heads, err := p.heads()
		if err != nil {
			return nil, fmt.Errorf("find what lacks a vector: %w", err)
		}
		for slot := range p.n {
			if p.isDead(slot) || readHead(heads[slot*headSize:]).vector && !p.alien {
				continue
			}
			m, err := p.meta(slot)
			if err != nil {
				return nil, fmt.Errorf("find what lacks a vector: %w", err)
			}
			ids = append(ids, m.id)
		}
	}
	return ids, nil
}

// slotRef is a slot of a part.
type slotRef struct {
	part *part
	slot int
}

// slot returns the slot with a number across all parts.
func (st *indexState) slot(at int) slotRef {
	i := len(st.parts) - 1
	for st.parts[i].base > at {
		i--
	}
	return slotRef{&st.parts[i], at - st.parts[i].base}
}

func (p slotRef) meta() (nodeTraits, error) { return p.part.meta(p.slot) }

// find returns the slot of the live node with the id. Ids are compared by their 64-bit
// keys, so a caller that must be sure compares the id in meta as well. The newest part is
// searched first, because a node that changed lately is there.
func (st *indexState) find(id string) (slotRef, bool, error) {
	k := key(idKind, id)
	for i := len(st.parts) - 1; i >= 0; i-- {
		p := &st.parts[i]
		list, err := p.list(k)
		if err != nil {
			return slotRef{}, false, err
		}
		for slot, err := range p.slots(list) {
			if err != nil {
				return slotRef{}, false, err
			}
			if !p.isDead(slot) {
				return slotRef{p, slot}, true, nil
			}
		}
	}
	return slotRef{}, false, nil
}

// Search answers q with the memories to show, best first. It is safe to call while the index is updated. An error
// means that ctx ended or that the index is damaged; a failed embedder is no error but a Note. The answer to a recent
// equal query comes from a cache, as long as the index has not changed.
func (ix *Index) Search(ctx context.Context, q Query) (Result, error) {
	if err := ctx.Err(); err != nil {
		return Result{}, fmt.Errorf("search: %w", err)
	}
	q.Now = q.Now.Truncate(ageUnit)
	st := ix.state.Load()
	return ix.answersOf(st).search(&q, func() (Result, error) { return ix.answer(ctx, st, &q, false) })
}

// Explain answers as Search does. In addition it lists every candidate with its signals, whether it was taken, and the
// reason.
func (ix *Index) Explain(ctx context.Context, q Query) (Result, error) {
	q.Now = q.Now.Truncate(ageUnit)
	return ix.answer(ctx, ix.state.Load(), &q, true)
}
