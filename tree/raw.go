package tree

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Raw is a JSON value of any kind, as text. The zero value is null.
type Raw []byte

// MaxDepth is the deepest nesting of brackets that Raw.Check allows.
const MaxDepth = 64

// MarshalJSON returns r, or null if r is empty.
func (r Raw) MarshalJSON() ([]byte, error) {
	if len(r) == 0 {
		return []byte("null"), nil
	}
	return r, nil
}

// UnmarshalJSON sets r to a copy of b.
func (r *Raw) UnmarshalJSON(b []byte) error {
	*r = append((*r)[:0], b...)
	return nil
}

// Null reports whether r is empty or the JSON value null.
func (r Raw) Null() bool {
	return len(r) == 0 || string(bytes.TrimSpace(r)) == "null"
}

// Check returns an error if r is nested deeper than MaxDepth or is not JSON. The error continues a sentence that
// begins with the name of the field. An empty r is valid.
func (r Raw) Check() error {
	if len(r) == 0 {
		return nil
	}
	if depth(r) > MaxDepth {
		return fmt.Errorf("nests deeper than %d", MaxDepth)
	}
	if !json.Valid(r) {
		return errors.New("is not JSON")
	}
	return nil
}

// depth returns how deeply brackets nest. It does not recurse, so it may be called before a decoder that does.
func depth(b []byte) int {
	most, now, inString := 0, 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			now++
			most = max(most, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return most
}

// Quote returns s as a JSON string.
func Quote(s string) Raw {
	b, err := json.Marshal(s)
	if err != nil {
		return nil // a string always marshals
	}
	return b
}

// Text returns the content of r if r is a JSON string, "" if r is Null, and r.Canonical() otherwise.
func (r Raw) Text() string {
	if r.Null() {
		return ""
	}
	var s string
	if bytes.HasPrefix(bytes.TrimSpace(r), []byte{'"'}) && json.Unmarshal(r, &s) == nil {
		return s
	}
	return string(r.Canonical())
}

// Canonical returns r in canonical form, so that equal values are equal bytes: no white space, keys sorted by bytes,
// numbers as in RFC 8785. Only integers beyond 2^53 and numbers beyond float64 keep the digits they have. An empty r
// becomes null. Canonical returns r unchanged if it is not JSON or is nested deeper than MaxDepth.
func (r Raw) Canonical() Raw {
	if len(r) == 0 {
		return Raw("null")
	}
	if depth(r) > MaxDepth || isCanonical(r) {
		return r
	}
	dec := json.NewDecoder(bytes.NewReader(r))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil || dec.More() {
		return r
	}
	return appendCanonical(make([]byte, 0, len(r)), v)
}

// isCanonical reports whether valid JSON is already canonical. It returns false if it cannot tell from one scan of the
// bytes. Most values are canonical, and decoding each to find out would take most of the time of writing a node.
func isCanonical(b []byte) bool {
	var keys [MaxDepth + 1][]byte // the last key read at each depth; keys must rise
	depth, key := 0, false        // key: the next string is a key
	var open [MaxDepth + 1]bool   // at each depth: the open bracket is an object
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			end := bytes.IndexByte(b[i+1:], '"')
			if end < 0 {
				return false
			}
			s := b[i+1 : i+1+end]
			if bytes.IndexByte(s, '\\') >= 0 || bytes.Contains(s, []byte("\xe2\x80")) || !utf8.Valid(s) {
				return false
			}
			if key {
				if keys[depth] != nil && bytes.Compare(keys[depth], s) >= 0 {
					return false
				}
				keys[depth], key = s, false
			}
			i += end + 1
		case c == '{' || c == '[':
			if depth++; depth > MaxDepth {
				return false
			}
			keys[depth], open[depth], key = nil, c == '{', c == '{'
		case c == '}' || c == ']':
			if depth == 0 {
				return false
			}
			depth--
			key = false
		case c == ',':
			key = open[depth]
		case c == '.' || c == 'e' && i > 0 && b[i-1] >= '0' && b[i-1] <= '9' || c == 'E' || c == '+' || c <= ' ':
			return false
		case c == '-' && i+1 < len(b) && b[i+1] == '0':
			return false
		}
	}
	return depth == 0
}

func appendCanonical(b []byte, v any) []byte {
	switch v := v.(type) {
	case map[string]any:
		b = append(b, '{')
		for i, k := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, k), ':')
			b = appendCanonical(b, v[k])
		}
		return append(b, '}')
	case []any:
		b = append(b, '[')
		for i, x := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendCanonical(b, x)
		}
		return append(b, ']')
	case json.Number:
		return append(b, canonicalNumber(string(v))...)
	case string:
		return appendString(b, v)
	case bool:
		return strconv.AppendBool(b, v)
	default:
		return append(b, "null"...)
	}
}

// appendString appends s as a JSON string, without escaping <, > and &.
func appendString(b []byte, s string) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return append(b, `""`...) // a string always encodes
	}
	return append(b, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
}

// canonicalNumber returns a JSON number as ECMAScript's Number::toString writes it, which RFC 8785 requires. Integers
// of any size remain unchanged.
func canonicalNumber(s string) string {
	if !strings.ContainsAny(s, ".eE") {
		if s == "-0" {
			return "0"
		}
		return s
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(f, 0) {
		return s
	}
	if f == 0 {
		return "0"
	}
	if a := math.Abs(f); a < 1e-6 || a >= 1e21 {
		e := strconv.FormatFloat(f, 'e', -1, 64)
		mantissa, exp, _ := strings.Cut(e, "e")
		sign, digits := exp[:1], strings.TrimLeft(exp[1:], "0")
		return mantissa + "e" + sign + digits
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}
