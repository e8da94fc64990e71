package evolution

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// A case with two misses is counted under its weightiest alone. Where too few cases missed that for a lesson, it
// is counted under the next that has enough without it, until there are enough.
func TestTwoMisses(t *testing.T) {
	sum, date := missed("t_sums", "Nobody added it up."), missed("t_dates", "The month is foreign.")
	both, turned := made(30, sum, date), made(31, date, sum)
	link := made(32, missed("t_links", "The link is dead."), sum) // nothing is known of its first miss yet
	m := planted(t, append(shop(), both, turned, link))
	m.evolve(options(t), PlanOptions{})
	a, b := m.lesson("t_sums", taxonomy.FalsePass), m.lesson("t_dates", taxonomy.FalsePass)
	require.Len(t, a.Children, 7)
	require.Len(t, b.Children, 5)
	require.Subset(t, a.Children, []string{both.ID, link.ID})
	require.Contains(t, b.Children, turned.ID)
	for _, id := range a.Children {
		require.NotContains(t, b.Children, id)
	}
	require.Equal(t, a.ID, m.nodes[link.ID].Parent)
	m.settled(options(t))

	m.plant(made(33, missed("t_links", "A link is dead.")), made(34, missed("t_links", "One link is dead.")))
	m.evolve(options(t), PlanOptions{})
	require.Equal(t, m.lesson("t_links", taxonomy.FalsePass).ID, m.nodes[link.ID].Parent)
	require.NotContains(t, m.nodes[a.ID].Children, link.ID)
	m.settled(options(t))
}

// A lesson that lacks a case takes one of those that missed its check less weightily, where the lesson of their
// weightiest miss has enough without it. It takes no more than it lacks, and gives it back once it has its own.
func TestSecondMissCompletes(t *testing.T) {
	waits := missed("t_waits", "The spinner was turning.")
	sumAnd := func(i int) tree.Node { return made(30+i, missed("t_sums", "Nobody added it up."), waits) }
	own := []tree.Node{made(40, waits), made(41, waits)}
	short := planted(t, append([]tree.Node{sumAnd(0), sumAnd(1), sumAnd(2)}, own...))
	short.evolve(options(t), PlanOptions{})
	require.Len(t, short.lesson("t_sums", taxonomy.FalsePass).Children, 3, "it can spare none")
	require.Empty(t, short.lesson("t_waits", taxonomy.FalsePass).ID)

	m := planted(t, append([]tree.Node{sumAnd(0), sumAnd(1), sumAnd(2), sumAnd(3), sumAnd(4)}, own...))
	m.evolve(options(t), PlanOptions{})
	require.Len(t, m.lesson("t_sums", taxonomy.FalsePass).Children, 4)
	require.Len(t, m.lesson("t_waits", taxonomy.FalsePass).Children, 3)
	m.settled(options(t))
	m.plant(made(42, waits))
	m.evolve(options(t), PlanOptions{})
	require.Len(t, m.lesson("t_sums", taxonomy.FalsePass).Children, 5)
	require.Len(t, m.lesson("t_waits", taxonomy.FalsePass).Children, 3)
	m.settled(options(t))
}

// Second misses make no lesson: a lesson of cases that are evidence of other causes would be about none.
func TestSecondMissesMakeNoLesson(t *testing.T) {
	waits := missed("t_waits", "The spinner was turning.")
	var cases []tree.Node
	for i := range 4 {
		cases = append(cases, made(30+i, missed("t_sums", "Nobody added it up."), waits))
	}
	m := planted(t, append(cases, made(40, waits)))
	plans := m.evolve(options(t), PlanOptions{})
	require.Len(t, m.live(tree.Experience), 1)
	g, open := group(plans, "t_waits")
	require.True(t, open)
	require.Len(t, g.Cases, 1)
	m.settled(options(t))
}

