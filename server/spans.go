package server

import (
	"context"
	"log/slog"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// spanStep is a span; nil is none.
type spanStep struct{ span trace.Span }

// traced opens the span of a request, within the trace of the client if it names one. Routes without a scope, such as
// healthz, have none: probes would be most of all traces.
func (s *Server) traced(q *http.Request, r *route) (*http.Request, *spanStep) {
	if s.opts.Tracer == nil || r.scope == "" {
		return q, nil
	}
	ctx := propagation.TraceContext{}.Extract(q.Context(), propagation.HeaderCarrier(q.Header))
	ctx, span := s.opts.Tracer.Start(ctx, r.method+" "+r.path, trace.WithSpanKind(trace.SpanKindServer))
	return q.WithContext(ctx), &spanStep{span}
}

// answered ends the span of a request with its result: names and numbers, no text from outside.
func (p *spanStep) answered(r *route, c *caller, status int) {
	if p == nil {
		return
	}
	p.span.SetAttributes(attribute.String("http.request.method", r.method), attribute.String("http.route", r.path),
		attribute.Int("http.response.status_code", status), attribute.String("memtree.route", r.id))
	if c != nil {
		p.span.SetAttributes(attribute.String("memtree.token", c.name()), attribute.String("memtree.tree", treeOfCall(c)))
	}
	if status >= http.StatusInternalServerError {
		p.span.SetStatus(codes.Error, "")
	}
	p.span.End()
}

// step opens the span of a part of the work. Without a tracer it costs nothing.
func (s *Server) step(ctx context.Context, name string) (context.Context, *spanStep) {
	if s.opts.Tracer == nil {
		return ctx, nil
	}
	ctx, span := s.opts.Tracer.Start(ctx, name)
	return ctx, &spanStep{span}
}

// count records a number.
func (p *spanStep) count(what string, n int) {
	if p != nil {
		p.span.SetAttributes(attribute.Int("memtree."+what, n))
	}
}

// name records a name.
func (p *spanStep) name(what, name string) {
	if p != nil {
		p.span.SetAttributes(attribute.String("memtree."+what, name))
	}
}

// end ends the span. It omits the text of an error, which may repeat the request.
func (p *spanStep) end(err error) {
	if p == nil {
		return
	}
	if err != nil {
		p.span.SetStatus(codes.Error, "")
	}
	p.span.End()
}

// inTrace adds the trace of a request to its lines in the log.
type inTrace struct{ slog.Handler }

// Handle adds the attribute trace_id to r if ctx has a trace.
func (h inTrace) Handle(ctx context.Context, r slog.Record) error { //nolint:gocritic // as slog has it
	if c := trace.SpanContextFromContext(ctx); c.IsValid() {
		r.AddAttrs(slog.String("trace_id", c.TraceID().String()))
	}
	return h.Handler.Handle(ctx, r) //nolint:wrapcheck // of the handler
}

// WithAttrs implements slog.Handler.
func (h inTrace) WithAttrs(a []slog.Attr) slog.Handler { return inTrace{h.Handler.WithAttrs(a)} }

// WithGroup implements slog.Handler.
func (h inTrace) WithGroup(name string) slog.Handler { return inTrace{h.Handler.WithGroup(name)} }
