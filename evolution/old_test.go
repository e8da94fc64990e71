package evolution

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// What was stored before there were misses and checks.

// older makes a case as it was stored before cases had misses: all that is known
// is what its evaluator wrote.
func older(n tree.Node) tree.Node {
	return as(n, func(n *tree.Node) {
		d := n.CaseData
		d.EvaluatorReason, d.Misses = d.Misses[0].How, nil
		d.ActualError, d.ErrorReason, d.AvoidanceHint = d.EvaluatorReason, d.EvaluatorReason, "Look again."
		n.Content.Description, n.Content.Guidance = d.EvaluatorReason, "Look again."
	})
}

// unread returns nine such cases, about sums and about dates.
func unread() []tree.Node {
	var out []tree.Node
	for i, x := range things[:5] {
		out = append(out, older(made(i, missed("t_sums", "Brillig "+x+" zorped flumped."))))
	}
	for i, x := range things[4:] {
		out = append(out, older(made(10+i, missed("t_dates", "Slithy "+x+" glimmed grobbed."))))
	}
	return out
}

func lifting(tb testing.TB) Options {
	tb.Helper()
	o := options(tb)
	o.Lift = former(tb, o.Taxonomy).Lift
	return o
}

// lessonOfOld is an experience as the rules wrote it before there were checks.
func lessonOfOld(cases []*tree.Node, errorType string) tree.Node {
	n := tree.Node{
		Type: tree.Experience, Level: 2, ErrorType: errorType, Direction: cases[0].Direction, Lang: "en", Status: tree.Active,
		Revision:    1,
		Occurrences: []tree.Occurrence{}, Children: idsOf(cases), Metadata: cases[0].Metadata,
		Provenance: tree.Provenance{By: "evolution", Analyst: "rules", Template: "rules@7", Cites: idsOf(cases)},
		Content: tree.Content{Title: "Content validation error: lines, rounded", Confidence: 0.6, Lessons: []tree.Lesson{{
			Check: "Above all look at what concerns “lines” and “rounded”.", Cites: idsOf(cases),
		}}},
	}
	n.Content.Lessons[0].ID = tree.LessonID(n.Content.Lessons[0])
	n.ID = tree.GroupID(tree.Experience, errorType, n.Direction, n.Children)
	for _, c := range cases {
		c.Parent = n.ID
	}
	return n
}

func TestLift(t *testing.T) {
	nodes := unread()
	m := planted(t, nodes)
	o := options(t)
	m.evolve(o, PlanOptions{})
	require.Empty(t, m.live(tree.Experience), "nobody reads them")
	m.evolve(lifting(t), PlanOptions{})
	require.Len(t, m.lesson("t_sums", taxonomy.FalsePass).Children, 5)
	require.Len(t, m.lesson("t_dates", taxonomy.FalsePass).Children, 4)
	for _, n := range nodes {
		was, now := n.CaseData, m.nodes[n.ID].CaseData
		require.NotEmpty(t, now.Misses)
		require.Equal(t, was.EvaluatorReason, now.EvaluatorReason)
		require.Equal(t, 2, m.nodes[n.ID].Revision, "read and adopted in one change")
	}
	m.nobodysWords(tax(t))
	m.settled(lifting(t))
}

// Reading the misses of old cases may change their error type while several partitions
// are planned. The laws of the tree hold after each plan.
func TestLiftAcrossTypes(t *testing.T) {
	for _, only := range []string{"", "content_validation_error", "element_locating_error"} {
		t.Run(only, func(t *testing.T) {
			types := []string{"async_timing_error", "content_validation_error", "state_detection_error",
				"element_locating_error", taxonomy.OtherError}
			nodes := unread()
			for i := range nodes {
				nodes[i].ErrorType = types[i%len(types)]
			}
			wrong := pointers(nodes)[:0]
			for i := range nodes {
				if nodes[i].ErrorType == "async_timing_error" {
					wrong = append(wrong, &nodes[i])
				}
			}
			byID(wrong)
			old := lessonOfOld(wrong, "async_timing_error")
			m := planted(t, append(nodes, old))
			m.evolve(lifting(t), PlanOptions{Only: only})
			m.evolve(lifting(t), PlanOptions{})
			a, b := m.lesson("t_sums", taxonomy.FalsePass), m.lesson("t_dates", taxonomy.FalsePass)
			require.Len(t, a.Children, 5)
			require.Len(t, b.Children, 4)
			require.Equal(t, tree.Retired, m.nodes[old.ID].Status)
			for _, n := range nodes {
				require.Contains(t, []string{a.ID, b.ID}, m.nodes[n.ID].Parent)
			}
			m.settled(lifting(t))
		})
	}
}

