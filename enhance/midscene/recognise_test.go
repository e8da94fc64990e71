package midscene_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/enhance/midscene"
)

func TestRecognise(t *testing.T) {
	b, err := os.ReadFile("testdata/cart.yaml")
	require.NoError(t, err)
	require.True(t, midscene.Recognise(b))
	for _, other := range []string{
		"", "{\"tasks\": 1}\n{\"prompt\": \"x\"}", "[\ntasks:]", "name: x\n  tasks: 1", "no tasks: here",
	} {
		require.False(t, midscene.Recognise([]byte(other)), other)
	}
}
