package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// This file finds what an id, or the beginning of one, names.

// mostIDs limits the ids that are printed when several match a prefix.
const mostIDs = 5

// findNode returns the node with this id, or the only node whose id begins with it.
func findNode(ctx context.Context, v *say.Voice, m *memtree.Memory, id string) (tree.Node, error) {
	n, err := m.Tree().Get(ctx, id)
	if !errors.Is(err, tree.ErrNotFound) {
		return n, err
	}
	var found []tree.Node
	for n, err := range m.Tree().Scan(ctx, store.Filter{}) {
		if err != nil {
			return tree.Node{}, err
		}
		if strings.HasPrefix(n.ID, id) {
			if found = append(found, n); len(found) > mostIDs {
				break
			}
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) == 0:
		return tree.Node{}, v.Fail(err, "no memory has an id that begins with %s; memtree tree lists them", id)
	}
	ids := make([]string, 0, mostIDs)
	for _, n := range found[:min(mostIDs, len(found))] {
		ids = append(ids, n.ID)
	}
	return tree.Node{}, v.Fail(nil, "several ids begin with %s: %s; give more of it", id, strings.Join(ids, ", "))
}

// findFact returns the fact with this id, or the only one whose id begins with it.
func findFact(ctx context.Context, v *say.Voice, m *memtree.Memory, id string) (knowledge.Fact, error) {
	all, err := m.Knowledge().All(ctx)
	if err != nil {
		return knowledge.Fact{}, err
	}
	found := slices.DeleteFunc(all, func(f knowledge.Fact) bool { return !strings.HasPrefix(f.ID, id) })
	if i := slices.IndexFunc(found, func(f knowledge.Fact) bool { return f.ID == id }); i >= 0 {
		return found[i], nil
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return knowledge.Fact{}, v.Fail(errNoFact, "no fact has an id that begins with %s; memtree know list lists them",
			text.Line(id))
	}
	ids := make([]string, 0, mostIDs)
	for i := range found[:min(mostIDs, len(found))] {
		ids = append(ids, found[i].ID)
	}
	return knowledge.Fact{}, v.Fail(nil, "several ids begin with %s: %s; give more of it", text.Line(id),
		strings.Join(ids, ", "))
}

var errNoFact = errors.New("there is no such fact")

// completeID offers ids for the one argument of a command.
func completeID(a *app) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return ids(c.Context(), a, begun), cobra.ShellCompDirectiveNoFileComp
	}
}

// ids returns the ids of the store that begin with a text, each with its error type.
func ids(ctx context.Context, a *app, begun string) []cobra.Completion {
	const most = 50
	var out []cobra.Completion
	// If the store cannot be read there are no suggestions.
	_ = a.store.Read(ctx, func(m *memtree.Memory) error {
		for n, err := range m.Tree().Scan(ctx, store.Filter{}) {
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
