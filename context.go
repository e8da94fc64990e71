package memtree

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memtree/memtree/appmap"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/internal/guard"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// The rings of memory that a Context draws from.
const (
	RingMemory = "memory" // lessons and cases of wrong verdicts
	RingFact   = "fact"   // what holds of the product
	RingMap    = "map"    // where things are in it
)

// Context is what an agent should know before a run or a step, from every ring of memory, within a budget.
type Context struct {
	Trial  string        `json:"trial"` // as in Guidance
	Text   string        `json:"text"`  // fenced blocks; "" if there is nothing
	Tokens int           `json:"tokens"`
	Budget int           `json:"budget"`
	Parts  []ContextPart `json:"parts"`
	Note   string        `json:"note,omitempty"`
}

// ContextPart is one thing in the text of a Context.
type ContextPart struct {
	Ring    string `json:"ring"`
	ID      string `json:"id,omitempty"` // of a memory or fact: the outcome of the run counts for it
	Text    string `json:"text,omitempty"`
	Because string `json:"because"`
}

// Limits of a Context, in tokens.
const (
	leastContext = 100
	mostContext  = 100_000
)

// workedOnce is the trust of a selector that worked the only time it was tried. Its line has the numbers.
const workedOnce = 0.2

// mostPlaces is the maximum number of selectors in a Context.
const mostPlaces = 8

// Context returns what an agent should know before a run, in at most budget tokens: the guidance of memory first, as
// Guide gives it and with its trial, then where the things are that the query names, and how to get to its page. The
// error for a budget below 100 or above 100,000 is a *tree.FieldError. Advanced.
func (m *Memory) Context(ctx context.Context, q Query, budget int) (Context, error) {
	if budget < leastContext || budget > mostContext {
		return Context{}, &tree.FieldError{Field: "budget",
			Problem: fmt.Sprintf("is %d tokens; use %d to %d", budget, leastContext, mostContext)}
	}
	q.Budget = budget
	g, err := m.Guide(ctx, q)
	if err != nil {
		return Context{}, err
	}
	out := Context{Trial: g.Trial, Text: g.Text, Budget: budget, Parts: []ContextPart{}, Note: g.Note}
	for i := range g.Items {
		it := &g.Items[i]
		p := ContextPart{Ring: RingMemory, ID: it.ID, Because: string(it.By)}
		if it.Type == enhance.OfFact {
			p.Ring = RingFact
		}
		if it.Because != "" {
			p.Because += ": " + it.Because
		}
		out.Parts = append(out.Parts, p)
	}
	places, err := m.places(ctx, &q)
	if err != nil {
		m.opts.Logger.Warn("the map was not read", "error", err)
		places = nil
	}
	out.add(places, q.Lang, q.Prompt)
	out.Tokens = enhance.Tokens(out.Text)
	return out, nil
}

// add appends a block of places, as many as the budget has room for.
func (c *Context) add(places []ContextPart, lang, prompt string) {
	if lang == "" {
		lang = text.Lang(prompt)
	}
	head := taxonomy.Text{EN: "[Where things are] Seen in earlier runs; may have moved:",
		ZH: "【位置与操作】以往运行所见，可能已变："}.In(lang)
	block := func(lines []string) string {
		b := enhance.Open + "\n" + head + "\n" + strings.Join(lines, "\n") + "\n" + enhance.Close
		if c.Text != "" {
			b = c.Text + "\n\n" + b
		}
		return b
	}
	var lines []string
	before := c.Text
	for _, p := range places {
		if enhance.Tokens(block(append(lines, p.Text))) > c.Budget {
			break
		}
		lines = append(lines, p.Text)
		c.Parts = append(c.Parts, p)
	}
	if c.Text = before; len(lines) > 0 {
		c.Text = block(lines)
	}
}

// places returns where the things are that a query names, and the way to its page, the most useful first.
func (m *Memory) places(ctx context.Context, q *Query) (out []ContextPart, err error) {
	asked := q.Prompt
	if q.Step != "" {
		asked = q.Step
	}
	err = m.Map().Read(ctx, func(x *appmap.Map) {
		if way, ok := x.Path(q.Scope.Product, "", q.Scene.Route); ok && q.Scene.Route != "" && len(way) > 0 {
			out = append(out, ContextPart{Ring: RingMap, Text: wayLine(way), Because: "the way to the page of the query"})
		}
		ask := appmap.Query{Text: asked, Product: q.Scope.Product, Page: q.Scene.Route, Least: workedOnce, Limit: mostPlaces}
		found := x.Find(ask)
		if ask.Page = ""; len(found) == 0 && q.Scene.Route != "" {
			found = x.Find(ask)
		}
		for i := range found {
			f := &found[i]
			out = append(out, ContextPart{Ring: RingMap, Text: placeLine(f),
				Because: fmt.Sprintf("fits %.2f; worked %d of %d times", f.Score, f.Worked, f.Tried)})
		}
	})
	// Names of elements come from outside, and a text in a prompt must not give orders.
	return slices.DeleteFunc(out, func(p ContextPart) bool {
		_, unsafe := guard.Unsafe(p.Text)
		return unsafe || strings.ContainsAny(p.Text, "<>")
	}), err
}

// mostPlaceLine is the maximum number of characters of a line about a place.
const mostPlaceLine = 240

func placeLine(f *appmap.Found) string {
	what := strings.TrimSpace(f.Role + " “" + f.Name + "”")
	if f.Name == "" {
		what = f.Role
	}
	line := fmt.Sprintf("%s, %s: %s %s (%d/%d)", f.Page, what, f.Do, f.Selector, f.Worked, f.Tried)
	return "- " + text.Line(text.Clip(line, mostPlaceLine))
}

func wayLine(way []appmap.Step) string {
	parts := []string{way[0].From}
	for i := range way {
		s := &way[i]
		how := strings.TrimSpace(s.Do + " " + s.Role)
		if s.Name != "" {
			how += " “" + s.Name + "”"
		}
		parts = append(parts, strings.TrimSpace(how)+" → "+s.To)
	}
	return "- " + text.Line(text.Clip(strings.Join(parts, ", "), mostPlaceLine))
}
