package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
)

const (
	firstBuffer = 64 << 10
	maxReads    = 100 // reads in a row without a byte before giving up
)

// rawObject is one object of the file, or a problem where one should be.
type rawObject struct {
	data    []byte // valid until the next call of next
	line    int    // where it begins, from 1
	problem string
}

// objectSplitter splits a stream into objects. It counts brackets outside strings and leaves their content to the
// parser.
type objectSplitter struct {
	r       io.Reader
	err     error // that ended r
	buf     []byte
	at, end int // buf[at:end] is read but not consumed
	mark    int // where the present object begins in buf, -1 for none or one too long
	size    int // length of the object, once it is read
	line    int
	arrays  bool // inside a top-level array
	comma   bool // in an array: a comma was read and a value must follow
	value   bool // in an array: a value was read and a comma must follow
}

// readMore reads more into the buffer and reports whether more came. It keeps the marked object. Once that is longer
// than MaxRecord, it drops the mark and the bytes.
func (s *objectSplitter) readMore() bool {
	if s.err != nil {
		return false
	}
	// Keep the bytes from here on: those of the marked object, or those not consumed yet.
	keep := s.at
	if s.mark >= 0 {
		if s.at-s.mark > MaxRecord {
			s.mark = -1
		} else {
			keep = s.mark
		}
	}
	switch {
	case keep > 0:
		copy(s.buf, s.buf[keep:s.end])
		s.at, s.end = s.at-keep, s.end-keep
		if s.mark >= 0 {
			s.mark = 0
		}
	case s.end == len(s.buf):
		s.buf = append(s.buf, make([]byte, max(firstBuffer, len(s.buf)))...)
	}
	for range maxReads {
		n, err := s.r.Read(s.buf[s.end:])
		s.end += max(n, 0)
		s.err = err
		if n > 0 {
			return true
		}
		if err != nil {
			return false
		}
	}
	s.err = io.ErrNoProgress
	return false
}

// peek returns the next byte, false at the end.
func (s *objectSplitter) peek() (byte, bool) {
	for s.at == s.end {
		if !s.readMore() {
			return 0, false
		}
	}
	return s.buf[s.at], true
}

// ahead returns the next n bytes without consuming them, fewer only at the end.
func (s *objectSplitter) ahead(n int) []byte {
	for s.end-s.at < n && s.readMore() {
	}
	return s.buf[s.at:min(s.end, s.at+n)]
}

// begin skips a byte order mark. If the file is not text, it returns the kind of the file.
func (s *objectSplitter) begin() string {
	b := s.ahead(512)
	switch {
	case bytes.HasPrefix(b, []byte("\xef\xbb\xbf")):
		s.at += 3
		return ""
	case bytes.HasPrefix(b, []byte("\x1f\x8b")):
		return "is compressed with gzip; unpack it first, for example with gunzip"
	case bytes.HasPrefix(b, []byte("\x28\xb5\x2f\xfd")):
		return "is compressed with zstd; unpack it first, for example with unzstd"
	case bytes.HasPrefix(b, []byte("PK\x03\x04")):
		return "is a zip archive; unpack it and name a file in it"
	case bytes.HasPrefix(b, []byte("\xff\xfe")), bytes.HasPrefix(b, []byte("\xfe\xff")),
		len(b) > 1 && b[0] == 0 && b[1] == '{', len(b) > 1 && b[0] == '{' && b[1] == 0:
		return "is UTF-16; save it as UTF-8"
	}
	// A NUL indicates binary, unless the text begins like JSON; then the parser reports the position.
	if t := bytes.TrimLeft(b, " \t\r\n"); len(t) > 0 && t[0] != '{' && t[0] != '[' && bytes.IndexByte(b, 0) >= 0 {
		return "is binary, not text; give a file of JSON objects, one a line"
	}
	return ""
}

// next returns the next object, io.EOF, or the error of the reader.
func (s *objectSplitter) next() (rawObject, error) {
	s.mark = -1
	f, err := s.scan()
	switch {
	case err != nil:
	case f.problem != "":
		if s.at == s.end && s.err != nil && !errors.Is(s.err, io.EOF) {
			return rawObject{}, s.err // the object looks cut off because reading failed
		}
	case s.mark < 0 || s.size > MaxRecord:
		f.problem = "the object has more than " + strconv.Itoa(MaxRecord>>20) +
			" MiB; shorten its longest field, most often observation"
	default:
		f.data = s.buf[s.mark : s.mark+s.size]
	}
	return f, err
}

// scan finds the next object and sets mark and size to it.
func (s *objectSplitter) scan() (rawObject, error) {
	for {
		c, ok := s.skipSpace()
		if !ok {
			return s.finish()
		}
		if s.arrays {
			f, done := s.scanElement(c)
			if done {
				return f, nil
			}
			continue
		}
		switch c {
		case '[':
			s.at++
			s.arrays, s.comma, s.value = true, false, false
		case '{':
			f := s.scanBracket()
			if rest := s.restOfLine(); rest != "" && f.problem == "" {
				f.problem = "after the object comes " + rest + "; write one object a line"
			}
			return f, nil
		default:
			f := rawObject{line: s.line}
			f.problem = "the line is not JSON: it begins with " + s.skipJunk() +
				"; write one object a line, each beginning with {"
			return f, nil
		}
	}
}

