package server

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/token"
	"github.com/memtree/memtree/run"
)

// A run is begun, added to, gone on with and ended over HTTP; one of another tree is not seen.
func TestRuns(t *testing.T) {
	w := newWorld(t)
	ann, reader := w.token("ann", nil, token.Write), w.token("reader", nil, token.Read)
	r := decode[run.Run](t, w.ask("POST", inDefault+"/runs", ann, `{"goal":"Explore the checkout","product":"shop"}`))
	require.Equal(t, []string{"ann"}, r.Agents)
	at := inDefault + "/runs/" + r.ID
	updates := `{"updates":[{"kind":"task","task":"1","state":"doing","text":"the cart","key":"1"},` +
		`{"kind":"finding","page":"https://shop.test/cart","state":"high","text":"wrong total","key":"2"}]}`
	require.Equal(t, run.Accepted{Updates: 2}, decode[run.Accepted](t, w.ask("POST", at, ann, updates)))
	require.Equal(t, run.Accepted{Known: 2}, decode[run.Accepted](t, w.ask("POST", at, ann, updates)))
	require.Equal(t, http.StatusForbidden, w.ask("POST", at, reader, updates).Code)
	bad := `{"updates":[{"kind":"note","text":"a"},{"kind":"task","task":"1","state":"high"}]}`
	p := w.ask("POST", at, ann, bad).problem(t)
	require.Equal(t, http.StatusUnprocessableEntity, p.Status)
	require.Contains(t, p.Detail, "updates[1].state")
	for body, place := range map[string]string{
		`{"updates":[{"kind":"task","task":"1","state":"high"}]}`: "body.updates[0].state",
		`{"updates":[{"kind":"visit"}],"by":"ann"}`:               "body.updates[0].page",
	} {
		require.Equal(t, place, w.ask("POST", at, ann, body).problem(t).Errors[0].Location)
	}
	p = w.ask("POST", inDefault+"/runs", ann, `{"goal":"  "}`).problem(t)
	require.Equal(t, "body.goal", p.Errors[0].Location)
	p = w.ask("POST", inDefault+"/runs", ann, `{"id":"`+r.ID+`","goal":"again"}`).problem(t)
	require.Equal(t, "body.id", p.Errors[0].Location)
	p = w.ask("GET", inDefault+"/nodes?since=yesterday", ann, "").problem(t)
	require.Equal(t, "query.since", p.Errors[0].Location)
	p = w.ask("POST", inDefault+"/map", ann, `{"source":"a","seen":[{"kind":"page"}]}`).problem(t)
	require.Equal(t, "body.seen[0].url", p.Errors[0].Location)
	on := decode[run.Resumption](t, w.ask("GET", at+"/resume?by=bob", reader, ""))
	require.Equal(t, "ann", on.Beside)
	require.Empty(t, on.Next)
	require.Equal(t, "1", on.Taken[0].ID, "ann does it")
	p = w.ask("POST", at, w.token("bob", nil, token.Write),
		`{"updates":[{"kind":"task","task":"1","state":"doing"}]}`).problem(t)
	require.Equal(t, http.StatusUnprocessableEntity, p.Status)
	require.Contains(t, p.Detail, `which "ann" does`)
	require.Equal(t, "/cart", on.Run.Notes[0].Page)
	require.Equal(t, run.Accepted{Updates: 1}, decode[run.Accepted](t, w.ask("POST", at, ann,
		`{"updates":[{"kind":"end","state":"failure","text":"no card"}]}`)))
	require.Equal(t, "path.id", w.ask("GET", at+"/resume", reader, "").problem(t).Errors[0].Location)
	require.Equal(t, run.Failure, decode[run.Run](t, w.ask("GET", at, reader, "")).State)
	for _, path := range []string{"/runs/nothing", "/runs/nothing/resume"} {
		p := w.ask("GET", inDefault+path, reader, "").problem(t)
		require.Equal(t, http.StatusNotFound, p.Status)
		require.Contains(t, p.Detail, "…/runs lists runs")
	}
	for query, n := range map[string]int{"": 1, "?state=open": 0, "?like=explore+the+checkout+again": 1, "?like=jazz": 0} {
		got := decode[runList](t, w.ask("GET", inDefault+"/runs"+query, reader, ""))
		require.Len(t, got.Runs, n, query)
	}
}
