// Package tracing sends spans to an OpenTelemetry collector, configured by the standard variables OTEL_…. Spans
// contain names and counts, no text of a memory, a prompt or a token.
//
// If the collector is down or slow, only spans are lost: they wait in a bounded queue, an overflow is dropped, and no
// request waits for it.
package tracing

import (
	"context"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// scope is the name of the instrumentation library.
const scope = "github.com/memtree/memtree"

// closeWithin limits the time for the last spans when the service stops.
const closeWithin = time.Second

// Tracing makes and sends spans. A nil Tracing does nothing.
type Tracing struct {
	provider *sdk.TracerProvider
	exporter *exporter
}

// Open returns a Tracing that sends spans to the collector that the environment variables name. It returns nil if they
// name none, or an unusable one; then it logs the reason, because a service must not fail for its traces. The SDK reads
// the sampler and the limits of its queue from the environment of the process.
func Open(getenv func(string) string, version string, log *slog.Logger) *Tracing {
	to := endpoint(getenv)
	if to == "" || strings.EqualFold(strings.TrimSpace(getenv("OTEL_SDK_DISABLED")), "true") {
		return nil
	}
	if why := unusable(to, getenv); why != "" {
		log.Warn("no traces are sent", "reason", why)
		return nil
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("tracing", "error", err.Error()) }))
	about, err := resource.New(context.Background(), resource.WithAttributes(
		attribute.String("service.name", "memtree"), attribute.String("service.version", version)),
		resource.WithTelemetrySDK(), resource.WithFromEnv()) // the last one wins
	if err != nil {
		log.Warn("tracing", "error", err.Error())
	}
	e := newExporter(to, getenv, log)
	p := sdk.NewTracerProvider(sdk.WithBatcher(e), sdk.WithResource(about))
	otel.SetTracerProvider(p) // for calls of a model outside of requests
	return &Tracing{p, e}
}

// endpoint returns the address for spans, "" for none.
func endpoint(getenv func(string) string) string {
	if to := strings.TrimSpace(getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")); to != "" {
		return to
	}
	to := strings.TrimSpace(getenv("OTEL_EXPORTER_OTLP_ENDPOINT"))
	if to == "" {
		return ""
	}
	return strings.TrimRight(to, "/") + "/v1/traces"
}

// unusable returns why spans cannot be sent to an address, "" if they can. It does not repeat the address, which may
// contain a password.
func unusable(to string, getenv func(string) string) string {
	u, err := url.Parse(to)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "OTEL_EXPORTER_OTLP_ENDPOINT is no address; give one such as http://localhost:4318"
	}
	if of(getenv, "PROTOCOL") == "grpc" {
		return "OTEL_EXPORTER_OTLP_PROTOCOL is grpc, and memtree sends JSON over HTTP; name the HTTP port of the " +
			"collector, such as http://localhost:4318, and set OTEL_EXPORTER_OTLP_TRACES_PROTOCOL to http/json"
	}
	return ""
}

// of reads a variable of the exporter; the variant for traces overrides the general one.
func of(getenv func(string) string, name string) string {
	if v := strings.TrimSpace(getenv("OTEL_EXPORTER_OTLP_TRACES_" + name)); v != "" {
		return v
	}
	return strings.TrimSpace(getenv("OTEL_EXPORTER_OTLP_" + name))
}

// Tracer returns the tracer that makes spans; nil if t is nil.
func (t *Tracing) Tracer() trace.Tracer { //nolint:ireturn // so the library has it
	if t == nil {
		return nil
	}
	return t.provider.Tracer(scope)
}

// Close sends the spans that are left, within a second at most.
func (t *Tracing) Close() {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeWithin)
	defer cancel()
	_ = t.provider.Shutdown(ctx) // unsent spans are lost, and the log reports an unreachable collector
	close(t.exporter.stopped)
}
