package server

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/token"
	"github.com/memtree/memtree/internal/tracing"
)

// sent is what a collector reads of a span.
type sent struct {
	TraceID, SpanID, ParentSpanID, Name string
	Attributes                          []struct {
		Key   string
		Value map[string]any
	}
}

func (s *sent) said(key string) any {
	for _, a := range s.Attributes {
		for _, v := range a.Value {
			if a.Key == key {
				return v
			}
		}
	}
	return nil
}

func tracingTo(url string) *tracing.Tracing {
	return tracing.Open(func(name string) string {
		return map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": url}[name]
	}, "test", slog.New(slog.DiscardHandler))
}

// TestSpans: a request is a span in the trace of its client, with parts below it; it names no text
// that was sent, and the log names the trace.
func TestSpans(t *testing.T) {
	bodies := make(chan []byte, 10)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		bodies <- b
	}))
	defer collector.Close()
	traces := tracingTo(collector.URL)
	var log bytes.Buffer
	w := newWorld(t, func(o *Options) {
		o.Tracer, o.Audit = traces.Tracer(), slog.New(slog.NewJSONHandler(&log, nil))
	})
	tok := w.token("agent", nil, token.Admin)
	const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	in := []string{"traceparent", "00-" + trace + "-00f067aa0ba902b7-01"}
	require.Equal(t, 202, w.ask("POST", inDefault+"/evaluations", tok, "["+wrongTotal+"]", in...).Code)
	require.Equal(t, 200, w.ask("POST", inDefault+"/guidance", tok, `{"prompt":"zebra crossing"}`, in...).Code)
	require.Equal(t, 202, w.ask("POST", inDefault+"/evolve", tok, `{}`, in...).Code)
	require.Equal(t, 401, w.ask("GET", inDefault+"/stats", "mt_wrong", "").Code)
	require.Equal(t, 200, w.ask("GET", "/healthz", "", "").Code)
	w.s.Close() // waits for the job
	traces.Close()
	b := <-bodies
	for _, text := range []string{"zebra", "mt_", "cart total", "ground"} {
		require.NotContains(t, string(b), text)
	}
	var batch struct {
		ResourceSpans []struct{ ScopeSpans []struct{ Spans []sent } }
	}
	require.NoError(t, json.Unmarshal(b, &batch))
	by := map[string]*sent{}
	for _, s := range batch.ResourceSpans[0].ScopeSpans[0].Spans {
		by[s.Name] = &s
	}
	require.Len(t, by, 7, "%v", by)
	record, part := by["POST /v1/trees/{tree}/evaluations"], by["record"]
	require.Equal(t, trace, record.TraceID)
	require.Equal(t, "00f067aa0ba902b7", record.ParentSpanID)
	require.Equal(t, []any{"record", "default", "agent", "202"}, []any{record.said("memtree.route"),
		record.said("memtree.tree"), record.said("memtree.token"), record.said("http.response.status_code")})
	require.Equal(t, record.SpanID, part.ParentSpanID)
	require.Equal(t, "1", part.said("memtree.evaluations"))
	require.Equal(t, by["POST /v1/trees/{tree}/guidance"].SpanID, by["guide"].ParentSpanID)
	require.Equal(t, trace, by["evolve"].TraceID)
	refused := by["GET /v1/trees/{tree}/stats"]
	require.NotEqual(t, trace, refused.TraceID)
	require.Equal(t, "401", refused.said("http.response.status_code"))
	require.Contains(t, log.String(), `"trace_id":"`+trace+`"`)
}

// TestSpansOfAHangingCollector: requests are answered, and more spans than the queue holds are dropped.
func TestSpansOfAHangingCollector(t *testing.T) {
	release := make(chan struct{})
	hangs := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer hangs.Close()
	defer close(release)
	t.Setenv("OTEL_BSP_MAX_QUEUE_SIZE", "4")
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "1")
	traces := tracingTo(hangs.URL)
	w := newWorld(t, func(o *Options) { o.Tracer = traces.Tracer() })
	tok := w.token("agent", nil, token.Write)
	began := time.Now()
	for range 50 {
		a := w.ask("POST", inDefault+"/guidance", tok, `{"prompt":"Check the cart"}`, "traceparent", strings.Repeat("x", 99))
		require.Equal(t, 200, a.Code, a.Body)
	}
	traces.Close()
	require.Less(t, time.Since(began), 8*time.Second, "the exporter gives a collector ten seconds")
}
