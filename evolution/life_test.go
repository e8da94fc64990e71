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
	m.edit(id, func(n *tree.Node) { n.Status, n.ArchivedFor = tree.Archived, "wrong label" })
}

func TestNewCasesAttach(t *testing.T) {
	m := planted(t, shop())
	m.evolve(options(t), PlanOptions{})
	before := m.lesson("t_sums", taxonomy.FalsePass)
	n := sum(19, "coupon")
	m.plant(n)
	m.evolve(options(t), PlanOptions{})
	require.Len(t, m.live(tree.Experience), 2)
	after := m.nodes[before.ID]
	require.Equal(t, before.ID, m.nodes[n.ID].Parent)
	require.Len(t, after.Children, 6)
	require.Equal(t, before.Revision+1, after.Revision, "one change, and no rewriting for one case")
	require.NotContains(t, after.Provenance.Cites, n.ID)
	require.Equal(t, before.Content.Lessons, after.Content.Lessons)
	require.Equal(t, n.Metadata.UpdatedAt, after.Metadata.UpdatedAt, "its evidence is as new as that case")
	m.settled(options(t))
}

// A lesson is written again when it has at least two and 30 % more cases than it was
// written from.
func TestManyNewCasesRewrite(t *testing.T) {
	m := planted(t, sums())
	m.evolve(options(t), PlanOptions{})
	before := m.lesson("t_sums", taxonomy.FalsePass)
	m.plant(sum(30, "coupon"), sum(31, "quote"))
	m.evolve(options(t), PlanOptions{})
	after := m.nodes[before.ID]
	require.Len(t, after.Provenance.Cites, 7)
	require.Equal(t, 7, after.Content.Lessons[0].Tests)
	require.Equal(t, before.Content.Lessons[0].ID, after.Content.Lessons[0].ID)
	m.settled(options(t))
}

// A lesson keeps its language when most of its cases are in another: the rules write what their gate lets through.
func TestALessonKeepsItsLanguage(t *testing.T) {
	m := planted(t, sums())
	m.evolve(options(t), PlanOptions{})
	before := m.lesson("t_sums", taxonomy.FalsePass)
	for i := range 8 {
		n := as(sum(30+i, fmt.Sprint("coupon ", i)), func(n *tree.Node) { n.Lang = "zh" })
		m.plant(n)
	}
	for _, p := range m.evolve(options(t), PlanOptions{}) {
		require.Empty(t, p.Rejections)
	}
	after := m.nodes[before.ID]
	require.Equal(t, "en", after.Lang)
	require.Equal(t, 13, after.Content.Lessons[0].Tests)
	m.settled(options(t))
}

func TestGoneCasesRetireWhatStoodOnThem(t *testing.T) {
	m := planted(t, shop())
	m.evolve(options(t), PlanOptions{})
	e, s := m.lesson("t_dates", taxonomy.FalsePass), m.live(tree.Strategy)[0]
	m.archive(e.Children[0])
	m.archive(e.Children[1])
	m.evolve(options(t), PlanOptions{})
	require.Equal(t, tree.Probation, m.nodes[e.ID].Status, "two cases are enough to stay")
	require.Len(t, m.nodes[e.ID].Children, 2)
	require.Equal(t, tree.Probation, m.nodes[s.ID].Status)
	m.archive(e.Children[2])
	m.evolve(options(t), PlanOptions{})
	require.Equal(t, tree.Retired, m.nodes[e.ID].Status)
	require.Equal(t, tree.Retired, m.nodes[s.ID].Status)
	require.Empty(t, m.nodes[e.Children[3]].Parent)
	require.Empty(t, m.lesson("t_sums", taxonomy.FalsePass).Parent)
	require.Len(t, m.live(tree.Experience), 1)
	m.settled(options(t))
}

