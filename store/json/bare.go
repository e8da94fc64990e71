package jsonstore

import (
	"context"
	"iter"
	"reflect"
	"strings"
	"sync"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// Readers of a part of a line, which pass over the rest.

// without has a reader pass over the members of these names.
func without(names string) map[string]plain {
	out := map[string]plain{}
	for name := range strings.FieldsSeq(names) {
		out[name] = plainSkip
	}
	return out
}

// bareNode returns the reader of what store.Filter.Bare asks for.
var bareNode = sync.OnceValue(func() plain {
	return newStruct(reflect.TypeFor[tree.Node](),
		without("content caseData scene origin counters credit elsewhere taught lastChange"))
})

// countedNode returns the reader of what store.Filter.Counts asks for, without the id.
var countedNode = sync.OnceValue(func() plain {
	parts := without("id content metadata parent children caseData scene scope lang revision origin occurrences " +
		"counters credit elsewhere taught lastChange word")
	parts["errorType"] = repeated()
	of := without("template job cites left lost when at")
	of["by"], of["analyst"], of["model"] = repeated(), repeated(), repeated()
	parts["provenance"] = newStruct(reflect.TypeFor[tree.Provenance](), of)
	return newStruct(reflect.TypeFor[tree.Node](), parts)
})

// countedEntry returns the reader of what store.LedgerCounts yields.
var countedEntry = sync.OnceValue(func() plain {
	t := reflect.TypeFor[ledger.Verdict]()
	verdict := newStruct(t, without("run_id case_id attempt scene product agent node by features"))
	return newStruct(reflect.TypeFor[ledger.Entry](), map[string]plain{"verdict": orNull(plainPointer(t, verdict))})
})

// decodeNode reads of the JSON of a node with this id what f asks for. n is a zero value. It may read more.
func decodeNode(raw []byte, id string, n *tree.Node, f store.Filter) error {
	switch {
	case f.Counts:
		n.ID = id
		return decodeBy(countedNode(), raw, n)
	case f.Bare:
		return decodeBy(bareNode(), raw, n)
	}
	return decode(raw, n)
}

// decodeBy reads the JSON of a line by a reader, or whole if that line is not plain.
func decodeBy(read plain, raw []byte, v any) error {
	to := reflect.ValueOf(v).Elem()
	if end, ok := read(raw, 0, to); ok && end == len(raw) {
		return nil
	}
	to.SetZero()
	return decode(raw, v)
}

// CountedLedger yields the ledger entries for store.LedgerCounts. Fields of a Verdict that LedgerCounts does not
// promise are empty.
func (s *Store) CountedLedger(ctx context.Context) iter.Seq2[ledger.Entry, error] {
	clean := (*store.Purge).Clean
	return stored(ctx, s, "read the ledger", 0, countedEntry(), clean, func(st *state) ([]linesRef, []record) {
		return st.base.Ledger, st.entries
	})
}
