package memtree

import "github.com/memtree/memtree/formation"

// Health is how memory has fared since Open.
type Health struct {
	Embedder string          // that gives texts their meaning
	Note     string          // why memories are found by words alone, or some of them; "": all is as it should be
	Damage   error           // what cannot be read of a store open for reading, a *tree.CorruptError; nil: nothing
	Formed   formation.Tally // the new cases, by who read them and what is known of their causes

	// What failed so that runs could go on: answers, ledger lines, and wrapped runs that
	// were not recorded. Conflicts are plans that were made again; nothing is lost by them.
	Guidance, Trials, Runs, Conflicts int64
}

// Health says how memory has fared since Open. Advanced.
func (m *Memory) Health() Health {
	h := Health{
		Embedder: m.opts.Embedder.ID(), Note: m.note(), Formed: m.outbox.tally(),
		Guidance: m.counts.guideFailures.Load(), Trials: m.counts.trialsLost.Load(),
		Runs: m.counts.runsLost.Load(), Conflicts: m.counts.conflicts.Load(),
	}
	if s, ok := m.store.(interface{ Damage() error }); ok {
		h.Damage = s.Damage()
	}
	return h
}
