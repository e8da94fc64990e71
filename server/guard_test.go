package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/internal/token"
	"github.com/memtree/memtree/store"
	jsonstore "github.com/memtree/memtree/store/json"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

func TestHostAndOrigin(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Hosts = []string{"Memory.example.org"} })
	tok := w.token("a", nil, token.Admin)
	for _, c := range []struct {
		method string
		header []string
		code   int
	}{
		{"GET", []string{"Host", "evil.example"}, http.StatusMisdirectedRequest},
		{"GET", []string{"Host", "localhost.evil.example"}, http.StatusMisdirectedRequest},
		{"GET", []string{"Host", ""}, http.StatusMisdirectedRequest},
		{"GET", []string{"Host", "memory.example.org"}, http.StatusOK},
		{"GET", []string{"Host", "MEMORY.example.org:8443"}, http.StatusOK},
		{"GET", []string{"Host", "[::1]:7788"}, http.StatusOK},
		{"GET", []string{"Host", "127.0.0.1:1"}, http.StatusOK},
		{"GET", []string{"Origin", "https://evil.example"}, http.StatusForbidden},
		{"GET", []string{"Origin", "null"}, http.StatusForbidden},
		{"GET", []string{"Origin", "file://localhost"}, http.StatusForbidden},
		{"GET", []string{"Origin", "http://localhost:3000"}, http.StatusOK},
		{"GET", []string{"Sec-Fetch-Site", "cross-site"}, http.StatusOK},
		{"POST", []string{"Sec-Fetch-Site", "cross-site"}, http.StatusForbidden},
		{"POST", []string{"Sec-Fetch-Site", "same-site"}, http.StatusForbidden},
		{"POST", []string{"Origin", "http://evil.example"}, http.StatusForbidden},
		{"POST", []string{"Host", "localhost:7788", "Origin", "http://localhost:3000"}, http.StatusForbidden},
		{"POST", []string{"Host", "localhost:7788", "Origin", "http://localhost:7788"}, http.StatusBadRequest},
		{"POST", []string{"Origin", "https://memory.example.org"}, http.StatusBadRequest}, // the body
	} {
		path := inDefault
		if c.method == "POST" {
			path += "/evolve"
		}
		a := w.ask(c.method, path, tok, "", c.header...)
		require.Equal(t, c.code, a.Code, "%v", c)
		require.Empty(t, a.Header.Get("Access-Control-Allow-Origin"), "no page of another site may read")
		require.Equal(t, "nosniff", a.Header.Get("X-Content-Type-Options"))
	}
	require.Equal(t, http.StatusOK, w.ask("GET", "/healthz", "", "", "Host", "10.1.2.3").Code, "probes ask by address")
}

func TestRates(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Rate = 2 })
	one, two := w.token("one", nil, token.Read), w.token("two", nil, token.Read)
	for range 2 {
		require.Equal(t, http.StatusOK, w.ask("GET", inDefault, one, "").Code)
	}
	a := w.ask("GET", inDefault, one, "")
	require.Equal(t, http.StatusTooManyRequests, a.Code)
	require.Equal(t, "1", a.Header.Get("Retry-After"))
	require.Contains(t, a.problem(t).Detail, "Retry-After")
	require.Equal(t, http.StatusOK, w.ask("GET", inDefault, two, "").Code, "each token has its own")
	w.now = w.now.Add(time.Second)
	require.Equal(t, http.StatusOK, w.ask("GET", inDefault, one, "").Code, "who waits may go on")
}

