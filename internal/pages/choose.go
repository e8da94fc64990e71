package pages

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"github.com/memtree/memtree/find"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// choosing is the filter form of a list: the present choice, and the possible ones.
type choosing struct {
	find.Query
	find.Choices
	Types []taxonomy.ErrorType
	Risky bool // the list has risks
}

// choose reads the choice from the address of a page, not from a form that it sends.
func choose(r *http.Request, v *Visitor, can find.Choices) (choosing, error) {
	q, err := find.Parse(r.URL.Query().Get)
	c := choosing{Query: q, Choices: can, Types: v.Memory.Taxonomy().ErrorTypes()}
	for of, now := range map[*[]find.Choice]string{&c.Products: q.Product, &c.Suites: q.Suite, &c.Runs: q.Run} {
		if now != "" && !slices.ContainsFunc(*of, func(c find.Choice) bool { return c.Name == now }) {
			*of = append(slices.Clone(*of), find.Choice{Name: now})
		}
	}
	return c, err
}

// Further reports whether a field in the collapsed part of the form is set.
func (c *choosing) Further() bool {
	return c.Suite != "" || c.Run != "" || c.Since != "" || c.Until != "" || c.ErrorType != ""
}

// address returns the part of an address with the same choice, with further values, name after name.
func (c *choosing) address(values ...string) string {
	q := c.Values()
	for i := 0; i+1 < len(values); i += 2 {
		if values[i+1] != "" {
			q.Set(values[i], values[i+1])
		}
	}
	return "?" + q.Encode()
}

// Address returns the address of the list with the same choice, from the first entry on.
func (c *choosing) Address() string { return c.address() }

// Fields returns the choice as form fields, for another form that has to send the same choice.
func (c *choosing) Fields() url.Values { return c.Values() }

// countedMost is the maximum number of memories from which the possible choices are collected.
const countedMost = 2000

// remembered returns the products, suites and runs of the first memories.
func remembered(ctx context.Context, v *Visitor) (find.Choices, error) {
	var c find.FieldCounter
	seen := 0
	for n, err := range v.Memory.Tree().Scan(ctx, store.Filter{Level: tree.Case.Level()}) {
		if err != nil {
			return find.Choices{}, err
		}
		run := ""
		if len(n.Occurrences) > 0 {
			run = n.Occurrences[len(n.Occurrences)-1].RunID
		}
		c.Add(n.Scope.Product, n.Scope.Suite, run)
		if seen++; seen == countedMost {
			break
		}
	}
	return c.Choices(), nil
}
