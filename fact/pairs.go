package fact

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memtree/memtree/tree"
)

// markedLiteral is a literal of a unit, and the mark before it.
type markedLiteral struct {
	token
	mark sort // literal: no mark is near
	from int  // start of the mark
	want bool // the literal is how the thing should be; else how it was
}

func (r *noteReader) saidIn(unit string) []markedLiteral {
	all := r.tokens(unit)
	var out []markedLiteral
	for i, t := range all {
		if t.sort != literal {
			continue
		}
		s := markedLiteral{token: t, from: t.start}
		if i > 0 {
			m := all[i-1]
			if m.sort >= instead && m.sort <= is && near(unit[m.end:t.start], m.sort) {
				s.mark, s.from = m.sort, m.start
				s.want = (m.sort != seen && m.sort != is) != isDenied(unit[:m.start])
			}
		}
		out = append(out, s)
	}
	return out
}

// isDenied reports whether a text ends with a negation of what follows: did not show X.
func isDenied(before string) bool {
	before = strings.ToLower(strings.TrimSpace(before))
	for _, w := range []string{"没有", "没", "未", "不", "不会", " not", "n't", "never"} {
		if strings.HasSuffix(before, w) {
			return true
		}
	}
	return false
}

// pairs reads how a thing was and how it should have been, in either order, and one of the two alone if its mark is
// unambiguous.
func (r *noteReader) pairs(unit string) {
	all := r.saidIn(unit)
	for i := 0; i < len(all); i++ {
		a, none := all[i], markedLiteral{}
		k := i + 1 // the next literal with a mark
		for k < len(all) && all[k].mark == literal && a.mark != literal {
			k++
		}
		next := k < len(all) && all[k].mark != literal
		switch {
		case a.mark == literal && next && (all[k].mark == instead || all[k].mark == wanted) && isGap(unit[a.end:all[k].from]):
			r.pair(unit, a, all[k])
			i = k
		case a.mark == literal:
		case next && all[k].want != a.want && a.want:
			r.pair(unit, all[k], a)
			i = k
		case next && all[k].want != a.want:
			r.pair(unit, a, all[k])
			i = k
		case a.mark == is || a.mark == notSo || a.mark == instead && !isSlot(firstOf(a.text)):
			// Such a mark has a meaning only next to another literal.
		case a.want:
			r.pair(unit, none, a)
		default:
			r.pair(unit, a, none)
		}
	}
}

func isGap(s string) bool { return strings.Trim(s, " ，,—–-:：（(") == "" }

// pair makes an expectation from how a thing was and how it should have been; one of them may be empty.
func (r *noteReader) pair(unit string, was, should markedLiteral) {
	from := len(unit)
	for _, s := range []markedLiteral{was, should} {
		if s.text != "" {
			from = min(from, s.from)
		}
	}
	about := subjectOf(unit[:from])
	name, role := r.nameAndRole(about)
	if slices.ContainsFunc(r.tokens(about), func(t token) bool { return t.sort != literal }) {
		name = "" // it is a statement of its own
	}
	e := tree.Expectation{Property: tree.OfText, Seen: r.fill(was.text, false), Expected: r.fill(should.text, false)}
	if e.Expected == "" && strings.IndexFunc(was.text, isSlot) >= 0 {
		e.Expected = r.asked(about)
	}
	quoted := strings.IndexFunc(was.text+should.text, isSlot) >= 0
	if e.Expected == "" && isQuotation(about) && quoted && digits(e.Seen) == digits(name) {
		e.Expected = name // “Save” reads “Keep”
	}
	e.Where = tree.Where{Role: role, Name: name, After: r.after(unit, name)}
	if e.Where.After == "" && role == "button" { // it may be in what the task opens
		e.Where.After = shownLater().FindString(strings.Join(r.task, "\n"))
	}
	switch {
	case inputType(e.Seen) || inputType(e.Expected):
		if !strings.Contains(strings.ToLower(unit), "type") && !strings.Contains(unit, "类型") {
			return
		}
		e.Property, e.Where.Role = tree.OfAttribute, "textbox"
		e.Seen, e.Expected = attributeOf("type", e.Seen), attributeOf("type", e.Expected)
	case isHint(about):
		e.Property, e.Where.Role = tree.OfAttribute, "textbox"
		e.Seen, e.Expected = attributeOf("placeholder", e.Seen), attributeOf("placeholder", e.Expected)
	case quoted || digits(e.Seen) != "" && digits(e.Seen) == digits(e.Expected):
		// They differ in their text, or only in a unit.
	case !sameForm(e.Seen, e.Expected), name == "" && !standsAlone(e.Seen) && !standsAlone(e.Expected):
		return
	default:
		e.Property = tree.OfValue
	}
	if e.Property == tree.OfAttribute {
		if e.Where.After = ""; name == "" {
			return
		}
	}
	r.add(e, unit)
}

func attributeOf(name, value string) string {
	if value == "" {
		return ""
	}
	return name + "=" + strings.ToLower(value)
}

// sameForm reports whether two numbers can have the same meaning: both money, both shares, both times.
func sameForm(a, b string) bool {
	for _, signs := range []string{"¥￥$€£", "%％", ":"} {
		if a != "" && b != "" && strings.ContainsAny(a, signs) != strings.ContainsAny(b, signs) {
			return false
		}
	}
	return true
}

// standsAlone reports whether a number is distinctive without a label: it has a currency sign, a unit or four digits.
func standsAlone(s string) bool {
	return strings.ContainsAny(s, "¥￥$€£%％/第月") || len(digits(s)) >= 4
}

// asked returns the right value of a subject according to the task: what the task quotes soon after it, "" if there is
// nothing.
func (r *noteReader) asked(about string) string {
	about = strings.ToLower(strings.ReplaceAll(r.fill(about, false), "的", ""))
	if len([]rune(about)) < 2 {
		return ""
	}
	for _, point := range r.task {
		point = strings.ReplaceAll(point, "的", "")
		at := strings.Index(strings.ToLower(point), about)
		if at < 0 {
			continue
		}
		rest := point[min(len(point), at+len(about)):]
		if all := r.saidIn(rest); len(all) > 0 && all[0].mark != literal && isSlot(firstOf(all[0].text)) &&
			len([]rune(rest[:all[0].start])) <= maxBefore {
			return r.fill(all[0].text, false)
		}
	}
	return ""
}

const maxBefore = 10 // most characters between a subject and its right value

func firstOf(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}
