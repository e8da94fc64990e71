package evolution

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/embed"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

func pointers(nodes []tree.Node) []*tree.Node {
	out := make([]*tree.Node, len(nodes))
	for i := range nodes {
		out[i] = &nodes[i]
	}
	return out
}

// shape is a grouping as text.
func shape(groups []*group) string {
	var b strings.Builder
	for _, g := range groups {
		for _, p := range g.points {
			b.WriteString(p.id + " ")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestGroupsDoNotDependOnOrder(t *testing.T) {
	table, err := embed.Default()
	require.NoError(t, err)
	nodes := append(shop(), many(40, 6)...)
	r := rand.New(rand.NewPCG(1, 2))
	first := ""
	for i := range 100 {
		cases := pointers(nodes)
		r.Shuffle(len(cases), func(i, j int) { cases[i], cases[j] = cases[j], cases[i] })
		s, points, err := newSpace(t.Context(), newBoiler(taxonomy.Default()), table, cases)
		require.NoError(t, err)
		r.Shuffle(len(points), func(i, j int) { points[i], points[j] = points[j], points[i] })
		got := shape(s.groups(points))
		if i == 0 {
			first = got
		}
		require.Equal(t, first, got)
	}
}

// The rules analyst keeps what people read of a long reason; the groups go by all of it.
func TestCauseIsTheWholeReason(t *testing.T) {
	n := &tree.Node{Provenance: tree.Provenance{Analyst: "rules"}, CaseData: &tree.CaseData{
		ErrorReason: "Error code: 400.", EvaluatorReason: "Error code: 400. The filter refused.\nIt said so. Twice. Error code: 400. The filter refused. It said so. Twice.",
	}}
	require.Equal(t, "Error code: 400. The filter refused. It said so. Twice.", newBoiler(taxonomy.Default()).cause(n))
	n.Provenance.Analyst = "some model"
	require.Equal(t, "Error code: 400.", newBoiler(taxonomy.Default()).cause(n), "a model has read it, and says why")
}

// Without what all vectors have in common, two causes are alike only by what the
// others do not say too; of a single cause nothing much is taken away.
func TestCentre(t *testing.T) {
	unit := func(v ...float32) features {
		length := float32(math.Sqrt(dot(v, v)))
		for i := range v {
			v[i] /= length
		}
		return features{dense: v}
	}
	var texts []string
	var all []features
	for i := range 400 { // all lie along the first axis, half of them a little along the second, half along the third
		texts = append(texts, fmt.Sprint(i))
		if i%2 == 0 {
			all = append(all, unit(4, 1, 0, 0))
		} else {
			all = append(all, unit(4, 0, 1, 0))
		}
	}
	at := func(i int) *features { return &all[i] }
	require.Greater(t, dot(all[0].dense, all[1].dense), 0.9)
	centre(texts, at)
	require.Greater(t, all[0].cosine(&all[2]), 0.9)
	require.Less(t, all[0].cosine(&all[1]), 0.0)
	centre(texts[:3], at)
	require.InDelta(t, dot(all[0].dense, all[1].dense), all[0].cosine(&all[1]), 0.05)
	same := slices.Repeat([]string{"the same"}, 400)
	centre(same, at)
	require.Greater(t, all[0].cosine(&all[1]), 0.9, "one text, however often, is one")
	none := features{}
	require.Zero(t, none.cosine(&all[0]))
}

// What the chains find is what joining the two nearest groups again and again
// finds, cut at the same place.
func TestGroupsAreAverageLinkage(t *testing.T) {
	nodes := append(shop(), many(80, 9)...)
	s, points, err := newSpace(t.Context(), newBoiler(taxonomy.Default()), nil, pointers(nodes))
	require.NoError(t, err)
	greedy := singles(slices.Clone(points))
	average := func(a, b *group) float64 {
		sum := 0.0
		for _, x := range a.points {
			for _, y := range b.points {
				sum += s.like(x, y)
			}
		}
		return sum / float64(len(a.points)*len(b.points))
	}
	for {
		best, bi, bj := join, -1, -1
		for i := range greedy {
			for j := range i {
				if v := average(greedy[i], greedy[j]); v >= best {
					best, bi, bj = v, i, j
				}
			}
		}
		if bi < 0 {
			break
		}
		greedy[bj] = newGroup(append(slices.Clone(greedy[bj].points), greedy[bi].points...))
		greedy = slices.Delete(greedy, bi, bi+1)
	}
	slices.SortFunc(greedy, func(a, b *group) int { return strings.Compare(a.points[0].id, b.points[0].id) })
	require.Equal(t, shape(greedy), shape(s.groups(points)))
}

func TestMedoidFirst(t *testing.T) {
	s, points, err := newSpace(t.Context(), newBoiler(taxonomy.Default()), nil, pointers(shop()))
	require.NoError(t, err)
	got := s.medoidFirst(points, 4)
	require.Len(t, got, 4)
	require.Len(t, slices.Compact(slices.SortedFunc(slices.Values(got), func(a, b *point) int { return strings.Compare(a.id, b.id) })), 4)
	require.Len(t, s.medoidFirst(points, 99), len(points))
	require.Equal(t, got[:1], s.medoidFirst(slices.Clip(points), 1))
}

// many returns n cases of k made-up causes, each with words of its own.
func many(n, k int) []tree.Node {
	r := rand.New(rand.NewPCG(7, uint64(n)))
	word := func(seed int) string {
		w := rand.New(rand.NewPCG(uint64(seed), 3))
		b := make([]byte, 4+w.IntN(5))
		for i := range b {
			b[i] = "abcdefghijklmnopqrstuvwxyz"[w.IntN(26)]
		}
		return string(b)
	}
	types := taxonomy.Default().ErrorTypes()
	directions := []taxonomy.Direction{taxonomy.FalsePass, taxonomy.FalseFail}
	out := make([]tree.Node, n)
	for i := range out {
		c := r.IntN(k)
		said := "The agent"
		for j := range 8 {
			if r.IntN(5) > 0 {
				said += " " + word(100*c+j)
			} else {
				said += " " + word(1_000_000+r.IntN(5000))
			}
		}
		out[i] = made(1000+i, types[c%8].ID, directions[c%2], "Check the "+word(c)+" of page "+word(1_000_000+r.IntN(5000))+".", said+".", "Look at "+word(100*c)+" first.")
	}
	return out
}

// TestPlanOnALargePlanIsEmpty has groups of more cases than are sampled, and
// parts of more than are clustered exactly.
func TestPlanOnALargePlanIsEmpty(t *testing.T) {
	m := planted(t, many(10_000, 200))
	o := options(t)
	o.Cache = kept{m}
	e, err := New(o)
	require.NoError(t, err)
	for _, first := range []bool{true, false} {
		for p, err := range e.Plan(t.Context(), m, PlanOptions{}) {
			require.NoError(t, err)
			if !first {
				require.Empty(t, p.Changes)
			}
			for _, c := range p.Changes {
				m.nodes[c.Node.ID] = c.Node
			}
		}
	}
}

// TestWhatIsRefusedIsToldOnce: the pool is gone through again when something was
// formed of it, but what was tried is not tried again.
func TestWhatIsRefusedIsToldOnce(t *testing.T) {
	nodes := many(300, 16) // two causes in each partition
	bad := strings.Fields(nodes[0].CaseData.AvoidanceHint)[2]
	m := planted(t, nodes)
	o := options(t)
	o.Unsafe = func(s string) (string, bool) { return "is not to be shown", strings.Contains(s, bad) }
	formed, refused := 0, 0
	for _, p := range m.evolve(o, PlanOptions{}) {
		for _, c := range p.Changes {
			if c.Op == tree.OpAdd && p.Partition == partitionOf(&nodes[0]) {
				formed++
			}
		}
		for _, r := range p.Rejections {
			require.False(t, r.Known, "there is no earlier plan")
			refused++
		}
	}
	require.Positive(t, formed)
	require.Equal(t, 1, refused)
}

func BenchmarkGroups(b *testing.B) {
	table, err := embed.Default()
	require.NoError(b, err)
	for _, n := range []int{1_000, 10_000, 100_000} {
		nodes := pointers(many(n, n/40))
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				s, points, err := newSpace(b.Context(), newBoiler(taxonomy.Default()), table, nodes)
				require.NoError(b, err)
				parts := map[Partition][]*point{}
				for _, p := range points {
					parts[p.partition] = append(parts[p.partition], p)
				}
				found := 0
				for _, p := range parts {
					found += len(s.groups(p))
				}
				b.ReportMetric(float64(found), "groups")
			}
		})
	}
}

