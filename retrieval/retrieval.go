// Package retrieval finds the memories that fit a prompt, and says why.
//
// Four channels speak for a memory: the exact place (scene id and route
// pattern), the meaning of the prompt (words and vectors, fused), the checks that
// the prompt calls for, and the type of the scene. The second and the third are
// reasons to give it; the others only raise what has one. Their evidence joins as
// rel = 1 − Π(1 − weight·s); what passes
// the threshold of its level is ranked by how far it is trusted and how recent
// it is, thinned out, and cut to a few. Nothing above the threshold is a normal
// answer: then the result abstains and names what came nearest.
//
// An [Index] is derived data: it can be made again from the nodes at any time.
// It is a short list of immutable segments (segment.go) behind one atomic
// pointer. Search takes no lock. Update writes a small new segment, publishes
// it, and merges segments of like size, so that a node is rewritten about
// log(n) times in all; the results do not depend on how the nodes came in.
package retrieval

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/memtree/memtree/cue"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/taxonomy"
)

// Index finds live nodes. It is safe for concurrent use: searches never wait,
// updates wait for each other.
type Index struct {
	tax    *taxonomy.Taxonomy
	checks func() *cue.Catalogue // compiled for the first search
	model  llm.Embedder          // nil: words only

	writer  sync.Mutex // held while a new state is made from the last
	state   atomic.Pointer[indexState]
	turns   atomic.Pointer[rotation] // of the vectors' length, once that is known
	scratch sync.Pool                // of *scratch
}

// indexState is one version of the index; it never changes once published.
type indexState struct {
	parts   []part
	version uint64
	live    int   // nodes that can be found
	length  int64 // their tokens together
	vectors int   // of them, how many have one
	slots   int   // in all parts, dead ones too
	note    string
}

// part is a segment and which of its slots no longer count.
type part struct {
	*segment
	base    int      // of its slots among those of all parts
	dead    []uint64 // one bit a slot; nil: all live
	gone    int      // bits set in dead
	length  int64    // tokens of the live slots together
	vectors int      // live slots with a vector
}

func (p *part) isDead(slot int) bool {
	return p.dead != nil && p.dead[slot>>6]>>(slot&63)&1 != 0
}

// New returns an empty index. tax may be nil: then scene types have no parents
// and no aliases, and no checks are read from prompts. e may be nil: then words alone decide.
func New(tax *taxonomy.Taxonomy, e llm.Embedder) *Index {
	ix := &Index{tax: tax, model: e, checks: cue.Of(tax)}
	ix.state.Store(&indexState{})
	return ix
}

// Fork returns an index of its own that holds what ix holds now, at no cost:
// what both have never changes.
func (ix *Index) Fork() *Index {
	f := New(ix.tax, ix.model)
	f.checks = ix.checks
	f.turns.Store(ix.turns.Load())
	f.state.Store(ix.state.Load())
	return f
}

// Version returns the version given to the last Update, or kept by Save.
func (ix *Index) Version() uint64 { return ix.state.Load().version }

// Stats is what an index holds, in numbers.
type Stats struct {
	Nodes    int    // that can be found
	Vectors  int    // of them, with a vector
	Segments int    //
	Bytes    int64  // in memory or on disk
	Note     string // why there are fewer vectors than nodes, when that has a reason to tell
}

// Stats returns what the index holds. Vectors < Nodes although there is an
// embedder means that it failed, or that the index was kept under another one:
// a new index, updated with all nodes, has them.
func (ix *Index) Stats() Stats {
	st := ix.state.Load()
	s := Stats{Nodes: st.live, Vectors: st.vectors, Segments: len(st.parts), Note: st.note}
	for _, p := range st.parts {
		s.Bytes += p.size()
	}
	return s
}

// Has reports whether the index can find this revision of a node.
func (ix *Index) Has(id string, revision int) bool {
	at, ok, err := ix.state.Load().find(id)
	if err != nil || !ok {
		return false
	}
	m, err := at.meta()
	return err == nil && m.revision == revision
}

// slotRef is a slot of a part.
type slotRef struct {
	part *part
	slot int
}

func (p slotRef) meta() (nodeTraits, error) { return p.part.meta(p.slot) }

// find returns where the live node with the id is.
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

// Search answers q with the memories to show, best first.
func (ix *Index) Search(ctx context.Context, q Query) (Result, error) {
	return ix.answer(ctx, &q, false)
}

// Explain answers as Search does and lists every candidate with its signals,
// whether it was taken, and why or why not.
func (ix *Index) Explain(ctx context.Context, q Query) (Result, error) {
	return ix.answer(ctx, &q, true)
}
