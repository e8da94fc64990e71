package brief

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/prompts"
)

// A ReadingTask is one question for a reader: tests, and the memories to consider for them.
type ReadingTask struct {
	In    prompts.BriefInput // the input of the prompt
	tests []string           // keys, in the order of In.Tests
	lines []string           // ids of memories, in the order of In.Memories
	upTo  uint64             // number of the last memory that is considered once it is answered
	all   bool               // nothing was read for these tests before
	again bool               // an answer for these tests was refused once
	found []bool             // the search finds a memory for the test; nil: unknown
}

// QuestionLimits bounds one question.
type QuestionLimits struct {
	Tests    int // most tests in one question; 0: 80
	Memories int // most memories in one question; 0: 120
	Facts    int // most facts about the product in one question, beside the memories; 0: 120
}

func (l QuestionLimits) withDefaults() QuestionLimits {
	l.Tests, l.Memories, l.Facts = cmp.Or(l.Tests, 80), cmp.Or(l.Memories, 120), cmp.Or(l.Facts, 120)
	return l
}

// Sieve is a function that returns the ids of the memories that the search finds for test t, nearest first.
type Sieve func(t *UpcomingTest) []string

// Plan returns the open questions about tests: for new tests all memories, for others the memories that are new or
// rewritten since. It skips tests that are not in the book, and those for which everything was considered. If there are
// more memories than l allows, Plan prefers lessons of the tests' products, then what near returns; near may be nil.
// The result does not depend on the order of tests. Tests of one product are next to each other.
func (b *Book) Plan(tests []UpcomingTest, l QuestionLimits, near Sieve) []ReadingTask {
	l = l.withDefaults()
	b.parseAll()
	b.mu.RLock()
	defer b.mu.RUnlock()
	lines, tops := b.lines(), b.tops()
	if len(lines) == 0 {
		return nil
	}
	waiting := map[uint64][]*Brief{}
	known := map[string]bool{}
	for i := range tests {
		key := tests[i].Key()
		if f := b.briefs[key]; f != nil && tops.open(f) && !known[key] {
			known[key] = true
			from := f.UpTo
			if !b.usable(f) {
				from = 0 // the earlier reading was not usable
			}
			waiting[from] = append(waiting[from], f)
		}
	}
	var out []ReadingTask
	for _, from := range slices.Sorted(maps.Keys(waiting)) {
		fs := waiting[from]
		slices.SortFunc(fs, func(x, y *Brief) int {
			return cmp.Or(cmp.Compare(x.Product, y.Product), cmp.Compare(x.Key, y.Key))
		})
		at, _ := slices.BinarySearchFunc(lines, from+1, func(m *numbered, n uint64) int { return cmp.Compare(m.Number, n) })
		for some := range slices.Chunk(fs, l.Tests) {
			memories, facts := concerning(some, lines[at:])
			memories = append(sieved(some, memories, l.Memories, near), sieved(some, facts, l.Facts, near)...)
			slices.SortFunc(memories, byNumber)
			out = append(out, question(some, memories, b.last, from == 0))
		}
	}
	return out
}

// lines returns the memories with a line, by their numbers. The caller holds the lock.
func (b *Book) lines() []*numbered {
	var out []*numbered
	for _, m := range b.remembered() {
		if m.Digest != "" && m.Line != "" {
			out = append(out, m)
		}
	}
	slices.SortFunc(out, byNumber)
	return out
}

func byNumber(x, y *numbered) int { return cmp.Compare(x.Number, y.Number) }

// tops has the highest numbers of what concerns tests: of memories under "", of the facts of a product under its name.
type tops map[string]uint64

// tops returns those of the memories with a line. The caller holds the lock.
func (b *Book) tops() tops {
	t := tops{}
	for _, m := range b.remembered() {
		if m.Digest != "" {
			t[m.Of] = max(t[m.Of], m.Number)
		}
	}
	return t
}

