package evolution

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

const netPrice = `
checks:
  - id: net_price
    name: Net and gross price
    errorTypes: [content_validation_error]
    missed: {title: Net price, do: "Recompute the gross price from the net price and the tax rate.",
      mistake: the tax was left out, when: a task asks for a price with tax}
    asked: [{weight: 3, say: [gross price]}]
    said: [{weight: 3, say: [net price, forgot the tax]}]
`

// runs are three wrong runs whose notes no built-in check describes.
func netRuns() []tree.Evaluation {
	wrong := false
	var out []tree.Evaluation
	for i, thing := range things[:3] {
		out = append(out, tree.Evaluation{
			RunID: "r", CaseID: fmt.Sprint("N", i), Prompt: "Look at the gross price of the " + thing + ".",
			Judgment: tree.Raw(`"pass"`), GroundTruth: tree.Raw(`"fail"`), Correct: &wrong, Direction: taxonomy.FalsePass,
			Reason: "Somebody forgot the tax of the " + thing + " here.",
		})
	}
	return out
}

// A check that a team adds reaches the cases that are there, and with it comes a lesson.
func TestTeamCheckReachesCases(t *testing.T) {
	m := newMemory(t)
	m.form(taxonomy.Default(), netRuns())
	m.evolve(builtIn(t), PlanOptions{})
	require.Empty(t, m.lesson("net_price", taxonomy.FalsePass).ID)

	tax, err := taxonomy.Parse("memtree.yaml", []byte(netPrice))
	require.NoError(t, err)
	o := with(tax)
	o.Lift = former(t, tax).Lift
	o.Cache = kept{m}
	for _, err := range evolver(t, o).Plan(t.Context(), m, PlanOptions{}) {
		require.NoError(t, err) // a plan that is not applied loses nothing
	}
	p := total(m.evolve(o, PlanOptions{}))
	require.True(t, slices.ContainsFunc(p.Changes, func(c tree.Change) bool {
		return strings.Contains(c.Why, "read again for the check net_price")
	}))
	require.Len(t, m.lesson("net_price", taxonomy.FalsePass).Children, 3)
	m.settled(o)
	key, err := teamKey(tax.TeamChecks())
	require.NoError(t, err)
	require.Contains(t, m.kept, key, "they are not read again")
	require.Empty(t, taxonomy.Default().TeamChecks())
}

// What a model read, or a person spoke of, the rules do not read again.
func TestTeamCheckLeavesOthers(t *testing.T) {
	m := newMemory(t)
	m.form(taxonomy.Default(), netRuns())
	for i, n := range m.live(tree.Case) {
		m.edit(n.ID, func(n *tree.Node) {
			if n.Provenance.Analyst = "model"; i == 0 {
				n.Provenance.Analyst, n.Decision = "rules", &tree.Decision{Kind: tree.DecisionPin}
			}
		})
	}
	tax, err := taxonomy.Parse("memtree.yaml", []byte(netPrice))
	require.NoError(t, err)
	o := with(tax)
	o.Lift = former(t, tax).Lift
	m.evolve(o, PlanOptions{})
	for _, n := range m.live(tree.Case) {
		require.False(t, n.Has("net_price"))
	}
}

// A cause that no check described goes to a check that the team has added since.
func TestCauseGoesToTeamCheck(t *testing.T) {
	m := planted(t, units())
	o := with(taxonomy.Default())
	o.Generator = model(found())
	m.evolve(o, PlanOptions{})
	tax, err := taxonomy.Parse("memtree.yaml", []byte(netPrice))
	require.NoError(t, err)
	o = with(tax)
	group := newCause(1, 2, 3)
	group.Check, group.Cause = 1, ""
	script := model(found(group), aboutUnits())
	o.Generator = script
	m.evolve(o, PlanOptions{MaxCalls: new(1)})
	require.Contains(t, script.Requests()[0].Prompt, "k1 Net and gross price")
	for _, n := range m.live(tree.Case) {
		require.True(t, n.Has("net_price"))
	}
}

// A team takes a check of the tree's own into its catalogue under its id: the cases keep it, and its lesson moves to
// the error type that the team sets.
func TestTeamTakesOwnCheck(t *testing.T) {
	m := planted(t, append(notes(), units()...))
	o := with(taxonomy.Default())
	o.Generator = model(found(newCause(1, 2, 3)), aboutUnits())
	m.evolve(o, PlanOptions{})
	check := m.nodes[units()[0].ID].CaseData.Misses[0].Check
	require.Regexp(t, ownUnits, check)

	tax, err := taxonomy.Parse("memtree.yaml", []byte(`
checks:
  - id: `+check+`
    name: Units and scales
    errorTypes: [state_detection_error]
    missed: {title: Unit not read, do: "Read the unit beside the number and convert it before you compare.",
      mistake: the unit was not read, when: a task gives a number with a unit}
`))
	require.NoError(t, err)
	o = with(tax)
	o.Lift = former(t, tax).Lift
	m.evolve(o, PlanOptions{})
	n := m.lesson(check, taxonomy.FalsePass)
	require.Equal(t, "state_detection_error", n.ErrorType)
	require.Len(t, n.Children, 3)
	require.Contains(t, n.Content.Guidance, "Read the unit beside the number")
	require.Len(t, m.live(tree.Experience), 1)
	m.settled(o)
}
