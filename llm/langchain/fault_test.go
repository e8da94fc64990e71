package langchain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/memtree/memtree/llm"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var quick = tuning{tries: 3, first: time.Millisecond, longest: 50 * time.Millisecond, maxReply: 1 << 20, trip: 2,
	rest: time.Hour}

const answerSchema = `{"type":"object","additionalProperties":false,"required":["ok"],` +
	`"properties":{"ok":{"type":"boolean"}}}`

var ask = llm.Request{Name: "test.en@1+ab", System: "be brief", Prompt: "is it JSON?",
	Schema: json.RawMessage(answerSchema), MaxTokens: 77}

// provider is a server on loopback that records its requests.
type provider struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []map[string]any
	heads  []http.Header
	paths  []string
}

// serve starts a provider; answer answers its n-th request, from 0.
func serve(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, n int)) *provider {
	t.Helper()
	p := new(provider)
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		var body map[string]any
		_ = json.Unmarshal(raw, &body)
		p.mu.Lock()
		n := len(p.bodies)
		p.bodies, p.heads, p.paths = append(p.bodies, body), append(p.heads, r.Header.Clone()), append(p.paths, r.URL.Path)
		p.mu.Unlock()
		answer(w, r, n)
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *provider) calls() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.bodies)
}

func (p *provider) model(t *testing.T, kind string, tune tuning) *ChatModel {
	t.Helper()
	m, err := openModel(ModelConfig{Provider: kind, Model: "m-1", EmbedModel: "e-1", BaseURL: p.URL + "/v1",
		APIKey:  secret,
		Timeout: 2 * time.Second}, tune)
	require.NoError(t, err)
	t.Cleanup(m.Close)
	return m
}

