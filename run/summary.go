package run

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/memtree/memtree/internal/text"
)

// messageLine is a sentence of a message that does not stay.
type messageLine struct {
	of     int // its message
	text   string
	weight float64
}

// summary has the sentences of the rest with the rarest terms, in their order, in at most room tokens; "" without room
// for one.
func (c *compaction) summary(room int) string {
	if len(c.rest) == 0 {
		return ""
	}
	head := fmt.Sprintf("Earlier messages, in short (%d):", len(c.rest))
	if c.o.Lang == "zh" {
		head = fmt.Sprintf("更早的消息摘要（%d 条）：", len(c.rest))
	}
	lines := lines(c.rest, mostLine)
	byWeight := lightest(lines)
	slices.Reverse(byWeight)
	left, taken := room-c.o.Count(head), map[int]bool{}
	begun := map[int]bool{}
	for _, i := range byWeight {
		cost := c.o.Count(" " + lines[i].text)
		if !begun[lines[i].of] {
			cost += c.o.Count(c.opening(lines[i].of))
		}
		if cost > left {
			continue
		}
		left -= cost
		taken[i], begun[lines[i].of] = true, true
	}
	for out := ""; left >= 0; { // a tokenizer may count a whole for more than its parts
		if out = c.joined(head, lines, taken); c.o.Count(out) <= room {
			return out
		}
		i := slices.IndexFunc(byWeight, func(i int) bool { return taken[i] })
		if i < 0 {
			return ""
		}
		delete(taken, byWeight[i])
	}
	return ""
}

func (c *compaction) opening(of int) string { return "\n- " + c.rest[of].Role + ":" }

// joined writes the lines that were taken, those of one message together.
func (c *compaction) joined(head string, lines []messageLine, taken map[int]bool) string {
	var b strings.Builder
	b.WriteString(head)
	last := -1
	for i, l := range lines {
		if !taken[i] {
			continue
		}
		if l.of != last {
			b.WriteString(c.opening(l.of))
			last = l.of
		}
		b.WriteString(" " + l.text)
	}
	return b.String()
}

// lines returns the sentences of messages, in at most most characters each (0: whole); of those that are the same the
// last one. The weight of a sentence is the mean of those of its terms, each less for each message that has it.
func lines(list []Message, most int) []messageLine {
	in := map[string]float64{}
	last := map[string]int{}
	var out []messageLine
	for of := range list {
		had := map[string]bool{}
		for _, s := range text.Sentences(list[of].Text) {
			if s = text.Line(s); most > 0 {
				s = text.Clip(s, most)
			}
			if at, again := last[s]; again {
				out[at].text = ""
			}
			last[s] = len(out)
			out = append(out, messageLine{of: of, text: s})
			for _, t := range text.Terms(s) {
				if !had[t] {
					had[t] = true
					in[t]++
				}
			}
		}
	}
	out = slices.DeleteFunc(out, func(l messageLine) bool { return l.text == "" })
	all := float64(len(list))
	for i := range out {
		terms := text.Terms(out[i].text)
		for _, t := range terms {
			out[i].weight += math.Log(1 + all/in[t])
		}
		out[i].weight /= float64(len(terms) + fewTerms)
	}
	return out
}

// lightest returns the places of lines by their weight, the lightest first, of equals the earlier.
func lightest(all []messageLine) []int {
	out := make([]int, len(all))
	for i := range out {
		out[i] = i
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(all[a].weight, all[b].weight) })
	return out
}

// fewTerms is added to the terms of a sentence, so that one term alone weighs little.
const fewTerms = 3