// A lesson without a check is replaced by that of the check its cases missed, whether it rests on the very same cases,
// and so has the same id, or on others.
func TestOldLessonsAreSuperseded(t *testing.T) {
	for name, count := range map[string]int{"the same cases": 5, "fewer cases": 3} {
		t.Run(name, func(t *testing.T) {
			nodes := sums()
			old := lessonOfOld(pointers(nodes)[:count], "content_validation_error")
			m := planted(t, append(nodes, old))
			m.evolve(options(t), PlanOptions{})
			require.Len(t, m.live(tree.Experience), 1)
			e := m.lesson("t_sums", taxonomy.FalsePass)
			require.Len(t, e.Children, 5)
			if e.ID != old.ID {
				require.Equal(t, tree.Retired, m.nodes[old.ID].Status)
				require.Equal(t, e.ID, m.nodes[old.ID].SupersededBy)
			}
			m.nobodysWords(tax(t))
			m.settled(options(t))
		})
	}
}

// A lesson by an older version of the rules is removed even if there is nothing to replace it. The text of a person or
// a model stays.
func TestOldLessonsOfUntypedCases(t *testing.T) {
	for _, c := range []struct {
		name  string
		edit  func(n *tree.Node)
		stays bool
	}{
		{"rules", func(*tree.Node) {}, false},
		{"rules, pinned", func(n *tree.Node) { n.Mark = tree.Pinned }, true},
		{"model", func(n *tree.Node) { n.Provenance.Analyst, n.Provenance.Template = "model", "evolve@1" }, true},
		{"person", func(n *tree.Node) {
			n.Provenance.By, n.Provenance.Analyst, n.Content.Lessons, n.Content.Guidance = "person", "", nil,
				"Hold it beside the design."
		}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			nodes := []tree.Node{upside(0, ""), upside(1, ""), upside(2, "")}
			old := lessonOfOld(pointers(nodes), "content_validation_error")
			c.edit(&old)
			m := planted(t, append(notes(), append(nodes, old)...))
			m.evolve(options(t), PlanOptions{})
			n := m.nodes[old.ID]
			require.Equal(t, c.stays, n.Live())
			require.Equal(t, c.stays, m.nodes[nodes[0].ID].Parent == old.ID)
			m.settled(options(t))
		})
	}
}

// What a person pinned stays beside what was learned since.
func TestPinnedStays(t *testing.T) {
	nodes := shop()
	old := lessonOfOld(pointers(nodes)[:3], "content_validation_error")
	old.Mark = tree.Pinned
	m := planted(t, append(nodes, old))
	m.evolve(options(t), PlanOptions{})
	pinned := m.nodes[old.ID]
	require.True(t, pinned.Live())
	require.Equal(t, old.Content, pinned.Content)
	require.Len(t, m.live(tree.Experience), 3)
	require.NotContains(t, m.live(tree.Strategy)[0].Children, old.ID)
	m.settled(options(t))
	for _, id := range old.Children[1:] {
		m.archive(id)
	}
	m.evolve(options(t), PlanOptions{})
	one := m.nodes[old.ID]
	require.True(t, one.Live(), "one case is left")
	m.archive(old.Children[0])
	m.evolve(options(t), PlanOptions{})
	require.Equal(t, tree.Retired, m.nodes[old.ID].Status, "nothing is left of it")
	m.settled(options(t))
}

// Two trees that were merged have a lesson and a strategy each; one stays.
func TestMergedTrees(t *testing.T) {
	a, b := planted(t, append(sums()[:3], dates()...)), planted(t, append(sums()[2:], dates()[1:]...))
	for _, m := range []*memory{a, b} {
		m.evolve(options(t), PlanOptions{})
		require.Len(t, m.live(tree.Strategy), 1)
	}
	for id, n := range b.nodes {
		if old, known := a.nodes[id]; !known || n.Type != tree.Case {
			a.nodes[id] = n
		} else if old.Parent == "" {
			a.nodes[id] = n
		}
	}
	a.evolve(options(t), PlanOptions{})
	require.Len(t, a.live(tree.Experience), 2)
	require.Len(t, a.live(tree.Strategy), 1)
	require.Len(t, a.lesson("t_sums", taxonomy.FalsePass).Children, 5)
	a.settled(options(t))
}
