package risk

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/tree"
)

func TestGiven(t *testing.T) {
	verdict := func(j string) *tree.Evaluation { return &tree.Evaluation{Judgment: tree.Raw(j)} }
	base := Risk{P: 0.3, Low: 0.2, High: 0.4, Order: 0.3, Because: []Reason{{Signal: "judge", LogOdds: 1}}}
	broken, holds := Seen{Broken: 1, Holds: 2, Memories: []string{"c_1"}}, Seen{Holds: 1}

	got := base.Given(verdict(`"pass"`), broken)
	require.InDelta(t, 0.90, got.P, 0.01, "a pass that the page denies")
	require.True(t, got.Enough)
	require.Less(t, got.Low, got.P)
	require.Equal(t, []Reason{{Signal: "facts", LogOdds: 3, Memories: []string{"c_1"}}, {Signal: "judge", LogOdds: 1}},
		got.Because)
	require.Less(t, base.Given(verdict(`"fail"`), broken).P, 0.03, "a fail that it confirms")
	require.Greater(t, base.Given(verdict(`"fail"`), holds).P, base.P)
	require.Less(t, base.Given(verdict(`"pass"`), holds).P, base.P)
	require.Equal(t, base, base.Given(verdict(`"pass"`), Seen{}))
	require.Equal(t, base, base.Given(verdict(`{"steps": 3}`), broken), "nobody can say what it claims")
	require.Len(t, base.Because, 1)
}
