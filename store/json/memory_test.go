package jsonstore

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// recordAll performs a recording of the evaluations from..to: it accepts them in groups, leases them, and commits their
// cases together with their keys as done.
func recordAll(tb testing.TB, s *Store, from, to int) {
	tb.Helper()
	ctx := context.Background()
	for i := from; i < to; i += 64 {
		var es []tree.Evaluation
		for k := i; k < min(to, i+64); k++ {
			es = append(es, someEvaluation(k))
		}
		_, err := s.Accept(ctx, es)
		require.NoError(tb, err)
		got, err := s.Lease(ctx, 64)
		require.NoError(tb, err)
		var batch store.Batch
		for j, e := range got {
			batch.Changes = append(batch.Changes, add(i+j))
			batch.Done = append(batch.Done, e.Key())
			batch.Entries = append(batch.Entries, ledger.Entry{Verdict: &ledger.Verdict{Evaluation: e.Key()}})
		}
		_, err = s.Commit(ctx, batch)
		require.NoError(tb, err)
	}
}

// TestStateHoldsNoBodies checks that no type in a state can hold bytes, and that its strings are ids and hashes, not
// recorded texts.
func TestStateHoldsNoBodies(t *testing.T) {
	require.Empty(t, holders(reflect.TypeFor[state](), "state", map[reflect.Type]bool{}))

	// The check detects such a type.
	require.NotEmpty(t, holders(reflect.TypeFor[sorted[*nodeLine]](), "lines", map[reflect.Type]bool{}))

	ctx := context.Background()
	const n, body = 40, 10_000
	s, err := OpenDir(ctx, t.TempDir(), Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	for i := range n {
		e, c := someEvaluation(i), someCase(i)
		e.Prompt = strings.Repeat("p", body)
		c.Content.Description = strings.Repeat("d", body)
		_, err := s.Accept(ctx, []tree.Evaluation{e})
		require.NoError(t, err)
		b := store.Batch{
			Changes: []tree.Change{tree.NewChange(tree.OpAdd, c, 0, "formation", strings.Repeat("w", body))},
			Entries: []ledger.Entry{{Verdict: &ledger.Verdict{Evaluation: strings.Repeat("v", body)}}},
		}
		switch i % 3 {
		case 0:
			b.Done = []string{e.Key()}
		case 1:
			b.Dead = []store.DeadLetter{{Evaluation: e, Why: strings.Repeat("x", body)}}
		}
		_, err = s.Commit(ctx, b)
		require.NoError(t, err)
	}
	require.Less(t, texts(reflect.ValueOf(s.state.Load()), map[uintptr]bool{}), n*400)
}

// holders returns the paths of all byte slices in a type. It omits the files of a state, which hold nothing of the
// journal.
func holders(t reflect.Type, path string, seen map[reflect.Type]bool) []string {
	if seen[t] || t == reflect.TypeFor[generation]() || t == reflect.TypeFor[handle]() {
		return nil
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Struct:
		var out []string
		for f := range t.Fields() {
			out = append(out, holders(f.Type, path+"."+f.Name, seen)...)
		}
		return out
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return []string{path}
		}
		return holders(t.Elem(), path+"[]", seen)
	case reflect.Pointer, reflect.Array:
		return holders(t.Elem(), path, seen)
	case reflect.Map:
		return append(holders(t.Key(), path, seen), holders(t.Elem(), path, seen)...)
	case reflect.Interface, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return []string{path + ": who knows what it holds"}
	default:
		return nil
	}
}

// texts returns the number of bytes of strings in a value.
func texts(v reflect.Value, seen map[uintptr]bool) int {
	n := 0
	switch v.Kind() {
	case reflect.String:
		return v.Len()
	case reflect.Pointer:
		if v.IsNil() || seen[v.Pointer()] || v.Type() == reflect.TypeFor[*generation]() ||
			v.Type() == reflect.TypeFor[*handle]() {
			return 0
		}
		seen[v.Pointer()] = true
		return texts(v.Elem(), seen)
	case reflect.Struct:
		for _, f := range v.Fields() {
			n += texts(f, seen)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			n += texts(v.Index(i), seen)
		}
	}
	return n
}

