package langchain

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/llm"
)

// embeddings returns a handler that replies with the vectors that of derives from those of the texts.
func embeddings(provider string, of func(items []string) []string) handler {
	return func(w http.ResponseWriter, r *http.Request, _ int) {
		var in struct{ Input []string }
		_ = json.NewDecoder(r.Body).Decode(&in)
		var items []string
		for i, text := range in.Input {
			v := fmt.Sprintf("[%d,1,0.5]", 1+len(text))
			if provider == Ollama {
				items = append(items, v)
				continue
			}
			items = append(items, fmt.Sprintf(`{"index":%d,"embedding":%s}`, i, v))
		}
		list := strings.Join(of(items), ",")
		if provider == Ollama {
			_, _ = io.WriteString(w, `{"embeddings":[`+list+`]}`)
			return
		}
		_, _ = io.WriteString(w, `{"data":[`+list+`]}`)
	}
}

// last puts a fault into the last vector.
func last(provider, vector string) handler {
	return embeddings(provider, func(items []string) []string {
		x := items[len(items)-1]
		if provider == Ollama {
			items[len(items)-1] = vector
			return items
		}
		items[len(items)-1] = x[:strings.Index(x, `"embedding":`)] + `"embedding":` + vector + "}"
		return items
	})
}

func embedFaultKinds() []faultKind {
	kinds := slices.DeleteFunc(faultKinds(), func(f faultKind) bool {
		return slices.Contains([]string{"null choice", "no choices", "cut by length", "filtered", "refusal",
			"wrong schema", "1e999", "a field twice", "deep nesting"}, f.name)
	})
	vectors := func(name, vector string) faultKind {
		return faultKind{name, func(p string) handler { return last(p, vector) }}
	}
	list := func(name string, of func(items []string) []string) faultKind {
		return faultKind{name, func(p string) handler { return embeddings(p, of) }}
	}
	garbage := strconv.Quote(base64.StdEncoding.EncodeToString([]byte("five!")))
	return append(kinds,
		list("out of order", func(items []string) []string { slices.Reverse(items); return items }),
		list("too few", func(items []string) []string { return items[1:] }),
		list("too many", func(items []string) []string { return append(items, items[0]) }),
		list("none", func([]string) []string { return nil }),
		list("one twice", func(items []string) []string { items[len(items)-1] = items[0]; return items }),
		list("for no text", func(items []string) []string {
			return append(items[:len(items)-1], strings.Replace(items[len(items)-1], `"index":`, `"index":9`, 1))
		}),
		list("null vector", func(items []string) []string { items[0] = "null"; return items }),
		vectors("wrong dimension", "[1,2]"), vectors("no numbers", "[]"), vectors("NaN", "[NaN,1,1]"),
		vectors("1e999", "[1e999,1,1]"), vectors("null number", "[null,1,1]"), vectors("all zero", "[0,0,0]"),
		vectors("base64 garbage", garbage), vectors("base64 of NaN", encoded(float32(math.NaN()), 1, 1)),
		vectors("an object", `{"a":1}`), vectors("deep nesting", strings.Repeat("[", 5000)+strings.Repeat("]", 5000)),
	)
}

// TestEmbedFaultTable tries each fault on each provider that embeds, in a memory: every evaluation is formed and found
// by its text, no goroutine is left, the caller's deadline holds, and once the model recovers every memory gets its
// vector. Run with MEMTREE_FAULTS=1: make faults.
func TestEmbedFaultTable(t *testing.T) {
	if os.Getenv("MEMTREE_FAULTS") == "" {
		t.Skip("takes a minute: make faults")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "12 wrong judgements while an embedding model has one fault, then with one that is well.\n"+
		"formed: cases; found: guidance comes, by words; vectors: memories that have one; then: later.\n\n"+
		"%-24s %-10s %-13s %6s %6s %8s %5s %5s %9s\n",
		"fault", "provider", "error", "formed", "found", "vectors", "then", "left", "deadline")
	for _, f := range embedFaultKinds() {
		for _, p := range []string{OpenAI, Ollama} {
			if p == Ollama && slices.Contains([]string{"out of order", "one twice", "for no text"}, f.name) {
				continue // its vectors have no numbers
			}
			line, calls := tryEmbedFault(t, f, p)
			b.WriteString(line)
			t.Logf("%s %d calls", strings.TrimSpace(line), calls)
			require.Less(t, calls, 50)
		}
	}
	golden.Equal(t, "testdata/faults_embed.golden", b.String())
}

