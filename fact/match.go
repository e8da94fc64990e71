package fact

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/memtree/memtree/internal/text"
)

// folded is a text in the form for comparison: one variant of every character, lower case, without spaces and without
// the commas in numbers.
type folded struct {
	runes []rune
	cut   []bool // whether a word can begin or end before a rune; one longer than runes
}

// sameSigns replaces signs by common variants.
var sameSigns = strings.NewReplacer("−", "-", "–", "-", "—", "-", "‐", "-", "’", "'", "‘", "'", "“", `"`, "”", `"`, "：",
	":", "，", ",", "￥", "¥", "＞", ">", "／", "/")

func fold(s string) folded {
	s = strings.ToLower(sameSigns.Replace(text.Normal(s, maxLine)))
	if strings.Contains(s, "月") {
		s = month().ReplaceAllStringFunc(s, func(m string) string {
			return strconv.Itoa(months[strings.TrimSuffix(m, "月")]) +
				"月"
		})
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

// Chinese months are written in digits or characters; fold converts them to digits.
var (
	month = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:十[一二]|[一二三四五六七八九十])月`)
	})
	months = map[string]int{"一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10, "十一": 11,
		"十二": 12}
)

const (
	sign = iota
	han
	word
	digit
)

// part returns the class of a character. A word can end between characters of two classes. A full stop and a slash are
// signs.
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

// plain reports whether f has no letter and no digit.
func (f *folded) plain() bool {
	for _, r := range f.runes {
		if part(r) != sign {
			return false
		}
	}
	return true
}

// find returns the index of lit in f as whole words, or -1. If lit has only signs, such as a slash
// between links, f must be as long as lit.
func (f *folded) find(lit *folded) int {
	if len(lit.runes) == 0 {
		return -1
	}
	if lit.plain() && len(f.runes) != len(lit.runes) {
		return -1
	}
next:
	for i := range len(f.runes) - len(lit.runes) + 1 {
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

// from returns the rest of f from rune i on, without a leading colon.
func (f *folded) from(i int) folded {
	if i < len(f.runes) && f.runes[i] == ':' {
		i++
	}
	return folded{f.runes[i:], f.cut[i:]}
}

// splitsNumber reports whether runes[i:j] is part of a longer number, such as the 5 of 10.5 and the 99 of 199.
func splitsNumber(runes []rune, i, j int) bool {
	inside := func(k int) bool { return k >= 0 && k < len(runes) && unicode.IsDigit(runes[k]) }
	point := func(k int) bool { return k >= 0 && k < len(runes) && runes[k] == '.' }
	return inside(i) && (inside(i-1) || point(i-1) && inside(i-2)) ||
		inside(j-1) && (inside(j) || point(j) && inside(j+1))
}

// where returns the first node that contains a text as whole words, or nil. It searches elements that may have the
// role; role "" means every node. A text of at least across characters may also be spread over several nodes.
func (p *Snapshot) where(s, role string) *node {
	lit := fold(s)
	if len(lit.runes) == 0 {
		return nil
	}
	for i := range p.nodes {
		n := &p.nodes[i]
		if role != "" && p.roles && !can(n.role, role) || n.unchosen() && role != "option" {
			continue
		}
		if n.folded.find(&lit) >= 0 {
			return n
		}
	}
	if role == "" && len(lit.runes) >= across {
		return p.spread(&lit)
	}
	return nil
}

// Names reports whether the page contains the name of thing, such as “Add button”, as whole words. The term for its
// kind, such as “button”, may be missing on the page.
func (p *Snapshot) Names(thing string) bool {
	name, _ := new(maskedQuotes).nameAndRole(firstBytes(thing, maxLine))
	return p.where(name, "") != nil
}

// unchosen reports whether a node is an unselected option of a list.
func (n *node) unchosen() bool { return n.role == "option" && !n.set }

// across is the least number of characters of a text that may be spread over several nodes, such as the names of
// weekdays in a row.
const across = 4

// spread finds a text that consecutive nodes compose with their whole texts. It returns the first of them, or nil.
func (p *Snapshot) spread(lit *folded) *node {
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

// folding returns a text as fold compares it.
func folding(s string) string { return string(fold(s).runes) }
