package prompts

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/memtree/memtree/internal/text"
)

// Limits, in characters. Together they fit a model with room for 8,000 tokens.
const (
	maxTask    = 2000
	maxVerdict = 2000
	maxLine    = 240 // of a line in a list
	maxLines   = 40  // lines in a list
	maxField   = 80  // the name of a field
	maxValue   = 200
)

const dash = "–"

// gap replaces the middle of a text that is too long.
const gap = "\n[…]\n"

// fenceMarker matches whatever a model could take for the start or end of a data section,
// regardless of case, spacing and width.
var fenceMarker = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)[<＜﹤‹〈](\s*[/／]?\s*data)`) })

// fence returns s fenced as a section that no text inside it can close, and cut to limit. For blank text it returns
// "", so that a template can omit the section.
func fence(name, s string, limit int) string {
	s = strings.TrimSpace(cutMiddle(s, limit))
	if s == "" {
		return ""
	}
	return `<data name="` + name + "\">\n" + fenceMarker().ReplaceAllString(s, "&lt;$1") + "\n</data>"
}

// fenceOrDash is fence for a required section: for blank text it has a dash.
func fenceOrDash(name, s string, limit int) string {
	if d := fence(name, s, limit); d != "" {
		return d
	}
	return fence(name, dash, limit)
}

// listLine returns s as one line for a list, cut to limit, that cannot open a section.
func listLine(s string, limit int) string {
	s = text.Line(squeeze(s, limit))
	return fenceMarker().ReplaceAllString(text.Clip(s, limit), "&lt;$1")
}

// cutMiddle returns at most limit characters of s, cleaned: two thirds from the beginning and
// the rest from the end, where results usually are.
func cutMiddle(s string, limit int) string {
	s = strings.TrimSpace(text.Clean(squeeze(s, limit)))
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	tail := limit / 3
	head := text.Clip(s, limit-tail-utf8.RuneCountInString(gap))
	return head + gap + strings.TrimSpace(lastRunes(s, tail))
}

// squeeze limits the work on a huge text: it keeps only the first and last parts, more of each than cutMiddle and
// listLine need.
func squeeze(s string, limit int) string {
	part := 32 * limit // bytes: four per character, and eight times that for what Clean removes
	if len(s) <= 2*part {
		return s
	}
	// A character that is cut in two becomes U+FFFD. It lies in the part that cutMiddle drops.
	return s[:part] + strings.Repeat(" ", 2*limit) + s[len(s)-part:]
}

// lastRunes returns at most n runes from the end of s. It drops leading marks and
// joiners, which belong to a character before.
func lastRunes(s string, n int) string {
	i := len(s)
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return strings.TrimLeftFunc(s[i:], func(r rune) bool { return unicode.Is(unicode.M, r) || r == '\u200d' })
}
