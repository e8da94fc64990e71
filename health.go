package memtree

import "github.com/memtree/memtree/formation"

// Health is how memory has fared since Open.
type Health struct {
	Embedder string          // that gives texts their meaning
	Note     string          // why memories, or some of them, are found by words alone; "": they are not
	Damage   error           // what cannot be read of a store that is open for reading; nil: nothing
	Formed   formation.Tally // new cases, by who read them and what is known of their causes

	Guidance, Trials, Runs int64 // failed answers, lost lines of the ledger, wrapped runs that were not recorded
	Conflicts              int64 // plans that were made again, with nothing lost
}

// Health says how memory has fared since Open. Advanced.
func (m *Memory) Health() Health {
	h := Health{
		Embedder: m.opts.Embedder.ID(), Note: m.vectorNote(), Formed: m.outbox.tally(),
		Guidance: m.counts.guideFailures.Load(), Trials: m.counts.trialsLost.Load(),
		Runs: m.counts.runsLost.Load(), Conflicts: m.counts.conflicts.Load(),
	}
	if s, ok := m.store.(interface{ Damage() error }); ok {
		h.Damage = s.Damage()
	}
	return h
}
