package memtree

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/memtree/memtree/appmap"
	"github.com/memtree/memtree/find"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/retrieval"
)

// Search looks for a text in memories, facts and the map. Advanced.
func (m *Memory) Search(ctx context.Context, q find.Search) ([]find.SearchHit, error) {
	in := find.Rings{Memories: m.searchMemories, Facts: m.searchFacts, Elements: m.searchElements}
	return in.Search(ctx, q)
}

// searchPool is the number of memories of each level that a Search considers.
const searchPool = 1000

func (m *Memory) searchMemories(ctx context.Context, q *find.Search, of func(string) bool) ([]find.SearchHit, error) {
	if err := m.core.Latest(ctx); err != nil {
		return nil, err
	}
	r, err := m.core.Index().Explain(ctx, retrieval.Query{
		Prompt: q.Text, Alike: true, Now: m.opts.Now(), Limits: retrieval.Limits{Candidates: searchPool},
	})
	if err != nil {
		return nil, err
	}
	where := q.Where
	where.Words = ""
	terms := terms(text.Terms(q.Text))
	var out []find.SearchHit
	for i := range r.Considered {
		h := &r.Considered[i]
		if h.Rel <= 0 || !of(string(h.Type)) {
			continue
		}
		n, err := m.core.Read(ctx, h.ID)
		if err != nil || n == nil || !where.HasNode(n) {
			continue
		}
		if q.Lang != "" {
			*n = m.words.Shown(n, q.Lang)
		}
		hit := find.SearchHit{Kind: string(n.Type), ID: n.ID, Title: cmp.Or(n.Content.Title, n.Content.Description),
			Text: n.Content.Guidance, Product: n.Scope.Product, At: n.Metadata.UpdatedAt, Score: h.Rel}
		if c := n.CaseData; c != nil {
			hit.Title, hit.Text = c.TestCase.Prompt, c.EvaluatorReason
		}
		hit.Score = max(hit.Score, terms.shareIn(hit.Title+"\n"+hit.Text+"\n"+n.Content.Description))
		if hit.Score >= leastHit {
			out = append(out, hit)
		}
	}
	slices.SortStableFunc(out, func(a, b find.SearchHit) int { return cmp.Compare(b.Score, a.Score) })
	return out, nil
}

// leastHit is the least score of a memory that is found.
const leastHit = 0.1

// terms are the different terms of a text.
type terms []string

// shareIn returns the share of the terms that a text has, 0 without terms.
func (t terms) shareIn(s string) float64 {
	n, has := 0, text.Tokens(s)
	for _, one := range t {
		if slices.Contains(has, one) {
			n++
		}
	}
	return float64(n) / float64(max(1, len(t)))
}

func (m *Memory) searchFacts(ctx context.Context, q *find.Search) (out []find.SearchHit, err error) {
	where := q.Where
	keep := func(f *knowledge.Fact) bool {
		return (where.Product == "" || f.Scope.Product == "" || f.Scope.Product == where.Product) && where.On(f.Used)
	}
	err = m.viewFacts(ctx, func(b *knowledge.Base) {
		for _, f := range b.Search(q.Text, m.opts.Now(), find.MostHits, keep) {
			out = append(out, find.SearchHit{Kind: find.Fact, ID: f.ID, Title: f.Text, Text: strings.Join(f.Pages, ", "),
				Product: f.Scope.Product, At: f.Used, Score: f.Score})
		}
	})
	return out, err
}

func (m *Memory) searchElements(ctx context.Context, q *find.Search) (out []find.SearchHit, err error) {
	err = m.Map().Read(ctx, func(x *appmap.Map) {
		products := x.Products()
		if q.Where.Product != "" {
			products = []string{q.Where.Product}
		}
		for _, p := range products {
			ask := appmap.SelectorQuery{Text: q.Text, Product: p, Least: -1, Limit: appmap.MostFound}
			for _, f := range x.Find(ask) {
				out = append(out, find.SearchHit{Kind: find.Element, Title: strings.TrimSpace(f.Role + " " + f.Name),
					Text: f.Page + " " + f.Selector, Product: p, Score: f.Score})
			}
		}
	})
	slices.SortStableFunc(out, func(a, b find.SearchHit) int { return cmp.Compare(b.Score, a.Score) })
	return out, err
}
