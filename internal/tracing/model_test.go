package tracing

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/memtree/memtree/llm"
)

type answers struct{}

func (answers) Generate(context.Context, llm.Request) (llm.Answer, error) {
	return llm.Answer{Model: "m", Usage: llm.Usage{InputTokens: 7, OutputTokens: 2}}, nil
}

// TestModel: a call is a span below its request, with its tokens and without its text.
func TestModel(t *testing.T) {
	kept := tracetest.NewSpanRecorder()
	p := sdk.NewTracerProvider(sdk.WithSpanProcessor(kept))
	m := Model(answers{})
	_, err := m.Generate(t.Context(), llm.Request{Name: "untraced@1"})
	require.NoError(t, err)
	ctx, outer := p.Tracer(scope).Start(t.Context(), "evolve")
	_, err = m.Generate(ctx, llm.Request{Name: "lesson@1", Prompt: "zebra"})
	require.NoError(t, err)
	require.Len(t, kept.Ended(), 1)
	s := kept.Ended()[0]
	require.Equal(t, outer.SpanContext().SpanID(), s.Parent().SpanID())
	require.Equal(t, []attribute.KeyValue{
		attribute.String("memtree.prompt", "lesson@1"), attribute.String("gen_ai.response.model", "m"),
		attribute.Int("gen_ai.usage.input_tokens", 7), attribute.Int("gen_ai.usage.output_tokens", 2),
	}, s.Attributes())
	_, ok := llm.Find[answers](m)
	require.True(t, ok)

	unsampled, _ := sdk.NewTracerProvider(sdk.WithSampler(sdk.NeverSample())).Tracer(scope).Start(t.Context(), "request")
	_, err = m.Generate(unsampled, llm.Request{Name: "lesson@1"})
	require.NoError(t, err)
	require.Len(t, kept.Ended(), 1, "what is not sampled has no spans below it")
	was := otel.GetTracerProvider()
	otel.SetTracerProvider(p)
	defer otel.SetTracerProvider(was)
	_, err = m.Generate(t.Context(), llm.Request{Name: "analyse@1"})
	require.NoError(t, err)
	require.Len(t, kept.Ended(), 2, "of a call that no request asked for")
	require.False(t, kept.Ended()[1].Parent().IsValid())
}