// BenchmarkEvolve plans a whole tree: the first time, when one case in a hundred
// is new, and when none is.
func BenchmarkEvolve(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		nodes := many(n, n/40)
		b.Run(fmt.Sprint(n, "/first"), func(b *testing.B) {
			for b.Loop() {
				planAll(b, planted(b, nodes))
			}
		})
		evolved := func(b *testing.B, until int) *memory {
			m := planted(b, nodes[:until])
			for _, c := range planAll(b, m) {
				m.nodes[c.Node.ID] = c.Node
			}
			return m
		}
		b.Run(fmt.Sprint(n, "/hundredth"), func(b *testing.B) {
			m := evolved(b, n-n/100)
			for _, x := range nodes[n-n/100:] {
				m.nodes[x.ID] = x
			}
			for b.Loop() {
				planAll(b, m)
			}
		})
		b.Run(fmt.Sprint(n, "/nothing"), func(b *testing.B) {
			m := evolved(b, n)
			for b.Loop() {
				require.Empty(b, planAll(b, m))
			}
		})
	}
}

func planAll(b *testing.B, m *memory) (changes []tree.Change) {
	b.Helper()
	o := options(b)
	o.Cache = kept{m}
	e, err := New(o)
	require.NoError(b, err)
	for p, err := range e.Plan(b.Context(), m, PlanOptions{}) {
		require.NoError(b, err)
		changes = append(changes, p.Changes...)
	}
	b.ReportMetric(float64(len(changes)), "changes")
	return changes
}

// BenchmarkPrune forgets of a tree that is far over budget.
func BenchmarkPrune(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			nodes := many(n, n/40)
			for i := range nodes {
				nodes[i] = aged(nodes[i], 60)
			}
			m := planted(b, append(nodes, single(1)))
			e, err := New(options(b))
			require.NoError(b, err)
			for b.Loop() {
				p, err := e.Prune(b.Context(), m, PruneOptions{})
				require.NoError(b, err)
				b.ReportMetric(float64(len(p.Forgotten)), "forgotten")
			}
		})
	}
}
