package llm_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/llmtest"
	"github.com/memtree/memtree/llm/meter"
)

func TestFind(t *testing.T) {
	require.Empty(t, llm.NameOf(nil))
	require.False(t, llm.Plays(llmtest.Echo{}))
	chain := meter.New(llm.NewHalt(named{}, time.Now), meter.Options{})
	require.Equal(t, "p:m", llm.NameOf(chain))
	_, ok := llm.Find[llm.Adapter](chain)
	require.False(t, ok)
}

type named struct{ llmtest.Echo }

func (named) ID() string { return "p:m" }
