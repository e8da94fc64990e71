package jsonstore

import (
	"reflect"
	"sync"

	"github.com/memtree/memtree/tree"
)

// bareNode returns the reader of what store.Filter.Bare asks for.
var bareNode = sync.OnceValue(func() plain {
	return newStruct(reflect.TypeFor[tree.Node](), "content", "caseData", "scene", "origin", "counters", "credit",
		"elsewhere", "taught", "lastChange")
})

// decodeBare reads of the JSON of a node what store.Filter.Bare asks for. n is a zero value. It may read more.
func decodeBare(raw []byte, n *tree.Node) error {
	if end, ok := bareNode()(raw, 0, reflect.ValueOf(n).Elem()); ok && end == len(raw) {
		return nil
	}
	return decode(raw, n)
}
