package jsonstore

import (
	"fmt"
	"syscall"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/store/storetest"
	"github.com/memtree/memtree/tree"
)

// absent opens a store with two journals, left by a process that was killed after its snapshot had failed. The disk
// once denies having a file that it has. Everything acknowledged before and after must be there when the disk works
// again. absent returns the problems, and the number of denied opens.
func absent(t testing.TB) (found []string, denied int) {
	t.Helper()
	ctx, mem := t.Context(), afero.NewMemMapFs()
	ill := storetest.NewFaultFS(mem)
	s, err := Open(ctx, ill, damageDir, Options{})
	require.NoError(t, err)
	write := func(s *Store, i int) error {
		_, err := s.Commit(ctx, store.Batch{Changes: []tree.Change{add(i)}})
		return err
	}
	require.NoError(t, write(s, 0))
	ill.Set(storetest.Fault{Kind: storetest.OpMkdir, Errno: syscall.ENOSPC, ForGood: true})
	require.Error(t, s.Compact(ctx))
	ill.Set()
	require.NoError(t, write(s, 1))
	require.NoError(t, write(s, 2))
	f, err := files(mem) // and here it is killed
	require.NoError(t, err)
	_ = s.Close() // its snapshot failed
	for n := 1; ; n++ {
		left := f.onFS()
		ill := storetest.NewFaultFS(left, storetest.Fault{Kind: storetest.OpOpen, N: n, Errno: syscall.ENOENT})
		acknowledged := 3
		if s, err := Open(ctx, ill, damageDir, Options{}); err == nil {
			if write(s, 3) == nil {
				acknowledged++
			}
			_ = s.Close() // it may fail on such a disk
		}
		if ill.Hits() == 0 {
			return found, denied
		}
		denied++
		s, err := Open(ctx, left, damageDir, Options{})
		if err != nil {
			found = append(found, fmt.Sprintf("open %d denied: %v", n, err))
			continue
		}
		for i := range acknowledged {
			if _, err := s.Get(ctx, add(i).Node.ID); err != nil {
				found = append(found, fmt.Sprintf("open %d denied: node %d: %v", n, i, err))
			}
		}
		require.NoError(t, s.Close())
	}
}

func TestAbsent(t *testing.T) {
	found, denied := absent(t)
	require.Empty(t, found)
	require.Greater(t, denied, 5)
}
