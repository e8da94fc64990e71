package transfer_test

import (
	"fmt"
	"iter"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

// TestScannedNodesAreTheChosenOnes: reading whole error types yields the same as getting each node, also where most
// nodes stay, and a tree that changed meanwhile is a conflict.
func TestScannedNodesAreTheChosenOnes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := grown(t)
		c := transfer.ExportChoice{All: rapid.Bool().Draw(t, "all"), NoCases: rapid.Bool().Draw(t, "lessons")}
		if rapid.Bool().Draw(t, "level") {
			c.Level = rapid.IntRange(1, 3).Draw(t, "of")
		}
		s, err := transfer.Choose(t.Context(), f, c)
		require.NoError(t, err)
		all := func(nodes iter.Seq2[tree.Node, error]) (all []tree.Node, err error) {
			for n, err := range nodes {
				if err != nil {
					return all, err
				}
				all = append(all, n)
			}
			return all, nil
		}
		got, wrong := all(s.Fetched(t.Context()))
		scanned, err := all(s.Scanned(t.Context()))
		require.Equal(t, got, scanned)
		require.Equal(t, fmt.Sprint(wrong), fmt.Sprint(err)) // such as a lesson whose cases are forgotten
		if err != nil || len(got) == 0 {
			return
		}
		require.Len(t, got, s.Summary.Nodes)
		changed := rapid.SampledFrom(got).Draw(t, "changed").ID
		n := f[changed]
		if n.Revision++; rapid.Bool().Draw(t, "gone") {
			delete(f, changed)
		} else {
			f[changed] = n
		}
		_, err = all(s.Scanned(t.Context()))
		require.ErrorIs(t, err, store.ErrConflict)
	})
}
