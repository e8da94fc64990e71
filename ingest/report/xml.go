package report

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/memtree/memtree/internal/text"
)

// Bounds of XML, in bytes.
const (
	longestText = 1 << 20 // between two tags; the rest is dropped
	longestTag  = 4 << 20 // with its attributes
)

// xmlReader is a decoder of untrusted XML. It expands no entities that a document declares, opens no files that it
// names, and bounds the memory that it holds.
type xmlReader struct {
	*xml.Decoder
	guard *xmlGuard
}

func newXML(r io.Reader) *xmlReader {
	g := &xmlGuard{r: bufio.NewReaderSize(asVersion1(asUTF8(r)), 64<<10)}
	x := &xmlReader{xml.NewDecoder(g), g}
	x.Strict = false
	x.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // it is UTF-8 already
	return x
}

// text returns the content of the element that has just begun, at most so many bytes of it, without elements within
// it. It consumes the element.
func (x *xmlReader) text(most int) (string, error) {
	var b strings.Builder
	for depth := 1; ; {
		t, err := x.Token()
		if err != nil {
			return "", err //nolint:wrapcheck // the callers say what it means
		}
		switch t := t.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			if depth--; depth == 0 {
				return b.String(), nil
			}
		case xml.CharData:
			if depth == 1 && b.Len() < most {
				b.Write(t[:min(len(t), most-b.Len())])
			}
		}
	}
}

// line returns the current line of the decoder.
func (x *xmlReader) line() int {
	line, _ := x.InputPos()
	return line + x.guard.lines
}

// asUTF8 decodes a document by its byte order mark or its declared encoding.
func asUTF8(r io.Reader) io.Reader {
	b := bufio.NewReaderSize(r, 4<<10)
	first, _ := b.Peek(200)
	var from encoding.Encoding
	switch {
	case bytes.HasPrefix(first, []byte("\xff\xfe")), bytes.HasPrefix(first, []byte("\xfe\xff")):
		from = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	default:
		head, _, _ := strings.Cut(strings.ToLower(string(first)), "?>")
		switch {
		case strings.Contains(head, `"gb`), strings.Contains(head, `'gb`):
			from = simplifiedchinese.GB18030
		case strings.Contains(head, "iso-8859-1"), strings.Contains(head, "windows-1252"):
			from = charmap.Windows1252
		default:
			from = unicode.UTF8BOM // bytes that are not UTF-8 become U+FFFD
		}
	}
	return transform.NewReader(b, from.NewDecoder())
}

// asVersion1 changes the version of a document from XML 1.1 to 1.0, the only one that encoding/xml reads: they differ
// in names and control characters, and control characters are replaced in any case.
func asVersion1(r io.Reader) io.Reader {
	head := make([]byte, 64)
	n, err := io.ReadFull(r, head)
	head = bytes.Replace(head[:n], []byte(`version="1.1"`), []byte(`version="1.0"`), 1)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return io.MultiReader(bytes.NewReader(head), failedReader{err})
	}
	return io.MultiReader(bytes.NewReader(head), r)
}

// failedReader returns an error.
type failedReader struct{ err error }

func (f failedReader) Read([]byte) (int, error) { return 0, f.err }

// problem returns why the document cannot be read on; "" if the reader failed.
func (x *xmlReader) problem(err error) string {
	switch bad := (*xml.SyntaxError)(nil); {
	case x.guard.err != nil:
		return ""
	case errors.Is(err, errLongTag):
		return fmt.Sprintf("has a tag of more than %d MiB", longestTag>>20)
	case !errors.As(err, &bad):
		return "is not XML: " + oneLine(text.Clean(err.Error()))
	case strings.Contains(bad.Msg, "EOF"):
		return "the XML cannot be read on from here; was the file cut off?"
	default:
		return "is not XML: " + oneLine(text.Clean(bad.Msg))
	}
}

// errLongTag means that a tag exceeds longestTag.
var errLongTag = errors.New("tag too long")

// xmlGuard shortens texts that are too long, and replaces control characters, which XML does not allow and some tools
// still write. It parses just enough of XML to distinguish texts from tags.
type xmlGuard struct {
	r     *bufio.Reader
	in    xmlPart
	n     int     // bytes of the part so far
	quote byte    // in a tag: the open quotation mark
	last  [3]byte // the last bytes, the newest last
	end   []byte  // the end of a shortened text, not returned yet
	lines int     // dropped lines
	err   error   // of the reader, except its end
}

type xmlPart int

const (
	inText xmlPart = iota
	inTag
	inCDATA
	inComment
)

const cdata = "[CDATA["

func (g *xmlGuard) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(g.end) > 0 {
			p[n], g.end = g.end[0], g.end[1:]
			n++
			continue
		}
		if n > 0 && g.r.Buffered() == 0 {
			return n, nil
		}
		c, err := g.r.ReadByte()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				g.err = err
			}
			return n, err //nolint:wrapcheck // io.Reader's contract
		}
		keep := g.step(c)
		switch {
		case g.in == inTag && g.n > longestTag:
			return n, errLongTag
		case !keep && c == '\n':
			g.lines++
		case keep:
			if c < ' ' && c != '\n' && c != '\t' && c != '\r' {
				c = ' '
			}
			p[n] = c
			n++
		}
	}
	return n, nil
}

// step processes a byte and reports whether to keep it.
func (g *xmlGuard) step(c byte) bool {
	g.last = [3]byte{g.last[1], g.last[2], c}
	g.n++
	switch g.in {
	case inText:
		if c == '<' {
			g.begin(inTag)
			return true
		}
	case inCDATA:
		return g.until("]]>")
	case inComment:
		return g.until("-->")
	case inTag:
		g.tag(c)
		return true
	}
	return g.n <= longestText
}

// until follows a text to its end mark, and reports whether to keep the present byte.
func (g *xmlGuard) until(mark string) bool {
	keep := g.n <= longestText
	if string(g.last[:]) == mark {
		if !keep {
			g.end = []byte(mark)
		}
		g.begin(inText)
	}
	return keep
}

// tag follows a tag to its end.
func (g *xmlGuard) tag(c byte) {
	switch {
	case g.quote != 0:
		if c == g.quote {
			g.quote = 0
		}
	case g.n == 1 && c == '!':
		if b, _ := g.r.Peek(len(cdata)); string(b) == cdata {
			g.begin(inCDATA)
		} else if string(b[:min(2, len(b))]) == "--" {
			g.begin(inComment)
		}
	case c == '"' || c == '\'':
		g.quote = c
	case c == '>':
		g.begin(inText)
	}
}

func (g *xmlGuard) begin(p xmlPart) { g.in, g.n, g.quote = p, 0, 0 }
