package enhance

import (
	"regexp"
	"strings"
	"sync"

	"github.com/memtree/memtree/text"
	"github.com/memtree/memtree/tree"
)

// maxRead bounds how much of one text is looked at, in bytes: all of it, in a
// node that obeys the laws.
const maxRead = tree.MaxNodeLine

// inert makes a text fit to stand in the block: clean, on one line, without
// anything that could end the block or look like a heading of it.
//
// Angle brackets of every width become ‹ and ›, so that there is none in the
// block but those of the fence; 【 and 】 become 〔 and 〕; square brackets stay,
// since selectors need them, but for those around the words of a heading or of
// a chat template, which become round ones.
func inert(s string) string {
	if len(s) > maxRead {
		s = s[:maxRead] // half a character becomes U+FFFD, and is cut off later
	}
	s = text.Line(s)
	s = brackets().Replace(s)
	if strings.ContainsAny(s, "[［") {
		s = heading().ReplaceAllString(s, "($1)")
	}
	return s
}

var brackets = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer(
		"<", "‹", "＜", "‹", "﹤", "‹", "〈", "‹", "⟨", "‹", "〈", "‹", "≺", "‹", "⧼", "‹",
		">", "›", "＞", "›", "﹥", "›", "〉", "›", "⟩", "›", "〉", "›", "≻", "›", "⧽", "›",
		"【", "〔", "】", "〕", "〖", "〔", "〗", "〕", "︻", "〔", "︼", "〕",
		"```", "'''",
	)
})

var heading = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)[\[［]([^\]］]{0,4}(?:testing\s*strategy|past\s*(?:experience|observation)s?|avoid|learned\s*from|end\s*of|memory|system|assistant|user|inst\b|测试策略|历史经验|注意避免|以下是|系统|指令)[^\]］]{0,80})[\]］]`)
})
