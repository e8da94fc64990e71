package memtree_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/find"
	"github.com/memtree/memtree/tree"
)

// crowded returns a memory in which so many verdicts wait for their truth; that of 400 others is known.
func crowded(tb testing.TB, waiting int) *memtree.Memory {
	tb.Helper()
	m, err := memtree.Open(tb.Context(), tb.TempDir(), nil)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, m.Close()) })
	fill(tb, m, waiting)
	return m
}

// fill records so many verdicts without a truth after 400 with one.
func fill(tb testing.TB, m *memtree.Memory, waiting int) {
	tb.Helper()
	at := time.Date(2026, 3, 1, 2, 0, 0, 0, time.UTC)
	pages := []string{"cart", "orders", "profile", "search", "invoice", "calendar", "stock"}
	var es []memtree.Evaluation
	for i := range waiting + 400 {
		page := pages[i%len(pages)]
		e := memtree.Evaluation{
			ID: fmt.Sprintf("run-%05d", i), RunID: fmt.Sprintf("night-%03d", i/500), CaseID: fmt.Sprintf("T%03d", i%350),
			At: at.Add(time.Duration(i) * time.Minute), Scope: tree.Scope{Product: []string{"shop", "desk"}[i%2]},
			Scene: tree.Scene{Route: "/" + page},
			Prompt: fmt.Sprintf("Open %s %d, change amount %d and check that the total of the %s page is right", page, i,
				i%97, page),
			Judgment: tree.Raw([]string{`{"verdict":"pass","reason":"the page says all is saved"}`,
				`{"verdict":"fail","reason":"the total is missing"}`}[i%3/2]),
		}
		if i < 400 {
			right := i%7 != 0
			e.Correct = &right
			if !right {
				e.Reason = "It did not add up the items of " + page
			}
		}
		if es = append(es, e); len(es) == 1000 || i == waiting+399 {
			_, err := m.RecordAll(tb.Context(), es)
			require.NoError(tb, err)
			es = es[:0]
		}
	}
	require.NoError(tb, m.Wait(tb.Context()))
}

// BenchmarkFind: the query of a page while 10,000 verdicts wait.
func BenchmarkFind(b *testing.B) {
	m := crowded(b, 10_000)
	for name, q := range map[string]find.Query{
		"all": {}, "product": {Product: "shop"}, "words": {Words: "amount invoice"}, "direction": {Direction: "false_fail"},
		"day": {Since: "2026-03-05", Until: "2026-03-05"}, "risk": {Above: 0.2},
		"product and risk": {Product: "shop", Above: 0.2},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, err := m.Inbox().Find(b.Context(), q, 0, 20)
				require.NoError(b, err)
			}
		})
	}
}

// BenchmarkRelabel: a verdict is labelled, and the list is shown again.
func BenchmarkRelabel(b *testing.B) {
	m, right, i := crowded(b, 10_000), true, 400
	for b.Loop() {
		id := fmt.Sprintf("run-%05d", i)
		i++
		_, err := m.Curation().Relabel(b.Context(), id, curation.Truth{Correct: &right}, curation.Options{})
		require.NoError(b, err)
		_, err = m.Inbox().Find(b.Context(), find.Query{}, 0, 20)
		require.NoError(b, err)
	}
}
