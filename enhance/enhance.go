// Package enhance turns memories into guidance: the text that is put into an agent's prompt before a run.
//
// The text begins with what to check and what is right. Measured with a real model, that order helped, and naming the
// mistake first did not. The text is one fenced block, which declares its contents as hypotheses. Every text of a
// memory is cleaned, put on one line and escaped, so that no memory can close the block, forge a heading or begin a
// line. A memory that gives away a ground truth or gives the agent orders is omitted.
//
// Everything here is a pure function of its arguments: the same input gives the same bytes, and agents may use these as
// part of a cache key. So the text has no scores and no counts, and a date only with a finding of that day.
//
// Where to look:
//   - wording.go: sentences made of the fields of a memory; the only place that makes any
//   - item.go, omission.go: one memory within the budget, and why one is omitted
//   - observation.go, page_facts.go, told.go, finding.go: earlier misses of this page, held against what is seen now
//   - escape.go, truths.go, say.go: texts made safe
//   - product_facts.go: facts about the product under test
//   - context.go: memories, facts, the map and earlier runs in one text
//   - notes.go, named.go, product.go: notes of people, and memories of other pages and products
//   - why.go, second_look.go: sentences for memories that are omitted, and for a second run
package enhance

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memtree/memtree/fact"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Options configures the text that Write makes. The zero value works.
type Options struct {
	Lang   string   // "zh" or "en", of the headings; default: the language of Prompt
	Prompt string   // the prompt that the text is for; the defaults of Lang and Budget depend on it
	Budget int      // tokens for the memories, see Tokens; default: by the length of Prompt
	Whole  int      // most tokens of the whole text, headings and facts among them; 0: no bound
	Words  *Wording // default: that of the built-in taxonomy

	// Asked holds the ids of the checks that the prompt calls for, the surest first. Here holds the ids of the cases of
	// this very page or test. Own holds those of this very test: for these cases the text includes the notes of people,
	// or states that no cause was noted.
	Asked []string
	Here  []string
	Own   []string

	// Product is the product under test, if it is known. A memory of another product is marked with its product.
	Product string

	// Build is the build under test. A finding of the same build is included with its day and as possibly outdated. A
	// finding of another build, or of an unknown one, is included only if Findings is set: a small judge that is given
	// an old finding reports it again, on a repaired build too.
	Build    string
	Findings bool

	// Seen is the present observation, as fact.Read reads it; "" for none. A memory of another page or test names only
	// things that appear in Seen or Prompt. Without Seen this applies to cases only; lessons keep their names.
	Seen string

	// Refused holds the checks and texts that people refused. The caller excludes them from the nodes already; here they
	// also exclude advice in Say and notes.
	Refused *tree.Refused

	// Say maps the id of a memory to advice that a model wrote for this very test. It replaces the memory's own sentences,
	// unless it may not be shown, for example because it gives a ground truth away.
	Say map[string]string

	// Facts are facts about the page now, as Observation.Hold returns them. The decided ones come first in the text, and
	// are not charged to Budget. They replace the advice of the misses that they were read from. A requirement that is met
	// is included only if all are met.
	Facts []ObservedFact

	// Known are facts about the product, the surest first. They come before the memories.
	Known []KnownFact

	notes *givenNotes // while memories are chosen
}

// ObservedFact is an earlier mistake compared with a page: what is true of the page now, and the memory of the mistake.
type ObservedFact struct {
	fact.Finding
	ID     string // id of the memory
	Type   string // error type of the memory
	Miss   int    // index of the miss in the memory
	Alarm  bool   // the memory is of a false alarm, so nothing was missed
	Aside  bool   // Write omits the fact: the prompt is not about it, or another fact states the same
	Clause string // set by Write: how the text states the fact
	Silent bool   // set by Write: the page meets it, and Write omits it because of an undecided or broken fact
}

// Block is a text of guidance to put into a prompt, and which memories and facts it contains.
type Block struct {
	Text    string         // fenced, without a line feed at its end; "" if empty
	Hash    string         // hash of Text, "" if Text is empty
	Wording string         // name of the template (prompts.Prompt.Name), and +facts, +known, +findings if Text has any
	IDs     []string       // ids of the memories in Text, in the order of the input
	Facts   []ObservedFact // facts in Text, in the order of the input, then the silent ones
	Dropped []Drop         // memories that are not in Text, in the order of the input
}