// TestLongLines replays lines that are longer than one read, and many lines that the end of a read cuts at any place.
func TestLongLines(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	o := Options{JournalLimit: 1 << 40}
	s, err := OpenDir(ctx, dir, o)
	require.NoError(t, err)
	recordAll(t, s, 0, 1500) // some megabytes
	var big []tree.Node
	for i, size := range []int{scanAhead - 1000, 3*scanAhead + 1, 5 * scanAhead} {
		n := someCase(10_000 + i)
		n.Content.Description = strings.Repeat("d", size)
		c := tree.NewChange(tree.OpAdd, n, 0, "formation", "long")
		big = append(big, c.Node)
		_, err := s.Commit(ctx, store.Batch{Changes: []tree.Change{c}})
		require.NoError(t, err)
		recordAll(t, s, 2000+10*i, 2010+10*i)
	}
	crashed := t.TempDir()
	require.NoError(t, os.CopyFS(crashed, os.DirFS(dir)))
	require.NoError(t, s.Close())
	o.ReadOnly = true
	for range 2 { // read-only, then for writing again
		s, err = OpenDir(ctx, crashed, o)
		require.NoError(t, err)
		for _, want := range append(big, add(0).Node, add(1499).Node, add(2029).Node) {
			n, err := s.Get(ctx, want.ID)
			require.NoError(t, err)
			require.True(t, reflect.DeepEqual(want, n), want.ID) // the difference would be megabytes
		}
		info, err := s.Info(ctx)
		require.NoError(t, err)
		require.Equal(t, 1533, info.Nodes)
		require.NoError(t, s.Close())
		o.ReadOnly = false
	}
}

// TestReadersKeepJournals checks that a reader that began before a snapshot continues on the journals that it replaced,
// and that they are removed when the last such reader is done.
func TestReadersKeepJournals(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	s, err := OpenDir(ctx, dir, Options{})
	require.NoError(t, err)
	recordAll(t, s, 0, 100)
	seen := 0
	for n, err := range s.Scan(ctx, store.Filter{}) {
		require.NoError(t, err)
		require.NotEmpty(t, n.ID)
		if seen == 10 {
			require.NoError(t, s.Compact(ctx))
			recordAll(t, s, 100, 200)
			require.NoError(t, s.Compact(ctx))
			_, err := s.disk.stat(journalName(1))
			require.NoError(t, err)
		}
		seen++
	}
	require.Equal(t, 100, seen)
	names, err := s.disk.names(".")
	require.NoError(t, err)
	require.Equal(t, []int{3}, numbered(names, "journal.", ".jsonl"))
	require.NoError(t, s.Close())
}

// TestDamagedWhileOpen checks that bytes of the journal that changed while the store was open are reported, not served.
func TestDamagedWhileOpen(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	s, err := OpenDir(ctx, dir, Options{})
	require.NoError(t, err)
	_, err = s.Commit(ctx, store.Batch{Changes: []tree.Change{add(1)}})
	require.NoError(t, err)
	n, ok := s.state.Load().overlay(add(1).Node.ID)
	require.True(t, ok)
	_, err = s.journal.file.WriteAt([]byte("#"), n.at.off+20)
	require.NoError(t, err)
	_, err = s.Get(ctx, n.id)
	var corrupt *store.CorruptError
	require.ErrorAs(t, err, &corrupt)
	require.Equal(t, journalName(1), corrupt.File)
	require.Equal(t, n.at.off, corrupt.Offset)
	require.NoError(t, s.Close())
}

// BenchmarkHeap reports the memory of a store for each 10,000 nodes after recording, with all of them in the journal.
func BenchmarkHeap(b *testing.B) {
	for _, n := range []int{10_000, 30_000} {
		b.Run(fmt.Sprint("nodes=", n), func(b *testing.B) {
			var before, after runtime.MemStats
			for b.Loop() {
				s, err := OpenDir(context.Background(), b.TempDir(), Options{JournalLimit: 1 << 40})
				require.NoError(b, err)
				runtime.GC()
				runtime.ReadMemStats(&before)
				recordAll(b, s, 0, n)
				runtime.GC()
				runtime.ReadMemStats(&after)
				require.NoError(b, s.Close())
			}
			held := float64(after.HeapAlloc) - float64(before.HeapAlloc)
			b.ReportMetric(held/1e6*10_000/float64(n), "heapMB/10k-nodes")
		})
	}
}
