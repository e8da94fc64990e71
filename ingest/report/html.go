package report

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/url"
	"regexp"
	"sync"
)

// longestScriptTag bounds the tag of a script, with its attributes, in bytes.
const longestScriptTag = 64 << 10

// htmlReader finds the scripts of a page. It runs none of them, and their content is not read as tags.
type htmlReader struct {
	r    *bufio.Reader
	line int
}

// readByte reads a byte and counts lines.
func (h *htmlReader) readByte() (byte, error) {
	c, err := h.r.ReadByte()
	if c == '\n' {
		h.line++
	}
	return c, err //nolint:wrapcheck // the reader's own
}

// startsWith reports whether the next bytes are word, which is in lower case, ignoring case.
func (h *htmlReader) startsWith(word string) bool {
	b, _ := h.r.Peek(len(word))
	return bytes.EqualFold(b, []byte(word))
}

var attribute = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`([a-zA-Z_][-\w]*)\s*=\s*"([^"]*)"`)
})

// scripts calls each for every script with its attributes, which are decoded as Midscene writes them.
func (h *htmlReader) scripts(each func(attrs map[string]string, body *scriptBody) error) error {
	for {
		c, err := h.readByte()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case c != '<' || !h.startsWith("script"):
			continue
		}
		tag, err := h.tag()
		if err != nil {
			return err
		}
		attrs := map[string]string{}
		for _, m := range attribute().FindAllSubmatch(tag, 100) {
			value, err := url.PathUnescape(string(m[2]))
			if err != nil {
				value = string(m[2])
			}
			if name := string(m[1]); attrs[name] == "" { // of two the first wins; Midscene writes type twice
				attrs[name] = value
			}
		}
		body := &scriptBody{h: h}
		if err := each(attrs, body); err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, body); err != nil {
			return err //nolint:wrapcheck // the reader's own
		}
	}
}

// tag reads a tag to its end.
func (h *htmlReader) tag() (tag []byte, err error) {
	for len(tag) < longestScriptTag {
		c, err := h.readByte()
		if errors.Is(err, io.EOF) {
			return nil, &brokenError{line: h.line, problem: "the page ends within a tag; was the file cut off?"}
		}
		if err != nil || c == '>' {
			return tag, err
		}
		tag = append(tag, c)
	}
	return tag, nil
}

// scriptBody reads the content of a script.
type scriptBody struct {
	h    *htmlReader
	done bool
}

func (s *scriptBody) Read(p []byte) (n int, err error) {
	for n < len(p) && !s.done {
		if n > 0 && s.h.r.Buffered() < 16 {
			return n, nil
		}
		c, err := s.h.readByte()
		if err != nil {
			return n, err
		}
		if c == '<' && s.h.startsWith("/script") {
			s.done = true
			break
		}
		p[n] = c
		n++
	}
	if n == 0 && s.done {
		return 0, io.EOF
	}
	return n, nil
}
