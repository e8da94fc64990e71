package look

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Least length of a quotation, in letters and digits; a Chinese character counts three.
const leastQuote = 12

// quotes finds quotations in the evidence, apart from case, white space and the form of quotation marks.
type quotes struct{ evidence, task string }

func newQuotes(evidence, task string) *quotes { return &quotes{folded(evidence), folded(task)} }

// found reports whether a quotation is in the evidence in one piece, between separators, and not in the task.
func (q *quotes) found(quote string) bool {
	s := strings.Trim(folded(quote), ` "'.…`)
	return weight(s) >= leastQuote && whole(q.evidence, s) && !whole(q.task, s)
}

// folded returns s in lower case, with single spaces, and plain quotation marks.
func folded(s string) string {
	var b strings.Builder
	space := true
	for _, r := range s {
		switch {
		case unicode.IsSpace(r), unicode.Is(unicode.Cf, r):
			if !space {
				b.WriteByte(' ')
			}
			space = true
			continue
		case strings.ContainsRune("“”„«»「」『』＂", r):
			r = '"'
		case strings.ContainsRune("‘’‚＇`", r):
			r = '\''
		}
		b.WriteRune(unicode.ToLower(r))
		space = false
	}
	return strings.TrimSpace(b.String())
}

// weight counts letters and digits.
func weight(s string) (n int) {
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Han, r):
			n += 3
		case unicode.IsLetter(r), unicode.IsDigit(r):
			n++
		}
	}
	return n
}

// whole reports whether s is in text and begins and ends between separators there.
func whole(text, s string) bool {
	for at := 0; at <= len(text)-len(s); {
		i := strings.Index(text[at:], s)
		if i < 0 {
			return false
		}
		from, to := at+i, at+i+len(s)
		before, _ := utf8.DecodeLastRuneInString(text[:from])
		first, size := utf8.DecodeRuneInString(s)
		last, _ := utf8.DecodeLastRuneInString(s)
		after, _ := utf8.DecodeRuneInString(text[to:])
		if !joined(before, first) && !joined(last, after) {
			return true
		}
		at = from + size
	}
	return false
}

// joined reports whether two neighbouring characters belong together. Chinese has no separators.
func joined(a, b rune) bool {
	in := func(r rune) bool {
		return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) && !unicode.Is(unicode.Han, r)
	}
	return in(a) && in(b)
}
