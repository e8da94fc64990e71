package langchain

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/store"
)

// replyOf returns a provider's reply with a model's text and stop reason.
func replyOf(kind, content, stop string) string {
	c, _ := json.Marshal(content)
	switch kind {
	case Anthropic:
		if stop == "stop" {
			stop = "end_turn"
		}
		return fmt.Sprintf(`{"model":"m","stop_reason":%q,"content":[{"type":"text","text":%s}]}`, stop, c)
	case Ollama:
		return fmt.Sprintf(`{"model":"m","message":{"role":"assistant","content":%s},"done":true,"done_reason":%q}`, c, stop)
	default:
		return wrote(content, stop)
	}
}

type handler = func(http.ResponseWriter, *http.Request, int)

// faultKind is a way in which a provider fails; of returns it for a provider.
type faultKind struct {
	name string
	of   func(provider string) handler
}

func status(code int, headers ...string) faultKind {
	name := fmt.Sprint(code)
	if len(headers) > 0 {
		name += ", " + headers[0] + " " + map[bool]string{true: "seconds", false: "date"}[len(headers[1]) < 4]
	}
	return faultKind{name, func(string) handler { return say(code, `{"error":{"message":"no"}}`, headers...) }}
}

func body(name, text string, headers ...string) faultKind {
	return faultKind{name, func(string) handler { return say(200, text, headers...) }}
}

// content returns a valid reply with a text.
func content(name, text, stop string) faultKind {
	return faultKind{name, func(p string) handler { return say(200, replyOf(p, text, stop)) }}
}

func reset(w http.ResponseWriter, _ *http.Request, _ int) {
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		if c, ok := conn.(*net.TCPConn); ok {
			_ = c.SetLinger(0)
		}
		_ = conn.Close()
	}
}

func slowBody(w http.ResponseWriter, r *http.Request, _ int) {
	_, _ = io.WriteString(w, "{")
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

// faultKinds returns all ways to fail. A fault at another address than a server has no handler.
func faultKinds() []faultKind {
	always := func(name string, h handler) faultKind {
		return faultKind{name, func(string) handler { return h }}
	}
	date := time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)
	return []faultKind{
		always("connection refused", nil), always("no such host", nil), always("no TLS", nil),
		always("connection reset", reset), always("slow headers", hang), always("slow body", slowBody),
		always("endless body", endless), always("cut in the body", cut(200)),
		status(400), status(401), status(403), status(404), status(408), status(409), status(413), status(422), status(429),
		status(429, "Retry-After", "9"), status(429, "Retry-After", date),
		status(500), status(502), status(503), status(504), status(529),
		body("web page", "<!doctype html><title>Sign in</title>", "Content-Type", "text/html"), body("empty body", ""),
		{"null choice", func(p string) handler {
			return say(200, map[string]string{OpenAI: chat("null"), Anthropic: `{"stop_reason":"end_turn","content":[null]}`,
				Ollama: `{"message":null,"done":true}`}[p])
		}},
		{"no choices", func(p string) handler {
			return say(200, map[string]string{OpenAI: chat(""), Anthropic: `{"stop_reason":"end_turn","content":[]}`,
				Ollama: `{"done":true}`}[p])
		}},
		content("cut by length", `{"errorType": "fo`, "length"), content("filtered", "", "content_filter"),
		content("refusal", "", "refusal"),
		content("wrong schema", `{"errorType":7}`, "stop"), content("1e999", `{"errorType":"x","confidence":1e999}`, "stop"),
		content("a field twice", strings.Replace(analysis, "{", `{"runs":[],`, 1), "stop"),
		content("deep nesting", strings.Repeat(`{"a":`, 5000)+"1"+strings.Repeat("}", 5000), "stop"),
	}
}

// swapped is a replaceable model.
type swapped struct{ of atomic.Pointer[ChatModel] }

func (s *swapped) Generate(ctx context.Context, r llm.Request) (llm.Answer, error) {
	return s.of.Load().Generate(ctx, r)
}

// TestFaultTable tries each fault on each provider, in a memory: every evaluation is formed, no goroutine is left, the
// caller's deadline holds, reads continue, and once the model recovers all requests are repeated, except those with an
// invalid answer. Run with MEMTREE_FAULTS=1: make faults.
func TestFaultTable(t *testing.T) {
	if os.Getenv("MEMTREE_FAULTS") == "" {
		t.Skip("takes minutes: make faults")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "12 wrong judgements through a provider with one fault, then through one that is well.\n"+
		"formed: cases; wait: of them for the model; then: read by it later; jobs: asked for later.\n\n"+
		"%-24s %-10s %-13s %6s %4s %4s %4s %5s %8s\n", "fault", "provider", "error", "formed", "wait", "then", "jobs", "left",
		"deadline")
	most := 0
	for _, f := range faultKinds() {
		for _, p := range []string{OpenAI, Anthropic, Ollama} {
			line, calls := tryFault(t, f, p)
			most = max(most, calls)
			b.WriteString(line)
			t.Logf("%s %d calls", strings.TrimSpace(line), calls)
		}
	}
	t.Logf("most calls: %d", most)
	golden.Equal(t, "testdata/faults.golden", b.String())
}

