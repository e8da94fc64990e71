package screen

import (
	"regexp"
	"strings"

	"github.com/memtree/memtree/internal/text"
)

// Markdown is a text of somebody as plain words on one line of Markdown, at most so many cells wide: it makes no
// element, link, mention, reference, formula or column of a table, whoever renders it, and can stand at the beginning
// of a line.
func Markdown(s string, cells int) string {
	s = text.Fit(text.Line(s), cells)
	for _, of := range linked {
		s = of.ReplaceAllStringFunc(s, func(found string) string { return found[:1] + joiner + found[1:] })
	}
	return markdownSigns.Replace(s)
}

// Code is a name, such as the id of a test, as it stands in Markdown to be copied, in a table too. One with a |
// stands there in words: renderers differ on a backslash before it.
func Code(s string, cells int) string {
	s = text.Fit(text.Line(s), cells)
	if s == "" || strings.Contains(s, "|") {
		return Markdown(s, cells)
	}
	longest := 0
	for _, run := range backticks.FindAllString(s, -1) {
		longest = max(longest, len(run))
	}
	fence := strings.Repeat("`", longest+1)
	if longest > 0 {
		s = " " + s + " "
	}
	return fence + s + fence
}

var backticks = regexp.MustCompile("`+")

// joiner is not seen and has no width. What stands before it and after it is one word to people, and two to those who
// look for addresses.
const joiner = "\u2060"

// linked finds what a forge makes a link or a picture of, in words: @somebody, #12, GH-12, addresses, :smile:.
var linked = []*regexp.Regexp{regexp.MustCompile(`(?i)@|#|gh-|www\.`), regexp.MustCompile(`(?i):[a-z0-9/_+-]`)}

// markdownSigns escapes what Markdown reads. What begins HTML, a formula or a column becomes an entity, since not
// every renderer takes a backslash there.
var markdownSigns = strings.NewReplacer(
	"&", "&amp;", "<", "&lt;", ">", "&gt;", "$", "&#36;", "|", "&#124;", `\`, "&#92;", "`", "&#96;",
	"*", `\*`, "_", `\_`, "~", `\~`, "[", `\[`, "]", `\]`, "(", `\(`, ")", `\)`, "{", `\{`, "}", `\}`,
	"#", `\#`, "!", `\!`, "+", `\+`, "-", `\-`, "=", `\=`, ".", `\.`,
)
