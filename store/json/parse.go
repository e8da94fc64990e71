package jsonstore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/memtree/memtree/tree"
)

// The journal and the snapshots are compact JSON that this package wrote and whose checksum was verified. An open needs
// only the places of a few values in it. These functions find them in place, as fast as a search for bytes, and reject
// anything but compact JSON of bounded depth. They do not check values that are not requested.

var errJSON = errors.New("is not the JSON this store writes")

// members calls f with each member of the object b, and the offset of its value in b, until f
// returns false.
func members(b []byte, f func(key string, value []byte, at int) bool) error {
	if len(b) < 2 || b[0] != '{' {
		return errJSON
	}
	i := 1
	for b[i] != '}' {
		end, err := skip(b, i)
		if err != nil || b[i] != '"' || end+1 >= len(b) || b[end] != ':' {
			return errJSON
		}
		key := b[i+1 : end-1]
		i = end + 1
		if end, err = skip(b, i); err != nil || end >= len(b) {
			return errJSON
		}
		if !f(string(key), b[i:end:end], i) {
			return nil
		}
		if i = end; b[i] == ',' && i+1 < len(b) {
			i++
		} else if b[i] != '}' {
			return errJSON
		}
	}
	if i != len(b)-1 {
		return errJSON
	}
	return nil
}

// elements calls f with each element of the array b, and its offset in b, until f returns an
// error.
func elements(b []byte, f func(value []byte, at int) error) error {
	if len(b) < 2 || b[0] != '[' {
		return errJSON
	}
	i := 1
	for b[i] != ']' {
		end, err := skip(b, i)
		if err != nil || end >= len(b) {
			return errJSON
		}
		if err := f(b[i:end:end], i); err != nil {
			return err
		}
		if i = end; b[i] == ',' && i+1 < len(b) {
			i++
		} else if b[i] != ']' {
			return errJSON
		}
	}
	if i != len(b)-1 {
		return errJSON
	}
	return nil
}

// skip returns the offset after the value that begins at i.
func skip(b []byte, i int) (int, error) {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			end, err := skipString(b, i)
			if err != nil {
				return 0, err
			}
			i = end
		case '{', '[':
			depth++
			i++
			if depth > 2*tree.MaxDepth {
				return 0, errJSON
			}
			continue
		case '}', ']':
			depth--
			i++
		case ',', ':':
			if depth == 0 {
				return 0, errJSON
			}
			i++
			continue
		default:
			start := i
			for i < len(b) && scalar(b[i]) {
				i++
			}
			if i == start {
				return 0, errJSON
			}
		}
		if depth <= 0 {
			if depth < 0 {
				return 0, errJSON
			}
			return i, nil
		}
	}
	return 0, errJSON
}

// scalar reports whether c can be part of a number, true, false or null.
func scalar(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == '-' || c == '+' || c == '.' || c == 'E'
}

// skipString returns the offset after the string that begins at i.
func skipString(b []byte, i int) (int, error) {
	for i++; i < len(b); {
		j := bytes.IndexByte(b[i:], '"')
		if j < 0 {
			break
		}
		slashes := 0
		for k := i + j - 1; k >= i && b[k] == '\\'; k-- {
			slashes++
		}
		i += j + 1
		if slashes%2 == 0 {
			return i, nil
		}
	}
	return 0, errJSON
}

// unquote returns the text of a JSON string.
func unquote(b []byte) (string, error) {
	if len(b) < 2 || b[0] != '"' || b[len(b)-1] != '"' {
		return "", errJSON
	}
	if bytes.IndexByte(b, '\\') < 0 {
		return string(b[1 : len(b)-1]), nil
	}
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return "", fmt.Errorf("read a string: %w", err)
	}
	return s, nil
}

// encode returns v as one line of JSON without the line feed, in the form all files have: <, >
// and & are not escaped.
func encode(v any) ([]byte, error) {
	if v != nil {
		if b, ok := writerOf(reflect.TypeOf(v))(make([]byte, 0, 512), reflect.ValueOf(v)); ok {
			return b, nil
		}
	}
	return encodeOther(v)
}

func encodeOther(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}