// The misses of a case may be of different error types, which are planned one after the other; after each plan
// the tree keeps its laws, also where a case moves from the lesson of one type to that of another.
func TestTwoMissesOfTwoTypes(t *testing.T) {
	waits, sum := missed("t_waits", "The spinner was turning."), missed("t_sums", "Nobody added it up.")
	var cases []tree.Node
	for i := range 3 {
		cases = append(cases, made(30+i, waits, sum), made(40+i, sum, waits))
	}
	for _, only := range []string{"", "async_timing_error", "content_validation_error"} {
		m := planted(t, cases)
		if only != "" {
			m.evolve(options(t), PlanOptions{Only: only})
			require.Len(t, m.live(tree.Experience), 1)
		}
		m.evolve(options(t), PlanOptions{})
		a, b := m.lesson("t_waits", taxonomy.FalsePass), m.lesson("t_sums", taxonomy.FalsePass)
		require.Equal(t, "async_timing_error", a.ErrorType)
		require.Equal(t, "content_validation_error", b.ErrorType)
		for i, n := range cases {
			up := []tree.Node{a, b}[i%2]
			require.Equal(t, up.ID, m.nodes[n.ID].Parent)
			require.Contains(t, up.Children, n.ID)
		}
		require.Len(t, append(a.Children, b.Children...), 6)
		m.settled(options(t))
		for _, n := range cases { // one type loses its cases
			m.edit(n.ID, func(n *tree.Node) { n.CaseData.Misses = []tree.Miss{sum} })
		}
		m.evolve(options(t), PlanOptions{})
		require.Equal(t, tree.Retired, m.nodes[a.ID].Status)
		for _, n := range cases {
			require.Equal(t, b.ID, m.nodes[n.ID].Parent)
		}
		m.settled(options(t))
	}
}

// A check that too few have missed lends its misses to the wider one, until it
// has enough of its own.
func TestNarrowLendsToWider(t *testing.T) {
	mail := func(i int) tree.Node {
		return made(i, missed("t_mails", fmt.Sprintf("The mail link %d was not opened.", i), "Contact"))
	}
	m := planted(t, []tree.Node{mail(1), mail(2), made(3, missed("t_links", "The link is dead.")),
		made(4, missed("t_links", "A link is dead."))})
	plans := m.evolve(options(t), PlanOptions{})
	wide := m.lesson("t_links", taxonomy.FalsePass)
	require.Len(t, wide.Children, 4)
	require.Equal(t, []string{"Contact"}, wide.Content.Lessons[0].What, "what was lent counts")
	_, open := group(plans, "t_mails")
	require.False(t, open)
	m.settled(options(t))

	m.plant(mail(5))
	m.evolve(options(t), PlanOptions{})
	narrow := m.lesson("t_mails", taxonomy.FalsePass)
	require.Len(t, narrow.Children, 3)
	require.Len(t, m.lesson("t_links", taxonomy.FalsePass).Children, 2, "enough to stay")
	for _, id := range narrow.Children {
		require.Equal(t, narrow.ID, m.nodes[id].Parent)
	}
	m.nobodysWords(tax(t))
	m.settled(options(t))

	lonely := planted(t, []tree.Node{mail(1), mail(2)})
	g, ok := group(lonely.evolve(options(t), PlanOptions{}), "t_links")
	require.True(t, ok)
	require.Equal(t, []string{"cases"}, lacks(g))
}

