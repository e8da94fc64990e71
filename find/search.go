package find

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/tree"
)

// The kinds of things that Search finds, besides the types of memories (tree.Type).
const (
	Fact    = "fact"    // a fact about a product
	Element = "element" // an element of the map of an application
)

// Kinds returns all kinds of things that Search finds, the types of memories first.
func Kinds() []string {
	return []string{string(tree.Case), string(tree.Experience), string(tree.Strategy), Fact, Element}
}

// Search is a search in memories, facts about products, and the map of applications.
type Search struct {
	Text  string   // text to search for; a hit must have each part in double quotation marks, in any case and punctuation
	Kinds []string // kinds of things to find, see Kinds; none: all
	Lang  string   // "zh" or "en": language of lessons that have both; "": as they are stored
	Limit int      // largest number of hits, at most MostHits; 0: 20

	// Where has further conditions. Memories must fulfil all of its fields but Above and Words, facts only product and
	// days, elements only the product.
	Where Query
}

// SearchHit is one thing that a Search found.
type SearchHit struct {
	Kind    string    `json:"kind"`
	ID      string    `json:"id,omitempty"` // id of the memory or fact; "" for an element
	Title   string    `json:"title"`
	Text    string    `json:"text,omitempty"`
	Product string    `json:"product,omitempty"`
	At      time.Time `json:"at,omitzero"` // last update of a memory, last use of a fact; zero for an element
	Score   float64   `json:"score"`       // how well the hit fits, 0 to 1; comparable only within one Kind
}

// MostHits is the largest number of hits that a Search returns.
const MostHits = 200

const usualHits = 20

// Rings holds the functions that search memories, facts and elements of the map. Each returns its hits, the best first.
// In Memories, of reports whether hits of a kind are wanted.
type Rings struct {
	Memories func(ctx context.Context, q *Search, of func(kind string) bool) ([]SearchHit, error)
	Facts    func(ctx context.Context, q *Search) ([]SearchHit, error)
	Elements func(ctx context.Context, q *Search) ([]SearchHit, error)
}

// Search returns the hits of all kinds that q selects, at most q.Limit: first the best hit of each kind, then the
// second best of each, and so on. If q.Where has days, Search finds no element. The error for an invalid q is a
// *tree.FieldError.
func (r *Rings) Search(ctx context.Context, q Search) ([]SearchHit, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	q.Limit = min(cmp.Or(max(q.Limit, 0), usualHits), MostHits)
	of := func(kind string) bool { return len(q.Kinds) == 0 || slices.Contains(q.Kinds, kind) }
	memories, err := r.Memories(ctx, &q, of)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	var lists [][]SearchHit
	for _, kind := range []tree.Type{tree.Case, tree.Experience, tree.Strategy} {
		lists = append(lists, slices.DeleteFunc(slices.Clone(memories),
			func(h SearchHit) bool { return h.Kind != string(kind) }))
	}
	if of(Fact) {
		facts, err := r.Facts(ctx, &q)
		if err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
		lists = append(lists, facts)
	}
	if of(Element) && q.Where.Since == "" && q.Where.Until == "" {
		elements, err := r.Elements(ctx, &q)
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

// check returns a *tree.FieldError for the first invalid field.
func (q *Search) check() error {
	if strings.TrimSpace(q.Text) == "" {
		return wrong("text", "is empty; say what is looked for")
	}
	for _, k := range q.Kinds {
		if !slices.Contains(Kinds(), k) {
			return wrong("kind", fmt.Sprintf("is %.40q; use %s", k, strings.Join(Kinds(), ", ")))
		}
	}
	return q.Where.Check()
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
