package run

import (
	"slices"
	"strings"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/ledger"
)

// Message is one message in the transcript of an agent.
type Message struct {
	Role string `json:"role"` // system, user, assistant or tool
	// Kind is decision, error, finding or task if the caller knows that Compact has to keep the message. "" lets
	// Compact decide by the text, see [KindOf].
	Kind ledger.WorkKind `json:"kind,omitempty"`
	Text string          `json:"text"`
}

// CompactOptions configures Compact. Budget is required.
type CompactOptions struct {
	Budget int              // most tokens of the result
	Last   int              // number of messages at the end that stay whole; 0: 6
	Count  func(string) int // tokens of a text; nil: an estimate, one for four characters, two for three Chinese ones
	Lang   string           // language of the summary: "zh", else English

	// Read returns the kind of a message, "" for none, and its sentences that have to stay; nil: [KindOf]. A caller may
	// ask a model in it.
	Read func(text string) (ledger.WorkKind, []string)
}

// Compacted counts what Compact did.
type Compacted struct {
	Before  int `json:"before"`  // tokens of the transcript
	After   int `json:"after"`   // tokens of the result
	Marked  int `json:"marked"`  // messages that Read recognized as an error, a finding or a decision
	Left    int `json:"left"`    // messages that the summary replaces
	Short   int `json:"short"`   // marked messages that lost some sentences
	Clipped int `json:"clipped"` // messages that were cut, because the kept messages exceeded the budget
}

const (
	full      = 0.8 // of the budget: below it nothing is compacted
	usualLast = 6
	perText   = 4   // tokens of a message beside its text
	mostLine  = 300 // characters of a sentence in the summary
	leastText = 8   // tokens of a clipped message
)

// Compact shortens a transcript to at most o.Budget tokens. A transcript of at most four fifths of the budget stays
// unchanged. Otherwise Compact keeps, whole and in order: system messages, messages with a kind, errors, findings,
// decisions, and the last messages. It replaces the others by a summary of their sentences with the rarest terms, as
// far as there is room. If even the kept messages do not fit, those that Read recognized lose their other sentences,
// and a sentence that several messages have stays once. If that is not enough, the longest messages are cut, to nothing
// if need be. No message with a kind is dropped, so very many of them may exceed the budget. The same transcript gives
// the same result.
func Compact(list []Message, o CompactOptions) ([]Message, Compacted) {
	c := compaction{o: o}
	if c.o.Count == nil {
		c.o.Count = text.Estimate
	}
	if c.o.Read == nil {
		c.o.Read = KindOf
	}
	if c.o.Last <= 0 {
		c.o.Last = usualLast
	}
	sizes, total := c.sizes(list)
	c.did.Before, c.did.After = total, total
	if float64(total) <= full*float64(o.Budget) {
		return slices.Clone(list), c.did
	}
	c.split(list, sizes)
	room := o.Budget - reserve(c.rest)
	c.shorten(room)
	c.clip(room)
	_, total = c.sizes(c.stay)
	if s := c.summary(o.Budget - total - perText); s != "" {
		c.stay = slices.Insert(c.stay, c.at, Message{Role: "system", Text: s})
	}
	_, c.did.After = c.sizes(c.stay)
	return c.stay, c.did
}

// compaction is a transcript that is being compacted.
type compaction struct {
	o    CompactOptions
	did  Compacted
	stay []Message  // whole
	rest []Message  // for the summary
	said [][]string // of each message of stay, the sentences that count, nil for one that stays whole
	at   int        // where the summary goes: behind the first system messages
}

func (c *compaction) size(m *Message) int { return c.o.Count(m.Text) + perText }

// sizes returns the tokens of messages, and their sum.
func (c *compaction) sizes(list []Message) (sizes []int, total int) {
	sizes = make([]int, len(list))
	for i := range list {
		sizes[i] = c.size(&list[i])
		total += sizes[i]
	}
	return sizes, total
}

// split parts what stays from the rest. A last message that alone is larger than half of the budget is read too.
func (c *compaction) split(list []Message, sizes []int) {
	c.at = -1
	for i, m := range list {
		last := i >= len(list)-c.o.Last
		var said []string
		if m.Role != "system" && m.Kind == "" && (!last || sizes[i] > c.o.Budget/2) {
			kind, found := c.o.Read(m.Text)
			if kind != "" {
				c.did.Marked++
				said = found
			}
			if kind == "" && !last {
				c.rest = append(c.rest, m)
				continue
			}
		}
		if c.at < 0 && m.Role != "system" {
			c.at = len(c.stay)
		}
		c.stay, c.said = append(c.stay, m), append(c.said, said)
	}
	if c.at < 0 {
		c.at = len(c.stay)
	}
	c.did.Left = len(c.rest)
}

// shorten takes sentences out of messages that were read until all fit: those that count least first, by [lines], and
// none that has to stay. A sentence of several messages stays in the last one. A message without any other goes.
func (c *compaction) shorten(room int) {
	_, total := c.sizes(c.stay)
	if total <= room {
		return
	}
	var read []Message
	var places []int
	keep := map[string]bool{}
	for i := range c.stay {
		if c.said[i] != nil {
			read, places = append(read, c.stay[i]), append(places, i)
			for _, s := range c.said[i] {
				keep[text.Line(s)] = true
			}
		}
	}
	all := lines(read, 0)
	out := map[int]bool{}
	for _, m := range read {
		total -= c.o.Count(m.Text)
	}
	for _, l := range all {
		total += c.o.Count(" " + l.text)
	}
	for _, i := range lightest(all) {
		if total <= room {
			break
		}
		if !keep[all[i].text] {
			out[i] = true
			total -= c.o.Count(" " + all[i].text)
		}
	}
	texts := make([][]string, len(read))
	for i, l := range all {
		if !out[i] {
			texts[l.of] = append(texts[l.of], l.text)
		}
	}
	c.replace(places, texts)
}

// replace puts sentences in the place of messages of stay, and removes messages without any.
func (c *compaction) replace(places []int, texts [][]string) {
	for i, at := range slices.Backward(places) {
		if short := strings.Join(texts[i], " "); len(short) < len(c.stay[at].Text) {
			c.stay[at].Text = short
			c.did.Short++
		}
		if c.stay[at].Text == "" {
			c.stay, c.said = slices.Delete(c.stay, at, at+1), slices.Delete(c.said, at, at+1)
			if at < c.at {
				c.at--
			}
		}
	}
}

// reserve is the room for the head of a summary, if there is one.
func reserve(rest []Message) int {
	if len(rest) == 0 {
		return 0
	}
	return perText + 2*leastText
}

// clip cuts the longest messages, the oldest of these first, until all fit.
func (c *compaction) clip(room int) {
	sizes, total := c.sizes(c.stay)
	was := make([]bool, len(c.stay))
	for total > room && len(sizes) > 0 {
		at := slices.Index(sizes, slices.Max(sizes))
		m := &c.stay[at]
		if m.Text == "" {
			break
		}
		n := sizes[at] - perText
		m.Text = c.cut(m.Text, max(0, n-max(1, min(total-room, n/2))))
		was[at] = true
		total -= sizes[at]
		sizes[at] = c.size(m)
		total += sizes[at]
	}
	for _, cut := range was {
		if cut {
			c.did.Clipped++
		}
	}
}

// cut returns the beginning of a text in at most so many tokens.
func (c *compaction) cut(s string, most int) string {
	for r := []rune(s); len(r) >= 4 && most > 0; r = r[:len(r)*3/4] {
		if s = text.Clip(string(r), max(1, len(r)*3/4)); c.o.Count(s) <= most {
			return s
		}
	}
	return ""
}
