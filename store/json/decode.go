package jsonstore

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// Most lines of a store are plain: compact JSON that this package wrote, with no member that this program does not
// know. A plain reader decodes them several times as fast as encoding/json: in one pass, and without looking up names
// in a map, because members come in the order of the fields. Whatever is not plain it leaves to encoding/json, so
// there is one law for what a line means, and one sentence for what is wrong with it.

// decode reads the JSON of a line whose checksum was right. v points to a zero value.
func decode(raw []byte, v any) error {
	to := reflect.ValueOf(v).Elem()
	if end, ok := plainOf(to.Type())(raw, 0, to); ok && end == len(raw) {
		return nil
	}
	to.SetZero()
	if err := json.Unmarshal(raw, v); err != nil {
		return fmt.Errorf("a line that is whole makes no sense: %w", err)
	}
	return nil
}

// plain decodes the value at an offset of b, which need not end with it, into a zero value, and returns the offset
// after it. It returns false if the value is not plain, and may then leave anything in v.
type plain func(b []byte, at int, v reflect.Value) (end int, ok bool)

// plains has the readers of the types that were decoded.
var plains sync.Map // reflect.Type to plain

func plainOf(t reflect.Type) plain {
	if p, ok := plains.Load(t); ok {
		return p.(plain) // nothing else is stored
	}
	p := newPlain(t)
	plains.Store(t, p)
	return p
}

func newPlain(t reflect.Type) plain {
	if t == reflect.TypeFor[time.Time]() {
		return plainTime
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return plainOwn
	}
	switch t.Kind() {
	case reflect.Struct:
		return newStruct(t, nil)
	case reflect.Pointer:
		return orNull(plainPointer(t.Elem(), later(t.Elem())))
	case reflect.Slice:
		if t.Elem().Kind() != reflect.Uint8 { // bytes are spelled as a string
			return orNull(plainSlice(t.Elem()))
		}
	case reflect.Map:
		if t.Key() == reflect.TypeFor[string]() {
			return orNull(plainMap(t))
		}
	case reflect.String:
		if t != reflect.TypeFor[string]() { // one of a few texts
			return repeated()
		}
		return plainString
	case reflect.Bool:
		return plainBool
	case reflect.Int, reflect.Int64, reflect.Uint64, reflect.Float64:
		return plainNumber
	}
	return func([]byte, int, reflect.Value) (int, bool) { return 0, false }
}

// plainStruct is the reader of a struct.
type plainStruct struct{ fields []plainField }

type plainField struct {
	key   string // as it is spelled: in quotation marks, with the colon
	index int
	read  plain
}

// newStruct returns the reader of a struct that does not contain itself. A member in instead is read by its reader
// there.
func newStruct(t reflect.Type, instead map[string]plain) plain {
	s := &plainStruct{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || !f.IsExported() {
			continue
		}
		name = cmp.Or(name, f.Name)
		read, ok := instead[name]
		if !ok {
			read = plainOf(f.Type)
		}
		if f.Anonymous || strings.Contains(options, "string") || len(s.fields) == 64 {
			read = newPlain(reflect.TypeFor[any]())
		}
		s.fields = append(s.fields, plainField{strconv.Quote(name) + ":", i, read})
	}
	return s.read
}

// read decodes an object. A name that is no field's, or comes twice, is not plain.
func (s *plainStruct) read(b []byte, at int, v reflect.Value) (int, bool) {
	if at+1 >= len(b) || b[at] != '{' {
		return 0, false
	}
	at++
	if b[at] == '}' {
		return at + 1, true
	}
	var seen uint64
	for next := 0; ; {
		i := s.find(b[at:], next)
		if i < 0 || seen&(1<<i) != 0 {
			return 0, false
		}
		seen, next = seen|1<<i, i+1
		f := &s.fields[i]
		var ok bool
		if at, ok = f.read(b, at+len(f.key), v.Field(f.index)); !ok || at >= len(b) {
			return 0, false
		}
		switch b[at] {
		case ',':
			at++
		case '}':
			return at + 1, true
		default:
			return 0, false
		}
	}
}

// find returns the field whose key b begins with, and looks from a field on first; -1 if there is none.
func (s *plainStruct) find(b []byte, from int) int {
	for i := range s.fields {
		if i += from; i >= len(s.fields) {
			i -= len(s.fields)
		}
		if begins(b, 0, s.fields[i].key) {
			return i
		}
	}
	return -1
}

// orNull returns a reader of null, which leaves the zero value, and of what read reads.
func orNull(read plain) plain {
	return func(b []byte, at int, v reflect.Value) (int, bool) {
		if begins(b, at, "null") {
			return at + len("null"), true
		}
		return read(b, at, v)
	}
}

func begins(b []byte, at int, s string) bool {
	return len(b)-at >= len(s) && string(b[at:at+len(s)]) == s
}

func plainPointer(t reflect.Type, read plain) plain {
	return func(b []byte, at int, v reflect.Value) (int, bool) {
		v.Set(reflect.New(t))
		return read(b, at, v.Elem())
	}
}

// later returns the reader of a type that is made when it first reads: most types seldom occur.
func later(t reflect.Type) plain {
	made := sync.OnceValue(func() plain { return plainOf(t) })
	return func(b []byte, at int, v reflect.Value) (int, bool) { return made()(b, at, v) }
}

