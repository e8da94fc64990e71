package cue

import (
	"testing"

	"github.com/memtree/memtree/internal/flat"
	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/taxonomy"
)

// The stored models are those that the built-in sentences give.
func TestLearned(t *testing.T) {
	sentences := sentencesOf(taxonomy.Default().Checks())
	b := flat.AppendText(nil, keyOf(sentences))
	for _, list := range sentences {
		b = append(b, fitted(list)...)
	}
	golden.Bytes(t, "learned.flat", b)
}
