package memtree

import (
	"errors"
	"slices"

	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/llm/meter"
	"github.com/memtree/memtree/store"
)

// Health is the state of an open memory; all counts but Spent begin at Open.
type Health struct {
	Embedder  string              // id of the embedding model
	Memories  int                 // number of searchable memories
	Vectors   int                 // number of memories with a vector of the embedder
	Note      string              // why some or all memories are found by their words only; "": nothing is wrong
	Asks      bool                // Options.Generator is set
	Model     error               // why the model is no longer called; nil: it is called
	Following *store.Following    // how far this process has followed a shared store; nil: the store is not shared
	Damage    error               // damage of a read-only store, and of files beside the tree; nil: none
	Spent     meter.Totals        // the usage of models, including that of earlier processes
	Formed    formation.CaseTally // new cases, by analyst and by what is known of their causes

	GuideFailures, TrialsLost, RunsLost int64 // failures: of Guide, of writing the ledger, of recording the runs of Wrap
	Conflicts                           int64 // how often changes were planned again because another writer was first
}

// Health returns the state of the memory. Advanced.
func (m *Memory) Health() Health {
	m.refresh(m.learned.spent, m.learned.habits)
	ix := m.core.Index().Stats()
	guidance, runs, entries := m.harness.Failures()
	h := Health{
		Asks: m.opts.Generator != nil, Embedder: m.core.Embedder().ID(), Memories: ix.Nodes, Vectors: ix.Vectors,
		Note: m.core.Note(ix), Formed: m.intake.Formed(), Spent: m.learned.spent.Total(),
		GuideFailures: m.counts.guideFailures.Load() + guidance, TrialsLost: m.counts.trialsLost.Load() + entries,
		RunsLost: runs, Conflicts: m.core.Conflicts(),
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
