package tracing

import (
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/memtree/memtree/llm"
)

// Model returns a generator that passes requests to the generator of and makes a span for each, within the request to
// the service that causes it. A call outside of such requests, such as one that analyses a new case, is a trace of its
// own once Open has been called. Without tracing, it makes no spans.
func Model(of llm.Generator) llm.Generator { return model{of} }

type model struct{ llm.Generator }

// Unwrap returns the model, for [llm.Find].
func (m model) Unwrap() any { return m.Generator }

// Generate records the name of the prompt and the number of tokens, but neither prompt nor answer.
func (m model) Generate(ctx context.Context, r llm.Request) (llm.Answer, error) {
	by, spans := trace.SpanFromContext(ctx), otel.GetTracerProvider()
	if by.SpanContext().IsValid() {
		spans = by.TracerProvider()
	}
	ctx, s := spans.Tracer(scope).Start(ctx, "model", trace.WithSpanKind(trace.SpanKindClient))
	defer s.End()
	a, err := m.Generator.Generate(ctx, r)
	s.SetAttributes(attribute.String("memtree.prompt", r.Name), attribute.String("gen_ai.response.model", a.Model),
		attribute.Int("gen_ai.usage.input_tokens", a.Usage.InputTokens),
		attribute.Int("gen_ai.usage.output_tokens", a.Usage.OutputTokens))
	if err != nil {
		s.SetStatus(codes.Error, "")
	}
	return a, err //nolint:wrapcheck // of the model
}
