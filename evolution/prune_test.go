package evolution

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// prune plans and applies once.
func (m *memory) prune(o PruneOptions, known ...PruneInput) Pruned {
	m.tb.Helper()
	of := options(m.tb)
	of.Cache = kept{m}
	p, err := evolver(m.tb, of).Prune(m.tb.Context(), m, o, slices.Concat(known, []PruneInput{{}})[0])
	require.NoError(m.tb, err)
	m.apply(p.Changes)
	return p
}

func reasons(p Pruned) map[string]ForgetReason {
	out := map[string]ForgetReason{}
	for _, f := range p.Forgotten {
		out[f.Node.ID] = f.Reason
	}
	return out
}

// chances is how many queries every memory could have served.
func chances(n int) PruneInput {
	return PruneInput{Chances: func(*tree.Node) int { return n }}
}

func TestPruneGivesAReason(t *testing.T) {
	newest := single(1)
	old := func(i int, edit func(n *tree.Node)) tree.Node {
		n := aged(single(i), 100)
		if edit != nil {
			edit(&n)
		}
		return n
	}
	for _, c := range []struct {
		name string
		node tree.Node
		want ForgetReason
	}{
		{"never given, seen once, long ago, little trusted", old(2, nil), Unused},
		{"the same, but trusted", old(3, func(n *tree.Node) { n.Content.Confidence = 0.7 }), ""},
		{"the same, but given to a run", old(4, func(n *tree.Node) { n.Metadata.UsageCount = 1 }), ""},
		{"the same, but pinned", old(5, func(n *tree.Node) { n.Mark = tree.Pinned }), ""},
		{"the same, but banned by a person", old(6, func(n *tree.Node) { n.Mark = tree.Banned }), ""},
		{"seen twice", old(7, func(n *tree.Node) {
			n.Occurrences = append(n.Occurrences, tree.Occurrence{Evaluation: "again", At: n.Metadata.UpdatedAt})
		}), ""},
		{"quarantined", old(8, func(n *tree.Node) { n.Status = tree.Quarantined }), Harmful},
		{"retired", old(9, func(n *tree.Node) { n.Status = tree.Retired }), Superseded},
		{"retired a week ago", func() tree.Node { n := aged(single(10), 7); n.Status = tree.Retired; return n }(), ""},
		{"replaced", old(11, func(n *tree.Node) { n.SupersededBy = newest.ID }), Superseded},
		{"archived", old(12, func(n *tree.Node) { n.Status, n.ArchivedFor = tree.Archived, "wrong label" }), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := planted(t, []tree.Node{newest, c.node})
			p := m.prune(PruneOptions{}, chances(enoughChances))
			require.Equal(t, c.want, reasons(p)[c.node.ID])
			n := m.nodes[c.node.ID]
			if c.want == "" {
				require.Empty(t, p.Changes)
				return
			}
			require.Equal(t, tree.Archived, n.Status)
			require.Contains(t, n.ArchivedFor, string(c.want)+": ")
			require.NotNil(t, n.CaseData, "evidence is kept")
			require.Empty(t, m.prune(PruneOptions{}, chances(enoughChances)).Changes, "once")
		})
	}
	m := planted(t, []tree.Node{newest, old(2, nil)})
	known := chances(enoughChances)
	known.Used = func(string) bool { return true }
	require.Empty(t, m.prune(PruneOptions{}, known).Forgotten)
	known = chances(enoughChances)
	known.Keep = func(*tree.Node) bool { return true }
	require.Empty(t, m.prune(PruneOptions{}, known).Forgotten)
	known.Keep = nil
	require.Empty(t, m.prune(PruneOptions{Only: "form_validation_error"}, known).Forgotten)
	require.Len(t, m.prune(PruneOptions{Only: "edge_case_error"}, known).Forgotten, 1)
}

// No case goes for its age or because there are many. A case goes that could have been
// given twenty times and never was.
func TestPruneByChance(t *testing.T) {
	nodes := []tree.Node{single(1)}
	for i := range 400 {
		nodes = append(nodes, aged(single(100+i), 2000))
	}
	m := planted(t, nodes)
	require.Empty(t, m.prune(PruneOptions{}).Forgotten, "nobody counts")
	require.Empty(t, m.prune(PruneOptions{}, chances(enoughChances-1)).Forgotten)
	asked := nodes[7].ID
	p := m.prune(PruneOptions{}, PruneInput{Chances: func(n *tree.Node) int {
		if n.ID == asked {
			return enoughChances
		}
		return 0
	}})
	require.Equal(t, map[string]ForgetReason{asked: Unused}, reasons(p))
	require.Contains(t, p.Forgotten[0].Why, "none of 20 queries")

	shop := planted(t, shop())
	shop.evolve(options(t), PlanOptions{})
	for id, n := range shop.nodes {
		if n.Type == tree.Case {
			n = aged(n, 200)
			n.Content.Confidence = 0.5
			shop.nodes[id] = n
		}
	}
	shop.plant(single(1))
	for _, f := range shop.prune(PruneOptions{}, chances(1000)).Forgotten {
		require.Empty(t, f.Node.Parent, "what a lesson stands on stays")
	}
	require.Len(t, shop.live(tree.Experience), 2)
}

