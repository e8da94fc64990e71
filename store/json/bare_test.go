package jsonstore

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// TestBareIsPartOfTheNode: of a node as this store writes it a reader of a part reads the same as decode but for what
// nobody asked for, and counts are equal.
func TestBareIsPartOfTheNode(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	var whole, bare, counted []tree.Node
	for i := range 500 {
		typ := tree.Type(pick("case", "experience", "strategy"))
		n := tree.Node{
			ID: fmt.Sprint("c_", i), Type: typ, Level: typ.Level(), ErrorType: pick("other_error", "a_b"),
			Direction: taxonomy.Direction(pick("false_pass", "false_fail", "other")),
			Status:    tree.Status(pick("probation", "active", "quarantined", "retired", "archived")),
			Mark:      tree.Mark(pick("", "pinned", "banned")), SupersededBy: pick("", "", "e_1"),
			ArchivedFor: pick("", "rejected: it reads \"x\"\n{", "说明 <&>"), Children: []string{"c_9"},
			Scene: tree.Scene{Route: "/{"}, Origin: tree.Origin{ID: "o_"}, LastChange: "k_",
			Credit: &tree.Credit{Runs: i}, Counters: map[string]tree.Counters{"o_": {Used: i}},
			Content: tree.Content{Title: `"status":"archived"`, Description: pick("", "\\\"", "{[")},
			Provenance: tree.Provenance{By: pick("formation", "person", "import"), Analyst: pick("", "rules", "model"),
				Model: pick("", "m-1", "模型"), Again: r.IntN(2) == 0, Cites: []string{"again", "}"}, At: time.Unix(9, 0)},
			Occurrences: []tree.Occurrence{{Evaluation: "status"}},
		}
		raw, err := encode(&n)
		require.NoError(t, err)
		var a, b, c tree.Node
		require.NoError(t, decode(raw, &a))
		require.NoError(t, decodeNode(raw, a.ID, &b, store.Filter{Bare: true}))
		require.NoError(t, decodeNode(raw, a.ID, &c, store.Filter{Counts: true}))
		require.Nil(t, c.Occurrences)
		want := a
		want.Content, want.CaseData, want.Scene, want.Origin = tree.Content{}, nil, tree.Scene{}, tree.Origin{}
		want.Counters, want.LastChange = nil, ""
		want.Credit, want.Elsewhere, want.Taught = nil, nil, nil
		require.Equal(t, want, b)
		whole, bare, counted = append(whole, a), append(bare, b), append(counted, c)
		for _, bad := range [][]byte{nil, raw[:len(raw)/2], raw[1:], []byte(`{"level":x}`), []byte(`{"type":7}`)} {
			for _, f := range []store.Filter{{Bare: true}, {Counts: true}} {
				require.Error(t, decodeNode(bad, a.ID, new(tree.Node), f), "%q", bad)
			}
		}
	}
	count := func(nodes []tree.Node) (tree.Counts, tree.Analyses) {
		var by tree.Analyses
		c, err := tree.Count(by.Counting(func(yield func(tree.Node, error) bool) {
			for _, n := range nodes {
				if !yield(n, nil) {
					return
				}
			}
		}))
		require.NoError(t, err)
		return c, by
	}
	wantCounts, wantBy := count(whole)
	for _, part := range [][]tree.Node{bare, counted} {
		counts, by := count(part)
		require.Equal(t, wantCounts, counts)
		require.Equal(t, wantBy, by)
		require.NotZero(t, counts.Again)
		require.NotZero(t, counts.Out)
	}
}

// TestCountedEntryIsPartOfTheEntry: of an entry as this store writes it the same is read but for parts of a verdict.
func TestCountedEntryIsPartOfTheEntry(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	verdicts := 0
	for range 500 {
		var e, want, got ledger.Entry
		fillAny(r, reflect.ValueOf(&e).Elem(), 0)
		raw, err := encode(&e)
		require.NoError(t, err)
		require.NoError(t, decode(raw, &want))
		require.NoError(t, decodeBy(countedEntry(), raw, &got))
		if v := want.Verdict; v != nil {
			verdicts++
			want.Verdict = &ledger.Verdict{Evaluation: v.Evaluation, Labelled: v.Labelled, Correct: v.Correct,
				Direction: v.Direction, Excuse: v.Excuse, Mends: v.Mends}
		}
		require.Equal(t, want, got)
	}
	require.NotZero(t, verdicts)
}
