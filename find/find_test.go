package find_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/find"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

func query(t testing.TB, s string) find.Query {
	t.Helper()
	v, err := url.ParseQuery(s)
	require.NoError(t, err)
	q, err := find.Parse(v.Get)
	require.NoError(t, err, s)
	return q
}

func TestRun(t *testing.T) {
	e := tree.Evaluation{
		ID: "one", RunID: "night-3", CaseID: "CART_7", Prompt: "Check the Total of the cart 检查总价",
		At: time.Date(2026, 1, 28, 23, 30, 0, 0, time.UTC), Judgment: tree.Raw(`{"verdict":"pass","reason":"all is well"}`),
		Scope: tree.Scope{Product: "shop", Suite: "smoke"},
	}
	for _, yes := range []string{
		"", "product=shop&suite=smoke&run=night-3", "since=2026-01-28&until=2026-01-28", "direction=false_pass",
		"words=total+cart", "words=总价", "words=cart_7+WELL", "until=2026-02-01", "above=0.5",
		"since=2026-01-28T23:30:00Z", "until=2026-01-28T23:30:00Z", "since=2026-01-29T01:30:00%2B02:00",
		"since=2026-01-28&until=2026-01-28T23:59:00Z",
	} {
		q := query(t, yes)
		require.True(t, q.HasRun(&e), yes)
	}
	for _, no := range []string{
		"product=sho", "suite=all", "run=night-4", "since=2026-01-29", "until=2026-01-27", "direction=false_fail",
		"words=total+basket", "product=shop&words=basket", "since=2026-01-28T23:30:01Z", "until=2026-01-28T23:29:59Z",
	} {
		q := query(t, no)
		require.False(t, q.HasRun(&e), no)
	}
}

func TestNode(t *testing.T) {
	n := tree.Node{
		ID: "c_1", Type: tree.Case, Level: 1, ErrorType: "x_error", Direction: "false_fail",
		Scope:       tree.Scope{Product: "shop"},
		CaseData:    &tree.CaseData{TestCase: tree.TestCase{Prompt: "Open the cart"}, EvaluatorReason: "It was empty"},
		Occurrences: []tree.Occurrence{{Evaluation: "a", RunID: "night-1"}},
		Metadata:    tree.Metadata{UpdatedAt: time.Date(2026, 1, 28, 1, 0, 0, 0, time.UTC)},
	}
	for _, yes := range []string{"", "type=x_error&direction=false_fail", "run=night-1", "words=EMPTY+cart",
		"since=2026-01-28"} {
		q := query(t, yes)
		require.True(t, q.HasNode(&n), yes)
	}
	for _, no := range []string{"type=y", "direction=other", "run=night-2", "words=full", "product=desk",
		"until=2026-01-27"} {
		q := query(t, no)
		require.False(t, q.HasNode(&n), no)
	}
}

// A status is the one that people see: a banned memory is banned, and neither active nor quarantined.
func TestByStanding(t *testing.T) {
	nodes := []tree.Node{{ID: "c_1", Status: tree.Active}, {ID: "c_2", Status: tree.Active, Mark: tree.Banned},
		{ID: "c_3", Status: tree.Quarantined, Mark: tree.Banned}, {ID: "c_4", Status: tree.Active, Mark: tree.Pinned}}
	for status, want := range map[tree.Status]string{"": "c_1 c_2 c_3 c_4", tree.Active: "c_1 c_4",
		tree.BuriedFor: "c_2 c_3", tree.Quarantined: ""} {
		f, has := find.ByStanding(store.Filter{Status: status})
		var got []string
		for i := range nodes {
			if f.Match(&nodes[i]) && has(&nodes[i]) {
				got = append(got, nodes[i].ID)
			}
		}
		require.Equal(t, want, strings.Join(got, " "), status)
	}
}

// Invalid input is refused with the name of its field.
func TestGarbage(t *testing.T) {
	for bad, field := range map[string]string{
		"since=yesterday": "since", "since=2026-01-28T25:00:00Z": "since",
		"since=2026-01-28&until=2026-01-27T23:59:59Z": "until", "until=2026-13-01": "until",
		"since=2026-02-01&until=2026-01-01": "until",
		"direction=up":                      "direction", "above=2": "above", "above=NaN": "above", "above=much": "above",
		"words=" + strings.Repeat("x", 2000): "words", "product=" + strings.Repeat("x", 2000): "product",
	} {
		v, err := url.ParseQuery(bad)
		require.NoError(t, err)
		_, err = find.Parse(v.Get)
		var f *tree.FieldError
		require.ErrorAs(t, err, &f, bad)
		require.Equal(t, field, f.Field)
	}
}

// FuzzParse: an accepted query is equal after writing and reading.
func FuzzParse(f *testing.F) {
	f.Add("product=shop&since=2026-01-28&above=0.25&words=a+b")
	f.Add("direction=other&type=x&run=%00&until=2026-01-28")
	f.Fuzz(func(t *testing.T, s string) {
		v, err := url.ParseQuery(s)
		if err != nil {
			return
		}
		q, err := find.Parse(v.Get)
		if err != nil {
			return
		}
		again, err := find.Parse(q.Values().Get)
		require.NoError(t, err)
		require.Equal(t, q, again)
		q.HasRun(&tree.Evaluation{Prompt: s})
		q.HasNode(&tree.Node{})
	})
}

func TestChoices(t *testing.T) {
	var c find.FieldCounter
	require.Empty(t, c.Choices().Products)
	for i := range 200 {
		c.Add([]string{"shop", "desk", "shop"}[i%3], "", fmt.Sprintf("night-%03d", i))
	}
	got := c.Choices()
	require.Equal(t, []find.Choice{{"shop", 133}, {"desk", 67}}, got.Products)
	require.Empty(t, got.Suites)
	require.Len(t, got.Runs, 50)
	require.Greater(t, got.Runs[0].Name, got.Runs[1].Name)
}
