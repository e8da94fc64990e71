package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/llmtest"
)

func TestAsk(t *testing.T) {
	even := func(raw json.RawMessage) error {
		var a struct{ N int }
		if err := json.Unmarshal(raw, &a); err != nil {
			return err
		}
		if a.N%2 != 0 {
			return errors.Join(errors.New("N: is odd"), errors.New("N: give an even number"))
		}
		return nil
	}
	busy := &llm.Error{Kind: llm.KindRateLimited, Status: 429, RetryAfter: 3 * time.Second}
	cost := llm.Usage{InputTokens: 10, OutputTokens: 2}
	for _, c := range []struct {
		name  string
		steps []llmtest.ScriptStep
		calls int
		want  string
		err   string
		kind  llm.ErrorKind
		usage llm.Usage
	}{
		{"right at once", []llmtest.ScriptStep{{Text: `{"N":2}`, Usage: cost}}, 1, `{"N":2}`, "", "", cost},
		{"check refuses, then right", []llmtest.ScriptStep{{Text: `{"N":1}`, Usage: cost}, {Text: `{"N":4}`, Usage: cost}}, 2,
			`{"N":4}`, "", "", cost.Add(cost)},
		{"no JSON, then right", []llmtest.ScriptStep{{Text: `no`, Usage: cost}, {Text: `{"N":4}`, Usage: cost}}, 2, `{"N":4}`,
			"", "", cost.Add(cost)},
		{"cut off, then right", []llmtest.ScriptStep{{Err: &llm.Error{Kind: llm.KindTruncated}}, {Text: `{"N":4}`,
			Usage: cost}}, 2,
			`{"N":4}`, "", "", cost},
		{"twice wrong", []llmtest.ScriptStep{{Text: `{"N":1}`}, {Text: `{"N":3}`}, {Text: `{"N":4}`}}, 2, "",
			"N: is odd; N: give an even number", llm.KindMalformed, llm.Usage{}},
		{"busy is not repaired", []llmtest.ScriptStep{{Err: busy}, {Text: `{"N":4}`}}, 1, "",
			"rate limited (HTTP 429); try again in 3s", llm.KindRateLimited, llm.Usage{}},
		{"busy at the repair", []llmtest.ScriptStep{{Text: `{"N":1}`}, {Err: busy}, {Text: `{"N":4}`}}, 2, "", "rate limited",
			llm.KindRateLimited, llm.Usage{}},
		{"refused is not repaired", []llmtest.ScriptStep{{Err: &llm.Error{Kind: llm.KindRefused}}}, 1, "", "model refused",
			llm.KindRefused, llm.Usage{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			script := llmtest.NewScript(c.steps...)
			a, err := llm.Ask(t.Context(), script, llm.Request{Name: "t@1", Prompt: "even?"}, even)
			require.Len(t, script.Requests(), c.calls)
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				require.Equal(t, c.kind, llm.KindOf(err))
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, string(a.JSON))
			require.Equal(t, c.usage, a.Usage)
		})
	}
}

func TestAskWordsTheRepair(t *testing.T) {
	refuse := func(json.RawMessage) error { return errors.New("N: is odd") }

	script := llmtest.NewScript(llmtest.ScriptStep{Text: `{"N":1}`}, llmtest.ScriptStep{Text: `{"N":1}`})
	_, err := llm.Ask(t.Context(), script, llm.Request{System: "s", Prompt: "even?"}, refuse)
	require.Error(t, err)
	again := script.Requests()[1]
	require.Equal(t, "s", again.System)
	require.Equal(t, "even?\n\nYour last answer was refused:\n- N: is odd\nAnswer again with one JSON object and "+
		"nothing else.", again.Prompt)

	script = llmtest.NewScript(llmtest.ScriptStep{Text: `{"N":1}`}, llmtest.ScriptStep{Text: `{"N":1}`})
	_, err = llm.Ask(t.Context(), script, llm.Request{Prompt: "even?",
		Repair: func(answer string, violations []string) (string, error) {
			return answer + " 不对: " + violations[0], nil
		}}, refuse)
	require.Error(t, err)
	require.Equal(t, `{"N":1} 不对: N: is odd`, script.Requests()[1].Prompt)
}

func TestAskWithoutAModelOrTime(t *testing.T) {
	_, err := llm.Ask(t.Context(), nil, llm.Request{}, nil)
	require.Equal(t, llm.KindNotSet, llm.KindOf(err))

	ctx, cancel := context.WithCancel(t.Context())
	script := llmtest.NewScript(llmtest.ScriptStep{Text: `no`}, llmtest.ScriptStep{Text: `{}`})
	_, err = llm.Ask(ctx, cancelling{script, cancel}, llm.Request{}, nil)
	require.Error(t, err)
	require.Len(t, script.Requests(), 1, "no repair after the caller gave up")
}

type cancelling struct {
	llm.Generator
	cancel context.CancelFunc
}

func (c cancelling) Generate(ctx context.Context, r llm.Request) (llm.Answer, error) {
	defer c.cancel()
	return c.Generator.Generate(ctx, r)
}

func TestRetryable(t *testing.T) {
	retryable := map[llm.ErrorKind]bool{llm.KindRateLimited: true, llm.KindUnavailable: true, llm.KindTimeout: true,
		llm.KindNoAnswer: true}
	for _, k := range []llm.ErrorKind{
		llm.KindRateLimited, llm.KindUnauthorised, llm.KindNotFound, llm.KindUnavailable, llm.KindTimeout, llm.KindCancelled,
		llm.KindTruncated, llm.KindRefused, llm.KindMalformed, llm.KindTooLarge, llm.KindBadRequest, llm.KindNotSet,
		llm.KindNoAnswer,
	} {
		require.Equal(t, retryable[k], (&llm.Error{Kind: k}).Retryable(), k)
	}
	require.Empty(t, llm.KindOf(errors.New("x")))
	require.ErrorIs(t, &llm.Error{Kind: llm.KindTimeout, Err: context.DeadlineExceeded}, context.DeadlineExceeded)
}
