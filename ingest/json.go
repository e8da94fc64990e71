package ingest

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/memtree/memtree/tree"
)

const (
	// maxDepth leaves room for the objects that surround the deepest Raw.
	maxDepth = tree.MaxDepth + 3
	// manyKeys is the number of keys from which a map finds a repeated key faster than a scan.
	manyKeys = 32
)

// notJSON begins the problems that concern a whole line and not one field.
const notJSON = "the line is not JSON"

// fault is a problem of an object, with its position.
type fault struct {
	at      int // offset in the object
	line    int
	field   string
	problem string
}

// parser reads one object by the grammar of RFC 8259. It also refuses what readers of
// JSON treat differently: repeated keys, halves of surrogate pairs, NUL.
type parser struct {
	b     []byte
	i     int
	depth int
	loose bool     // inside an ignored value: check only grammar and UTF-8
	keys  [][]byte // of the open objects, the innermost last
	tests bool     // the objects are tests that have not run

	unread *unreadFields
}

// fail returns a fault with the expected and the actual text at the position.
func (p *parser) fail(expected string) *fault {
	met := "the end"
	if p.i < len(p.b) {
		met = quoteStart(p.b[p.i:min(len(p.b), p.i+64)])
	}
	column := p.i - bytes.LastIndexByte(p.b[:min(p.i, len(p.b))], '\n')
	return &fault{at: p.i, problem: fmt.Sprintf("%s: at byte %d comes %s where %s was expected", notJSON, column, met,
		expected)}
}

func (p *parser) skipSpace() {
	for p.i < len(p.b) {
		switch p.b[p.i] {
		case ' ', '\t', '\r', '\n':
			p.i++
		default:
			return
		}
	}
}

// take skips white space and consumes c if it is next.
func (p *parser) take(c byte) bool {
	p.skipSpace()
	if p.i < len(p.b) && p.b[p.i] == c {
		p.i++
		return true
	}
	return false
}

// members reads an object. It calls visit for every key, positioned at the value;
// visit has to consume the value.
func (p *parser) members(visit func(key []byte) *fault) *fault {
	if !p.take('{') {
		return p.fail("{")
	}
	if p.depth++; p.depth > maxDepth {
		return &fault{at: p.i, problem: "nests deeper than " + strconv.Itoa(tree.MaxDepth) + "; flatten it"}
	}
	base := len(p.keys)
	defer func() { p.keys = p.keys[:base]; p.depth-- }()
	if p.take('}') {
		return nil
	}
	var seen map[string]bool
	for {
		p.skipSpace()
		at := p.i
		key, bad := p.stringBytes()
		if bad != nil {
			return bad
		}
		if bytes.IndexByte(key, '\\') >= 0 {
			key = []byte(unquote(key))
		}
		if !p.take(':') {
			return p.fail("a colon")
		}
		if !p.loose {
			if p.repeated(key, base, &seen) {
				return &fault{at: at, field: quoteKey(key), problem: "is there twice in one object; keep one of them"}
			}
			p.keys = append(p.keys, key)
		}
		p.skipSpace()
		if bad := visit(key); bad != nil {
			return bad
		}
		if p.take('}') {
			return nil
		}
		if !p.take(',') {
			return p.fail("a comma or }")
		}
	}
}

// repeated reports whether key is among the keys from base on. seen is a map of those keys; repeated makes it when
// they are many.
func (p *parser) repeated(key []byte, base int, seen *map[string]bool) bool {
	if len(p.keys)-base < manyKeys {
		for _, k := range p.keys[base:] {
			if bytes.Equal(k, key) {
				return true
			}
		}
		return false
	}
	if *seen == nil {
		*seen = make(map[string]bool, 2*manyKeys)
		for _, k := range p.keys[base:] {
			(*seen)[string(k)] = true
		}
	}
	if (*seen)[string(key)] {
		return true
	}
	(*seen)[string(key)] = true
	return false
}

// skip consumes a value of any kind. The field of a fault is the path below the value.
func (p *parser) skip() *fault {
	p.skipSpace()
	if p.i == len(p.b) {
		return p.fail("a value")
	}
	switch c := p.b[p.i]; {
	case c == '{':
		return p.members(func(key []byte) *fault {
			return prefixField(key, p.skip())
		})
	case c == '[':
		return p.list()
	case c == '"':
		_, bad := p.stringBytes()
		return bad
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	}
	for _, word := range []string{"null", "true", "false"} {
		if bytes.HasPrefix(p.b[p.i:], []byte(word)) {
			p.i += len(word)
			return nil
		}
	}
	return p.fail("a value")
}

// list consumes an array.
func (p *parser) list() *fault {
	p.i++
	if p.depth++; p.depth > maxDepth {
		return &fault{at: p.i, problem: "nests deeper than " + strconv.Itoa(tree.MaxDepth) + "; flatten it"}
	}
	defer func() { p.depth-- }()
	if p.take(']') {
		return nil
	}
	for {
		if bad := p.skip(); bad != nil {
			return bad
		}
		if p.take(']') {
			return nil
		}
		if !p.take(',') {
			return p.fail("a comma or ]")
		}
	}
}

