package main

import (
	"fmt"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// because says why a memory was taken or not in the language of the user. The
// English stands in retrieval and enhance, which decide; chinese_reasons.go has the
// other half.
func (a *app) because(sentence string, values []any) string {
	if other, ok := a.words[sentence]; ok {
		sentence = other
	}
	args := make([]any, len(values))
	for i, arg := range values {
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
