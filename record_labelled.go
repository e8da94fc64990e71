package memtree

import (
	"context"

	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/taxonomy"
)

// accept hands evaluations to the store, except those whose truth differs from a person's label: whoever records is
// informed at once. A truth that comes another way, or before the label, is compared when it is formed.
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
	var keys []string
	for i := range es {
		if es[i].Labelled() {
			keys = append(keys, es[i].Key())
		}
	}
	if len(keys) == 0 {
		return nil, nil
	}
	labels, err := m.peoplesLabels(ctx, keys)
	if err != nil || len(labels) == 0 {
		return nil, err
	}
	out := map[int]string{}
	for i := range es {
		v, ok := labels[es[i].Key()]
		if ok && es[i].Labelled() && m.differs(&es[i], &v) {
			out[i] = v.By
		}
	}
	return out, nil
}

// peoplesLabels returns people's labels of those evaluations that were recorded without a truth, by key.
func (m *Memory) peoplesLabels(ctx context.Context, keys []string) (map[string]ledger.Verdict, error) {
	out, l := map[string]ledger.Verdict{}, m.learned
	err := l.decisions.View(ctx, func() {
		for _, key := range keys {
			if v, ok := l.labels.Of(key); ok {
				out[key] = v
			}
		}
	}, l.labels)
	return out, err
}

// differs reports whether the truth of e is not that of v, a person's label of the same run. A truth that rules cannot
// compare with the judgment differs, unless the run may have been recorded with it.
func (m *Memory) differs(e *Evaluation, v *ledger.Verdict) bool {
	d := formation.Detect(e)
	if d.Labelled || d.Direction == taxonomy.Environment {
		return !v.Agrees(&ledger.Verdict{Labelled: d.Labelled, Correct: d.Correct, Direction: d.Direction})
	}
	run, kept := m.learned.inbox.Get(e.Key())
	return kept && !run.Labelled()
}
