package core

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

const canary = "zanzibarcanary"

// purge purges the case n, as a person does.
func purge(t *testing.T, c *Core, n tree.Node) {
	t.Helper()
	n, err := c.store.Get(t.Context(), n.ID)
	require.NoError(t, err)
	basis := n.Revision
	n.Decision = &tree.Decision{Kind: tree.DecisionForget, At: noon, Purged: true}
	require.NoError(t, c.Apply(t.Context(), store.Batch{
		Changes: []tree.Change{tree.NewChange(tree.OpArchive, tree.Tombstone(&n), basis, "person", "purge")},
		Purge:   &store.Purge{Nodes: []string{n.ID}},
	}))
}

// withCanary returns the files that have the canary.
func withCanary(t *testing.T, fs afero.Fs) (out []string) {
	t.Helper()
	require.NoError(t, afero.Walk(fs, "/", func(name string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		b, err := afero.ReadFile(fs, name)
		if strings.Contains(string(b), canary) {
			out = append(out, name)
		}
		return err
	}))
	return out
}

// TestPurgeDuringAMend: an index that was being built from the nodes while one of them was purged has no word of it,
// and neither has what is stored of the index.
func TestPurgeDuringAMend(t *testing.T) {
	s := inMemory(t, afero.NewMemMapFs())
	c, _ := heard(t, s, false)
	n := aCase(0)
	n.CaseData.TestCase.Prompt, n.CaseData.TestCase.CaseID = "Check the "+canary, canary
	n.ID = tree.EvidenceID(&n)
	add(t, c, 1, 3)
	require.NoError(t, c.Apply(t.Context(), added(n)))
	c.storeIndex(t.Context())
	require.NotEmpty(t, withCanary(t, s.fs), "the index has the word")
	once := sync.OnceFunc(func() { purge(t, c, n) })
	require.NoError(t, c.replaceIndex(t.Context(), func(ctx context.Context) (*retrieval.Index, error) {
		ix, err := c.newIndex(ctx)
		once()
		return ix, err
	}))
	finds(t, c, 1)
	c.storeIndex(t.Context())
	require.Empty(t, withCanary(t, s.fs))
	require.NoError(t, c.Close(t.Context()))
	require.Empty(t, withCanary(t, s.fs))
	require.NoError(t, s.Close())
}
