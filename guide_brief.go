package memtree

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/tree"
)

// reasons maps the id of a memory to the pick of a reader.
type reasons map[string]brief.Pick

// applyBrief replaces the hits of the search by the picks of a test's brief. Cases of the very test stay and come
// first, and so do memories that the reader has not read yet, after the picks. Without a brief r is unchanged.
func (m *Memory) applyBrief(
	ctx context.Context, q *Query, r *retrieval.Result, a *askedTest,
) (reasons, *brief.Brief, error) {
	if q.Step != "" || q.Quarantined {
		return nil, nil, nil
	}
	book := m.learned.briefs.Book()
	f, ok := book.Find(&a.UpcomingTest)
	if !ok {
		return nil, nil, nil
	}
	why := reasons{}
	picked, err := m.pickedHits(ctx, q, &f, why, a)
	if err != nil {
		return nil, nil, err
	}
	var hits, unread []retrieval.Hit
	for i := range r.Hits {
		switch h := &r.Hits[i]; {
		case why[h.ID].ID != "": // at its position among the picks
		case h.OfTest() && m.isOfTest(ctx, h.ID, a):
			hits = append(hits, *h)
		case book.Unread(&f, h.ID) || m.saidSince(ctx, h.ID, f.Read.At):
			unread = append(unread, *h)
		default:
			unpick(r, h.ID)
		}
	}
	r.Hits = slices.Concat(hits, picked, unread)
	total := q.Limits.Total
	if total == 0 {
		total = max(retrieval.DefaultTotal, len(hits))
	}
	r.Hits = r.Hits[:min(max(total, 0), len(r.Hits))]
	for i := range r.Hits {
		take(r, &r.Hits[i], i+1)
	}
	r.Abstained = len(r.Hits) == 0
	return why, &f, nil
}

// isOfTest reports whether a case is of this very test: by its id, or by its prompt. Lexical similarity is not enough
// where a reader has considered the case.
func (m *Memory) isOfTest(ctx context.Context, id string, a *askedTest) bool {
	n, err := m.given(ctx, id, a)
	return err == nil && n != nil && a.is(n)
}

// saidSince reports whether a person decided on the content of a memory after a time: an earlier reader did not see
// that.
func (m *Memory) saidSince(ctx context.Context, id string, at time.Time) bool {
	n, err := m.core.Read(ctx, id)
	return err == nil && n != nil && m.decidedOn(n).After(at)
}

// decidedOn returns when a person last decided on the content of a memory, the zero time for never.
func (m *Memory) decidedOn(n *tree.Node) time.Time {
	if at := m.core.Refused().Ours(n); at.After(n.Provenance.At) {
		return at
	}
	return n.Provenance.At
}

// pickedHits returns the picks of a brief that may be given now, and records them in why. A memory that was rewritten
// since it was read is given if it is still about the same checks.
func (m *Memory) pickedHits(
	ctx context.Context, q *Query, f *brief.Brief, why reasons, a *askedTest,
) ([]retrieval.Hit, error) {
	var hits []retrieval.Hit
	for _, p := range f.Picks {
		if ledger.IsFact(p.ID) {
			continue // see factsRead
		}
		n, err := m.given(ctx, p.ID, a)
		if errors.Is(err, tree.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if n == nil || m.decidedOn(n).After(f.Read.At) || !n.Live() || !slices.Equal(brief.Checks(n), p.Checks) ||
			!mayBeGiven(n, q) {
			continue
		}
		why[p.ID] = p
		hits = append(hits, retrieval.HitOf(n))
	}
	return hits, nil
}

// take marks a considered memory as taken, or adds it to the considered ones.
func take(r *retrieval.Result, h *retrieval.Hit, place int) {
	h.Taken = true
	if len(r.Considered) == 0 {
		return
	}
	i := slices.IndexFunc(r.Considered, func(c retrieval.Hit) bool { return c.ID == h.ID })
	if i < 0 {
		h.Why = retrieval.Why{Code: retrieval.Read, Args: []any{place}}
		h.Reason = h.Why.String()
		r.Considered = append(r.Considered, *h)
		return
	}
	c := &r.Considered[i]
	if !c.Taken {
		c.Taken, c.Why = true, retrieval.Why{Code: retrieval.Read, Args: []any{place}}
		c.Reason = c.Why.String()
	}
}

// unpick sets the reason why a memory that the search found is not given.
func unpick(r *retrieval.Result, id string) {
	left := func(h *retrieval.Hit) {
		h.Taken, h.Why = false, retrieval.Why{Code: retrieval.Unpicked}
		h.Reason = h.Why.String()
	}
	for i := range r.Considered {
		if r.Considered[i].ID == id {
			left(&r.Considered[i])
		}
	}
	if r.Nearest != nil && r.Nearest.ID == id {
		h := *r.Nearest
		left(&h)
		r.Nearest = &h
	}
}

// sayings returns the sentences of the picks, by memory.
func (w reasons) sayings() map[string]string {
	out := map[string]string{}
	for id, p := range w {
		if p.Say != "" {
			out[id] = p.Say
		}
	}
	return out
}

// sign sets how each item was found.
func (w reasons) sign(items []enhance.Item, hits []retrieval.Hit) {
	for i := range items {
		it := &items[i]
		it.By = enhance.ByWords
		if p, ok := w[it.ID]; ok {
			it.By, it.Because = enhance.ByReader, p.Because
		} else if slices.ContainsFunc(hits, func(h retrieval.Hit) bool { return h.ID == it.ID && h.OfTest() }) {
			it.By = enhance.ByTest
		}
	}
}
