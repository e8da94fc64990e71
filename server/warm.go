package server

import (
	"context"
	"time"

	"github.com/memtree/memtree"
)

// warmWithin bounds how long the first request waits for the trees to be warm.
const warmWithin = 2 * time.Second

// warm queries every tree once, so that no agent waits for data that the first query builds: the catalogue of checks,
// and the columns of the index. It leaves no trial. A failure of a tree is only logged.
func (s *Server) warm(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, warmWithin)
	defer cancel()
	for _, name := range s.trees.names {
		_, err := s.trees.get(name).Explain(ctx, memtree.Query{Prompt: "Check the total. 核对合计。"})
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			s.opts.Logger.Debug("the tree did not answer at the start", "tree", name, "error", err)
		}
	}
}
