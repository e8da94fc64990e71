package server

import (
	"context"

	"github.com/memtree/memtree/internal/token"
)

// caller is who sent a request, and the tree it is about.
type caller struct {
	token *token.Token // nil: the service is open
	tree  *treeOf      // nil: it is about none
}

type callerKey struct{}

func callerOf(ctx context.Context) *caller {
	if c, ok := ctx.Value(callerKey{}).(*caller); ok {
		return c
	}
	return &caller{token: &token.Token{}} // who may do nothing
}

// treeIn returns the tree that a request is about. Routes in a tree have one.
func treeIn(ctx context.Context) *treeOf { return callerOf(ctx).tree }

func (c *caller) may(need token.Scope) bool { return c.token == nil || c.token.May(need) }

func (c *caller) sees(tree string) bool { return c.token == nil || c.token.Sees(tree) }

// name is how the audit log names the caller.
func (c *caller) name() string {
	switch {
	case c == nil:
		return ""
	case c.token == nil:
		return "loopback"
	}
	return c.token.Name
}
