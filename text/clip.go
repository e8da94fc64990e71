package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clip returns s if it has at most limit runes. Otherwise it cuts: after the last sentence that ends in the last third
// of the limit; else, with … added, after the last word that ends in its second half; else after the last
// whole character. The result, … included, never has more than limit runes; for limit < 1 it is "".
func Clip(s string, limit int) string {
	if limit < 1 {
		return ""
	}
	s = strings.ToValidUTF8(s, "\ufffd")
	if len(s) <= limit || utf8.RuneCountInString(s) <= limit {
		return s
	}
	if end := lastSentence(s, limit); end > 0 {
		return strings.TrimRightFunc(s[:end], unicode.IsSpace)
	}
	end, word := 0, 0
	for at, runes := 0, 0; at < len(s); {
		size, _ := cluster(s[at:])
		runes += utf8.RuneCountInString(s[at : at+size])
		if runes > limit-1 {
			break
		}
		at += size
		end = at
		if 2*runes >= limit && wordEnds(s, at) {
			word = at
		}
	}
	if word > 0 {
		end = word
	}
	if end == 0 { // the first character alone is too long: cut into it
		end = len(head(s, limit-1))
	}
	return strings.TrimRightFunc(s[:end], unicode.IsSpace) + ellipsis
}

// lastSentence returns where the last sentence ends that ends within (2/3 limit, limit] runes of s, or 0.
func lastSentence(s string, limit int) (end int) {
	for at, runes := 0, 0; at < len(s); {
		size := sentence(s[at:])
		runes += utf8.RuneCountInString(s[at : at+size])
		if runes > limit {
			break
		}
		at += size
		if 3*runes > 2*limit && at < len(s) {
			end = at
		}
	}
	return end
}

// wordEnds tells whether s[:at] ends a word: a word character before, none after, or an ideograph on either side.
func wordEnds(s string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	after, _ := utf8.DecodeRuneInString(s[at:])
	if ideograph(before) || ideograph(after) {
		return true
	}
	return wordRune(before) && !wordRune(after)
}

// Sentences returns the sentences of s in order, trimmed, with their end marks; a line break ends one too. A full stop inside a
// number or name, after a list number, or before a lower-case word (e.g. this one) ends nothing.
func Sentences(s string) []string {
	s = strings.ToValidUTF8(s, "\ufffd")
	var out []string
	for len(s) > 0 {
		n := sentence(s)
		if one := strings.TrimSpace(s[:n]); one != "" {
			out = append(out, one)
		}
		s = s[n:]
	}
	return out
}

// sentence returns the length in bytes of the first sentence of s with its end marks, closing quotes and brackets.
func sentence(s string) int {
	begin := len(s) - len(strings.TrimLeft(s, " \t"))
	for i, r := range s {
		switch r {
		case '\n':
			return i + 1
		case '。', '！', '？', '；':
			return i + closers(s[i:])
		case '.', '!', '?':
			if i+1 < len(s) && (s[i+1] == '.' || s[i+1] == '!' || s[i+1] == '?') {
				continue // the last of a row decides
			}
			if r == '.' && i >= begin && listNumber(s[begin:i]) {
				continue
			}
			if end := i + closers(s[i:]); sentenceFollows(s[end:], r == '.') {
				return end
			}
		}
	}
	return len(s)
}

// maxClosers bounds how far past an end mark its quotes and brackets are looked for.
const maxClosers = 16

// closers returns the length of the mark s begins with and of the end marks, quotes and brackets right after it.
func closers(s string) int {
	s = head(s, maxClosers)
	for i, r := range s {
		if i > 0 && !strings.ContainsRune(".!?。！？；\"'”’」』)]）】", r) {
			return i
		}
	}
	return len(s)
}

// listNumber tells whether s is the number of a list item.
func listNumber(s string) bool {
	return s != "" && len(s) <= 3 && strings.Trim(s, "0123456789") == ""
}

// sentenceFollows tells whether a new sentence can begin at rest: after a space or ideograph, and after a full stop not in lower case.
func sentenceFollows(rest string, stop bool) bool {
	if rest == "" {
		return true
	}
	r, _ := utf8.DecodeRuneInString(rest)
	if ideograph(r) {
		return true
	}
	if !unicode.IsSpace(r) {
		return false
	}
	line, _, _ := strings.Cut(head(rest, maxWord), "\n")
	r, _ = utf8.DecodeRuneInString(strings.TrimLeftFunc(line, unicode.IsSpace))
	return !stop || !unicode.IsLower(r)
}
