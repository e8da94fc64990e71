package server

import (
	"context"

	"github.com/memtree/memtree/store"
)

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
			out.Body.Trees = append(out.Body.Trees, s.trees.get(name).state())
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
