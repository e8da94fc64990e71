package evolution

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// sentences are real ones of the shared sets about retrieval.
func sentences(tb testing.TB) []string {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join(shared(tb), "retrieval", "*.jsonl"))
	require.NoError(tb, err)
	var out []string
	for _, path := range files {
		lines(tb, path, func(line []byte) {
			var x struct{ Text, Prompt, A, Query string }
			if json.Unmarshal(line, &x) != nil {
				return
			}
			for _, s := range []string{x.Text, x.Prompt, x.A, x.Query} {
				if n := len(strings.Fields(s)); n >= 5 && n <= 40 {
					out = append(out, s)
					break
				}
			}
		})
	}
	slices.Sort(out)
	out = slices.Compact(out)
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out[:min(len(out), 12_000)]
}

// scaled returns n cases of real sentences, all alike hard to group, as the
// shared generator of such sets makes them: tasks and notes of two sentences
// each, words left out, a test five times, a scene fifty times. Their misses are
// read from them; hints are given for a third.
func scaled(tb testing.TB, n int) []tree.Node {
	tb.Helper()
	pool, r := sentences(tb), rand.New(rand.NewPCG(uint64(n), 2))
	text := func(keep float64) string {
		var words []string
		for w := range strings.FieldsSeq(pool[r.IntN(len(pool))] + ". " + pool[r.IntN(len(pool))]) {
			if r.Float64() < keep && len(words) < 40 {
				words = append(words, w)
			}
		}
		if r.IntN(2) == 0 {
			words = slices.Insert(words, r.IntN(len(words)+1), fmt.Sprintf("order%x", r.IntN(10*n)))
		}
		return strings.Join(words, " ")
	}
	lift := former(tb, taxonomy.Default()).Lift
	types := taxonomy.Default().ErrorTypes()
	out := make([]tree.Node, n)
	for i := range out {
		at := time.Date(2026, time.Month(1+i*9/n), 1+i%28, i%24, 0, 0, 0, time.UTC)
		x := tree.Node{
			Type: tree.Case, Level: 1, ErrorType: types[r.IntN(8)].ID, Direction: taxonomy.FalseFail, Lang: "en",
			Status: tree.Active, Revision: 1,
			Children: []string{}, Scene: tree.Scene{ID: fmt.Sprint("scene", r.IntN(n/50+1)),
				Type: []string{"form", "list", "modal", "table"}[r.IntN(4)], Route: "/r"},
			Content: tree.Content{Confidence: 0.6}, Metadata: tree.Metadata{CreatedAt: at, UpdatedAt: at},
			Provenance: tree.Provenance{By: "formation", Analyst: "rules"},
			CaseData: &tree.CaseData{
				TestCase: tree.TestCase{CaseID: fmt.Sprint("T", i%(n/5+1)), Prompt: text(.85),
					GroundTruth: tree.Raw(`{"verdict":"pass"}`)},
				AgentJudgment: `{"verdict":"fail"}`, EvaluatorReason: text(.85),
			},
			Occurrences: []tree.Occurrence{{Evaluation: fmt.Sprint("scale-", i), At: at}},
		}
		if r.Float64() < .6 {
			x.Direction = taxonomy.FalsePass
		}
		x.ID = tree.EvidenceID(&x)
		lift(&x)
		if lead := &x.CaseData.Misses[0]; lead.Check == "" && r.IntN(3) == 0 {
			lead.Instead = pool[r.IntN(300)]
		}
		out[i] = x
	}
	return out
}

// still is a tree that is read as a store shows it: node by node, each by itself.
type still struct{ nodes map[string]tree.Node }

func (s still) Scan(context.Context, store.Filter) iter.Seq2[tree.Node, error] {
	return func(yield func(tree.Node, error) bool) {
		for _, n := range s.nodes {
			if !yield(n.Clone(), nil) {
				return
			}
		}
	}
}

func (s still) take(changes []tree.Change) {
	for _, c := range changes {
		s.nodes[c.Node.ID] = c.Node
	}
}