// Drop names a memory that Write omitted, and the reason.
type Drop struct {
	ID     string `json:"id"`
	Reason string `json:"reason"` // a sentence for people

	Sentence string `json:"-"` // the format of Reason, one of Sentences
	Args     []any  `json:"-"` // arguments of the format: an id or a number
}

// Draft is guidance whose memories and facts are chosen, but whose text is not written yet.
type Draft struct {
	IDs     []string       // see Block
	Facts   []ObservedFact // see Block
	Dropped []Drop         // see Block
	Known   []KnownFact    // the facts about the product in it

	o       Options
	items   []wordedMemory
	clauses []string // of facts
	known   []string // lines
}

// Empty reports whether d has no memory and no fact, so that Write returns the text "".
func (d *Draft) Empty() bool { return len(d.items)+len(d.clauses)+len(d.known) == 0 }

// Write turns nodes, the best first, into guidance. After the facts, the text has lessons taught by people, then
// strategies, experiences and cases, each in the order given. Write omits all nodes from the first one for which the
// budget is too small. If nothing may be shown, the text is empty. Write returns an error, and no text, if a template
// does not work or breaks the fence.
func Write(nodes []tree.Node, o Options) (Block, error) {
	d, err := Choose(nodes, o)
	if err != nil {
		return Block{}, err
	}
	return d.Write()
}

// Choose selects the memories and facts for a text as Write does. It returns them as a Draft, whose method Write makes
// the text. Errors are those of Write.
func Choose(nodes []tree.Node, o Options) (Draft, error) {
	if len(nodes) == 0 && len(o.Facts) == 0 && len(o.Known) == 0 {
		return Draft{}, nil
	}
	if o.Lang == "" {
		o.Lang = text.Lang(o.Prompt)
	}
	if o.Budget <= 0 {
		o.Budget = defaultBudget(o.Prompt)
	}
	if o.Words == nil {
		o.Words = NewWording(nil)
	}
	d := Draft{}
	d.clauses, d.Facts = o.facts()
	d.Known, d.known = o.known()
	var dropped map[int]why
	d.items, dropped = choose(nodes, d.Known, o)
	d.o = o
	if err := d.fit(); err != nil {
		return Draft{}, err
	}
	for _, it := range d.items {
		d.IDs = append(d.IDs, it.id)
	}
	for i := range nodes {
		w, out := dropped[i]
		if !out && !slices.Contains(d.IDs, nodes[i].ID) {
			w, out = why{noRoom, []any{o.Whole}}, true
		}
		if out {
			d.Dropped = append(d.Dropped, Drop{ID: nodes[i].ID, Reason: w.String(), Sentence: w.sentence, Args: w.args})
		}
	}
	return d, nil
}

// fit removes content until the text has at most Options.Whole tokens: memories first, then facts of the product, both
// from the last on, then facts of the page.
func (d *Draft) fit() error {
	for d.o.Whole > 0 && !d.Empty() {
		b, err := d.Write()
		if err != nil || Tokens(b.Text) <= d.o.Whole {
			return err
		}
		switch {
		case len(d.items) > 0:
			d.items = d.items[:len(d.items)-1]
		case len(d.known) > 0:
			d.known, d.Known = d.known[:len(d.known)-1], d.Known[:len(d.Known)-1]
		default:
			d.clauses, d.Facts = nil, nil
		}
	}
	return nil
}

// Write makes the text of d. Every call returns the same text.
func (d *Draft) Write() (Block, error) {
	g, err := d.o.write(d.items, d.clauses, d.known)
	if err != nil {
		return Block{}, err
	}
	g.IDs, g.Facts, g.Dropped = d.IDs, d.Facts, d.Dropped
	return g, nil
}

// choose writes the items of the nodes that go into the text. For the others it returns the reason, by their index in
// nodes.
func choose(nodes []tree.Node, known []KnownFact, o Options) (items []wordedMemory, dropped map[int]why) {
	dropped = map[int]why{}
	said := map[taxonomy.Direction][]*saying{} // the points of the items so far, to omit repetitions
	left := o.Budget
	full := false
	o.notes = &givenNotes{by: map[string]string{}}
	for i := range nodes {
		o.notes.begin()
		n, state := o.leaveOpen(&nodes[i])
		it, w := newItem(n, o)
		if it.open = state == partly; state == settled {
			w = why{sentence: settledNow}
		}
		if id := explainedBy(&nodes[i], known); id != "" {
			w = why{explained, []any{id}}
		}
		var points []*saying
		if w.sentence == "" {
			it.nameProduct(n, o)
			var by string
			if points, by = it.takeNews(said[n.Direction]); len(points) == 0 {
				w = why{saysSame, []any{by}}
			}
		}
		cost := 0
		if w.sentence == "" {
			cost = it.cost()
		}
		if w.sentence == "" && (full || cost > left) {
			full = true // from here on all are omitted, so that a smaller one does not come before a better one
			w = why{noRoom, []any{o.Budget}}
		}
		if w.sentence != "" {
			dropped[i] = w
			continue
		}
		said[n.Direction] = append(said[n.Direction], points...)
		o.notes.give(n.ID, it.text())
		left -= cost
		items = append(items, it)
	}
	items, by := o.dropBare(items)
	for i := range nodes {
		if id := by[nodes[i].ID]; id != "" {
			dropped[i] = why{saysSame, []any{id}}
		}
	}
	return items, dropped
}

