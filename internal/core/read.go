package core

import (
	"context"
	"errors"
	"fmt"

	"github.com/memtree/memtree/tree"
)

// ReadAll returns the nodes with these ids as agents may see them; it omits ids of absent and refused nodes. The nodes
// may share memory with others: the caller may change the nodes themselves, but not what they point to.
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

// Read returns the node with the id as agents may see it: without parts that people refused. It returns nil and no
// error if nothing remains, and tree.ErrNotFound if there is no such node. The caller must not change the node.
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

// Whole returns the node with the id as stored, or as WithNodes set it. The caller must not change the node.
func (c *Core) Whole(ctx context.Context, id string) (*tree.Node, error) {
	if n := previewed(ctx, id); n != nil {
		return n, nil
	}
	return c.shared(ctx, id)
}

// Stored returns the nodes with these ids as stored; it omits absent ones.
func (c *Core) Stored(ctx context.Context, ids []string) ([]tree.Node, error) {
	return readAll(ctx, ids, c.shared)
}

// shared reads a node, without copying it if the store supports that.
func (c *Core) shared(ctx context.Context, id string) (*tree.Node, error) {
	if s, ok := c.store.(interface {
		Shared(ctx context.Context, id string) (*tree.Node, error)
	}); ok {
		return s.Shared(ctx, id)
	}
	n, err := c.store.Get(ctx, id)
	return &n, err
}

// previewKey is the context key of the nodes of a preview.
type previewKey struct{}

// WithNodes returns a context in which Read and Whole return these nodes, by id, in place of those in the tree. It is
// for previews.
func WithNodes(ctx context.Context, nodes map[string]*tree.Node) context.Context {
	return context.WithValue(ctx, previewKey{}, nodes)
}

// previewed returns a node of a preview, nil if it has to be read from the tree.
func previewed(ctx context.Context, id string) *tree.Node {
	as, _ := ctx.Value(previewKey{}).(map[string]*tree.Node)
	return as[id]
}
