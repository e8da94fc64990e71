package memtree

import (
	"context"
	"errors"
	"slices"

	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/internal/core"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/tree"
)

// Everything that is given is read through core.Read or given, which exclude people's refusals; so no channel of
// guidance can bypass them.

// mostAgain is how often a search is repeated without the memories of which nothing may be given.
const mostAgain = 4

// askedTest is the test of a query.
type askedTest struct {
	brief.UpcomingTest
	prompt string   // with the step
	names  []string // its ids and prompts
	not    []string // checks that a case of this very test is not about, by a person's decision
}

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

// given returns the part of a memory that may be given before a test, nil for none.
func (m *Memory) given(ctx context.Context, id string, a *askedTest) (*tree.Node, error) {
	n, err := m.core.Whole(ctx, id)
	if err != nil {
		return nil, err
	}
	no := m.core.Refused()
	if a.is(n) {
		return a.without(no.Before(no.HeedOwn(n), a.mayBe)), nil
	}
	return a.without(no.Beyond(no.Before(no.Heed(n), a.mayBe))), nil
}

// whyNot returns why nothing of a memory may be given before a test.
func (m *Memory) whyNot(ctx context.Context, id string, a *askedTest) retrieval.Why {
	why := retrieval.Why{Code: retrieval.Refused}
	n, err := m.core.Whole(ctx, id)
	if err != nil {
		return why
	}
	if a.without(n) == nil {
		return retrieval.Why{Code: retrieval.Denied}
	}
	for _, no := range m.core.Refused().Left(n) {
		code := map[tree.DecisionKind]retrieval.Code{tree.DecisionBan: retrieval.Banned,
			tree.DecisionReject: retrieval.Rejected,
			tree.DecisionForget: retrieval.Forgotten}[no.Said]
		if code != "" && no.By != "" {
			return retrieval.Why{Code: code, Args: []any{no.By}}
		}
	}
	return why
}

// searchHeeding searches the index as core.Search does. Memories of which people refused everything are replaced by
// others, and are among the considered ones with that reason. It also returns the test of the query.
func (m *Memory) searchHeeding(
	ctx context.Context, q retrieval.Query, ask core.Asking,
) (retrieval.Result, *askedTest, error) {
	a := m.askedOf(&q)
	var silent []retrieval.Hit
	all := false // the caller wants all considered memories
	for again := 0; ; again++ {
		q.Names = a.names
		r, err := m.core.Search(ctx, q, ask)
		if err != nil {
			return r, a, err
		}
		if again == 0 {
			more, err := m.learnOf(ctx, a, r.Here)
			if err != nil {
				return r, a, err
			}
			if more && m.core.Refused().Examples() {
				continue
			}
		}
		before := len(silent)
		all = all || len(r.Considered) > 0
		for i := range r.Hits {
			h := r.Hits[i]
			n, err := m.given(ctx, h.ID, a)
			if err != nil || n != nil {
				continue // a deleted one is skipped where it is read
			}
			h.Taken, h.Why = false, m.whyNot(ctx, h.ID, a)
			h.Reason = h.Why.String()
			silent = append(silent, h)
		}
		if again >= mostAgain {
			r.Hits = slices.DeleteFunc(r.Hits, func(h retrieval.Hit) bool { return isAmong(silent[before:], h.ID) })
			r.Abstained = len(r.Hits) == 0
		}
		if len(silent) == before || again >= mostAgain {
			if all {
				r.Considered = append(r.Considered, silent...)
			}
			if len(r.Hits) == 0 && len(silent) > 0 { // they were nearer than the remaining ones
				r.Nearest = &silent[0]
			}
			return r, a, nil
		}
		q.Exclude = slices.Clone(q.Exclude)
		for _, h := range silent[before:] {
			q.Exclude = append(q.Exclude, h.ID)
		}
	}
}

func isAmong(hits []retrieval.Hit, id string) bool {
	return slices.ContainsFunc(hits, func(h retrieval.Hit) bool { return h.ID == id })
}

// givenAll returns the parts of the memories with the ids that may be given before a test, without those that are
// deleted, or of which nothing may.
func (m *Memory) givenAll(ctx context.Context, ids []string, a *askedTest) ([]tree.Node, error) {
	nodes := make([]tree.Node, 0, len(ids))
	for _, id := range ids {
		n, err := m.given(ctx, id, a)
		switch {
		case errors.Is(err, tree.ErrNotFound) || err == nil && n == nil:
		case err != nil:
			return nil, err
		default:
			nodes = append(nodes, *n)
		}
	}
	return nodes, nil
}

// shown returns the text of a memory in guidance, "" if nothing of it is given, and people's refusals of it.
func (m *Memory) shown(n *tree.Node, lang string) (string, []tree.Refusal) {
	no := m.core.Refused()
	left := no.Left(n)
	if !n.Live() && len(left) == 0 {
		return "", nil
	}
	g := no.HeedOwn(n)
	if g == nil {
		return "", left
	}
	text, _ := enhance.Say(g, enhance.Options{Lang: lang, Words: m.words, Refused: no})
	return text, left
}
