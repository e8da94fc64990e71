package fact

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"sync"
)

// An answer is what a program found that looked at the page itself for one expectation. It stands in
// an observation as a line that no snapshot has: a slash begins what is not on the page.
//
//   - /check a_0123456789abcdef: broken text
//
// After the state may stand the type of the field.
type answer struct {
	state State
	have  string // a type of field, "" for none
	line  int
	raw   string
}

// ID returns a digest of what is expected: the same for the same expectation, a_ and 16
// hexadecimal digits.
func (e *Expected) ID() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{string(e.Kind), e.Role, e.Thing, e.Want, e.Got}, "\x00")))
	return "a_" + hex.EncodeToString(sum[:8])
}

var answerLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^/check (a_[0-9a-f]{16}): (holds|broken)(?: ([a-z]+))?$`)
})

// answered reads a line without its dash, and keeps the answer if it is one.
func (p *Page) answered(n int, line, rest string) {
	m := answerLine().FindStringSubmatch(rest)
	if m == nil || m[3] != "" && !inputType(m[3]) {
		return
	}
	if p.answers == nil {
		p.answers = map[string]answer{}
	}
	state := Holds
	if m[2] == "broken" {
		state = Broken
	}
	p.answers[m[1]] = answer{state: state, have: m[3], line: n, raw: line}
}

// hear joins what was found by itself with what somebody found who looked. Where the two
// differ, the page changed between the two looks, so nothing is settled.
func (p *Page) hear(f *Fact) {
	if len(p.answers) == 0 {
		return
	}
	a, known := p.answers[f.ID()]
	switch {
	case !known || f.Kind == Input && a.have == "" && f.State == Unknown:
		// Of a field the type is told, so an answer without it says nothing.
	case f.State == Unknown:
		f.State, f.Have, f.Line, f.Seen, f.Why = a.state, a.have, a.line, a.raw, ""
		if f.Kind == Set {
			f.Have = map[bool]string{true: On, false: Off}[(f.Want == On) == (a.state == Holds)]
		}
	case f.State != a.state:
		*f = Fact{Expected: f.Expected, Why: changed}
	}
}
