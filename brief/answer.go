package brief

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/prompts"
)

// takenAnswer is the result of an answer.
type takenAnswer struct {
	ReadCounts
	Again *ReadingTask // the tests whose picks were all refused, to be sent once more; nil: none
}

// mostShare is the maximum share of the tests of a question for which one memory may be picked, from fewTests tests
// on. A memory that fits nearly every test does not distinguish between them.
const (
	mostShare = 0.6
	fewTests  = 8
)

// take checks the picks of an answer to q and puts the valid ones into the book. A pick is valid if test and memory
// are in the question and its reason is a quotation of the test. A test all of whose picks were refused is sent again
// once; after that the book has no brief for it, and the lexical search finds its memories. Memories that went out of
// use since the question was sent are skipped.
func (b *Book) take(q *ReadingTask, picks []prompts.BriefPick, by ReaderInfo) takenAnswer {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.parseSegments(false)
	var out takenAnswer
	good := make([][]Pick, len(q.tests))
	bad := make([][]string, len(q.tests))
	for i := range picks {
		t, p, why := b.check(q, &picks[i])
		switch {
		case t < 0:
			out.Refused = append(out.Refused, why)
		case why != "":
			bad[t] = append(bad[t], why)
		case p.ID != "" && roomFor(good[t], &p) && !picked(good[t], p.ID):
			if line := number(picks[i].Memory, "m", len(q.lines)); picks[i].Say != "" && p.Say == "" && !p.isFact() {
				why := whyUnsaid(picks[i].Say, q.In.Tests[t].Prompt, q.In.Memories[line].Line)
				out.Unsaid = append(out.Unsaid, "“"+picks[i].Say+"” "+why)
			}
			good[t] = append(good[t], p)
		}
	}
	if why := lopsided(q, good); why != "" {
		for t := range good {
			good[t], bad[t] = nil, nil
		}
		bad[0] = []string{why}
		for t := 1; t < len(bad); t++ {
			bad[t] = []string{""}
		}
	}
	var again []int
	for t, key := range q.tests {
		out.Refused = append(out.Refused, slices.DeleteFunc(bad[t], func(s string) bool { return s == "" })...)
		f := b.briefs[key]
		failed := len(good[t]) == 0 && len(bad[t]) > 0
		switch {
		case f == nil:
		case failed && !q.again:
			again = append(again, t)
		default:
			b.count(f, -1)
			b.put(f, q, t, good[t], failed, by)
			b.count(f, 1)
			b.unsaved[key] = true
			out.Tests++
			if len(good[t]) > 0 {
				out.Told++
			}
		}
	}
	b.changes++
	if len(again) > 0 {
		out.Again = q.only(again, out.Refused)
	}
	if r := b.readers[by.By]; !r.trusted() {
		out.Refused = append(out.Refused, r.String())
	}
	return out
}

// picked reports whether a memory is among picks.
func picked(picks []Pick, id string) bool {
	return slices.ContainsFunc(picks, func(p Pick) bool { return p.ID == id })
}

// roomFor reports whether a brief with picks may have one more of this sort.
func roomFor(picks []Pick, p *Pick) bool {
	n := 0
	for i := range picks {
		if picks[i].isFact() == p.isFact() {
			n++
		}
	}
	return n < mostPicks
}

// firstOf returns the first picks of each sort for which a brief has room, reusing their memory.
func firstOf(picks []Pick) []Pick {
	out := picks[:0]
	for _, p := range picks {
		if roomFor(out, &p) {
			out = append(out, p)
		}
	}
	return out
}

// put stores the picks of an answer for test t. The caller holds the lock.
func (b *Book) put(f *Brief, q *ReadingTask, t int, picks []Pick, failed bool, by ReaderInfo) {
	f.UpTo, f.Read = max(f.UpTo, q.upTo), by
	if q.all {
		f.Picks, f.Refused = picks, failed
		f.Found, f.Named = q.found != nil && q.found[t], len(picks) > 0
		return
	}
	old := slices.DeleteFunc(f.Picks, func(p Pick) bool { return slices.Contains(q.lines, p.ID) })
	f.Picks = firstOf(append(picks, old...))
}

