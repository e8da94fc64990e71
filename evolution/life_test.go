package evolution

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// archive takes a case out of use as a person would.
func (m *memory) archive(id string) {
	n := m.nodes[id]
	n.Status, n.ArchivedFor = tree.Archived, "wrong label"
	n.Revision++
	m.nodes[id] = n
}

func TestNewCasesAttach(t *testing.T) {
	m := planted(t, shop())
	m.evolve(options(t), PlanOptions{})
	before := m.live(tree.Experience)
	n := made(30, "content_validation_error", taxonomy.FalsePass, "Check that the coupon total on the order page equals the sum of its lines.",
		"The agent did not add the lines of the coupon up and took the rounded total for the exact sum.", "Add the lines up to the cent and compare the sum with the total.")
	m.nodes[n.ID] = n
	m.evolve(options(t), PlanOptions{})
	require.Len(t, m.live(tree.Experience), len(before))
	parent := m.nodes[m.nodes[n.ID].Parent]
	require.Len(t, parent.Children, 6)
	require.Equal(t, 1, parent.Revision-revisionOf(before, parent.ID), "one change, and no rewriting for one case")
	require.NotContains(t, parent.Provenance.Cites, n.ID)
}

func revisionOf(nodes []tree.Node, id string) int {
	for _, n := range nodes {
		if n.ID == id {
			return n.Revision
		}
	}
	return 0
}

func TestGoneCasesRetireWhatStoodOnThem(t *testing.T) {
	m := planted(t, shop())
	m.evolve(options(t), PlanOptions{})
	e := m.live(tree.Experience)[0]
	s := m.live(tree.Strategy)[0]
	for _, id := range e.Children[1:] {
		m.archive(id)
	}
	m.evolve(options(t), PlanOptions{})
	require.Equal(t, tree.Retired, m.nodes[e.ID].Status)
	require.Equal(t, tree.Retired, m.nodes[s.ID].Status)
	require.Empty(t, m.nodes[e.Children[0]].Parent)
	require.Len(t, m.live(tree.Experience), 1)
	for _, p := range m.evolve(options(t), PlanOptions{}) {
		require.Empty(t, p.Changes)
	}
}

func TestRepeatsAreNoDistinctCases(t *testing.T) {
	nodes := sums()
	for i := range nodes {
		nodes[i].CaseData.TestCase.CaseID = "the same test"
		nodes[i].ID = tree.CaseID(&nodes[i])
	}
	m := planted(t, nodes)
	p := m.evolve(options(t), PlanOptions{})[0]
	require.Empty(t, p.Changes)
	require.Equal(t, []Lack{{"tests", 1, 2}}, p.Groups[0].Missing)
}

func TestTimeWindow(t *testing.T) {
	nodes := sums()
	late := made(90, "edge_case_error", taxonomy.FalseFail, "Open the page.", "Something else.", "Look.")
	late.Metadata.UpdatedAt = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	m := planted(t, append(nodes, late))
	p := m.evolve(options(t), PlanOptions{Only: "content_validation_error"})[0]
	require.Empty(t, p.Changes, "the newest evaluation is the clock")
	require.Equal(t, []Lack{{"recent", 0, 3}}, p.Groups[0].Missing)

	p = m.evolve(options(t), PlanOptions{Only: "content_validation_error", Now: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)})[0]
	require.NotEmpty(t, p.Changes, "a case from the future does not make the others old")
}

func TestRulesByType(t *testing.T) {
	tax, err := taxonomy.Parse("memtree.yaml", []byte("evolution:\n  - errorType: content_validation_error\n    caseThreshold: 5\n  - minConfidence: 0.95\n"))
	require.NoError(t, err)
	o := options(t)
	o.Taxonomy = tax
	p := planted(t, shop()).evolve(o, PlanOptions{})[0]
	require.Equal(t, Rule{5, 2, 0.95, defaultWindow}, p.Rule)
	require.Empty(t, p.Changes)
	require.Equal(t, "confidence", p.Groups[0].Missing[0].What)
}

func TestOtherErrorsAreNotAbstracted(t *testing.T) {
	nodes := sums()
	for i := range nodes {
		nodes[i].ErrorType = taxonomy.OtherError
	}
	p := planted(t, nodes).evolve(options(t), PlanOptions{})[0]
	require.Empty(t, p.Changes)
	require.Equal(t, "type", p.Groups[0].Missing[0].What)
}

// Cases the rules typed take the type of most cases of their cause; what a model
// or a person typed keeps its type.
func TestRetype(t *testing.T) {
	nodes := sums()
	nodes[0].ErrorType, nodes[0].Provenance.Analyst = taxonomy.OtherError, "rules"
	nodes[0].Content.Title = "Defect missed: x"
	nodes[1].ErrorType = "edge_case_error"
	m := planted(t, nodes)
	m.evolve(options(t), PlanOptions{})
	require.Equal(t, "content_validation_error", m.nodes[nodes[0].ID].ErrorType)
	require.Equal(t, "edge_case_error", m.nodes[nodes[1].ID].ErrorType)
	require.Len(t, m.live(tree.Experience)[0].Children, 4)
	for _, p := range m.evolve(options(t), PlanOptions{}) {
		require.Empty(t, p.Changes)
	}
}

