package server

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/token"
)

// operations are the routes of the specification, with what a token needs.
type operation struct{ id, method, path, scope string }

func operations(t *testing.T, w *world) []operation {
	t.Helper()
	b, err := w.s.Spec()
	require.NoError(t, err)
	var doc struct {
		Paths map[string]map[string]struct {
			ID    string `json:"operationId"`
			Scope string `json:"x-scope"`
		} `json:"paths"`
	}
	require.NoError(t, json.Unmarshal(b, &doc))
	var out []operation
	for path, methods := range doc.Paths {
		for method, op := range methods {
			out = append(out, operation{op.ID, strings.ToUpper(method), path, op.Scope})
		}
	}
	require.Greater(t, len(out), 20)
	return out
}

// at fills the places of a path.
func at(path, tree string) string {
	return strings.NewReplacer("{tree}", tree, "{id}", "c_none").Replace(path)
}

// everybodyMay are the routes that need no token; each is a choice.
var everybodyMay = []string{"healthz", "readyz"}

// TestRoles requests every route of the specification by every method for every role.
func TestRoles(t *testing.T) {
	w := newWorld(t)
	tokens := map[token.Permission]string{}
	for _, s := range token.Scopes() {
		tokens[s] = w.token(string(s), nil, s)
	}
	expired := w.token("old", nil, token.Admin)
	w.now = w.now.Add(2 * 3600 * 1e9)
	for _, s := range token.Scopes() {
		require.NoError(t, token.Revoke(w.dir, string(s)))
		tokens[s] = w.token(string(s), nil, s)
	}
	ops := operations(t, w)
	served := map[string]bool{}
	for _, op := range ops {
		served[op.method+" "+op.path] = true
	}
	for _, op := range ops {
		path := at(op.path, Default)
		if op.scope == "" {
			require.Contains(t, everybodyMay, op.id, "a route without a scope")
			require.Equal(t, http.StatusOK, w.ask(op.method, path, "", "").Code, op.id)
			continue
		}
		for _, bad := range []string{"", "mt_wrong", expired, mtOf(tokens[token.Admin])} {
			a := w.ask(op.method, path, bad, "")
			require.Equal(t, http.StatusUnauthorized, a.Code, "%s %q", op.id, bad)
			require.NotEmpty(t, a.Header.Get("WWW-Authenticate"), op.id)
		}
		for has, tok := range tokens {
			code := w.ask(op.method, path, tok, "").Code
			if has.Covers(token.Permission(op.scope)) {
				require.NotContains(t, []int{401, 403, 405, 500}, code, "%s as %s", op.id, has)
			} else {
				require.Equal(t, http.StatusForbidden, code, "%s as %s", op.id, has)
			}
			if strings.Contains(op.path, "{tree}") {
				code := w.ask(op.method, at(op.path, "no-such"), tok, "").Code
				require.Equal(t, http.StatusNotFound, code, "%s as %s", op.id, has)
			}
		}
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"} {
			if !served[method+" "+op.path] {
				code := w.ask(method, path, tokens[token.Admin], "").Code
				require.Contains(t, []int{http.StatusMethodNotAllowed, http.StatusNotFound}, code, "%s %s", method, op.path)
			}
		}
	}
}

// mtOf is a token that differs from another in its last character alone.
func mtOf(tok string) string {
	last := byte('A')
	if tok[len(tok)-1] == last {
		last = 'B'
	}
	return tok[:len(tok)-1] + string(last)
}

// TestNoTreeLeaks sends 100,000 requests for a tree that the token may not see, by every route: not one answer differs
// from that for a tree that does not exist.
func TestNoTreeLeaks(t *testing.T) {
	w := newWorld(t)
	admin := w.token("admin", nil, token.Admin)
	require.Equal(t, http.StatusAccepted, w.ask("POST", "/v1/trees/other/evaluations", admin, "["+wrongTotal+"]").Code)
	require.NoError(t, w.trees.Get("other").Wait(t.Context()))
	id := decode[nodes](t, w.ask("GET", "/v1/trees/other/nodes", admin, "")).Nodes[0].ID
	tokens := map[string]string{}
	for _, s := range token.Scopes() {
		tokens[string(s)] = w.token("of-default-"+string(s), []string{Default}, s)
	}
	probes := 100_000
	if testing.Short() {
		probes = 5_000
	}
	ops, r := operations(t, w), rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same every time
	var inTrees []operation
	for _, op := range ops {
		if strings.Contains(op.path, "{tree}") {
			inTrees = append(inTrees, op)
		}
	}
	scopes := token.Scopes()
	names := []string{"other", "other", "other/", "OTHER", "other%20", "%6fther", "other%2f..", "..%2fother",
		"default%2f..%2fother", "other%00", "other;", "öther"}
	bodies := []string{"", "{}", "[]", "[" + wrongTotal + "]", `{"prompt":"Check the order total"}`, `{"why":"x"}`}
	want := ""
	for range probes {
		op := inTrees[r.IntN(len(inTrees))]
		name := names[r.IntN(len(names))]
		body := bodies[r.IntN(len(bodies))]
		if op.method == http.MethodGet {
			body = ""
		}
		path := strings.NewReplacer("{tree}", name, "{id}", id).Replace(op.path)
		a := w.ask(op.method, path, tokens[string(scopes[r.IntN(len(scopes))])], body)
		if name != "other" && name != "%6fther" {
			require.Contains(t, []int{301, 307, 404, 405}, a.Code, "%s %s", op.method, path)
			require.NotContains(t, a.Body, "order total", path)
			continue
		}
		got := fmt.Sprint(a.Code, a.Header, a.Body)
		if want == "" {
			want = got
			missing := w.ask(op.method, strings.Replace(path, name, "nothing", 1), tokens["admin"], body)
			require.Equal(t, fmt.Sprint(missing.Code, missing.Header, missing.Body), got)
		}
		require.Equal(t, want, got, "%s %s", op.method, path)
	}
	a := w.ask("GET", "/v1/trees", tokens["admin"], "")
	require.NotContains(t, a.Body, "other")
}
