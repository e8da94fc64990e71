package meter_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/decide"
	"github.com/memtree/memtree/llm/llmtest"
	"github.com/memtree/memtree/llm/meter"
)

// TestReading: bounds end it, each answer is taken alone, and what is left are the last questions.
func TestReading(t *testing.T) {
	own := llmtest.Echo{}
	r := meter.Reading{MaxCalls: new(5), Price: meter.Price{In: 1e6}}
	model, err := r.Model(own)
	require.NoError(t, err)
	took, refused := 0, 0
	asks := func(_ int, of *meter.Meter) func(meter.ReadUsage) {
		_, err := of.Generate(t.Context(), llm.Request{Prompt: "a prompt", MaxTokens: 12})
		return func(used meter.ReadUsage) {
			require.LessOrEqual(t, used.Calls, 5)
			if took++; llm.KindOf(err) == llm.KindBound { // one at a time
				refused++
			}
		}
	}
	left, used := r.Each(t.Context(), model, 20, 4, 3, asks)
	require.Equal(t, 5, used.Calls)
	require.Equal(t, 5, took-refused)
	require.Equal(t, 20, left+took)
	require.InDelta(t, float64(used.Usage.InputTokens), used.Cost, 1e-9)

	r.DryRun, took = true, 0
	left, used = r.Each(t.Context(), nil, 20, 4, 3, asks)
	require.Zero(t, left, "an estimate has no bounds")
	require.Equal(t, meter.ReadUsage{Calls: 20, Usage: llm.Usage{InputTokens: 40, OutputTokens: 20}, Cost: 40}, used)
	require.Zero(t, took)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	left, _ = (&meter.Reading{}).Each(ctx, own, 3, 1, 3, asks)
	require.Equal(t, 3, left)
}

func TestReadingModel(t *testing.T) {
	_, err := (&meter.Reading{}).Model(nil)
	require.Equal(t, llm.KindNotSet, llm.KindOf(err))
	_, err = (&meter.Reading{DryRun: true}).Model(nil)
	require.NoError(t, err)
	instead := llmtest.NewScript()
	model, err := (&meter.Reading{Reader: instead}).Model(llmtest.Echo{})
	require.NoError(t, err)
	require.Same(t, instead, model)
}

func TestReadingLess(t *testing.T) {
	require.Equal(t, meter.Reading{}, meter.Reading{}.Less(meter.ReadUsage{Calls: 3, Cost: 2}))
	r := meter.Reading{MaxCalls: new(5), MaxCost: new(1.5)}
	less := r.Less(meter.ReadUsage{Calls: 3, Cost: 2})
	require.Equal(t, 2, *less.MaxCalls)
	require.Zero(t, *less.MaxCost)
	require.Equal(t, 5, *r.MaxCalls, "it is another")
}

// silent is a Decider that does not answer.
type silent struct{ calls int }

func (s *silent) Decide(context.Context, string, []decide.DecisionQuestion) (decide.Answers, error) {
	s.calls++
	return decide.Answers{}, &llm.Error{Kind: llm.KindUnavailable}
}

// TestDecider: a decider is bounded as a generator is, and one that does not answer is given up.
func TestDecider(t *testing.T) {
	var of silent
	m := meter.New(nil, meter.Options{Calls: new(4), InRow: 2})
	d := m.Decider(&of, nil)
	for i := range 6 {
		_, err := d.Decide(t.Context(), "a state", []decide.DecisionQuestion{{Name: "holds", Ask: "Does it?"}})
		require.Error(t, err)
		require.Equal(t, i >= 1, m.Full())
	}
	require.Equal(t, 4, of.calls)
	require.Equal(t, 2, m.Stages()[meter.DecideStage].Beyond)
}

// TestRoom: there is room for requests if each, and its repair, is within the bounds at its greatest.
func TestRoom(t *testing.T) {
	r := llm.Request{Prompt: "0123456789", MaxTokens: 10} // at most 20 tokens, and 40 of a repair
	m := meter.New(llmtest.Echo{}, meter.Options{Calls: new(4), Cost: new(100.), Price: meter.Price{In: 1e6, Out: 1e6}.Of})
	require.True(t, m.Room(r))
	require.False(t, m.Room(r, r), "their cost")
	require.True(t, meter.New(nil, meter.Options{Calls: new(4)}).Room(r, r))
	require.False(t, meter.New(nil, meter.Options{Calls: new(5)}).Room(r, r, r), "their repairs")
	require.True(t, meter.New(nil, meter.Options{}).Room(r, r, r, r))
	_, err := m.Generate(t.Context(), r)
	require.NoError(t, err)
	require.Equal(t, m.Total().Usage.InputTokens+m.Total().Usage.OutputTokens <= 40, m.Room(r), "what is used counts")
}
