// Package enhance turns memories into guidance: the text that is put into an
// agent's prompt before a run.
//
// The text leads with what to check and what is right, because that order was
// measured to help a real model where naming the mistake first did not. It is
// one fenced block that says of itself that it holds hypotheses. Everything a
// memory says is cleaned, folded to one line and escaped, so that no memory can
// close the block, forge a heading or begin a line; a memory that gives away a
// ground truth or speaks to the agent as its master is left out.
//
// Everything here is a pure function of its arguments: the same input gives the
// same bytes, which are part of the agent's own cache key. So there are no
// scores, dates or counts in the text.
package enhance

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/memtree/memtree/fact"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/text"
	"github.com/memtree/memtree/tree"
)

// The fence around guidance.
const (
	Open  = "<memory-context>"
	Close = "</memory-context>"
)

// Options say for whom to write. The zero value works.
type Options struct {
	Lang    string       // "zh" or "en", of the headings; default: the language of Prompt
	Prompt  string       // the prompt it is written for; decides Lang and Budget where they are not given
	Budget  int          // tokens for the memories, see Tokens; default: by the length of Prompt
	Prompts *prompts.Set // default: the built-in templates
	Words   *Wording     // default: that of the built-in taxonomy

	// Asked are the checks that the prompt calls for, the surest first. They are what there is
	// to look at where a case of Here, the very page or test, went wrong and nobody knows how.
	Asked []string
	Here  []string

	// Build is the build at hand. What was found on the same one is told, with its day and
	// with reserve; what was found on another, or on nobody knows which, only if Findings says
	// so: told of an old finding a small judge finds it again, on a repaired build too.
	Build    string
	Findings bool

	// Facts are what is so on the page now; the decided ones are said first, and not counted
	// against Budget. They stand in place of the advice of the cases they were read from.
	Facts []Observed
}

// Observed is a fact, and the memory it was read from.
type Observed struct {
	fact.Fact
	ID     string
	Clause string // set by Write: what the text says of it
}

// Block is text to put into a prompt, and what it was made from.
type Block struct {
	Text    string     // fenced, without a line feed at its end; "" if there is nothing to say
	Hash    string     // of Text, "" for none
	Wording string     // the template, as prompts.Prompt.Name has it, then +facts and +findings where there are any
	IDs     []string   // the memories in it, in the order given
	Facts   []Observed // those in it, in the order given
	Dropped []Drop     // the memories left out, in the order given
}

// Drop is a memory that was left out, and why.
type Drop struct {
	ID     string `json:"id"`
	Reason string `json:"reason"` // a sentence

	Sentence string `json:"-"` // its format, one of Sentences
	Args     []any  `json:"-"` // that go into it: an id, a number
}

// Write words the nodes, which come best first. Strategies are said first, then
// experiences, then cases, each in the order given. Where the budget is short
// the last given are left out, never half of one. No nodes, or none that may be
// shown, give an empty text. The error is that of a template that does not work
// or breaks the fence; there is no text then.
func Write(nodes []tree.Node, o Options) (Block, error) {
	if len(nodes) == 0 && len(o.Facts) == 0 {
		return Block{}, nil
	}
	if o.Lang == "" {
		o.Lang = text.Lang(o.Prompt)
	}
	if o.Budget <= 0 {
		o.Budget = defaultBudget(o.Prompt)
	}
	if o.Prompts == nil {
		set, err := prompts.Load(nil)
		if err != nil {
			return Block{}, fmt.Errorf("write guidance: %w", err)
		}
		o.Prompts = set
	}
	if o.Words == nil {
		o.Words = NewWording(nil)
	}
	clauses, told := o.facts()
	items, dropped := choose(nodes, told, o)
	g, err := o.write(items, clauses)
	if err != nil {
		return Block{}, err
	}
	g.Facts = told
	for i := range nodes {
		if w, out := dropped[i]; out {
			g.Dropped = append(g.Dropped, Drop{ID: nodes[i].ID, Reason: w.String(), Sentence: w.sentence, Args: w.args})
		}
	}
	return g, nil
}

