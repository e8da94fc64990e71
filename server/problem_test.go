package server

import (
	"cmp"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/token"
	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// TestLocations: each unusable part that an answer names is a part of the request, as the specification names it.
func TestLocations(t *testing.T) {
	w := newWorld(t)
	tok := w.token("boss", nil, token.Admin)
	var spec struct {
		Paths map[string]map[string]struct {
			Parameters  []struct{ Name, In string }
			RequestBody struct {
				Content map[string]struct{ Schema map[string]any }
			}
		}
		Components struct{ Schemas map[string]map[string]any }
	}
	require.NoError(t, json.Unmarshal([]byte(w.ask("GET", "/openapi.json", tok, "").Body), &spec))
	require.Equal(t, 200, w.ask("POST", inDefault+"/runs", tok, `{"goal":"x","id":"r1"}`).Code)
	require.Equal(t, 200, w.ask("POST", inDefault+"/runs/r1", tok,
		`{"updates":[{"kind":"end","state":"success","text":"x"}]}`).Code)
	long := strings.Repeat("x", 1000) + strings.Repeat("检", 20)
	fact := func(more string) string { return `{"statement":"the seat is held for 15 minutes",` + more + `}` }
	for _, c := range []struct{ method, path, at, body, want string }{
		{"POST", "/risk", "", `{}`, "body.prompt"},
		{"POST", "/evaluations", "", `[{}]`, "body[0].prompt"},
		{"POST", "/facts", "", `{"statement":"` + strings.Repeat("检查", 66) + `"}`, "body.statement"},
		{"POST", "/facts", "", fact(`"product":"` + long + `"`), "body.product"},
		{"POST", "/facts", "", fact(`"test":"` + long + `"`), "body.test"},
		{"POST", "/facts", "", fact(`"pages":["` + long + `"]`), "body.pages"},
		{"POST", "/facts", "", fact(`"builds":["` + long + `"]`), "body.builds"},
		{"POST", "/facts", "", fact(`"builds":["1","2","3","4","5","6","7","8","9"]`), "body.builds"},
		{"POST", "/facts", "", fact(`"fixed":"7"`), "body.fixed"},
		{"POST", "/review", "", `{"accept":["zz"]}`, "body.accept"},
		{"POST", "/review", "", `{"reject":["zz"],"why":"x"}`, "body.reject"},
		{"POST", "/review", "", `{"reject":["zz"]}`, "body.why"},
		{"POST", "/runs", "", `{"goal":" "}`, "body.goal"},
		{"POST", "/runs/{id}", "/runs/r1", `{"updates":[{"kind":"note","text":"x"}]}`, "path.id"},
		{"POST", "/runs/{id}", "/runs/r1",
			`{"updates":[{"kind":"note","text":"x"},{"kind":"note","text":"y"}]}`, "path.id"},
		{"POST", "/runs/{id}", "/runs/r2", `{"updates":[{"kind":"task"}]}`, "body.updates[0].state"},
		{"GET", "/runs/{id}/resume", "/runs/r1/resume", "", "path.id"},
		{"GET", "/nodes", "/nodes?since=x", "", "query.since"},
		{"GET", "/nodes", "/nodes?status=zz", "", "query.status"},
		{"GET", "/inbox", "/inbox?above=NaN", "", "query.above"},
		{"GET", "/facts", "/facts?state=zz", "", "query.state"},
		{"GET", "/facts", "/facts?kind=zz", "", "query.kind"},
		{"GET", "/export", "/export?since=x", "", "query.since"},
		{"GET", "/export", "/export?minConfidence=NaN", "", "query.minConfidence"},
		{"GET", "/search", "/search?text=x&until=x", "", "query.until"},
		{"GET", "/search", "/search?text=x&kind=zz", "", "query.kind"},
		{"POST", "/map", "", `{"source":"x","seen":[{"kind":"zz"}]}`, "body.seen[0].kind"},
		{"POST", "/inbox", "", `{"evaluations":["zz"],"correct":true}`, "body.evaluations[0]"},
		{"POST", "/promote", "", `{"ids":["zz"]}`, "body.ids[0]"},
	} {
		a := w.ask(c.method, inDefault+cmp.Or(c.at, c.path), tok, c.body)
		require.Equal(t, 422, a.Code, "%s: %s", c.path, a.Body)
		for _, bad := range a.problem(t).Errors {
			require.Equal(t, c.want, bad.Location, a.Body)
			in, rest, _ := strings.Cut(bad.Location, ".")
			name, _, _ := strings.Cut(rest, "[")
			op := spec.Paths[inTreePath+c.path][strings.ToLower(c.method)]
			if strings.HasPrefix(in, "body") {
				schema := op.RequestBody.Content["application/json"].Schema
				if of, list := schema["items"].(map[string]any); list {
					schema = of
				}
				if ref, named := schema["$ref"].(string); named {
					schema = spec.Components.Schemas[strings.TrimPrefix(ref, "#/components/schemas/")]
				}
				require.Contains(t, schema["properties"], name, c.path)
				continue
			}
			require.Contains(t, op.Parameters, struct{ Name, In string }{name, in}, c.path)
		}
	}
}

// TestPlaceOfUnknown: a field that a request does not have is named in the message.
func TestPlaceOfUnknown(t *testing.T) {
	f := &tree.FieldError{Field: "mood", Problem: "is bad"}
	require.Equal(t, badPart{"body", "mood is bad"}, partsOf(reflect.TypeFor[given[promote]]()).place(f))
	require.Equal(t, badPart{"query", "mood is bad"}, partsOf(reflect.TypeFor[nodesInput]()).place(f))
}

// TestAbsent: what an id of nothing is answered names the list that has such ids.
func TestAbsent(t *testing.T) {
	w := newWorld(t)
	tok := w.token("boss", nil, token.Admin)
	for _, c := range []struct{ method, path, body, says string }{
		{"GET", "/nodes/c_1", "", "…/nodes lists memories"},
		{"POST", "/nodes/c_1/pin", "{}", "…/nodes lists memories"},
		{"POST", "/facts/f_1/confirm", "{}", "…/facts?state=all lists facts"},
		{"POST", "/facts/f_1/forget", `{"purge":true}`, "…/facts?state=all lists facts"},
		{"GET", "/map/page?page=/x", "", "…/map/gaps lists pages"},
		{"GET", "/runs/r1", "", "…/runs lists runs"},
		{"GET", "/jobs/j1", "", "…/jobs lists"},
		{"POST", "/relabel", `{"evaluation":"zz","correct":true}`, "…/inbox lists those"},
	} {
		a := w.ask(c.method, inDefault+c.path, tok, c.body)
		require.Equal(t, 404, a.Code, a.Body)
		require.Contains(t, a.problem(t).Detail, c.says, c.path)
	}
}

// TestChoices: the values of a filter that the specification has are all that there are; a day and a time are one
// parameter for every list.
func TestChoices(t *testing.T) {
	w := newWorld(t)
	tok := w.token("boss", nil, token.Admin)
	ok := func(query string) {
		t.Helper()
		require.Equal(t, 200, w.ask("GET", inDefault+query, tok, "").Code, query)
	}
	for _, s := range tree.Standings() {
		ok("/nodes?status=" + string(s))
	}
	for _, s := range append(knowledge.FactStates(), "all") {
		ok("/facts?state=" + string(s))
	}
	for _, k := range ledger.FactKinds() {
		ok("/facts?kind=" + string(k))
	}
	said := map[string]bool{}
	for _, list := range []string{"/export?", "/nodes?", "/inbox?", "/search?text=x&"} {
		ok(list + "since=2026-01-31")
		ok(list + "since=2026-01-31T08:00:00%2B08:00")
		said[w.ask("GET", inDefault+list+"since=today", tok, "").problem(t).Detail] = true
	}
	require.Len(t, said, 1, "one sentence for all")
}

// TestStatementLimit: the longest statement of the specification is that of a fact.
func TestStatementLimit(t *testing.T) {
	f, _ := reflect.TypeFor[FactStatement]().FieldByName("Statement")
	require.Equal(t, strconv.Itoa(knowledge.MostColumns), f.Tag.Get("maxLength"))
	require.Contains(t, f.Tag.Get("doc"), f.Tag.Get("maxLength"))
	f, _ = reflect.TypeFor[FactStatement]().FieldByName("Builds")
	require.Equal(t, strconv.Itoa(ledger.MaxPages), f.Tag.Get("maxItems"))
}
