package server

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/internal/token"
)

// world is a service with two trees and a token of each scope.
type world struct {
	t     testing.TB
	dir   string // of the tokens
	s     *Server
	trees *Trees
	now   time.Time
}

func memory(t testing.TB) *memtree.Memory {
	t.Helper()
	m, err := memtree.Open(t.Context(), "", &memtree.Options{InMemory: true, Deadline: time.Minute})
	require.NoError(t, err)
	return m
}

func newWorld(t testing.TB, change ...func(*Options)) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), trees: NewTrees(), now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	require.NoError(t, w.trees.Add(Default, memory(t), false, nil))
	require.NoError(t, w.trees.Add("other", memory(t), false, nil))
	o := Options{Tokens: token.NewKeeper(w.dir), Version: "test", Now: func() time.Time { return w.now }}
	for _, f := range change {
		f(&o)
	}
	w.s = New(w.trees, o)
	t.Cleanup(func() {
		w.s.Close()
		if err := w.trees.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// token adds a token and returns it.
func (w *world) token(name string, trees []string, scopes ...token.Permission) string {
	w.t.Helper()
	tok, secret, err := token.New(name, scopes, trees, w.now, time.Hour)
	require.NoError(w.t, err)
	require.NoError(w.t, token.Add(w.dir, tok))
	return secret
}

// answer is what a request was answered.
type answer struct {
	Code   int
	Header http.Header
	Body   string
}

// problem returns the answer as a problem.
func (a answer) problem(t testing.TB) problem {
	t.Helper()
	require.Equal(t, "application/problem+json", a.Header.Get("Content-Type"), a.Body)
	var p problem
	require.NoError(t, json.Unmarshal([]byte(a.Body), &p), a.Body)
	require.Equal(t, a.Code, p.Status)
	require.NotEmpty(t, p.Detail)
	return p
}

func (w *world) ask(method, path, tok, body string, header ...string) answer {
	w.t.Helper()
	q := httptest.NewRequestWithContext(w.t.Context(), method, path, strings.NewReader(body))
	q.Host = "localhost"
	if tok != "" {
		q.Header.Set("Authorization", "Bearer "+tok)
	}
	if body != "" {
		q.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			q.Host = header[i+1]
		}
		q.Header.Set(header[i], header[i+1])
	}
	rec := httptest.NewRecorder()
	w.s.Handler().ServeHTTP(rec, q)
	b, err := io.ReadAll(rec.Body)
	require.NoError(w.t, err)
	return answer{rec.Code, rec.Header(), string(b)}
}

func decode[T any](t testing.TB, a answer) T {
	t.Helper()
	var v T
	require.NoError(t, json.Unmarshal([]byte(a.Body), &v), a.Body)
	return v
}

const inDefault = "/v1/trees/default"

// wrongTotal is a wrong verdict that a memory is made of.
const wrongTotal = `{"id":"n1","case_id":"t1","prompt":"Check the order total on the cart page","judgment":"pass",` +
	`"ground_truth":"fail","reason":"The agent did not add up the prices in the cart.","scene":{"route":"/orders/42"}}`

func TestLoop(t *testing.T) {
	w := newWorld(t)
	tok := w.token("agent", nil, token.Write)
	a := w.ask("POST", inDefault+"/evaluations", tok, "["+wrongTotal+"]")
	require.Equal(t, http.StatusAccepted, a.Code, a.Body)
	require.Equal(t, recorded{Accepted: 1, Receipts: []receipt{{ID: "n1", Status: "accepted"}}}, decode[recorded](t, a))
	a = w.ask("POST", inDefault+"/evaluations", tok, "["+wrongTotal+"]")
	require.Equal(t, http.StatusAccepted, a.Code, a.Body)
	require.Equal(t, 1, decode[recorded](t, a).Duplicate, "recording again changes nothing")

	require.NoError(t, w.trees.Get(Default).Wait(t.Context()))
	a = w.ask("POST", inDefault+"/guidance", tok,
		`{"prompt":"Check the order total","scene":{"route":"/orders/7"},"runId":"r1"}`)
	require.Equal(t, http.StatusOK, a.Code, a.Body)
	g := decode[struct{ Trial, Text string }](t, a)
	require.NotEmpty(t, g.Trial)

	reader := w.token("reader", nil, token.Read)
	a = w.ask("POST", inDefault+"/guidance", reader, `{"prompt":"Check the order total","scene":{"route":"/orders/7"}}`)
	require.Equal(t, http.StatusOK, a.Code, a.Body)
	g = decode[struct{ Trial, Text string }](t, a)
	require.Empty(t, g.Trial, "who may only read leaves no trial")
	require.Contains(t, g.Text, "<memory-context>")
	a = w.ask("POST", inDefault+"/guidance", reader, `{"prompt":"Check","runId":"r1"}`)
	require.Equal(t, http.StatusForbidden, a.Code)
	require.Contains(t, a.problem(t).Detail, "write")
}

func TestRecordRefuses(t *testing.T) {
	w := newWorld(t)
	tok := w.token("agent", nil, token.Write)
	record := func(body string) problem {
		t.Helper()
		return w.ask("POST", inDefault+"/evaluations", tok, body).problem(t)
	}
	p := record(`[` + wrongTotal + `,{"judgment":"pass"},{"prompt":"p"}]`)
	require.Equal(t, http.StatusUnprocessableEntity, p.Status)
	require.Equal(t, "body[1].prompt", p.Errors[0].Location)
	require.Equal(t, "body[2].judgment", p.Errors[1].Location)
	info, err := w.trees.Get(Default).Tree().Info(t.Context())
	require.NoError(t, err)
	require.Zero(t, info.Evaluations, "none is accepted if one cannot be used")

	for what, body := range map[string]string{
		"an empty array": "[]", "no JSON": "hello", "cut": `[{"prompt":"p"`, "a number": "7", "binary": "\x00\x01\xff",
		"deep": `[{"prompt":"p","judgment":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}]`,
		"many": `[` + strings.Repeat(`{"prompt":"p","judgment":1},`, mostEvaluations) + wrongTotal + `]`,
	} {
		require.Equal(t, http.StatusUnprocessableEntity, record(body).Status, what)
	}

	require.Equal(t, http.StatusBadRequest, record("").Status)
	require.Equal(t, http.StatusAccepted, w.ask("POST", inDefault+"/evaluations", tok, "["+wrongTotal+"]").Code)
	p = record(`[` + strings.Replace(wrongTotal, `"fail"`, `"pass"`, 1) + `,{"id":"n2","prompt":"p","judgment":"pass"}]`)
	require.Equal(t, http.StatusConflict, p.Status)
	require.Contains(t, p.Detail, "n1 was recorded before with other content")
	require.Equal(t, "body[0].id", p.Errors[0].Location)
}

func TestQuestionRefuses(t *testing.T) {
	w := newWorld(t)
	tok := w.token("agent", nil, token.Write)
	for body, where := range map[string]string{
		`{}`:                                     "body",
		`{"prompt":""}`:                          "body.prompt",
		`{"prompt":"p","promt":"x"}`:             "body.promt",
		`{"prompt":"p","lang":"fr"}`:             "body.lang",
		`{"prompt":"p","stepNumber":-1}`:         "body.stepNumber",
		`{"prompt":"p","scene":{"x":1}}`:         "body.scene.x",
		`{"prompt":7}`:                           "body.prompt",
		`[]`:                                     "body",
		`{"prompt":"p","scope":{"position":-1}}`: "body.scope.position",
	} {
		p := w.ask("POST", inDefault+"/guidance", tok, body).problem(t)
		require.Equal(t, http.StatusUnprocessableEntity, p.Status, body)
		require.NotEmpty(t, p.Errors, body)
		require.Equal(t, where, p.Errors[0].Location, body)
	}
	p := w.ask("POST", inDefault+"/guidance", tok, `{"prompt":"p","secret-key":"hush"}`).problem(t)
	require.NotContains(t, p.Detail, "hush", "no value is repeated")
	require.Equal(t, http.StatusBadRequest, w.ask("POST", inDefault+"/guidance", tok, `{"prompt":`).problem(t).Status)
	require.Equal(t, http.StatusRequestEntityTooLarge,
		w.ask("POST", inDefault+"/guidance", tok, strings.Repeat(" ", maxQuestion+1)).problem(t).Status)
}

// TestSpec holds the specification that is committed.
func TestSpec(t *testing.T) {
	b, err := newWorld(t).s.Spec()
	require.NoError(t, err)
	golden.Equal(t, "openapi.json", string(b))
	var spec struct {
		Paths map[string]map[string]struct {
			Parameters []struct{ Name, In string }
			Responses  map[string]any
		}
		Components struct {
			Schemas map[string]struct{ Properties map[string]any }
		}
	}
	require.NoError(t, json.Unmarshal(b, &spec))
	for name, schema := range spec.Components.Schemas {
		for field := range schema.Properties {
			require.Regexp(t, `^[a-z]`, field, "a field of %s has the name it has in Go", name)
		}
	}
	for path, methods := range spec.Paths {
		for method, op := range methods {
			var named []string
			for _, p := range op.Parameters {
				if p.In == "path" {
					named = append(named, "{"+p.Name+"}")
				}
			}
			require.ElementsMatch(t, regexp.MustCompile(`{\w+}`).FindAllString(path, -1), named, "%s %s", method, path)
			require.Contains(t, op.Responses, "default", "%s %s", method, path)
		}
	}
}

// damage overwrites a file with what nothing can read.
func damage(t *testing.T, path string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte("{oops"), 0o600))
}
