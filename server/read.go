package server

import (
	"context"
	"fmt"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/risk"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

type riskInput struct {
	InTree
	RawBody []byte
}

// risk returns how likely a verdict is to be wrong.
func (s *Server) risk(ctx context.Context, in *riskInput) (*reply[risk.Risk], error) {
	es, err := readEvaluations(in.RawBody, 1)
	if err != nil {
		return nil, err
	}
	r, err := treeIn(ctx).Risk(ctx, es[0])
	return &reply[risk.Risk]{r}, err
}

// explanation is guidance with every memory that was considered.
type explanation struct {
	memtree.Guidance
	Undecided  []enhance.ToldFact `json:"undecided,omitempty" doc:"What the observation does not settle, and why"`
	Considered []considered       `json:"considered" doc:"Best first"`
}

// considered is one memory that was considered.
type considered struct {
	ID        string             `json:"id"`
	Type      tree.Type          `json:"type"`
	ErrorType string             `json:"errorType"`
	Direction taxonomy.Direction `json:"direction"`
	Score     float64            `json:"score"`
	Rel       float64            `json:"rel" doc:"How near it is, 0 to 1"`
	Taken     bool               `json:"taken"`
	Code      retrieval.Code     `json:"code" doc:"Names the reason"`
	Reason    string             `json:"reason"`
	Signals   retrieval.Signals  `json:"signals"`
}

// explain returns the reason for every memory; it writes nothing.
func (s *Server) explain(ctx context.Context, in *given[Question]) (*reply[explanation], error) {
	q, err := in.Body.query()
	if err != nil {
		return nil, err
	}
	x, err := treeIn(ctx).Explain(ctx, q)
	if err != nil {
		return nil, err
	}
	out := &reply[explanation]{explanation{Guidance: x.Guidance, Undecided: x.Undecided, Considered: []considered{}}}
	for _, h := range x.Considered {
		c := considered{h.ID, h.Type, h.ErrorType, h.Direction, h.Score, h.Rel, h.Taken, h.Why.Code, h.Reason, h.Signals}
		if l := h.Left; l.Code != "" {
			c.Taken, c.Code, c.Reason = false, l.Code, l.Reason
		}
		out.Body.Considered = append(out.Body.Considered, c)
	}
	return out, nil
}

// treeState is one tree of the service.
type treeState struct {
	Name     string      `json:"name"`
	Writable bool        `json:"writable"`
	Problem  string      `json:"problem,omitempty" doc:"Why it can only be read"`
	Info     *store.Info `json:"info,omitempty" doc:"What it holds"`
}

func (t *treeOf) state() treeState {
	out := treeState{Name: t.name, Writable: true}
	if err := t.writable(); err != nil {
		out.Writable, out.Problem = false, problemOf(err).Detail
	}
	return out
}

// treeList are the trees that a token may see.
type treeList struct {
	Trees []treeState `json:"trees" doc:"By name"`
}

func (s *Server) listTrees(ctx context.Context, _ *nothing) (*reply[treeList], error) {
	out := &reply[treeList]{}
	out.Body.Trees = []treeState{}
	for _, name := range s.trees.names {
		if callerOf(ctx).sees(name) {
			out.Body.Trees = append(out.Body.Trees, s.trees.byName[name].state())
		}
	}
	return out, nil
}

func (s *Server) tree(ctx context.Context, _ *InTree) (*reply[treeState], error) {
	t := treeIn(ctx)
	info, err := t.Tree().Info(ctx)
	out := &reply[treeState]{t.state()}
	out.Body.Info = &info
	return out, err
}

// Stats is the answer to a request for the statistics of a tree.
type Stats struct {
	store.Info
	tree.Counts
	effect.LedgerStats
	Analyses  tree.Analyses   `json:"analyses"`
	Embedder  string          `json:"embedder"`
	Vectors   vectors         `json:"vectors"`
	Swallowed swallowed       `json:"swallowed"`
	Briefs    brief.BookStats `json:"briefs"` // counts of upcoming tests
}

// vectors is the number of memories with a vector of the embedder.
type vectors struct {
	Have int    `json:"have"`
	Of   int    `json:"of"`             // searchable memories
	Note string `json:"note,omitempty"` // why others are found lexically only
}

// swallowed counts failures that were not returned as errors, so that runs could continue.
type swallowed struct {
	Guidance  int64 `json:"guidance"`  // failed answers
	Trials    int64 `json:"trials"`    // entries that the ledger lost
	Runs      int64 `json:"runs"`      // runs of Wrap that were not recorded
	Conflicts int64 `json:"conflicts"` // changes that were planned again because another writer was first
}

// StatsOf computes the statistics of the memory m. It reads all nodes and the ledger.
func StatsOf(ctx context.Context, m *memtree.Memory) (Stats, error) {
	var out Stats
	var err error
	if out.Info, err = m.Tree().Info(ctx); err != nil {
		return out, fmt.Errorf("count: %w", err)
	}
	if out.Counts, err = tree.Count(out.Analyses.Counting(m.Tree().Scan(ctx, store.Filter{Counts: true}))); err != nil {
		return out, fmt.Errorf("count: %w", err)
	}
	if out.LedgerStats, err = effect.StatsOf(store.LedgerCounts(ctx, m.Tree())); err != nil {
		return out, fmt.Errorf("count: %w", err)
	}
	h := m.Health()
	out.Embedder, out.Vectors = h.Embedder, vectors{h.Vectors, h.Memories, h.Note}
	out.Briefs = m.Briefs().Known()
	out.Swallowed = swallowed{h.Guidance, h.Trials, h.Runs, h.Conflicts}
	return out, nil
}

func (s *Server) stats(ctx context.Context, _ *InTree) (*reply[Stats], error) {
	out, err := StatsOf(ctx, treeIn(ctx).Memory)
	return &reply[Stats]{out}, err
}

type effectInput struct {
	InTree
	Lang string `query:"lang" enum:"zh,en" default:"en" doc:"Of verdict"`
}

// effectReport is whether memory helps.
type effectReport struct {
	effect.Report
	Verdict string `json:"verdict" doc:"All of it in a sentence"`
}

func (s *Server) effect(ctx context.Context, in *effectInput) (*reply[effectReport], error) {
	r, err := treeIn(ctx).Effect(ctx)
	if err != nil {
		return nil, err
	}
	return &reply[effectReport]{effectReport{*r, r.Verdict.In(in.Lang)}}, nil
}
