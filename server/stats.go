package server

import (
	"context"
	"fmt"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

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
	out.Swallowed = swallowed{h.GuideFailures, h.TrialsLost, h.RunsLost, h.Conflicts}
	return out, nil
}

func (s *Server) stats(ctx context.Context, _ *InTree) (*reply[Stats], error) {
	out, err := StatsOf(ctx, treeIn(ctx).Memory)
	return &reply[Stats]{out}, err
}
