//go:build unix

package memtree_test

import (
	"context"
	"iter"
	"sync"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	jsonstore "github.com/memtree/memtree/store/json"
	"github.com/memtree/memtree/store/postgres"
	"github.com/memtree/memtree/store/postgres/pgtest"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

// labelStores opens a store of each kind, again and again the same one.
func labelStores(t *testing.T, run func(t *testing.T, open func() store.Store)) {
	t.Run("folder", func(t *testing.T) {
		fs := afero.NewMemMapFs()
		run(t, func() store.Store {
			s, err := jsonstore.Open(t.Context(), fs, "store", jsonstore.Options{})
			require.NoError(t, err)
			return s
		})
	})
	t.Run("postgres", func(t *testing.T) {
		server := pgtest.Start(t, "fsync=off")
		a, err := postgres.Parse(server.URL("postgres"))
		require.NoError(t, err)
		run(t, func() store.Store {
			s, err := postgres.Open(t.Context(), a, postgres.Options{})
			require.NoError(t, err)
			return s
		})
	})
}

func memoryOn(t *testing.T, s store.Store) *memtree.Memory {
	t.Helper()
	m, err := memtree.Open(t.Context(), t.TempDir(), &memtree.Options{Store: s})
	require.NoError(t, err)
	t.Cleanup(func() { _ = m.Close() })
	return m
}

const passed, failed = `{"passed":true}`, `{"passed":false}`

func cartRun(id, truth string) memtree.Evaluation {
	e := memtree.Evaluation{ID: id, CaseID: "case-" + id, Prompt: "Check the total of the cart " + id,
		Judgment: tree.Raw(passed), At: time.Date(2026, 1, 28, 9, 0, 0, 0, time.UTC)}
	if e.GroundTruth = tree.Raw(truth); truth == failed {
		e.Reason = "It did not add up the items."
	}
	return e
}

// TestLabelOutlastsATruthOnItsWay: a truth that no Record has compared, such as one from the journal of a machine that
// was without its database, or of a process that was killed before it formed, does not change a person's label. It is
// kept, and comes back when the label is undone.
func TestLabelOutlastsATruthOnItsWay(t *testing.T) {
	labelStores(t, func(t *testing.T, open func() store.Store) {
		ann, right, wrong := curation.Options{By: "ann"}, true, false
		labels := map[string]curation.Truth{"right": {Correct: &right}, "wrong": {Correct: &wrong}}
		truths := map[string]string{"right": failed, "wrong": passed}
		m := memoryOn(t, open())
		for id, truth := range labels {
			require.NoError(t, recordAndWait(t, m, cartRun(id, "")))
			_, err := m.Curation().Relabel(t.Context(), id, truth, ann)
			require.NoError(t, err)
		}
		was, had := map[string]ledger.Verdict{}, cases(t, m)
		for id := range labels {
			was[id] = verdictNow(t, m, id)
		}
		require.NoError(t, m.Close())

		s := open()
		for id, truth := range truths {
			_, err := s.Accept(t.Context(), []tree.Evaluation{cartRun(id, truth)})
			require.NoError(t, err)
		}
		require.NoError(t, s.Close())

		m = memoryOn(t, open())
		require.NoError(t, m.Wait(t.Context()))
		for id := range labels {
			require.Equal(t, was[id], verdictNow(t, m, id))
		}
		require.Equal(t, had, cases(t, m))
		var letters []string
		for d, err := range m.Tree().DeadLetters(t.Context()) {
			require.NoError(t, err)
			require.True(t, d.Overruled())
			letters = append(letters, d.Why)
		}
		require.Len(t, letters, 2)
		require.Contains(t, letters[0], "ann labelled this run otherwise")

		// bob is of another mind, and then not.
		_, err := m.Curation().Relabel(t.Context(), "right", curation.Truth{Correct: &wrong},
			curation.Options{By: "bob", Over: true})
		require.NoError(t, err)
		require.False(t, verdictNow(t, m, "right").Correct)
		_, err = m.Curation().Undo(t.Context(), "right", curation.Options{By: "bob"})
		require.NoError(t, err)
		require.True(t, verdictNow(t, m, "right").Correct, "ann's label")
		require.Equal(t, "ann", verdictNow(t, m, "right").By)

		for id := range labels {
			_, err := m.Curation().Undo(t.Context(), id, ann)
			require.NoError(t, err)
			now := verdictNow(t, m, id)
			require.True(t, now.Labelled)
			require.Equal(t, truths[id] == passed, now.Correct, "what the run was recorded with")
		}
		require.NotEmpty(t, verdictNow(t, m, "right").Node)
		require.Equal(t, "right", caseOf(t, m, "right").Occurrences[0].Evaluation)
		require.Empty(t, verdictNow(t, m, "wrong").Node)
		require.Equal(t, 1, cases(t, m))
		require.NoError(t, recordAndWait(t, m, cartRun("right", failed)), "it was recorded")
		problems(t, m)
	})
}

// TestUndoKeepsATruthThatAgreed: a truth that agrees with a label is accepted, and is not lost when that is undone.
func TestUndoKeepsATruthThatAgreed(t *testing.T) {
	labelStores(t, func(t *testing.T, open func() store.Store) {
		ann, right, wrong := curation.Options{By: "ann"}, true, false
		m := memoryOn(t, open())
		for id, truth := range map[string]string{"right": passed, "wrong": failed, "also wrong": failed} {
			require.NoError(t, recordAndWait(t, m, cartRun(id, "")))
			label := curation.Truth{Correct: &right}
			if truth == failed {
				label = curation.Truth{Correct: &wrong, Reason: "It did not add up the items."}
			}
			_, err := m.Curation().Relabel(t.Context(), id, label, ann)
			require.NoError(t, err)
			if id == "also wrong" { // there and back leaves an archived case, which is used again
				_, err = m.Curation().Undo(t.Context(), id, ann)
				require.NoError(t, err)
				_, err = m.Curation().Relabel(t.Context(), id, label, ann)
				require.NoError(t, err)
			}
			require.NoError(t, recordAndWait(t, m, cartRun(id, truth)))
			require.Equal(t, truth == passed, verdictNow(t, m, id).Correct)
			_, err = m.Curation().Undo(t.Context(), id, ann)
			require.NoError(t, err)
			now := verdictNow(t, m, id)
			require.True(t, now.Labelled, id)
			require.Equal(t, truth == passed, now.Correct, id)
			if truth == failed {
				n := caseOf(t, m, id)
				require.Equal(t, n.ID, now.Node, id)
				require.True(t, n.Live(), id)
			}
			require.ErrorIs(t, recordAndWait(t, m, cartRun(id, map[string]string{passed: failed, failed: passed}[truth])),
				store.ErrContradiction)
			problems(t, m)
		}
		require.Equal(t, 2, cases(t, m))
	})
}

// interrupted is a store that calls out once, in the middle of what a memory does.
type interrupted struct {
	*jsonstore.Store
	accept, scan *sync.Once
	then         func()
}

func (s *interrupted) Accept(ctx context.Context, es []tree.Evaluation) ([]store.Receipt, error) {
	if es[0].Labelled() && s.accept != nil {
		s.accept.Do(s.then)
	}
	return s.Store.Accept(ctx, es)
}

func (s *interrupted) Scan(ctx context.Context, f store.Filter) iter.Seq2[tree.Node, error] {
	if f.Level == 3 && s.scan != nil {
		s.scan.Do(s.then)
	}
	return s.Store.Scan(ctx, f)
}

// TestLabelWhileATruthIsRecorded: a label is given after Record has compared the truth, and a truth is formed after a
// label was planned.
func TestLabelWhileATruthIsRecorded(t *testing.T) {
	inner, err := jsonstore.OpenMemory(t.Context(), jsonstore.Options{})
	require.NoError(t, err)
	s := &interrupted{Store: inner}
	m := memoryOn(t, s)
	right := true
	label := func(id string) {
		_, err := m.Curation().Relabel(t.Context(), id, curation.Truth{Correct: &right}, curation.Options{By: "ann"})
		require.NoError(t, err)
	}
	for _, id := range []string{"r1", "r2"} {
		require.NoError(t, recordAndWait(t, m, cartRun(id, "")))
	}
	s.then, s.accept = func() { label("r1") }, new(sync.Once)
	require.NoError(t, recordAndWait(t, m, cartRun("r1", failed)), "nobody had labelled it")
	require.True(t, verdictNow(t, m, "r1").Correct)
	require.Zero(t, cases(t, m))

	s.then, s.scan = func() { require.NoError(t, recordAndWait(t, m, cartRun("r2", failed))) }, new(sync.Once)
	label("r2")
	require.True(t, verdictNow(t, m, "r2").Correct)
	require.Zero(t, cases(t, m), "the label was planned again, on the case of the truth")
	_, err = m.Curation().Undo(t.Context(), "r2", curation.Options{By: "ann"})
	require.NoError(t, err)
	require.False(t, verdictNow(t, m, "r2").Correct)
	require.Equal(t, 1, cases(t, m))
	problems(t, m)
}

// TestLabelOutlastsAJournal: a truth was accepted on a machine without its database, where nobody labelled the run.
func TestLabelOutlastsAJournal(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	a, err := postgres.Parse(server.URL("postgres"))
	require.NoError(t, err)
	journal := afero.NewMemMapFs()
	replica := func(there bool) store.Store {
		s, err := postgres.Open(t.Context(), a, postgres.Options{})
		require.NoError(t, err)
		j, err := jsonstore.Open(t.Context(), journal, "journal", jsonstore.Options{})
		require.NoError(t, err)
		if !there {
			_, err = j.Accept(t.Context(), []tree.Evaluation{cartRun("r1", failed), cartRun("r2", passed)})
			require.NoError(t, err)
		}
		r, err := postgres.NewReplica(t.Context(), s, postgres.ReplicaOptions{Local: j})
		require.NoError(t, err)
		return r
	}
	right := true
	m := memoryOn(t, replica(true))
	for _, id := range []string{"r1", "r2"} {
		require.NoError(t, recordAndWait(t, m, cartRun(id, "")))
		_, err = m.Curation().Relabel(t.Context(), id, curation.Truth{Correct: &right}, curation.Options{By: "ann"})
		require.NoError(t, err)
	}
	require.NoError(t, m.Close())
	m = memoryOn(t, replica(false))
	require.Eventually(t, func() bool {
		require.NoError(t, m.Wait(t.Context()))
		info, err := m.Tree().Info(t.Context())
		require.NoError(t, err)
		return info.Dead == 1 && info.Outbox == 0
	}, 20*time.Second, 20*time.Millisecond)
	for _, id := range []string{"r1", "r2"} {
		require.True(t, verdictNow(t, m, id).Correct)
	}
	require.Zero(t, cases(t, m))
	problems(t, m)
}

// TestLabelByAnotherProcess: one process labels a run while another one forms its truth. Whichever commits first, the
// label is the last verdict, and no case of the truth is in use.
func TestLabelByAnotherProcess(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	one, other := openShared(t, server), openShared(t, server)
	right := true
	for i := range 8 {
		id := string(rune('a' + i))
		require.NoError(t, recordAndWait(t, one, cartRun(id, "")))
		var both sync.WaitGroup
		both.Go(func() {
			if err := one.Record(t.Context(), cartRun(id, failed)); err != nil {
				require.ErrorIs(t, err, store.ErrContradiction)
			}
		})
		both.Go(func() {
			_, err := other.Curation().Relabel(t.Context(), id, curation.Truth{Correct: &right, Run: new(cartRun(id, ""))},
				curation.Options{By: "ann"})
			if err != nil {
				t.Error(err)
			}
		})
		both.Wait()
		require.NoError(t, one.Wait(t.Context()))
		require.True(t, verdictNow(t, one, id).Correct, id)
		require.Zero(t, cases(t, one), id)
	}
	problems(t, one)
}

// TestRelabelOutlastsAnImport: a trusted file from before a label does not bring back a run that the label took out of
// a case.
func TestRelabelOutlastsAnImport(t *testing.T) {
	m := summed(t, 4)
	require.NoError(t, recordAndWait(t, m, sumRun("r9", "cart", 20)))
	var before []tree.Node
	for n, err := range m.Tree().Scan(t.Context(), store.Filter{}) {
		require.NoError(t, err)
		before = append(before, n)
	}
	relabel(t, m, "r9", `{"verdict":"pass"}`)
	relabel(t, m, "r2", `{"verdict":"pass"}`)
	take := func() {
		_, err := m.Transfer().Import(t.Context(), all(before), &transfer.ImportOptions{Trust: true})
		require.NoError(t, err)
	}
	take()
	evolve(t, m)
	require.Len(t, caseOf(t, m, "r1").Occurrences, 1)
	for _, n := range liveOf(t, m, tree.Case) {
		require.NotEqual(t, "r2", n.Occurrences[0].Evaluation)
	}
	_, err := m.Curation().Undo(t.Context(), "r9", curation.Options{By: "ann"})
	require.NoError(t, err)
	take()
	require.Len(t, caseOf(t, m, "r1").Occurrences, 2)
	problems(t, m)
}