// TestBusy: requests beyond the maximum at one time do not wait in a queue.
func TestBusy(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.InFlight = 1 })
	tok := w.token("a", nil, token.Write)
	w.s.guard.flying <- struct{}{}
	a := w.ask("GET", inDefault, tok, "")
	require.Equal(t, http.StatusServiceUnavailable, a.Code)
	require.NotEmpty(t, a.Header.Get("Retry-After"))
	require.Equal(t, http.StatusOK, w.ask("GET", "/healthz", "", "").Code, "the service says that it lives")
	<-w.s.guard.flying
	require.Equal(t, http.StatusOK, w.ask("GET", inDefault, tok, "").Code)

	require.True(t, w.s.guard.bodies.TryAcquire(heldBodies))
	require.Equal(t, http.StatusServiceUnavailable, w.ask("POST", inDefault+"/guidance", tok, `{"prompt":"p"}`).Code)
	w.s.guard.bodies.Release(heldBodies)
	require.Equal(t, http.StatusOK, w.ask("POST", inDefault+"/guidance", tok, `{"prompt":"p"}`).Code)
	require.True(t, w.s.guard.bodies.TryAcquire(heldBodies), "what was held is given back")
}

// TestBodies: a body beyond the limit of its route is refused, by its length or as it comes.
func TestBodies(t *testing.T) {
	w := newWorld(t)
	tok := w.token("a", nil, token.Admin)
	for _, op := range operations(t, w) {
		r := routeOf(op.id)
		if r.scope == "" || r.body > maxEvaluations {
			continue
		}
		a := w.ask(op.method, at(op.path, Default), tok, strings.Repeat(" ", int(r.body)+1))
		require.Equal(t, http.StatusRequestEntityTooLarge, a.Code, op.id)
		require.Contains(t, a.problem(t).Detail, "bytes", op.id)
	}
	q, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+w.listen()+inDefault+"/guidance",
		io.MultiReader(strings.NewReader(strings.Repeat(" ", maxQuestion)), strings.NewReader("  "))) // of no known length
	require.NoError(t, err)
	q.Header.Set("Authorization", "Bearer "+tok)
	a, err := http.DefaultClient.Do(q)
	require.NoError(t, err)
	a.Body.Close()
	require.Equal(t, http.StatusRequestEntityTooLarge, a.StatusCode)
}

