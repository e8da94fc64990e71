package look

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Least length of a quotation, in letters and digits; a Chinese character counts three. A whole line may be shorter,
// because an action such as click('250') has no more. Three characters are never enough.
const (
	leastQuote      = 12
	leastLine       = 6
	leastCharacters = 4
)

// quotes finds quotations in the evidence, apart from case, width, white space and the form of quotation marks.
type quotes struct {
	evidence, task string
	begins         []int           // where lines begin in evidence, in order
	lines          map[string]bool // whole lines of the evidence
}

func newQuotes(evidence, task string) *quotes {
	q := &quotes{task: folded(task), lines: map[string]bool{}}
	var b strings.Builder
	for line := range strings.Lines(evidence) {
		q.lines[bare(line)] = true
		for part := range strings.SplitSeq(line, `\n`) { // a line of a text within a line
			if part = folded(part); part == "" {
				continue
			}
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			q.begins = append(q.begins, b.Len())
			b.WriteString(part)
		}
	}
	q.evidence = b.String()
	return q
}

// found reports whether a quotation is in the evidence in one piece, between separators, without a negation that it
// leaves out, and not in the task.
func (q *quotes) found(quote string) bool {
	s := strings.Trim(folded(quote), ` "'.…`)
	least := leastQuote
	if q.lines[bare(quote)] {
		least = leastLine
	}
	n, characters := weight(s)
	if n < least || characters < leastCharacters || strings.Contains(s, withheld) {
		return false
	}
	return whole(q.evidence, s, q.meant) && !whole(q.task, s, func(from, to int) bool { return true })
}

// meant reports whether a piece of the evidence has no cut number at its ends, and no negation in front of it or behind
// it that turns its meaning round.
func (q *quotes) meant(from, to int) bool {
	before, after := q.evidence[:from], q.evidence[to:]
	if cutNumber(before, q.evidence[from:], false) || cutNumber(q.evidence[:to], after, true) {
		return false
	}
	line, next := 0, len(q.evidence)
	if i, is := slices.BinarySearch(q.begins, from); is {
		line = from
	} else if i > 0 {
		line = q.begins[i-1]
	}
	if i, _ := slices.BinarySearch(q.begins, to); i < len(q.begins) {
		next = q.begins[i]
	}
	clause := q.evidence[line:from]
	if ends := clauseEnd().FindAllStringIndex(clause, -1); ends != nil {
		clause = clause[ends[len(ends)-1][1]:]
	}
	last, _ := utf8.DecodeLastRuneInString(before + q.evidence[from:to])
	ended := strings.ContainsRune(".!?;。", last)
	return !denies().MatchString(clause) && (ended || !deniesBehind().MatchString(q.evidence[to:next]))
}

// clauseEnd matches where the reach of a negation ends.
var clauseEnd = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[.!?;,。、()\[\]{}|–—]\s*| - |` +
		`\b(?:and|but|so|then|because|although|while|however)\b|但|而|却|然后`)
})

// denies matches what turns round or leaves open what follows it.
var denies = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:not|no|never|none|cannot|without|neither|nor|nobody|nothing|hardly|unable|unclear|` +
		`fail|fails|failed|false|untrue|wrong|doubt|doubts|refused|if|whether|unless)\b|n't\b|` +
		`不|没|未|无|否|勿|如果|若`)
})

// deniesBehind matches the same right behind a piece.
var deniesBehind = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[\s:="'(\[-]*(?:` +
		`(?:not|no|never|none|false|untrue|failed|unsuccessful|unsuccessfully)\b|` +
		`不|没|未|无|否|失败)`)
})

// cutNumber reports whether a text is cut in the middle of a number, such as 12|.50, -|50, 5|% or 三|十.
func cutNumber(before, after string, atEnd bool) bool {
	last, size := utf8.DecodeLastRuneInString(before)
	first, n := utf8.DecodeRuneInString(after)
	second, _ := utf8.DecodeRuneInString(after[n:])
	butLast, _ := utf8.DecodeLastRuneInString(before[:len(before)-size])
	inside := func(r rune) bool { return strings.ContainsRune(".,:/-−", r) }
	switch {
	case counts(last) && counts(first):
		return true
	case atEnd:
		return unicode.IsDigit(last) && (first == '%' || inside(first) && unicode.IsDigit(second))
	case unicode.IsDigit(first) && (last == '-' || last == '−'):
		return !unicode.IsLetter(butLast)
	}
	return unicode.IsDigit(first) && inside(last) && unicode.IsDigit(butLast)
}

// counts reports whether a character is a digit of a Chinese number.
func counts(r rune) bool {
	return strings.ContainsRune("零一二两三四五六七八九十百千万亿", r)
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

// folded returns s in lower case and of one width, with single spaces, plain quotation marks and no escapes.
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
		case strings.ContainsRune("“”„«»「」『』", r):
			r = '"'
		case strings.ContainsRune("‘’‚`", r):
			r = '\''
		case r >= '！' && r <= '～':
			r -= '！' - '!'
		}
		b.WriteRune(unicode.ToLower(r))
		space = false
	}
	return strings.TrimSpace(b.String())
}

// weight counts letters and digits, a Chinese character three times, and how many characters they are.
func weight(s string) (n, characters int) {
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Han, r):
			n, characters = n+3, characters+1
		case unicode.IsLetter(r), unicode.IsDigit(r):
			n, characters = n+1, characters+1
		}
	}
	return n, characters
}

// whole reports whether s is in text where fits is true, and begins and ends between separators there.
func whole(text, s string, fits func(from, to int) bool) bool {
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
		if !joined(before, first) && !joined(last, after) && fits(from, to) {
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
