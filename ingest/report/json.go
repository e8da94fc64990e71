package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/memtree/memtree/tree"
)

// Bounds of JSON.
const (
	longestValue = 8 << 20 // of a value that is decoded as a whole
	longestKey   = 64 << 10
	deepest      = 500 // objects and arrays within each other
)

// jsonReader reads JSON of any length. It skips unrequested values without holding them.
type jsonReader struct {
	r     *bufio.Reader
	line  int
	depth int
}

func newJSON(r *bufio.Reader) *jsonReader { return &jsonReader{r: r, line: 1} }

// begin skips a byte order mark.
func (j *jsonReader) begin() {
	if b, _ := j.r.Peek(3); string(b) == "\xef\xbb\xbf" {
		_, _ = j.r.Discard(3)
	}
}

func (j *jsonReader) broken(problem string) error {
	return &brokenError{line: j.line, problem: problem}
}

// failed returns the error for input that ends in the middle of a value.
func (j *jsonReader) failed(err error) error {
	if errors.Is(err, io.EOF) {
		return j.broken("the file ends in the middle of its JSON; was it cut off?")
	}
	return err
}

// peek returns the next byte that is not white space; io.EOF at the end.
func (j *jsonReader) peek() (byte, error) {
	for {
		c, err := j.r.ReadByte()
		if err != nil {
			return 0, err //nolint:wrapcheck // the callers say what it means
		}
		switch c {
		case '\n':
			j.line++
		case ' ', '\t', '\r':
		default:
			return c, j.r.UnreadByte() //nolint:wrapcheck // never after a ReadByte
		}
	}
}

// take reads the next byte that is not white space.
func (j *jsonReader) take() (byte, error) {
	c, err := j.peek()
	if err != nil {
		return 0, j.failed(err)
	}
	_, err = j.r.ReadByte()
	return c, err //nolint:wrapcheck // it was peeked
}

// object reads an object and calls member at the value of each key, which member must consume. Any other value is
// skipped.
func (j *jsonReader) object(member func(key string) error) error {
	return j.nest('{', '}', func() error {
		key, err := j.text(longestKey)
		if err != nil {
			return err
		}
		c, err := j.take()
		if err != nil {
			return err
		}
		if c != ':' {
			return j.unexpected(c, "a colon")
		}
		return member(key)
	})
}

// array reads an array and calls element at each of its values, which element must consume. Any other value is skipped.
func (j *jsonReader) array(element func() error) error { return j.nest('[', ']', element) }

// nest reads the elements between two brackets.
func (j *jsonReader) nest(open, end byte, one func() error) error {
	c, err := j.peek()
	if err != nil {
		return j.failed(err)
	}
	if c != open {
		return j.skip()
	}
	_, _ = j.r.ReadByte()
	if j.depth++; j.depth > deepest {
		return j.broken("the JSON is nested too deeply")
	}
	defer func() { j.depth-- }()
	for first := true; ; first = false {
		c, err := j.take()
		switch {
		case err != nil:
			return err
		case c == end && first:
			return nil
		case first:
			err = j.r.UnreadByte()
		case c == end:
			return nil
		case c != ',':
			return j.unexpected(c, "a comma or "+string(end))
		}
		if err != nil {
			return err //nolint:wrapcheck // never after a ReadByte
		}
		if err := one(); err != nil {
			return err
		}
	}
}

func (j *jsonReader) unexpected(c byte, want string) error {
	return j.broken("has " + strconv.Quote(string(rune(c))) + " where JSON has " + want)
}

// skip consumes a value.
func (j *jsonReader) skip() error {
	_, err := j.scan(0)
	return err
}

// raw returns a value unchanged, nil if it is longer than allowed.
func (j *jsonReader) raw() ([]byte, error) { return j.scan(longestValue) }

