package evolution

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/text"
	"github.com/memtree/memtree/tree"
)

// grouped is a grouping of evaluations and how well it matches the people's
// categories.
type grouped struct {
	name                string
	groups              int // of three evaluations or more
	purity, cover, v, w float64
}

// score measures groups of labels. Groups with three evaluations or more count
// as covered; purity and v are over those, w is v over all evaluations.
func score(name string, groups [][]string) grouped {
	g := grouped{name: name}
	var big [][]string
	n, covered, pure := 0, 0, 0
	for _, labels := range groups {
		n += len(labels)
		if len(labels) < 3 {
			continue
		}
		big = append(big, labels)
		covered += len(labels)
		count := map[string]int{}
		for _, l := range labels {
			count[l]++
		}
		most := 0
		for _, c := range count {
			most = max(most, c)
		}
		pure += most
	}
	g.groups = len(big)
	g.cover = float64(covered) / float64(n)
	g.purity = float64(pure) / float64(max(1, covered))
	g.v, g.w = vMeasure(big), vMeasure(groups)
	return g
}

// vMeasure is the harmonic mean of homogeneity and completeness (Rosenberg and
// Hirschberg, 2007).
func vMeasure(groups [][]string) float64 {
	n, label, joint := 0.0, map[string]float64{}, map[string]float64{}
	for i, g := range groups {
		for _, l := range g {
			n++
			label[l]++
			joint[fmt.Sprint(i, "|", l)]++
		}
	}
	entropy := func(counts []float64) float64 {
		slices.Sort(counts) // the same sum on every run
		h := 0.0
		for _, c := range counts {
			h -= c / n * math.Log(c/n)
		}
		return h
	}
	list := func(m map[string]float64) []float64 {
		var out []float64
		for _, v := range m {
			out = append(out, v)
		}
		return out
	}
	var sizes []float64
	for _, g := range groups {
		if len(g) > 0 {
			sizes = append(sizes, float64(len(g)))
		}
	}
	hl, hg, hj := entropy(list(label)), entropy(sizes), entropy(list(joint))
	homogeneous, complete := 1.0, 1.0
	if hl > 0 {
		homogeneous = 1 - (hj-hg)/hl
	}
	if hg > 0 {
		complete = 1 - (hj-hl)/hg
	}
	if homogeneous+complete == 0 {
		return 0
	}
	return 2 * homogeneous * complete / (homogeneous + complete)
}

// TestQualityOfGroups compares groups with the categories that people gave the
// failures of tool agents. The product never reads these.
func TestQualityOfGroups(t *testing.T) {
	category, reason := map[string]string{}, map[string]string{}
	lines(t, filepath.Join(shared(t), "evaluations", "agentrx.jsonl"), func(line []byte) {
		var x struct {
			ID, Reason string
			Labels     struct{ Category string }
		}
		require.NoError(t, json.Unmarshal(line, &x))
		category[x.ID], reason[x.ID] = x.Labels.Category, x.Reason
	})
	m := newMemory(t)
	m.form(evaluations(t, "agentrx.jsonl"))
	var cases []*tree.Node
	for _, n := range m.sorted() {
		cases = append(cases, &n)
	}
	labels := func(groups []*group) [][]string {
		var out [][]string
		for _, g := range groups {
			var l []string
			for _, p := range g.points {
				n := m.nodes[p.id]
				for _, o := range n.Occurrences {
					l = append(l, category[o.Evaluation])
				}
			}
			out = append(out, l)
		}
		return out
	}
	var rows []grouped
	o := options(t)
	for _, e := range []struct {
		name string
		on   bool
	}{{"words and table", true}, {"words alone", false}} {
		if !e.on {
			o.Embedder = nil
		}
		s, points, err := newSpace(t.Context(), newBoiler(taxonomy.Default()), o.Embedder, cases)
		require.NoError(t, err)
		rows = append(rows, score(e.name+", within the types the rules give", labels(byPartition(s, points))))
		ev, err := New(o)
		require.NoError(t, err)
		view := &survey{nodes: map[string]*tree.Node{}, space: s, before: map[string]*tree.Node{}}
		for _, n := range cases {
			view.nodes[n.ID] = n
		}
		ev.retype(view, points)
		rows = append(rows, score(e.name+", types voted on (the product)", labels(byPartition(s, points))))
		rows = append(rows, score(e.name+", across types", labels(s.groups(points))))
	}
	rows = append(rows, tfidf(category, reason)...)
	var b strings.Builder
	fmt.Fprintf(&b, "agentrx: %d evaluations in %d cases; an evaluation counts in the group of its case.\n"+
		"cover: share of evaluations in groups of three or more; purity, V: over those; V all: over all.\n"+
		"bar: purity 0.95, cover 0.80, V 0.80\n\n", len(category), len(cases))
	fmt.Fprintf(&b, "%-54s %6s %6s %6s %6s %6s\n", "", "groups", "purity", "cover", "V", "V all")
	for _, r := range rows {
		fmt.Fprintf(&b, "%-54s %6d %6.3f %6.3f %6.3f %6.3f\n", r.name, r.groups, r.purity, r.cover, r.v, r.w)
	}
	golden.Equal(t, "testdata/quality.groups.golden", b.String())
}

func byPartition(s *space, points []*point) []*group {
	parts := map[Partition][]*point{}
	for _, p := range points {
		parts[p.partition] = append(parts[p.partition], p)
	}
	var out []*group
	for _, p := range parts {
		out = append(out, s.groups(p)...)
	}
	slices.SortFunc(out, func(a, b *group) int { return strings.Compare(a.points[0].id, b.points[0].id) })
	return out
}

