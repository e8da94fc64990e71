package memtree

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Knowledge returns the facts about the products under test. Advanced.
func (m *Memory) Knowledge() *knowledge.Library {
	s := knowledge.Options{
		View: m.viewFacts, Hidden: m.taxonomy.WithoutModel, Secrets: formation.RedactText, Now: m.opts.Now,
		Nodes: func(ctx context.Context) iter.Seq2[tree.Node, error] {
			return m.core.Trusted().Scan(ctx, store.Filter{Level: tree.Case.Level()})
		},
		Write: func(ctx context.Context, es []ledger.Entry) error {
			if m.opts.ReadOnly {
				return store.ErrReadOnly
			}
			return m.core.Apply(ctx, store.Batch{Entries: es})
		},
	}
	if m.halt != nil {
		s.Model, s.Name = m.halt, llm.NameOf(m.opts.Generator)
	}
	return knowledge.NewLibrary(s)
}

// viewFacts calls read with what is known once all of the ledger is folded.
func (m *Memory) viewFacts(ctx context.Context, read func(*knowledge.Base)) error {
	k := m.learned.knowledge
	err := m.learned.View(ctx, func() {
		k.Whole()
		k.Read(read)
	}, k)
	if err != nil {
		return fmt.Errorf("read what is known: %w", err)
	}
	return nil
}

// factsFor returns the facts that a run is given, and those that came near. It waits for the ledger only after a
// person decided on a fact, and at first; then for half of what Guide may take at most. After that time it
// returns none.
func (m *Memory) factsFor(ctx context.Context, q *Query, a *askedTest) (given, near []knowledge.FoundFact) {
	if q.Quarantined {
		return nil, nil
	}
	kq := knowledge.Query{Text: q.Prompt, Scene: q.Scene, Scope: q.Scope, Agent: q.Agent.Name, Now: m.opts.Now()}
	if q.Step != "" {
		kq.Text = q.Step
	}
	kq.Read, kq.Names = m.factsRead(&a.UpcomingTest), a.names
	find := func(b *knowledge.Base) { given, near = b.Find(&kq) }
	if stale := m.learned.decided.Swap(false); m.opts.ReadOnly || stale || !m.learned.knowledge.Read(find) {
		ctx, cancel := context.WithTimeout(ctx, m.opts.Deadline/2)
		defer cancel()
		if err := m.viewFacts(ctx, find); err != nil {
			m.learned.decided.Store(true)
			m.opts.Logger.Warn("a run was given no facts", "error", err)
			return nil, nil
		}
	}
	given = slices.DeleteFunc(given, func(f knowledge.FoundFact) bool { return slices.Contains(q.Exclude, f.ID) })
	return given, near
}

// factsRead returns which facts a reader picked for a test, nil if none has read it.
func (m *Memory) factsRead(t *brief.UpcomingTest) *knowledge.Reading {
	book := m.learned.briefs.Book()
	f, ok := book.Find(t)
	if !ok {
		return nil
	}
	r := &knowledge.Reading{Unread: func(id string) bool { return book.Unread(&f, id) }}
	for i := range f.Picks {
		if ledger.IsFact(f.Picks[i].ID) {
			r.Picked = append(r.Picked, knowledge.FactPick{ID: f.Picks[i].ID, Because: f.Picks[i].Because})
		}
	}
	return r
}

// factLines returns the facts that may be given, in the form for a reader, sorted by id.
func (m *Memory) factLines(ctx context.Context) (lines []brief.Material, err error) {
	err = m.viewFacts(ctx, func(b *knowledge.Base) {
		for _, f := range b.All(m.opts.Now()) {
			if f.State == knowledge.Active && !m.taxonomy.WithoutModel(f.Scope.Product) {
				lines = append(lines, brief.FactOf(f.ID, &f.Statement, f.Cases))
			}
		}
	})
	return lines, err
}

// factsNear returns the ids of the facts that the search finds for a test, the nearest first.
func (m *Memory) factsNear(t *brief.UpcomingTest) (ids []string) {
	q := knowledge.Query{
		Text: t.Prompt, Scene: tree.Scene{Route: t.Place}, Scope: tree.Scope{Product: t.Product}, Now: m.opts.Now(),
	}
	m.learned.knowledge.Read(func(b *knowledge.Base) {
		given, near := b.Find(&q)
		for _, f := range append(given, near...) {
			ids = append(ids, f.ID)
		}
	})
	return ids
}

// factItem returns a fact as an item of guidance.
func factItem(f *knowledge.FoundFact) enhance.Item {
	return enhance.Item{
		ID: f.ID, Type: enhance.OfFact, ErrorType: ledger.OfFacts, Direction: taxonomy.FalseFail, Score: f.Trust,
		By: enhance.By(f.How), Because: f.Because,
	}
}

// factCandidate returns a fact as effect weighs it beside memories.
func (m *Memory) factCandidate(id string) (c effect.Candidate, ok bool) {
	m.learned.knowledge.Read(func(b *knowledge.Base) {
		if f, known := b.Get(id, m.opts.Now()); known {
			ok, c = true, effect.Candidate{
				ID: id, Type: enhance.OfFact, ErrorType: ledger.OfFacts, Direction: taxonomy.FalseFail,
				Prior: effect.Prior(f.Trust, 1),
			}
		}
	})
	return c, ok
}

// toldKnown returns facts for the text.
func toldKnown(found []knowledge.FoundFact) []enhance.KnownFact {
	out := make([]enhance.KnownFact, len(found))
	for i := range found {
		f := &found[i]
		out[i] = enhance.KnownFact{ID: f.ID, Text: f.Text, Kind: f.Kind, Cases: f.Cases}
	}
	return out
}

// onFacts reports whether entries of the ledger decide on facts.
func onFacts(e *ledger.Entry) bool {
	return e.Known != nil || e.Act != nil && strings.HasPrefix(e.Act.Node, ledger.FactPrefix)
}
