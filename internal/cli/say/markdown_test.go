package say

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// hostileMarkdown are texts that a forge would render as more than text.
var hostileMarkdown = []string{
	`<script>alert(1)</script>`, `<img src=x onerror=alert(1)>`, `<!-- `,
	`[x](https://evil.example)`, `![x](//evil.example)`,
	`https://evil.example`, `www.evil.example`, `a@evil.example`, `mailto:a@b.c`, `@octocat`, `#12`, `org/repo#12`,
	`GH-12`,
	`| a | b |`, "a\nb", "`code", "```\nfence", `**bold**`, `__x__`, `~~x~~`, `$\sqrt 2$`, `:smile:`, `# head`, `- item`,
	`1. item`,
	`> quote`, `---`, `===`, `&lt;b&gt;`, `\`, `\|`, `[^1]`, `[ ] task`, "<details><summary>", "```mermaid",
	`xmpp:a@b.c`, "a\u202eb",
	`{{ x }}`, `::error::x`, `</code>`, "` | `", `|`,
}

// plainWords fails unless a piece of Markdown is words alone.
func plainWords(t require.TestingT, s string) {
	for _, entity := range []string{"&amp;", "&lt;", "&gt;", "&#36;", "&#124;", "&#92;", "&#96;"} {
		s = strings.ReplaceAll(s, entity, " ")
	}
	require.NotRegexp(t, "[<>|&`\n\r]", s)
	require.NotRegexp(t, regexp.MustCompile(`(^|[^\\])[*_~\[\](){}#!]`), s, "each sign has a backslash")
	require.NotRegexp(t, regexp.MustCompile(`(?i)@[a-z0-9]|#[0-9]|://|www\\?\.|:[a-z0-9_+-]|gh\\?-[0-9]`), s)
	require.NotContains(t, s, "$")
}

func TestInMarkdown(t *testing.T) {
	for _, s := range hostileMarkdown {
		plainWords(t, Markdown(s, 200))
	}
	require.Equal(t, "合计 59\\.80", Markdown(" 合计\n59.80 ", 200))
	rapid.Check(t, func(t *rapid.T) {
		parts := append(strings.Split("<>|`*_~[](){}#!@:/&$\\.-+=w ", ""), hostileMarkdown...)
		said := strings.Join(rapid.SliceOf(rapid.SampledFrom(parts)).Draw(t, "parts"), "")
		plainWords(t, Markdown(said, 200))
	})
}

func TestInCode(t *testing.T) {
	require.Equal(t, "cart&#124;1", Code("cart|1", 80))
	require.Equal(t, "``` a``b ```", Code("a``b", 80))
	require.Empty(t, Code("", 80))
	rapid.Check(t, func(t *rapid.T) {
		s := Code(rapid.StringOf(rapid.RuneFrom([]rune("a|` \n<\\"))).Draw(t, "s"), 80)
		require.NotContains(t, s, "\n")
		require.NotContains(t, s, "|")
	})
}