func tryEmbedFault(t *testing.T, f faultKind, provider string) (line string, calls int) {
	t.Helper()
	before := goleak.IgnoreCurrent()
	var asked atomic.Int64
	count := func(h handler) *httptest.Server {
		return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			raw, _ := io.ReadAll(r.Body) // or the server does not notice that a client went away
			r.Body = io.NopCloser(bytes.NewReader(raw))
			asked.Add(1)
			h(w, r, 0)
		}))
	}
	h := f.of(provider)
	bad := count(h)
	if h == nil {
		bad.Config.Handler = http.NotFoundHandler()
	}
	well := count(embeddings(provider, func(items []string) []string { return items }))
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
	to := func(url string, timeout time.Duration) *EmbeddingModel {
		tune := quick
		tune.trip = defaults().trip
		c := ModelConfig{Provider: provider, EmbedModel: "e", BaseURL: url, APIKey: secret, Timeout: timeout}
		m, err := openEmbedder(c, tune)
		require.NoError(t, err)
		return m
	}
	const short = 300 * time.Millisecond
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	began := time.Now()
	ill := to(base, short)
	_, _ = ill.Embed(ctx, []string{"one", "two", "three"})
	late := time.Since(began) - 100*time.Millisecond
	cancel()
	other := to(base, short)
	_, err := other.Embed(t.Context(), []string{"one", "two", "three"})
	kind := string(llm.KindOf(err))
	if err == nil {
		kind = "-"
	} else {
		require.NotContains(t, err.Error(), secret)
	}

	asked.Store(0)
	dir := t.TempDir()
	e := to(base, short)
	m, err := memtree.Open(t.Context(), dir, &memtree.Options{Embedder: e})
	require.NoError(t, err)
	_, err = m.RecordAll(t.Context(), wrong(12))
	require.NoError(t, err)
	require.NoError(t, m.Wait(t.Context()))
	g, err := m.Guide(t.Context(), memtree.Query{Prompt: wrong(12)[3].Prompt})
	require.NoError(t, err)
	health := m.Health()
	calls = int(asked.Load())
	_, err = m.Verify(t.Context(), func(problem error) { t.Error(problem) })
	require.NoError(t, err)
	info, err := m.Tree().Info(t.Context())
	require.NoError(t, err)
	require.Zero(t, info.Outbox+info.Dead)
	require.NoError(t, m.Close())

	healthy := to(well.URL, time.Minute)
	m, err = memtree.Open(t.Context(), dir, &memtree.Options{Embedder: healthy})
	require.NoError(t, err)
	require.NoError(t, m.Wait(t.Context()))
	then := m.Health()
	cases, _ := caseCounts(t, m)
	require.NoError(t, m.Close())
	for _, x := range []*EmbeddingModel{ill, other, e, healthy} {
		x.Close()
	}
	bad.CloseClientConnections()
	bad.Close()
	well.Close()
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	left, kept, found := "0", "kept", "yes"
	if err := goleak.Find(before); err != nil {
		left = "some"
		t.Errorf("%s, %s: %v", f.name, provider, err)
	}
	if late > 50*time.Millisecond {
		kept = "missed"
		t.Errorf("%s, %s: %s late", f.name, provider, late)
	}
	if g.Abstained {
		found = "no"
		t.Errorf("%s, %s: nothing is found", f.name, provider)
	}
	require.Equal(t, [3]int{12, 12, 12}, [3]int{cases, health.Memories, then.Vectors},
		"%s, %s: %s", f.name, provider, then.Note)
	require.Equal(t, health.Vectors == 12, health.Note == "", errors.New(health.Note))
	return fmt.Sprintf("%-24s %-10s %-13s %6d %6s %8d %5d %5s %9s\n", f.name, provider, kind, cases, found, health.Vectors,
		then.Vectors, left, kept), calls
}
