package run

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/tree"
)

// Message is one message of a transcript.
type Message struct {
	Role string        `json:"role"` // system, user, assistant or tool
	Kind tree.WorkKind `json:"kind,omitempty"`
	// Kind is decision, error, finding or task for what has to stay. The caller sets it: the text is not searched for it.
	Text string `json:"text"`
}

// CompactOptions set how a transcript is compacted. Budget is required.
type CompactOptions struct {
	Budget int              // most tokens of the result
	Last   int              // messages at the end that stay whole; 0: 6
	Count  func(string) int // tokens of a text; nil: an estimate, see [Tokens]
	Lang   string           // of the summary: "zh", or anything else for English
}

// Compacted is what a compaction did.
type Compacted struct {
	Before  int `json:"before"`  // tokens
	After   int `json:"after"`   // tokens, at most the budget
	Left    int `json:"left"`    // messages that are only in the summary
	Clipped int `json:"clipped"` // messages that stay in part, since the budget has no room for them
}

const (
	full      = 0.8 // of the budget: below it nothing is compacted
	usualLast = 6
	perText   = 4  // tokens of a message beside its text
	firstPart = 80 // characters that the summary has of a message
	leastText = 8  // tokens of a clipped message
)

// Compact returns a transcript in at most o.Budget tokens. Below four fifths of the budget it is unchanged. Otherwise
// system messages, those with a kind and the last ones stay whole, in their order, and the others become one line each
// of a summary, the latest as far as there is room. Where even those do not fit, the longest ones are cut, the oldest
// first, and nothing with a kind is dropped. The same transcript gives the same result.
func Compact(list []Message, o CompactOptions) ([]Message, Compacted) {
	if o.Count == nil {
		o.Count = Tokens
	}
	if o.Last <= 0 {
		o.Last = usualLast
	}
	size := func(m *Message) int { return o.Count(m.Text) + perText }
	sum := func(list []Message) (n int) {
		for i := range list {
			n += size(&list[i])
		}
		return n
	}
	done := Compacted{Before: sum(list)}
	if done.After = done.Before; float64(done.Before) <= full*float64(o.Budget) {
		return slices.Clone(list), done
	}
	var stay, rest []Message
	at := -1 // where the summary goes: behind the first system messages
	for i := range list {
		m := list[i]
		if m.Role == "system" || m.Kind != "" || i >= len(list)-o.Last {
			if at < 0 && m.Role != "system" {
				at = len(stay)
			}
			stay = append(stay, m)
			continue
		}
		rest = append(rest, m)
	}
	if at < 0 {
		at = len(stay)
	}
	done.Left = len(rest)
	done.Clipped = clip(stay, o.Budget-reserve(rest), size, o.Count)
	if s := summary(rest, o.Budget-sum(stay)-perText, &o); s != "" {
		stay = slices.Insert(stay, at, Message{Role: "system", Text: s})
	}
	done.After = sum(stay)
	return stay, done
}

// reserve is the room for the head of a summary, if there is one.
func reserve(rest []Message) int {
	if len(rest) == 0 {
		return 0
	}
	return perText + 2*leastText
}

// clip cuts the longest messages, the oldest of these first, until all fit, and returns how many it cut.
func clip(list []Message, room int, size func(*Message) int, count func(string) int) (cut int) {
	was := make([]string, len(list))
	for i := range list {
		was[i] = list[i].Text
	}
	for {
		total, at := 0, -1
		for i := range list {
			total += size(&list[i])
			if at < 0 || size(&list[i]) > size(&list[at]) {
				at = i
			}
		}
		if total <= room || at < 0 || list[at].Text == "" {
			break
		}
		m := &list[at]
		most := max(0, count(m.Text)-max(1, min(total-room, count(m.Text)/2)))
		for r := []rune(m.Text); ; r = r[:len(r)*3/4] {
			m.Text = text.Clip(string(r), max(1, len(r)*3/4))
			if len(r) < 4 || most == 0 {
				m.Text = ""
			}
			if count(m.Text) <= most {
				break
			}
		}
	}
	for i := range list {
		if list[i].Text != was[i] {
			cut++
		}
	}
	return cut
}

// summary has one line for each message, the latest ones as far as there is room; "" without room for a line.
func summary(rest []Message, room int, o *CompactOptions) string {
	if len(rest) == 0 {
		return ""
	}
	head := fmt.Sprintf("Earlier messages, in short (%d):", len(rest))
	if o.Lang == "zh" {
		head = fmt.Sprintf("更早的消息摘要（%d 条）：", len(rest))
	}
	if o.Count(head) > room {
		return ""
	}
	var lines []string
	for _, m := range slices.Backward(rest) {
		line := "- " + m.Role + ": " + text.Clip(text.Line(m.Text), firstPart)
		if o.Count(strings.Join(append([]string{head, line}, lines...), "\n")) > room {
			break
		}
		lines = append([]string{line}, lines...)
	}
	return strings.Join(append([]string{head}, lines...), "\n")
}

// Tokens estimates the tokens of a text: four characters each, one and a half Chinese ones. It is an estimate for every
// model; hand in the tokenizer of yours for an exact count.
func Tokens(s string) int {
	han, other := 0, 0
	for _, r := range s {
		if unicode.Is(unicode.Han, r) {
			han++
		} else {
			other++
		}
	}
	return (han*8 + other*3 + 11) / 12
}
