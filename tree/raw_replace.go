package tree

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Scalar is a string or a whole number within a JSON value, as Raw.Replace passes it to its callback.
type Scalar struct {
	Text   string // the string without quotes and escapes, or the digits of the number
	Field  string // name of the field with the scalar as value or in its array; "" for a field name, and if unknown
	Listed bool   // the scalar is an element of an array
	Number bool   // the scalar is a whole number without a sign, not a string
}

// Replace returns r, which must be JSON, with strings and numbers replaced, and the sum of the counts that f returned.
// It calls f for every string, names of fields included, and for every whole number without a sign. If the count is not
// 0, the string that f returned replaces the scalar, as a JSON string. All other bytes remain unchanged.
func (r Raw) Replace(f func(x Scalar) (string, int)) (Raw, int) {
	w := replacer{in: r, f: f}
	for w.at < len(w.in) {
		switch c := w.in[w.at]; {
		case c == '"':
			w.literal()
		case c >= '0' && c <= '9', c == '-':
			w.number()
		default:
			switch c {
			case '{', '}':
				w.field, w.listed = "", false
			case '[':
				w.listed = true
			}
			w.at++
		}
	}
	if w.found == 0 {
		return r, 0
	}
	w.out.Write(w.in[w.copied:])
	return w.out.Bytes(), w.found
}

type replacer struct {
	in     []byte
	f      func(x Scalar) (string, int)
	at     int
	field  string // the field whose value comes next
	listed bool
	out    bytes.Buffer
	copied int // in[:copied] was written to out, or was replaced
	found  int
}

// literal handles the string that begins at at.
func (w *replacer) literal() {
	end := literalEnd(w.in, w.at)
	x := Scalar{Text: string(w.in[w.at+1 : max(w.at+1, end-1)]), Field: w.field, Listed: w.listed}
	known := strings.IndexByte(x.Text, '\\') < 0 || json.Unmarshal(w.in[w.at:end], &x.Text) == nil
	if nextByte(w.in, end) == ':' {
		x.Field, x.Listed = "", false
		if w.field, w.listed = "", false; known {
			w.field = x.Text
		}
	}
	if known {
		w.give(x, end)
	}
	w.at = end
}

// number handles the number that begins at at.
func (w *replacer) number() {
	whole, end := w.in[w.at] != '-', w.at+1
	for end < len(w.in) && strings.IndexByte("0123456789+-.eE", w.in[end]) >= 0 {
		whole = whole && w.in[end] >= '0' && w.in[end] <= '9'
		end++
	}
	if whole {
		w.give(Scalar{Text: string(w.in[w.at:end]), Field: w.field, Listed: w.listed, Number: true}, end)
	}
	w.at = end
}

// give calls f for the value from at to end, and replaces it if f found something.
func (w *replacer) give(x Scalar, end int) {
	said, n := w.f(x)
	if n == 0 {
		return
	}
	w.found += n
	w.out.Write(w.in[w.copied:w.at])
	w.out.Write(appendString(nil, said))
	w.copied = end
}

// literalEnd returns the end of the string that begins at i.
func literalEnd(b []byte, i int) int {
	for j := i + 1; j < len(b); j++ {
		switch b[j] {
		case '\\':
			j++
		case '"':
			return j + 1
		}
	}
	return len(b)
}

// nextByte returns the first byte from i on that is not white space, 0 at the end.
func nextByte(b []byte, i int) byte {
	for ; i < len(b); i++ {
		if c := b[i]; c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			return c
		}
	}
	return 0
}
