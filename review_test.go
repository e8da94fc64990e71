package memtree_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

func TestReview(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	m := learning(t, dir, nil)
	all, err := m.Review().Proposals(t.Context())
	require.NoError(t, err)
	require.Empty(t, all, "nobody has asked for any")
	v, err := m.Evolve(t.Context(), &memtree.EvolveOptions{Review: true})
	require.NoError(t, err)
	require.NotEmpty(t, v.Proposals())
	all, err = m.Review().Proposals(t.Context())
	require.NoError(t, err)
	require.Equal(t, v.Proposals(), all, "they are kept")
	s, err := tree.Count(m.Tree().Scan(t.Context(), store.Filter{}))
	require.NoError(t, err)
	require.Zero(t, s.Levels["experience"], "what nobody has accepted is not used")

	var field *tree.FieldError
	_, err = m.Review().Decide(t.Context(), evolution.ReviewDecision{Accept: []string{"j_nonsense"}})
	require.ErrorAs(t, err, &field)
	_, err = m.Review().Decide(t.Context(), evolution.ReviewDecision{Reject: []string{all[0].Key}})
	require.ErrorAs(t, err, &field, "a rejection says why")

	_, err = m.Review().Decide(t.Context(), evolution.ReviewDecision{
		Accept: []string{all[0].Key}, Reject: []string{all[1].Key}, By: "ann", Why: "says nothing new",
	})
	require.NoError(t, err)
	n, err := m.Tree().Get(t.Context(), all[0].Node.ID)
	require.NoError(t, err)
	require.Equal(t, all[0].Node.Content, n.Content, "what was read is what is used")
	_, err = m.Tree().Get(t.Context(), all[1].Node.ID)
	require.ErrorIs(t, err, tree.ErrNotFound)
	refused, err := m.Review().Rejected(t.Context())
	require.NoError(t, err)
	require.Condition(t, func() bool {
		for _, r := range refused {
			if r.By == "ann" && r.Reasons[0] == "says nothing new" {
				return true
			}
		}
		return false
	})
	_, err = m.Evolve(t.Context(), nil)
	require.NoError(t, err)
	_, err = m.Tree().Get(t.Context(), all[1].Node.ID)
	require.ErrorIs(t, err, tree.ErrNotFound, "a person's no holds for every later evolve")
	u, err := m.Curation().Undo(t.Context(), "", curation.Options{By: "ann"})
	require.NoError(t, err)
	require.Equal(t, tree.DecisionAccept, u.Undone.Kind)
	u, err = m.Curation().Undo(t.Context(), "", curation.Options{By: "ann"})
	require.NoError(t, err)
	require.Equal(t, tree.DecisionReject, u.Undone.Kind)
	_, err = m.Evolve(t.Context(), nil)
	require.NoError(t, err)
	_, err = m.Tree().Get(t.Context(), all[1].Node.ID)
	require.NoError(t, err, "until it is taken back")
	problems(t, m)
}

// An acceptance is in the history with the name of who accepted. Taken back, the lesson is out of use and its draft
// waits again, also for later learning in review; accepted once more it is in use as before.
func TestAcceptanceIsTakenBack(t *testing.T) {
	ctx := t.Context()
	m := learning(t, filepath.Join(t.TempDir(), "store"), nil)
	_, err := m.Evolve(ctx, &memtree.EvolveOptions{Review: true})
	require.NoError(t, err)
	all, err := m.Review().Proposals(ctx)
	require.NoError(t, err)
	id, first := all[0].Node.ID, all[0].Key
	accept := func() tree.Node {
		_, err := m.Review().Decide(ctx, evolution.ReviewDecision{Accept: []string{first}, By: "ann"})
		require.NoError(t, err)
		n, err := m.Tree().Get(ctx, id)
		require.NoError(t, err)
		require.True(t, n.Live())
		return n
	}
	was := accept()
	past, err := m.Curation().History(ctx, id)
	require.NoError(t, err)
	require.Len(t, past, 1)
	require.Equal(t, tree.DecisionAccept, past[0].Kind)
	require.Equal(t, "ann", past[0].By)
	require.True(t, past[0].Free)

	_, err = m.Curation().Undo(ctx, id, curation.Options{By: "ann"})
	require.NoError(t, err)
	problems(t, m)
	for range 2 {
		n, err := m.Tree().Get(ctx, id)
		require.NoError(t, err)
		require.False(t, n.Live())
		now, err := m.Review().Proposals(ctx)
		require.NoError(t, err)
		require.True(t, slices.ContainsFunc(now, func(p evolution.Proposal) bool { return p.Key == first }), "it waits again")
		_, err = m.Evolve(ctx, &memtree.EvolveOptions{Review: true})
		require.NoError(t, err)
	}
	again := accept()
	require.Equal(t, was.Content, again.Content)
	require.Equal(t, was.Children, again.Children)
	problems(t, m)
}

func TestPrune(t *testing.T) {
	m := learning(t, filepath.Join(t.TempDir(), "store"), nil)
	_, err := m.Evolve(t.Context(), nil)
	require.NoError(t, err)
	before := dump(t, m)
	p, err := m.Prune(t.Context(), &evolution.PruneOptions{DryRun: true})
	require.NoError(t, err)
	require.Empty(t, p.Forgotten, "evolve has forgotten already")
	require.Equal(t, before, dump(t, m))
}
