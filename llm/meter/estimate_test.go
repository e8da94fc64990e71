package meter

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/llm"
)

func TestEstimate(t *testing.T) {
	var e Estimator
	r := llm.Request{System: "four", Prompt: "eight...", Schema: json.RawMessage(`{}  `), MaxTokens: 1200}
	for range 2 {
		_, err := llm.Ask(t.Context(), &e, r, nil)
		require.Error(t, err)
	}
	calls, usage := e.Sum()
	require.Equal(t, 2, calls, "there is no repair")
	require.Equal(t, llm.Usage{InputTokens: 6, OutputTokens: 200}, usage)
	calls, usage = WithRepairs(17, llm.Usage{InputTokens: 1700, OutputTokens: 17})
	require.Equal(t, 20, calls)
	require.Equal(t, llm.Usage{InputTokens: 2000, OutputTokens: 20}, usage)
	require.Equal(t, 3, Estimate(llm.Request{Prompt: "汉字字字"}).InputTokens)
}
