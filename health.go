package memtree

import (
	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/llm/meter"
)

// Health is how memory has fared since Open.
type Health struct {
	Embedder string          // that gives texts their meaning
	Memories int             // that can be found
	Vectors  int             // of them that have a vector of the embedder
	Note     string          // why memories, or some of them, are found by words alone; "": they are not
	Asks     bool            // there is a model to read with
	Model    error           // for which the model is called no more, until somebody mends it; nil: it is called
	Damage   error           // what cannot be read of a store that is open for reading; nil: nothing
	Spent    meter.Totals    // what models were asked since the first count beside the store, in earlier times too
	Formed   formation.Tally // new cases, by who read them and what is known of their causes

	Guidance, Trials, Runs int64 // failed answers, lost lines of the ledger, wrapped runs that were not recorded
	Conflicts              int64 // plans that were made again, with nothing lost
}

// Health says how memory has fared since Open. Advanced.
func (m *Memory) Health() Health {
	ix := m.core.Index().Stats()
	h := Health{
		Asks: m.opts.Generator != nil, Embedder: m.core.Embedder().ID(), Memories: ix.Nodes, Vectors: ix.Vectors,
		Note: m.core.Note(ix), Formed: m.outbox.tally(), Spent: m.learned.spent.Total(),
		Guidance: m.counts.guideFailures.Load(), Trials: m.counts.trialsLost.Load(),
		Runs: m.counts.runsLost.Load(), Conflicts: m.core.Conflicts(),
	}
	if m.halt != nil {
		if e := m.halt.Halted(); e != nil {
			h.Model = e
		}
	}
	if s, ok := m.store.(interface{ Damage() error }); ok {
		h.Damage = s.Damage()
	}
	return h
}
