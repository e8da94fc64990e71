package fact

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// maxExpected is how many expectations are read from one memory.
const maxExpected = 16

// Expect reads what should be so from sentences that say what was wrong: defects
// of a ground truth, or what an agent claimed. prompt is the task; what it quotes
// is how things should read. Only kinds are read, all if there are none given.
//
// What is read is literal: quoted texts, numbers, names of controls. A sentence
// that says it in other words gives nothing.
func Expect(sentences []string, prompt string, kinds ...Kind) []Expected {
	r := &reader{prompt: firstBytes(prompt, maxRead), kinds: kinds}
	r.task = r.quotes(r.prompt)
	for _, s := range sentences {
		for _, one := range sentenceEnd().Split(r.quotes(firstBytes(s, maxRead)), -1) {
			r.read(strings.TrimSpace(one))
		}
	}
	return r.out
}

// maxRead is how much is read of a text, in bytes.
const maxRead = 8 << 10

type reader struct {
	prompt string
	task   string // the prompt with slots in place of its quotations
	quoted []string
	kinds  []Kind
	out    []Expected
}

func (r *reader) add(e Expected) {
	if len(r.out) >= maxExpected || len(r.kinds) > 0 && !slices.Contains(r.kinds, e.Kind) {
		return
	}
	if !slices.Contains(r.out, e) {
		r.out = append(r.out, e)
	}
}

// read reads one sentence.
func (r *reader) read(s string) {
	if s == "" {
		return
	}
	r.pairs(s)
	r.sums(s)
	for _, clause := range clauses(s) {
		r.control(clause, s)
		r.set(clause, s)
		r.missing(clause, s)
	}
}

// pairs reads “X instead of Y”: what was shown and what should have been, in either
// order, and each of the two by itself.
func (r *reader) pairs(s string) {
	all := merge(literals(wasSo(), s, false), literals(beSo(), s, true))
	for i := 0; i < len(all); i++ {
		a := all[i]
		var b *literal
		if i+1 < len(all) && all[i+1].want != a.want {
			b = &all[i+1]
			i++
		} else if before, ok := r.before(s, a); ok {
			b = &before
		} else if a.weak {
			continue
		}
		r.pair(s, a, b)
	}
}

// before returns the literal that stands right before “instead of X”.
func (r *reader) before(s string, a literal) (literal, bool) {
	m := lastLiteral().FindStringSubmatchIndex(s[:a.start])
	if !a.want || a.weak || m == nil {
		return literal{}, false
	}
	l := literal{start: m[0], end: a.start, quoted: m[2] >= 0, numeric: m[2] < 0}
	for _, g := range []int{2, 4} {
		if m[g] >= 0 {
			l.s = strings.TrimSpace(s[m[g]:m[g+1]])
		}
	}
	return l, true
}

var lastLiteral = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:` + slot + `|\s` + number + `)[\s,，（(—–:-]*$`)
})

func (r *reader) pair(s string, a literal, b *literal) {
	start := a.start
	if b != nil {
		start = min(start, b.start)
	}
	subject := subjectOf(s[:start])
	got, want := a, literal{}
	if b != nil {
		want = *b
	}
	if a.want {
		got, want = want, a
	}
	e := Expected{Kind: Text, Later: later().MatchString(s)}
	e.Thing, e.Role = r.named(subject)
	e.Got, e.Want = r.filled(got.s), r.filled(want.s)
	asked := r.asked(subject)
	if e.Want == "" {
		e.Want = asked
	}
	if e.Want == "" && got.quoted && e.Thing != "" && (lettered().MatchString(subject) || slotFinder().FindString(subject) == subject) && !strings.Contains(e.Got, e.Thing) && !strings.Contains(e.Thing, e.Got) {
		e.Want = e.Thing // “the Save label reads Keep”
	}
	e.Typo = e.Want == "" && got.quoted && typo().MatchString(s[:a.end])
	e.Asked = e.Want != "" && strings.Contains(r.prompt, e.Want) && r.inTask(e.Want) && !r.laterInTask(e.Want)
	switch {
	case inputType(e.Got) || inputType(e.Want):
		e.Kind, e.Role = Input, "textbox"
	case digits(e.Got) != "" && digits(e.Got) == digits(e.Want):
		// they differ in the unit or the form alone
	case got.numeric || want.numeric:
		e.Kind = Value
	case e.Got == e.Want, !got.quoted && !want.quoted && runes(e.Got)+runes(e.Want) < 2*across:
		return // colours, directions: words of whoever wrote the note, not of the page
	}
	if e.Kind == Value && e.Thing == "" && !telling(e.Got) && !telling(e.Want) {
		return
	}
	r.add(e)
}

// typo finds that a text is spelled wrongly: it is right nowhere.
var typo = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\btypo|misspel|拼写错误|错别字|写错字`)
})

// telling reports whether a number can be looked for by itself: it has a sign of money, a
// unit or four digits.
func telling(s string) bool {
	return strings.ContainsAny(s, "¥￥$€£%％/第月") || len(digits(s)) >= 4
}

// asked returns how the task says that a subject should read: what it quotes after it,
// or says that it should be.
func (r *reader) asked(subject string) string {
	subject = strings.ReplaceAll(r.filled(subject), "的", "")
	if runes(subject) < 2 {
		return ""
	}
	for _, point := range taskPoint().Split(r.task, -1) {
		at := strings.Index(strings.ToLower(strings.ReplaceAll(point, "的", "")), strings.ToLower(subject))
		if at < 0 {
			continue
		}
		point = strings.ReplaceAll(point, "的", "")[at:]
		if l := literals(beSo(), point, true); len(l) > 0 && (l[0].quoted || runes(l[0].s) >= across) {
			return r.filled(l[0].s)
		}
		if s := slotFinder().FindString(point[:min(len(point), len(subject)+3*maxBefore)]); s != "" {
			return r.filled(s)
		}
	}
	return ""
}

const maxBefore = 30 // characters between a subject and how it should read

func inputType(s string) bool { return typeOnly().MatchString(s) }

var typeOnly = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^` + strings.TrimSuffix(typeWord, `\b`) + `$`) })
