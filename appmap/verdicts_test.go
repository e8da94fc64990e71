package appmap_test

import (
	"context"
	"iter"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/appmap"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// nodes is a store whose Scan yields them.
type nodes struct {
	store.Reader
	all []tree.Node
}

func (n nodes) Scan(context.Context, store.Filter) iter.Seq2[tree.Node, error] {
	return func(yield func(tree.Node, error) bool) {
		for x := range slices.Values(n.all) {
			if !yield(x, nil) {
				return
			}
		}
	}
}

// TestWrongOnPages: every wrong verdict counts, also of a case out of use, but none that a person relabelled as right.
func TestWrongOnPages(t *testing.T) {
	cases := func(status tree.Status, verdicts int) tree.Node {
		return tree.Node{Type: tree.Case, Status: status, Scene: tree.Scene{Route: "/orders/42"},
			Scope: tree.Scope{Product: "shop"}, CaseData: &tree.CaseData{}, Occurrences: make([]tree.Occurrence, verdicts)}
	}
	got, err := appmap.WrongOnPages(t.Context(), nodes{all: []tree.Node{
		cases(tree.Active, 2), cases(tree.Active, 0), cases(tree.Archived, 3), cases(tree.Archived, 0),
	}}, "shop")
	require.NoError(t, err)
	require.Equal(t, map[string]float64{appmap.PageOf("/orders/42"): 6}, got)
}
