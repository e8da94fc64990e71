package model

import (
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/decide"
	"github.com/memtree/memtree/llm/meter"
	"github.com/memtree/memtree/taxonomy"
)

// The variables of a model that decides.
const (
	decideURLVariable   = "MEMTREE_DECIDE_URL"
	decideModelVariable = "MEMTREE_DECIDE_MODEL"
	decideKeyVariable   = "MEMTREE_DECIDE_API_KEY"
	decidePriceVariable = "MEMTREE_DECIDE_PRICE"
)

// Decider opens the configured model of package decide, within the limits of the command; nil if there is none. Its
// calls are counted with those of the other models, at a price of its own.
func (m *Model) Decider() (decide.Decider, error) {
	at := m.Env(decideURLVariable)
	if at == "" {
		return nil, nil
	}
	of, err := decide.Open(at, m.Env(decideModelVariable), m.Env(decideKeyVariable))
	if err != nil {
		return nil, m.Fail(err, "MEMTREE_DECIDE_URL is no address of a decision model; it ends in /systemone, /decisions "+
			"or /chat/completions")
	}
	if s := m.Env(decidePriceVariable); s != "" {
		if _, err := m.parsePrice(s); err != nil {
			return nil, err
		}
	}
	price, known := m.DecidePrice()
	if m.Cost != nil && !known {
		return nil, m.Usage("--max-cost needs to know what the tokens of the decision model cost; set " +
			"MEMTREE_DECIDE_PRICE, such as 0.15,0.60 for a million, or give its price in memtree.yaml under prices")
	}
	if m.meter == nil {
		m.meter = m.newMeter(nil, "")
	}
	if !known {
		return m.meter.Decider(of, nil), nil
	}
	return m.meter.Decider(of, price.Of), nil
}

// DecidePrice returns the price of the model of package decide: that of MEMTREE_DECIDE_PRICE, or of memtree.yaml for
// its name. Prices of the chat model do not apply to it. ok is false if there is none.
func (m *Model) DecidePrice() (p meter.Price, ok bool) {
	if s := m.Env(decidePriceVariable); s != "" {
		p, err := m.parsePrice(s)
		return p, err == nil
	}
	tax, err := taxonomy.ReadFolder(m.Folder())
	if err != nil {
		return meter.Price{}, false
	}
	p.In, p.Out, ok = tax.OwnPriceOf(m.Env(decideModelVariable))
	return p, ok
}

// DecideCost returns the cost of tokens of the model of package decide: a number, or Unknown. See CostAt.
func (m *Model) DecideCost(answers, untold int, u llm.Usage) any {
	p, known := m.DecidePrice()
	return CostAt(p, known, answers, untold, u)
}
