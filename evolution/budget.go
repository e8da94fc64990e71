package evolution

import (
	"unicode/utf8"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/meter"
)

// calls counts the model calls of a plan, and the remainder of the bounds of PlanOptions.
type calls struct {
	bounded  bool     // left is in effect; if false, calls are unbounded
	left     int      // calls
	most     *float64 // cost; nil: no bound
	price    meter.Price
	review   bool // PlanOptions.Review
	step     PlanProgress
	told     func(PlanProgress) // PlanOptions.Progress
	attempts *Attempts          // never nil
}

func budget(o PlanOptions) calls {
	c := calls{most: o.MaxCost, price: o.Price, review: o.Review, told: o.Progress, attempts: o.Attempts}
	if c.attempts == nil {
		c.attempts = &Attempts{}
	}
	if o.MaxCalls != nil {
		c.bounded, c.left = true, *o.MaxCalls
	}
	return c
}

// mightExceed reports whether a call with so many characters, and an answer of so many tokens, might exceed a bound.
// It assumes the worst: each character is a token, and the answer has the maximum length.
func (c *calls) mightExceed(characters, answer int) bool {
	if c.bounded && c.left <= 0 {
		return true
	}
	worst := c.price.Of(llm.Usage{InputTokens: characters, OutputTokens: answer})
	return c.most != nil && c.step.Cost+worst > *c.most
}

// hasRoom adds a call to others that are made at once, and reports whether the bounds allow all of them, each with its
// repair, whichever ends first. It assumes the worst.
func (c *calls) hasRoom(others *calls, characters, answer int) bool {
	const repair = 2 // a repair may have twice the tokens
	others.left += 2
	others.step.Cost += (1 + repair) * c.price.Of(llm.Usage{InputTokens: characters, OutputTokens: answer})
	return !(c.bounded && others.left > c.left || c.most != nil && c.step.Cost+others.step.Cost > *c.most)
}

// made counts a call. If the provider did not report the usage, it estimates the tokens of the request as a quarter of
// its characters.
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
