package enhance

import (
	"strings"
)

// The rings of memory that a Context draws from.
const (
	RingMemory = "memory" // lessons and cases of wrong verdicts
	RingFact   = "fact"   // what holds of the product
	RingMap    = "map"    // where things are in it
	RingRun    = "run"    // what the run under way, or an ended one with a like goal, came to
)

// Context is what an agent should know before a run or a step, from every ring of memory, within a budget.
type Context struct {
	Trial  string        `json:"trial"` // hand it back in Evaluation.Trial
	Text   string        `json:"text"`  // fenced blocks; "" if there is nothing
	Tokens int           `json:"tokens"`
	Budget int           `json:"budget"`
	Parts  []ContextPart `json:"parts"`
	Note   string        `json:"note,omitempty"`
}

// ContextPart is one thing in the text of a Context.
type ContextPart struct {
	Ring    string `json:"ring"`
	ID      string `json:"id,omitempty"` // of a memory or fact: the outcome of the run counts for it
	Text    string `json:"text,omitempty"`
	Because string `json:"because"`
}

// Add appends a block of lines under a title, as many as the budget has room for.
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
