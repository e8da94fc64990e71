package enhance

import (
	"regexp"
	"strings"
	"sync"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/tree"
)

// The lines around guidance in a prompt.
const (
	Open  = "<memory-context>"  // the line that begins guidance
	Close = "</memory-context>" // the line that ends guidance
)

// maxRead bounds how much of one text is read, in bytes. A lawful node is never longer.
const maxRead = tree.MaxNodeLine

// inert makes a text safe for the block: clean, on one line, with nothing that could end the block or look like one of
// its headings.
//
// Angle brackets of every width become ‹ and ›, so that the fence has the only ones in the block. 【 and 】 become 〔 and
// 〕. Square brackets stay, since selectors need them, but around the words of a heading or of a chat template they
// become round brackets.
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
	return regexp.MustCompile(`(?i)[\[［]([^\[［\]］]{0,4}(?:` +
		`testing\s*strategy|past\s*(?:experience|observation)s?|avoid|learned\s*from|end\s*of|` +
		`(?:missed|false\s*alarm|went\s*wrong)\s+(?:here|in\s+a)|not\s*settled|seen\s*on|from\s*past|` +
		`known\s*about|memory|system|assistant|user|inst\b|` +
		`产品已知|测试策略|历史经验|注意避免|以下是|系统|指令)[^\]］]{0,80})[\]］]`)
})