// listen serves the world as the command does and returns the address.
func (w *world) listen() string {
	w.t.Helper()
	l, err := (&net.ListenConfig{}).Listen(w.t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(w.t, err)
	ctx, stop := context.WithCancel(w.t.Context())
	done := make(chan error, 1)
	go func() { done <- w.s.Serve(ctx, l) }()
	w.t.Cleanup(func() { stop(); require.NoError(w.t, <-done) })
	return l.Addr().String()
}

// TestAudit: every change has a line, with who and where, and without what.
func TestAudit(t *testing.T) {
	var log bytes.Buffer
	w := newWorld(t, func(o *Options) { o.Audit = slog.New(slog.NewJSONHandler(&log, nil)) })
	tok, reader := w.token("agent-7", nil, token.Write), w.token("reader", nil, token.Read)
	w.ask("POST", inDefault+"/evaluations", tok, "["+wrongTotal+"]")
	w.ask("POST", inDefault+"/evaluations", reader, "["+wrongTotal+"]")
	w.ask("POST", inDefault+"/evaluations", "mt_stolen", "["+wrongTotal+"]")
	w.ask("GET", inDefault+"/nodes", reader, "")
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	require.Len(t, lines, 2, "one for who was let in, one for who may not do that, none for who was not let in")
	var line struct {
		Token, Route, Tree string
		Status             int
	}
	require.NoError(t, json.Unmarshal([]byte(lines[0]), &line))
	require.Equal(t, "agent-7 record default 202", strings.Join([]string{line.Token, line.Route, line.Tree, "202"}, " "))
	require.Equal(t, 202, line.Status)
	for _, hidden := range []string{"mt_", "prices", "Check the order", "Bearer"} {
		require.NotContains(t, log.String(), hidden)
	}
}

// TestDamagedTokens: all callers are refused, and the log has the reason; once repaired, all works again.
func TestDamagedTokens(t *testing.T) {
	var log bytes.Buffer
	w := newWorld(t, func(o *Options) { o.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	tok := w.token("a", nil, token.Admin)
	damage(t, w.dir+"/tokens.json")
	p := w.ask("GET", inDefault, tok, "").problem(t)
	require.Equal(t, http.StatusServiceUnavailable, p.Status)
	require.NotContains(t, p.Detail, w.dir, "a path is not for clients")
	require.Contains(t, log.String(), "tokens.json")
}

// TestReadOnly: a read-only tree refuses changes with that reason, and continues to answer.
func TestReadOnly(t *testing.T) {
	w := newWorld(t)
	tok := w.token("a", nil, token.Admin)
	w.trees.byName[Default].readOnly = true
	for _, op := range operations(t, w) {
		if r := routeOf(op.id); r.changes && op.id != "import" {
			body := map[string]string{"record": "[" + wrongTotal + "]", "relabel": `{"evaluation":"x","groundTruth":"pass"}`,
				"promote": `{"origin":"x"}`, "edit": `{"lesson":{"title":"t","description":"d","lessons":[]}}`,
				"stateFact": `{"statement":"s"}`, "editFact": `{"statement":"s"}`,
				"startRun": `{"goal":"g"}`, "updateRun": `{"updates":[{"kind":"note","text":"t"}]}`,
				"walk":  `{"source":"s","seen":[{"kind":"page","url":"/a"}]}`,
				"teach": `{"lesson":"l","when":["w"]}`, "label": `{"evaluations":["x"],"correct":true}`}[op.id]
			if body == "" {
				body = "{}"
			}
			p := w.ask(op.method, at(op.path, Default), tok, body).problem(t)
			require.Equal(t, http.StatusConflict, p.Status, op.id)
			require.Equal(t, "urn:memtree:read-only", p.Type, op.id)
		}
	}
	require.Equal(t, http.StatusOK, w.ask("POST", inDefault+"/guidance", tok, `{"prompt":"p"}`).Code)
}

// TestStops: a service that stops finishes what it does, loses nothing it acknowledged, and ends its
// streams.
func TestStops(t *testing.T) {
	w := newWorld(t)
	tok := w.token("a", nil, token.Admin)
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- w.s.Serve(ctx, l) }()
	var mu sync.Mutex
	acknowledged := 0
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for n := 0; ; n++ {
				body := strings.Replace(wrongTotal, `"n1"`, `"n`+string(rune('a'+i))+strings.Repeat("x", n)+`"`, 1)
				to := "http://" + l.Addr().String() + inDefault + "/evaluations"
				q, err := http.NewRequestWithContext(context.Background(), "POST", to, strings.NewReader("["+body+"]"))
				if err != nil {
					return
				}
				q.Header.Set("Authorization", "Bearer "+tok)
				a, err := http.DefaultClient.Do(q)
				if err != nil {
					return
				}
				a.Body.Close()
				if a.StatusCode != http.StatusAccepted {
					return
				}
				mu.Lock()
				acknowledged++
				mu.Unlock()
			}
		})
	}
	require.Eventually(t, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return acknowledged >= 8
	}, time.Minute, time.Millisecond, "a busy machine takes its time")
	stop()
	require.NoError(t, <-done)
	wg.Wait()
	info, err := w.trees.Get(Default).Tree().Info(t.Context())
	require.NoError(t, err)
	require.Positive(t, acknowledged)
	require.GreaterOrEqual(t, info.Evaluations, acknowledged)
	require.Equal(t, http.StatusServiceUnavailable, w.ask("GET", "/readyz", "", "").Code)
	require.Equal(t, "urn:memtree:closing", w.ask("GET", inDefault, tok, "").problem(t).Type)
}

// TestPanic: one request that fails inside does not end the others, and its answer discloses nothing of it.
func TestPanic(t *testing.T) {
	w := newWorld(t)
	tok := w.token("a", nil, token.Admin)
	w.trees.byName["broken"] = &treeOf{name: "broken", Memory: (*memtree.Memory)(nil)}
	p := w.ask("GET", "/v1/trees/broken/stats", tok, "").problem(t)
	require.Equal(t, http.StatusInternalServerError, p.Status)
	require.Equal(t, internal().Detail, p.Detail)
	require.Equal(t, http.StatusOK, w.ask("GET", inDefault, tok, "").Code)
}

// fullDisk is a store whose disk has no room.
type fullDisk struct {
	store.Store
	full bool
}

