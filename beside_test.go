package memtree_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/store"
)

// A damaged piece of the book of coming tests is named when the store is opened, and its bytes are kept when the book
// is saved again.
func TestALossBesideTheTreeIsNamed(t *testing.T) {
	dir := t.TempDir()
	m := open(t, dir, nil)
	require.NoError(t, m.Health().Damage)
	for _, s := range subjects {
		require.NoError(t, m.Record(t.Context(), sumRun("r"+s, s, 5)))
	}
	require.NoError(t, m.Wait(t.Context()))
	require.NoError(t, m.Close())
	pieces, err := filepath.Glob(filepath.Join(dir, "derived", "briefs-*"))
	require.NoError(t, err)
	require.NotEmpty(t, pieces)
	require.NoError(t, os.Truncate(pieces[0], 100))
	damaged, err := os.ReadFile(pieces[0])
	require.NoError(t, err)

	m = open(t, dir, nil)
	var lost *store.BesideError
	require.ErrorAs(t, m.Health().Damage, &lost)
	require.Equal(t, "briefs", lost.Name)
	_, err = m.Guide(t.Context(), memtree.Query{Prompt: sumRun("", "order", 1).Prompt})
	require.NoError(t, err)
	require.NoError(t, m.Close())
	kept, moved := os.ReadFile(filepath.Join(dir, "broken", "derived."+filepath.Base(pieces[0])))
	if moved != nil { // the book had nothing new to save, so the piece was not replaced
		kept, err = os.ReadFile(pieces[0])
		require.NoError(t, err)
	}
	require.Equal(t, damaged, kept)
	m = open(t, dir, nil)
	require.Equal(t, moved == nil, m.Health().Damage == nil, "it is named as long as it is in use")
	require.NoError(t, m.Close())
}
