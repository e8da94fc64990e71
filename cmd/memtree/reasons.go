package main

import (
	"fmt"

	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// because says why a memory was taken or not in the language of the user. The
// English stands in retrieval, which knows it; chinese_reasons.go has the other half.
func (a *app) because(w retrieval.Why) string {
	sentence := w.Code.Sentence()
	if other, ok := a.words[sentence]; ok {
		sentence = other
	}
	args := make([]any, len(w.Args))
	for i, arg := range w.Args {
		switch v := arg.(type) {
		case tree.Type:
			args[i] = a.levelName(v)
		case taxonomy.Direction:
			args[i] = a.directionName(v)
		default:
			args[i] = v
		}
	}
	return fmt.Sprintf(sentence, args...)
}