// number consumes a number: no leading zeros, digits on both sides of the point.
func (p *parser) number() *fault {
	if p.b[p.i] == '-' {
		p.i++
	}
	switch {
	case p.i < len(p.b) && p.b[p.i] == '0':
		p.i++
	case !p.digits():
		return p.fail("a digit")
	}
	if p.i < len(p.b) && p.b[p.i] == '.' {
		p.i++
		if !p.digits() {
			return p.fail("a digit")
		}
	}
	if p.i < len(p.b) && (p.b[p.i] == 'e' || p.b[p.i] == 'E') {
		p.i++
		if p.i < len(p.b) && (p.b[p.i] == '+' || p.b[p.i] == '-') {
			p.i++
		}
		if !p.digits() {
			return p.fail("a digit")
		}
	}
	return nil
}

func (p *parser) digits() bool {
	from := p.i
	for p.i < len(p.b) && p.b[p.i] >= '0' && p.b[p.i] <= '9' {
		p.i++
	}
	return p.i > from
}

// stringBytes consumes a string and returns the bytes between its quotes, still escaped.
func (p *parser) stringBytes() ([]byte, *fault) {
	if p.i >= len(p.b) || p.b[p.i] != '"' {
		return nil, p.fail("a string")
	}
	p.i++
	from, ascii := p.i, true
	for p.i < len(p.b) {
		switch c := p.b[p.i]; {
		case c == '"':
			s := p.b[from:p.i]
			p.i++
			if !ascii && !utf8.Valid(s) {
				return nil, &fault{at: from, problem: "is not valid UTF-8; save the file as UTF-8"}
			}
			return s, nil
		case c == '\\':
			if bad := p.escape(); bad != nil {
				return nil, bad
			}
		case c == 0:
			return nil, &fault{at: p.i, problem: "has a NUL character in it; remove it"}
		case c < ' ':
			return nil, &fault{at: p.i, problem: fmt.Sprintf("has a bare control character U+%04X in a string; write it as "+
				"\\u%04x", c, c)}
		default:
			ascii = ascii && c < utf8.RuneSelf
			p.i++
		}
	}
	return nil, p.fail("a closing quote")
}

// escape consumes an escape sequence.
func (p *parser) escape() *fault {
	at := p.i
	if p.i+1 < len(p.b) && bytes.IndexByte([]byte(`"\/bfnrt`), p.b[p.i+1]) >= 0 {
		p.i += 2
		return nil
	}
	u, ok := hex4(p.b[p.i:])
	if !ok {
		return p.fail("an escape such as \\n or \\u4e2d")
	}
	p.i += 6
	switch {
	case p.loose:
	case u == 0:
		return &fault{at: at, problem: "has a NUL character in it; remove it"}
	case utf16.IsSurrogate(rune(u)):
		low, _ := hex4(p.b[p.i:])
		if utf16.DecodeRune(rune(u), rune(low)) == utf8.RuneError {
			return &fault{at: at, problem: fmt.Sprintf("has half of a surrogate pair (\\u%04x) in it; write the whole "+
				"character or remove it", u)}
		}
		p.i += 6
	}
	return nil
}

// hex4 returns XXXX of a \uXXXX at the beginning of b.
func hex4(b []byte) (uint16, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	var u uint16
	for _, c := range b[2:6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		u = u<<4 | uint16(c)
	}
	return u, true
}

// unquote returns the text of a string that stringBytes has accepted. Half of a surrogate
// pair, which only a loose key can contain, becomes U+FFFD.
func unquote(s []byte) string {
	if bytes.IndexByte(s, '\\') < 0 {
		return string(s)
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			plain := bytes.IndexByte(s[i:], '\\')
			if plain < 0 {
				plain = len(s) - i
			}
			out = append(out, s[i:i+plain]...)
			i += plain - 1
			continue
		}
		i++
		switch c := s[i]; c {
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			u, _ := hex4(s[i-1:])
			r := rune(u)
			i += 4
			if utf16.IsSurrogate(r) {
				low, _ := hex4(s[i+1:])
				if r = utf16.DecodeRune(r, rune(low)); r != utf8.RuneError {
					i += 6
				}
			}
			out = utf8.AppendRune(out, r)
		default:
			out = append(out, c)
		}
	}
	return string(out)
}

// prefixField puts key before the field of a fault, unless the fault concerns the whole line.
func prefixField(key []byte, bad *fault) *fault {
	if bad == nil || strings.HasPrefix(bad.problem, notJSON) {
		return bad
	}
	if bad.field == "" {
		bad.field = quoteKey(key)
	} else {
		bad.field = quoteKey(key) + "." + bad.field
	}
	return bad
}

// quoteKey returns a key of the file escaped and cut for a message.
func quoteKey(key []byte) string {
	if len(key) > 40 {
		key = append(bytes.ToValidUTF8(key[:40:40], nil), "…"...)
	}
	s := strconv.Quote(string(key))
	return s[1 : len(s)-1]
}
