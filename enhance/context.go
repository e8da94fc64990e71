package enhance

import (
	"strings"
)

// The kinds of knowledge in a Context, as ContextPart.Ring has them.
const (
	RingMemory = "memory" // lessons and cases of wrong verdicts
	RingFact   = "fact"   // facts about the product
	RingMap    = "map"    // where things are in the product
	RingRun    = "run"    // results of the run under way, or of an ended one with a like goal
)

// Context is the text that an agent should read before a run or a step, from memories, facts, the map and earlier runs,
// within a budget of tokens.
type Context struct {
	Trial  string        `json:"trial"`  // id of the trial; hand it back in Evaluation.Trial
	Text   string        `json:"text"`   // fenced blocks; "" if there is nothing
	Tokens int           `json:"tokens"` // estimated length of Text
	Budget int           `json:"budget"` // most tokens of Text
	Parts  []ContextPart `json:"parts"`
	Note   string        `json:"note,omitempty"` // for people: why something is missing, "" if nothing is
}

// ContextPart is one entry in the text of a Context, such as a memory.
type ContextPart struct {
	Ring    string `json:"ring"`           // kind of knowledge, such as RingMemory
	ID      string `json:"id,omitempty"`   // id of the memory, fact or run; "" for a part of the map
	Text    string `json:"text,omitempty"` // line in the text of the Context; "" for a memory or fact
	Because string `json:"because"`        // why it is in the text
}

// Add appends a fenced block to the text of c: the title, and the texts of parts, in order, up to the first that
// exceeds the budget. It adds no block if the first part exceeds the budget.
func (c *Context) Add(title string, parts []ContextPart) {
	block := func(lines []string) string {
		b := Open + "\n" + title + "\n" + strings.Join(lines, "\n") + "\n" + Close
		if c.Text != "" {
			b = c.Text + "\n\n" + b
		}
		return b
	}
	var lines []string
	before := c.Text
	for _, p := range parts {
		if Tokens(block(append(lines, p.Text))) > c.Budget {
			break
		}
		lines = append(lines, p.Text)
		c.Parts = append(c.Parts, p)
	}
	if c.Text = before; len(lines) > 0 {
		c.Text = block(lines)
	}
}
