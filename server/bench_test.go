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
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/trace"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/server/token"
	"github.com/memtree/memtree/tree"
)

// filled is a service on a thousand cases.
func filled(b *testing.B) (*world, memtree.Query, []byte) {
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
	q := Question{Prompt: "Check the order total on the cart page", Scene: tree.Scene{Route: "/shop7/orders/42"}}
	body, err := json.Marshal(q)
	require.NoError(b, err)
	asked, err := q.query()
	require.NoError(b, err)
	return w, asked, body
}

// BenchmarkGuide compares guidance in the process with guidance over HTTP, on a kept connection of
// loopback.
func BenchmarkGuide(b *testing.B) {
	w, q, body := filled(b)
	tok := w.token("agent", nil, token.Write)
	inProcess := func(b *testing.B) {
		median(b, func() {
			if _, err := w.trees.Get(Default).Guide(b.Context(), q); err != nil {
				b.Fatal(err)
			}
		})
	}
	b.Run("process", inProcess)
	b.Run("handler", func(b *testing.B) { // without a connection: what the guard and huma take
		median(b, func() {
			if a := w.ask("POST", inDefault+"/guidance", tok, string(body)); a.Code != http.StatusOK {
				b.Fatal(a.Body)
			}
		})
	})
	l, err := (&net.ListenConfig{}).Listen(b.Context(), "tcp", "127.0.0.1:0")
	require.NoError(b, err)
	srv := &http.Server{Handler: w.s.Handler(), ReadHeaderTimeout: headerWithin}
	go srv.Serve(l)
	defer srv.Close()
	ask := func(b *testing.B, path string) {
		r, err := http.NewRequestWithContext(b.Context(), "POST", "http://"+l.Addr().String()+path, bytes.NewReader(body))
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
		median(b, func() { ask(b, inDefault+"/guidance") })
	})
	b.Run("process-again", inProcess)   // the ledger has grown meanwhile
	b.Run("frame", func(b *testing.B) { // the same way with no question: what net/http and the guard take
		median(b, func() { ask(b, inDefault+"/nothing") })
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
			median(b, func() { w.ask("GET", "/v1/trees", tok, "") })
		})
	}
}

// median reports the median of what do takes, which says more than the mean on a machine with other
// work.
func median(b *testing.B, do func()) {
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		do()
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "p50-ns")
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds()), "p99-ns")
}
