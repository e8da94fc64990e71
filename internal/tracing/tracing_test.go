package tracing

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
)

func env(pairs ...string) func(string) string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return m[name] }
}

const at = "OTEL_EXPORTER_OTLP_ENDPOINT"

// TestOff: without a collector, or with an unusable one, there is no tracer, and an error is logged.
func TestOff(t *testing.T) {
	for _, c := range []struct {
		vars []string
		said string
	}{
		{nil, ""},
		{[]string{at, "http://localhost:4318", "OTEL_SDK_DISABLED", "true"}, ""},
		{[]string{at, "localhost:4318"}, "is no address"},
		{[]string{at, "http://localhost:4317", "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"}, "JSON over HTTP"},
	} {
		var log bytes.Buffer
		v := Open(env(c.vars...), "test", slog.New(slog.NewTextHandler(&log, nil)))
		require.Nil(t, v.Tracer())
		v.Close()
		require.Contains(t, log.String(), c.said)
		require.Equal(t, c.said == "", log.Len() == 0)
	}
}

// TestSend: a collector receives spans as OTLP JSON, with the configured headers.
func TestSend(t *testing.T) {
	t.Setenv("OTEL_SERVICE_NAME", "night")
	got := make(chan []byte, 1)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		h := r.Header
		if r.URL.Path == "/v1/traces" && h.Get("X-Key") == "a b" && h.Get("Content-Type") == "application/json" {
			got <- b
		}
	}))
	defer collector.Close()
	vars := env(at, collector.URL+"/", "OTEL_EXPORTER_OTLP_HEADERS", "x-key=a%20b")
	v := Open(vars, "test", slog.New(slog.DiscardHandler))
	ctx, outer := v.Tracer().Start(t.Context(), "outer", trace.WithSpanKind(trace.SpanKindServer))
	_, inner := v.Tracer().Start(ctx, "inner")
	inner.SetAttributes(attribute.Int("n", 7))
	inner.End()
	outer.End()
	v.Close()
	var sent spanBatch
	require.NoError(t, json.Unmarshal(<-got, &sent))
	r := sent.ResourceSpans[0]
	require.Contains(t, r.Resource.Attributes, keyValue{"service.name", map[string]any{"stringValue": "night"}})
	spans := r.ScopeSpans[0].Spans
	require.Len(t, spans, 2)
	require.Equal(t, outer.SpanContext().SpanID().String(), spans[0].ParentSpanID)
	require.Equal(t, spans[1].TraceID, spans[0].TraceID)
	require.Equal(t, []keyValue{{"n", map[string]any{"intValue": "7"}}}, spans[0].Attributes)
	require.Equal(t, 2, spans[1].Kind)
}

// TestCollectorFails: a collector that hangs or is absent delays neither spans nor shutdown; the log reports the
// failure once, without the address.
func TestCollectorFails(t *testing.T) {
	release := make(chan struct{})
	hangs := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer hangs.Close()
	defer close(release)
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "10")
	for _, to := range []string{hangs.URL, "http://user:secret@127.0.0.1:1"} {
		log := &safe{said: make(chan string, 100)}
		v := Open(env(at, to), "test", slog.New(slog.NewTextHandler(log, nil)))
		began := time.Now()
		for range 10_000 {
			_, s := v.Tracer().Start(t.Context(), "s")
			s.End()
		}
		require.Less(t, time.Since(began), 5*time.Second)
		began = time.Now()
		v.Close()
		require.Less(t, time.Since(began), closeWithin+time.Second)
		said := <-log.said
		require.Contains(t, said, "the collector takes no traces")
		require.NotContains(t, said, "secret")
		require.Empty(t, log.said)
	}
}

// safe sends each written line to said.
type safe struct{ said chan string }

func (s *safe) Write(b []byte) (int, error) {
	s.said <- string(b)
	return len(b), nil
}
