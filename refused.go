package memtree

import (
	"context"
	"errors"
	"slices"

	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/internal/core"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/tree"
)

// Everything that is given is read through core.Read or given, which exclude people's refusals; so no channel of
// guidance can bypass them.

// mostAgain is how often a search is repeated without the memories of which nothing may be given.
const mostAgain = 4

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
	if err := m.latest(ctx, m.learned.briefs, m.learned.brake); err != nil {
		return retrieval.Result{}, nil, err
	}
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
