package tree

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestConfidenceFollowsRuns(t *testing.T) {
	n := Node{Content: Content{Confidence: 0.6}}
	require.InDelta(t, 0.6, n.Prior(), 1e-9)
	n.SetPrior(0.7)
	require.InDelta(t, 0.7, n.Content.Confidence, 1e-9, "without runs the word counts alone")

	n.Credit = &Credit{Runs: 10, Before: 0.9, PHarm: 0.9}
	n.SetPrior(0.7)
	require.InDelta(t, 0.7, n.Content.Confidence, 1e-9, "runs that say nothing change nothing")
	n.Credit = &Credit{Runs: 10, Before: 0.4, PHarm: 0.9}
	n.SetPrior(0.7)
	require.InDelta(t, 0.1474, n.Content.Confidence, 1e-9, "by as much as the odds changed")
	require.InDelta(t, 0.7, n.Prior(), 1e-9)
	n.Credit.Runs = 990
	n.SetPrior(0.7)
	require.InDelta(t, 0.106, n.Content.Confidence, 1e-9, "to the probability of help")
	n.Credit = &Credit{Runs: 6, Before: 0.4, PHarm: 0.3}
	n.SetPrior(0.95)
	require.InDelta(t, 0.9673, n.Content.Confidence, 1e-9, "what went well never lowers it")
	for runs := range 50 {
		n.Credit = &Credit{Runs: runs, Before: 0.4, PHarm: 0.4 + float64(runs)/100}
		n.SetPrior(0.8)
		require.LessOrEqual(t, n.Content.Confidence, 0.8)
	}
}

func TestDisregarded(t *testing.T) {
	n := Node{}
	require.False(t, n.Disregarded())
	n.Credit = &Credit{Repeated: 1}
	require.False(t, n.Disregarded(), "one may be chance")
	n.Credit = &Credit{Repeated: 3, Confirmed: 3}
	require.False(t, n.Disregarded(), "it helps as often")
	n.Credit = &Credit{Repeated: 3, Confirmed: 2}
	require.True(t, n.Disregarded())
	n.Credit.Refreshed = 3
	require.False(t, n.Disregarded(), "other words are tried first")
}

func TestCreditIsChecked(t *testing.T) {
	for name, c := range map[string]Credit{
		"more right than runs": {Runs: 1, Right: 2},
		"no probability":       {PHarm: 1.5},
		"no effect":            {Effect: -2},
		"not sorted":           {NotOn: []string{"b", "a"}},
		"too many":             {NotOn: make([]string, MaxNotOn+1)},
	} {
		k := &checker{}
		k.credit(&Node{Credit: &c})
		require.NotEmpty(t, k.broken, name)
	}
	k := &checker{}
	k.credit(&Node{})
	k.credit(&Node{Credit: &Credit{Runs: 3, Right: 2, Effect: 0.1, SD: 0.1, NotOn: []string{"a", "b"}}})
	require.Empty(t, k.broken)
}

func TestCreditIsCloned(t *testing.T) {
	n := Node{Credit: &Credit{NotOn: []string{"a"}, Held: &Held{Since: time.Unix(1, 0).UTC(), Was: Active, Why: "w"}}}
	c := n.Clone()
	require.Equal(t, n, c)
	c.Credit.NotOn[0], c.Credit.Held.Why = "b", "x"
	require.Equal(t, "a", n.Credit.NotOn[0])
	require.Equal(t, "w", n.Credit.Held.Why)
	b, err := json.Marshal(n)
	require.NoError(t, err)
	var back Node
	require.NoError(t, json.Unmarshal(b, &back))
	require.Equal(t, n.Credit, back.Credit)
}
