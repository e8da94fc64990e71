package memtree_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	jsonstore "github.com/memtree/memtree/store/json"
	"github.com/memtree/memtree/tree"
)

// commits counts the commits of a store.
type commits struct {
	store.Store
	n atomic.Int64
}

func (c *commits) Commit(ctx context.Context, b store.Batch) (uint64, error) {
	c.n.Add(1)
	return c.Store.Commit(ctx, b)
}

// Answers in a row share commits of the ledger, and Wait does not wait for the rest between two.
func TestTrialsShareCommits(t *testing.T) {
	below, err := jsonstore.OpenMemory(t.Context(), jsonstore.Options{Started: day})
	require.NoError(t, err)
	s := &commits{Store: below}
	m := open(t, "", &memtree.Options{Store: s})
	require.NoError(t, m.Record(t.Context(), missed(1)))
	require.NoError(t, m.Wait(t.Context()))
	before := s.n.Load()
	began := time.Now()
	const answers = 200
	for range answers {
		_, err := m.Guide(t.Context(), ask)
		require.NoError(t, err)
	}
	require.NoError(t, m.Wait(t.Context()))
	most := 2 + int64(time.Since(began)/(20*time.Millisecond)) // the first, those after a rest, and the one of Wait
	require.LessOrEqual(t, s.n.Load()-before, most)
	n := 0
	for _, e := range entries(t, s) {
		if e.Trial != nil {
			n++
		}
	}
	require.Equal(t, answers, n)
}

// The guidance shares memory with the stored nodes, and does not change them.
func TestGuideChangesNoNode(t *testing.T) {
	m := open(t, t.TempDir(), nil)
	for i := range 8 {
		require.NoError(t, m.Record(t.Context(), missed(i)))
	}
	require.NoError(t, m.Wait(t.Context()))
	_, err := m.Evolve(t.Context(), nil)
	require.NoError(t, err)
	spelled := func() (out []string) {
		for _, n := range nodes(t, m) {
			kept, err := m.Tree().Get(t.Context(), n.ID)
			require.NoError(t, err)
			out = append(out, tree.Spelled(&kept))
		}
		return out
	}
	before := spelled()
	q := ask
	q.Observation = "- heading \"Cart\"\n- button \"Order\"\n"
	for _, lang := range []string{"zh", "en"} {
		q.Lang = lang
		_, err := m.Guide(t.Context(), q)
		require.NoError(t, err)
		_, err = m.Explain(t.Context(), q)
		require.NoError(t, err)
		_, err = m.Checks(t.Context(), q)
		require.NoError(t, err)
	}
	require.Equal(t, before, spelled())
}

// A later step is in the arm of the first, in another process too, and no id discloses the arm.
func TestStepsStayInTheArm(t *testing.T) {
	dir := t.TempDir()
	m := open(t, dir, nil)
	for i := range 3 {
		require.NoError(t, m.Record(t.Context(), missed(i)))
	}
	require.NoError(t, m.Wait(t.Context()))
	none, all := effect.Fixed(1), effect.Fixed(0)
	given := map[ledger.Arm]string{}
	for arm, h := range map[ledger.Arm]effect.Holdout{ledger.ArmHoldout: none, ledger.ArmMemory: all} {
		q := ask
		q.RunID, q.Holdout = "run-"+string(arm), &h
		g, err := m.Guide(t.Context(), q)
		require.NoError(t, err)
		require.Equal(t, arm, g.Arm)
		require.Equal(t, arm == ledger.ArmHoldout, g.Text == "")
		require.Regexp(t, "^t_[0-9a-z]+$", g.Trial)
		given[arm] = g.Trial
	}
	step := func(trial string) string {
		q := ask
		q.Trial, q.Step, q.StepNumber = trial, "Open the cart", 2
		g, err := m.Guide(t.Context(), q)
		require.NoError(t, err)
		return g.Text
	}
	holds := func() {
		require.Empty(t, step(given[ledger.ArmHoldout]))
		require.NotEmpty(t, step(given[ledger.ArmMemory]))
		require.NotEmpty(t, step("t_0123"), "nobody knows it")
	}
	holds()
	require.NoError(t, m.Close())
	m = open(t, dir, nil)
	holds()
}
