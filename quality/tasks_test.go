package quality

import (
	"bufio"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// task is a corpus, and queries with their relevant documents.
type task struct {
	name    string
	docs    []doc
	queries []query
	labels  map[string]string // of docs and queries; scored by vote instead
}

type doc struct{ id, text string }

type query struct {
	id, text string
	relevant []string
	exclude  string // the query's own document
}

// shared returns the folder of the data, or skips the test.
func shared(tb testing.TB) string {
	tb.Helper()
	dir := os.Getenv("MEMTREE_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared")
	}
	if _, err := os.Stat(filepath.Join(dir, "data", "retrieval")); err != nil {
		tb.Skip("the retrieval sets are not here: this measures on data/retrieval in the folder MEMTREE_SHARED names, " +
			"../shared beside the repository by default")
	}
	return dir
}

func rows[T any](tb testing.TB, dir, name string) []T {
	tb.Helper()
	f, err := os.Open(filepath.Join(dir, "data", "retrieval", name+".jsonl"))
	require.NoError(tb, err)
	defer func() { require.NoError(tb, f.Close()) }()
	var out []T
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var row T
		require.NoError(tb, json.Unmarshal(lines.Bytes(), &row))
		out = append(out, row)
	}
	require.NoError(tb, lines.Err())
	return out
}

func tasks(tb testing.TB) []task {
	tb.Helper()
	dir := shared(tb)
	return []task{moztrap(tb, dir), gitbugs(tb, dir), sentences(tb, dir, "afqmc"), sentences(tb, dir, "bustm"),
		banking(tb, dir)}
}

// duplicates returns a task in which every document with partners is a query for them, and does not match itself.
func duplicates(name string, docs []doc, pairs [][2]string) task {
	byID := map[string]string{}
	for _, d := range docs {
		byID[d.id] = d.text
	}
	partners := map[string][]string{}
	for _, p := range pairs {
		if byID[p[0]] == "" || byID[p[1]] == "" {
			continue
		}
		for _, x := range [][2]string{p, {p[1], p[0]}} {
			if !slices.Contains(partners[x[0]], x[1]) {
				partners[x[0]] = append(partners[x[0]], x[1])
			}
		}
	}
	t := task{name: name, docs: docs}
	for _, id := range slices.Sorted(maps.Keys(partners)) {
		t.queries = append(t.queries, query{id: id, text: byID[id], relevant: partners[id], exclude: id})
	}
	return t
}

func moztrap(tb testing.TB, dir string) task {
	type step struct{ Do, Expect string }
	type trapCase struct {
		ID             int
		Productversion string
		Name           string
		Description    string
		Steps          []step
	}
	type pair struct {
		A, B int
		Dup  string
	}
	var pairs [][2]string
	named := map[int]bool{}
	for _, p := range rows[pair](tb, dir, "moztrap_pairs") {
		named[p.A], named[p.B] = true, true
		if p.Dup == "Yes" {
			pairs = append(pairs, [2]string{strconv.Itoa(p.A), strconv.Itoa(p.B)})
		}
	}
	var docs []doc
	for _, c := range rows[trapCase](tb, dir, "moztrap_cases") {
		if c.Productversion != "Firefox OS v2.2" && !named[c.ID] {
			continue
		}
		steps := make([]string, len(c.Steps))
		for i, s := range c.Steps {
			steps[i] = s.Do + " " + s.Expect
		}
		docs = append(docs, doc{strconv.Itoa(c.ID),
			strings.TrimSpace(c.Name + "\n" + c.Description + "\n" + strings.Join(steps, "\n"))})
	}
	return duplicates("moztrap", docs, pairs)
}

func gitbugs(tb testing.TB, dir string) task {
	type bug struct{ ID, Summary, Description string }
	type pair struct{ A, B string }
	var docs []doc
	for _, b := range rows[bug](tb, dir, "gitbugs_docs") {
		docs = append(docs, doc{b.ID, strings.TrimSpace(b.Summary + "\n" + b.Description)})
	}
	var pairs [][2]string
	for _, p := range rows[pair](tb, dir, "gitbugs_dups") {
		pairs = append(pairs, [2]string{p.A, p.B})
	}
	return duplicates("gitbugs", docs, pairs)
}

// sentencePair is one line of AFQMC or BUSTM.
type sentencePair struct {
	A, B  string
	Label int
}

// sentences searches with the first sentence of each positive pair among the second ones.
func sentences(tb testing.TB, dir, name string) task {
	file := "zh_" + name + "_pairs"
	all, asked, must := map[string]bool{}, map[string]bool{}, map[string]bool{}
	want := map[string][]string{}
	for _, p := range rows[sentencePair](tb, dir, file) {
		if p.A == p.B {
			continue
		}
		all[p.B] = true
		if p.Label == 1 {
			asked[p.A] = true
			if !slices.Contains(want[p.A], p.B) {
				want[p.A] = append(want[p.A], p.B)
			}
		}
	}
	queries := pick(slices.Sorted(maps.Keys(asked)), 1000, file+"q")
	for _, a := range queries {
		for _, b := range want[a] {
			must[b] = true
			delete(all, b)
		}
	}
	texts := slices.Sorted(maps.Keys(must))
	texts = append(texts, pick(slices.Sorted(maps.Keys(all)), max(0, 5000-len(texts)), file+"d")...)
	t := task{name: name}
	ids := map[string]string{}
	for i, s := range texts {
		ids[s] = "d" + strconv.Itoa(i)
		t.docs = append(t.docs, doc{ids[s], s})
	}
	for i, a := range queries {
		q := query{id: "q" + strconv.Itoa(i), text: a, exclude: ids[a]}
		for _, b := range want[a] {
			q.relevant = append(q.relevant, ids[b])
		}
		t.queries = append(t.queries, q)
	}
	return t
}

// banking searches with a fifth of the questions for the label, among the other questions.
func banking(tb testing.TB, dir string) task {
	type question struct{ ID, Split, Text, Category string }
	t := task{name: "banking", labels: map[string]string{}}
	var train, test []question
	for _, r := range rows[question](tb, dir, "banking77") {
		t.labels[r.ID] = r.Category
		if r.Split == "test" {
			test = append(test, r)
		} else {
			train = append(train, r)
		}
	}
	if len(test) == 0 {
		test = pick(train, len(train)/5, "banking")
	}
	out := map[string]bool{}
	for _, r := range test {
		out[r.ID] = true
	}
	for _, r := range train {
		if !out[r.ID] {
			t.docs = append(t.docs, doc{r.ID, r.Text})
		}
	}
	for _, r := range pick(test, 1000, "bankingq") {
		t.queries = append(t.queries, query{id: r.ID, text: r.Text})
	}
	return t
}
