package tracing

import (
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/memtree/memtree/llm"
)

// Model returns a generator that passes requests on to g and makes a span for each. The span is part of the trace in
// ctx, such as that of a request to the service. If ctx has no trace, the span is a trace of its own. There are no
// spans unless [Open] has found a collector.
func Model(g llm.Generator) llm.Generator { return model{g} }

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
