// Package tracing sends spans to a collector of OpenTelemetry, as the standard variables
// OTEL_… say. Spans hold names and counts, no text of a memory, a prompt or a token.
//
// A collector that is down or slow costs spans, nothing else: they wait in a queue of bounded
// length, what does not fit is dropped, and no request waits for it.
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

// scope names the library that makes the spans.
const scope = "github.com/memtree/memtree"

// closeWithin is how long the last spans may take when the service stops.
const closeWithin = time.Second

// Tracing makes spans and sends them. Nil is a Tracing that is off.
type Tracing struct {
	provider *sdk.TracerProvider
	exporter *exporter
}

// Open returns nil where the variables name no collector, or one that cannot be used: then log is
// told why, since a service must not fail for its traces. The SDK reads the sampler and the limits
// of its queue from the environment of the process.
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
	otel.SetTracerProvider(p) // for the calls of a model that no request waits for
	return &Tracing{p, e}
}

// endpoint is where spans are sent; "": nowhere.
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

// unusable says why spans cannot be sent there. An address is not repeated, as it may hold a password.
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

// of reads a variable of the exporter; the one for traces wins over that for everything.
func of(getenv func(string) string, name string) string {
	if v := strings.TrimSpace(getenv("OTEL_EXPORTER_OTLP_TRACES_" + name)); v != "" {
		return v
	}
	return strings.TrimSpace(getenv("OTEL_EXPORTER_OTLP_" + name))
}

// Tracer returns what makes spans; nil where tracing is off.
func (t *Tracing) Tracer() trace.Tracer { //nolint:ireturn // so the library has it
	if t == nil {
		return nil
	}
	return t.provider.Tracer(scope)
}

// Close sends what waits, for a second at most.
func (t *Tracing) Close() {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeWithin)
	defer cancel()
	_ = t.provider.Shutdown(ctx) // what is not sent by then is lost, as the log says of a collector that is down
	close(t.exporter.stopped)
}
