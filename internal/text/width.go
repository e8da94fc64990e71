package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

const (
	zwj      = '\u200d'
	emojiVS  = '\ufe0f'
	ellipsis = "…"

	// maxCluster is the most runes in a user-perceived character. Unicode's stream-safe text format (UAX #15) allows
	// 30 marks on a base.
	maxCluster = 32
)

// cluster returns the length in bytes of the first user-perceived character of s, and its width in terminal cells. It
// implements a part of the grapheme rules of UAX #29: marks, variation selectors, emoji modifiers and characters after
// a zero-width joiner stay with their base, two regional indicators make a flag, Hangul jamo make a syllable, and CR
// LF is one character. An invalid byte is a character of its own, one cell wide.
func cluster(s string) (size, cells int) {
	first, n := utf8.DecodeRuneInString(s)
	size, cells = n, runeCells(first)
	if first == '\r' && strings.HasPrefix(s[size:], "\n") {
		return size + 1, 0
	}
	if first < ' ' || first == 0x7f {
		return size, 0
	}
	prev := first
	for i := 1; i < maxCluster && size < len(s); i++ {
		r, n := utf8.DecodeRuneInString(s[size:])
		switch {
		case r == utf8.RuneError && n == 1, r < 0x300: // no combining character is below U+0300
			return size, cells
		case r == emojiVS:
			if cells == 1 && !ideograph(first) {
				cells = 2
			}
		case prev == zwj && pictograph(r) && pictograph(first):
			cells = max(cells, runeCells(r))
		case extends(r):
		case flag(r) && flag(first) && i == 1:
			cells = 2
		case jamo(prev, r):
		default:
			return size, cells
		}
		prev = r
		size += n
	}
	return size, cells
}

// extends reports whether r belongs to the character before it: a mark, a joiner, a skin tone or a tag.
func extends(r rune) bool {
	return unicode.IsMark(r) || r == zwj || r == '\u200c' ||
		r >= 0x1f3fb && r <= 0x1f3ff || r >= 0xe0020 && r <= 0xe007f
}

// flag reports whether r is a regional indicator, one half of a flag.
func flag(r rune) bool { return r >= 0x1f1e6 && r <= 0x1f1ff }

func pictograph(r rune) bool {
	return r >= 0x1f000 && r <= 0x1faff || r >= 0x2190 && r <= 0x2bff && unicode.Is(unicode.So, r)
}

// jamo reports whether r continues the Hangul syllable that prev began.
func jamo(prev, r rune) bool {
	vowelOrFinal := r >= 0x1160 && r <= 0x11ff
	return vowelOrFinal && (prev >= 0x1100 && prev <= 0x11ff || prev >= 0xac00 && prev <= 0xd7a3)
}

func runeCells(r rune) int {
	switch {
	case r < ' ' || r == 0x7f:
		return 0
	case r < 0x7f:
		return 1
	case r < 0xa0 || r == 0xad || invisible(r) || r >= 0x1160 && r <= 0x11ff || unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// Width returns the width of s on one line in terminal cells. East Asian wide characters and emoji take two cells;
// marks, control and zero-width characters take none. It does not parse escape sequences: call [Clean] first.
func Width(s string) int {
	total := 0
	for len(s) > 0 {
		size, cells := cluster(s)
		total += cells
		s = s[size:]
	}
	return total
}

// Fit returns s if its width is at most cells terminal cells. Otherwise it returns as many whole characters as fit
// before a …, and the …. For cells < 1 it returns "".
func Fit(s string, cells int) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	if cells < 1 {
		return ""
	}
	room, used := 0, 0 // bytes that fit with the ellipsis, cells so far
	for at := 0; at < len(s); {
		size, w := cluster(s[at:])
		if used+w > cells {
			return strings.TrimRight(s[:room], " ") + ellipsis
		}
		used += w
		at += size
		if used <= cells-1 {
			room = at
		}
	}
	return s
}

// Pad makes s exactly cells terminal cells wide: it cuts as [Fit] does, or adds spaces on the right.
func Pad(s string, cells int) string {
	s = Fit(s, cells)
	return s + strings.Repeat(" ", max(0, cells-Width(s)))
}
