package memtree

import (
	"context"
	"sync"

	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/taxonomy"
)

// accept hands evaluations to the store, except those whose truth differs from a person's label.
func (m *Memory) accept(ctx context.Context, es []Evaluation) ([]store.Receipt, error) {
	by, err := m.overruled(ctx, es)
	if err != nil {
		return nil, err
	}
	if len(by) == 0 {
		return m.store.Accept(ctx, es)
	}
	out, rest, at := make([]store.Receipt, len(es)), []Evaluation{}, []int{}
	for i := range es {
		if by[i] != "" {
			out[i] = store.Receipt{Key: es[i].Key(), Status: store.Contradiction, By: by[i]}
			continue
		}
		rest, at = append(rest, es[i]), append(at, i)
	}
	if len(rest) == 0 {
		return out, nil
	}
	receipts, err := m.store.Accept(ctx, rest)
	for i := range receipts {
		out[at[i]] = receipts[i]
	}
	return out, err
}

// overruled returns who labelled es[i] otherwise, by i, for each evaluation that brings the first truth of a run which
// a person labelled before. A run that was recorded with a truth is the store's to judge.
func (m *Memory) overruled(ctx context.Context, es []Evaluation) (map[int]string, error) {
	k, ok := m.store.(store.Knower)
	var keys []string
	var at []int
	for i := range es {
		if ok && es[i].Labelled() {
			keys, at = append(keys, es[i].Key()), append(at, i)
		}
	}
	if len(keys) == 0 {
		return nil, nil
	}
	known, err := k.Knows(ctx, keys)
	if err != nil {
		return nil, err
	}
	out, read := map[int]string{}, false
	for n, i := range at {
		if !known[n] {
			continue
		}
		if !read {
			if err := m.labels.read(ctx, m.store); err != nil {
				return nil, err
			}
			read = true
		}
		v, ok := m.labels.of(keys[n])
		if ok && m.differs(&es[i], &v) {
			out[i] = v.By
		}
	}
	return out, nil
}

// differs reports whether the truth of e is not that of v, a person's label of the same run. A truth that rules cannot
// compare with the judgment differs, unless the run may have been recorded with it.
func (m *Memory) differs(e *Evaluation, v *ledger.Verdict) bool {
	d := formation.Detect(e)
	if d.Labelled || d.Direction == taxonomy.Environment {
		return d.Labelled != v.Labelled || d.Correct != v.Correct || d.Direction != v.Direction
	}
	run, kept := m.learned.inbox.Get(e.Key())
	return kept && !run.Labelled()
}

// peoplesLabels are the labels of people in the ledger, as far as it was read. The zero value has read nothing.
type peoplesLabels struct {
	mu       sync.Mutex
	seq      uint64                    // of the last entry that was read
	last     map[string]ledger.Verdict // by evaluation: its last verdict, if that is a person's label
	recorded map[string]bool           // evaluations that had a truth before a person decided
}

// read reads what the ledger has since.
func (p *peoplesLabels) read(ctx context.Context, from store.Store) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last == nil {
		p.last, p.recorded = map[string]ledger.Verdict{}, map[string]bool{}
	}
	for e, err := range from.Ledger(ctx, p.seq) {
		if err != nil {
			return err
		}
		p.seq = e.Seq
		if a := e.Act; a != nil {
			p.before(a.Verdict)
			for i := range a.Verdicts {
				p.before(&a.Verdicts[i])
			}
		}
		switch v := e.Verdict; {
		case v == nil:
		case v.By != "" && decided(v):
			p.last[v.Evaluation] = ledger.Verdict{By: v.By, Labelled: v.Labelled, Correct: v.Correct,
				Direction: v.Direction}
		default:
			delete(p.last, v.Evaluation)
		}
	}
	return nil
}

// before notes the verdict that a person's label replaced.
func (p *peoplesLabels) before(v *ledger.Verdict) {
	if v != nil && v.By == "" && decided(v) {
		p.recorded[v.Evaluation] = true
	}
}

// of returns a person's label of a run that was recorded without one, and whether there is one.
func (p *peoplesLabels) of(key string) (ledger.Verdict, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	v, ok := p.last[key]
	return v, ok && !p.recorded[key]
}

// decided reports whether v has a label, or a person or a file set it apart.
func decided(v *ledger.Verdict) bool { return v.Labelled || v.Apart() && v.Excuse == "" }
