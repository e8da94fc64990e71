package brief

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/tree"
)

// A fact is read for the tests of its product alone; it is picked beside memories, without a sentence of its own; and a
// new fact opens no test of another product.
func TestFacts(t *testing.T) {
	b := New()
	tests := []UpcomingTest{
		{Prompt: "Choose seat 12A", Product: "travel", Seen: monday}, {Prompt: hire, Product: "cars", Seen: monday},
	}
	for _, x := range tests {
		require.NoError(t, b.Note(x, x.Prompt))
	}
	seat := FactOf("f_1", &ledger.Statement{Text: "A seat is held for 15 minutes.", Pages: []string{"/seats"},
		Scope: tree.Scope{Product: "travel"}}, nil)
	require.Equal(t, "known · A seat is held for 15 minutes. · on /seats", seat.Line)
	b.Learn(append(Memories(nodes(), nil), seat))
	qs := b.Plan(tests[1:], QuestionLimits{}, nil)
	require.Len(t, qs, 1)
	require.Len(t, qs[0].In.Memories, 2)
	require.False(t, qs[0].In.Facts)
	b.take(&qs[0], nil, ReaderInfo{By: "r", At: monday})

	qs = b.Plan(tests, QuestionLimits{}, nil)
	require.Len(t, qs, 1)
	require.True(t, qs[0].In.Facts)
	require.Len(t, qs[0].In.Tests, 1)
	done := b.take(&qs[0], []prompts.BriefPick{
		{Test: "t1", Memory: "m3", Because: "seat 12A", Say: "Mind the seat."},
		{Test: "t1", Memory: "m1", Because: "Choose seat"},
	}, ReaderInfo{By: "r", At: monday})
	require.Empty(t, done.Refused)
	require.Empty(t, done.Unsaid)
	f, ok := b.Find(&tests[0])
	require.True(t, ok)
	require.Equal(t, []Pick{{ID: "f_1", Because: "seat 12A"}, {ID: "e_1", Checks: []string{"persisted"},
		Because: "Choose seat"}}, f.Picks)
	require.Empty(t, b.Plan(tests, QuestionLimits{}, nil))

	noon := ledger.Statement{Text: "Cars are counted at noon.", Scope: tree.Scope{Product: "cars"}}
	other := FactOf("f_2", &noon, []string{"c_2"})
	b.Learn(append(Memories(nodes(), nil), seat, other))
	require.Equal(t, 1, b.Known().Open)
	qs = b.Plan(tests, QuestionLimits{}, nil)
	require.Len(t, qs, 1)
	require.Equal(t, hire, qs[0].In.Tests[0].Prompt)
	require.Len(t, qs[0].In.Memories, 1, "only what is new is read")
	b.take(&qs[0], nil, ReaderInfo{By: "r", At: monday})
	f, _ = b.Find(&tests[1])
	require.False(t, b.Unread(&f, "c_2"), "the fact explains the case")
	b.Learn(Memories(nodes(), nil))
	f, _ = b.Find(&tests[0])
	require.Len(t, f.Picks, 1, "a fact out of use is not picked")
}

// One fact more than a brief has room for is left out; the memories beside them stay.
func TestFactsHaveTheirOwnRoom(t *testing.T) {
	var picks []Pick
	for _, id := range []string{"f_1", "f_2", "e_1", "f_3", "f_4", "c_1"} {
		picks = append(picks, Pick{ID: id})
	}
	require.Len(t, firstOf(picks), mostPicks+2)
}
