package core

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/store"
	jsonstore "github.com/memtree/memtree/store/json"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

var noon = time.Date(2026, 1, 28, 12, 0, 0, 0, time.UTC)

// world is a core over a store in memory, with what it reported as committed.
type world struct {
	*Core
	committed int
}

func open(t *testing.T) *world {
	t.Helper()
	s, err := jsonstore.OpenMemory(t.Context(), jsonstore.Options{Started: noon})
	require.NoError(t, err)
	w := &world{}
	w.Core, err = Open(t.Context(), Options{
		Store: s, Taxonomy: taxonomy.Default(), Logger: slog.New(slog.DiscardHandler),
		Commit: func(*store.Batch, []tree.Node) { w.committed++ },
	})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, w.Close(t.Context()))
		require.NoError(t, s.Close())
	})
	return w
}

// aCase is the i-th case of the tests.
func aCase(i int) tree.Node {
	n := tree.Node{
		Type: tree.Case, Level: 1, ErrorType: "content_validation_error", Direction: taxonomy.FalsePass, Lang: "en",
		Status: tree.Active, Children: []string{}, Origin: tree.Origin{ID: "o_test"},
		Provenance:  tree.Provenance{By: "formation"},
		Content:     tree.Content{Description: "the total was not added up", Guidance: "Add up the total.", Confidence: .5},
		Metadata:    tree.Metadata{CreatedAt: noon, UpdatedAt: noon},
		Occurrences: []tree.Occurrence{{Evaluation: fmt.Sprint("ev", i), At: noon}},
		CaseData: &tree.CaseData{
			TestCase:      tree.TestCase{CaseID: fmt.Sprint("t", i), Prompt: fmt.Sprint("Check the order total ", i)},
			AgentJudgment: "pass", ActualError: "it was 41", ErrorReason: "not added up", AvoidanceHint: "add it up",
		},
	}
	n.ID = tree.EvidenceID(&n)
	return n
}

func added(n tree.Node) store.Batch {
	return store.Batch{Changes: []tree.Change{tree.NewChange(tree.OpAdd, n, 0, "formation", "it was judged wrong")}}
}

// TestApplyUpdatesTheIndex: when Apply returns, the case is stored, found, and reported once.
func TestApplyUpdatesTheIndex(t *testing.T) {
	w := open(t)
	n := aCase(1)
	require.NoError(t, w.Apply(t.Context(), added(n)))
	r, err := w.Index().Search(t.Context(), retrieval.Query{Prompt: n.CaseData.TestCase.Prompt, Now: noon})
	require.NoError(t, err)
	require.Len(t, r.Hits, 1)
	require.Equal(t, n.ID, r.Hits[0].ID)
	got, err := w.Read(t.Context(), n.ID)
	require.NoError(t, err)
	require.Equal(t, n.Content.Guidance, got.Content.Guidance)
	require.Equal(t, 1, w.committed)
	require.EqualValues(t, 1, w.Changed())
}

// TestApplyWritesAllOrNothing: one change that breaks a law leaves no trace of the others.
func TestApplyWritesAllOrNothing(t *testing.T) {
	for name, spoil := range map[string]func(*tree.Change){
		"no operation":    func(c *tree.Change) { c.Op = "" },
		"no reason":       func(c *tree.Change) { c.Why = "" },
		"no author":       func(c *tree.Change) { c.By = "" },
		"a broken law":    func(c *tree.Change) { c.Node.Level = 2 },
		"a parent absent": func(c *tree.Change) { c.Node.Parent = "e_absent" },
	} {
		t.Run(name, func(t *testing.T) {
			w := open(t)
			good, bad := added(aCase(1)), added(aCase(2))
			spoil(&bad.Changes[0])
			require.Error(t, w.Apply(t.Context(), store.Batch{Changes: append(good.Changes, bad.Changes...)}))
			_, err := w.Read(t.Context(), good.Changes[0].Node.ID)
			require.ErrorIs(t, err, tree.ErrNotFound)
			require.Zero(t, w.Index().Stats().Nodes)
			require.Zero(t, w.committed)
		})
	}
}

