package meter

import (
	"context"
	"errors"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/llm"
)

// scripted returns vectors of one number, and reports ten tokens a request; or it fails.
type scripted struct {
	fails bool
	mute  bool // reports no tokens
}

func (scripted) ID() string { return "p:m" }
func (scripted) Dims() int  { return 1 }
func (s scripted) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if s.fails {
		return nil, &llm.Error{Kind: llm.KindTimeout, Err: errors.New("slow")}
	}
	used := llm.Usage{InputTokens: 10}
	if s.mute {
		used = llm.Usage{}
	}
	llm.Took(ctx, used)
	out := make([][]float32, len(texts))
	for i := range out {
		out[i] = []float32{1}
	}
	return out, nil
}

func manyTexts(n int) (texts []string) {
	for i := range n {
		texts = append(texts, "text "+strconv.Itoa(i))
	}
	return texts
}

func TestEmbedderCounts(t *testing.T) {
	m := New(nil, Options{})
	e := m.Embedder(scripted{}, nil)
	require.Equal(t, "p:m", e.ID())
	got, err := e.Embed(t.Context(), manyTexts(2*textsAtOnce+1))
	require.NoError(t, err)
	require.Len(t, got, 2*textsAtOnce+1)
	_, err = m.Embedder(scripted{mute: true}, nil).Embed(t.Context(), manyTexts(1))
	require.NoError(t, err)
	_, err = m.Embedder(scripted{fails: true}, nil).Embed(t.Context(), manyTexts(1))
	require.Error(t, err)
	got, err = e.Embed(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, got)
	require.Equal(t, map[string]Spent{EmbedStage: {Calls: 5, Failed: 1, Untold: 1, Usage: llm.Usage{InputTokens: 30},
		Why: map[llm.ErrorKind]int{llm.KindTimeout: 1}}}, m.Stages())
}

// A meter behind another one counts too.
func TestEmbedderBehindAnother(t *testing.T) {
	inner, outer := New(nil, Options{}), New(nil, Options{})
	_, err := outer.Embedder(inner.Embedder(scripted{}, nil), nil).Embed(t.Context(), manyTexts(1))
	require.NoError(t, err)
	require.Equal(t, llm.Usage{InputTokens: 10}, inner.Total().Usage)
	require.Equal(t, inner.Total(), outer.Total())
}

// Texts and requests share the limits, each at its own price.
func TestEmbedderIsBound(t *testing.T) {
	m := New(nil, Options{Calls: new(2)})
	e := m.Embedder(scripted{}, nil)
	_, err := e.Embed(t.Context(), manyTexts(3*textsAtOnce))
	require.Equal(t, llm.KindBound, llm.KindOf(err))
	require.Equal(t, 2, m.Total().Calls)
	require.Equal(t, 1, m.Total().Beyond)

	m = New(nil, Options{Cost: new(25.0), Price: price})
	e = m.Embedder(scripted{}, func(u llm.Usage) float64 { return float64(u.InputTokens) })
	text := []string{"fifteen letters"}
	for range 2 { // 10 each, and at most 15
		_, err = e.Embed(t.Context(), text)
		require.NoError(t, err)
	}
	_, err = e.Embed(t.Context(), text)
	require.Equal(t, llm.KindBound, llm.KindOf(err))
}

func TestEstimateTexts(t *testing.T) {
	calls, usage := EstimateTexts(append(manyTexts(textsAtOnce), "12345678"))
	require.Equal(t, 2, calls)
	require.Equal(t, llm.Usage{InputTokens: textsAtOnce*2 + 2}, usage)
	calls, _ = EstimateTexts(nil)
	require.Zero(t, calls)
}
