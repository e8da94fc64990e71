package prompts

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/memtree/memtree/text"
)

// The caps, in characters. All together they fit a model with room for 8,000 tokens.
const (
	maxScene       = 200
	maxTask        = 2000
	maxObservation = 3000
	maxVerdict     = 2000
	maxReason      = 1500
	maxLine        = 240 // one line of a list
	maxLines       = 40
	maxField       = 80 // the name of a field
	maxValue       = 200
)

const dash = "–"

// left marks the place where the middle of a long text was left out.
const left = "\n[…]\n"

// marker finds what could be read as the start or end of a data section,
// whatever its case, spacing or width.
var marker = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)[<＜﹤‹〈](\s*[/／]?\s*data)`) })

// data fences untrusted text off as a section that cannot be closed from inside.
// Text of nothing but space gives "", so that a template can leave it out.
func data(name, s string, limit int) string {
	s = strings.TrimSpace(cut(s, limit))
	if s == "" {
		return ""
	}
	return `<data name="` + name + "\">\n" + marker().ReplaceAllString(s, "&lt;$1") + "\n</data>"
}

// dataOrDash is data for what must be shown: an empty text is shown as a dash.
func dataOrDash(name, s string, limit int) string {
	if d := data(name, s, limit); d != "" {
		return d
	}
	return data(name, dash, limit)
}

// line makes one harmless line of s, for lists.
func line(s string, limit int) string {
	s = text.Line(squeeze(s, limit))
	return marker().ReplaceAllString(text.Clip(s, limit), "&lt;$1")
}

// cut returns at most limit characters of s, cleaned: two thirds from the
// beginning and the rest from the end, where results stand.
func cut(s string, limit int) string {
	s = strings.TrimSpace(text.Clean(squeeze(s, limit)))
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	tail := limit / 3
	head := text.Clip(s, limit-tail-utf8.RuneCountInString(left))
	return head + left + strings.TrimSpace(lastRunes(s, tail))
}

// squeeze bounds the work on a monstrous text: what cut and line look at are its
// first and last parts only.
func squeeze(s string, limit int) string {
	part := 32 * limit // bytes: room for four bytes a character and much that Clean removes
	if len(s) <= 2*part {
		return s
	}
	// A rune cut in two at the seam becomes U+FFFD, which lies in the part left out.
	return s[:part] + strings.Repeat(" ", 2*limit) + s[len(s)-part:]
}

// lastRunes returns at most n runes from the end of s, and does not begin within
// a character made of several.
func lastRunes(s string, n int) string {
	i := len(s)
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return strings.TrimLeftFunc(s[i:], func(r rune) bool { return unicode.Is(unicode.M, r) || r == '\u200d' })
}
