// Package naming has a model write names that people use for the elements of a map (package appmap) besides the
// accessible ones, so that a search in other words finds them. It asks for many elements in one question. The names are
// derived data and can be dropped. A question contains routes, roles and accessible names only.
package naming

import (
	"cmp"
	"context"
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
	meter.Reading
	Product  string           // the product whose elements are named; "": all products
	Progress func(ReadResult) // called after every question; may be nil
}

// ReadResult counts what a Read did, or would do by estimate.
type ReadResult struct {
	Elements int `json:"elements"` // elements that no model had named
	meter.ReadUsage
	Names int    `json:"names"`         // names that the model wrote
	Left  int    `json:"left"`          // elements still without names; the next Read continues with them
	Why   string `json:"why,omitempty"` // last error of the model, "" if there is none
}

// Tokens of an answer at most: a part for every answer, and a part for each element.
const (
	answerTokens  = 200
	elementTokens = 90
)

// mostFailures is how many calls in a row may fail before a model is called no more.
const mostFailures = 3

// Read asks the model for names of the elements that have none yet, and saves the names. If Read is interrupted, the
// names so far stay. A call that fails is no error; ReadResult.Why has the reason. Without a model the error is an
// llm.Error of KindNotSet, unless there is no such element.
func (n *Namer) Read(ctx context.Context, o *Options) (out ReadResult, err error) {
	o = cmp.Or(o, &Options{})
	if n.s.ReadOnly && !o.DryRun {
		return out, store.ErrReadOnly
	}
	var all []appmap.Thing
	if err := n.s.Map(ctx, func(m *appmap.Map) { all = m.Unread(o.Product, n.s.Names) }); err != nil {
		return out, err
	}
	model, err := o.Model(n.s.Model)
	if err != nil && len(all) > 0 {
		return out, fmt.Errorf("name elements: %w", err)
	}
	lists := n.questions(all)
	left, used := o.Each(ctx, model, len(lists), 1, mostFailures, func(i int, of *meter.Meter) func(meter.ReadUsage) {
		names, err := n.ask(ctx, of, lists[i])
		return func(used meter.ReadUsage) {
			if out.ReadUsage, out.Names = used, out.Names+names; err != nil {
				out.Left, out.Why = out.Left+len(lists[i]), err.Error()
			}
			if o.Progress != nil {
				o.Progress(out)
			}
		}
	})
	out.ReadUsage = used
	for i, list := range lists {
		if out.Elements += len(list); i >= len(lists)-left {
			out.Left += len(list)
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

// question returns the request to a model about some elements, and its input.
func question(list []appmap.Thing) (in prompts.NamesInput, r llm.Request, err error) {
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
	p, err := prompts.Load().Names(in)
	return in, prompts.Load().Request(p, in.Lang, answerTokens+elementTokens*len(list)), err
}

// ask has one question answered, keeps the names of the answer, and counts them. An element that the answer leaves out
// has none.
func (n *Namer) ask(ctx context.Context, model llm.Generator, list []appmap.Thing) (count int, err error) {
	in, request, err := question(list)
	if err != nil {
		return 0, err
	}
	names, _, err := llm.AskFor(ctx, model, request, in.Read)
	if err != nil {
		return 0, err
	}
	for i, t := range list {
		if n.s.Names.Put(t, names[i]) {
			count += len(names[i])
		}
	}
	return count, nil
}
