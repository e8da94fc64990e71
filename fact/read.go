package fact

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// maxExpected is the most expectations that Expect returns.
const maxExpected = 16

// Expect reads what should be true of a page from sentences that say what was wrong:
// the defects of a ground truth, or what an agent claimed. prompt is the task; what it
// quotes is how things should read. Expect returns expectations of the given kinds, of
// all kinds if none is given.
//
// It reads only literal things: quoted texts, numbers, names of controls. A sentence
// that says the same in other words gives nothing.
func Expect(sentences []string, prompt string, kinds ...Kind) []Expected {
	r := &expectationReader{prompt: firstBytes(prompt, maxRead), kinds: kinds}
	r.task = r.quotes(r.prompt)
	for _, s := range sentences {
		for _, one := range sentenceEnd().Split(r.quotes(firstBytes(s, maxRead)), -1) {
			r.read(strings.TrimSpace(one))
		}
	}
	return r.out
}

// maxRead is the most bytes of a text that are read.
const maxRead = 8 << 10

// expectationReader reads the sentences about one miss.
type expectationReader struct {
	prompt string
	task   string   // the prompt with slots in place of its quotations
	quoted []string // the quotations, by slot
	kinds  []Kind
	out    []Expected
}

func (r *expectationReader) add(e Expected) {
	if len(r.out) >= maxExpected || len(r.kinds) > 0 && !slices.Contains(r.kinds, e.Kind) {
		return
	}
	if !slices.Contains(r.out, e) {
		r.out = append(r.out, e)
	}
}

// read reads one sentence.
func (r *expectationReader) read(s string) {
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

// pairs reads “X instead of Y”: what a thing read and what it should have read, in
// either order. It also reads one of the two by itself.
func (r *expectationReader) pairs(s string) {
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

// before returns the literal that stands right before the mark of a, as in “Y instead
// of X”.
func (r *expectationReader) before(s string, a literal) (literal, bool) {
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

// pair makes an expectation of a literal of sentence s and, if b is not nil, of the
// one that belongs to it.
func (r *expectationReader) pair(s string, a literal, b *literal) {
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
	e := Expected{Kind: Text, Later: needsAct().MatchString(s)}
	e.Thing, e.Role = r.nameAndRole(subject)
	e.Got, e.Want = r.filled(got.s), r.filled(want.s)
	asked := r.asked(subject)
	if e.Want == "" {
		e.Want = asked
	}
	namedByText := lettered().MatchString(subject) || slotFinder().FindString(subject) == subject
	if e.Want == "" && got.quoted && e.Thing != "" && namedByText &&
		!strings.Contains(e.Got, e.Thing) && !strings.Contains(e.Thing, e.Got) {
		e.Want = e.Thing // “the Save label reads Keep”
	}
	e.Typo = e.Want == "" && got.quoted && typo().MatchString(s[:a.end])
	e.Asked = e.Want != "" && strings.Contains(r.prompt, e.Want) && r.inTask(e.Want) && !r.laterInTask(e.Want)
	switch {
	case inputType(e.Got) || inputType(e.Want):
		e.Kind, e.Role = Input, "textbox"
	case digits(e.Got) != "" && digits(e.Got) == digits(e.Want):
		// They differ only in the unit or the form, so they are compared as texts.
	case got.numeric || want.numeric:
		e.Kind = Value
	case e.Got == e.Want, !got.quoted && !want.quoted && runes(e.Got)+runes(e.Want) < 2*across:
		return // a colour or a direction: a word of the note's writer, not of the page
	}
	if e.Kind == Value && e.Thing == "" && !standsAlone(e.Got) && !standsAlone(e.Want) {
		return
	}
	r.add(e)
}

// typo matches a sentence that says that a text is spelled wrongly.
var typo = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\btypo|misspel|拼写错误|错别字|写错字`)
})

// standsAlone reports whether a number can be looked for without a label: it has a
// sign of money, a unit or four digits.
func standsAlone(s string) bool {
	return strings.ContainsAny(s, "¥￥$€£%％/第月") || len(digits(s)) >= 4
}

// asked returns how a subject should read according to the task: what the task quotes
// soon after it, or says that it should be. It returns "" if the task does not say.
func (r *expectationReader) asked(subject string) string {
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

const maxBefore = 30 // characters that may stand between a subject and how it should read

func inputType(s string) bool { return typeOnly().MatchString(s) }

var typeOnly = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^` +
		strings.TrimSuffix(typeWord, `\b`) + `$`)
})
