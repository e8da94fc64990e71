package memtree

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/memtree/memtree/appmap"
	"github.com/memtree/memtree/find"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/tree"
)

// The kinds of things that Search finds, beside the types of memories.
const (
	FoundFact    = "fact"
	FoundElement = "element"
)

// SearchKinds returns all kinds.
func SearchKinds() []string {
	return []string{string(tree.Case), string(tree.Experience), string(tree.Strategy), FoundFact, FoundElement}
}

// SearchQuery is a question to all of memory.
type SearchQuery struct {
	Text  string     // what is looked for; a part in double quotation marks has to occur as it is
	Kinds []string   // of SearchKinds; none: all
	Where find.Query // further conditions: product, days, direction, type; Words is not used
	Lang  string     // "zh" or "en", of lessons that have both; "": as they are stored
	Limit int        // 0: 20; at most 200
}

// SearchHit is one thing that was found.
type SearchHit struct {
	Kind    string    `json:"kind"`
	ID      string    `json:"id,omitempty"` // of a memory or fact
	Title   string    `json:"title"`
	Text    string    `json:"text,omitempty"`
	Product string    `json:"product,omitempty"`
	At      time.Time `json:"at,omitzero"` // when it was last changed or used
	Score   float64   `json:"score"`       // how well it fits, 0 to 1; comparable within a kind alone
}

// Limits of a Search.
const (
	usualHits  = 20
	mostHits   = 200
	searchPool = 1000 // memories of each level that are considered
)

// Search looks for a text in memories, facts and elements of the map, in use or not. Hits of several kinds are
// interleaved, the best of each kind first. Advanced.
func (m *Memory) Search(ctx context.Context, q SearchQuery) ([]SearchHit, error) {
	if strings.TrimSpace(q.Text) == "" {
		return nil, &tree.FieldError{Field: "text", Problem: "is empty; say what is looked for"}
	}
	for _, k := range q.Kinds {
		if !slices.Contains(SearchKinds(), k) {
			return nil, &tree.FieldError{Field: "kind", Problem: fmt.Sprintf("is %.40q; use %s", k,
				strings.Join(SearchKinds(), ", "))}
		}
	}
	if err := q.Where.Check(); err != nil {
		return nil, err
	}
	q.Limit = min(cmp.Or(max(q.Limit, 0), usualHits), mostHits)
	wants := func(k string) bool { return len(q.Kinds) == 0 || slices.Contains(q.Kinds, k) }
	var lists [][]SearchHit
	memories, err := m.searchMemories(ctx, &q, wants)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	for _, kind := range []tree.Type{tree.Case, tree.Experience, tree.Strategy} {
		of := slices.Clone(memories)
		lists = append(lists, slices.DeleteFunc(of, func(h SearchHit) bool { return h.Kind != string(kind) }))
	}
	if wants(FoundFact) {
		facts, err := m.searchFacts(ctx, &q)
		if err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
		lists = append(lists, facts)
	}
	if wants(FoundElement) && q.Where.Since == "" && q.Where.Until == "" {
		elements, err := m.searchElements(ctx, &q)
		if err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
		lists = append(lists, elements)
	}
	for _, l := range lists {
		for i := range l {
			l[i].Score = math.Round(l[i].Score*1000) / 1000
		}
	}
	return interleaved(lists, quotations(q.Text), q.Limit), nil
}

// interleaved returns the first hits of several lists in turn that have all quotations.
func interleaved(lists [][]SearchHit, quoted []string, most int) []SearchHit {
	for i := range lists {
		lists[i] = slices.DeleteFunc(lists[i], func(h SearchHit) bool {
			all := text.Letters(h.Title + " " + h.Text)
			return slices.ContainsFunc(quoted, func(s string) bool { return !strings.Contains(all, text.Letters(s)) })
		})
	}
	out := []SearchHit{}
	for at := 0; len(out) < most; at++ {
		any := false
		for _, l := range lists {
			if at < len(l) && len(out) < most {
				out, any = append(out, l[at]), true
			}
		}
		if !any {
			break
		}
	}
	return out
}

