package tracing

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// exporter sends spans as OTLP JSON over HTTP. A batch that the collector does not accept is dropped.
type exporter struct {
	to      string
	headers http.Header
	client  *http.Client
	log     *slog.Logger
	failing bool          // the last batch failed; the SDK exports one batch at a time
	stopped chan struct{} // closed to interrupt running exports
}

func newExporter(to string, getenv func(string) string, log *slog.Logger) *exporter {
	e := &exporter{to: to, headers: http.Header{}, log: log, stopped: make(chan struct{})}
	for pair := range strings.SplitSeq(of(getenv, "HEADERS"), ",") {
		name, value, ok := strings.Cut(pair, "=")
		if plain, err := url.PathUnescape(strings.TrimSpace(value)); ok && err == nil {
			e.headers.Set(strings.TrimSpace(name), plain)
		}
	}
	within := 10 * time.Second // the default of the OTLP specification
	if ms, err := strconv.Atoi(of(getenv, "TIMEOUT")); err == nil && ms > 0 {
		within = time.Duration(ms) * time.Millisecond
	}
	e.client = &http.Client{
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConns: 1, IdleConnTimeout: time.Minute},
		Timeout:   within,
		// A header may contain a key, which must not go to another address.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return e
}

// ExportSpans sends a batch. It logs one line when sending begins to fail, and one when it works again.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-e.stopped:
			cancel()
		case <-ctx.Done():
		}
	}()
	err := e.send(ctx, spans)
	switch {
	case err != nil && !e.failing:
		e.log.Warn("the collector takes no traces; they are dropped until it does", "error", err.Error())
	case err == nil && e.failing:
		e.log.Info("the collector takes traces again")
	}
	e.failing = err != nil
	return nil
}

// Shutdown closes idle connections.
func (e *exporter) Shutdown(context.Context) error {
	e.client.CloseIdleConnections()
	return nil
}

func (e *exporter) send(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	b, err := json.Marshal(batchOf(spans))
	if err != nil {
		return fmt.Errorf("write spans: %w", err)
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, e.to, bytes.NewReader(b))
	if err != nil {
		return fmt.Errorf("send spans: %w", err)
	}
	q.Header = e.headers.Clone()
	q.Header.Set("Content-Type", "application/json")
	a, err := e.client.Do(q)
	if err != nil {
		return fmt.Errorf("send spans: %w", unwrapped(err))
	}
	defer a.Body.Close()                                       //nolint:errcheck // nothing of it is used
	_, _ = io.Copy(io.Discard, io.LimitReader(a.Body, 64<<10)) // so that the connection is reused
	if a.StatusCode/100 != 2 {
		return fmt.Errorf("send spans: the collector answered %d", a.StatusCode)
	}
	return nil
}

// unwrapped removes the address from an error, because it may contain a password.
func unwrapped(err error) error {
	if u, ok := err.(*url.Error); ok { //nolint:errorlint // of http.Client, which wraps nothing around it
		return u.Err
	}
	return err
}

// The types of OTLP JSON: ids in hexadecimal, 64-bit numbers as strings.
type (
	spanBatch struct {
		ResourceSpans []resourceSpans `json:"resourceSpans"`
	}
	resourceSpans struct {
		Resource   attributes   `json:"resource"`
		ScopeSpans []scopeSpans `json:"scopeSpans"`
	}
	scopeSpans struct {
		Scope struct {
			Name string `json:"name"`
		} `json:"scope"`
		Spans []otlpSpan `json:"spans"`
	}
	attributes struct {
		Attributes []keyValue `json:"attributes,omitempty"`
	}
	keyValue struct {
		Key   string         `json:"key"`
		Value map[string]any `json:"value"`
	}
	otlpSpan struct {
		TraceID      string `json:"traceId"`
		SpanID       string `json:"spanId"`
		ParentSpanID string `json:"parentSpanId,omitempty"`
		Name         string `json:"name"`
		Kind         int    `json:"kind"`
		Start        string `json:"startTimeUnixNano"`
		End          string `json:"endTimeUnixNano"`
		attributes
		Status map[string]int `json:"status"`
	}
)

// batchOf converts the spans of one process. They have one resource and one scope.
func batchOf(spans []sdk.ReadOnlySpan) spanBatch {
	var ss scopeSpans
	ss.Scope.Name = scope
	for _, s := range spans {
		v := otlpSpan{
			TraceID: s.SpanContext().TraceID().String(), SpanID: s.SpanContext().SpanID().String(),
			Name: s.Name(), Kind: int(s.SpanKind()), Start: strconv.FormatInt(s.StartTime().UnixNano(), 10),
			End: strconv.FormatInt(s.EndTime().UnixNano(), 10), attributes: attributes{pairs(s.Attributes())},
			Status: map[string]int{},
		}
		if s.Parent().SpanID().IsValid() {
			v.ParentSpanID = s.Parent().SpanID().String()
		}
		if s.Status().Code == codes.Error {
			v.Status["code"] = 2 // STATUS_CODE_ERROR; the SDK uses other numbers
		}
		ss.Spans = append(ss.Spans, v)
	}
	r := resourceSpans{ScopeSpans: []scopeSpans{ss}}
	if len(spans) > 0 {
		r.Resource.Attributes = pairs(spans[0].Resource().Attributes())
	}
	return spanBatch{[]resourceSpans{r}}
}

func pairs(of []attribute.KeyValue) []keyValue {
	out := make([]keyValue, 0, len(of))
	for _, a := range of {
		v := map[string]any{}
		switch a.Value.Type() {
		case attribute.INT64:
			v["intValue"] = strconv.FormatInt(a.Value.AsInt64(), 10)
		case attribute.BOOL:
			v["boolValue"] = a.Value.AsBool()
		default:
			v["stringValue"] = a.Value.String()
		}
		out = append(out, keyValue{string(a.Key), v})
	}
	return out
}
