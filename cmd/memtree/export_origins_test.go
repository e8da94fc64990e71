package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/cli/say"
)

func TestOriginsHaveNames(t *testing.T) {
	v := &say.Voice{Lang: "en"}
	require.Equal(t, "several trees 3, o_a 5", originsLine(v, map[string]int{"": 3, "o_a": 5}))
	require.Equal(t, "o_a 5", originsLine(v, map[string]int{"o_a": 5}))
	require.Empty(t, originsLine(v, nil))
}
