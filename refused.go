package memtree

import (
	"context"
	"slices"

	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/internal/core"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/tree"
)

// All that is given is read through core.Read, which leaves out what people refused; so no channel of guidance can
// forget to ask.

// mostAgain is how often a search is repeated without the memories of which nothing may be given.
const mostAgain = 4

// searchHeeding asks the index as searchIndex does. Memories of which people refused all that they say
// leave their places to others, and are among what was considered with that reason.
func (m *Memory) searchHeeding(ctx context.Context, q retrieval.Query, ask core.Asking) (retrieval.Result, error) {
	t := brief.TestOf(q.Prompt, q.Scene, q.Scope)
	var silent []retrieval.Hit
	all := false // everything that was considered is wanted
	for again := 0; ; again++ {
		r, err := m.core.Search(ctx, q, ask)
		if err != nil {
			return r, err
		}
		before := len(silent)
		all = all || len(r.Considered) > 0
		for i := range r.Hits {
			h := r.Hits[i]
			n, err := m.core.Read(ctx, h.ID)
			if err != nil || m.givenTo(n, &t) != nil && !(n.OwnWords() && h.Lifted()) {
				continue // one that is gone is left out where it is read
			}
			h.Taken, h.Why = false, retrieval.Why{Code: retrieval.Refused}
			h.Reason = h.Why.String()
			silent = append(silent, h)
		}
		if again == mostAgain {
			r.Hits = slices.DeleteFunc(r.Hits, func(h retrieval.Hit) bool { return isAmong(silent[before:], h.ID) })
			r.Abstained = len(r.Hits) == 0
		}
		if len(silent) == before || again == mostAgain {
			if all {
				r.Considered = append(r.Considered, silent...)
			}
			return r, nil
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

// givenTo returns a memory as it may be given before a test. n may be nil, and so may the answer.
func (m *Memory) givenTo(n *tree.Node, t *brief.Test) *tree.Node {
	if n == nil || n.CaseData == nil || ofTest(n, t) {
		return n
	}
	return m.core.Refused().Beyond(n)
}

// givenAll returns those of nodes that may be given to a query, as they may, in the memory of nodes.
func (m *Memory) givenAll(nodes []tree.Node, q *Query) []tree.Node {
	t := brief.TestOf(q.Prompt, q.Scene, q.Scope)
	give := nodes[:0]
	for i := range nodes {
		if n := m.givenTo(&nodes[i], &t); n != nil {
			give = append(give, *n)
		}
	}
	return give
}