// The same cases make the same tree in whatever order they came.
func TestOrderDoesNotMatter(t *testing.T) {
	a, b := planted(t, shop()), newMemory(t)
	nodes := shop()
	for i := range nodes {
		b.nodes[nodes[len(nodes)-1-i].ID] = nodes[len(nodes)-1-i]
	}
	a.evolve(options(t), PlanOptions{})
	b.evolve(options(t), PlanOptions{})
	require.Equal(t, a.text(), b.text())
}

// Fifty rounds on a growing stream: nothing that was learned is lost again, and
// nothing flickers.
func TestHysteresis(t *testing.T) {
	stream := many(300, 10)
	m := newMemory(t)
	retired, revised, covered := 0, map[string]int{}, 0
	for round := range 50 {
		for _, n := range stream[round*6 : round*6+6] {
			m.nodes[n.ID] = n
		}
		for _, p := range m.evolve(options(t), PlanOptions{}) {
			for _, c := range p.Changes {
				if c.Node.Type == tree.Experience && c.Op == tree.OpRevise {
					revised[c.Node.ID]++
				}
				if c.Node.Status == tree.Retired {
					retired++
					t.Log(round, c.Why)
				}
			}
		}
		now := 0
		for _, n := range m.live(tree.Case) {
			if n.Parent != "" {
				now++
			}
		}
		require.GreaterOrEqual(t, now, covered, "round %d", round)
		covered = now
	}
	require.LessOrEqual(t, retired, 3, "nothing flickers")
	for id, n := range revised {
		require.LessOrEqual(t, n, 15, id)
	}
	require.Greater(t, covered, 240)
	fmt.Fprintln(t.Output(), "covered", covered, "of 300; experiences", len(m.live(tree.Experience)), "retired", retired)
}

// Two later cases of other tests end the probation; what nobody sees again is
// trusted less with time.
func TestLaterCasesValidate(t *testing.T) {
	m := planted(t, shop())
	m.evolve(options(t), PlanOptions{})
	lesson := func() tree.Node {
		for _, n := range m.live(tree.Experience) {
			for _, c := range n.Children {
				if x := m.nodes[c]; x.CaseData.TestCase.CaseID == "T0" {
					return n
				}
			}
		}
		t.Fatal("no lesson about sums")
		return tree.Node{}
	}
	first := lesson()
	require.Equal(t, tree.Probation, first.Status)
	for i, thing := range []string{"coupon", "quote"} {
		n := made(30+i, "content_validation_error", taxonomy.FalsePass, "Check that the "+thing+" total on the order page equals the sum of its lines.",
			"The agent did not add the lines of the "+thing+" up and took the rounded total for the exact sum.", "Add the lines up to the cent and compare the sum with the total.")
		m.nodes[n.ID] = n
		m.evolve(options(t), PlanOptions{})
	}
	later := lesson()
	require.Equal(t, tree.Active, later.Status)
	require.Greater(t, later.Content.Confidence, first.Content.Confidence)
	n := single(50)
	n.Metadata.UpdatedAt = n.Metadata.UpdatedAt.AddDate(1, 0, 0)
	n.Occurrences[0].At = n.Metadata.UpdatedAt
	m.nodes[n.ID] = n
	m.evolve(options(t), PlanOptions{})
	require.Less(t, lesson().Content.Confidence, later.Content.Confidence)
	for _, p := range m.evolve(options(t), PlanOptions{}) {
		require.Empty(t, p.Changes)
	}
}

// What was there when a lesson was written shows nothing, though it was given to
// it later.
func TestLaterIsAfterwards(t *testing.T) {
	cases := pointers(shop()[:5])
	e := tree.Node{Provenance: tree.Provenance{Cites: []string{cases[0].ID, cases[1].ID, cases[2].ID}}}
	for i, n := range cases {
		n.Metadata.CreatedAt = time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC)
	}
	require.Equal(t, 2, later(&e, cases))
	cases[4].Metadata.CreatedAt = cases[2].Metadata.CreatedAt
	require.Equal(t, 1, later(&e, cases))
	cases[3].CaseData.TestCase.CaseID = cases[0].CaseData.TestCase.CaseID
	require.Zero(t, later(&e, cases), "of a test it was written from")
}

// A case from the future and times in another zone change nothing for the others.
func TestClocksThatAreWrong(t *testing.T) {
	m := planted(t, shop())
	far := single(60)
	far.Metadata.UpdatedAt = far.Metadata.UpdatedAt.AddDate(70, 0, 0)
	far.Occurrences[0].At = far.Metadata.UpdatedAt
	m.nodes[far.ID] = far
	now := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	m.evolve(options(t), PlanOptions{Now: now})
	require.Len(t, m.live(tree.Experience), 2)

	zone := planted(t, shop())
	for id, n := range zone.nodes {
		n.Metadata.UpdatedAt = n.Metadata.UpdatedAt.In(time.FixedZone("", 8*3600))
		zone.nodes[id] = n
	}
	zone.evolve(options(t), PlanOptions{Now: now})
	for _, n := range zone.live(tree.Experience) {
		require.Equal(t, m.nodes[n.ID].Content, n.Content)
	}
}
