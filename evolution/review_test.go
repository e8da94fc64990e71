package evolution

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/tree"
)

// What is kept of jobs is derived data and may be anything.
func FuzzRecord(f *testing.F) {
	m := planted(f, shop())
	m.evolve(options(f), PlanOptions{})
	for _, v := range m.kept {
		f.Add(v)
	}
	f.Add([]byte(`{"job":"j","refused":[{}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, r := range Rejections(b) {
			_ = r.Reasons
		}
		again, err := Accept(b)
		if err != nil {
			return
		}
		gone, err := Reject(again, &Proposal{Key: "j", Node: tree.Node{Type: tree.Experience}}, "no")
		require.NoError(t, err)
		all := Rejections(gone)
		require.Equal(t, "no", all[len(all)-1].Reasons[0])
		_, err = Accept(gone)
		require.ErrorIs(t, err, errNoDraft)
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
		v, err := Accept(m.kept[p.Key])
		require.NoError(t, err)
		m.kept[p.Key] = v
	}
	m.evolve(options(t), PlanOptions{Review: true})
	require.Len(t, m.live(tree.Experience), 2)
	require.Empty(t, m.live(tree.Strategy), "a strategy over them has not been read yet")
}

// A call that could cost more than is left is not made.
func TestMaxCost(t *testing.T) {
	for _, c := range []struct {
		most  float64
		calls int
	}{{0, 1}, {1e-9, 0}, {1, 1}} {
		m := planted(t, sums())
		o := options(t)
		o.Generator, o.Model = model(answer(nil)), "scripted"
		var last Step
		plans := m.evolve(o, PlanOptions{MaxCost: c.most, Price: Price{In: 1, Out: 2}, Progress: func(s Step) { last = s }})
		require.Equal(t, c.calls, plans[0].Calls)
		require.Equal(t, 1-c.calls, plans[0].Waiting)
		require.Equal(t, c.calls, last.Calls)
		require.InDelta(t, float64(c.calls)*(1000*1+100*2)/1e6, last.Cost, 1e-12)
	}
}
