package quality

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/golden"
)

// published holds the results of other engines on the same tasks with the same measures. docs/decisions and the peers
// harness describe the measurement.
var published = []struct {
	name string
	sets map[string]scores
}{
	{"bleve 2.5.7, en and cjk", map[string]scores{
		"moztrap": {.582, .927, .722}, "gitbugs": {.400, .813, .546}, "afqmc": {.084, .409, .175},
		"bustm": {.793, .883, .826}, "banking": {.824, .836}}},
	{"bleve 2.5.7, as it comes", map[string]scores{
		"moztrap": {.600, .927, .734}, "gitbugs": {.320, .787, .478}, "afqmc": {.110, .491, .213},
		"bustm": {.835, .945, .871}, "banking": {.816, .836}}},
	{"SQLite FTS5", map[string]scores{
		"moztrap": {.582, .927, .711}, "gitbugs": {.333, .747, .489}, "afqmc": {.054, .250, .112},
		"bustm": {.621, .655, .638}, "banking": {.784, .825}}},
	{"multilingual-e5-small, exact", map[string]scores{
		"moztrap": {.618, .927, .720}, "gitbugs": {.360, .733, .510}, "afqmc": {.133, .539, .246},
		"bustm": {.876, .979, .914}, "banking": {.911, .921}}},
}

func TestTasksAreThoseOfThePeersHarness(t *testing.T) {
	want := map[string][2]int{"moztrap": {67, 55}, "gitbugs": {1076, 75}, "afqmc": {5000, 1000}, "bustm": {312, 145},
		"banking": {8003, 1000}}
	for _, x := range tasks(t) {
		require.Equal(t, want[x.name], [2]int{len(x.docs), len(x.queries)}, x.name)
	}
}

func TestQualityOfRetrieval(t *testing.T) {
	all := tasks(t)
	var b strings.Builder
	row := func(name string, of map[string]scores) {
		fmt.Fprintf(&b, "%-28s", name)
		for _, x := range all {
			s := of[x.name]
			if x.labels != nil {
				fmt.Fprintf(&b, "  %5.1f %5.1f", 100*s[0], 100*s[1])
				continue
			}
			fmt.Fprintf(&b, "  %5.1f %5.1f %5.1f", 100*s[0], 100*s[1], 100*s[2])
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "%-28s", "R@1 R@10 MRR@10, in %")
	for _, x := range all {
		if x.labels != nil {
			fmt.Fprintf(&b, "  %-11s", x.name+" 1, 10-NN")
			continue
		}
		fmt.Fprintf(&b, "  %-17s", x.name)
	}
	b.WriteString("\n")
	for _, m := range []struct {
		name string
		make func(testing.TB, task) finder
	}{
		{"memtree, the encoder", memtree}, {"memtree, words alone", lexical},
		{"BM25, the same words", words}, {"the encoder alone", meanings},
	} {
		of := map[string]scores{}
		for _, x := range all {
			of[x.name] = measure(t, x, m.make(t, x))
		}
		row(m.name, of)
	}
	for _, p := range published {
		row(p.name, p.sets)
	}
	t.Log("\n" + b.String())
	golden.Equal(t, "testdata/retrieval.golden", b.String())
}
