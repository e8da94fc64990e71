package server

import (
	"context"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

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
