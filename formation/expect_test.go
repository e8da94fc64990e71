package formation

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/fact"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

func truthJSON(t *testing.T, defects any) tree.Raw {
	b, err := json.Marshal(map[string]any{"verdict": "fail", "defect_details": defects})
	require.NoError(t, err)
	return b
}

// TestEachDefectIsAMiss: no listed defect is lost, regardless of what is beside it and how it is listed.
func TestEachDefectIsAMiss(t *testing.T) {
	list := []string{"The Save button is disabled", "The Load button is disabled", "something is odd with the lower part",
		"the title reads “A” instead of “B”"}
	for _, note := range []string{"", "wrong again", "It looked at the first one only and took the rest on trust."} {
		for _, defects := range []any{list, list[0] + "\n" + list[1] + "\n" + list[2] + "\n" + list[3],
			"1. " + list[0] + " 2. " + list[1] + " 3. " + list[2] + " 4. " + list[3]} {
			n := caseOf(t, tree.Evaluation{Reason: note, GroundTruth: truthJSON(t, defects)})
			for _, d := range list {
				has := func(m tree.Miss) bool { return m.Truth == d }
				require.Equal(t, 1, count(n.CaseData.Misses, has), "%q of %v", d, defects)
			}
			require.Len(t, fact.Of(&n), 3)
		}
	}
}

func count(list []tree.Miss, has func(tree.Miss) bool) (n int) {
	for _, m := range list {
		if has(m) {
			n++
		}
	}
	return n
}

func TestExpectations(t *testing.T) {
	// A defect with fields, as test tools report it.
	n := caseOf(t, tree.Evaluation{GroundTruth: truthJSON(t, []any{
		map[string]any{"name": "Items", "expected": "3", "received": "4", "message": "the count of items is off"},
		map[string]any{"element": "title", "expected": "Settings", "actual": "Options"},
	})})
	var all []tree.Expectation
	for _, m := range n.CaseData.Misses {
		all = append(all, m.Expect...)
	}
	require.Len(t, all, 2)
	require.Equal(t, tree.OfValue, all[0].Property)
	require.Equal(t, "Settings", all[1].Expected)
	require.Equal(t, "Options", all[1].Seen)

	// A case that was stored before there were expectations gives the same.
	defects := []string{"The Save button is disabled", "Items shows 4 instead of 3"}
	n = caseOf(t, tree.Evaluation{GroundTruth: truthJSON(t, defects)})
	old := n.Clone()
	for i := range old.CaseData.Misses {
		old.CaseData.Misses[i].Expect = nil
	}
	require.NotEmpty(t, fact.Of(&n))
	require.Equal(t, fact.Of(&n), fact.Of(&old))

	// After a false alarm the agent's own list has what it took to be broken; the note has what was right.
	n = caseOf(t, tree.Evaluation{
		Judgment:    tree.Raw(`{"verdict":"fail","defects":["The Save button is disabled"]}`),
		GroundTruth: tree.Raw(`{"verdict":"pass"}`), Reason: "The Undo button is disabled, rightly so: nothing was done yet.",
	})
	require.Equal(t, taxonomy.FalseFail, n.Direction)
	of := fact.Of(&n)
	require.Len(t, of, 1)
	require.Equal(t, "Save", of[0].Thing)
	require.True(t, slices.ContainsFunc(n.CaseData.Misses, func(m tree.Miss) bool { return len(m.Expect) == 1 }))
}