// check returns the index of a pick's test, and the pick or why it is refused. The index is -1 for a
// test that is not in the question; the pick is empty for a memory that is gone. The caller holds
// the lock.
func (b *Book) check(q *ReadingTask, p *prompts.BriefPick) (test int, out Pick, why string) {
	test, line := number(p.Test, "t", len(q.tests)), number(p.Memory, "m", len(q.lines))
	if test < 0 {
		return -1, Pick{}, fmt.Sprintf("there is no test %q", text.Clip(p.Test, 20))
	}
	if line < 0 {
		return test, Pick{}, fmt.Sprintf("%s: there is no memory %q", p.Test, text.Clip(p.Memory, 20))
	}
	prompt := q.In.Tests[test].Prompt
	if !quotes(p.Because, prompt) {
		return test, Pick{}, fmt.Sprintf("%s, %s: “%s” is not in the test; copy its words", p.Test, p.Memory,
			text.Clip(p.Because, 60))
	}
	m := b.remembered()[q.lines[line]]
	if m == nil {
		return test, Pick{}, ""
	}
	out = Pick{ID: m.ID, Checks: m.Checks, Because: p.Because}
	if !m.fact && whyUnsaid(p.Say, prompt, q.In.Memories[line].Line) == "" {
		out.Say = p.Say
	}
	return test, out, ""
}

// number reads t7 as 6; -1 for an invalid id, or a number outside of 1 to n.
func number(id, letter string, n int) int {
	digits, ok := strings.CutPrefix(id, letter)
	k, err := strconv.Atoi(digits)
	if !ok || err != nil || k < 1 || k > n || strconv.Itoa(k) != digits {
		return -1
	}
	return k - 1
}

// lopsided returns why an answer is refused that picks one memory for nearly every test.
func lopsided(q *ReadingTask, good [][]Pick) string {
	if len(q.tests) < fewTests {
		return ""
	}
	count := map[string]int{}
	for _, picks := range good {
		for _, p := range picks {
			count[p.ID]++
		}
	}
	for i, id := range q.lines {
		if float64(count[id]) > mostShare*float64(len(q.tests)) {
			return fmt.Sprintf("m%d is named for %d of %d tests; name it only where the test invites that very mistake",
				i+1, count[id], len(q.tests))
		}
	}
	return ""
}

// only returns the question for some of its tests, with the reasons of the refusals.
func (q *ReadingTask) only(tests []int, why []string) *ReadingTask {
	out := *q
	out.tests, out.In.Tests, out.found, out.again = nil, nil, nil, true
	for _, t := range tests {
		out.tests = append(out.tests, q.tests[t])
		out.In.Tests = append(out.In.Tests, q.In.Tests[t])
		if q.found != nil {
			out.found = append(out.found, q.found[t])
		}
	}
	out.In.Tests = renumbered(out.In.Tests)
	for _, w := range why { // the numbers of tests have changed
		if _, rest, ok := strings.Cut(w, ": "); ok && strings.HasPrefix(w, "t") {
			w = rest
		}
		out.In.Refused = append(out.In.Refused, w)
	}
	slices.Sort(out.In.Refused)
	out.In.Refused = slices.Compact(out.In.Refused)
	return &out
}

// quotes reports whether a text contains every part of a quotation, ignoring case, width, white space and punctuation.
// Parts are separated by an ellipsis.
func quotes(quotation, in string) bool {
	in = text.Letters(in)
	found := false
	for part := range strings.SplitSeq(strings.ReplaceAll(quotation, "…", "..."), "...") {
		l := text.Letters(part)
		if l == "" {
			continue
		}
		if !strings.Contains(in, l) {
			return false
		}
		found = found || len(l) >= leastQuoted
	}
	return found
}

// leastQuoted is the minimum length of a quotation, in bytes: four letters or two characters.
const leastQuoted = 4