// TestStalePlansAreMadeAgain: UntilFresh plans until a plan is not stale, eight times at most, and counts.
func TestStalePlansAreMadeAgain(t *testing.T) {
	w := open(t)
	tries := 0
	require.NoError(t, w.UntilFresh(func() error {
		if tries++; tries < 3 {
			return fmt.Errorf("apply: %w", store.ErrConflict)
		}
		return nil
	}))
	require.Equal(t, 3, tries)
	require.EqualValues(t, 2, w.Conflicts())
	tries = 0
	require.ErrorIs(t, w.UntilFresh(func() error { tries++; return store.ErrConflict }), store.ErrConflict)
	require.Equal(t, mostPlans, tries)
	tries = 0
	other := errors.New("the disk is gone")
	require.ErrorIs(t, w.UntilFresh(func() error { tries++; return other }), other)
	require.Equal(t, 1, tries)
}

// TestApplyIfIsAskedLast: what made a plan stale before the commit stops it.
func TestApplyIfIsAskedLast(t *testing.T) {
	w := open(t)
	n := aCase(1)
	require.ErrorIs(t, w.ApplyIf(t.Context(), added(n), func() bool { return false }), store.ErrConflict)
	_, err := w.Read(t.Context(), n.ID)
	require.ErrorIs(t, err, tree.ErrNotFound)
}

// TestARefusedCaseIsNotRead: what a person banned is stored and not read for guidance, and a decision is counted.
func TestARefusedCaseIsNotRead(t *testing.T) {
	w := open(t)
	n := aCase(1)
	require.NoError(t, w.Apply(t.Context(), added(n)))
	banned, err := w.store.Get(t.Context(), n.ID)
	require.NoError(t, err)
	basis := banned.Revision
	banned.Mark = tree.Banned
	banned.Decision = &tree.Decision{Kind: tree.DecisionBan, At: noon, By: "ann", Hash: tree.ContentHash(&banned)}
	b := store.Batch{
		Changes: []tree.Change{tree.NewChange(tree.OpStatus, banned, basis, "ann", "it is wrong")},
		Entries: []ledger.Entry{{At: noon, Act: &ledger.Action{ID: "a_1", Kind: tree.DecisionBan, By: "ann", Node: n.ID}}},
	}
	require.NoError(t, w.Apply(t.Context(), b))
	got, err := w.ReadAll(t.Context(), []string{n.ID, "c_absent"})
	require.NoError(t, err)
	for i := range got {
		require.False(t, got[i].Live(), "a banned case is not in use")
	}
	whole, err := w.Whole(t.Context(), n.ID)
	require.NoError(t, err)
	require.Equal(t, n.CaseData.TestCase.Prompt, whole.CaseData.TestCase.Prompt)
	require.EqualValues(t, 1, w.Decisions())
}

// TestWritersSideBySide: plans on one node at once lose no update, and the index ends as the store.
func TestWritersSideBySide(t *testing.T) {
	w := open(t)
	n := aCase(1)
	require.NoError(t, w.Apply(t.Context(), added(n)))
	var writers sync.WaitGroup
	for i := range 4 {
		writers.Go(func() {
			for k := range 5 {
				err := w.UntilFresh(func() error {
					now, err := w.store.Get(t.Context(), n.ID)
					if err != nil {
						return err
					}
					basis := now.Revision
					now.Occurrences = append(now.Occurrences, tree.Occurrence{Evaluation: fmt.Sprint(i, "-", k), At: noon})
					c := tree.NewChange(tree.OpAttach, now, basis, "formation", "it happened again")
					return w.Apply(t.Context(), store.Batch{Changes: []tree.Change{c}})
				})
				if !errors.Is(err, store.ErrConflict) { // the eighth of eight plans may be stale too
					require.NoError(t, err)
				}
			}
		})
	}
	writers.Wait()
	stored, err := w.store.Get(t.Context(), n.ID)
	require.NoError(t, err)
	require.Equal(t, stored.Revision, len(stored.Occurrences), "one update, one occurrence")
	require.Equal(t, 1, w.Index().Stats().Nodes)
}