// finish returns what follows at the end of the stream: an error, or an unclosed array.
func (s *objectSplitter) finish() (rawObject, error) {
	if !errors.Is(s.err, io.EOF) {
		return rawObject{}, s.err
	}
	if s.arrays {
		s.arrays = false
		return rawObject{line: s.line, problem: "the array is not closed with ]; was the file cut off?"}, nil
	}
	return rawObject{}, io.EOF
}

// scanElement reads the next token in an array. It reports whether that is an object, and not just a comma or the
// closing bracket.
func (s *objectSplitter) scanElement(c byte) (rawObject, bool) {
	at := rawObject{line: s.line}
	switch {
	case c == ']':
		s.at++
		s.arrays = false
		if s.comma {
			at.problem = "the array has a comma before its ]; remove the comma"
		}
		return at, s.comma
	case c == ',':
		s.at++
		if !s.value {
			at.problem = "the array has a comma with no object before it; remove the comma"
			return at, true
		}
		s.comma, s.value = true, false
		return at, false
	case s.value:
		s.value = false
		at.problem = "the array has no comma between two objects; write one"
		return at, true
	}
	s.comma, s.value = false, true
	switch c {
	case '{':
		return s.scanBracket(), true
	case '[':
		at = s.scanBracket()
		at.problem = "the element is an array; every evaluation is an object"
	default:
		at.problem = "the element is not an object but " + s.skipJunk() + "; every evaluation is an object"
	}
	return at, true
}

// skipSpace skips white space and returns the byte after it, without consuming it; false
// at the end.
func (s *objectSplitter) skipSpace() (byte, bool) {
	for {
		c, ok := s.peek()
		if !ok {
			return 0, false
		}
		switch c {
		case '\n':
			s.line++
		case ' ', '\t', '\r':
		default:
			return c, true
		}
		s.at++
	}
}

// restOfLine checks the text after an object on its line. It returns "" if that is empty, another object or an array;
// otherwise it skips the line and returns its beginning.
func (s *objectSplitter) restOfLine() string {
	for {
		c, ok := s.peek()
		switch {
		case !ok, c == '\n', c == '{', c == '[':
			return ""
		case c == ' ', c == '\t', c == '\r':
			s.at++
		default:
			return s.skipJunk()
		}
	}
}

// skipJunk skips text that is not JSON and returns its beginning: in an array up to the next comma, bracket or line
// end, elsewhere up to the line end.
func (s *objectSplitter) skipJunk() string {
	var shown []byte
	inString := false
	for {
		c, ok := s.peek()
		if !ok || c == '\n' || s.arrays && !inString && len(shown) > 0 && bytes.IndexByte([]byte(",[]{}"), c) >= 0 {
			return quoteStart(shown)
		}
		if c == '"' {
			inString = !inString
		}
		if len(shown) < 32 {
			shown = append(shown, c)
		}
		s.at++
	}
}

// scanBracket reads an object or array up to the bracket that closes it. It stops at a string that is not closed on
// its line, and where {" appears in the first column, since then the object before it was cut off.
func (s *objectSplitter) scanBracket() rawObject {
	f := rawObject{line: s.line}
	s.mark, s.size = s.at, 0
	depth, inString := 0, false
	for s.at < s.end || s.readMore() {
		n := inertBytes(s.buf[s.at:s.end], inString)
		s.at, s.size = s.at+n, s.size+n
		if s.at == s.end {
			continue
		}
		c := s.buf[s.at]
		if c == '\n' && inString {
			f.problem = "the object has a string that is not closed on its line; was the line cut off? Write a line break in " +
				"a string as \\n"
			return f
		}
		s.at, s.size = s.at+1, s.size+1
		switch c {
		case '"':
			inString = !inString
		case '\\':
			if d, ok := s.peek(); ok && d != '\n' {
				s.at, s.size = s.at+1, s.size+1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return f
			}
		case '\n':
			s.line++
			if string(s.ahead(2)) == `{"` {
				f.problem = "the object is not closed with } before the next begins; was the line cut off?"
				return f
			}
		}
	}
	f.problem = "the object is not closed with }; was the file cut off?"
	return f
}

// inertBytes returns how many bytes at the beginning of b open and close nothing.
func inertBytes(b []byte, inString bool) int {
	for i, c := range b {
		switch c {
		case '"', '\n':
			return i
		case '\\':
			if inString {
				return i
			}
		case '{', '}', '[', ']':
			if !inString {
				return i
			}
		}
	}
	return len(b)
}

// quoteStart returns the beginning of b quoted, on one line, for a message.
func quoteStart(b []byte) string {
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		b = b[:i]
	}
	b = bytes.TrimRight(b, "\r ")
	more := ""
	if len(b) > 24 {
		b, more = b[:24], "…"
		for len(b) > 20 && !utf8.Valid(b) {
			b = b[:len(b)-1]
		}
	}
	return fmt.Sprintf("%q", string(b)+more)
}

// countLines returns the number of line feeds in b before offset at.
func countLines(b []byte, at int) int {
	return bytes.Count(b[:min(at, len(b))], []byte("\n"))
}
