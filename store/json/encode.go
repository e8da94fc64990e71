package jsonstore

import (
	"cmp"
	"encoding"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// A line is written as encoding/json writes it. That prepares an encoder of everything that a type could contain before
// it writes the first value, which takes a short-lived process longer than to write its few lines. So plain values are
// written here, each type when it first occurs. Whatever else there is, is left to encoding/json.

// written adds the JSON of a value to b. It returns false if the value is not plain; b may then have a part of it.
type written func(b []byte, v reflect.Value) ([]byte, bool)

// writers has the writers of the types that were written.
var writers sync.Map // reflect.Type to written

func writerOf(t reflect.Type) written {
	if w, ok := writers.Load(t); ok {
		return w.(written) //nolint:forcetypeassert // nothing else is stored
	}
	w := newWriter(t)
	writers.Store(t, w)
	return w
}

// laterWritten returns the writer of a type that is made when it first writes.
func laterWritten(t reflect.Type) written {
	made := sync.OnceValue(func() written { return writerOf(t) })
	return func(b []byte, v reflect.Value) ([]byte, bool) { return made()(b, v) }
}

func newWriter(t reflect.Type) written {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return appendTime
	case spelled(t):
		return appendOther
	case spelled(reflect.PointerTo(t)): // depends on where the value is
		return func(b []byte, _ reflect.Value) ([]byte, bool) { return b, false }
	}
	switch t.Kind() { //nolint:exhaustive // the others are not plain
	case reflect.Struct:
		return structWriter(t)
	case reflect.Pointer:
		return orNil(pointerWriter(t))
	case reflect.Slice:
		if t.Elem().Kind() != reflect.Uint8 { // bytes are spelled as a string
			return orNil(listWriter(t))
		}
	case reflect.String:
		return func(b []byte, v reflect.Value) ([]byte, bool) { return appendString(b, v.String()) }
	case reflect.Bool:
		return func(b []byte, v reflect.Value) ([]byte, bool) { return strconv.AppendBool(b, v.Bool()), true }
	case reflect.Int, reflect.Int64:
		return func(b []byte, v reflect.Value) ([]byte, bool) { return strconv.AppendInt(b, v.Int(), 10), true }
	case reflect.Uint64:
		return func(b []byte, v reflect.Value) ([]byte, bool) { return strconv.AppendUint(b, v.Uint(), 10), true }
	}
	return appendOther
}

func orNil(write written) written {
	return func(b []byte, v reflect.Value) ([]byte, bool) {
		if v.IsNil() {
			return append(b, "null"...), true
		}
		return write(b, v)
	}
}

func pointerWriter(t reflect.Type) written {
	write := laterWritten(t.Elem())
	return func(b []byte, v reflect.Value) ([]byte, bool) { return write(b, v.Elem()) }
}

func listWriter(t reflect.Type) written {
	write := laterWritten(t.Elem())
	return func(b []byte, v reflect.Value) ([]byte, bool) {
		b = append(b, '[')
		for i := range v.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			var ok bool
			if b, ok = write(b, v.Index(i)); !ok {
				return b, false
			}
		}
		return append(b, ']'), true
	}
}

func appendTime(b []byte, v reflect.Value) ([]byte, bool) {
	at, ok := reflect.TypeAssert[time.Time](v)
	if !ok {
		return b, false
	}
	text, err := at.MarshalJSON()
	return append(b, text...), err == nil
}

// spelled reports whether a type has a JSON or text of its own.
func spelled(t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[json.Marshaler]()) || t.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

func appendOther(b []byte, v reflect.Value) ([]byte, bool) {
	other, err := encodeOther(v.Interface())
	return append(b, other...), err == nil
}

// appendString adds a text. Most have none of the characters that JSON escapes.
func appendString(b []byte, s string) ([]byte, bool) {
	wide := false
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ' || c == '"' || c == '\\':
			return appendOther(b, reflect.ValueOf(s))
		case c >= utf8.RuneSelf:
			wide = true
		}
	}
	if wide && (!utf8.ValidString(s) || strings.Contains(s, "\u2028") || strings.Contains(s, "\u2029")) {
		return appendOther(b, reflect.ValueOf(s))
	}
	return append(append(append(b, '"'), s...), '"'), true
}

// writtenField is a field of a struct as it is written.
type writtenField struct {
	key   string // in quotation marks, with the colon
	index int
	out   func(reflect.Value) bool // whether it is left out; nil: never
	write written
}

// structWriter returns the writer of a struct. One with embedded fields, or with options of fields other than the two
// below, is not plain.
func structWriter(t reflect.Type) written {
	var fields []writtenField
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || !f.IsExported() && !f.Anonymous {
			continue
		}
		w := writtenField{strconv.Quote(cmp.Or(name, f.Name)) + ":", i, nil, laterWritten(f.Type)}
		switch options {
		case "":
		case "omitempty":
			w.out = empty
		case "omitzero":
			w.out = zeroOf(f.Type)
		}
		if f.Anonymous || options != "" && w.out == nil {
			return func(b []byte, _ reflect.Value) ([]byte, bool) { return b, false }
		}
		fields = append(fields, w)
	}
	return func(b []byte, v reflect.Value) ([]byte, bool) { return appendFields(b, v, fields) }
}

func appendFields(b []byte, v reflect.Value, fields []writtenField) ([]byte, bool) {
	between := byte('{')
	for i := range fields {
		f := &fields[i]
		value := v.Field(f.index)
		if f.out != nil && f.out(value) {
			continue
		}
		b = append(append(b, between), f.key...)
		between = ','
		var ok bool
		if b, ok = f.write(b, value); !ok {
			return b, false
		}
	}
	if between == '{' {
		b = append(b, '{')
	}
	return append(b, '}'), true
}

// empty reports what omitempty leaves out.
func empty(v reflect.Value) bool {
	switch v.Kind() { //nolint:exhaustive // the others are empty if they are zero, or never
	case reflect.Slice, reflect.Map, reflect.String, reflect.Array:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

// zeroOf returns what reports whether omitzero leaves a value of a type out: a type may decide by itself what is zero.
func zeroOf(t reflect.Type) func(reflect.Value) bool {
	if !t.Implements(reflect.TypeFor[interface{ IsZero() bool }]()) {
		return reflect.Value.IsZero
	}
	return func(v reflect.Value) bool {
		z, ok := reflect.TypeAssert[interface{ IsZero() bool }](v)
		return v.IsZero() || ok && z.IsZero()
	}
}
