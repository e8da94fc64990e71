package taxonomy

import "github.com/goccy/go-yaml/ast"

// modelPrice is the price of a million tokens of a model, in any one currency. The built-in set has none, since prices
// change. In an overlay:
//
//	prices:
//	  - model: qwen-plus   # left out: every model without its own price
//	    in: 0.8            # tokens that the model reads
//	    out: 2             # tokens that it writes
type modelPrice struct {
	Model   string
	In, Out float64 // 0 to 1,000,000
}

// PriceOf returns what a model costs, as the overlay sets it: in for a million tokens that the model reads, out for a
// million that it writes, in the currency of the overlay. If the overlay sets no price for the model, PriceOf returns
// the price for all models. ok is false if there is neither.
func (t *Taxonomy) PriceOf(model string) (in, out float64, ok bool) {
	if in, out, ok = t.OwnPriceOf(model); ok {
		return in, out, ok
	}
	return t.OwnPriceOf("")
}

// OwnPriceOf returns the price that the overlay sets for the model of that name, and whether it sets one. The name ""
// is the price for all models.
func (t *Taxonomy) OwnPriceOf(model string) (in, out float64, ok bool) {
	for _, own := range t.prices {
		if own.Model == model {
			return own.In, own.Out, true
		}
	}
	return 0, 0, false
}

func (d *decoder) price(f string, n ast.Node, p *modelPrice) {
	given := 0
	amount := func(out *float64) func(string, ast.Node) {
		read := d.number(out, 0, 1e6, false)
		return func(f string, n ast.Node) { given++; read(f, n) }
	}
	before := len(d.problems)
	d.fields(n, f, map[string]func(string, ast.Node){
		"model": d.name(&p.Model), "in": amount(&p.In), "out": amount(&p.Out),
	})
	if given < 2 && len(d.problems) == before {
		d.bad(line(n), f, "has no price; give in and out, what a million tokens read and written cost")
	}
}

// prices sets the prices of t. Each model may have one in a document.
func (m *merger) prices(t *Taxonomy, list []at[modelPrice]) {
	for _, p := range list {
		if first := firstLine(list, func(o modelPrice) bool { return o.Model == p.value.Model }); first != p.line {
			m.bad(p.line, p.field+".model", "is %s again, as in line %d; keep one", quote(p.value.Model), first)
			continue
		}
		t.prices = append(t.prices, p.value)
	}
	m.atMost(len(list), maxPrices, "prices")
}
