package jsonstore

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// filled returns a folder with a closed store of n cases of a few kilobytes.
func filled(b *testing.B, n int) string {
	b.Helper()
	ctx, dir := context.Background(), b.TempDir()
	s, err := OpenDir(ctx, dir, Options{})
	require.NoError(b, err)
	for i := 0; i < n; i += 500 {
		var batch store.Batch
		for k := i; k < min(n, i+500); k++ {
			batch.Changes = append(batch.Changes, add(k))
		}
		_, err := s.Commit(ctx, batch)
		require.NoError(b, err)
	}
	require.NoError(b, s.Close())
	return dir
}

func BenchmarkOpen(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint("nodes=", n), func(b *testing.B) {
			dir := filled(b, n)
			b.ReportAllocs()
			for b.Loop() {
				s, err := OpenDir(context.Background(), dir, Options{ReadOnly: true})
				require.NoError(b, err)
				require.NoError(b, s.Close())
			}
		})
	}
}

func BenchmarkGet(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		dir := filled(b, n)
		ctx := context.Background()
		b.Run(fmt.Sprint("cold/nodes=", n), func(b *testing.B) { // with the opening
			for i := 0; b.Loop(); i++ {
				s, err := OpenDir(ctx, dir, Options{ReadOnly: true})
				require.NoError(b, err)
				_, err = s.Get(ctx, add(i*7919%n).Node.ID)
				require.NoError(b, err)
				require.NoError(b, s.Close())
			}
		})
		b.Run(fmt.Sprint("warm/nodes=", n), func(b *testing.B) {
			s, err := OpenDir(ctx, dir, Options{})
			require.NoError(b, err)
			ids := make([]string, 1000)
			for i := range ids {
				ids[i] = add(i * 7919 % n).Node.ID
			}
			for i := 0; b.Loop(); i++ {
				_, err = s.Get(ctx, ids[i%len(ids)])
				require.NoError(b, err)
			}
			require.NoError(b, s.Close())
		})
	}
}

func BenchmarkScan(b *testing.B) {
	dir := filled(b, 10_000)
	s, err := OpenDir(context.Background(), dir, Options{})
	require.NoError(b, err)
	for b.Loop() {
		n := 0
		for _, err := range s.Scan(context.Background(), store.Filter{}) {
			require.NoError(b, err)
			n++
		}
		require.Equal(b, 10_000, n)
	}
	require.NoError(b, s.Close())
}

func BenchmarkCommit(b *testing.B) {
	for _, writers := range []int{1, 8, 64} {
		b.Run(fmt.Sprint("writers=", writers), func(b *testing.B) {
			ctx := context.Background()
			s, err := OpenDir(ctx, b.TempDir(), Options{})
			require.NoError(b, err)
			var next atomic.Int64
			b.SetParallelism(max(1, writers/2)) // of two processors
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					_, err := s.Commit(ctx, store.Batch{Changes: []tree.Change{add(int(next.Add(1)))}})
					if err != nil {
						b.Error(err)
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
			require.NoError(b, s.Close())
		})
	}
}

// BenchmarkRecord records 10,000 evaluations.
func BenchmarkRecord(b *testing.B) {
	for b.Loop() {
		s, err := OpenDir(context.Background(), b.TempDir(), Options{})
		require.NoError(b, err)
		recordAll(b, s, 0, 10_000)
		require.NoError(b, s.Close())
	}
	b.ReportMetric(10_000*float64(b.N)/b.Elapsed().Seconds(), "evaluations/s")
}

func BenchmarkSnapshot(b *testing.B) {
	ctx := context.Background()
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint("nodes=", n), func(b *testing.B) {
			s, err := OpenDir(ctx, filled(b, n), Options{})
			require.NoError(b, err)
			defer func() { require.NoError(b, s.Close()) }()
			for i := 0; b.Loop(); i++ {
				_, err := s.Commit(ctx, store.Batch{Changes: []tree.Change{add(n + i)}})
				require.NoError(b, err)
				require.NoError(b, s.Compact(ctx))
			}
		})
	}
}
