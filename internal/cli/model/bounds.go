package model

import (
	"math"
	"time"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree/internal/tracing"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/meter"
)

// callLimits limits the model calls of a command.
type callLimits struct {
	Calls *int          // most calls; nil: no bound
	Cost  *float64      // most cost; nil: no bound
	Time  time.Duration // most time; 0: no bound
	price string        // of --price
}

// Flags adds the flags --max-calls, --max-cost, --max-time and --price, which limit the calls of models, to the command
// c. It wraps c.RunE, which must be set, to check them first.
func (m *Model) Flags(c *cobra.Command) {
	f := c.Flags()
	calls := f.Int("max-calls", 0, m.Say("ask the model at most so often; 0 asks it nothing"))
	cost := f.Float64("max-cost", 0, m.Say("spend at most so much on the model, by its price"))
	f.DurationVar(&m.Time, "max-time", 0, m.Say("ask the model for at most so long, such as 90s or 5m"))
	f.StringVar(&m.price, "price", "",
		m.Say("what a million tokens cost, IN,OUT (or MEMTREE_LLM_PRICE, or prices in memtree.yaml)"))
	then := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if f.Changed("max-calls") {
			m.Calls = calls
		}
		if f.Changed("max-cost") {
			m.Cost = cost
		}
		if err := m.Check(); err != nil {
			return err
		}
		return then(c, args)
	}
}

// Check returns an error if a limit or a price is invalid, or if the cost is limited and the price of a model unknown.
func (m *Model) Check() error {
	b := &m.callLimits
	switch {
	case b.Calls != nil && *b.Calls < 0:
		return m.Usage("--max-calls is %d; use 0 to ask no model, or a number of calls", *b.Calls)
	case b.Cost != nil && (*b.Cost < 0 || math.IsNaN(*b.Cost)):
		return m.Usage("--max-cost is %g; give what may be spent", *b.Cost)
	case b.Time < 0:
		return m.Usage("--max-time is %s; give a time such as 90s or 2m", b.Time)
	}
	for _, s := range []string{b.price, m.Env(priceVariable)} {
		if s != "" {
			if _, err := m.parsePrice(s); err != nil {
				return err
			}
		}
	}
	if s := m.Env(embedPriceVariable); s != "" {
		if _, err := m.parseEmbedPrice(s); err != nil {
			return err
		}
	}
	if b.Cost == nil {
		return nil
	}
	c, err := m.Config()
	if err != nil || m.Playing() {
		return err
	}
	decides := c.Model == "" && m.Env(decideURLVariable) != "" // then Decider asks for its price
	if _, known := m.PriceOf(c.Model); !known && !decides {
		return m.Usage("--max-cost needs to know what tokens cost; " +
			"give --price IN,OUT, such as 0.15,0.60 for a million, or the model's price in memtree.yaml under prices")
	}
	if _, known := m.EmbedPriceOf(c.EmbedModel); !known && c.EmbedModel != "" {
		return m.Usage("--max-cost needs to know what the tokens of %s cost too; "+
			"set MEMTREE_LLM_EMBED_PRICE, such as 0.02 for a million, or give its price in memtree.yaml under prices",
			c.EmbedModel)
	}
	return nil
}

// metered wraps a model in a meter with the bounds of the command.
func (m *Model) metered(of llm.Generator, model string) llm.Generator {
	m.Name, m.meter = model, m.newMeter(tracing.Model(of), model)
	return m.meter
}

// meteredTexts applies the bounds to an embedding model too. Call metered first.
func (m *Model) meteredTexts(of llm.Embedder, model string) llm.Embedder {
	if m.meter == nil {
		m.meter = m.newMeter(nil, "")
	}
	m.embed = model
	var price func(llm.Usage) float64
	if p, known := m.EmbedPriceOf(model); known {
		price = p.Of
	}
	return m.meter.Embedder(of, price)
}

// newMeter returns a meter with the bounds of the command.
func (m *Model) newMeter(of llm.Generator, model string) *meter.Meter {
	o := meter.Options{Calls: m.Calls, Cost: m.Cost}
	if m.Time > 0 {
		o.Until = time.Now().Add(m.Time)
	}
	if p, known := m.PriceOf(model); known {
		o.Price = p.Of
	}
	return meter.New(of, o)
}

// Left returns how many calls and how much cost the limits still allow; nil: no limit.
func (m *Model) Left() (calls *int, cost *float64) {
	if m.meter == nil {
		return m.Calls, m.Cost
	}
	used := m.Now()
	if m.Calls != nil {
		calls = new(max(0, *m.Calls-used.Calls))
	}
	if m.Cost != nil {
		cost = new(*m.Cost)
		if spent, known := used.Cost.(float64); known {
			*cost = max(0, *cost-spent)
		}
	}
	return calls, cost
}
