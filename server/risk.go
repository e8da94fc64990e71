package server

import (
	"context"

	"github.com/memtree/memtree/risk"
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
