package memtree

// Risk estimates which verdicts are likely to be wrong before their label is known.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/fact"
	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/inbox"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/risk"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// scores caches risks until the model or a memory changes.
type scores struct {
	mu sync.Mutex
	at [2]uint64 // the versions they were made with: of the model and the memories
	of map[string]risk.Risk
}

// scored sets the risks of waiting runs from a cache, because it is called for many of them repeatedly.
func (m *Memory) scored(ctx context.Context, runs []inbox.Unlabelled) error {
	if len(runs) == 0 {
		return nil // and no model of risk to load
	}
	if err := m.latest(ctx, m.learned.looks); err != nil {
		return err
	}
	now := [2]uint64{0, m.core.Changed() + m.learned.looks.Changes() + m.learned.Reloads()}
	l := m.learned
	if err := l.View(ctx, func() { now[0] = l.risk.Changes() }, l.risk); err != nil {
		return err
	}
	for i := range runs {
		e := &runs[i].Evaluation
		r, ok := l.scores.get(now, e.ID)
		if !ok {
			var err error
			if r, err = m.Risk(ctx, *e); err != nil {
				return err
			}
			l.scores.put(now, e.ID, &r)
		}
		runs[i].Risk = r
	}
	return nil
}

func (s *scores) get(at [2]uint64, id string) (risk.Risk, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.at != at || s.of == nil {
		s.at, s.of = at, map[string]risk.Risk{}
	}
	r, ok := s.of[id]
	return r, ok
}

func (s *scores) put(at [2]uint64, id string, r *risk.Risk) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.at == at && s.of != nil {
		s.of[id] = *r
	}
}

// Risk returns how likely a judgment is to be wrong, and why. Advanced.
func (m *Memory) Risk(ctx context.Context, e Evaluation) (risk.Risk, error) {
	if err := e.Check(); err != nil {
		return risk.Risk{}, fmt.Errorf("risk: %w", err)
	}
	e.Identify() // as Record does, so that the model recognises an evaluation that it learned from
	clean, _ := formation.Redact(e)
	seen, err := m.observeFacts(ctx, &clean)
	if err != nil {
		return risk.Risk{}, fmt.Errorf("risk: %w", err)
	}
	var r risk.Risk
	l := m.learned
	if err := l.View(ctx, func() { r = l.risk.Model().ScoreLooked(&clean, m.looked(&clean)) }, l.risk); err != nil {
		return risk.Risk{}, fmt.Errorf("risk: %w", err)
	}
	return r.Given(&clean, seen), nil
}

// observeFacts counts what the observation of a verdict shows of remembered misses: how many of them are still wrong,
// how many hold, and of which memories.
func (m *Memory) observeFacts(ctx context.Context, e *Evaluation) (out risk.Seen, err error) {
	if err := m.latest(ctx, m.learned.looks); err != nil {
		return out, err
	}
	if e.Observation == "" || m.core.Index().Stats().Nodes == 0 {
		return out, nil
	}
	scope := e.Scope
	scope.Test = cmp.Or(scope.Test, e.CaseID)
	q := retrieval.Query{Prompt: text.ClipBytes(e.Prompt, tree.MaxNodeText), Scene: e.Scene, Scope: scope}
	r, err := m.core.Search(ctx, q, (*retrieval.Index).Search)
	if err != nil {
		return out, err
	}
	look := &enhance.Observation{Observation: e.Observation, Prompt: e.Prompt, Test: scope.Test}
	held, err := m.holdCases(ctx, look, r.Here, m.askedOf(&q))
	for _, f := range held {
		if f.Aside {
			continue
		}
		switch f.State {
		case fact.Broken:
			out.Broken++
		case fact.Holds:
			out.Holds++
		default:
			continue
		}
		if !slices.Contains(out.Memories, f.ID) {
			out.Memories = append(out.Memories, f.ID)
		}
	}
	return out, err
}

// tally counts the verdicts in the ledger, of one product if it is given.
func (m *Memory) tally(ctx context.Context, product string) (*ledger.Tally, error) {
	c := risk.NewCounter()
	for entry, err := range m.store.Ledger(ctx, 0) {
		if err != nil {
			return nil, err
		}
		if v := entry.Verdict; v != nil && (product == "" || v.Product == product) {
			c.Add(v)
		}
	}
	return c.Tally(m.origin.ID), nil
}

// believe writes the tally of another team to the ledger, from which the model learns it.
func (m *Memory) believe(ctx context.Context, t *ledger.Tally) error {
	room, l := false, m.learned
	if err := l.View(ctx, func() { room = l.risk.Model().Room(t.Origin) }, l.risk); err != nil {
		return err
	}
	if !room && len(t.Rows) > 0 {
		return errors.New("there are counts of 16 teams already; take one out first")
	}
	return m.core.Apply(ctx, store.Batch{Entries: []ledger.Entry{{At: m.opts.Now(), Tally: t}}})
}
