package fact

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Items splits a note into the defects that it lists: at the ends of lines and sentences, at semicolons, and at numbers
// that count up from one. It never splits within quotation marks. A note without a list is one item.
func Items(note string) []string {
	var q maskedQuotes
	var out []string
	for _, s := range items(q.lift(firstBytes(note, maxRead))) {
		out = append(out, q.fill(s, true))
	}
	return out
}

// items splits a text with slots in place of its quotations.
func items(s string) []string {
	var out []string
	for _, part := range numbered(s) {
		for _, one := range strings.FieldsFunc(fullStops.Replace(part+"\n"), func(r rune) bool {
			return strings.ContainsRune("\n；;。！？!?", r)
		}) {
			one = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(one), "-*•·"))
			if one != "" {
				out = append(out, one)
			}
		}
	}
	return out
}

// fullStops replaces the full stops that end a sentence by line breaks.
var fullStops = strings.NewReplacer(". ", "\n", ".\n", "\n", "\r", "\n")

// numberings are the forms of list numbers.
var numberings = []string{"（%d）", "(%d)", "%d. ", "%d.", "%d、", "%d）", "%d) "}

// numbered cuts a text at the numbers of a list, which count up from one. It returns the text itself if it has no such
// list of two or more items.
func numbered(s string) []string {
	for _, form := range numberings {
		var out []string
		rest, first := s, false // whether the text begins with the first number
		for n := 1; ; n++ {
			mark := fmt.Sprintf(form, n)
			at := markAt(rest, mark)
			if at < 0 {
				out = append(out, rest)
				break
			}
			first = first || n == 1 && strings.TrimSpace(rest[:at]) == ""
			out, rest = append(out, rest[:at]), rest[at+len(mark):]
		}
		if len(out) > 2 || len(out) == 2 && first {
			return out
		}
	}
	return []string{s}
}

// markAt returns the index of a list number, which is not within a word, a number or a version, or -1.
func markAt(s, mark string) int {
	for from := 0; ; {
		at := strings.Index(s[from:], mark)
		if at < 0 {
			return -1
		}
		at += from
		before, _ := utf8.DecodeLastRuneInString(s[:at])
		after, _ := utf8.DecodeRuneInString(s[at+len(mark):])
		bare := unicode.IsDigit(rune(mark[0]))
		apart := at == 0 || unicode.IsSpace(before) || unicode.IsPunct(before) && before != '.'
		if !bare || apart && !unicode.IsDigit(after) {
			return at
		}
		from = at + len(mark)
	}
}

// clausesOf splits an item at commas where the rest can be read separately. A clause that begins with a mark and its
// literal, or follows a condition, belongs to the clause before it.
func clausesOf(item string) []string {
	var out []string
	begin, start, depth := 0, 0, 0 // start of the unit, and of its last clause
	open := false
	add := func(end int) {
		clause := strings.TrimSpace(item[start:end])
		if len(out) > 0 && (open || goesOn(clause)) {
			out = out[:len(out)-1]
		} else {
			begin = start
		}
		out = append(out, strings.TrimSpace(item[begin:end]))
		open = isCondition(clause)
	}
	for i, r := range item {
		switch {
		case strings.ContainsRune("（(", r):
			depth++
		case strings.ContainsRune("）)", r):
			depth = max(0, depth-1)
		case depth == 0 && (r == '，' || r == ',' && !inNumber(item, i)):
			add(i)
			start = i + utf8.RuneLen(r)
		}
	}
	add(len(item))
	return out
}

func inNumber(s string, i int) bool {
	return i > 0 && i+1 < len(s) && unicode.IsDigit(rune(s[i-1])) && unicode.IsDigit(rune(s[i+1]))
}

// goesOn reports whether a clause continues the one before it: “应为3”, “but it shows 3”.
func goesOn(clause string) bool {
	rest := clause
	for cut := true; cut; {
		cut = false
		for _, w := range conjunctions {
			if after, ok := strings.CutPrefix(strings.ToLower(rest), w); ok {
				rest, cut = strings.TrimSpace(rest[len(rest)-len(after):]), true
			}
		}
	}
	all := tokens(rest)
	return len(all) > 1 && all[0].start == 0 && all[0].sort >= instead && all[0].sort <= is && all[1].sort == literal &&
		near(rest[all[0].end:all[1].start], all[0].sort)
}

var conjunctions = []string{"但", "而", "却", "实际上", "实际", "现在", "页面", "错误地", "错误", "but ", "and ", "yet ", "it ", "they ",
	"which ", "the page "}

// isCondition reports whether a clause only states a condition for the next one.
func isCondition(clause string) bool {
	for _, w := range []string{"后", "时", "之前", "以前"} {
		if strings.HasSuffix(clause, w) {
			return true
		}
	}
	first, _, _ := strings.Cut(strings.ToLower(clause), " ")
	switch first {
	case "after", "when", "once", "while", "if", "with", "on", "upon":
		return true
	}
	return false
}

// near reports whether a mark is so close to a literal that it refers to the literal. After a mark of what was seen,
// Chinese allows no character between them: 显示为可点击的“挂号” states more than a text.
func near(between string, mark sort) bool {
	between = strings.Trim(between, " :：的了")
	if r, _ := utf8.DecodeRuneInString(between); unicode.Is(unicode.Han, r) {
		few := utf8.RuneCountInString(between) <= 4 && !strings.ContainsAny(between, "，,（）()")
		return few && (mark == instead || mark == wanted)
	}
	return len(between) <= 9 && !strings.ContainsAny(between, ",()（），")
}
