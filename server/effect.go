package server

import (
	"context"

	"github.com/memtree/memtree/effect"
)

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
