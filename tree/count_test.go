package tree_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/tree"
)

// A banned memory keeps its status for an undo, and is counted as banned.
func TestCountOfABannedMemory(t *testing.T) {
	nodes := []tree.Node{
		{Type: tree.Case, Status: tree.Active, ErrorType: "e"},
		{Type: tree.Experience, Status: tree.Probation, Mark: tree.Banned, ErrorType: "e"},
		{Type: tree.Experience, Status: tree.Probation, Mark: tree.Pinned, ErrorType: "e"},
	}
	c, err := tree.Count(func(yield func(tree.Node, error) bool) {
		for _, n := range nodes {
			if !yield(n, nil) {
				return
			}
		}
	})
	require.NoError(t, err)
	require.Equal(t, map[string]int{"active": 1, "probation": 1, "banned": 1}, c.Statuses)
	require.Equal(t, 1, c.Out)
}
