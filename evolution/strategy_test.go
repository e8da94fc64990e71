package evolution

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

func kinds(n tree.Node) []string {
	var out []string
	for _, l := range n.Content.Lessons {
		out = append(out, l.Kind)
	}
	return out
}

// A strategy is counted: what was missed in most tests comes first, however many
// cases there are, and it is counted anew when that changes.
func TestStrategyIsCounted(t *testing.T) {
	nodes := append(sums(), dates()...)
	for i := range 4 { // more dates, of a test that is known
		nodes = append(nodes, as(date(60+i, "cheque"), func(n *tree.Node) {
			n.CaseData.TestCase.CaseID, n.CaseData.TestCase.Prompt = "T10", fmt.Sprint(n.CaseData.TestCase.Prompt, i)
		}))
	}
	m := planted(t, nodes)
	m.evolve(options(t), PlanOptions{})
	s := m.live(tree.Strategy)[0]
	require.Equal(t, []string{"t_sums", "t_dates"}, kinds(s))
	sums, dates := s.Content.Lessons[0], s.Content.Lessons[1]
	require.Equal(t, []int{5, 5, 4, 8}, []int{sums.Tests, sums.Times, dates.Tests, dates.Times})
	require.Len(t, dates.Cites, 8)
	require.Empty(t, sums.Mistake+sums.Instead)
	require.Less(t, strings.Index(s.Content.Guidance, "Add the lines"),
		strings.Index(s.Content.Guidance, "Read the month"))
	require.Equal(t, []string{"Total"}, sums.What, "and on what")
	for _, id := range s.Children {
		require.Equal(t, s.ID, m.nodes[id].Parent)
	}

	m.plant(date(70, "quote"))
	m.evolve(options(t), PlanOptions{})
	now := m.nodes[s.ID]
	require.Equal(t, []string{"t_dates", "t_sums"}, kinds(now),
		"five tests each: what was missed in more runs comes first")
	require.Equal(t, []int{5, 5}, []int{now.Content.Lessons[0].Tests, now.Content.Lessons[1].Tests})
	m.plant(date(71, "coupon"), date(72, "menu"))
	m.evolve(options(t), PlanOptions{})
	require.Equal(t, []string{"t_dates", "t_sums"}, kinds(m.nodes[s.ID]))
	m.nobodysWords(tax(t))
	m.settled(options(t))
}

// A strategy has the checks that were missed most, not all.
func TestStrategyHasFewLessons(t *testing.T) {
	var b strings.Builder
	b.WriteString("checks:\n")
	for i := range 7 {
		fmt.Fprintf(&b, "  - {id: t_x%d, errorTypes: [state_detection_error], name: {en: X}, missed: {title: {en: "+
			"The %s was not seen}, do: {en: Look at the %s first of all.}, when: {en: a task is about the %s}}}\n", i, word(i),
			word(i), word(i))
	}
	own := parsed(t, b.String())
	var nodes []tree.Node
	for i := range 7 {
		for j := range 3 + i {
			x := missed(fmt.Sprint("t_x", i), "Not looked at.")
			x.ErrorType = "state_detection_error"
			nodes = append(nodes, made(100*i+j, x))
		}
	}
	m := planted(t, nodes)
	m.evolve(with(own), PlanOptions{})
	require.Len(t, m.live(tree.Experience), 7)
	s := m.live(tree.Strategy)[0]
	require.Equal(t, []string{"t_x6", "t_x5", "t_x4", "t_x3"}, kinds(s))
	require.Len(t, s.Children, 7)
	m.settled(with(own))
}

// There is a strategy only if two experiences of one type and direction have at least
// five cases together.
func TestStrategyNeedsEnough(t *testing.T) {
	four := append(sums()[:3], as(sums()[0], func(n *tree.Node) { // a fourth case, and three of them stand behind both
		n.CaseData.TestCase.CaseID, n.CaseData.Misses = "T9", []tree.Miss{missed("t_dates", "The month is foreign.")}
	}))
	for i := range 2 {
		four[i] = as(four[i], func(n *tree.Node) {
			n.CaseData.Misses = append(n.CaseData.Misses, missed("t_dates", "The month is foreign."))
		})
	}
	for name, c := range map[string]struct {
		nodes []tree.Node
		want  int
	}{
		"one experience":     {sums(), 0},
		"four cases of both": {four, 0},
		"two directions":     {append(sums(), alarm(sum(40, "a")), alarm(sum(41, "b")), alarm(sum(42, "c"))), 0},
		"two experiences":    {append(sums()[:3], dates()[:3]...), 1},
	} {
		t.Run(name, func(t *testing.T) {
			m := planted(t, c.nodes)
			m.evolve(options(t), PlanOptions{})
			require.Len(t, m.live(tree.Strategy), c.want)
			m.settled(options(t))
		})
	}
}

// A person's pin preserves the text of a strategy, not its children.
func TestPinnedStrategyKeepsItsWords(t *testing.T) {
	m := planted(t, append(sums(), dates()...))
	m.evolve(options(t), PlanOptions{})
	s := m.live(tree.Strategy)[0]
	m.edit(s.ID, func(n *tree.Node) { n.Mark = tree.Pinned })
	for i := range 7 {
		m.plant(made(80+i, missed("t_links", "The link is dead.")))
	}
	m.evolve(options(t), PlanOptions{})
	now := m.nodes[s.ID]
	require.Equal(t, s.Content, now.Content)
	require.Len(t, now.Children, 3)
	require.Equal(t, s.ID, m.lesson("t_links", taxonomy.FalsePass).Parent)
	m.settled(options(t))
}
