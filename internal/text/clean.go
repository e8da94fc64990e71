package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxEscape is the longest terminal string sequence (title, hyperlink) in bytes that is removed whole.
const maxEscape = 4096

// Clean removes from s what a reader cannot see but a terminal or a model can: control characters, ANSI escape
// sequences, zero-width, bidi and other invisible characters, tag characters, variation selectors, byte order
// marks and noncharacters. Tab and line feed stay. CR LF, CR, VT, FF, NEL and Unicode's line and paragraph
// separators become a line feed. A run of invalid bytes (lone surrogates too) becomes one U+FFFD.
//
// Clean never changes visible text. For this reason joiners stay inside emoji and between letters of the scripts
// they shape, emoji selectors stay on symbols, and an escape sequence with no proper end loses only its
// introducer. Cleaning twice is the same as cleaning once.
func Clean(s string) string {
	dirty := firstUnclean(s)
	if dirty == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	b.WriteString(s[:dirty])
	last, _ := utf8.DecodeLastRuneInString(s[:dirty]) // the rune written last
	for i := dirty; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		rest := s[i+n:]
		switch {
		case r == utf8.RuneError && n == 1: // invalid bytes: take the whole run, write r once
			for n < len(s)-i && startsInvalid(s[i+n:]) {
				n++
			}
		case r == 0x1b || r >= 0x80 && r < 0xa0 && r != 0x85: // ESC or a C1 control
			i += n + escapeLen(r, rest)
			continue
		case r == '\r' && strings.HasPrefix(rest, "\n"):
			r, n = '\n', 2
		case lineBreak(r):
			r = '\n'
		case !keep(last, r, rest):
			i += n
			continue
		}
		b.WriteRune(r)
		last = r
		i += n
	}
	return b.String()
}

// firstUnclean returns the index of the first character that may have to be changed, len(s) if there is none.
func firstUnclean(s string) int {
	for i, r := range s {
		switch {
		case r >= ' ' && r < 0x7f || r == '\n' || r == '\t':
		case r < 0xa0, lineBreak(r), invisible(r):
			return i
		case r == utf8.RuneError && startsInvalid(s[i:]):
			return i
		}
	}
	return len(s)
}

func startsInvalid(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	return r == utf8.RuneError && n == 1
}

func lineBreak(r rune) bool {
	return r == '\r' || r == '\v' || r == '\f' || r == 0x85 || r == 0x2028 || r == 0x2029
}

// keep reports whether r remains. last is the rune written before it, rest is the text after it.
func keep(last, r rune, rest string) bool {
	if r < ' ' {
		return r == '\n' || r == '\t'
	}
	if r == 0x7f {
		return false
	}
	if !invisible(r) {
		return true
	}
	next, _ := utf8.DecodeRuneInString(rest)
	switch r {
	case zwj:
		return joins(last) && pictograph(next) || shaped(last) && shaped(next)
	case '\u200c':
		return shaped(last) && shaped(next)
	case '\ufe0e', emojiVS:
		symbol := unicode.Is(unicode.So, last) || unicode.Is(unicode.Sm, last) || last == '‼' || last == '⁉'
		keycap := next == 0x20e3
		return pictograph(last) || symbol || keycap
	}
	return false
}

// joins reports whether a joiner after r can continue an emoji sequence: r is a pictograph, an emoji selector or a
// skin tone.
func joins(r rune) bool {
	return pictograph(r) || r == emojiVS || r >= 0x1f3fb && r <= 0x1f3ff
}

// shaped reports whether the script of r has letters that change shape at a joiner: Arabic, Syriac, the scripts of
// India, Tibetan, Myanmar, Khmer, Mongolian.
func shaped(r rune) bool {
	inRange := r >= 0x600 && r <= 0x7ff || r >= 0x8a0 && r <= 0xdff || r >= 0xf00 && r <= 0x109f ||
		r >= 0x1780 && r <= 0x18af
	return inRange && !invisible(r) && (unicode.IsLetter(r) || unicode.IsMark(r))
}

// invisible reports whether r has no visible form of its own: Unicode's default ignorable characters, bidi controls,
// annotation and beam controls, tags, variation selectors, and noncharacters.
func invisible(r rune) bool {
	switch {
	case r < 0xad:
		return false
	case r < 0x2000:
		return r == 0xad || r == 0x34f || r == 0x61c || r == 0x115f || r == 0x1160 ||
			r == 0x17b4 || r == 0x17b5 || r >= 0x180b && r <= 0x180f
	case r < 0x3000:
		return r >= 0x200b && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2060 && r <= 0x206f
	case r < 0xfdd0:
		return r == 0x3164
	case r < 0x10000:
		return r <= 0xfdef || r >= 0xfe00 && r <= 0xfe0f || r == 0xfeff || r == 0xffa0 ||
			r >= 0xfff0 && r <= 0xfffb || r >= 0xfffe
	}
	return r >= 0x1bca0 && r <= 0x1bca3 || r >= 0x1d173 && r <= 0x1d17a || r >= 0xe0000 && r <= 0xe0fff ||
		r&0xfffe == 0xfffe // the last two of each plane are noncharacters
}

// escapeLen returns how many bytes of rest belong to the escape sequence that the control r begins. It supports these
// of ECMA-48: CSI; the strings DCS, SOS, OSC, PM, APC; and the designation of character sets.
func escapeLen(r rune, rest string) int {
	if r == 0x1b {
		if rest == "" {
			return 0
		}
		switch c := rest[0]; c {
		case '[':
			return 1 + csiLen(rest[1:], true)
		case ']', 'P', 'X', '^', '_':
			return 1 + controlStringLen(rest[1:])
		case '(', ')', '*', '+':
			if len(rest) > 1 && rest[1] >= '0' && rest[1] < 0x7f {
				return 2
			}
			return 1
		case '\\', '7', '8', '=', '>':
			return 1
		}
		return 0
	}
	switch r {
	case 0x9b:
		return csiLen(rest, false) // few terminals obey the one-character form, so a bare letter after it stays
	case 0x90, 0x98, 0x9d, 0x9e, 0x9f:
		return controlStringLen(rest)
	}
	return 0
}

// csiLen returns the length of the parameters and the final byte. It returns 0 if there is no final byte, or if
// there is no parameter and bare does not allow that.
func csiLen(s string, bare bool) int {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '?' {
		i++
	}
	for i < len(s) && s[i] >= ' ' && s[i] <= '/' {
		i++
	}
	if i == len(s) || s[i] < '@' || s[i] > '~' || i == 0 && !bare {
		return 0
	}
	return i + 1
}

// controlStringLen returns the length of a string sequence with its end (BEL or ST). It returns 0 if the sequence
// does not end within maxEscape bytes on the same line.
func controlStringLen(s string) int {
	s = s[:min(len(s), maxEscape)]
	for i := range len(s) {
		switch {
		case s[i] == '\n':
			return 0
		case s[i] == '\a':
			return i + 1
		case s[i] == 0x1b:
			if i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
			return 0
		case s[i] == 0xc2 && i+1 < len(s) && s[i+1] == 0x9c:
			return i + 2
		case s[i] == 0xc2 && i+1 < len(s) && s[i+1] < 0xa0: // another C1 control: this one never ended
			return 0
		}
	}
	return 0
}