// say answers every request in the same way.
func say(status int, body string, headers ...string) func(http.ResponseWriter, *http.Request, int) {
	return func(w http.ResponseWriter, _ *http.Request, _ int) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// then answers the first requests with the steps in order, and the rest with the last step.
func then(steps ...func(http.ResponseWriter, *http.Request, int)) func(http.ResponseWriter, *http.Request, int) {
	return func(w http.ResponseWriter, r *http.Request, n int) { steps[min(n, len(steps)-1)](w, r, n) }
}

// chat returns a chat completion with one choice, given as JSON.
func chat(choice string) string {
	return `{"id":"1","model":"m-1-2026","choices":[` + choice + `],"usage":{"prompt_tokens":12,"completion_tokens":3}}`
}

func wrote(content, finish string) string {
	c, _ := json.Marshal(content)
	return chat(fmt.Sprintf(`{"index":0,"message":{"role":"assistant","content":%s},"finish_reason":%q}`, c, finish))
}

var good = say(200, wrote(`{"ok": true}`, "stop"))

func hang(_ http.ResponseWriter, r *http.Request, _ int) { <-r.Context().Done() }

func endless(w http.ResponseWriter, r *http.Request, _ int) {
	chunk := []byte(strings.Repeat(" ", 1<<16))
	for r.Context().Err() == nil {
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
}

// cut sends less than it announces.
func cut(status int) func(http.ResponseWriter, *http.Request, int) {
	return func(w http.ResponseWriter, _ *http.Request, _ int) {
		w.Header().Set("Content-Length", "5000")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, `{"choices":[{"mess`)
	}
}

func hangUp(w http.ResponseWriter, _ *http.Request, _ int) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

// Each fault of a provider is a typed error, or a success after a retry.
func TestFaults(t *testing.T) {
	date := time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)
	for _, c := range []struct {
		name   string
		answer func(http.ResponseWriter, *http.Request, int)
		calls  int
		kind   llm.ErrorKind // "" for success
		want   string
	}{
		{"good", good, 1, "", ""},
		{"good, fenced", say(200, wrote("Sure!\n```json\n{\"ok\":true}\n```", "stop")), 1, "", ""},
		{"good, other content type", say(200, wrote(`{"ok":true}`, "stop"), "Content-Type", "text/plain"), 1, "", ""},
		{"503, then good", then(say(503, ""), good), 2, "", ""},
		{"500 twice, then good", then(say(500, `{"error":{"message":"oops"}}`), say(500, ""), good), 3, "", ""},
		{"429 for a moment, then good", then(say(429, "", "Retry-After-Ms", "3"), good), 2, "", ""},
		{"connection closed, then good", then(hangUp, good), 2, "", ""},
		{"reply broken off, then good", then(cut(200), good), 2, "", ""},
		{"500 for ever", say(500, `{"error":{"message":"oops"}}`), 3, llm.KindUnavailable,
			"model unavailable (HTTP 500): oops"},
		{"529 overloaded", say(529, ""), 3, llm.KindUnavailable, "HTTP 529"},
		{"429 with seconds", say(429, `{"error":{"message":"slow down"}}`, "Retry-After", "7"), 1, llm.KindRateLimited,
			"model rate limited (HTTP 429): slow down; try again in 7s"},
		{"429 with a date", say(429, "", "Retry-After", date), 1, llm.KindRateLimited, "try again in "},
		{"429 with nonsense", say(429, "", "Retry-After", "soon"), 3, llm.KindRateLimited, "model rate limited (HTTP 429)"},
		{"429 without end", say(429, "", "Retry-After", "1e300"), 1, llm.KindRateLimited, "try again in 24h0m0s"},
		{"429 without money", say(429, `{"error":{"message":"pay","code":"insufficient_quota"}}`), 1, llm.KindUnauthorised,
			"pay"},
		{"401", say(401, `{"error":{"message":"Incorrect API key provided: `+secret+`."}}`), 1, llm.KindUnauthorised,
			"Incorrect API key provided: [key]"},
		{"403, error as text", say(403, `{"error":"not for you"}`), 1, llm.KindUnauthorised, "not for you"},
		{"404", say(404, `{"error":{"message":"The model does not exist","code":404}}`), 1, llm.KindNotFound,
			"The model does not exist"},
		{"413", say(413, "<html>"), 1, llm.KindTooLarge, "HTTP 413"},
		{"400 too long", say(400, `{"error":{"message":"too many tokens","code":"context_length_exceeded"}}`),
			1, llm.KindTooLarge, "too many tokens"},
		{"400 in every form", say(400, `{"error":{"message":"no such thing"}}`), 3, llm.KindBadRequest, "no such thing"},
		{"204", say(204, ""), 3, llm.KindNoAnswer, "HTTP 204"},
		{"504", say(504, ""), 3, llm.KindTimeout, "HTTP 504"},
		{"hangs", hang, 1, llm.KindTimeout, "longer than the configured timeout"},
		{"endless body", endless, 3, llm.KindNoAnswer, "the reply has more than"},
		{"connection closed", hangUp, 3, llm.KindUnavailable, "EOF"},
		{"reply broken off", cut(200), 3, llm.KindUnavailable, "broke off"},
		{"error broken off", cut(500), 3, llm.KindUnavailable, "HTTP 500"},
		{"a web page", say(200, "<!doctype html><title>Sign in</title>", "Content-Type", "text/html"), 1, llm.KindNotFound,
			"a web page: is the base URL right?"},
		{"a web page, then good", then(say(502, "<html>"), good), 2, "", ""},
		{"a stream", say(200, "data: {}\n\ndata: [DONE]\n", "Content-Type", "text/event-stream"), 3, llm.KindNoAnswer,
			"a stream of events"},
		{"half a reply", say(200, `{"choices":[{"message":{"con`), 3, llm.KindNoAnswer, "the reply is no JSON"},
		{"empty body", say(200, ""), 3, llm.KindNoAnswer, "the reply is no JSON"},
		{"another JSON", say(200, `"hello"`), 3, llm.KindNoAnswer, "another shape"},
		{"another shape", say(200, `{"choices":"none"}`), 3, llm.KindNoAnswer, "another shape"},
		{"an error with status 200", say(200, `{"error":{"message":"upstream is down","code":502}}`), 3, llm.KindUnavailable,
			"upstream is down"},
		{"no choices", say(200, chat("")), 3, llm.KindNoAnswer, "no choices"},
		{"null choices", say(200, `{"choices":null}`), 3, llm.KindNoAnswer, "no choices"},
		{"null choice", say(200, chat("null")), 3, llm.KindNoAnswer, "an empty choice"},
		{"null second choice", say(200, chat(`{"message":{"content":"{}"}},null`)), 3, llm.KindNoAnswer, "an empty choice"},
		{"no message", say(200, chat(`{"finish_reason":"stop"}`)), 3, llm.KindNoAnswer, "an empty choice"},
		{"null content", say(200, chat(`{"message":{"content":null},"finish_reason":"stop"}`)), 3, llm.KindNoAnswer,
			"the answer is empty"},
		{"content in parts", say(200, chat(`{"message":{"content":[{"type":"text"}]}}`)), 3, llm.KindNoAnswer,
			"another shape"},
		{"an old function call without its function", say(200,
			chat(`{"message":{"content":"{\"ok\":true}"},"finish_reason":"function_call"}`)), 1, llm.KindNoAnswer, "panicked"},
		{"cut off", say(200, wrote(`{"ok": tr`, "length")), 1, llm.KindTruncated, "cut off at the token limit"},
		{"cut off, though it looks whole", say(200, wrote(`{"ok":true}`, "length")), 1, llm.KindTruncated, "cut off"},
		{"filtered", say(200, wrote("", "content_filter")), 1, llm.KindRefused, "filter"},
		{"refused", say(200, chat(`{"message":{"content":null,"refusal":"I will not."},"finish_reason":"stop"}`)),
			1, llm.KindRefused, "I will not."},
		{"half a JSON said to be whole", say(200, wrote(`{"ok": tr`, "stop")), 1, llm.KindMalformed,
			"the JSON object has no end"},
		{"prose", say(200, wrote(`It is.`, "stop")), 1, llm.KindMalformed, "there is no JSON object"},
		{"another object than asked for", say(200, wrote(`{"ok":"yes","rm":"-rf"}`, "stop")), 1, llm.KindMalformed,
			"ok: must be boolean"},
		{"moved", say(307, "", "Location", "https://elsewhere.example/v1"), 1, llm.KindNotFound,
			"the address has moved to https://elsewhere.example/v1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := serve(t, c.answer)
			tune := quick
			tune.trip = 99
			a, err := p.model(t, OpenAI, tune).Generate(t.Context(), ask)
			require.Equal(t, c.calls, p.calls())
			if c.kind == "" {
				require.NoError(t, err)
				require.Equal(t, llm.Answer{JSON: json.RawMessage(`{"ok":true}`), Model: "m-1-2026",
					Usage: llm.Usage{InputTokens: 12, OutputTokens: 3}}, a)
				return
			}
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), secret)
			require.Equal(t, c.kind, llm.KindOf(err))
		})
	}
}

