package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/trace"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/token"
	"github.com/memtree/memtree/tree"
)

// asked is a query, and the body of its request.
type asked struct {
	memtree.Query
	body []byte
}

// filled is a service on a thousand cases, and a source of questions of which none comes twice.
func filled(b *testing.B) (*world, func() asked) {
	w := newWorld(b, func(o *Options) { o.Rate = 1e9 })
	var es []tree.Evaluation
	for i := range 1000 {
		var e tree.Evaluation
		require.NoError(b, json.Unmarshal([]byte(wrongTotal), &e))
		e.ID, e.CaseID = fmt.Sprintf("n%d", i), fmt.Sprintf("t%d", i)
		e.Prompt = fmt.Sprintf("Check the total of order %d on the cart page, with %d items", i, i%7)
		e.Scene.Route = fmt.Sprintf("/shop%d/orders/%d", i%50, i)
		es = append(es, e)
	}
	m := w.trees.Get(Default)
	_, err := m.RecordAll(b.Context(), es)
	require.NoError(b, err)
	require.NoError(b, m.Wait(b.Context()))
	n := 0
	return w, func() asked {
		n++
		q := Question{Prompt: fmt.Sprint("Check the order total on the cart page of customer ", n),
			Scene: tree.Scene{Route: "/shop7/orders/42"}}
		body, err := json.Marshal(q)
		require.NoError(b, err)
		as, err := q.query()
		require.NoError(b, err)
		return asked{as, body}
	}
}

// BenchmarkGuide compares guidance in the process with guidance over HTTP, on a persistent connection of loopback, for
// queries that were not sent before, and for one that was.
func BenchmarkGuide(b *testing.B) {
	w, unseen := filled(b)
	seen := unseen()
	tok := w.token("agent", nil, token.Write)
	again := func() asked { return seen }
	inProcess := func(b *testing.B) {
		median(b, unseen, func(q asked) {
			if _, err := w.trees.Get(Default).Guide(b.Context(), q.Query); err != nil {
				b.Fatal(err)
			}
		})
	}
	b.Run("process", inProcess)
	b.Run("handler", func(b *testing.B) { // without a connection: what the guard and huma take
		median(b, unseen, func(q asked) {
			if a := w.ask("POST", inDefault+"/guidance", tok, string(q.body)); a.Code != http.StatusOK {
				b.Fatal(a.Body)
			}
		})
	})
	l, err := (&net.ListenConfig{}).Listen(b.Context(), "tcp", "127.0.0.1:0")
	require.NoError(b, err)
	srv := &http.Server{Handler: w.s.Handler(), ReadHeaderTimeout: headerWithin}
	go srv.Serve(l)
	defer srv.Close()
	ask := func(b *testing.B, path string, q asked) {
		url := "http://" + l.Addr().String() + path
		r, err := http.NewRequestWithContext(b.Context(), "POST", url, bytes.NewReader(q.body))
		require.NoError(b, err)
		r.Header.Set("Authorization", "Bearer "+tok)
		r.Header.Set("Content-Type", "application/json")
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			b.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, a.Body)
		a.Body.Close()
	}
	b.Run("http", func(b *testing.B) {
		median(b, unseen, func(q asked) { ask(b, inDefault+"/guidance", q) })
	})
	b.Run("http-at-once", func(b *testing.B) { // as many as the processors bear, with their client
		var mu sync.Mutex
		var took []time.Duration
		b.SetParallelism(2)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				mu.Lock()
				q := unseen()
				mu.Unlock()
				began := time.Now()
				ask(b, inDefault+"/guidance", q)
				mu.Lock()
				took = append(took, time.Since(began))
				mu.Unlock()
			}
		})
		slices.Sort(took)
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "prompts/s")
		b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
	})
	b.Run("process-later", inProcess) // the ledger has grown meanwhile
	b.Run("http-asked-before", func(b *testing.B) {
		median(b, again, func(q asked) { ask(b, inDefault+"/guidance", q) })
	})
	b.Run("frame", func(b *testing.B) { // the same way with no question: what net/http and the guard take
		median(b, again, func(q asked) { ask(b, inDefault+"/nothing", q) })
	})
}

// BenchmarkSpans is what a small request takes where nothing is traced, and where all is.
func BenchmarkSpans(b *testing.B) {
	collector := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer collector.Close()
	traces := tracingTo(collector.URL)
	defer traces.Close()
	for name, tracer := range map[string]trace.Tracer{"off": nil, "on": traces.Tracer()} {
		b.Run(name, func(b *testing.B) {
			w := newWorld(b, func(o *Options) { o.Rate, o.Tracer = 1e9, tracer })
			tok := w.token("agent", nil, token.Read)
			b.ReportAllocs()
			none := func() asked { return asked{} }
			median(b, none, func(asked) { w.ask("GET", "/v1/trees", tok, "") })
		})
	}
}

// median reports the median duration of do, which is more robust than the mean on a machine with other work.
func median(b *testing.B, next func() asked, do func(asked)) {
	var took []time.Duration
	for b.Loop() {
		q := next()
		began := time.Now()
		do(q)
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "p50-ns")
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds()), "p99-ns")
}