// scan consumes a value and returns it if it has at most so many bytes. The caller checks whether its content is valid
// JSON.
func (j *jsonReader) scan(most int) ([]byte, error) {
	if _, err := j.peek(); err != nil {
		return nil, j.failed(err)
	}
	var kept bytes.Buffer
	keep, depth, inString, escaped := most > 0, 0, false, false
	for n := 0; ; n++ {
		c, err := j.r.ReadByte()
		if err != nil {
			if depth == 0 && !inString && errors.Is(err, io.EOF) && n > 0 {
				break
			}
			return nil, j.failed(err)
		}
		end := false
		switch {
		case c == '\n' && inString:
			return nil, j.broken("has a string that is not closed on its line; was the file cut off?")
		case escaped:
			escaped = false
		case inString:
			escaped = c == '\\'
			inString = c != '"'
			end = !inString && depth == 0
		case c == '"':
			inString = true
		case c == '{', c == '[':
			depth++
		case c == '}', c == ']':
			if depth == 0 {
				return kept.Bytes(), j.ended(n, c)
			}
			depth--
			end = depth == 0
		case depth == 0 && (c == ',' || c == ':' || c == ' ' || c == '\t' || c == '\r' || c == '\n'):
			return kept.Bytes(), j.ended(n, c)
		case c == '\n':
			j.line++
		}
		if keep = keep && n < most; keep {
			kept.WriteByte(c)
		}
		if end {
			break
		}
	}
	if !keep {
		return nil, nil
	}
	return kept.Bytes(), nil
}

// ended puts back the byte after a number or a literal.
func (j *jsonReader) ended(n int, c byte) error {
	if n == 0 {
		return j.unexpected(c, "a value")
	}
	return j.r.UnreadByte() //nolint:wrapcheck // never after a ReadByte
}

// text returns a string, cut to so many bytes; "" for any other value.
func (j *jsonReader) text(most int) (string, error) {
	c, err := j.peek()
	if err != nil {
		return "", j.failed(err)
	}
	if c != '"' {
		return "", j.skip()
	}
	_, _ = j.r.ReadByte()
	kept := []byte{'"'}
	for full := false; ; {
		c, err := j.r.ReadByte()
		if err != nil {
			return "", j.failed(err)
		}
		if c == '\n' {
			return "", j.broken("has a string that is not closed on its line; was the file cut off?")
		}
		if c == '"' {
			break
		}
		full = full || len(kept) >= most && utf8.RuneStart(c)
		if !full {
			kept = append(kept, c)
		}
		if c == '\\' {
			if c, err = j.r.ReadByte(); err != nil {
				return "", j.failed(err)
			}
			if !full {
				kept = append(kept, c)
			}
		}
	}
	var s string
	if err := json.Unmarshal(append(kept, '"'), &s); err != nil {
		return "", j.broken("has a string that is not JSON")
	}
	return s, nil
}

// value decodes a value as a whole. A value that is too long, or of another form, is a *valueError, and reading
// continues after it.
func (j *jsonReader) value(to any) error {
	line := j.line
	b, err := j.raw()
	if err != nil {
		return err
	}
	if b == nil {
		return &valueError{line: line, problem: "is longer than 8 MiB; shorten it"}
	}
	if err := tree.Raw(b).Check(); err != nil {
		return &valueError{line: line, problem: err.Error()}
	}
	if err := json.Unmarshal(b, to); err != nil {
		if other, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return &valueError{line: line, field: other.Field, problem: "is a JSON " + other.Value +
				", which such a report does not have there"}
		}
		return &valueError{line: line, problem: "cannot be read"}
	}
	return nil
}

// valueError is an unusable value. It does not affect other values.
type valueError struct {
	line           int
	field, problem string
}

func (e *valueError) Error() string { return e.field + " " + e.problem }

// raw returns any value as JSON, without escaping for HTML.
func raw(v any) tree.Raw {
	if r, ok := v.(tree.Raw); ok {
		return r
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return nil
	}
	return bytes.TrimSpace(b.Bytes())
}