func TestUsageOfAFailureIsKept(t *testing.T) {
	for _, answer := range []string{wrote(`{"ok": tr`, "length"), wrote("no", "stop")} {
		_, err := serve(t, say(200, answer)).model(t, OpenAI, quick).Generate(t.Context(), ask)
		var e *llm.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, llm.Usage{InputTokens: 12, OutputTokens: 3}, e.Usage)
	}
}

func TestTheCallerDecides(t *testing.T) {
	m := serve(t, hang).model(t, OpenAI, quick)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	_, err := m.Generate(ctx, ask)
	require.Equal(t, llm.KindCancelled, llm.KindOf(err))
	require.ErrorIs(t, err, context.Canceled)

	ctx, cancel = context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = m.Generate(ctx, ask)
	require.Equal(t, llm.KindTimeout, llm.KindOf(err))
	require.ErrorIs(t, err, context.DeadlineExceeded)

	// Cancelled between two requests.
	slow := quick
	slow.first, slow.longest = 200*time.Millisecond, time.Second
	m = serve(t, say(503, "")).model(t, OpenAI, slow)
	ctx, cancel = context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	_, err = m.Generate(ctx, ask)
	require.Equal(t, llm.KindCancelled, llm.KindOf(err))

	big := ask
	big.Prompt = strings.Repeat("x", maxPrompt)
	_, err = m.Generate(t.Context(), big)
	require.Equal(t, llm.KindTooLarge, llm.KindOf(err))
}

func TestNobodyListens(t *testing.T) {
	p := serve(t, good)
	m := p.model(t, OpenAI, quick)
	p.Close()
	_, err := m.Generate(t.Context(), ask)
	require.Equal(t, llm.KindUnavailable, llm.KindOf(err))
	require.ErrorContains(t, err, "refused")
}

