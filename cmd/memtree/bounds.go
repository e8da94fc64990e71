package main

import (
	"math"
	"time"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree/internal/tracing"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/meter"
)

// bounds limits the model calls of a command.
type bounds struct {
	calls *int          // nil: no bound
	cost  *float64      // nil: no bound
	time  time.Duration // 0: no bound
	price string        // of --price
}

// boundFlags adds the flags that bound a command's model calls.
func (a *app) boundFlags(c *cobra.Command) {
	f := c.Flags()
	calls := f.Int("max-calls", 0, a.say("ask the model at most so often; 0 asks it nothing"))
	cost := f.Float64("max-cost", 0, a.say("spend at most so much on the model, by its price"))
	f.DurationVar(&a.bounds.time, "max-time", 0, a.say("ask the model for at most so long, such as 90s or 5m"))
	f.StringVar(&a.bounds.price, "price", "",
		a.say("what a million tokens cost, IN,OUT (or MEMTREE_LLM_PRICE, or prices in memtree.yaml)"))
	then := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if f.Changed("max-calls") {
			a.bounds.calls = calls
		}
		if f.Changed("max-cost") {
			a.bounds.cost = cost
		}
		if err := a.checkBounds(); err != nil {
			return err
		}
		return then(c, args)
	}
}

func (a *app) checkBounds() error {
	b := &a.bounds
	switch {
	case b.calls != nil && *b.calls < 0:
		return &usageError{a.say("--max-calls is %d; use 0 to ask no model, or a number of calls", *b.calls)}
	case b.cost != nil && (*b.cost < 0 || math.IsNaN(*b.cost)):
		return &usageError{a.say("--max-cost is %g; give what may be spent", *b.cost)}
	case b.time < 0:
		return &usageError{a.say("--max-time is %s; give a time such as 90s or 2m", b.time)}
	}
	for _, s := range []string{b.price, a.set(priceVariable)} {
		if s != "" {
			if _, err := a.parsePrice(s); err != nil {
				return err
			}
		}
	}
	if s := a.set(embedPriceVariable); s != "" {
		if _, err := a.parseEmbedPrice(s); err != nil {
			return err
		}
	}
	if b.cost == nil {
		return nil
	}
	c, err := a.model()
	if err != nil || a.playing() {
		return err
	}
	if _, known := a.priceOf(c.Model); !known {
		return &usageError{a.say("--max-cost needs to know what tokens cost; " +
			"give --price IN,OUT, such as 0.15,0.60 for a million, or the model's price in memtree.yaml under prices")}
	}
	if _, known := a.embedPriceOf(c.EmbedModel); !known && c.EmbedModel != "" {
		return &usageError{a.say("--max-cost needs to know what the tokens of %s cost too; "+
			"set MEMTREE_LLM_EMBED_PRICE, such as 0.02 for a million, or give its price in memtree.yaml under prices",
			c.EmbedModel)}
	}
	return nil
}

// metered wraps a model in a meter with the bounds of the command.
func (a *app) metered(of llm.Generator, model string) llm.Generator {
	a.spending.model, a.spending.meter = model, a.newMeter(tracing.Model(of), model)
	return a.spending.meter
}

// meteredTexts applies the bounds to an embedding model too. Call metered first.
func (a *app) meteredTexts(of llm.Embedder, model string) llm.Embedder {
	if a.spending.meter == nil {
		a.spending.meter = a.newMeter(nil, "")
	}
	a.spending.embed = model
	var price func(llm.Usage) float64
	if p, known := a.embedPriceOf(model); known {
		price = p.Of
	}
	return a.spending.meter.Embedder(of, price)
}

// newMeter returns a meter with the bounds of the command.
func (a *app) newMeter(of llm.Generator, model string) *meter.Meter {
	o := meter.Options{Calls: a.bounds.calls, Cost: a.bounds.cost}
	if a.bounds.time > 0 {
		o.Until = time.Now().Add(a.bounds.time)
	}
	if p, known := a.priceOf(model); known {
		o.Price = p.Of
	}
	return meter.New(of, o)
}

// left returns the rest of the bounds after the usage so far.
func (a *app) left() (calls *int, cost *float64) {
	if a.spending.meter == nil {
		return a.bounds.calls, a.bounds.cost
	}
	used := a.spentNow()
	if a.bounds.calls != nil {
		calls = new(max(0, *a.bounds.calls-used.Calls))
	}
	if a.bounds.cost != nil {
		cost = new(*a.bounds.cost)
		if spent, known := used.Cost.(float64); known {
			*cost = max(0, *cost-spent)
		}
	}
	return calls, cost
}
