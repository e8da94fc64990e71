package evolution

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/internal/guard"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

func shared(tb testing.TB) string {
	tb.Helper()
	dir := os.Getenv("MEMTREE_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared")
	}
	if _, err := os.Stat(filepath.Join(dir, "data")); err != nil {
		tb.Skip("the shared data is not here; set MEMTREE_SHARED to the folder that has data/ in it")
	}
	return filepath.Join(dir, "data")
}

// suite is a suite of judged runs with labelled causes.
func suite(tb testing.TB) string {
	tb.Helper()
	dir := os.Getenv("MEMTREE_LESSONS")
	if dir == "" {
		dir = filepath.Join(shared(tb), "lessons", "suite-a")
	}
	if _, err := os.Stat(filepath.Join(dir, "runs.jsonl")); err != nil {
		tb.Skip("there are no judged runs in", dir)
	}
	return dir
}

func lines(tb testing.TB, path string, each func(line []byte)) {
	tb.Helper()
	f, err := os.Open(path)
	require.NoError(tb, err)
	defer func() { require.NoError(tb, f.Close()) }()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 8<<20)
	for s.Scan() {
		each(s.Bytes())
	}
	require.NoError(tb, s.Err())
}

// evaluations reads a set of shared data, by its path there.
func evaluations(tb testing.TB, path string) []tree.Evaluation {
	tb.Helper()
	var list []tree.Evaluation
	lines(tb, path, func(line []byte) {
		var e tree.Evaluation
		require.NoError(tb, json.Unmarshal(line, &e))
		list = append(list, e)
	})
	return list
}

// labelsOf reads people's labels of each evaluation; the product never does.
func labelsOf[L any](tb testing.TB, path string) map[string]L {
	tb.Helper()
	out := map[string]L{}
	lines(tb, path, func(line []byte) {
		var x struct {
			ID     string
			Labels L
		}
		require.NoError(tb, json.Unmarshal(line, &x))
		out[x.ID] = x.Labels
	})
	return out
}

// builtIn is what the product does without a model.
func builtIn(tb testing.TB) Options {
	tb.Helper()
	o := with(taxonomy.Default())
	o.Unsafe, o.Forces, o.Lift = guard.Instructs, guard.Forces, former(tb, o.Taxonomy).Lift
	return o
}

// learned is the tree of a set, by rules.
func learned(tb testing.TB, path string) *memory {
	tb.Helper()
	m := newMemory(tb)
	m.form(taxonomy.Default(), evaluations(tb, path))
	m.evolve(builtIn(tb), PlanOptions{})
	m.nobodysWords(taxonomy.Default())
	return m
}

// spread measures the labels of the cases behind experiences: how many of all labelled
// cases are covered, and which share of each experience has its most frequent label.
type spread struct {
	cases, covered int
	members, pure  int            // over all experiences; a case may be in several
	most           map[string]int // experiences by the label that at least half of their cases have
}

// spreadOf looks at the cases that all accepts. A case may have several labels.
func (m *memory) spreadOf(labels func(n *tree.Node) []string, all func(n *tree.Node) bool) spread {
	out := spread{most: map[string]int{}}
	covered := map[string]bool{}
	for _, e := range m.live(tree.Experience) {
		count := map[string]int{}
		size := 0
		for _, id := range e.Children {
			n := m.nodes[id]
			if !all(&n) {
				continue
			}
			covered[id] = true
			size++
			for _, l := range labels(&n) {
				count[l]++
			}
		}
		best := ""
		for _, l := range slices.Sorted(maps.Keys(count)) {
			if count[l] > count[best] {
				best = l
			}
		}
		out.members, out.pure = out.members+size, out.pure+count[best]
		if size > 0 && 2*count[best] >= size {
			out.most[best]++
		}
	}
	for _, n := range m.live(tree.Case) {
		if all(&n) {
			out.cases++
		}
	}
	out.covered = len(covered)
	return out
}

func (s spread) cover() float64  { return float64(s.covered) / float64(max(1, s.cases)) }
func (s spread) purity() float64 { return float64(s.pure) / float64(max(1, s.members)) }

// TestQualityOfGroups compares experiences with the categories that people gave
// the failures of tool agents.
func TestQualityOfGroups(t *testing.T) {
	path := filepath.Join(shared(t), "evaluations", "agentrx.jsonl")
	category := labelsOf[struct{ Category string }](t, path)
	m := learned(t, path)
	s := m.spreadOf(func(n *tree.Node) []string {
		return []string{category[n.Occurrences[0].Evaluation].Category}
	}, func(*tree.Node) bool { return true })
	var b golden.Bars
	b.Least("agentrx: purity of experiences by category", s.purity(), 0.95)
	b.Tell("agentrx: cover of cases", s.cover())
	b.Tell("agentrx: experiences", float64(len(m.live(tree.Experience))))
	b.Check(t)
}

// TestQualityOfCauses compares experiences with the causes that the runs of a
// suite were written with.
func TestQualityOfCauses(t *testing.T) {
	type labels struct {
		Cause string
		Also  []string
	}
	path := filepath.Join(suite(t), "runs.jsonl")
	of := labelsOf[labels](t, path)
	m := learned(t, path)
	causes := func(n *tree.Node) []string {
		l := of[n.Occurrences[0].Evaluation]
		return append([]string{l.Cause}, l.Also...)
	}
	runs := map[string]int{} // by cause
	for _, n := range m.live(tree.Case) {
		for _, o := range n.Occurrences {
			runs[of[o.Evaluation].Cause]++
		}
	}
	var b golden.Bars
	for _, lang := range []string{"", "zh", "en"} {
		s := m.spreadOf(causes, func(n *tree.Node) bool { return lang == "" || n.Lang == lang })
		many, found := 0, 0
		for cause, k := range runs {
			if k >= 4 {
				many++
				if s.most[cause] > 0 {
					found++
				}
			}
		}
		name := map[string]string{"": "suite", "zh": "suite, zh", "en": "suite, en"}[lang]
		if lang == "" {
			b.Least(name+": cover of cases", s.cover(), 0.40)
			b.Least(name+": purity of experiences by cause", s.purity(), 0.85)
			b.Least(fmt.Sprintf("%s: causes found of %d", name, many), float64(found), 9)
			continue
		}
		b.Tell(name+": cover of cases", s.cover())
		b.Tell(name+": purity of experiences by cause", s.purity())
		b.Tell(fmt.Sprintf("%s: causes found of %d", name, many), float64(found))
	}
	b.Check(t)
}