// A redirect is not followed, so the key is not sent elsewhere.
func TestRedirectGetsNoKey(t *testing.T) {
	var visits atomic.Int32
	other := serve(t, func(http.ResponseWriter, *http.Request, int) { visits.Add(1) })
	for _, status := range []int{301, 302, 303, 307, 308} {
		p := serve(t, say(status, "", "Location", other.URL+"/v1/chat/completions?k="+secret))
		_, err := p.model(t, OpenAI, quick).Generate(t.Context(), ask)
		require.Equal(t, llm.KindNotFound, llm.KindOf(err))
		require.NotContains(t, err.Error(), secret)
	}
	require.Zero(t, visits.Load())
}

func TestBreaker(t *testing.T) {
	var down atomic.Bool
	down.Store(true)
	p := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		if down.Load() {
			say(500, "")(w, r, n)
			return
		}
		good(w, r, n)
	})
	tune := quick
	tune.rest = 60 * time.Millisecond
	m := p.model(t, OpenAI, tune)
	for range 4 {
		_, err := m.Generate(t.Context(), ask)
		require.Equal(t, llm.KindUnavailable, llm.KindOf(err))
	}
	require.Equal(t, 6, p.calls(), "two calls of three tries, and it is left alone")
	_, err := m.Generate(t.Context(), ask)
	require.ErrorContains(t, err, "is given a rest")
	require.True(t, errors.As(err, new(*llm.Error)))

	down.Store(false)
	require.Eventually(t, func() bool {
		_, err := m.Generate(t.Context(), ask)
		return err == nil
	}, 5*time.Second, 20*time.Millisecond)

	// A busy provider, a bad answer and a cancelled call do not open the breaker.
	for _, answer := range []func(http.ResponseWriter, *http.Request, int){say(429, "", "Retry-After", "9"),
		say(200, wrote("no", "stop")), say(401, ""), hang} {
		p := serve(t, answer)
		m := p.model(t, OpenAI, tune)
		for range 7 {
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
			_, err := m.Generate(ctx, ask)
			cancel()
			require.Error(t, err)
			require.NotContains(t, err.Error(), "given a rest")
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 28, 9, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "0": 0, "-3": 0, "2": 2 * time.Second, "1.5": 1500 * time.Millisecond, " 4 ": 4 * time.Second, "NaN": 0,
		"Inf": maxRetryAfter, "99999999999": maxRetryAfter,
		"Wed, 28 Jan 2026 09:00:30 GMT": 30 * time.Second, "Wed, 28 Jan 2026 08:00:00 GMT": 0,
		"Thu, 28 Jan 9999 08:00:00 GMT": maxRetryAfter, "tomorrow": 0,
	} {
		require.Equal(t, want, retryAfter(http.Header{"Retry-After": {value}}, now), value)
	}
	require.Equal(t, 250*time.Millisecond, retryAfter(http.Header{"Retry-After": {"9"}, "Retry-After-Ms": {"250"}}, now))
}

// For any reply the result is an error with a kind or a valid answer.
func FuzzReply(f *testing.F) {
	for _, s := range []string{wrote(`{"ok":true}`, "stop"), chat("null"), `{"choices":null}`, `{"error":{}}`,
		`{"content":[null],"stop_reason":"end_turn"}`,
		`{"content":[{"type":"tool_use","input":{"ok":true}}]}`, `{"message":{"content":"{}"},"done":true}`,
		`{"data":[{"index":0,"embedding":[1,null]}]}`, `{"embeddings":[[1]]}`, "<html>", "\xff"} {
		f.Add(s, 200)
	}
	f.Add(`{"error":{"message":"x","code":1e99}}`, 429)
	var status atomic.Int64
	var body atomic.Value
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(int(status.Load()))
		_, _ = io.WriteString(w, body.Load().(string))
	}))
	f.Cleanup(server.Close)
	tune := quick
	tune.tries, tune.trip = 1, 1<<30
	f.Fuzz(func(t *testing.T, reply string, code int) {
		status.Store(int64(200 + min(max(code-200, 0), 399)))
		body.Store(reply)
		for _, kind := range []string{OpenAI, Anthropic, Ollama} {
			c := ModelConfig{Provider: kind, Model: "m", EmbedModel: "e", BaseURL: server.URL, Timeout: 5 * time.Second}
			m, err := openModel(c, tune)
			require.NoError(t, err)
			_, err = m.Generate(t.Context(), ask)
			require.True(t, err == nil || llm.KindOf(err) != "", "%v", err)
			m.Close()
			if kind == Anthropic {
				continue
			}
			e, err := openEmbedder(c, tune)
			require.NoError(t, err)
			_, err = e.Embed(t.Context(), []string{"a"})
			require.True(t, err == nil || llm.KindOf(err) != "", "%v", err)
			e.Close()
		}
	})
}

