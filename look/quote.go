package look

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Least length of a quotation, in letters and digits; a Chinese character counts three. A whole line may be shorter,
// because an action such as click('250') has no more.
const (
	leastQuote = 12
	leastLine  = 6
)

// quotes finds quotations in the evidence, apart from case, white space and the form of quotation marks.
type quotes struct {
	evidence, task string
	lines          map[string]bool // whole lines of the evidence
}

func newQuotes(evidence, task string) *quotes {
	q := &quotes{folded(evidence), folded(task), map[string]bool{}}
	for line := range strings.Lines(evidence) {
		q.lines[bare(line)] = true
	}
	return q
}

// found reports whether a quotation is in the evidence in one piece, between separators, and not in the task.
func (q *quotes) found(quote string) bool {
	s := strings.Trim(folded(quote), ` "'.…`)
	least := leastQuote
	if q.lines[bare(quote)] {
		least = leastLine
	}
	return weight(s) >= least && whole(q.evidence, s) && !whole(q.task, s)
}

// bare returns a line folded, without the number of a step before it and marks around it.
func bare(line string) string {
	s := folded(line)
	if rest := strings.TrimLeft(s, "0123456789"); rest != s && strings.HasPrefix(rest, ". ") {
		s = rest[2:]
	}
	return strings.Trim(s, ` "'.…`)
}

// escapes are those of strings in a source text, as a log of actions has them.
var escapes = strings.NewReplacer(`\n`, " ", `\t`, " ", `\"`, `"`, `\'`, `'`)

// folded returns s in lower case, with single spaces, plain quotation marks and no escapes.
func folded(s string) string {
	var b strings.Builder
	space := true
	for _, r := range escapes.Replace(s) {
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
