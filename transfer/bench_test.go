package transfer_test

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

// BenchmarkRoundTrip writes 100,000 cases, reads them, and writes them again while they are read.
// The second file must have the bytes of the first. It reports nodes a second, where reading and
// writing a node count as one, and the most memory in use beside the files.
func BenchmarkRoundTrip(b *testing.B) {
	const many = 100_000
	ids := make([]int, many)
	names := make([]string, many)
	for i := range ids {
		n := aCase(fmt.Sprint("case-", i))
		ids[i], names[i] = i, n.ID
	}
	slices.SortFunc(ids, func(x, y int) int { return bytes.Compare([]byte(names[x]), []byte(names[y])) })
	var first bytes.Buffer
	_, err := transfer.WriteArchive(&first, func(yield func(tree.Node, error) bool) {
		for _, i := range ids {
			if !yield(aCase(fmt.Sprint("case-", i)), nil) {
				return
			}
		}
	})
	require.NoError(b, err)
	second := bytes.NewBuffer(make([]byte, 0, first.Len()+1))
	runtime.GC()
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	most, seen := uint64(0), 0
	for b.Loop() {
		second.Reset()
		m, err := transfer.WriteArchive(second, func(yield func(tree.Node, error) bool) {
			_, err := transfer.ReadArchive(bytes.NewReader(first.Bytes()), transfer.Allowed, func(n tree.Node) error {
				if seen++; seen%5000 == 0 {
					runtime.ReadMemStats(&now)
					most = max(most, now.HeapInuse)
				}
				yield(n, nil)
				return nil
			})
			require.NoError(b, err)
		})
		require.NoError(b, err)
		require.Equal(b, many, m.Nodes)
		require.Equal(b, first.Bytes(), second.Bytes())
	}
	b.ReportMetric(float64(b.N)*many/b.Elapsed().Seconds(), "nodes/s")
	b.ReportMetric(float64(most-min(most, before.HeapInuse))/(1<<20), "MiB-over")
	b.ReportMetric(float64(first.Len())/(1<<20), "MiB-file")
}

// BenchmarkRead reads a file of 20,000 cases.
func BenchmarkRead(b *testing.B) {
	const many = 20_000
	nodes := make([]tree.Node, many)
	for i := range nodes {
		nodes[i] = aCase(fmt.Sprint("case-", i))
	}
	file := packed(b, nodes...)
	for b.Loop() {
		_, err := transfer.ReadArchive(bytes.NewReader(file), transfer.Allowed, func(tree.Node) error { return nil })
		require.NoError(b, err)
	}
	b.ReportMetric(float64(b.N)*many/b.Elapsed().Seconds(), "nodes/s")
}

// BenchmarkWrite writes a file of 20,000 cases.
func BenchmarkWrite(b *testing.B) {
	const many = 20_000
	nodes := make([]tree.Node, many)
	for i := range nodes {
		nodes[i] = aCase(fmt.Sprint("case-", i))
	}
	slices.SortFunc(nodes, func(x, y tree.Node) int { return bytes.Compare([]byte(x.ID), []byte(y.ID)) })
	for b.Loop() {
		packed(b, nodes...)
	}
	b.ReportMetric(float64(b.N)*many/b.Elapsed().Seconds(), "nodes/s")
}
