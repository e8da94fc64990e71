package midscene

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/memtree/memtree/enhance"
)

// value encodes a step's context as YAML: its previous context, followed by the guidance. The first line goes beside
// the key, the mark after it. The others follow, each indented by col+2 cells.
func value(own, guidance string, col int) (first string, more []string) {
	joined := enhance.Join(own, guidance)
	if !plainly(joined) || strings.Contains(guidance, "${") {
		// In quotes every text can be encoded, and so that Midscene does not read it as a variable.
		head := strings.TrimSuffix(joined, guidance)
		return `"` + escape(head) + strings.ReplaceAll(escape(guidance), "${", `\u0024{`) + `"`, nil
	}
	first = "|-"
	for l := range strings.SplitSeq(joined, "\n") {
		if l != "" {
			l = strings.Repeat(" ", col+2) + l
		}
		more = append(more, l)
	}
	return first, more
}

// plainly reports whether all YAML parsers read a text in a block the same.
func plainly(s string) bool {
	if s == "" || strings.HasSuffix(s, "\n") || strings.HasPrefix(s, "\n") {
		return false
	}
	for l := range strings.SplitSeq(s, "\n") {
		if l != strings.TrimRight(l, " \t") || strings.HasPrefix(l, "\t") {
			return false // YAML parsers differ on these
		}
	}
	if strings.HasPrefix(s, " ") {
		return false // else its spaces would be read as indentation
	}
	return strings.IndexFunc(s, func(r rune) bool { return r != '\n' && !visible(r) }) < 0
}

// visible reports whether a character may appear unescaped in YAML, and breaks no line.
func visible(r rune) bool {
	switch {
	case r == '\t':
		return true
	case r < 0x20, r >= 0x7f && r < 0xa0, r == 0x2028, r == 0x2029, r == 0xfeff, r >= 0xfff0 && r <= 0xffff:
		return false
	}
	return !unicode.Is(unicode.Cs, r)
}

// escape escapes a text for double quotes.
func escape(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case !visible(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// The mark is a comment at the end of the line of the key: " # memtree enhance: 9 lines, 3f2a9c1e", and for a step
// that had a context `, was "…"`, with the bytes after the key's colon.
const markWords = " # memtree enhance: "

// marked returns the end of the first line.
func marked(first string, more []string, was *string) string {
	s := fmt.Sprintf("%s%d lines, %s", markWords, len(more), hash(first, more))
	if was != nil {
		s += `, was "` + strings.NewReplacer("#", `\u0023`, "$", `\u0024`).Replace(escape(*was)) + `"`
	}
	return s
}

func hash(first string, more []string) string {
	sum := sha256.Sum256([]byte(first + "\n" + strings.Join(more, "\n")))
	return hex.EncodeToString(sum[:4])
}

// contextMark is the content of the mark of a context.
type contextMark struct {
	first string // of the value
	lines int    // that follow
	sum   string
	was   *string // the previous text; nil: none
}

// readMark reads the text after the colon of a context. It is false without a mark at its end.
func readMark(s string) (m contextMark, ok bool) {
	i := strings.LastIndex(s, markWords)
	if i < 0 {
		return m, false
	}
	m.first = strings.TrimLeft(s[:i], " ")
	count, rest, found := strings.Cut(s[i+len(markWords):], " lines, ")
	var err error
	if m.lines, err = strconv.Atoi(count); !found || err != nil || m.lines < 0 {
		return m, false
	}
	var was string
	m.sum, was, found = strings.Cut(rest, ", was ")
	if !found {
		return m, true
	}
	if was, err = strconv.Unquote(was); err != nil {
		return m, false
	}
	m.was = &was
	return m, true
}
