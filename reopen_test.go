package memtree_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	jsonstore "github.com/memtree/memtree/store/json"
	"github.com/memtree/memtree/tree"
)

// reopen opens the store that a closed memory left in dir.
func reopen(t *testing.T, dir string) tree.Store {
	t.Helper()
	s, err := jsonstore.OpenDir(t.Context(), dir, jsonstore.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}
