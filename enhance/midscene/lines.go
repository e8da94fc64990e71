package midscene

import (
	"bytes"
	"strings"
)

// scriptLine is a line of a script.
type scriptLine struct {
	start, end int    // without its line break
	next       int    // start of the next one
	text       string // without its line break
}

// scriptSpan is a part of a script: from byte start, in line first, to the end of the line last.
type scriptSpan struct{ start, first, last int }

func linesOf(src []byte) []scriptLine {
	var out []scriptLine
	for at := 0; at < len(src); {
		l := scriptLine{start: at, end: len(src), next: len(src)}
		if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
			l.end, l.next = at+i, at+i+1
			if l.end > at && src[l.end-1] == '\r' {
				l.end--
			}
		}
		l.text = string(src[l.start:l.end])
		out = append(out, l)
		at = l.next
	}
	return out
}

// indent returns the number of leading spaces of a line, and whether the rest is blank.
func (l *scriptLine) indent() (spaces int, blank bool) {
	rest := strings.TrimLeft(l.text, " ")
	return len(l.text) - len(rest), strings.TrimSpace(rest) == ""
}

// keyed returns the text after the colon of a key in a line whose key begins after col cells, and its offset. The key
// may be in quotes. It is false where anything except spaces and dashes precedes it.
func (l *scriptLine) keyed(col int, key string) (rest string, at int, ok bool) {
	if len(l.text) < col || strings.Trim(l.text[:col], " -") != "" {
		return "", 0, false
	}
	for _, quote := range []string{"", `"`, "'"} {
		if rest, ok = strings.CutPrefix(l.text[col:], quote+key+quote); !ok {
			continue
		}
		if rest, ok = strings.CutPrefix(strings.TrimLeft(rest, " "), ":"); ok {
			return rest, l.start + len(l.text) - len(rest), true
		}
	}
	return "", 0, false
}

// valueEnd returns the last line of a value that begins with rest, in line at, under a key after col cells. Comments
// that are deeper than the key belong to it, since they would belong to a block that is written before them.
func valueEnd(lines []scriptLine, at, col int, rest string) int {
	keep := false
	switch v := bare(rest); {
	case strings.HasPrefix(v, "|"), strings.HasPrefix(v, ">"):
		header, _, _ := strings.Cut(v, " ")
		keep = strings.Contains(header, "+")
	case strings.HasPrefix(v, `"`), strings.HasPrefix(v, "'"):
		at = quotedEnd(lines, at, v)
	}
	return blockEnd(lines, at, col, keep)
}

// bare returns a value without the anchor and the tag before it.
func bare(v string) string {
	for {
		v = strings.TrimLeft(v, " \t")
		if !strings.HasPrefix(v, "&") && !strings.HasPrefix(v, "!") {
			return v
		}
		_, after, more := strings.Cut(v, " ")
		if !more {
			return ""
		}
		v = after
	}
}

// blockEnd returns the last line that is deeper than col. Blank lines at the end belong to it only if keep.
func blockEnd(lines []scriptLine, at, col int, keep bool) int {
	last := at
	for i := at + 1; i < len(lines); i++ {
		spaces, blank := lines[i].indent()
		if !blank && spaces <= col {
			break
		}
		if !blank || keep {
			last = i
		}
	}
	return last
}

// quotedEnd returns the line with the closing quote of a text that begins with v.
func quotedEnd(lines []scriptLine, at int, v string) int {
	quote, v := v[0], v[1:]
	for i := at; ; v = lines[i].text {
		for j := 0; j < len(v); j++ {
			switch {
			case quote == '"' && v[j] == '\\':
				j++
			case v[j] != quote:
			case quote == '\'' && j+1 < len(v) && v[j+1] == quote:
				j++
			default:
				return i
			}
		}
		if i++; i == len(lines) {
			return i - 1
		}
	}
}