// tfidf is average linkage over the cosine of TF-IDF vectors of the people's
// reasons, at the cut that covers most with a purity of 0.95: chosen with the
// answers in hand.
func tfidf(category, reason map[string]string) []grouped {
	var ids []string
	for id := range category {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	texts := make([]string, len(ids))
	points := make([]*point, len(ids))
	for i, id := range ids {
		texts[i], points[i] = reason[id], &point{id: id}
	}
	weigh(texts, func(i int, terms []term) { points[i].cause.terms = terms })
	best := grouped{}
	for cut := 0.05; cut < 0.9; cut += 0.01 {
		groups := linear(points, cut)
		var l [][]string
		for _, g := range groups {
			var one []string
			for _, p := range g {
				one = append(one, category[p.id])
			}
			l = append(l, one)
		}
		g := score(fmt.Sprintf("TF-IDF of the reasons, average linkage, best cut %.2f", cut), l)
		if g.purity >= 0.95 && g.cover > best.cover {
			best = g
		}
	}
	return []grouped{best}
}

// linear joins the two nearest groups until none are within the cut.
func linear(points []*point, cut float64) [][]*point {
	var groups [][]*point
	for _, p := range points {
		groups = append(groups, []*point{p})
	}
	for {
		best, bi, bj := cut, -1, -1
		for i := range groups {
			for j := range i {
				sum := 0.0
				for _, x := range groups[i] {
					for _, y := range groups[j] {
						sum += dotTerms(x.cause.terms, y.cause.terms)
					}
				}
				if v := sum / float64(len(groups[i])*len(groups[j])); v >= best {
					best, bi, bj = v, i, j
				}
			}
		}
		if bi < 0 {
			return groups
		}
		groups[bj] = append(groups[bj], groups[bi]...)
		groups = slices.Delete(groups, bi, bi+1)
	}
}

// TestQualityOfTypes asks whether the members of one experience are read as of
// one type by two independent readers, and how often random groups are.
func TestQualityOfTypes(t *testing.T) {
	type reading = struct{ ID, First, Second string }
	readings := map[string]reading{}
	lines(t, filepath.Join(shared(t), "classify", "webjudge_types.jsonl"), func(line []byte) {
		var x reading
		require.NoError(t, json.Unmarshal(line, &x))
		readings[x.ID] = x
	})
	m := newMemory(t)
	m.form(evaluations(t, "webjudge.jsonl"))
	m.evolve(options(t), PlanOptions{})
	of := func(id string) reading { return readings[m.nodes[id].Occurrences[0].Evaluation] }
	agree := func(ids []string) float64 { // share of pairs of which some readings are the same
		same, n := 0, 0
		for i := range ids {
			for j := range i {
				a, b := of(ids[i]), of(ids[j])
				n++
				if a.First == b.First || a.First == b.Second || a.Second == b.First || a.Second == b.Second {
					same++
				}
			}
		}
		return float64(same) / float64(n)
	}
	var all []string
	for _, n := range m.live(tree.Case) {
		all = append(all, n.ID)
	}
	r := rand.New(rand.NewPCG(11, 11))
	var sum, chance float64
	var sizes []string
	for _, e := range m.live(tree.Experience) {
		sum += agree(e.Children)
		sizes = append(sizes, fmt.Sprint(len(e.Children)))
		for range 200 {
			r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			chance += agree(all[:len(e.Children)]) / 200
		}
	}
	n := float64(len(sizes))
	retyped, better, worse := votes(t, m, of)
	golden.Equal(t, "testdata/quality.types.golden", fmt.Sprintf(
		"webjudge: %d cases, %d experiences of %s cases by rules.\n"+
			"Pairs within an experience that some reading gives one type: %.3f; in random groups of the same sizes: %.3f.\n"+
			"Types voted on by groups: %d changed, %d of them to a type that was read, %d away from one.\n",
		len(all), len(sizes), strings.Join(sizes, ", "), sum/n, chance/n, retyped, better, worse))
}

func votes(t *testing.T, m *memory, of func(string) struct{ ID, First, Second string }) (retyped, better, worse int) {
	t.Helper()
	fresh := newMemory(t)
	fresh.form(evaluations(t, "webjudge.jsonl"))
	for id, n := range fresh.nodes {
		now, r := m.nodes[id].ErrorType, of(id)
		if now == n.ErrorType {
			continue
		}
		retyped++
		if now == r.First || now == r.Second {
			better++
		}
		if n.ErrorType == r.First || n.ErrorType == r.Second {
			worse++
		}
	}
	return retyped, better, worse
}

// TestQualityOfWords keeps the experiences of each set as they read, so that a
// change of the words is seen.
func TestQualityOfWords(t *testing.T) {
	var b strings.Builder
	for _, name := range []string{"agentrx.jsonl", "webjudge.jsonl", "whoandwhen.jsonl", "tau.jsonl", "judgebench.jsonl"} {
		m := newMemory(t)
		m.form(evaluations(t, name))
		m.evolve(options(t), PlanOptions{})
		in := 0
		for _, n := range m.live(tree.Case) {
			if n.Parent != "" {
				in++
			}
		}
		fmt.Fprintf(&b, "%s: %d cases, %d of them in %d experiences, %d strategies\n", name, len(m.live(tree.Case)), in, len(m.live(tree.Experience)), len(m.live(tree.Strategy)))
		for i, n := range m.live(tree.Experience) {
			if i == 5 {
				break
			}
			l := n.Content.Lessons[0]
			fmt.Fprintf(&b, "  %d cases, %s: %s\n    when: %s\n    check: %s %s\n    mistake: %s\n", len(n.Children), n.Direction,
				text.Clip(n.Content.Title, 90), strings.Join(n.Content.AppliesWhen, "; "), l.Check, l.Instead, l.Mistake)
		}
	}
	golden.Equal(t, "testdata/quality.words.golden", b.String())
}
