package fact

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"sync"
)

// An answer is the result of a program that checked the page itself for one expectation. It is a line of the
// observation that no snapshot contains; the slash marks lines that are not page content.
//
//   - /check a_0123456789abcdef: broken text
//
// The type of the field may follow the state.
type answer struct {
	state CheckState
	have  string // a type of field, "" for none
	line  int
	raw   string
}

// ID returns a hash of e: "a_" and 16 hexadecimal digits, equal for equal expectations. The field Check does not count.
func (e *Expected) ID() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{string(e.Kind), e.Role, e.Thing, e.Want, e.Got}, "\x00")))
	return "a_" + hex.EncodeToString(sum[:8])
}

var answerLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^/check (a_[0-9a-f]{16}): (holds|broken)(?: ([a-z]+))?$`)
})

// answered reads a line without its dash, and stores the answer if it is one.
func (p *Snapshot) answered(n int, line, rest string) {
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

// hear combines the result of the observation with the answer of a program. If the two differ, the page changed between
// them, so the state is Unknown.
func (p *Snapshot) hear(f *Finding) {
	if len(p.answers) == 0 {
		return
	}
	a, known := p.answers[f.ID()]
	switch {
	case !known || f.Kind == Input && a.have == "" && f.State == Unknown:
		// The type of a field is known, so an answer without it is no information.
	case f.State == Unknown:
		f.State, f.Have, f.Line, f.Seen, f.Why = a.state, a.have, a.line, a.raw, ""
		if f.Kind == Set {
			f.Have = map[bool]string{true: On, false: Off}[(f.Want == On) == (a.state == Holds)]
		}
	case f.State != a.state:
		*f = Finding{Expected: f.Expected, Why: changed}
	}
}
