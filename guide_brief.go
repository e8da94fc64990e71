package memtree

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/tree"
)

// reasons are, by the id of a memory, why a reader picked it.
type reasons map[string]brief.Pick

// applyBrief puts the picks of a test's brief in the place of what words found. Cases of the very
// test stay and come first, and so do memories that the reader has not seen yet, after the picks.
// Without a brief r stays as it is.
func (m *Memory) applyBrief(
	ctx context.Context, q *Query, r *retrieval.Result, a *askedTest,
) (reasons, *brief.Brief, error) {
	if q.Step != "" || q.Quarantined {
		return nil, nil, nil
	}
	book := m.learned.briefs.Book()
	f, ok := book.Find(&a.Test)
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
		case why[h.ID].ID != "": // in its place among the picks
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

// isOfTest reports whether a case is of this very test: by its id, or by its prompt. Words that are
// near are not enough where a reader has considered the case.
func (m *Memory) isOfTest(ctx context.Context, id string, a *askedTest) bool {
	n, err := m.given(ctx, id, a)
	return err == nil && n != nil && a.is(n)
}

// saidSince reports whether a person decided after a time on what a memory says: who read it before
// knows nothing of that.
func (m *Memory) saidSince(ctx context.Context, id string, at time.Time) bool {
	n, err := m.core.Read(ctx, id)
	return err == nil && n != nil && m.decidedOn(n).After(at)
}

// decidedOn returns when a person last decided on what a memory says, the zero time where nobody did.
func (m *Memory) decidedOn(n *tree.Node) time.Time {
	if at := m.core.Refused().Ours(n); at.After(n.Provenance.At) {
		return at
	}
	return n.Provenance.At
}

// pickedHits returns the picks of a brief that may be given now, and notes them in why. A memory that
// was rewritten since it was read is given if it is still about the same checks.
func (m *Memory) pickedHits(
	ctx context.Context, q *Query, f *brief.Brief, why reasons, a *askedTest,
) ([]retrieval.Hit, error) {
	var hits []retrieval.Hit
	for _, p := range f.Picks {
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

// isElsewhere reports whether a lesson is of another product than the query, and may hold there only:
// a person taught it for that product, or its words are of a person or model and no reader picked them.
// Advice of the catalogue is general.
func isElsewhere(n *tree.Node, q *Query, picked bool) bool {
	return n.Type == tree.Experience && q.Scope.Product != "" && n.Scope.Product != "" &&
		n.Scope.Product != q.Scope.Product && (n.Taught != nil || !picked && !enhance.General(n))
}

// mayBeGiven reports whether nothing in the query excludes a memory, and it is not bound to another
// test or place. Its product binds what was taught; of others the reader has seen both.
func mayBeGiven(n *tree.Node, q *Query) bool {
	if slices.Contains(q.Exclude, n.ID) || n.Scope.Test != "" && n.Scope.Test != q.Scope.Test || isElsewhere(n, q, true) {
		return false
	}
	if len(n.Scope.SuiteTests) > 0 && !(len(q.Scope.SuiteTests) > 0 && n.Scope.SamePlace(&q.Scope)) {
		return false
	}
	return n.CaseData == nil || !slices.Contains(q.ExcludeTests, n.CaseData.TestCase.CaseID)
}

// take marks a memory as taken where it was considered, or adds it to what was considered.
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

// unpick gives the reason why a memory that words found is not given.
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

// sayings are the sentences of the picks, by memory.
func (w reasons) sayings() map[string]string {
	out := map[string]string{}
	for id, p := range w {
		if p.Say != "" {
			out[id] = p.Say
		}
	}
	return out
}

// sign notes at the items how each was found.
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

// readNow has a model read one test that was not read yet, for at most Query.Read.
func (m *Memory) readNow(ctx context.Context, q *Query) {
	if q.Read <= 0 || m.halt == nil || m.opts.ReadOnly || m.taxonomy.WithoutModel(q.Scope.Product) {
		return
	}
	t := brief.TestOf(q.Prompt, q.Scene, q.Scope)
	if _, ok := m.learned.briefs.Book().Find(&t); ok {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, q.Read)
	defer cancel()
	set, err := prompts.Load(nil)
	if err != nil {
		return
	}
	if m.noteTest(t, m.opts.Now()) != nil {
		return
	}
	book, questions, err := m.openQuestions(ctx, []brief.Test{t}, &BriefOptions{})
	if err != nil || len(questions) == 0 {
		return
	}
	r := &brief.Reader{Prompts: set, Model: m.halt, Now: m.opts.Now, Found: m.found(ctx)}
	if _, err := r.Read(ctx, book, questions[0]); err != nil {
		m.opts.Logger.Debug("a test was not read before its run", "error", err)
	}
}

// noteSeen hands the test of a query to the worker that keeps the book. It does not wait: a test
// that finds no room is noted the next time.
func (m *Memory) noteSeen(q *Query, at time.Time) {
	if m.opts.ReadOnly || q.Step != "" {
		return
	}
	select {
	case m.learned.seen <- seenTest{q.Prompt, q.Scene, q.Scope, at}:
	default:
	}
}
