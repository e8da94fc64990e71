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

// Kinds of things that Search finds, besides the types of memories.
const (
	Fact    = "fact"    // a fact about a product
	Element = "element" // an element of the map of an application
)

// Kinds returns all kinds of things that Search finds, the types of memories first.
func Kinds() []string {
	return []string{string(tree.Case), string(tree.Experience), string(tree.Strategy), Fact, Element}
}

// Search is a question to all of a memory: its memories, facts and map.
type Search struct {
	Text  string   // what is looked for; a part in double quotation marks has to occur as it is
	Kinds []string // kinds of things to find, see Kinds; none: all
	Where Query    // further conditions: product, days, direction and error type; its Words are ignored
	Lang  string   // "zh" or "en": language of lessons that have both; "": as they are stored
	Limit int      // most hits; 0: 20; at most MostHits
}

// SearchHit is one thing that a Search found.
type SearchHit struct {
	Kind    string    `json:"kind"`
	ID      string    `json:"id,omitempty"` // id of the memory or fact; "" for an element
	Title   string    `json:"title"`
	Text    string    `json:"text,omitempty"`
	Product string    `json:"product,omitempty"`
	At      time.Time `json:"at,omitzero"` // when it was last changed or used
	Score   float64   `json:"score"`       // how well it fits, 0 to 1; comparable only within a kind
}

// MostHits is the most hits that a Search returns.
const MostHits = 200

const usualHits = 20

// Rings holds the functions that search memories, facts and elements of the map. Each returns its hits, the best first.
type Rings struct {
	Memories func(ctx context.Context, q *Search, of func(kind string) bool) ([]SearchHit, error)
	Facts    func(ctx context.Context, q *Search) ([]SearchHit, error)
	Elements func(ctx context.Context, q *Search) ([]SearchHit, error)
}

// Search calls Memories, and the other functions for the kinds that q selects, and returns at most q.Limit hits. Hits
// of several kinds are interleaved, the best of each kind first. If q.Where has days, it finds no element. The error
// for an invalid question is a *tree.FieldError.
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