// write puts the items into the template and the fence.
func (o Options) write(items []wordedMemory, facts, known []string) (Block, error) {
	if len(items) == 0 && len(facts) == 0 && len(known) == 0 {
		return Block{}, nil
	}
	var g Block
	in := prompts.GuidanceInput{Lang: o.Lang, Facts: facts, Known: known}
	for _, it := range items {
		if it.open {
			for _, h := range it.hints {
				in.Open = append(in.Open, h.Check)
			}
			continue
		}
		switch it.level {
		case tree.Strategy:
			in.Strategies = append(in.Strategies, it.hints...)
		case tree.Experience:
			if it.taught {
				in.Taught = append(in.Taught, it.hints...)
				continue
			}
			in.Experiences = append(in.Experiences, it.hints...)
		default:
			for _, h := range it.hints {
				h.Direction, h.Here = it.direction, slices.Contains(o.Own, it.id)
				if h.Here && !it.found && h.When == "" { // a check that does not fit its note is to be read after it
					h.Check, h.Found = text.Append(h.Found, h.Check), ""
				}
				in.Cases = append(in.Cases, h)
			}
		}
	}
	p, err := prompts.Load().Guidance(in)
	if err != nil {
		return Block{}, fmt.Errorf("write guidance: %w", err)
	}
	if strings.ContainsAny(p.System+p.Text, "<>") {
		return Block{}, errors.New("write guidance: the template " + p.ID +
			" has an angle bracket in it, which could end the fence; remove it")
	}
	g.Text = strings.TrimRight(Open+"\n"+p.System+"\n\n"+p.Text, "\n") + "\n" + Close
	g.Hash, g.Wording = tree.Hash(g.Text), p.Name()
	if len(facts) > 0 {
		g.Wording += "+facts"
	}
	if len(known) > 0 {
		g.Wording += "+known"
	}
	if slices.ContainsFunc(items, func(it wordedMemory) bool { return it.found }) {
		g.Wording += "+findings"
	}
	return g, nil
}

// Placement is where guidance goes: after the prompt, before it, or separate from it.
type Placement int

// The placements.
const (
	Append   Placement = iota // the guidance follows the prompt
	prepend                   // before the prompt
	Separate                  // the guidance is not in the prompt; the caller passes it on, see Join
)

// Place returns prompt and guidance in the order of p, with a blank line between them. The bytes of the prompt are
// unchanged. Without guidance, or if p is Separate, Place returns the prompt alone.
func Place(prompt, guidance string, p Placement) string {
	switch {
	case guidance == "" || p == Separate:
		return prompt
	case p == prepend:
		return guidance + "\n\n" + prompt
	}
	return prompt + "\n\n" + guidance
}

// Join returns the background knowledge for an agent that receives it separately from the prompt: own, the user's text,
// unchanged, then a blank line and guidance. Either may be empty.
func Join(own, guidance string) string {
	if own == "" {
		return guidance
	}
	return Place(own, guidance, Append)
}

// The default budget, in tokens.
const (
	maxBudget = 300 // agents were not seen to use more of a memory block
	minBudget = 280 // three lessons of two or three sentences each
)

// defaultBudget returns the budget of the memories for a prompt: 15 % of the prompt's tokens, but at least 280, so
// that a short prompt gets a few lessons too, and at most 300. The fence, its header and the headings are not
// included.
func defaultBudget(prompt string) int {
	return min(maxBudget, max(minBudget, Tokens(prompt)*15/100))
}

// Tokens estimates the number of model tokens of s: one for every four characters, and two for every three Chinese
// characters.
func Tokens(s string) int { return text.Estimate(s) }
