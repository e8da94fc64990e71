package prompts_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/prompts"
)

func TestSecondGolden(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		p, err := prompts.Load().Second(prompts.SecondInput{
			Lang: lang, Reasons: []string{"the first reason", "the second one"},
		})
		require.NoError(t, err)
		golden.Equal(t, "testdata/second."+lang+".golden", show(p))
	}
}
