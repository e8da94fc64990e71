// Package naming has a model write names that people use for the elements of a map (package appmap) besides the
// accessible ones, so that a search in other words finds them. It asks for many elements in one question. The names are
// derived data and can be dropped. A question contains routes, roles and accessible names only.
package naming

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/memtree/memtree/appmap"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/meter"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/store"
)

// Sources is where a Namer reads from and writes to.
type Sources struct {
	Map   func(ctx context.Context, read func(*appmap.Map)) error // calls read with the map
	Names *appmap.Names                                           // receives the names
	Save  func(ctx context.Context)                               // saves Names
	// Hidden reports whether no model may see texts of a product; nil: a model may see all
	Hidden   func(product string) bool
	Model    llm.Generator // model of the memory; nil: none
	ReadOnly bool          // Read fails, except as a dry run
}

// Namer asks a model for names of the elements of a map. It is safe for concurrent use.
type Namer struct{ s Sources }

// New returns a Namer with these sources.
func New(s Sources) *Namer { return &Namer{s} }

// Options configures Read. Nil and the zero value name the elements of all products, without a bound.
type Options struct {
	Product  string                  // the product whose elements are named; "": all products
	DryRun   bool                    // call no model, write nothing: Calls, Usage and Cost are estimated
	MaxCalls *int                    // most calls of the model; nil: no bound
	MaxCost  *float64                // most cost of the calls, as Price computes it; nil: no bound
	Price    func(llm.Usage) float64 // cost of an amount of tokens; nil: calls cost nothing
	Reader   llm.Generator           // replaces the model of the memory
	Progress func(ReadResult)        // called after every question; may be nil
}

// ReadResult counts what a Read did, or would do by estimate.
type ReadResult struct {
	Elements int       `json:"elements"` // elements that no model had named
	Calls    int       `json:"calls"`
	Usage    llm.Usage `json:"usage"`
	Cost     float64   `json:"cost"`
	Names    int       `json:"names"`         // names that the model wrote
	Left     int       `json:"left"`          // elements still without names; the next Read continues with them
	Why      string    `json:"why,omitempty"` // last error of the model, "" if there is none
}

// Tokens of an answer at most: a part for every answer, and a part for each element.
const (
	answerTokens  = 200
	elementTokens = 90
)

// mostFailures is how many calls in a row may fail before a model is called no more.
const mostFailures = 3

// Read asks the model for names of the elements that it has not named yet, and saves them. If Read is interrupted, the
// names so far stay. Without a model the error is an llm.Error of KindNotSet, unless every element has been named.
func (n *Namer) Read(ctx context.Context, o *Options) (out ReadResult, err error) {
	if o == nil {
		o = &Options{}
	}
	model := o.Reader
	if model == nil {
		model = n.s.Model
	}
	if n.s.ReadOnly && !o.DryRun {
		return out, store.ErrReadOnly
	}
	var all []appmap.Thing
	if err := n.s.Map(ctx, func(m *appmap.Map) { all = m.Unread(o.Product, n.s.Names) }); err != nil {
		return out, err
	}
	if model == nil && !o.DryRun && len(all) > 0 {
		err := &llm.Error{Kind: llm.KindNotSet, Err: errors.New("no model is configured")}
		return out, fmt.Errorf("name elements: %w", err)
	}
	set := prompts.Load()
	price := o.Price
	if price == nil {
		price = func(llm.Usage) float64 { return 0 }
	}
	of := meter.New(model, meter.Options{Calls: o.MaxCalls, Cost: o.MaxCost, Price: price, InRow: mostFailures})
	for _, list := range n.questions(all) {
		out.Elements += len(list)
		in, request, err := question(set, list)
		if err != nil {
			return out, fmt.Errorf("name elements: %w", err)
		}
		if o.DryRun {
			out.Calls, out.Usage = out.Calls+1, out.Usage.Add(meter.Estimate(request))
			out.Cost = price(out.Usage)
			continue
		}
		if ctx.Err() != nil || of.Full() {
			out.Left += len(list)
			continue
		}
		if err := n.ask(ctx, of, in, request, list, &out); err != nil {
			out.Left, out.Why = out.Left+len(list), err.Error()
		}
		spent := of.Total()
		out.Calls, out.Usage, out.Cost = spent.Calls, spent.Usage, price(spent.Usage)
		if o.Progress != nil {
			o.Progress(out)
		}
	}
	if !o.DryRun {
		n.s.Save(context.WithoutCancel(ctx))
	}
	return out, ctx.Err()
}

// questions parts elements into those of one question, of one product each, without the products that no model may see.
func (n *Namer) questions(all []appmap.Thing) (out [][]appmap.Thing) {
	for from := 0; from < len(all); {
		to := from + 1
		for to < len(all) && all[to].Product == all[from].Product && to-from < prompts.MaxNamesElements {
			to++
		}
		if n.s.Hidden == nil || !n.s.Hidden(all[from].Product) {
			out = append(out, all[from:to])
		}
		from = to
	}
	return out
}

// question returns the request to a model about some elements.
func question(set *prompts.Set, list []appmap.Thing) (prompts.NamesInput, llm.Request, error) {
	in := prompts.NamesInput{}
	chinese := 0
	for _, t := range list {
		if text.Lang(t.Name) == "zh" {
			chinese++
		}
		in.Elements = append(in.Elements, prompts.NamesElement{Page: t.Page, Role: t.Role, Name: t.Name})
	}
	if 2*chinese > len(list) {
		in.Lang = "zh"
	}
	p, err := set.Names(in)
	if err != nil {
		return in, llm.Request{}, err
	}
	return in, set.Request(p, in.Lang, answerTokens+elementTokens*len(list)), nil
}

// ask has one question answered, and keeps the names of the answer. An element that the answer leaves out has none.
func (n *Namer) ask(
	ctx context.Context, model llm.Generator, in prompts.NamesInput, r llm.Request, list []appmap.Thing, out *ReadResult,
) error {
	a, err := llm.Ask(ctx, model, r, func(raw json.RawMessage) error {
		_, err := in.Read(raw)
		return err
	})
	if err != nil {
		return err
	}
	names, err := in.Read(a.JSON)
	if err != nil {
		return fmt.Errorf("an answer that was read before: %w", err)
	}
	for i, t := range list {
		if n.s.Names.Put(t, names[i]) {
			out.Names += len(names[i])
		}
	}
	return nil
}