// quotations returns the parts of a text in double quotation marks.
func quotations(s string) (out []string) {
	for i, part := range strings.FieldsFunc(strings.NewReplacer("“", "\"", "”", "\"").Replace(" "+s),
		func(r rune) bool { return r == '"' }) {
		if part = strings.TrimSpace(part); i%2 == 1 && part != "" {
			out = append(out, part)
		}
	}
	return out
}

func (m *Memory) searchMemories(ctx context.Context, q *SearchQuery, wants func(string) bool) ([]SearchHit, error) {
	r, err := m.core.Index().Explain(ctx, retrieval.Query{
		Prompt: q.Text, Now: m.opts.Now(), Limits: retrieval.Limits{Candidates: searchPool},
	})
	if err != nil {
		return nil, err
	}
	where := q.Where
	where.Words = ""
	terms := terms(text.Terms(q.Text))
	var out []SearchHit
	for i := range r.Considered {
		h := &r.Considered[i]
		if h.Rel <= 0 || !wants(string(h.Type)) {
			continue
		}
		n, err := m.core.Read(ctx, h.ID)
		if err != nil || n == nil || !where.HasNode(n) {
			continue
		}
		if q.Lang != "" {
			*n = m.words.Shown(n, q.Lang)
		}
		hit := SearchHit{Kind: string(n.Type), ID: n.ID, Title: cmp.Or(n.Content.Title, n.Content.Description),
			Text: n.Content.Guidance, Product: n.Scope.Product, At: n.Metadata.UpdatedAt, Score: h.Rel}
		if c := n.CaseData; c != nil {
			hit.Title, hit.Text = c.TestCase.Prompt, c.EvaluatorReason
		}
		hit.Score = max(hit.Score, terms.shareIn(hit.Title+"\n"+hit.Text+"\n"+n.Content.Description))
		if hit.Score >= leastHit {
			out = append(out, hit)
		}
	}
	slices.SortStableFunc(out, func(a, b SearchHit) int { return cmp.Compare(b.Score, a.Score) })
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

func (m *Memory) searchFacts(ctx context.Context, q *SearchQuery) (out []SearchHit, err error) {
	where := q.Where
	keep := func(f *knowledge.Fact) bool {
		day := f.Used.UTC().Format(time.DateOnly)
		return (where.Product == "" || f.Scope.Product == "" || f.Scope.Product == where.Product) &&
			day >= where.Since && (where.Until == "" || day <= where.Until)
	}
	err = m.viewFacts(ctx, func(b *knowledge.Base) {
		for _, f := range b.Search(q.Text, m.opts.Now(), mostHits, keep) {
			out = append(out, SearchHit{Kind: FoundFact, ID: f.ID, Title: f.Text, Text: strings.Join(f.Pages, ", "),
				Product: f.Scope.Product, At: f.Used, Score: f.Score})
		}
	})
	return out, err
}

func (m *Memory) searchElements(ctx context.Context, q *SearchQuery) (out []SearchHit, err error) {
	err = m.Map().Read(ctx, func(x *appmap.Map) {
		products := x.Products()
		if q.Where.Product != "" {
			products = []string{q.Where.Product}
		}
		for _, p := range products {
			ask := appmap.Query{Text: q.Text, Product: p, Least: -1, Limit: appmap.MostFound}
			for _, f := range x.Find(ask) {
				out = append(out, SearchHit{Kind: FoundElement, Title: strings.TrimSpace(f.Role + " " + f.Name),
					Text: f.Page + " " + f.Selector, Product: p, Score: f.Score})
			}
		}
	})
	slices.SortStableFunc(out, func(a, b SearchHit) int { return cmp.Compare(b.Score, a.Score) })
	return out, err
}