func tryFault(t *testing.T, f faultKind, provider string) (line string, calls int) {
	t.Helper()
	before := goleak.IgnoreCurrent()
	var asked, jobs atomic.Int64
	count := func(h handler) *httptest.Server {
		return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			raw, _ := io.ReadAll(r.Body)
			asked.Add(1)
			if !strings.Contains(string(raw), `misses`) {
				jobs.Add(1)
			}
			h(w, r, 0)
		}))
	}
	h := f.of(provider)
	bad := count(h)
	if h == nil {
		bad.Config.Handler = http.NotFoundHandler()
	}
	well := count(say(200, replyOf(provider, analysis, "stop")))
	base := map[string]string{
		"no such host": "http://nobody.invalid",
		"no TLS":       "https" + strings.TrimPrefix(bad.URL, "http"),
	}[f.name]
	if base == "" {
		base = bad.URL
	}
	if f.name == "connection refused" {
		bad.Close()
	}
	to := func(url string, timeout time.Duration) *ChatModel {
		tune := quick
		tune.trip = defaults().trip
		m, err := openModel(ModelConfig{Provider: provider, Model: "m", BaseURL: url, APIKey: secret, Timeout: timeout}, tune)
		require.NoError(t, err)
		return m
	}
	const short = 300 * time.Millisecond
	ill, healthy := to(base, short), to(well.URL, time.Minute)
	var model swapped
	model.of.Store(ill)

	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	began := time.Now()
	_, err := ill.Generate(ctx, ask)
	late := time.Since(began) - 100*time.Millisecond
	cancel()
	require.Error(t, err)
	require.NotContains(t, err.Error(), secret)
	_, err = to(base, short).Generate(t.Context(), ask)
	kind := llm.KindOf(err)

	asked.Store(0)
	now := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	var passed atomic.Int64
	m, err := memtree.Open(t.Context(), "", &memtree.Options{InMemory: true, Generator: &model,
		Now: func() time.Time { return now.Add(time.Duration(passed.Load())) }})
	require.NoError(t, err)
	_, err = m.RecordAll(t.Context(), wrong(12))
	require.NoError(t, err)
	require.NoError(t, m.Wait(t.Context()))
	_, err = m.Guide(t.Context(), memtree.Query{Prompt: "Check that the postcode field is refused when it is left empty"})
	require.NoError(t, err)
	_, err = m.Evolve(t.Context(), nil)
	require.NoError(t, err)
	calls = int(asked.Load())
	info, err := m.Tree().Info(t.Context())
	require.NoError(t, err)
	require.Zero(t, info.Outbox+info.Dead)
	cases, waiting := caseCounts(t, m)

	model.of.Store(healthy)
	passed.Store(int64(time.Hour))
	jobs.Store(0)
	v, err := m.Evolve(t.Context(), nil)
	require.NoError(t, err)
	wanted := "yes"
	if jobs.Load() == 0 {
		wanted = "no"
	}
	_, err = m.Verify(t.Context(), func(problem error) { t.Error(problem) })
	require.NoError(t, err)
	require.NoError(t, m.Close())
	ill.Close()
	healthy.Close()
	bad.CloseClientConnections()
	bad.Close()
	well.Close()
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	left := "0"
	if err := goleak.Find(before); err != nil {
		left = "some"
		t.Errorf("%s, %s: %v", f.name, provider, err)
	}
	kept := "kept"
	if late > 50*time.Millisecond {
		kept = "missed"
		t.Errorf("%s, %s: %s late", f.name, provider, late)
	}
	settled := slices.Contains([]llm.ErrorKind{llm.KindMalformed}, kind)
	require.Equal(t, 12, cases)
	if !settled {
		require.Equal(t, [2]int{12, 12}, [2]int{waiting, v.Again}, "%s, %s: %s", f.name, provider, kind)
		require.Equal(t, "yes", wanted, "%s, %s: %s", f.name, provider, kind)
	}
	return fmt.Sprintf("%-24s %-10s %-13s %6d %4d %4d %4s %5s %8s\n",
		f.name, provider, kind, cases, waiting, v.Again, wanted, left, kept), calls
}

func caseCounts(t *testing.T, m *memtree.Memory) (cases, waiting int) {
	t.Helper()
	for n, err := range m.Tree().Scan(t.Context(), store.Filter{Level: 1}) {
		require.NoError(t, err)
		cases++
		if n.Provenance.Again {
			waiting++
		}
	}
	return cases, waiting
}
