package jsonstore

import (
	"bytes"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/store/storetest"
	"github.com/memtree/memtree/tree"
)

const canary = "zanzibarcanary"

// quoted returns a case whose evidence contains the canary.
func quoted(at time.Time) tree.Node {
	n := tree.Node{
		Type: tree.Case, Level: 1, ErrorType: "edge_case_error", Direction: "other", Lang: "en",
		Status: tree.Active, Children: []string{}, Occurrences: []tree.Occurrence{},
		CaseData: &tree.CaseData{TestCase: tree.TestCase{Prompt: canary}},
	}
	n.Metadata.CreatedAt, n.Content.Guidance, n.Revision = at, canary, 1
	n.ID = tree.EvidenceID(&n)
	return n
}

// purged returns the batch that purges it.
func purged(n tree.Node) store.Batch {
	basis := n.Revision
	n.Decision = &tree.Decision{Kind: tree.DecisionForget, Purged: true}
	return store.Batch{
		Changes: []tree.Change{tree.NewChange(tree.OpArchive, tree.Tombstone(&n), basis, "person", "purge")},
		Purge:   &store.Purge{Nodes: []string{n.ID}, Evaluations: []string{"dead", "said"}, Trials: []string{"t_1"}},
	}
}

// fill puts the canary wherever a store holds data.
func fill(t *testing.T, s *Store) tree.Node {
	t.Helper()
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	c := tree.NewChange(tree.OpAdd, quoted(at), 0, "formation", "new")
	id := c.Node.ID
	_, err := s.Accept(t.Context(), []tree.Evaluation{{ID: "dead", Prompt: canary, Judgment: tree.Raw("1")}})
	require.NoError(t, err)
	dead, err := s.Lease(t.Context(), 1)
	require.NoError(t, err)
	_, err = s.Commit(t.Context(), store.Batch{
		Changes: []tree.Change{c}, Dead: []store.DeadLetter{{Evaluation: dead[0], Why: "bad"}},
		Entries: []ledger.Entry{
			{At: at, Trial: &ledger.Trial{ID: "t_1", Scope: tree.Scope{Test: canary}}},
			{At: at, Verdict: &ledger.Verdict{Evaluation: "said", CaseID: canary, Node: id}},
			{At: at, Act: &ledger.Action{ID: "a_1", Kind: tree.DecisionEdit, Node: id, Why: canary,
				Before: []ledger.Before{{ID: id, Content: &tree.Content{Title: canary}}}}},
			{At: at, Verdict: &ledger.Verdict{Evaluation: "other", CaseID: "stays"}},
		},
	})
	require.NoError(t, err)
	return c.Node
}

// holdingCanary returns the files that contain the canary.
func holdingCanary(t *testing.T, disk afero.Fs) (out []string) {
	t.Helper()
	require.NoError(t, afero.Walk(disk, "/store", func(name string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		b, err := afero.ReadFile(disk, name)
		if bytes.Contains(b, []byte(canary)) {
			out = append(out, name)
		}
		return err
	}))
	return out
}

// TestPurgeCrash: after a crash at any moment of a purge the reopened store has the memory as it was, or no byte of it.
func TestPurgeCrash(t *testing.T) {
	for _, compacted := range []bool{false, true} {
		disk := storetest.NewCrashFS()
		s, err := Open(t.Context(), disk, "/store", Options{})
		require.NoError(t, err)
		n := fill(t, s)
		require.NoError(t, disk.MkdirAll("/store/broken", 0o755))
		require.NoError(t, afero.WriteFile(disk, "/store/broken/x", []byte(canary), 0o600))
		if compacted {
			require.NoError(t, s.Compact(t.Context()))
		}
		from := disk.Ops()
		_, err = s.Commit(t.Context(), purged(n))
		require.NoError(t, err)
		require.Empty(t, holdingCanary(t, disk))
		require.NoError(t, s.Close())
		before, after := 0, 0
		for at := from; at <= disk.Ops(); at++ {
			left := disk.CrashAt(at, uint64(at))
			s, err := Open(t.Context(), left, "/store", Options{})
			require.NoError(t, err, "after %d operations", at)
			now, err := s.Get(t.Context(), n.ID)
			require.NoError(t, err)
			if now.Buried() {
				after++
				require.Empty(t, holdingCanary(t, left), "after %d operations", at)
				kept := 0
				for e, err := range s.Ledger(t.Context(), 0) {
					require.NoError(t, err)
					kept++
					if e.Verdict != nil && e.Verdict.Evaluation == "other" {
						require.Equal(t, "stays", e.Verdict.CaseID)
					}
				}
				require.Equal(t, 4, kept)
				for l, err := range s.DeadLetters(t.Context()) {
					require.NoError(t, err)
					require.Equal(t, "dead", l.Evaluation.Key())
				}
			} else {
				before++
				require.Equal(t, canary, now.CaseData.TestCase.Prompt)
			}
			require.NoError(t, s.Close())
			s, err = Open(t.Context(), left, "/store", Options{})
			require.NoError(t, err)
			_, err = s.Verify(t.Context(), func(problem error) { t.Error(problem) })
			require.NoError(t, err)
			require.NoError(t, s.Close())
		}
		require.Positive(t, before)
		require.Positive(t, after)
		t.Log(before, "before,", after, "after")
	}
}

// TestPurgeOnAFullDisk: a purge that is committed and finds no room for its snapshot is reported as unfinished, and the
// next open finishes it.
func TestPurgeOnAFullDisk(t *testing.T) {
	mem := afero.NewMemMapFs()
	ill := storetest.NewFaultFS(mem)
	s, err := Open(t.Context(), ill, "/store", Options{})
	require.NoError(t, err)
	n := fill(t, s)
	ill.Set(storetest.Fault{Kind: storetest.OpMkdir, Errno: syscall.ENOSPC, ForGood: true})
	_, err = s.Commit(t.Context(), purged(n))
	var unfinished *store.UnfinishedPurgeError
	require.ErrorAs(t, err, &unfinished)
	require.ErrorIs(t, err, syscall.ENOSPC)
	now, err := s.Get(t.Context(), n.ID)
	require.NoError(t, err)
	require.True(t, now.Buried())
	require.NotEmpty(t, holdingCanary(t, mem))
	_ = s.Close() // its snapshot finds no room either
	s, err = Open(t.Context(), mem, "/store", Options{})
	require.NoError(t, err)
	require.Empty(t, holdingCanary(t, mem))
	require.NoError(t, s.Close())
}
