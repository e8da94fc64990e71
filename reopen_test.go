package memtree_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/store"
	jsonstore "github.com/memtree/memtree/store/json"
)

// reopen opens the store that a closed memory left in dir.
func reopen(t *testing.T, dir string) store.Store {
	t.Helper()
	s, err := jsonstore.OpenDir(t.Context(), dir, jsonstore.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}