// A check does not lend its cases to a wider check of another error type. If the
// taxonomy has moved a check to another type, its lesson is learned under that type.
func TestChecksThatMoved(t *testing.T) {
	of := func(check, errorType string) func(string) string {
		return func(s string) string {
			before, after, _ := strings.Cut(s, "id: "+check+"\n")
			return before + "id: " + check + "\n" + strings.Replace(after, "content_validation_error", errorType, 1)
		}
	}
	moved := parsed(t, of("t_mails", "async_timing_error")(of("t_dates", "edge_case_error")(shopChecks)))
	mails := []tree.Node{made(1, missed("t_mails", "a", "b")), made(2, missed("t_mails", "c")),
		made(3, missed("t_links", "d")), made(4, missed("t_links", "e"))}
	m := planted(t, append(dates(), mails...))
	m.evolve(options(t), PlanOptions{})
	require.Equal(t, "content_validation_error", m.lesson("t_dates", taxonomy.FalsePass).ErrorType)
	m.evolve(with(moved), PlanOptions{})
	require.Equal(t, "edge_case_error", m.lesson("t_dates", taxonomy.FalsePass).ErrorType)
	require.Len(t, m.lesson("t_links", taxonomy.FalsePass).Children, 2)
	m.settled(with(moved))

	gone := parsed(t, "")
	m.evolve(with(gone), PlanOptions{})
	require.Empty(t, m.live(tree.Experience), "a check that no taxonomy has any more")
	m.settled(with(gone))
}

// A false alarm needs the opposite advice. So the same check gives another experience
// in the other direction, and none if it has no advice for that direction.
func TestContraryIsKeptApart(t *testing.T) {
	nodes := shop()
	for i, x := range things[:4] {
		nodes = append(nodes, alarm(sum(40+i, x)), alarm(date(50+i, x)))
	}
	m := planted(t, nodes)
	m.evolve(options(t), PlanOptions{})
	pass, fail := m.lesson("t_sums", taxonomy.FalsePass), m.lesson("t_sums", taxonomy.FalseFail)
	require.Len(t, pass.Children, 5)
	require.Len(t, fail.Children, 4)
	require.Contains(t, pass.Content.Lessons[0].Check, "Add the lines up")
	require.Contains(t, fail.Content.Lessons[0].Check, "Add shipping and discount")
	require.Empty(t, m.lesson("t_dates", taxonomy.FalseFail).ID, "the advice against missing it would cause more of them")
	m.nobodysWords(tax(t))
	m.settled(options(t))
}

// Without a check there is a lesson only if most cases have the same hint. The lesson is that hint, unchanged.
func TestUntyped(t *testing.T) {
	for _, c := range []struct {
		name  string
		hints []string
		lacks []string
	}{
		{"no hint", []string{"", "", "", ""}, []string{"words"}},
		{"one hint", []string{hint, "", "", ""}, []string{"words"}},
		{"all of them", []string{hint, hint, hint, hint}, nil},
		{"a hint that says nothing", []string{"Look again.", "Look again.", "Look again.", "Look again."}, []string{"words"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			nodes := notes()
			for i, h := range c.hints {
				nodes = append(nodes, upside(i, h))
			}
			m := planted(t, nodes)
			plans := m.evolve(options(t), PlanOptions{})
			g, open := group(plans, "")
			require.Equal(t, c.lacks != nil, open)
			require.Equal(t, c.lacks, lacks(g))
			if !open {
				e := m.live(tree.Experience)[0]
				require.Len(t, e.Children, 4)
				require.Equal(t, hint, e.Content.Lessons[0].Check)
				require.Equal(t, tree.FromPerson, e.Content.Lessons[0].From)
			}
			m.nobodysWords(tax(t))
			m.settled(options(t))
		})
	}

	same := []tree.Node{upside(0, hint), upside(1, hint), upside(2, hint)}
	for i := range same {
		same[i] = as(same[i], func(n *tree.Node) { n.CaseData.TestCase.CaseID = "the same test" })
	}
	m := planted(t, append(notes(), same...))
	m.evolve(options(t), PlanOptions{})
	require.Empty(t, m.live(tree.Experience), "one test alone")
}

// upside is a case without a known check, with a person's hint.
func upside(i int, hint string) tree.Node {
	x := missed("", fmt.Sprintf("The picture of the %s was shown upside down in the gallery.", things[i]))
	x.Instead = hint
	return as(made(60+i, x), func(n *tree.Node) {
		n.CaseData.TestCase.Prompt = "Check the picture of the " + things[i] +
			"."
	})
}

const hint = "Hold the picture beside the design before you call it the same."