// open reports whether something that concerns a test was not read for it.
func (t tops) open(f *Brief) bool { return f.UpTo < max(t[""], t[f.Product]) }

// concerning returns the memories and the facts among lines that concern any of the tests.
func concerning(tests []*Brief, lines []*numbered) (memories, facts []*numbered) {
	for _, m := range lines {
		switch {
		case !m.fact:
			memories = append(memories, m)
		case slices.ContainsFunc(tests, func(f *Brief) bool { return m.Of == "" || m.Of == f.Product }):
			facts = append(facts, m)
		}
	}
	return memories, facts
}

// sieved returns at most so many of lines. If there are more, it prefers lessons of the tests' products, those on most
// cases first; then what the search finds for any of the tests; then other lessons; then cases and facts of their
// products. The search finds one in two of the memories that a reader picks, so it ranks after the lessons of the
// product.
func sieved(tests []*Brief, lines []*numbered, most int, near Sieve) []*numbered {
	if len(lines) <= most {
		return lines
	}
	products, nearest := map[string]bool{}, map[string]int{}
	for _, f := range tests {
		products[f.Product] = f.Product != ""
		if near == nil {
			continue
		}
		for rank, id := range near(&f.UpcomingTest) {
			if at, known := nearest[id]; !known || rank < at {
				nearest[id] = rank
			}
		}
	}
	place := func(m *numbered) (tier, rank int) {
		own := len(m.products) == 0 || slices.ContainsFunc(m.products, func(p string) bool { return products[p] })
		at, isNear := nearest[m.ID]
		switch {
		case m.lesson && own:
			return 0, -m.Cases
		case isNear:
			return 1, at
		case m.lesson:
			return 2, -m.Cases
		case own:
			return 3, 0
		}
		return 4, 0
	}
	order := slices.Clone(lines)
	slices.SortStableFunc(order, func(x, y *numbered) int {
		a, i := place(x)
		b, j := place(y)
		return cmp.Or(cmp.Compare(a, b), cmp.Compare(i, j))
	})
	return order[:most]
}

// question makes a question. Lessons are numbered m1, m2, … like cases: the line of a memory shows what it is.
func question(tests []*Brief, lines []*numbered, top uint64, all bool) ReadingTask {
	q := ReadingTask{upTo: top, all: all}
	zh := 0
	for i, f := range tests {
		q.tests = append(q.tests, f.Key)
		q.In.Tests = append(q.In.Tests, prompts.BriefTest{
			ID: fmt.Sprint("t", i+1), Product: f.Product, Place: f.Place, Prompt: f.Prompt,
		})
		if text.Lang(f.Prompt) == "zh" {
			zh++
		}
	}
	for i, m := range lines {
		q.lines = append(q.lines, m.ID)
		q.In.Memories = append(q.In.Memories, prompts.BriefMemory{ID: fmt.Sprint("m", i+1), Line: m.Line})
		q.In.Facts = q.In.Facts || m.fact
	}
	if q.In.Lang = "en"; 2*zh > len(tests) {
		q.In.Lang = "zh"
	}
	return q
}

// Size returns the numbers of tests and memories in the question.
func (q *ReadingTask) Size() (tests, memories int) { return len(q.tests), len(q.lines) }

// Halves returns two questions, each with half of the tests of q, for a model to which q is too long. It returns nil
// if q has only one test.
func (q *ReadingTask) Halves() []ReadingTask {
	n := len(q.tests)
	if n < 2 {
		return nil
	}
	half := func(from, to int) ReadingTask {
		h := *q
		h.tests = q.tests[from:to]
		h.In.Tests = renumbered(q.In.Tests[from:to])
		return h
	}
	return []ReadingTask{half(0, n/2), half(n/2, n)}
}

func renumbered(tests []prompts.BriefTest) []prompts.BriefTest {
	out := slices.Clone(tests)
	for i := range out {
		out[i].ID = fmt.Sprint("t", i+1)
	}
	return out
}
