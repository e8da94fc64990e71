package jsonstore

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/tree"
)

// A move that ended before it had written anything leaves nothing to the next one, not even the origin of its tree.
func TestNewFolderBeginsAnew(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	left, err := NewFolder(t.Context(), dir, tree.Origin{ID: "t_left"}, now)
	require.NoError(t, err)
	require.NoError(t, left.Close())

	f, err := NewFolder(t.Context(), dir, tree.Origin{ID: "t_moved"}, now)
	require.NoError(t, err)
	defer f.Close()
	info, err := f.Info(t.Context())
	require.NoError(t, err)
	require.Equal(t, "t_moved", info.Origin.ID)
}
