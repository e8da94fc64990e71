//go:build unix

package postgres_test

import (
	"fmt"
	"os"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/store/postgres"
	"github.com/memtree/memtree/store/postgres/pgtest"
	"github.com/memtree/memtree/store/storetest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

var trees atomic.Int64

// address returns the address of a new tree.
func address(tb testing.TB, s *pgtest.Postgres) postgres.Address {
	tb.Helper()
	a, err := postgres.Parse(s.URL("postgres") + fmt.Sprintf("&tree=t%d", trees.Add(1)))
	require.NoError(tb, err)
	return a
}

// TestStore holds the store to every law of store.Store.
func TestStore(t *testing.T) {
	server := pgtest.Shared(t)
	storetest.Run(t, func(tb testing.TB) func() (store.Store, error) {
		a := address(tb, server)
		return func() (store.Store, error) { return postgres.Open(tb.Context(), a, postgres.Options{}) }
	})
}