// After a model has answered, a web page is a temporary failure. A key in an address, or after a line break, is in no
// error.
func TestPageAfterAnAnswer(t *testing.T) {
	m := serve(t, then(good, say(200, "<html>"))).model(t, OpenAI, quick)
	_, err := m.Generate(t.Context(), ask)
	require.NoError(t, err)
	_, err = m.Generate(t.Context(), ask)
	require.Equal(t, llm.KindNoAnswer, llm.KindOf(err))
}

// A provider that requests a long pause gets it.
func TestBusyIsLeftAlone(t *testing.T) {
	p := serve(t, then(say(429, `{"error":{"message":"slow down"}}`, "Retry-After", "1"), good))
	m := p.model(t, OpenAI, quick)
	for range 5 {
		_, err := m.Generate(t.Context(), ask)
		require.ErrorContains(t, err, "slow down")
		require.Equal(t, llm.KindRateLimited, llm.KindOf(err))
	}
	require.Equal(t, 1, p.calls())
	// Without a time the pause starts after two calls of three requests.
	p = serve(t, say(429, `{"error":{"message":"slow down"}}`))
	m = p.model(t, OpenAI, quick)
	for i := range 5 {
		_, err := m.Generate(t.Context(), ask)
		e, ok := errors.AsType[*llm.Error](err)
		require.True(t, ok)
		require.Equal(t, llm.KindRateLimited, e.Kind)
		require.Equal(t, i >= 2, e.Unsent)
	}
	require.Equal(t, 6, p.calls())

	b := busy{until: time.Unix(9, 0), said: &llm.Error{Kind: llm.KindRateLimited}}
	require.Equal(t, 4*time.Second, b.wait(time.Unix(5, 0)).RetryAfter)
	require.Nil(t, b.wait(time.Unix(9, 0)))
	require.Nil(t, (*busy)(nil).wait(time.Unix(9, 0)))
}

func TestRedacted(t *testing.T) {
	for in, want := range map[string]string{
		"Get \"https://u:hunter22@h.example/v1?api-key=abc&x=1\": EOF": `Get "https://[key]h.example/v1?` +
			`api-key=[key]&x=[key]": EOF`,
		"header Authorization: Bearer abcdefghijklmnop was refused": "header Authorization: Bearer [key] was refused",
		"k/ey+1 and k%2Fey%2B1\nare wrong":                          "[key] and [key] are wrong",
		"mail me@example.com":                                       "mail me@example.com",
	} {
		require.Equal(t, want, redacted(in, "k/ey+1"))
	}
}

// A server without TLS, or for another host, is at a wrong address.
func TestWrongAddress(t *testing.T) {
	p := serve(t, good)
	other := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(other.Close)
	for _, base := range []string{"https" + strings.TrimPrefix(p.URL, "http"), other.URL, "http://nobody.invalid"} {
		c := ModelConfig{Provider: OpenAI, Model: "m", BaseURL: base, APIKey: secret, Timeout: 2 * time.Second}
		m, err := openModel(c, quick)
		require.NoError(t, err)
		_, err = m.Generate(t.Context(), ask)
		m.Close()
		require.Contains(t, []llm.ErrorKind{llm.KindNotFound, llm.KindUnavailable, llm.KindTimeout}, llm.KindOf(err), base)
		if base != "http://nobody.invalid" { // without a network the name cannot be resolved
			require.Equal(t, llm.KindNotFound, llm.KindOf(err), "%s: %v", base, err)
		}
	}
}
