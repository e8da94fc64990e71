package model

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/memtree/memtree/llm/meter"
	"github.com/memtree/memtree/taxonomy"
)

// Unknown is the value of a cost that is not known, in JSON.
const Unknown = "unknown"

// The variables that override the prices of memtree.yaml.
const (
	priceVariable      = "MEMTREE_LLM_PRICE"       // of the model
	embedPriceVariable = "MEMTREE_LLM_EMBED_PRICE" // of the embedding model
)

// parsePrice reads what a million tokens cost, IN,OUT: those the model reads, and those it writes.
func (m *Model) parsePrice(s string) (p meter.Price, err error) {
	in, out, found := strings.Cut(s, ",")
	var err1, err2 error
	p.In, err1 = strconv.ParseFloat(strings.TrimSpace(in), 64)
	p.Out, err2 = strconv.ParseFloat(strings.TrimSpace(out), 64)
	if !found || err1 != nil || err2 != nil || !(p.In >= 0 && p.Out >= 0 && p.In+p.Out < 1e9) {
		return meter.Price{}, m.Usage("the price is %q; "+
			"give what a million tokens read and written cost, such as 0.15,0.60", s)
	}
	return p, nil
}

// PriceOf returns the price of the chat model of that name: the one in --price, in MEMTREE_LLM_PRICE, or in
// memtree.yaml in the store's folder. Recordings cost nothing. ok is false if there is no valid price.
func (m *Model) PriceOf(model string) (p meter.Price, ok bool) {
	if model == playedModel {
		return meter.Price{}, true
	}
	if s := cmp.Or(m.price, m.Env(priceVariable)); s != "" {
		p, err := m.parsePrice(s)
		return p, err == nil
	}
	tax, err := taxonomy.ReadFolder(m.Folder())
	if err != nil {
		return meter.Price{}, false // every command that opens the store reports an invalid file
	}
	p.In, p.Out, ok = tax.PriceOf(model)
	return p, ok
}

// parseEmbedPrice reads the price of a million input tokens of an embedding model.
func (m *Model) parseEmbedPrice(s string) (p meter.Price, err error) {
	p.In, err = strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || !(p.In >= 0 && p.In < 1e9) {
		return meter.Price{}, m.Usage("%s is %q; give what a million tokens cost, such as 0.02", embedPriceVariable, s)
	}
	return p, nil
}

// EmbedPriceOf returns the price of the embedding model of that name: the one in MEMTREE_LLM_EMBED_PRICE, or in
// memtree.yaml for that name. The default price in memtree.yaml is one of chat models and does not apply. ok is false
// if there is none.
func (m *Model) EmbedPriceOf(model string) (p meter.Price, ok bool) {
	if model == playedModel {
		return meter.Price{}, true
	}
	if s := m.Env(embedPriceVariable); s != "" {
		p, err := m.parseEmbedPrice(s)
		return p, err == nil
	}
	tax, err := taxonomy.ReadFolder(m.Folder())
	if err != nil {
		return meter.Price{}, false
	}
	p.In, p.Out, ok = tax.OwnPriceOf(model)
	return p, ok
}
