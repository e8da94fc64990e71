package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// What a shell offers to complete. The built-in words are enough: reading a
// store's own for a keystroke is not worth it.

func (a *app) errorTypes() []cobra.Completion {
	var out []cobra.Completion
	for _, t := range taxonomy.Default().ErrorTypes() {
		out = append(out, cobra.CompletionWithDesc(t.ID, t.Name.In(a.lang)))
	}
	return out
}

func (a *app) sceneTypes() []cobra.Completion {
	var out []cobra.Completion
	for _, t := range taxonomy.Default().SceneTypes() {
		out = append(out, cobra.CompletionWithDesc(t.ID, t.Name.In(a.lang)))
	}
	return out
}

// ids returns ids of the store that begin so, with what they are about.
func (a *app) ids(ctx context.Context, begun string) []cobra.Completion {
	const most = 50
	var out []cobra.Completion
	// A store that cannot be read has nothing to offer.
	_ = a.with(ctx, reading, func(m *memtree.Memory) error {
		for n, err := range m.Tree().Scan(ctx, tree.Filter{}) {
			if err != nil || len(out) == most {
				return err
			}
			if strings.HasPrefix(n.ID, begun) {
				out = append(out, cobra.CompletionWithDesc(n.ID, n.ErrorType))
			}
		}
		return nil
	})
	return out
}