func TestPruneTakesBackWhatRecurs(t *testing.T) {
	old := aged(single(2), 100)
	m := planted(t, []tree.Node{single(1), old})
	require.Len(t, m.prune(PruneOptions{}, chances(enoughChances)).Forgotten, 1)
	m.edit(old.ID, func(n *tree.Node) {
		n.Occurrences = append(n.Occurrences, tree.Occurrence{Evaluation: "again", At: single(1).Metadata.UpdatedAt})
	})
	require.Equal(t, []string{old.ID}, m.prune(PruneOptions{}, chances(enoughChances)).Revived)
	require.Equal(t, tree.Active, m.nodes[old.ID].Status)
	require.Empty(t, m.nodes[old.ID].ArchivedFor)
	require.Empty(t, m.prune(PruneOptions{}, chances(enoughChances)).Changes)

	m.edit(old.ID, func(n *tree.Node) { n.Status, n.ArchivedFor = tree.Archived, "wrong label" })
	require.Empty(t, m.prune(PruneOptions{}).Revived, "what a person put away stays away")
}

// lessonOver is an experience over cases, as evolution would have made it.
func lessonOver(cases []tree.Node, i int) tree.Node {
	n := lessonOfOld(pointers(cases), "content_validation_error")
	n.Provenance.Template = rulesVersion
	n.Content.Title = fmt.Sprint("lesson ", i)
	return n
}

// When there are too many lessons, those go whose cases other lessons cover.
func TestPruneKeepsWhatCovers(t *testing.T) {
	const most = 5
	var nodes []tree.Node
	want := map[string]bool{}
	add := func(i int, cases []tree.Node, kept bool) {
		e := lessonOver(cases, i)
		nodes = append(nodes, e)
		want[e.ID] = kept
	}
	for i := range most { // each of cases of its own
		var own []tree.Node
		for j := range 4 {
			own = append(own, sum(100*i+j, fmt.Sprint("thing ", word(100*i+j))))
		}
		add(i, own, true)
		if i < 3 { // and of some of them once more
			again := append([]tree.Node{}, own[:3]...)
			add(10+i, again, false)
		}
		nodes = append(nodes, own...)
	}
	for i := range nodes {
		nodes[i].Parent = ""
	}
	m := planted(t, nodes)
	require.Empty(t, m.prune(PruneOptions{Experiences: 7}).Forgotten, "a little over is no reason")
	p := m.prune(PruneOptions{Experiences: most})
	require.Len(t, p.Forgotten, 3)
	for _, f := range p.Forgotten {
		require.Equal(t, OverBudget, f.Reason)
		require.False(t, want[f.Node.ID], f.Node.Content.Title)
	}
	require.Len(t, m.live(tree.Case), 20, "cases have no budget")
	require.Empty(t, m.prune(PruneOptions{Experiences: most}).Changes)
	require.Equal(t, p, planted(t, nodes).prune(PruneOptions{Experiences: most}), "the same each time")
}

// A case that is forgotten leaves every experience that had it, and an experience
// leaves its strategy.
func TestPruneTakesOutOfAll(t *testing.T) {
	both := made(30, missed("t_sums", "Nobody added it up."), missed("t_dates", "The month is foreign."))
	m := planted(t, append(shop(), both))
	m.evolve(options(t), PlanOptions{})
	a, b := m.lesson("t_sums", taxonomy.FalsePass), m.lesson("t_dates", taxonomy.FalsePass)
	require.Contains(t, a.Children, both.ID)
	m.edit(b.ID, func(n *tree.Node) { // as an earlier version counted it
		n.Children = slices.Sorted(slices.Values(append(n.Children, both.ID)))
	})
	m.edit(both.ID, func(n *tree.Node) { n.Status = tree.Retired })
	late := single(50)
	late.Metadata.UpdatedAt = late.Metadata.UpdatedAt.AddDate(0, 6, 0)
	m.plant(late)
	p := m.prune(PruneOptions{})
	require.Equal(t, map[string]ForgetReason{both.ID: Superseded}, reasons(p))
	require.Empty(t, m.nodes[both.ID].Parent)
	require.Len(t, m.nodes[a.ID].Children, len(a.Children)-1)
	require.Equal(t, b.Children, m.nodes[b.ID].Children)

	s := m.live(tree.Strategy)[0]
	for _, id := range m.nodes[b.ID].Children {
		m.edit(id, func(n *tree.Node) { n.Status = tree.Quarantined })
	}
	p = m.prune(PruneOptions{})
	require.Equal(t, Thin, reasons(p)[b.ID])
	require.Equal(t, []string{a.ID}, m.nodes[s.ID].Children)
	m.evolve(options(t), PlanOptions{})
	require.Empty(t, m.live(tree.Strategy))
	m.settled(options(t))
}

// A lesson that a person marked stays, unless all its cases are gone.
func TestPruneOfMarkedLessons(t *testing.T) {
	m := planted(t, append(sums(), dates()...))
	m.evolve(options(t), PlanOptions{})
	e := m.lesson("t_dates", taxonomy.FalsePass)
	m.edit(e.ID, func(n *tree.Node) { n.Mark = tree.Pinned })
	for _, id := range e.Children[1:] {
		m.edit(id, func(n *tree.Node) { n.Status = tree.Retired })
	}
	late := single(50)
	late.Metadata.UpdatedAt = late.Metadata.UpdatedAt.AddDate(0, 6, 0)
	m.plant(late)
	require.Len(t, m.prune(PruneOptions{}).Forgotten, 3)
	require.True(t, func() bool { n := m.nodes[e.ID]; return n.Live() }())
	m.edit(e.Children[0], func(n *tree.Node) { n.Status = tree.Retired })
	m.prune(PruneOptions{})
	require.Equal(t, tree.Retired, m.nodes[e.ID].Status)
	require.Empty(t, m.prune(PruneOptions{}).Changes)
}