// A lesson that went because its cases were gone comes back with them, under the same
// id.
func TestRetiredMayReturn(t *testing.T) {
	m := planted(t, shop())
	m.evolve(options(t), PlanOptions{})
	e := m.lesson("t_dates", taxonomy.FalsePass)
	for _, id := range e.Children {
		m.archive(id)
	}
	m.evolve(options(t), PlanOptions{})
	require.Equal(t, tree.Retired, m.nodes[e.ID].Status)
	back := func() {
		for _, id := range e.Children {
			m.edit(id, func(n *tree.Node) { n.Status, n.ArchivedFor = tree.Active, "" })
		}
	}
	back()
	m.evolve(options(t), PlanOptions{})
	again := m.nodes[e.ID]
	require.True(t, again.Live())
	require.Equal(t, e.Children, again.Children)
	require.Len(t, m.live(tree.Strategy), 1)
	m.settled(options(t))

	for _, id := range e.Children {
		m.archive(id)
	}
	m.evolve(options(t), PlanOptions{})
	m.edit(e.ID, func(n *tree.Node) { n.Status, n.ArchivedFor = tree.Archived, "superseded: out of use for long" })
	back()
	m.evolve(options(t), PlanOptions{})
	again = m.nodes[e.ID]
	require.True(t, again.Live(), "nor does it matter that it was put away since")
}

// A lesson that a person banned, or that did harm, does not come back with the next
// case.
func TestUnwantedDoesNotReturn(t *testing.T) {
	for name, edit := range map[string]func(n *tree.Node){
		"banned": func(n *tree.Node) { n.Mark = tree.Banned },
		"quarantined": func(n *tree.Node) {
			n.Status, n.Credit = tree.Quarantined, &tree.Credit{Held: &tree.Held{Was: tree.Active, Why: "it harms"}}
		},
		"archived": func(n *tree.Node) { n.Status, n.ArchivedFor = tree.Archived, "it is wrong" },
	} {
		t.Run(name, func(t *testing.T) {
			m := planted(t, shop())
			m.evolve(options(t), PlanOptions{})
			e := m.lesson("t_sums", taxonomy.FalsePass)
			m.edit(e.ID, edit)
			m.evolve(options(t), PlanOptions{})
			require.Empty(t, m.lesson("t_sums", taxonomy.FalsePass).ID)
			require.Empty(t, m.live(tree.Strategy), "one experience is left")
			if name != "archived" { // that may have been for lack of room
				m.plant(sum(30, "coupon"))
				m.evolve(options(t), PlanOptions{})
				require.Empty(t, m.lesson("t_sums", taxonomy.FalsePass).ID)
			}
			m.settled(options(t))
		})
	}
}

func TestRepeatsAreNoDistinctCases(t *testing.T) {
	nodes := sums()
	for i := range nodes {
		nodes[i] = as(nodes[i], func(n *tree.Node) { n.CaseData.TestCase.CaseID = "the same test" })
	}
	g, ok := group(planted(t, nodes).evolve(options(t), PlanOptions{}), "t_sums")
	require.True(t, ok)
	require.Equal(t, []lack{{"tests", 1, 2}}, g.Missing)
}

// The time window may be any stretch of its length. So a history of months that is
// imported at once is learned from, but mistakes that lie far apart are not one group.
func TestTimeWindow(t *testing.T) {
	spread := func(days ...int) []tree.Node {
		var out []tree.Node
		for i, n := range sums()[:len(days)] {
			n.Metadata.UpdatedAt = time.Date(2026, 1, 1+days[i], 0, 0, 0, 0, time.UTC)
			n.Metadata.CreatedAt, n.Occurrences[0].At = n.Metadata.UpdatedAt, n.Metadata.UpdatedAt
			out = append(out, n)
		}
		return out
	}
	late := single(90)
	late.Metadata.UpdatedAt = time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	m := planted(t, append(spread(0, 10, 29), late))
	m.evolve(options(t), PlanOptions{})
	require.NotEmpty(t, m.lesson("t_sums", taxonomy.FalsePass).ID, "nine months ago, but together")

	g, ok := group(planted(t, spread(0, 31, 62, 93, 124)).evolve(options(t), PlanOptions{}), "t_sums")
	require.True(t, ok)
	require.Equal(t, []lack{{"recent", 1, 3}}, g.Missing)

	wide := parsed(t, shopChecks+"evolution:\n  - timeWindow: 90\n")
	m = planted(t, spread(0, 31, 62, 93, 124))
	m.evolve(with(wide), PlanOptions{})
	require.NotEmpty(t, m.lesson("t_sums", taxonomy.FalsePass).ID)
}

