package evolution

import (
	"unicode/utf8"

	"github.com/memtree/memtree/llm"
)

// Price is what a million tokens cost, in any one currency.
type Price struct {
	In  float64 `json:"in"`
	Out float64 `json:"out"`
}

// Of returns what tokens cost.
func (p Price) Of(u llm.Usage) float64 {
	return (float64(u.InputTokens)*p.In + float64(u.OutputTokens)*p.Out) / 1e6
}

// calls counts what a plan has asked of the model and what is left of its bounds.
type calls struct {
	bounded bool
	left    int
	most    *float64 // cost; nil: no bound
	price   Price
	review  bool
	step    Step
	told    func(Step)
	down    error // why the model is not asked any more
}

func budget(o PlanOptions) calls {
	c := calls{most: o.MaxCost, price: o.Price, review: o.Review, told: o.Progress}
	if o.MaxCalls != nil {
		c.bounded, c.left = true, *o.MaxCalls
	}
	return c
}

// spent reports whether a call with so many characters might pass a bound: a
// character is at most about a token, and the answer may be as long as it can.
func (c *calls) spent(characters int) bool {
	if c.bounded && c.left <= 0 {
		return true
	}
	worst := c.price.Of(llm.Usage{InputTokens: characters, OutputTokens: maxAnswerTokens})
	return c.most != nil && c.step.Cost+worst > *c.most
}

// made counts a call. Where the provider did not say what it took, what it was
// given counts.
func (c *calls) made(r llm.Request, u llm.Usage) {
	if u == (llm.Usage{}) {
		u = llm.Usage{InputTokens: size(r.System, r.Prompt) / 4}
	}
	c.left--
	c.step.Calls++
	c.step.Usage = c.step.Usage.Add(u)
	c.step.Cost = c.price.Of(c.step.Usage)
	c.tell()
}

func (c *calls) tell() {
	if c.told != nil {
		c.told(c.step)
	}
}

func size(texts ...string) (n int) {
	for _, s := range texts {
		n += utf8.RuneCountInString(s)
	}
	return n
}
