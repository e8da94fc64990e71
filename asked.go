package memtree

import (
	"context"
	"slices"

	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/evolution/gate"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/tree"
)

// askedTest is the test of a query.
type askedTest struct {
	brief.UpcomingTest
	prompt string   // with the step
	names  []string // its ids and prompts
	not    []string // checks that a case of this very test is not about, by a person's decision
}

// askedOf returns the test of a query, with all names that it is known by.
func (m *Memory) askedOf(q *retrieval.Query) *askedTest {
	a := &askedTest{UpcomingTest: brief.TestOf(q.Prompt, q.Scene, q.Scope), prompt: q.Prompt + "\n" + q.Step}
	a.names = append(m.learned.briefs.Book().Names(&a.UpcomingTest), q.Scope.Test, q.Prompt)
	return a
}

// is reports whether a node is a case of the test, or occurred in it, or was taught for it.
func (a *askedTest) is(n *tree.Node) bool {
	if n.CaseData == nil {
		return n.Taught.IsFor(a.names...)
	}
	c := &n.CaseData.TestCase
	same := func(name string) bool {
		return tree.SameTest(name, c.CaseID) || tree.SameTest(name, c.Prompt) ||
			slices.ContainsFunc(n.Occurrences, func(o tree.Occurrence) bool { return tree.SameTest(name, o.CaseID) })
	}
	return slices.ContainsFunc(a.names, same)
}

// learnOf adds the data of the cases of the very test among ids, and reports whether the test has more names.
func (m *Memory) learnOf(ctx context.Context, a *askedTest, ids []string) (more bool, err error) {
	cases, err := m.core.Stored(ctx, ids)
	if err != nil {
		return false, err
	}
	is := []string{}
	for i := range cases {
		n := &cases[i]
		if n.CaseData == nil || !a.is(n) {
			continue
		}
		for _, name := range []string{n.CaseData.TestCase.CaseID, n.CaseData.TestCase.Prompt} {
			if name != "" && !slices.ContainsFunc(a.names, func(s string) bool { return tree.SameTest(s, name) }) {
				a.names, more = append(a.names, name), true
			}
		}
		if about := n.CaseData.About; about != nil {
			a.not, is = append(a.not, about.Not...), append(is, about.Is...)
		}
	}
	a.not = slices.DeleteFunc(a.not, func(check string) bool { return slices.Contains(is, check) })
	return more, nil
}

// without returns a memory without the checks that a person excluded from the test, nil if nothing is left.
func (a *askedTest) without(n *tree.Node) *tree.Node {
	if n == nil || len(a.not) == 0 {
		return n
	}
	c, denied := *n, false
	if n.CaseData != nil {
		d := *n.CaseData
		denies := func(m tree.Miss) bool { return slices.Contains(a.not, m.Check) }
		d.Misses = slices.DeleteFunc(slices.Clone(d.Misses), denies)
		denied, c.CaseData = len(d.Misses) < len(n.CaseData.Misses), &d
		if denied && len(d.Misses) == 0 {
			return nil
		}
	} else {
		c.Content.Lessons = slices.DeleteFunc(slices.Clone(n.Content.Lessons), func(l tree.Lesson) bool {
			return slices.Contains(a.not, l.Kind) && !n.OwnWords()
		})
		denied = len(c.Content.Lessons) < len(n.Content.Lessons)
		if denied && len(c.Content.Lessons) == 0 {
			return nil
		}
	}
	if !denied {
		return n
	}
	return &c
}

// cases returns the ids of the cases among nodes that are of the very test.
func (a *askedTest) cases(nodes []tree.Node) (out []string) {
	for i := range nodes {
		if a.is(&nodes[i]) {
			out = append(out, nodes[i].ID)
		}
	}
	return out
}

