package memtree

import (
	"errors"
	"slices"

	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/llm/meter"
	"github.com/memtree/memtree/store"
)

// Health is the state of a memory since Open.
type Health struct {
	Embedder  string              // id of the embedding model
	Memories  int                 // number of searchable memories
	Vectors   int                 // number of these with a vector of the embedder
	Note      string              // why memories, or some of them, are found lexically only; "" if all have vectors
	Asks      bool                // a model for reading is configured
	Model     error               // after it the model is no longer called, until a person fixes it; nil: it is called
	Following *store.Following    // how far this process has followed a shared store; nil for a store of its own
	Damage    error               // of a store open for reading only, and of what is held beside the tree; nil: none
	Spent     meter.Totals        // the usage of models since counting began beside the store, including earlier processes
	Formed    formation.CaseTally // new cases, by analyst and by what is known of their causes

	Guidance, Trials, Runs int64 // failed answers, lost lines of the ledger, wrapped runs that were not recorded
	Conflicts              int64 // plans that were made again, with nothing lost
}

// Health returns the state of the memory since Open. Advanced.
func (m *Memory) Health() Health {
	ix := m.core.Index().Stats()
	guidance, runs, entries := m.harness.Failures()
	h := Health{
		Asks: m.opts.Generator != nil, Embedder: m.core.Embedder().ID(), Memories: ix.Nodes, Vectors: ix.Vectors,
		Note: m.core.Note(ix), Formed: m.intake.Formed(), Spent: m.learned.spent.Total(),
		Guidance: m.counts.guideFailures.Load() + guidance, Trials: m.counts.trialsLost.Load() + entries,
		Runs: runs, Conflicts: m.core.Conflicts(),
	}
	if s, ok := m.store.(store.Shared); ok {
		h.Following = new(s.Following())
	}
	if m.halt != nil {
		if e := m.halt.Halted(); e != nil {
			h.Model = e
		}
	}
	if s, ok := m.store.(interface{ Damage() error }); ok {
		h.Damage = s.Damage()
	}
	h.Damage = errors.Join(slices.Concat([]error{h.Damage}, m.learned.lost)...)
	return h
}