func stillOf(nodes []tree.Node) still {
	s := still{map[string]tree.Node{}}
	for _, n := range nodes {
		s.nodes[n.ID] = n
	}
	return s
}

// planAll plans a whole tree, passes the changes of each plan to each, and counts them.
func planAll(tb testing.TB, s still, cache jobCache, each func([]tree.Change)) (changes int) {
	tb.Helper()
	o := builtIn(tb)
	o.Cache = cache
	e := New(o)
	for p, err := range e.Plan(tb.Context(), s, PlanOptions{}) {
		require.NoError(tb, err)
		changes += len(p.Changes)
		each(p.Changes)
	}
	return changes
}

// BenchmarkPlan plans a whole tree: the first time, when one case in a hundred is
// new, and when none is. The bar is 60 s and 1 GB for 100,000 cases, which take
// a minute to make: ask for them with -bench 'Plan/100000'.
func BenchmarkPlan(b *testing.B) {
	for _, n := range []int{20_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			nodes := scaled(b, n)
			b.Run("first", func(b *testing.B) {
				s := stillOf(nodes)
				measure(b, func() int { return planAll(b, s, kept{newMemory(b)}, forget) })
			})
			evolved := func(nodes []tree.Node) (still, jobCache) {
				s, cache := stillOf(nodes), kept{newMemory(b)}
				planAll(b, s, cache, s.take)
				return s, cache
			}
			b.Run("hundredth", func(b *testing.B) {
				s, cache := evolved(nodes[:n-n/100])
				maps.Copy(s.nodes, stillOf(nodes[n-n/100:]).nodes)
				measure(b, func() int { return planAll(b, s, cache, forget) })
			})
			b.Run("nothing", func(b *testing.B) {
				s, cache := evolved(nodes)
				measure(b, func() int {
					changes := planAll(b, s, cache, forget)
					require.Zero(b, changes)
					return changes
				})
			})
		})
	}
}

func forget([]tree.Change) {}

// measure reports what a plan takes: time, bytes allocated, and the most memory
// in use at once beyond what there was before.
func measure(b *testing.B, plan func() int) {
	b.Helper()
	b.ReportAllocs()
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	done, most := make(chan bool), make(chan uint64)
	go func() {
		top := uint64(0)
		for {
			select {
			case <-done:
				most <- top
				return
			case <-time.After(20 * time.Millisecond):
				var now runtime.MemStats
				runtime.ReadMemStats(&now)
				top = max(top, now.HeapAlloc)
			}
		}
	}()
	changes := 0
	for b.Loop() {
		changes = plan()
	}
	done <- true
	b.ReportMetric(float64(int64(<-most)-int64(before.HeapAlloc))/1e6, "MB-peak")
	b.ReportMetric(float64(changes), "changes")
}

// A plan on what a large plan left behind is empty, with groups of more cases
// than are compared each with each.
func TestPlanOnALargePlanIsEmpty(t *testing.T) {
	o := with(parsed(t, causeChecks(8)))
	s := stillOf(many(6_000, 120))
	m := newMemory(t)
	o.Cache = kept{m}
	e := New(o)
	for _, first := range []bool{true, false} {
		for p, err := range e.Plan(t.Context(), s, PlanOptions{}) {
			require.NoError(t, err)
			if !first {
				require.Empty(t, p.Changes)
			}
			s.take(p.Changes)
		}
	}
	m.plant(slices.Collect(maps.Values(s.nodes))...)
	require.Greater(t, len(m.live(tree.Experience)), 80)
	m.nobodysWords(o.Taxonomy)
}

// BenchmarkPrune forgets of a tree with many lessons.
func BenchmarkPrune(b *testing.B) {
	s := stillOf(scaled(b, 20_000))
	planAll(b, s, kept{newMemory(b)}, s.take)
	e := New(with(taxonomy.Default()))
	b.ReportAllocs()
	for b.Loop() {
		p, err := e.Prune(b.Context(), s, PruneOptions{Experiences: 5},
			PruneInput{Chances: func(*tree.Node) int { return enoughChances }})
		require.NoError(b, err)
		b.ReportMetric(float64(len(p.Forgotten)), "forgotten")
	}
}
