package memtree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/tree"
)

// Stats is what a memory holds, counted.
type Stats struct {
	tree.Info
	Levels     map[string]int `json:"levels"` // by node type
	Types      map[string]int `json:"types"`  // by error type
	Directions map[string]int `json:"directions"`
	Statuses   map[string]int `json:"statuses"`
	Embedder   string         `json:"embedder"`
	Swallowed  Swallowed      `json:"swallowed"`
}

// Swallowed counts what memory failed to do since Open so that runs could go on.
type Swallowed struct {
	Guidance  int64 `json:"guidance"`  // answers that failed
	Trials    int64 `json:"trials"`    // ledger lines that were lost
	Runs      int64 `json:"runs"`      // wrapped runs that were not recorded
	Conflicts int64 `json:"conflicts"` // plans that were made again
}

// Stats counts what the memory holds. It reads every node.
func (m *Memory) Stats(ctx context.Context) (Stats, error) {
	info, err := m.store.Info(ctx)
	if err != nil {
		return Stats{}, fmt.Errorf("stats: %w", err)
	}
	s := Stats{
		Info: info, Levels: map[string]int{}, Types: map[string]int{}, Directions: map[string]int{}, Statuses: map[string]int{},
		Embedder: m.opts.Embedder.ID(),
		Swallowed: Swallowed{
			Guidance: m.counts.guideFailures.Load(), Trials: m.counts.trialsLost.Load(),
			Runs: m.counts.runsLost.Load(), Conflicts: m.counts.conflicts.Load(),
		},
	}
	for n, err := range m.store.Scan(ctx, tree.Filter{}) {
		if err != nil {
			return Stats{}, fmt.Errorf("stats: %w", err)
		}
		s.Levels[string(n.Type)]++
		s.Types[n.ErrorType]++
		s.Directions[string(n.Direction)]++
		s.Statuses[string(n.Status)]++
	}
	return s, nil
}

// Formed counts the cases made since Open, by who read them and by what is known
// of their causes.
type Formed struct {
	Cases   int `json:"cases"`
	Checked int `json:"checked"` // with a check of the taxonomy that was missed
	Worded  int `json:"worded"`  // with a cause in somebody's words that no check fits
	Silent  int `json:"silent"`  // with nothing about the cause

	Models map[string]int `json:"models"` // cases that a model read, by its name; rules read the others
	// Why a model that was asked did not read a case, by kind ("other" for what has
	// none): its answer could not be used, or there was none.
	Unusable   map[llm.Kind]int `json:"unusable"`
	Unanswered map[llm.Kind]int `json:"unanswered"`
	// Verdicts left without a label, because a model that was asked to compare
	// judgment and ground truth did not.
	Uncompared map[llm.Kind]int `json:"uncompared"`
	ModelError string           `json:"modelError,omitempty"` // the last of these failures, in words
}

// Formed returns what was formed since Open, committed and not only planned.
func (m *Memory) Formed() Formed {
	p := &m.outbox
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.formed
	f.Models = maps.Clone(f.Models)
	f.Unusable, f.Unanswered, f.Uncompared = maps.Clone(f.Unusable), maps.Clone(f.Unanswered), maps.Clone(f.Uncompared)
	return f
}

// count adds what was committed.
func (p *progress) count(formed []formation.Formed) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := &p.formed
	if f.Models == nil {
		f.Models, f.Unusable, f.Unanswered, f.Uncompared = map[string]int{}, map[llm.Kind]int{}, map[llm.Kind]int{}, map[llm.Kind]int{}
	}
	for i := range formed {
		x := &formed[i]
		if x.ModelErr != nil && !x.Verdict.Labelled {
			f.Uncompared[kindOf(x.ModelErr)]++
			f.ModelError = x.ModelErr.Error()
		}
		for k := range x.Changes {
			if c := &x.Changes[k]; c.Op == tree.OpAdd && c.Node.Type == tree.Case {
				f.add(&c.Node, x.ModelErr)
			}
		}
	}
}

// add counts a new case and why the model did not read it, if it was asked.
func (f *Formed) add(n *tree.Node, failed error) {
	f.Cases++
	switch {
	case slices.ContainsFunc(n.CaseData.Misses, func(m tree.Miss) bool { return m.Check != "" }):
		f.Checked++
	case len(n.Says()) > 0:
		f.Worded++
	default:
		f.Silent++
	}
	switch {
	case n.Provenance.Analyst == "model":
		f.Models[n.Provenance.Model]++
		return
	case failed == nil:
		return
	case n.Provenance.Again:
		f.Unanswered[kindOf(failed)]++
	default:
		f.Unusable[kindOf(failed)]++
	}
	f.ModelError = failed.Error()
}

func kindOf(err error) llm.Kind { return cmp.Or(llm.KindOf(err), "other") }

// Node returns one node, or tree.ErrNotFound.
func (m *Memory) Node(ctx context.Context, id string) (tree.Node, error) {
	return m.store.Get(ctx, id)
}

// Nodes yields the nodes f selects, sorted by id.
func (m *Memory) Nodes(ctx context.Context, f tree.Filter) iter.Seq2[tree.Node, error] {
	return m.store.Scan(ctx, f)
}

// Verify reads everything, calls found for each problem, and returns what it
// read: the store's hashes and chains, the laws of the tree, and whether the
// index knows what the store does. In a store that is damaged the links between
// nodes and the index are not looked at.
func (m *Memory) Verify(ctx context.Context, found func(error)) (tree.Verified, error) {
	var v tree.Verified
	damaged := false
	if s, ok := m.store.(tree.Verifier); ok {
		var err error
		v, err = s.Verify(ctx, func(problem error) {
			damaged = true
			found(problem)
		})
		if err != nil && !errors.Is(err, errors.ErrUnsupported) {
			return v, fmt.Errorf("verify: %w", err)
		}
	}
	if damaged {
		return v, nil
	}
	for n, err := range m.store.Scan(ctx, tree.Filter{}) {
		if err != nil {
			return v, fmt.Errorf("verify: %w", err)
		}
		if err := tree.CheckLinks(ctx, &n, m.store.Get); err != nil {
			found(err)
		}
		if n.Live() && !m.index.Load().Has(n.ID, n.Revision) {
			found(&tree.LawError{Node: n.ID, Law: "the index knows every live node", Got: "it does not know this revision"})
		}
	}
	return v, nil
}
