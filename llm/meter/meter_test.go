package meter

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/llmtest"
)

func price(u llm.Usage) float64 { return float64(u.InputTokens)*1 + float64(u.OutputTokens)*2 }

func step(in, out int) llmtest.ScriptStep {
	return llmtest.ScriptStep{Text: `{"a":1}`, Usage: llm.Usage{InputTokens: in, OutputTokens: out}}
}

func TestMeterCountsByStage(t *testing.T) {
	m := New(llmtest.NewScript(step(10, 2), step(20, 3), llmtest.ScriptStep{Text: `{"a":1}`},
		llmtest.ScriptStep{Err: &llm.Error{Kind: llm.KindTimeout}},
		llmtest.ScriptStep{Text: "prose", Usage: llm.Usage{InputTokens: 5, OutputTokens: 1}}), Options{})
	for _, name := range []string{
		"analyse.zh@3+ab", "evolve.en@1+cd", "analyse.en@3+ab", "analyse.en@3+ab", "analyse.en@3+ab",
	} {
		_, _ = m.Generate(t.Context(), llm.Request{Name: name, Prompt: "x"})
	}
	require.Equal(t, map[string]Spent{
		"analyse": {Calls: 4, Failed: 2, Untold: 1, Usage: llm.Usage{InputTokens: 15, OutputTokens: 3},
			Why: map[llm.ErrorKind]int{llm.KindTimeout: 1, llm.KindMalformed: 1}},
		"evolve": {Calls: 1, Usage: llm.Usage{InputTokens: 20, OutputTokens: 3}},
	}, m.Stages())
	require.Equal(t, 5, m.Total().Calls)
	require.Equal(t, llm.Usage{InputTokens: 35, OutputTokens: 6}, m.Total().Usage)
	require.Empty(t, llm.NameOf(m))
}

// A client whose breaker is open sends nothing, so there is no call.
func TestMeterCountsWhatWasSent(t *testing.T) {
	rest := llmtest.ScriptStep{Err: &llm.Error{Kind: llm.KindUnavailable, Unsent: true}}
	m := New(llmtest.NewScript(rest, step(1, 1), rest), Options{Calls: new(2), Cost: new(1e6), Price: price})
	for range 3 {
		_, _ = m.Generate(t.Context(), llm.Request{})
	}
	require.Equal(t, Spent{Calls: 1, Usage: llm.Usage{InputTokens: 1, OutputTokens: 1}}, m.Total())
	require.False(t, m.Full())
}

func TestMeterBoundsCalls(t *testing.T) {
	for _, most := range []int{0, 1, 3} {
		m := New(llmtest.NewScript(step(1, 1), step(1, 1), step(1, 1), step(1, 1)), Options{Calls: &most})
		var all sync.WaitGroup
		var mu sync.Mutex
		refused := 0
		for range 20 {
			all.Go(func() {
				if _, err := m.Generate(t.Context(), llm.Request{}); err != nil {
					mu.Lock()
					defer mu.Unlock()
					require.Equal(t, llm.KindBound, llm.KindOf(err))
					var e *llm.Error
					require.True(t, errors.As(err, &e))
					require.False(t, e.Retryable())
					refused++
				}
			})
		}
		all.Wait()
		require.Equal(t, 20-most, refused)
		require.Equal(t, most, m.Total().Calls)
		require.Equal(t, 20-most, m.Total().Beyond)
	}
}

func TestMeterBoundsCost(t *testing.T) {
	// A request of 4 characters may cost 4 + 2*10 at most, and costs 3 + 2*1.
	ask := llm.Request{Prompt: "abcd", MaxTokens: 10}
	for most, calls := range map[float64]int{0: 0, 23.9: 0, 24: 1, 28.9: 1, 29: 2, 40: 4} {
		m := New(llmtest.NewScript(step(3, 1), step(3, 1), step(3, 1), step(3, 1), step(3, 1)),
			Options{Cost: &most, Price: price})
		for range 5 {
			_, _ = m.Generate(t.Context(), ask)
		}
		require.Equal(t, calls, m.Total().Calls, "%g", most)
		require.LessOrEqual(t, price(m.Total().Usage), most)
	}
	// An answer without reported tokens may have had the greatest cost.
	m := New(llmtest.NewScript(llmtest.ScriptStep{Text: `{}`}, llmtest.ScriptStep{Text: `{}`}), Options{Cost: new(40.0),
		Price: price})
	_, err := m.Generate(t.Context(), ask)
	require.NoError(t, err)
	_, err = m.Generate(t.Context(), ask)
	require.Equal(t, llm.KindBound, llm.KindOf(err))
	require.Equal(t, 1, m.Total().Untold)
}

type hang struct{}

func (hang) Generate(ctx context.Context, _ llm.Request) (llm.Answer, error) {
	<-ctx.Done()
	return llm.Answer{}, &llm.Error{Kind: llm.KindTimeout, Err: ctx.Err()}
}

func TestMeterBoundsTime(t *testing.T) {
	m := New(hang{}, Options{Until: time.Now().Add(20 * time.Millisecond)})
	for range 2 { // one is ended, the other does not start
		_, err := m.Generate(t.Context(), llm.Request{Name: "analyse"})
		require.Equal(t, llm.KindBound, llm.KindOf(err))
	}
	require.Equal(t, Spent{Calls: 1, Beyond: 2}, m.Total())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := New(hang{}, Options{Until: time.Now().Add(time.Hour)}).Generate(ctx, llm.Request{})
	require.Equal(t, llm.KindTimeout, llm.KindOf(err), "the caller's own end is not the bound")
}

// Three consecutive calls without an answer fill a meter with that limit, and so does one lasting error. An answer, or
// an error about the request alone, resets the count.
func TestInRow(t *testing.T) {
	busy, wrong := llm.KindUnavailable, llm.KindRefused
	for name, c := range map[string]struct {
		kinds []llm.ErrorKind // "" is an answer
		full  bool
	}{
		"three": {[]llm.ErrorKind{busy, busy, busy}, true}, "two": {[]llm.ErrorKind{busy, busy}, false},
		"an answer between": {[]llm.ErrorKind{busy, busy, "", busy}, false},
		"a refusal between": {[]llm.ErrorKind{busy, busy, wrong, busy}, false},
		"no key":            {[]llm.ErrorKind{llm.KindUnauthorised}, true},
	} {
		t.Run(name, func(t *testing.T) {
			at := 0
			m := New(asks(func() (llm.Answer, error) {
				k := c.kinds[at]
				at++
				if k == "" {
					return llm.Answer{}, nil
				}
				return llm.Answer{}, &llm.Error{Kind: k, Err: errors.New("no")}
			}), Options{InRow: 3})
			for range c.kinds {
				_, _ = m.Generate(t.Context(), llm.Request{})
			}
			require.Equal(t, c.full, m.Full())
		})
	}
}

type asks func() (llm.Answer, error)

func (a asks) Generate(context.Context, llm.Request) (llm.Answer, error) { return a() }
