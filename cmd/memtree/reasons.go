package main

import (
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// because translates a sentence of another package into the language of the user, such as the reason why a memory was
// taken. It names levels and directions as the other output does.
func (a *app) because(sentence string, values []any) string {
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
	return a.tell(sentence, args)
}