// list calls each at the beginning of every value of the list in b that opens and closes with these brackets.
func list(b []byte, at int, brackets string, each func(at int) (end int, ok bool)) (int, bool) {
	if at+1 >= len(b) || b[at] != brackets[0] {
		return 0, false
	}
	if at++; b[at] == brackets[1] {
		return at + 1, true
	}
	for {
		var ok bool
		if at, ok = each(at); !ok || at >= len(b) {
			return 0, false
		}
		switch b[at] {
		case ',':
			at++
		case brackets[1]:
			return at + 1, true
		default:
			return 0, false
		}
	}
}

func plainSlice(t reflect.Type) plain {
	read := later(t)
	return func(b []byte, at int, v reflect.Value) (int, bool) {
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		return list(b, at, "[]", func(at int) (int, bool) {
			n := v.Len()
			v.Grow(1)
			v.SetLen(n + 1)
			return read(b, at, v.Index(n))
		})
	}
}

func plainMap(t reflect.Type) plain {
	read := later(t.Elem())
	return func(b []byte, at int, v reflect.Value) (int, bool) {
		v.Set(reflect.MakeMap(t))
		return list(b, at, "{}", func(at int) (int, bool) {
			key, value := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
			at, ok := plainString(b, at, key)
			if !ok || at >= len(b) || b[at] != ':' {
				return 0, false
			}
			at, ok = read(b, at+1, value)
			if ok {
				v.SetMapIndex(key, value)
			}
			return at, ok
		})
	}
}

func plainString(b []byte, at int, v reflect.Value) (int, bool) {
	if at >= len(b) || b[at] != '"' {
		return 0, false
	}
	escaped, ascii := false, true
	for i := at + 1; i < len(b); i++ {
		switch c := b[i]; {
		case c == '\\':
			escaped = true
			i++
		case c == '"':
			s := b[at+1 : i]
			if !ascii && !utf8.Valid(s) {
				return 0, false
			}
			if !escaped {
				v.SetString(string(s))
				return i + 1, true
			}
			text, err := unquote(b[at : i+1])
			v.SetString(text)
			return i + 1, err == nil
		case c < ' ':
			return 0, false
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return 0, false
}

// repeated returns a reader of a text that is mostly equal to the one before, which it then shares.
func repeated() plain {
	var last atomic.Pointer[string] // as it is spelled, without escapes
	return func(b []byte, at int, v reflect.Value) (int, bool) {
		if s := last.Load(); s != nil && begins(b, at, *s) {
			v.SetString((*s)[1 : len(*s)-1])
			return at + len(*s), true
		}
		end, ok := plainString(b, at, v)
		if ok && end-at == v.Len()+2 {
			s := string(b[at:end])
			last.Store(&s)
		}
		return end, ok
	}
}

func plainBool(b []byte, at int, v reflect.Value) (int, bool) {
	switch {
	case begins(b, at, "true"):
		v.SetBool(true)
		return at + len("true"), true
	case begins(b, at, "false"):
		return at + len("false"), true
	}
	return 0, false
}

func plainNumber(b []byte, at int, v reflect.Value) (end int, ok bool) {
	digits, whole := uint64(0), true
	for end = at; end < len(b) && scalar(b[end]); end++ {
		whole = whole && b[end] >= '0' && b[end] <= '9'
		digits = digits*10 + uint64(b[end]-'0')
	}
	if whole && end > at && end-at <= 15 && (b[at] != '0' || end == at+1) { // as most are; of 15 digits a float64 is exact
		switch {
		case v.CanInt():
			v.SetInt(int64(digits)) //nolint:gosec // of 15 digits
		case v.CanUint():
			v.SetUint(digits)
		default:
			v.SetFloat(float64(digits))
		}
		return end, true
	}
	s := string(b[at:end])
	if !json.Valid(b[at:end]) { // strconv knows more numbers than JSON
		return 0, false
	}
	var err error
	switch {
	case v.CanInt():
		var n int64
		n, err = strconv.ParseInt(s, 10, v.Type().Bits())
		v.SetInt(n)
	case v.CanUint():
		var n uint64
		n, err = strconv.ParseUint(s, 10, v.Type().Bits())
		v.SetUint(n)
	default:
		var x float64
		x, err = strconv.ParseFloat(s, 64)
		v.SetFloat(x)
	}
	return end, err == nil
}

// plainTime decodes a time. It need not be valid JSON besides: the form of a time is stricter.
func plainTime(b []byte, at int, v reflect.Value) (int, bool) {
	end, err := skip(b, at)
	t, ok := reflect.TypeAssert[*time.Time](v.Addr())
	return end, err == nil && ok && t.UnmarshalJSON(b[at:end]) == nil
}

// plainSkip passes over a value.
func plainSkip(b []byte, at int, _ reflect.Value) (int, bool) {
	end, err := skip(b, at)
	return end, err == nil
}

// plainOwn has a value decode itself.
func plainOwn(b []byte, at int, v reflect.Value) (int, bool) {
	end, err := skip(b, at)
	if err != nil || !json.Valid(b[at:end]) {
		return 0, false
	}
	u, ok := reflect.TypeAssert[json.Unmarshaler](v.Addr())
	return end, ok && u.UnmarshalJSON(b[at:end]) == nil
}
