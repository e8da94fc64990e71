package fact

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/memtree/memtree/text"
)

// folded is a text as it is compared: one form of every character, without case,
// spaces and the commas in numbers. cut says before which runes a word can begin or
// end.
type folded struct {
	runes []rune
	cut   []bool // one longer than runes
}

// sameSigns are characters that people write for one another.
var sameSigns = strings.NewReplacer("−", "-", "–", "-", "—", "-", "‐", "-", "’", "'", "‘", "'", "“", `"`, "”", `"`, "：", ":", "，", ",", "￥", "¥", "＞", ">", "／", "/")

func fold(s string) folded {
	s = strings.ToLower(sameSigns.Replace(text.Normal(s, maxLine)))
	if strings.Contains(s, "月") {
		s = month().ReplaceAllStringFunc(s, func(m string) string { return strconv.Itoa(months[strings.TrimSuffix(m, "月")]) + "月" })
	}
	var f folded
	before, space := rune(0), true
	all := []rune(s)
	for i, r := range all {
		if unicode.IsSpace(r) || !unicode.IsPrint(r) || r == '\ufe0f' {
			space = true
			continue
		}
		if r == ',' && unicode.IsDigit(before) && i+1 < len(all) && unicode.IsDigit(all[i+1]) {
			continue
		}
		f.cut = append(f.cut, space || part(before) != part(r) || part(r) == sign)
		f.runes = append(f.runes, r)
		before, space = r, false
	}
	f.cut = append(f.cut, true)
	return f
}

// Months are written in figures and in words.
var (
	month = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:十[一二]|[一二三四五六七八九十])月`)
	})
	months = map[string]int{"一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10, "十一": 11, "十二": 12}
)

const (
	sign = iota
	han
	word
	digit
)

// part is the sort of a character: between two sorts a word can end. A dot or a
// slash is a sign; 10.5 and 14,999 are looked for as they stand.
func part(r rune) int {
	switch {
	case unicode.Is(unicode.Han, r):
		return han
	case unicode.IsDigit(r):
		return digit
	case unicode.IsLetter(r):
		return word
	}
	return sign
}

// plain reports whether nothing of f is a letter or a digit.
func (f *folded) plain() bool {
	for _, r := range f.runes {
		if part(r) != sign {
			return false
		}
	}
	return true
}

// find returns where lit stands in f in whole words, at or after from; -1 for nowhere.
// A text of signs alone, such as a slash between links, has to be all there is.
func (f *folded) find(lit *folded, from int) int {
	if len(lit.runes) == 0 {
		return -1
	}
	if lit.plain() && len(f.runes) != len(lit.runes) {
		return -1
	}
next:
	for i := from; i+len(lit.runes) <= len(f.runes); i++ {
		if !f.cut[i] || !f.cut[i+len(lit.runes)] || splitsNumber(f.runes, i, i+len(lit.runes)) {
			continue
		}
		for k, r := range lit.runes {
			if f.runes[i+k] != r {
				continue next
			}
		}
		return i
	}
	return -1
}

// from returns what stands in f from a place on, without a colon before it.
func (f *folded) from(i int) folded {
	if i < len(f.runes) && f.runes[i] == ':' {
		i++
	}
	return folded{f.runes[i:], f.cut[i:]}
}

// splitsNumber reports whether a number goes on before or after runes[i:j]: the 5 of 10.5 and
// the 99 of 199 are no numbers of their own.
func splitsNumber(runes []rune, i, j int) bool {
	inside := func(k int) bool { return k >= 0 && k < len(runes) && unicode.IsDigit(runes[k]) }
	point := func(k int) bool { return k >= 0 && k < len(runes) && runes[k] == '.' }
	return inside(i) && (inside(i-1) || point(i-1) && inside(i-2)) ||
		inside(j-1) && (inside(j) || point(j) && inside(j+1))
}

// where returns the first node in which a text stands in whole words, of the elements
// that may have a role; nil for none. role "" is every node.
func (p *Page) where(s, role string) *node {
	lit := fold(s)
	if len(lit.runes) == 0 {
		return nil
	}
	for i := range p.nodes {
		n := &p.nodes[i]
		if role != "" && p.roles && !can(n.role, role) || n.unchosen() && role != "option" {
			continue
		}
		if n.folded.find(&lit, 0) >= 0 {
			return n
		}
	}
	if role == "" && len(lit.runes) >= across {
		return p.spread(&lit)
	}
	return nil
}

// unchosen reports whether a node is one of the values of a list that is not shown as its own.
func (n *node) unchosen() bool { return n.role == "option" && !n.set }

// across is how many characters a text has at least that may stand in pieces, one after
// the other, such as the names of weekdays.
const across = 4

// spread finds a text that stands in several nodes one after the other, in each whole.
func (p *Page) spread(lit *folded) *node {
	for i := range p.nodes {
		at := 0
		for k := i; k < len(p.nodes) && at < len(lit.runes); k++ {
			f := &p.nodes[k].folded
			n := len(f.runes)
			if n == 0 || at+n > len(lit.runes) || !slices.Equal(f.runes, lit.runes[at:at+n]) {
				break
			}
			at += n
		}
		if at == len(lit.runes) {
			return &p.nodes[i]
		}
	}
	return nil
}

func runes(s string) int { return utf8.RuneCountInString(s) }
