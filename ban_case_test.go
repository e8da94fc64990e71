package memtree_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// again is the next run of the test of sumRun, with the same mistake and a note in other words.
func again(id, subject string, day int) tree.Evaluation {
	e := sumRun(id, subject, day)
	e.Reason = "Wrong " + subject + " total: nobody added up the prices of its lines, so that the sum differs from the " +
		"number shown."
	return e
}

// TestABannedCaseIsNotLearnedAgain: the next run of its test that makes the same mistake counts as one more occurrence
// of a banned case, in whatever words its note is, and nothing of it is given.
func TestABannedCaseIsNotLearnedAgain(t *testing.T) {
	for _, banned := range []bool{false, true} {
		m := summed(t, 1)
		n := caseOf(t, m, "r1")
		if banned {
			_, err := m.Curation().Ban(t.Context(), n.ID, curation.Options{By: "ann"})
			require.NoError(t, err)
		}
		require.NoError(t, recordAndWait(t, m, again("r2", "cart", 20)))
		require.Len(t, caseOf(t, m, "r1").Occurrences, 2, "banned: %v", banned)
		require.Equal(t, n.ID, verdictNow(t, m, "r2").Node)
		require.NoError(t, recordAndWait(t, m, again("r3", "cart", 21)))
		require.Len(t, caseOf(t, m, "r1").Occurrences, 3)
		if banned {
			require.Empty(t, liveOf(t, m, tree.Case))
			g, err := m.Guide(t.Context(), memtree.Query{Prompt: sumRun("", "cart", 1).Prompt})
			require.NoError(t, err)
			require.Empty(t, g.Items)
			_, err = m.Curation().Undo(t.Context(), n.ID, curation.Options{By: "ann"})
			require.NoError(t, err)
		}
		require.Len(t, liveOf(t, m, tree.Case), 1)
		problems(t, m)
	}
}

// TestABannedCaseHoldsAfterReopening: which cases are banned is read from the store, with the commits after that.
func TestABannedCaseHoldsAfterReopening(t *testing.T) {
	dir := t.TempDir()
	m := open(t, dir, nil)
	require.NoError(t, recordAndWait(t, m, sumRun("r1", "cart", 5)))
	require.NoError(t, recordAndWait(t, m, sumRun("o1", "order", 5)))
	_, err := m.Curation().Ban(t.Context(), caseOf(t, m, "r1").ID, curation.Options{By: "ann"})
	require.NoError(t, err)
	require.NoError(t, m.Close())
	m = open(t, dir, nil)
	require.NoError(t, recordAndWait(t, m, again("r2", "cart", 20)))
	require.Len(t, caseOf(t, m, "r1").Occurrences, 2)
	_, err = m.Curation().Ban(t.Context(), caseOf(t, m, "o1").ID, curation.Options{By: "ann"})
	require.NoError(t, err)
	require.NoError(t, recordAndWait(t, m, again("o2", "order", 20)))
	require.Len(t, caseOf(t, m, "o1").Occurrences, 2)
	require.Empty(t, liveOf(t, m, tree.Case))
	problems(t, m)
}

func recordAndWait(t *testing.T, m *memtree.Memory, e memtree.Evaluation) error {
	t.Helper()
	err := m.Record(t.Context(), e)
	require.NoError(t, m.Wait(t.Context()))
	return err
}

func verdictNow(t *testing.T, m *memtree.Memory, id string) ledger.Verdict {
	t.Helper()
	v, err := m.Curation().Evaluation(t.Context(), id)
	require.NoError(t, err)
	return v
}