// crowdedOut returns the number of lessons taught for the test that were dropped for lack of room.
func (a *askedTest) crowdedOut(nodes []tree.Node, dropped []enhance.Drop) (n int) {
	for i := range nodes {
		taught := nodes[i].CaseData == nil && a.is(&nodes[i])
		if taught && slices.ContainsFunc(dropped, func(d enhance.Drop) bool { return d.ID == nodes[i].ID && d.NoRoom() }) {
			n++
		}
	}
	return n
}

// holdBack returns the nodes that may be given to a run of the query's test, reusing the memory of nodes, and the
// others with the reason.
func holdBack(
	nodes []tree.Node, q *Query, a *askedTest, closed []string, read reasons,
) (give []tree.Node, held []enhance.Drop) {
	test := q.Scope.Test
	for i := range nodes {
		n := &nodes[i]
		switch {
		case n.Taught.IsNotFor(a.names...) || a.excludes(n):
			held = append(held, enhance.HeldNotFor.Of(n.ID))
		case isElsewhere(n, q, read[n.ID].ID != ""):
			held = append(held, enhance.HeldProduct.Of(n.ID))
		case slices.Contains(closed, n.ErrorType):
			held = append(held, enhance.HeldType.Of(n.ID))
		case n.Credit != nil && test != "" && n.Mark != tree.Pinned && slices.Contains(n.Credit.NotOn, test):
			held = append(held, enhance.HeldTest.Of(n.ID))
		case a.newerOpposite(nodes, n) != "":
			held = append(held, enhance.HeldAgainst(n.ID, a.newerOpposite(nodes, n)))
		default:
			give = append(give, *n)
		}
	}
	return give, held
}

// excludes reports whether a lesson that a person worded names the test in its exclusions.
func (a *askedTest) excludes(n *tree.Node) bool {
	return n.CaseData == nil && n.Provenance.By == tree.ByPerson && slices.ContainsFunc(n.Content.NotWhen, a.mayBe)
}

// mayBe reports whether the test may be one that a condition names.
func (a *askedTest) mayBe(condition string) bool {
	return slices.ContainsFunc(text.Phrases(condition), func(p string) bool { return text.MightMention(a.prompt, p) })
}

// newerOpposite returns the id of a lesson among nodes in which a person contradicted n later, "" for none.
func (a *askedTest) newerOpposite(nodes []tree.Node, n *tree.Node) string {
	for i := range nodes {
		if o := &nodes[i]; isNewer(o, n) && gate.Against(o, n) {
			return o.ID
		}
	}
	return ""
}

// isNewer reports whether o and n are lessons worded by people, o the newer one.
func isNewer(o, n *tree.Node) bool {
	said := func(x *tree.Node) bool { return x.Type == tree.Experience && x.Provenance.By == tree.ByPerson }
	if !said(o) || !said(n) || n.Provenance.At.After(o.Provenance.At) {
		return false
	}
	return o.Provenance.At.After(n.Provenance.At) || o.Taught != nil && slices.Contains(o.Taught.Against, n.ID)
}

// isElsewhere reports whether a lesson is of another product than the query, and may apply only there: a person taught
// it for that product, or a person or model worded it and no reader picked it. Advice of the catalogue is general.
func isElsewhere(n *tree.Node, q *Query, picked bool) bool {
	return n.Type == tree.Experience && q.Scope.Product != "" && n.Scope.Product != "" &&
		n.Scope.Product != q.Scope.Product && (n.Taught != nil || !picked && !enhance.General(n))
}

// mayBeGiven reports whether nothing in the query excludes a memory, and it is not bound to another test or place. A
// taught lesson is bound to its product; for others the reader has seen both.
func mayBeGiven(n *tree.Node, q *Query) bool {
	if slices.Contains(q.Exclude, n.ID) || n.Scope.Test != "" && n.Scope.Test != q.Scope.Test || isElsewhere(n, q, true) {
		return false
	}
	if len(n.Scope.SuiteTests) > 0 && !(len(q.Scope.SuiteTests) > 0 && n.Scope.SamePlace(&q.Scope)) {
		return false
	}
	return n.CaseData == nil || !slices.Contains(q.ExcludeTests, n.CaseData.TestCase.CaseID)
}
