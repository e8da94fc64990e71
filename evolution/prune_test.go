package evolution

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// prune plans and applies once.
func (m *memory) prune(o PruneOptions) Pruned {
	m.tb.Helper()
	e, err := New(options(m.tb))
	require.NoError(m.tb, err)
	p, err := e.Prune(m.tb.Context(), m, o)
	require.NoError(m.tb, err)
	m.apply(p.Changes)
	return p
}

func reasons(p Pruned) map[string]Reason {
	out := map[string]Reason{}
	for _, f := range p.Forgotten {
		out[f.Node.ID] = f.Reason
	}
	return out
}

// aged sets when the mistake of a case was last made, in days before the newest.
func aged(n tree.Node, days int) tree.Node {
	n.Metadata.UpdatedAt = n.Metadata.UpdatedAt.Add(-time.Duration(days) * 24 * time.Hour)
	for i := range n.Occurrences {
		n.Occurrences[i].At = n.Metadata.UpdatedAt
	}
	return n
}

func single(i int) tree.Node {
	n := made(i, "edge_case_error", taxonomy.FalseFail, fmt.Sprintf("Check that list number %d is empty.", i), fmt.Sprintf("The agent took list %d for a broken one.", i), "An empty list is right.")
	n.Occurrences = n.Occurrences[:min(1, len(n.Occurrences))]
	n.Content.Confidence = 0.5
	return n
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
		want Reason
	}{
		{"seen once, long ago, little trusted", old(2, nil), Unused},
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
			p := m.prune(PruneOptions{})
			require.Equal(t, c.want, reasons(p)[c.node.ID])
			n := m.nodes[c.node.ID]
			if c.want == "" {
				require.Empty(t, p.Changes)
				return
			}
			require.Equal(t, tree.Archived, n.Status)
			require.Contains(t, n.ArchivedFor, string(c.want))
			require.NotNil(t, n.CaseData, "evidence is kept")
			require.Empty(t, m.prune(PruneOptions{}).Forgotten, "once")
		})
	}
	m := planted(t, []tree.Node{newest, old(2, nil)})
	require.Empty(t, m.prune(PruneOptions{Used: func(string) bool { return true }}).Forgotten)
	require.Empty(t, m.prune(PruneOptions{Keep: func(*tree.Node) bool { return true }}).Forgotten)
	require.Empty(t, m.prune(PruneOptions{Only: "form_validation_error"}).Forgotten)
	require.Len(t, m.prune(PruneOptions{Only: "edge_case_error"}).Forgotten, 1)
}

// Over budget, what covers the others stays: of each of a dozen causes something.
func TestPruneKeepsWhatCovers(t *testing.T) {
	things := []string{"invoice", "calendar", "password", "picture", "invitation", "coupon", "address", "menu", "search", "cursor", "video", "table"}
	var all []tree.Node
	for i, thing := range things {
		for j := range 10 {
			all = append(all, aged(made(100*i+j, "content_validation_error", taxonomy.FalsePass, fmt.Sprintf("Check the %s of page %d", thing, j),
				fmt.Sprintf("The agent misread the %s, and the %s was another one.", thing, thing), "Read it letter by letter."), 60))
		}
	}
	all = append(all, single(1))
	m := planted(t, all)
	p := m.prune(PruneOptions{Budget: Budget{Cases: 24}})
	require.Len(t, p.Forgotten, 96)
	left := map[string]int{}
	for _, n := range m.live(tree.Case) {
		for _, thing := range things {
			if n.CaseData.TestCase.Prompt[len("Check the "):][:len(thing)] == thing {
				left[thing]++
			}
		}
	}
	require.Len(t, left, len(things), "%v", left)
	require.Empty(t, m.prune(PruneOptions{Budget: Budget{Cases: 24}}).Forgotten)
	again := planted(t, all)
	require.Equal(t, p, again.prune(PruneOptions{Budget: Budget{Cases: 24}}))
}

// What a lesson cannot be without stays over budget, and so does what is new.
func TestPruneKeepsWhatALessonStandsOn(t *testing.T) {
	m := planted(t, shop())
	m.evolve(options(t), PlanOptions{})
	lessons := m.live(tree.Experience)
	require.NotEmpty(t, lessons)
	require.Empty(t, m.prune(PruneOptions{Budget: Budget{Cases: 1}}).Forgotten, "all of it is new")
	for id, n := range m.nodes {
		if n.Type == tree.Case {
			m.nodes[id] = aged(n, 60)
		}
	}
	n := single(1)
	m.nodes[n.ID] = n
	m.prune(PruneOptions{Budget: Budget{Cases: 1}})
	for _, e := range lessons {
		require.Equal(t, min(keptOfALesson, len(e.Children)), len(m.nodes[e.ID].Children))
		require.True(t, func() bool { n := m.nodes[e.ID]; return n.Live() }())
	}
	for _, plan := range m.evolve(options(t), PlanOptions{}) {
		for _, c := range plan.Changes {
			require.Equal(t, tree.OpCredit, c.Op, "what is left is enough for what was learned, though it counts for less")
		}
	}
}

func TestPruneTakesBackWhatRecurs(t *testing.T) {
	old := aged(single(2), 100)
	m := planted(t, []tree.Node{single(1), old})
	require.Len(t, m.prune(PruneOptions{}).Forgotten, 1)
	n := m.nodes[old.ID]
	n.Occurrences = append(n.Occurrences, tree.Occurrence{Evaluation: "again", At: single(1).Metadata.UpdatedAt})
	m.nodes[n.ID] = n
	require.Equal(t, []string{old.ID}, m.prune(PruneOptions{}).Revived)
	require.Equal(t, tree.Active, m.nodes[old.ID].Status)
	require.Empty(t, m.nodes[old.ID].ArchivedFor)
	require.Empty(t, m.prune(PruneOptions{}).Changes)
}
