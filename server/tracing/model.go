package tracing

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/memtree/memtree/llm"
)

// Model returns a model whose calls are spans of what asks it. What is not traced asks it as before.
func Model(of llm.Generator) llm.Generator { return model{of} }

type model struct{ llm.Generator }

// Unwrap returns the model, for [llm.Find].
func (m model) Unwrap() any { return m.Generator }

// Generate notes which prompt it was, and the tokens it took; not what was asked or answered.
func (m model) Generate(ctx context.Context, r llm.Request) (llm.Answer, error) {
	by := trace.SpanFromContext(ctx)
	if !by.IsRecording() {
		return m.Generator.Generate(ctx, r) //nolint:wrapcheck // of the model
	}
	ctx, s := by.TracerProvider().Tracer(scope).Start(ctx, "model", trace.WithSpanKind(trace.SpanKindClient))
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
