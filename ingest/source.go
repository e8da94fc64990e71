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
	maxReads    = 100 // reads in a row that may return nothing
)

// frame is one object of the file, or a problem in its place.
type frame struct {
	data    []byte // valid until the next frame
	line    int    // where it begins, from 1
	problem string
}

// source cuts a stream into frames by counting brackets outside strings. It
// does not judge what stands between them; the parser does.
type source struct {
	r       io.Reader
	err     error // of r, once it has ended
	buf     []byte
	at, end int // buf[at:end] is read but not consumed
	mark    int // where the present frame begins in buf, -1 for none
	size    int // how long it is, once it is read
	line    int
	arrays  bool // inside a top-level array
	comma   bool // in an array: a comma was read and a value must follow
	value   bool // in an array: a value was read and a comma must follow
}

// fill reads more and reports whether there is more. What is marked is kept,
// until it is longer than a record may be: then the mark is dropped.
func (s *source) fill() bool {
	if s.err != nil {
		return false
	}
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
func (s *source) peek() (byte, bool) {
	for s.at == s.end {
		if !s.fill() {
			return 0, false
		}
	}
	return s.buf[s.at], true
}

// ahead returns up to n bytes that follow, fewer only at the end.
func (s *source) ahead(n int) []byte {
	for s.end-s.at < n && s.fill() {
	}
	return s.buf[s.at:min(s.end, s.at+n)]
}

// begin skips a byte order mark and says why the file is not text, if so.
func (s *source) begin() string {
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
	if t := bytes.TrimLeft(b, " \t\r\n"); len(t) > 0 && t[0] != '{' && t[0] != '[' && bytes.IndexByte(b, 0) >= 0 {
		return "is binary, not text; give a file of JSON objects, one a line"
	}
	return ""
}

// next returns the next frame, or io.EOF, or what the reader failed with.
func (s *source) next() (frame, error) {
	s.mark = -1
	f, err := s.scan()
	switch {
	case err != nil:
	case f.problem != "":
		if s.at == s.end && s.err != nil && !errors.Is(s.err, io.EOF) {
			return frame{}, s.err // what looks cut off was not read to its end
		}
	case s.mark < 0 || s.size > MaxRecord:
		f.problem = "the object has more than " + strconv.Itoa(MaxRecord>>20) + " MiB; shorten its longest field, most often observation"
	default:
		f.data = s.buf[s.mark : s.mark+s.size]
	}
	return f, err
}

func (s *source) scan() (frame, error) {
	for {
		c, ok := s.space()
		if !ok {
			return s.finish()
		}
		if s.arrays {
			f, done := s.element(c)
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
			f := s.bracket()
			if rest := s.rest(); rest != "" && f.problem == "" {
				f.problem = "after the object comes " + rest + "; write one object a line"
			}
			return f, nil
		default:
			f := frame{line: s.line}
			f.problem = "the line is not JSON: it begins with " + s.junk() + "; write one object a line, each beginning with {"
			return f, nil
		}
	}
}

// finish says how the stream ended.
func (s *source) finish() (frame, error) {
	if !errors.Is(s.err, io.EOF) {
		return frame{}, s.err
	}
	if s.arrays {
		s.arrays = false
		return frame{line: s.line, problem: "the array is not closed with ]; was the file cut off?"}, nil
	}
	return frame{}, io.EOF
}

// element reads what stands next in an array, and reports whether that is a frame.
func (s *source) element(c byte) (frame, bool) {
	at := frame{line: s.line}
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
		return s.bracket(), true
	case '[':
		at = s.bracket()
		at.problem = "the element is an array; every evaluation is an object"
	default:
		at.problem = "the element is not an object but " + s.junk() + "; every evaluation is an object"
	}
	return at, true
}

// space skips white space and returns the byte after it, false at the end.
func (s *source) space() (byte, bool) {
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

// rest reports what stands after an object on its line: "" for nothing, another
// object or an array; otherwise the line is skipped.
func (s *source) rest() string {
	for {
		c, ok := s.peek()
		switch {
		case !ok, c == '\n', c == '{', c == '[':
			return ""
		case c == ' ', c == '\t', c == '\r':
			s.at++
		default:
			return s.junk()
		}
	}
}

// junk shows the beginning of what is not JSON and skips it: in an array to the
// next comma, bracket or line end, elsewhere to the line end.
func (s *source) junk() string {
	var shown []byte
	inString := false
	for {
		c, ok := s.peek()
		if !ok || c == '\n' || s.arrays && !inString && len(shown) > 0 && bytes.IndexByte([]byte(",[]{}"), c) >= 0 {
			return show(shown)
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

// bracket reads an object or array to the bracket that closes it. It gives up
// where a string is not closed on its line, and where a new object begins in
// the first column: there the line before was cut.
func (s *source) bracket() frame {
	f := frame{line: s.line}
	s.mark, s.size = s.at, 0
	depth, inString := 0, false
	for s.at < s.end || s.fill() {
		n := inert(s.buf[s.at:s.end], inString)
		s.at, s.size = s.at+n, s.size+n
		if s.at == s.end {
			continue
		}
		c := s.buf[s.at]
		if c == '\n' && inString {
			f.problem = "the object has a string that is not closed on its line; was the line cut off? Write a line break in a string as \\n"
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

// inert counts the bytes at the beginning of b that open and close nothing.
func inert(b []byte, inString bool) int {
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

// show quotes the beginning of b for a message, on one line.
func show(b []byte) string {
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

// lines counts the line feeds before offset at.
func lines(b []byte, at int) int {
	return bytes.Count(b[:min(at, len(b))], []byte("\n"))
}
