//go:build unix

package postgres

import (
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/store/postgres/pgtest"
	"github.com/memtree/memtree/tree"
)

// TestDropDerived: a process leaves the pieces that another one has saved or kept in the last minutes, and removes
// those that nobody has kept since.
func TestDropDerived(t *testing.T) {
	a, err := Parse(pgtest.Shared(t).URL("postgres") + "&tree=dropped")
	require.NoError(t, err)
	open := func() *Store {
		s, err := Open(t.Context(), a, Options{})
		require.NoError(t, err)
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	one, other := open(), open()
	for _, name := range []string{"index-old", "index-kept", "index-named", "beside"} {
		require.NoError(t, one.SaveDerived(t.Context(), name, 1, func(w io.Writer) error {
			_, err := io.WriteString(w, name)
			return err
		}))
	}
	require.NoError(t, other.DropDerived(t.Context(), "index-", []string{"index-named"}))
	missing, err := one.KeepDerived(t.Context(), []string{"index-old", "index-kept", "index-none"})
	require.NoError(t, err)
	require.Equal(t, []string{"index-none"}, missing, "what another one has just saved stays")

	const unused = time.Second
	time.Sleep(2 * unused)
	missing, err = one.KeepDerived(t.Context(), []string{"index-kept"})
	require.NoError(t, err)
	require.Empty(t, missing)
	require.NoError(t, other.dropDerived(t.Context(), "index-", []string{"index-named"}, unused))
	for name, there := range map[string]bool{"index-old": false, "index-kept": true, "index-named": true, "beside": true} {
		d, err := one.OpenDerived(t.Context(), name)
		if !there {
			require.ErrorIs(t, err, tree.ErrNotFound)
			continue
		}
		require.NoError(t, err, name)
		require.NoError(t, d.Closer.Close())
	}
}
