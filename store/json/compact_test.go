package jsonstore

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// TestSnapshots writes much under a low limit, so that there are many snapshots, and compares the content of the store
// with the written data, before and after a reopen.
func TestSnapshots(t *testing.T) {
	for name, fs := range map[string]afero.Fs{"disk": afero.NewOsFs(), "memory": afero.NewMemMapFs()} {
		t.Run(name, func(t *testing.T) {
			ctx, dir := context.Background(), t.TempDir()
			nodes := map[string]tree.Node{}
			waiting := map[string]bool{}
			entries := 0
			for round := range 4 {
				s, err := Open(ctx, fs, dir, Options{JournalLimit: 8 << 10})
				require.NoError(t, err)
				for i := range 60 {
					k := round*60 + i
					r, err := s.Accept(ctx, []tree.Evaluation{someEvaluation(k), someEvaluation(k / 2)})
					require.NoError(t, err)
					require.Equal(t, store.Accepted, r[0].Status)
					if k > 0 {
						require.Equal(t, store.Duplicate, r[1].Status)
					}
					b := store.Batch{Changes: []tree.Change{add(k)},
						Entries: []ledger.Entry{{Verdict: &ledger.Verdict{Evaluation: fmt.Sprint(k)}}}}
					if k%3 == 0 {
						b.Done = []string{r[0].Key}
					} else if k%7 == 0 {
						b.Dead = []store.DeadLetter{{Evaluation: someEvaluation(k), Why: "no"}}
					} else {
						waiting[r[0].Key] = true
					}
					nodes[add(k).Node.ID] = add(k).Node
					if old, ok := nodes[someCase(k/2).ID]; ok && k/2 < k && k%5 == 0 {
						old.ErrorType = "edge_case_error" // it leaves its branch
						old.Content.Title = fmt.Sprint("revised by ", k)
						c := tree.NewChange(tree.OpRevise, old, old.Revision, "person", "better")
						b.Changes = append(b.Changes, c)
						nodes[c.Node.ID] = c.Node
					}
					entries++
					_, err = s.Commit(ctx, b)
					require.NoError(t, err)
				}
				compare(t, s, nodes, waiting, entries)
				require.NoError(t, s.Close())
				s, err = Open(ctx, fs, dir, Options{})
				require.NoError(t, err)
				compare(t, s, nodes, waiting, entries)
				require.NoError(t, s.Close())
			}
		})
	}
}

func compare(t *testing.T, s *Store, nodes map[string]tree.Node, waiting map[string]bool, entries int) {
	t.Helper()
	ctx := context.Background()
	var got []tree.Node
	for n, err := range s.Scan(ctx, store.Filter{}) {
		require.NoError(t, err)
		got = append(got, n)
	}
	var want []tree.Node
	for _, id := range slices.Sorted(maps.Keys(nodes)) {
		want = append(want, nodes[id])
		n, err := s.Get(ctx, id)
		require.NoError(t, err)
		require.Equal(t, nodes[id], n)
	}
	require.Equal(t, want, got)
	for n, err := range s.Scan(ctx, store.Filter{ErrorType: "edge_case_error", Level: 1, Status: tree.Active}) {
		require.NoError(t, err)
		require.Equal(t, nodes[n.ID], n)
	}
	info, err := s.Info(ctx)
	require.NoError(t, err)
	require.Equal(t, len(nodes), info.Nodes)
	require.Equal(t, len(waiting), info.Outbox)
	es, err := s.Lease(ctx, 1<<20)
	require.NoError(t, err)
	require.Len(t, es, len(waiting))
	var keys []string
	for _, e := range es {
		require.True(t, waiting[e.Key()])
		keys = append(keys, e.Key())
	}
	require.NoError(t, s.Release(ctx, keys))
	n := 0
	for e, err := range s.Ledger(ctx, uint64(entries/2)) {
		require.NoError(t, err)
		n++
		require.EqualValues(t, entries/2+n, e.Seq)
	}
	require.Equal(t, entries, entries/2+n)
	dead := 0
	for _, err := range s.DeadLetters(ctx) {
		require.NoError(t, err)
		dead++
	}
	require.Equal(t, info.Dead, dead)
}

// TestSegmentsAreFew checks that the ledger has few files after many snapshots, and that the folder contains only the
// files of the manifest.
func TestSegmentsAreFew(t *testing.T) {
	ctx, mem := context.Background(), afero.NewMemMapFs()
	s, err := Open(ctx, mem, "store", Options{})
	require.NoError(t, err)
	for i := range 200 {
		_, err := s.Accept(ctx, []tree.Evaluation{someEvaluation(i)})
		require.NoError(t, err)
		b := store.Batch{Entries: []ledger.Entry{{Verdict: &ledger.Verdict{Evaluation: fmt.Sprint(i)}}}}
		if i%2 == 0 {
			b.Dead = []store.DeadLetter{{Evaluation: someEvaluation(i), Why: "no"}}
		} else {
			b.Done = []string{fmt.Sprint("ev", i)}
		}
		_, err = s.Commit(ctx, b)
		require.NoError(t, err)
		require.NoError(t, s.Compact(ctx))
		m := s.state.Load().base
		require.LessOrEqual(t, len(m.Ledger)+len(m.Dead)+len(m.Known), 3*8, "after %d snapshots", i+1)
	}
	n := uint64(0)
	for e, err := range s.Ledger(ctx, 0) {
		require.NoError(t, err)
		n++
		require.Equal(t, n, e.Seq)
	}
	require.EqualValues(t, 200, n)
	_, err = s.Verify(ctx, func(problem error) { t.Error(problem) })
	require.NoError(t, err)
	named := len(s.state.Load().base.files())
	require.NoError(t, s.Close())
	held := 0
	require.NoError(t, afero.Walk(mem, "store", func(name string, info fs.FileInfo, err error) error {
		if err == nil && !info.IsDir() && strings.Contains(name, "snapshot.") {
			held++
		}
		return err
	}))
	require.Equal(t, named, held)
}