// choose turns nodes into items, and says of those left out why, by their place.
func choose(nodes []tree.Node, told []Observed, o Options) (items []wordedMemory, dropped map[int]why) {
	dropped = map[int]why{}
	said := map[taxonomy.Direction][]saying{} // the points of the items
	left := o.Budget
	full := false
	for i := range nodes {
		n := &nodes[i]
		it, w := newItem(o.supposed(n), o)
		if settled(n, told) {
			w = why{sentence: settledNow}
		}
		var points []saying
		if w.sentence == "" {
			var by string
			if points, by = it.news(said[n.Direction]); len(points) == 0 {
				w = why{saysSame, []any{by}}
			}
		}
		if w.sentence == "" && (full || it.cost() > left) {
			full = true // no smaller one jumps the queue: the last given go first
			w = why{noRoom, []any{o.Budget}}
		}
		if w.sentence != "" {
			dropped[i] = w
			continue
		}
		said[n.Direction] = append(said[n.Direction], points...)
		left -= it.cost()
		items = append(items, it)
	}
	return items, dropped
}

// write puts the items into the template and the fence.
func (o Options) write(items []wordedMemory, facts []string) (Block, error) {
	if len(items) == 0 && len(facts) == 0 {
		return Block{}, nil
	}
	var g Block
	in := prompts.GuidanceInput{Lang: o.Lang, Facts: facts}
	for _, it := range items {
		g.IDs = append(g.IDs, it.id)
		switch it.level {
		case tree.Strategy:
			in.Strategies = append(in.Strategies, it.hints...)
		case tree.Experience:
			in.Experiences = append(in.Experiences, it.hints...)
		default:
			in.Cases = append(in.Cases, it.hints...)
		}
	}
	p, err := o.Prompts.Guidance(in)
	if err != nil {
		return Block{}, fmt.Errorf("write guidance: %w", err)
	}
	if strings.ContainsAny(p.System+p.Text, "<>") {
		return Block{}, errors.New("write guidance: the template " + p.ID + " has an angle bracket in it, which could end the fence; remove it")
	}
	g.Text = strings.TrimRight(Open+"\n"+p.System+"\n\n"+p.Text, "\n") + "\n" + Close
	g.Hash, g.Wording = tree.Hash(g.Text), p.Name()
	if len(facts) > 0 {
		g.Wording += "+facts"
	}
	if slices.ContainsFunc(items, func(it wordedMemory) bool { return it.found }) {
		g.Wording += "+findings"
	}
	return g, nil
}

// Placement is where guidance goes.
type Placement int

// The placements.
const (
	Append   Placement = iota // after the prompt, which stays first and as it is
	Prepend                   // before the prompt
	Separate                  // not into the prompt: the caller hands it over apart, see Join
)

// Place returns prompt with guidance put where p says. The prompt itself stays
// as it is, byte for byte; without guidance, or with Separate, it is all that
// comes back.
func Place(prompt, guidance string, p Placement) string {
	switch {
	case guidance == "" || p == Separate:
		return prompt
	case p == Prepend:
		return guidance + "\n\n" + prompt
	}
	return prompt + "\n\n" + guidance
}

// Join returns the background knowledge an agent takes apart from its prompt:
// the user's own, as it is, and the guidance after it.
func Join(own, guidance string) string {
	if own == "" {
		return guidance
	}
	return Place(own, guidance, Append)
}

// The default budget, in tokens.
const (
	maxBudget = 300 // what agents were seen to use of a memory block
	minBudget = 280 // three lessons of two or three sentences each
)

// defaultBudget returns how many tokens the memories may take in a prompt: 15 %
// of it, but at least 280, so that a short prompt gets its few lessons too, and
// at most 300. The fence, its header and the headings are not counted.
func defaultBudget(prompt string) int {
	return min(maxBudget, max(minBudget, Tokens(prompt)*15/100))
}

// Tokens estimates how many tokens a model makes of s: one for every four
// characters, and two for every three Chinese ones.
func Tokens(s string) int {
	twelfths := 0
	for _, r := range s {
		if r >= 0x2e80 && (unicode.Is(unicode.Han, r) || r >= 0x3000 && r <= 0x303f || r >= 0xff00 && r <= 0xffef) {
			twelfths += 8
		} else {
			twelfths += 3
		}
	}
	return (twelfths + 11) / 12
}
