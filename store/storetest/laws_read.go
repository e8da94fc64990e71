package storetest

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// openNew opens a new store, and closes it when the test ends.
func openNew(t testing.TB, open opener) store.Store {
	t.Helper()
	return openAt(t, open(t))
}

// openAt opens the store with reopen, and closes it when the test ends.
func openAt(t testing.TB, reopen func() (store.Store, error)) store.Store {
	t.Helper()
	s, err := reopen()
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// addCase returns the change that adds case i.
func addCase(i int, text string) tree.Change {
	return tree.NewChange(tree.OpAdd, aCase(i, text), 0, "formation", "a wrong pass")
}

// commit commits a batch, which has to succeed, and returns the version.
func commit(t testing.TB, s store.Store, b store.Batch) uint64 {
	t.Helper()
	v, err := s.Commit(t.Context(), b)
	require.NoError(t, err)
	return v
}

// equal compares as JSON, because nil and empty are the same to a store.
func equal(t testing.TB, want, got any) {
	t.Helper()
	require.Equal(t, asJSON(want), asJSON(got))
}

// readLaws are the laws of Get and Scan.
func readLaws() []law {
	return []law{
		{"get of what is absent is ErrNotFound", func(t testing.TB, open opener) {
			s := openNew(t, open)
			_, err := s.Get(t.Context(), "c_nothing")
			require.ErrorIs(t, err, tree.ErrNotFound)
			commit(t, s, store.Batch{Changes: []tree.Change{addCase(1, "x")}})
			_, err = s.Get(t.Context(), "c_nothing")
			require.ErrorIs(t, err, tree.ErrNotFound)
		}},
		{"payloads come back byte for byte", payloads},
		{"get returns archived nodes too", func(t testing.TB, open opener) {
			s := openNew(t, open)
			commit(t, s, store.Batch{Changes: []tree.Change{addCase(1, "x")}})
			n := addCase(1, "x").Node
			n.Status, n.ArchivedFor = tree.Archived, "a duplicate"
			c := tree.NewChange(tree.OpArchive, n, 1, "a person", "a duplicate")
			commit(t, s, store.Batch{Changes: []tree.Change{c}})
			got, err := s.Get(t.Context(), n.ID)
			require.NoError(t, err)
			equal(t, c.Node, got)
		}},
		{"scan is sorted by id and filtered", scanFilters},
		{"scan shows the moment it began", scanSnapshot},
		{"scan can be left early", func(t testing.TB, open opener) {
			s := openNew(t, open)
			commit(t, s, store.Batch{Changes: []tree.Change{addCase(1, "x"), addCase(2, "x"), addCase(3, "x")}})
			for range 50 {
				for _, err := range s.Scan(t.Context(), store.Filter{}) {
					require.NoError(t, err)
					break
				}
			}
			commit(t, s, store.Batch{Changes: []tree.Change{addCase(4, "x")}})
		}},
		{"what is returned is the caller's own", ownership},
	}
}

// payloads writes texts that are hard to store, and expects every byte back, including after a restart.
func payloads(t testing.TB, open opener) {
	reopen := open(t)
	s := openAt(t, reopen)
	large := strings.Repeat("很长 & long <text> ", 3000)
	want := map[string]tree.Node{}
	var b store.Batch
	for i, text := range append(slices.Clone(texts), large, strings.Repeat("\\\"", 2000)) {
		n := aCase(100+i, text)
		n.CaseData.TestCase.Prompt = text
		n.CaseData.TestCase.GroundTruth = tree.Raw(`{"a":[1.50,1e400,-0,12345678901234567890],"b":"\u4e2d<&>","c":{}}`)
		n.ID = tree.EvidenceID(&n)
		c := tree.NewChange(tree.OpAdd, n, 0, "formation", text)
		want[n.ID] = c.Node
		b.Changes = append(b.Changes, c)
	}
	commit(t, s, b)
	for range 2 {
		for id, w := range want {
			got, err := s.Get(t.Context(), id)
			require.NoError(t, err)
			equal(t, w, got)
			require.Equal(t, w.CaseData.TestCase.Prompt, got.CaseData.TestCase.Prompt)
			require.Equal(t, w.CaseData.TestCase.GroundTruth, got.CaseData.TestCase.GroundTruth)
			require.Equal(t, w.ID, tree.EvidenceID(&got), "the evidence still has its hash")
		}
		require.NoError(t, s.Close())
		s = openAt(t, reopen)
	}
}

// scanFilters compares Scan with Filter.Match.
func scanFilters(t testing.TB, open opener) {
	reopen := open(t)
	s := openAt(t, reopen)
	var nodes []tree.Node
	for i := range 30 {
		c := addCase(i, "x")
		nodes = append(nodes, c.Node)
		commit(t, s, store.Batch{Changes: []tree.Change{c}})
	}
	e := tree.Node{
		ID: tree.GroupID(tree.Experience, "other_error", taxonomy.Other, []string{nodes[0].ID}), Type: tree.Experience,
		Level:     2,
		ErrorType: "other_error", Direction: taxonomy.Other, Lang: "zh", Status: tree.Active, Children: []string{nodes[0].ID},
		Content: tree.Content{Guidance: "look"}, Provenance: tree.Provenance{By: "evolution"},
	}
	c := tree.NewChange(tree.OpAdd, e, 0, "evolution", "one cause")
	commit(t, s, store.Batch{Changes: []tree.Change{c}})
	nodes = append(nodes, c.Node)
	slices.SortFunc(nodes, func(a, b tree.Node) int { return strings.Compare(a.ID, b.ID) })
	for range 2 {
		for _, f := range []store.Filter{
			{}, {Level: 1}, {Level: 2}, {Level: 3}, {ErrorType: "other_error"}, {ErrorType: "no_such"},
			{Direction: taxonomy.FalsePass}, {Status: tree.Active}, {Status: tree.Archived}, {After: "zzz"}, {After: "c"},
			{After: nodes[0].ID}, {After: nodes[1].ID, Level: 1}, {After: nodes[len(nodes)-1].ID},
			{Level: 1, ErrorType: "async_timing_error", Direction: taxonomy.FalseFail, Status: tree.Probation},
		} {
			var want []tree.Node
			for i := range nodes {
				if f.Match(&nodes[i]) {
					want = append(want, nodes[i])
				}
			}
			got := []tree.Node(nil)
			for n, err := range s.Scan(t.Context(), f) {
				require.NoError(t, err)
				got = append(got, n)
			}
			equal(t, want, got)
			bare, counted := f, f // the same nodes, with what counts need
			bare.Bare, counted.Counts = true, true
			wantCounts, err := tree.Count(func(yield func(tree.Node, error) bool) {
				for i := range want {
					if !yield(want[i], nil) {
						return
					}
				}
			})
			require.NoError(t, err)
			for _, f := range []store.Filter{bare, counted} {
				counts, err := tree.Count(s.Scan(t.Context(), f))
				require.NoError(t, err)
				require.Equal(t, wantCounts, counts)
			}
		}
		require.NoError(t, s.Close())
		s = openAt(t, reopen)
	}
}

// scanSnapshot changes nodes during a scan, which must not see it.
func scanSnapshot(t testing.TB, open opener) {
	s := openNew(t, open)
	var b store.Batch
	for i := range 20 {
		b.Changes = append(b.Changes, addCase(i, "old"))
	}
	commit(t, s, b)
	seen := 0
	for n, err := range s.Scan(t.Context(), store.Filter{}) {
		require.NoError(t, err)
		require.Equal(t, "old", n.Content.Description)
		if seen == 0 { // neither the writer nor the reader may wait for the other
			var b store.Batch
			for i := range 20 {
				b.Changes = append(b.Changes, tree.NewChange(tree.OpRevise, aCase(i, "new"), 1, "evolution", "better"),
					addCase(100+i, "new"))
			}
			commit(t, s, b)
		}
		seen++
	}
	require.Equal(t, 20, seen)
	seen = 0
	for n, err := range s.Scan(t.Context(), store.Filter{}) {
		require.NoError(t, err)
		require.Equal(t, "new", n.Content.Description, "a read sees every write acknowledged before it")
		seen++
	}
	require.Equal(t, 40, seen)
}

// spoil changes everything in a node that a careless copy would share.
func spoil(n *tree.Node) {
	n.Content.AppliesWhen = append(n.Content.AppliesWhen[:0], "spoilt")
	n.Content.Description = "spoilt"
	n.CaseData.TestCase.GroundTruth[0] = 'X'
	n.CaseData.ActualError = "spoilt"
	n.Occurrences[0].Evaluation = "spoilt"
	n.Counters["o_test"] = tree.Counters{Used: 99}
	n.Counters["spoilt"] = tree.Counters{}
}

// ownership changes everything passed to and returned by the store, and expects no effect.
func ownership(t testing.TB, open opener) {
	s := openNew(t, open)
	given := addCase(1, "x")
	want := asJSON(given.Node)
	b := store.Batch{Changes: []tree.Change{given}, Entries: []ledger.Entry{entry(1)}}
	commit(t, s, b)
	spoil(&b.Changes[0].Node)
	b.Entries[0].Verdict.Evaluation = "spoilt"
	for range 3 {
		n, err := s.Get(t.Context(), given.Node.ID)
		require.NoError(t, err)
		require.Equal(t, want, asJSON(n))
		spoil(&n)
		for n, err := range s.Scan(t.Context(), store.Filter{}) {
			require.NoError(t, err)
			require.Equal(t, want, asJSON(n))
			spoil(&n)
		}
		for e, err := range s.Ledger(t.Context(), 0) {
			require.NoError(t, err)
			require.Equal(t, "ev1", e.Verdict.Evaluation)
			e.Verdict.Evaluation = "spoilt"
		}
	}
	e := evaluation(1, 1)
	_, err := s.Accept(t.Context(), []tree.Evaluation{e})
	require.NoError(t, err)
	e.Judgment[0], e.GroundTruth[0] = 'X', 'X'
	for range 2 {
		es, err := s.Lease(t.Context(), 1)
		require.NoError(t, err)
		equal(t, []tree.Evaluation{evaluation(1, 1)}, es)
		es[0].Judgment[0] = 'X'
		require.NoError(t, s.Release(t.Context(), []string{"ev1"}))
	}
}
