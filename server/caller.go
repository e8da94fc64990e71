package server

import (
	"context"

	"github.com/memtree/memtree/internal/token"
)

// caller is the sender of a request, and the tree it is about.
type caller struct {
	token *token.Token // nil: the service is open
	tree  *treeOf      // nil: none
}

type callerKey struct{}

func callerOf(ctx context.Context) *caller {
	if c, ok := ctx.Value(callerKey{}).(*caller); ok {
		return c
	}
	return &caller{token: &token.Token{}} // without permissions
}

// treeIn returns the tree that a request is about. Routes in a tree have one.
func treeIn(ctx context.Context) *treeOf { return callerOf(ctx).tree }

func (c *caller) may(need token.Permission) bool { return c.token == nil || c.token.May(need) }

func (c *caller) sees(tree string) bool { return c.token == nil || c.token.Sees(tree) }

// name returns the caller's name for the audit log.
func (c *caller) name() string {
	switch {
	case c == nil:
		return ""
	case c.token == nil:
		return "loopback"
	}
	return c.token.Name
}