func TestRulesByType(t *testing.T) {
	own := parsed(t, shopChecks+"evolution:\n  - errorType: content_validation_error\n    caseThreshold: 5\n"+
		"  - minConfidence: 0.95\n")
	plans := planted(t, shop()).evolve(with(own), PlanOptions{Only: "content_validation_error"})
	require.Len(t, plans, 1)
	require.Equal(t, rule{5, 2, 0.95, defaultWindow}, plans[0].Rule)
	require.Empty(t, plans[0].Changes)
	g, _ := group(plans, "t_sums")
	require.Equal(t, []string{"confidence"}, lacks(g))
	g, _ = group(plans, "t_dates")
	require.Equal(t, []string{"cases", "confidence"}, lacks(g))
}

// In fifty rounds on a growing stream, no lesson is lost again, and none comes and goes.
func TestHysteresis(t *testing.T) {
	o := with(parsed(t, causeChecks(8)))
	stream := many(300, 12)
	m := newMemory(t)
	retired, revised, covered := 0, map[string]int{}, 0
	for round := range 50 {
		m.plant(stream[round*6 : round*6+6]...)
		for _, p := range m.evolve(o, PlanOptions{}) {
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
	require.Greater(t, covered, 230)
	fmt.Fprintln(t.Output(), "covered", covered, "of 300; experiences", len(m.live(tree.Experience)), "retired", retired)
}

// Two later cases of other tests end the probation. The confidence of a lesson without new cases falls with time.
func TestLaterCasesValidate(t *testing.T) {
	m := planted(t, shop())
	m.evolve(options(t), PlanOptions{})
	latest := func() tree.Node { return m.lesson("t_sums", taxonomy.FalsePass) }
	first := latest()
	require.Equal(t, tree.Probation, first.Status)
	for i, thing := range []string{"coupon", "quote"} {
		m.plant(sum(30+i, thing))
		m.evolve(options(t), PlanOptions{})
	}
	later := latest()
	require.Equal(t, tree.Active, later.Status)
	require.Greater(t, later.Content.Confidence, first.Content.Confidence)
	n := single(50)
	n.Metadata.UpdatedAt = n.Metadata.UpdatedAt.AddDate(1, 0, 0)
	n.Occurrences[0].At = n.Metadata.UpdatedAt
	m.plant(n)
	m.evolve(options(t), PlanOptions{})
	require.Less(t, latest().Content.Confidence, later.Content.Confidence)
	m.settled(options(t))
}

// A case that was there when a lesson was written confirms nothing, even if it joined
// the lesson later.
func TestLaterIsAfterwards(t *testing.T) {
	cases := pointers(sums())
	e := tree.Node{Provenance: tree.Provenance{Cites: []string{cases[0].ID, cases[1].ID, cases[2].ID}}}
	for i, n := range cases {
		n.Metadata.CreatedAt = time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC)
	}
	require.Equal(t, 2, laterTests(&e, cases))
	cases[4].Metadata.CreatedAt = cases[2].Metadata.CreatedAt
	require.Equal(t, 1, laterTests(&e, cases))
	cases[3].CaseData.TestCase.CaseID = cases[0].CaseData.TestCase.CaseID
	require.Zero(t, laterTests(&e, cases), "of a test it was written from")
}

// A case from the future and times in another zone change nothing for the others.
func TestClocksThatAreWrong(t *testing.T) {
	m := planted(t, shop())
	far := single(60)
	far.Metadata.UpdatedAt = far.Metadata.UpdatedAt.AddDate(70, 0, 0)
	far.Occurrences[0].At = far.Metadata.UpdatedAt
	m.plant(far)
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
