package memtree

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/fact"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/risk"
	"github.com/memtree/memtree/tree"
)

// hold holds the misses of the cases of this very page against what is observed, and
// returns what came of each. A miss of another test counts only if the prompt speaks of
// the thing, for nobody asked about the rest.
func (m *Memory) hold(ctx context.Context, q *Query, here []string) ([]enhance.Observed, error) {
	if q.Observation == "" || len(here) == 0 {
		return nil, nil
	}
	page := fact.Read(q.Observation)
	var held []enhance.Observed
	for _, id := range here {
		n, err := m.store.Get(ctx, id)
		if errors.Is(err, tree.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", id, err)
		}
		for _, e := range fact.Of(&n, m.taxonomy) {
			if !q.asksAbout(&n, &e) {
				continue
			}
			held = append(held, enhance.Observed{Fact: page.Hold(e), ID: id})
		}
	}
	return held, nil
}

// asksAbout reports whether a question is about what a case expects: it is of the same test,
// or its words name the thing or how that should read.
func (q *Query) asksAbout(n *tree.Node, e *fact.Expected) bool {
	id := n.CaseData.TestCase.CaseID
	if id != "" && id == q.Scope.Test || n.CaseData.TestCase.Prompt == q.Prompt {
		return true
	}
	asked := strings.ToLower(q.Prompt + "\n" + q.Step)
	for _, s := range []string{e.Thing, e.Want, e.Got} {
		if s != "" && strings.Contains(asked, strings.ToLower(s)) {
			return true
		}
	}
	return false
}

// seen says what the observation of a verdict settles of remembered misses.
func (m *Memory) seen(ctx context.Context, e *Evaluation) (out risk.Seen, err error) {
	if e.Observation == "" || m.index.Load().Stats().Nodes == 0 {
		return out, nil
	}
	scope := e.Scope
	if scope.Test == "" {
		scope.Test = e.CaseID
	}
	q := Query{Prompt: e.Prompt, Scene: e.Scene, Scope: scope, Observation: e.Observation}
	r, err := m.find(ctx, retrieval.Query{Prompt: q.Prompt, Scene: q.Scene, Scope: q.Scope}, (*retrieval.Index).Search)
	if err != nil {
		return out, err
	}
	held, err := m.hold(ctx, &q, r.Here)
	for _, f := range held {
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
