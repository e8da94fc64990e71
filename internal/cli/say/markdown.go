package say

import (
	"regexp"
	"strings"
	"sync"

	"github.com/memtree/memtree/internal/text"
)

// Markdown returns a text from outside, such as the name of a test, as plain text on one line of Markdown, at most
// cells wide. In any renderer the result is no element, link, mention, reference, formula or table column, even at the
// beginning of a line.
func Markdown(s string, cells int) string {
	s = text.Fit(text.Line(s), cells)
	for _, of := range linked() {
		s = of.ReplaceAllStringFunc(s, func(found string) string { return found[:1] + joiner + found[1:] })
	}
	return markdownSigns.Replace(s)
}

// Code returns a name from outside, such as the id of a test, as a Markdown code span, at most cells wide, which also
// works in tables. For a name with | it returns Markdown(s, cells), because renderers differ on an escaped | in a code
// span.
func Code(s string, cells int) string {
	s = text.Fit(text.Line(s), cells)
	if s == "" || strings.Contains(s, "|") {
		return Markdown(s, cells)
	}
	longest := 0
	for _, run := range backticks().FindAllString(s, -1) {
		longest = max(longest, len(run))
	}
	fence := strings.Repeat("`", longest+1)
	if longest > 0 {
		s = " " + s + " "
	}
	return fence + s + fence
}

var backticks = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("`+")
})

// joiner is a word joiner: invisible and without width. It joins two parts for people, and separates them for
// software that looks for addresses.
const joiner = "\u2060"

// linked matches what a forge turns into a link or a picture: @name, #12, GH-12, addresses, :smile:.
var linked = sync.OnceValue(func() []*regexp.Regexp {
	return []*regexp.Regexp{regexp.MustCompile(`(?i)@|#|gh-|www\.`), regexp.MustCompile(`(?i):[a-z0-9/_+-]`)}
})

// markdownSigns escapes the syntax of Markdown. Characters that begin HTML, a formula or a column become entities,
// because not every renderer accepts a backslash there.
var markdownSigns = strings.NewReplacer(
	"&", "&amp;", "<", "&lt;", ">", "&gt;", "$", "&#36;", "|", "&#124;", `\`, "&#92;", "`", "&#96;",
	"*", `\*`, "_", `\_`, "~", `\~`, "[", `\[`, "]", `\]`, "(", `\(`, ")", `\)`, "{", `\{`, "}", `\}`,
	"#", `\#`, "!", `\!`, "+", `\+`, "-", `\-`, "=", `\=`, ".", `\.`,
)
