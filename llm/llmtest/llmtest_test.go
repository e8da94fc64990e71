package llmtest_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/llmtest"
)

var (
	_ llm.Generator = (*llmtest.Scripted)(nil)
	_ llm.Generator = llmtest.Echo{}
	_ llm.Generator = (*llmtest.FailingCall)(nil)
	_ llm.Embedder  = (*llmtest.FailingCall)(nil)
	_ llm.Embedder  = llmtest.Spell{}
)

func TestEcho(t *testing.T) {
	a, err := llmtest.Echo{}.Generate(t.Context(), llm.Request{System: "s", Prompt: `say "<hi>"`})
	require.NoError(t, err)
	require.Equal(t, `{"prompt":"say \"<hi>\"","system":"s"}`, string(a.JSON))

	schema := `{"type":"object","required":["a","b","c","d","e","f","g"],"additionalProperties":false,` +
		`"properties":{"a":{"type":"string","maxLength":2},"b":{"enum":["x","y"]},
		"c":{"type":"number","minimum":0.5},"d":{"type":"array","minItems":2,"items":{"type":"integer"}},` +
		`"e":{"type":"boolean"},"f":{"type":["null","string"]},"g":{"type":["string","null"]},"h":{"type":"string"}}}`
	a, err = llmtest.Echo{}.Generate(t.Context(), llm.Request{Prompt: "汉字汉字", Schema: json.RawMessage(schema)})
	require.NoError(t, err)
	require.JSONEq(t, `{"a":"汉字","b":"x","c":0.5,"d":[0,0],"e":false,"f":null,"g":"汉字汉字"}`, string(a.JSON))

	_, err = llmtest.Echo{}.Generate(t.Context(), llm.Request{Schema: json.RawMessage(`[`)})
	require.Equal(t, llm.KindBadRequest, llm.KindOf(err))
}

func TestScript(t *testing.T) {
	s := llmtest.NewScript(llmtest.ScriptStep{Text: "```\n{}\n```"}, llmtest.ScriptStep{Err: errors.New("boom")},
		llmtest.ScriptStep{Text: "no", Usage: llm.Usage{InputTokens: 3}})
	a, err := s.Generate(t.Context(), llm.Request{Prompt: "1"})
	require.NoError(t, err)
	require.Equal(t, `{}`, string(a.JSON))
	_, err = s.Generate(t.Context(), llm.Request{Prompt: "2"})
	require.EqualError(t, err, "boom")
	_, err = s.Generate(t.Context(), llm.Request{Prompt: "3"})
	var e *llm.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, llm.KindMalformed, e.Kind)
	require.Equal(t, 3, e.Usage.InputTokens)
	_, err = s.Generate(t.Context(), llm.Request{Prompt: "4"})
	require.ErrorContains(t, err, "the script has 3 steps, this is call 4")
	require.Len(t, s.Requests(), 4)
	require.Equal(t, "2", s.Requests()[1].Prompt)
}

func TestFault(t *testing.T) {
	boom := errors.New("boom")
	f := &llmtest.FailingCall{Generator: llmtest.Echo{}, Embedder: llmtest.Spell{}, Call: 2, Err: boom}
	_, err := f.Generate(t.Context(), llm.Request{})
	require.NoError(t, err)
	_, err = f.Embed(t.Context(), []string{"a"})
	require.ErrorIs(t, err, boom)
	_, err = f.Embed(t.Context(), []string{"a"})
	require.NoError(t, err)
	require.Equal(t, 3, f.Calls())
	require.Equal(t, llmtest.Spell{}.Dims(), f.Dims())
	require.Equal(t, "spell-128", f.ID())
}

func TestSpell(t *testing.T) {
	v, err := llmtest.Spell{}.Embed(t.Context(), []string{"Listen", "silent", "zzz", "登录 按钮", "登录", "", "?!"})
	require.NoError(t, err)
	require.Len(t, v, 7)
	require.InDelta(t, 1, dot(v[0], v[1]), 1e-6)
	require.Zero(t, dot(v[0], v[2]))
	require.InDelta(t, 0.707, dot(v[3], v[4]), 1e-3)
	require.Zero(t, dot(v[5], v[5]))
	require.Zero(t, dot(v[6], v[6]))
	for _, x := range v {
		require.Len(t, x, llmtest.Spell{}.Dims())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = llmtest.Spell{}.Embed(ctx, nil)
	require.Equal(t, llm.KindCancelled, llm.KindOf(err))
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func TestConcurrentUse(t *testing.T) {
	steps := make([]llmtest.ScriptStep, 64)
	for i := range steps {
		steps[i].Text = "{}"
	}
	s := llmtest.NewScript(steps...)
	f := &llmtest.FailingCall{Generator: s, Call: 65}
	var g errgroup.Group
	for range 8 {
		g.Go(func() error {
			for range 8 {
				if _, err := f.Generate(t.Context(), llm.Request{}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	require.NoError(t, g.Wait())
	require.Len(t, s.Requests(), 64)
}
