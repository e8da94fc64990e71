package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clip returns s if it has at most limit runes. Otherwise it cuts s at the first of these places that exists:
//   - after the last sentence that ends in the last third of the limit;
//   - after the last word that ends in the second half of the limit, and adds …;
//   - after the last whole character, and adds ….
//
// The result, including …, has at most limit runes. For limit < 1 it is "".
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
	end, word := 0, 0 // bytes up to the last whole character, and to the last word, that leave room for …
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
	if end == 0 { // the first character (a base with its marks) is too long by itself: cut into it
		end = len(head(s, limit-1))
	}
	return strings.TrimRightFunc(s[:end], unicode.IsSpace) + ellipsis
}

// lastSentence returns the byte offset of the last end of a sentence after more than 2/3 limit and at most limit
// runes of s, or 0.
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

// wordEnds reports whether s[:at] ends a word: a word character before, none after, or an ideograph on either side.
func wordEnds(s string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	after, _ := utf8.DecodeRuneInString(s[at:])
	if ideograph(before) || ideograph(after) {
		return true
	}
	return wordRune(before) && !wordRune(after)
}

// Sentences returns the sentences of s in order, trimmed, with their end marks. A line break ends a sentence. A full
// stop ends none inside a number or name, after a list number, and before a lower-case word (e.g. this one).
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

// WholeSentences splits s as [Sentences] does, but a clause that ends with "；" stays with what follows it on its line.
func WholeSentences(s string) []string {
	var out []string
	open := false // the last piece ended with "；", and its line goes on
	for _, line := range strings.SplitAfter(strings.ToValidUTF8(s, "\ufffd"), "\n") {
		for _, one := range Sentences(line) {
			if open {
				out[len(out)-1] += one
			} else {
				out = append(out, one)
			}
			open = strings.HasSuffix(strings.TrimRight(one, "\"'”’」』)]）】"), "；")
		}
		open = false
	}
	return out
}

// sentence returns the length in bytes of the first sentence of s with its end marks, closing quotes and brackets.
func sentence(s string) int {
	begin := len(s) - len(strings.TrimLeft(s, " \t")) // where a list number may begin
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
			if r == '.' && abbreviated(s[begin:i], s[i+1:]) {
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

// closers returns the length of the mark that s begins with and of the end marks, quotes and brackets after it.
func closers(s string) int {
	s = head(s, maxClosers)
	for i, r := range s {
		if i > 0 && !strings.ContainsRune(".!?。！？；\"'”’」』)]）】", r) {
			return i
		}
	}
	return len(s)
}

// listNumber reports whether s is the number of a list item.
func listNumber(s string) bool {
	return s != "" && len(s) <= 3 && strings.Trim(s, "0123456789") == ""
}

// abbreviations end with a full stop that ends no sentence where a number or a bracket follows: Vol. (ml), No. 5.
const abbreviations = " vol no nr fig art approx ca max min qty ref temp dept incl resp vs pp p ch sec est avg std dia "

// abbreviated reports whether a full stop after before belongs to an abbreviation and does not end the sentence.
func abbreviated(before, after string) bool {
	word := before[strings.LastIndexFunc(before, func(r rune) bool { return !unicode.IsLetter(r) })+1:]
	if word == "" || len(word) > 6 || !strings.Contains(abbreviations, " "+strings.ToLower(word)+" ") {
		return false
	}
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(after, " "))
	return r == '(' || r == '[' || unicode.IsDigit(r)
}

// sentenceFollows reports whether a new sentence can begin at rest. It begins with a space or an ideograph; after a
// full stop it does not begin in lower case.
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

// ClipBytes cuts a text to at most limit bytes, after a whole character, and adds … to what it cuts. It replaces NUL
// and invalid bytes, which the text of a node must not have. For a limit below 3 a text that is too long becomes "".
func ClipBytes(s string, limit int) string {
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "�")
	}
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "�")
	}
	if len(s) <= limit {
		return s
	}
	cut := limit - len("…")
	if cut < 0 {
		return ""
	}
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