// notes are cases about various things. The weight of a token shows only among others.
func notes() []tree.Node {
	var out []tree.Node
	for i, s := range []string{
		"A footer overlapped the banner.", "Its avatar was stretched.", "Nobody scrolled far enough.",
		"Currency symbols were swapped.",
		"One tooltip stayed open.", "An icon had no label.", "The wizard skipped a step.", "Some rows came twice.",
		"Paging began at zero.",
		"A search matched too much.", "Old filters were still set.", "The toast came too late.",
	} {
		out = append(out, made(200+i, missed("", s)))
	}
	return out
}

// A text on how a check was missed is used whole or not at all.
func TestCentralSentence(t *testing.T) {
	said := func(how ...string) tree.Node {
		var nodes []tree.Node
		for i, h := range how {
			nodes = append(nodes, made(i, missed("t_sums", h)))
		}
		m := planted(t, nodes)
		m.evolve(options(t), PlanOptions{})
		m.nobodysWords(tax(t))
		return m.lesson("t_sums", taxonomy.FalsePass)
	}
	const shared = "The lines were never added up."
	for name, c := range map[string]struct {
		how  []string
		want string
	}{
		"what several wrote": {[]string{shared + " It was late.", shared, shared}, shared},
		"numbers are of one test": {[]string{"The 3 lines were never added up.", "The 3 lines were never added up.",
			"The 3 lines were never added up."}, ""},
		"names are of one test": {[]string{"The lines of “Cart” were never added up.",
			"The lines of “Cart” were never added up.", "The lines of “Cart” were never added up."}, ""},
		"it does not say the check": {[]string{"It looked at the wrong column here.", "It looked at the wrong column here.",
			"It looked at the wrong column here."}, ""},
		"nobody else wrote so": {[]string{"Rather tired, it added nothing up whatsoever.", "sums", "sums"}, ""},
		"too long to be said of all": {[]string{
			"The lines were never added up although the task asked for it and although there was time enough to do so before " +
				"the verdict was given.",
			"The lines were never added up although the task asked for it and although there was time enough to do so before " +
				"the verdict was given.", shared}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			e := said(c.how...)
			require.NotEmpty(t, e.ID)
			require.Equal(t, c.want, e.Content.Lessons[0].Mistake)
		})
	}
}

// If there are more cases than a memory may have, it has those seen last.
func TestMostRecent(t *testing.T) {
	const more = 40
	nodes := make([]tree.Node, tree.MaxChildren+more)
	for i := range nodes {
		nodes[i] = made(i, missed("t_sums", "Nobody added it up."))
		at := time.Date(2026, 1, 1, 0, 0, i%1_000_000, 0, time.UTC)
		nodes[i].Metadata.UpdatedAt, nodes[i].Occurrences[0].At = at, at
	}
	list := pointers(nodes)
	got := mostRecent(list)
	require.Len(t, got, tree.MaxChildren)
	for _, n := range got {
		require.True(t, !lastSeen(n).Before(time.Date(2026, 1, 1, 0, 0, more, 0, time.UTC)))
	}
	require.IsIncreasing(t, idsOf(got))

	m := planted(t, nodes)
	m.evolve(options(t), PlanOptions{})
	e := m.lesson("t_sums", taxonomy.FalsePass)
	require.Len(t, e.Children, tree.MaxChildren)
	alone := 0
	for _, n := range m.live(tree.Case) {
		if n.Parent == "" {
			alone++
		}
	}
	require.Equal(t, more, alone)
	m.settled(options(t))
}

// A lesson is in the language of most of its cases.
func TestLanguageOfMost(t *testing.T) {
	nodes := sums()
	for i := range 3 {
		nodes[i].Lang = "zh"
	}
	m := planted(t, nodes)
	m.evolve(options(t), PlanOptions{})
	e := m.lesson("t_sums", taxonomy.FalsePass)
	require.Equal(t, "zh", e.Lang)
	require.Equal(t, "把各行金额相加，与“Total”比较。", e.Content.Lessons[0].Check)
	m.nobodysWords(tax(t))
}
