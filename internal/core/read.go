package core

import (
	"context"
	"errors"
	"fmt"

	"github.com/memtree/memtree/tree"
)

// ReadAll reads the nodes with the ids as they may be given, and leaves out those that are gone, or refused.
// Others share what they point to, so only the nodes themselves may be changed.
func (c *Core) ReadAll(ctx context.Context, ids []string) ([]tree.Node, error) {
	return readAll(ctx, ids, c.Read)
}

func readAll(
	ctx context.Context, ids []string, read func(context.Context, string) (*tree.Node, error),
) ([]tree.Node, error) {
	nodes := make([]tree.Node, 0, len(ids))
	for _, id := range ids {
		n, err := read(ctx, id)
		if errors.Is(err, tree.ErrNotFound) || err == nil && n == nil {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", id, err)
		}
		nodes = append(nodes, *n)
	}
	return nodes, nil
}

// Read reads one as it may be given: without what people refused. It is nil if nothing may.
func (c *Core) Read(ctx context.Context, id string) (*tree.Node, error) {
	if n := previewed(ctx, id); n != nil {
		return n, nil
	}
	n, err := c.shared(ctx, id)
	if err != nil {
		return nil, err
	}
	return c.refused.Load().Heed(n), nil
}

// Whole reads one as it is stored, or as the context has it, see WithNodes. The node must not be changed.
func (c *Core) Whole(ctx context.Context, id string) (*tree.Node, error) {
	if n := previewed(ctx, id); n != nil {
		return n, nil
	}
	return c.shared(ctx, id)
}

// Stored reads nodes as they are stored, and leaves out those that are gone.
func (c *Core) Stored(ctx context.Context, ids []string) ([]tree.Node, error) {
	return readAll(ctx, ids, c.shared)
}

// shared reads a node, without a copy if the store can.
func (c *Core) shared(ctx context.Context, id string) (*tree.Node, error) {
	if s, ok := c.store.(interface {
		Shared(ctx context.Context, id string) (*tree.Node, error)
	}); ok {
		return s.Shared(ctx, id)
	}
	n, err := c.store.Get(ctx, id)
	return &n, err
}

// previewKey is what a context has the nodes of a preview under.
type previewKey struct{}

// WithNodes returns a context in which Read returns these nodes, by id, in the place of those of the tree.
func WithNodes(ctx context.Context, nodes map[string]*tree.Node) context.Context {
	return context.WithValue(ctx, previewKey{}, nodes)
}

// previewed returns a node of a preview, nil where it is read from the tree.
func previewed(ctx context.Context, id string) *tree.Node {
	as, _ := ctx.Value(previewKey{}).(map[string]*tree.Node)
	return as[id]
}
