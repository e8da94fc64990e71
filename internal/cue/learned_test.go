package cue

import (
	"bytes"
	"encoding/gob"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/taxonomy"
)

// The stored models are those that the built-in sentences give.
func TestLearned(t *testing.T) {
	sentences := sentencesOf(taxonomy.Default().Checks())
	fresh := learned{Key: keyOf(sentences), Models: fitAll(sentences)}
	var b bytes.Buffer
	require.NoError(t, gob.NewEncoder(&b).Encode(fresh))
	golden.Bytes(t, "learned.gob", b.Bytes())
}
