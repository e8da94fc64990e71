package evolution

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/tree"
)

// Stored results of jobs are derived data and may be anything.
func FuzzRecord(f *testing.F) {
	m := planted(f, shop())
	m.evolve(options(f), PlanOptions{})
	for _, v := range m.kept {
		f.Add(v)
	}
	f.Add([]byte(`{"job":"j","refused":[{}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, r := range rejections(b) {
			_ = r.Reasons
		}
		again, err := worded(b, acceptedWord)
		if err != nil {
			require.ErrorIs(t, err, ErrNoDraft)
			return
		}
		_, err = worded(again, acceptedWord)
		require.NoError(t, err)
	})
}

func TestReviewHoldsBack(t *testing.T) {
	m := planted(t, shop())
	plans := m.evolve(options(t), PlanOptions{Review: true})
	var proposals []Proposal
	for _, p := range plans {
		proposals = append(proposals, p.Proposals...)
	}
	require.Len(t, proposals, 2)
	require.Empty(t, m.live(tree.Experience))
	for _, p := range proposals {
		v, err := worded(m.kept[p.Key], acceptedWord)
		require.NoError(t, err)
		m.kept[p.Key] = v
	}
	m.evolve(options(t), PlanOptions{Review: true})
	require.Len(t, m.live(tree.Experience), 2)
	require.Empty(t, m.live(tree.Strategy), "a strategy over them has not been read yet")
}