func (f *fullDisk) Accept(ctx context.Context, es []tree.Evaluation) ([]store.Receipt, error) {
	if f.full {
		return nil, fmt.Errorf("write the journal: %w", store.ErrFull)
	}
	return f.Store.Accept(ctx, es)
}

// TestFullDisk: what is not durable is not acknowledged, reading goes on, and so does writing once
// there is room.
func TestFullDisk(t *testing.T) {
	w := newWorld(t)
	tok := w.token("a", nil, token.Admin)
	s, err := jsonstore.OpenMemory(t.Context(), jsonstore.Options{})
	require.NoError(t, err)
	disk := &fullDisk{s, true}
	m, err := memtree.Open(t.Context(), "", &memtree.Options{Store: disk})
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	w.trees.byName["full"] = &treeOf{name: "full", Memory: m}
	a := w.ask("POST", "/v1/trees/full/evaluations", tok, "["+wrongTotal+"]")
	require.Equal(t, http.StatusInsufficientStorage, a.Code)
	require.Equal(t, "urn:memtree:disk-full", a.problem(t).Type)
	require.NotEmpty(t, a.Header.Get("Retry-After"))
	require.Equal(t, http.StatusOK, w.ask("POST", "/v1/trees/full/guidance", tok, `{"prompt":"p"}`).Code)
	disk.full = false
	require.Equal(t, http.StatusAccepted, w.ask("POST", "/v1/trees/full/evaluations", tok, "["+wrongTotal+"]").Code)
}

// TestProblems: each error of memtree has a status and a sentence on what to do.
func TestProblems(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
		says   string
	}{
		{&tree.FieldError{Field: "[3].prompt", Problem: "is missing"}, 422, "body[3].prompt: is missing"},
		{&tree.FieldError{Field: "scene.route", Problem: "is too long"}, 422, "body.scene.route"},
		{&store.LockedError{Dir: "/secret"}, 503, "wait for it"},
		{&store.CorruptError{File: "/secret", Lost: "x"}, 503, "memtree fsck"},
		{tree.ErrNotFound, 404, "lists memories"},
		{store.ErrContradiction, 409, "its own id"},
		{store.ErrReadOnly, 409, "only reads"},
		{store.ErrFull, 507, "once there is room"},
		{store.ErrFailed, 503, "started again"},
		{store.ErrConflict, 409, "ask again"},
		{store.ErrClosed, 503, "in a moment"},
		{context.DeadlineExceeded, 503, "ask again"},
		{&http.MaxBytesError{Limit: 7}, 413, "7 bytes"},
		{&curation.RefusedError{Why: curation.Already, Said: tree.DecisionPin, ID: "c_1"}, 409, "has been said"},
		{&curation.GateError{ID: "e_1", Reasons: []string{"length: too long"}}, 422, "too long"},
		{&transfer.UnusableError{Entry: "nodes.jsonl", Line: 3, Problem: "is cut"}, 422, "nothing was imported"},
	} {
		p := problemOf(fmt.Errorf("doing: %w", c.err))
		require.NotNil(t, p, c.err)
		require.Equal(t, c.status, p.Status, c.err)
		require.Contains(t, p.Detail, c.says)
		require.NotContains(t, p.Detail, "/secret", "a path is not for clients")
	}
	require.Nil(t, problemOf(errors.New("open /secret: no such file")), "what is not known is not told")
	hostile := "\x1b[31m\x00" + strings.Repeat("y", 1<<20)
	long := problemOf(&tree.FieldError{Field: strings.Repeat("x", 1<<20), Problem: hostile})
	require.Less(t, len(long.Detail), 2000)
	require.NotContains(t, long.Detail, "\x1b")
}

// TestLackingScope: the problem of a token without a scope names each scope that would do once.
func TestLackingScope(t *testing.T) {
	require.Contains(t, lacksScope(token.Write).Detail, "it takes one with the scope write or admin (")
	require.Contains(t, lacksScope(token.Admin).Detail, "it takes one with the scope admin (")
}
