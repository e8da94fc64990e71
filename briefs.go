package memtree

// A reader, mostly a model, picks the memories that fit coming tests ahead of the runs. Its picks for a test are a
// brief. Guide reads it from the book, so a run waits for no model.

import (
	"context"
	"time"

	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// seenTest is a test of a query, and the time.
type seenTest struct {
	test brief.UpcomingTest
	at   time.Time
}

// Briefs returns what models picked for upcoming tests. Advanced.
func (m *Memory) Briefs() *brief.Briefs {
	m.refresh(m.learned.briefs)
	return m.briefs
}

// newBriefs returns the briefs of the memory.
func (m *Memory) newBriefs() *brief.Briefs {
	a := brief.Options{
		Book: m.learned.briefs.Book, Now: m.opts.Now, ReadOnly: m.opts.ReadOnly,
		Formed: m.waitFormed, Memories: m.readable, Near: m.nearTest, Found: m.foundFor,
		Hidden: m.taxonomy.WithoutModel,
		Clean:  func(s string) string { s, _ = formation.RedactText(s); return s },
		Save: func(ctx context.Context, every time.Duration) {
			m.learned.SaveBoxes(ctx, every, m.learned.briefs)
			if every == 0 {
				m.saveAsked(ctx)
			}
		},
		Failed: func(err error) { m.opts.Logger.Debug("a test was not read before its run", "error", err) },
	}
	if _, shared := m.store.(store.Shared); shared {
		a.Sync = func(ctx context.Context) error { return m.learned.Sync(ctx, m.learned.briefs) }
	}
	if m.halt != nil {
		a.Model, a.Name = m.halt, llm.NameOf(m.opts.Generator)
	}
	return brief.NewBriefs(a)
}

// readable returns the memories and facts that may be given, in the form for a reader.
func (m *Memory) readable(ctx context.Context) ([]brief.Material, error) {
	var nodes []tree.Node
	for n, err := range m.core.Trusted().Scan(ctx, store.Filter{}) {
		if err != nil {
			return nil, err
		}
		if given := m.core.Refused().Heed(&n); n.Live() && given != nil {
			nodes = append(nodes, *given)
		}
	}
	facts, err := m.factLines(ctx)
	return append(brief.Memories(nodes, m.taxonomy.WithoutModel), facts...), err
}

// nearCandidates is the number of memories that the sieve of a large tree returns for one test.
const nearCandidates = 12

// nearTest returns the memories and facts that the search finds for a test, the nearest first.
func (m *Memory) nearTest(ctx context.Context, t *brief.UpcomingTest) []string {
	q := retrieval.Query{Prompt: t.Prompt, Limits: retrieval.Limits{Candidates: nearCandidates}}
	r, err := m.core.Index().Explain(ctx, q)
	if err != nil {
		return nil
	}
	ids := make([]string, len(r.Considered))
	for i := range r.Considered {
		ids[i] = r.Considered[i].ID
	}
	return append(ids, m.factsNear(t)...)
}

// foundFor reports whether the search finds a memory for a test.
func (m *Memory) foundFor(ctx context.Context, t *brief.UpcomingTest) bool {
	q := retrieval.Query{Prompt: t.Prompt, Scope: tree.Scope{Product: t.Product}, Now: m.opts.Now()}
	r, _, err := m.searchHeeding(ctx, q, (*retrieval.Index).Search)
	return err == nil && !r.Abstained
}

// noteSeen passes the test of a query to the worker of the book. It does not wait: a test for which the queue has no
// room is recorded the next time.
func (m *Memory) noteSeen(q *Query, at time.Time) {
	if m.opts.ReadOnly || q.Step != "" {
		return
	}
	select {
	case m.learned.seen <- seenTest{brief.TestOf(q.Prompt, q.Scene, q.Scope), at}:
	default:
	}
}

// noteFailed logs that a test was not noted.
func (m *Memory) noteFailed(err error) {
	if err != nil {
		m.opts.Logger.Debug("a test was not noted", "error", err)
	}
}
