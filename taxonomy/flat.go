package taxonomy

import (
	"errors"
	"math"
	"reflect"
)

// The built-in set is stored flat: the exported fields in their order, a string or a slice as its length and its
// content, a number in 8 bytes. Decoding copies no string: all are parts of the data, which is in the program.

var errFlat = errors.New("it is cut off, or of another form")

// flat reads what appendFlat of the tests wrote.
type flat struct {
	rest string
	bad  bool
}

// readFlat reads all of s into the value that p points to. An empty slice is nil.
func readFlat(s string, p any) error {
	f := &flat{rest: s}
	f.read(reflect.ValueOf(p).Elem())
	if f.bad || f.rest != "" {
		return errFlat
	}
	return nil
}

func (f *flat) read(v reflect.Value) {
	if cues, ok := reflect.TypeAssert[*[]Cue](v.Addr()); ok { // most of the data
		*cues = f.cues()
		return
	}
	switch v.Kind() { //nolint:exhaustive // appendFlat wrote no others
	case reflect.String:
		v.SetString(f.text())
	case reflect.Float64:
		v.SetFloat(f.number())
	case reflect.Slice:
		n := f.length()
		if n == 0 {
			v.SetZero()
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			f.read(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				f.read(v.Field(i))
			}
		}
	}
}

func (f *flat) cues() []Cue {
	n := f.length()
	if n == 0 {
		return nil
	}
	out := make([]Cue, n)
	for i := range out {
		out[i] = Cue{Phrase: f.text(), Weight: f.number()}
	}
	return out
}

// length reads a length, which is at most that of the rest.
func (f *flat) length() int {
	var n uint64
	for shift := 0; shift < 64; shift += 7 {
		if f.rest == "" {
			break
		}
		c := f.rest[0]
		f.rest = f.rest[1:]
		n |= uint64(c&0x7f) << shift
		if c < 0x80 && n <= uint64(len(f.rest)) {
			return int(n) //nolint:gosec // at most len(f.rest)
		}
		if c < 0x80 {
			break
		}
	}
	f.bad, f.rest = true, ""
	return 0
}

func (f *flat) text() string {
	n := f.length()
	s := f.rest[:n]
	f.rest = f.rest[n:]
	return s
}

func (f *flat) number() float64 {
	if len(f.rest) < 8 {
		f.bad, f.rest = true, ""
		return 0
	}
	var bits uint64
	for i := range 8 {
		bits |= uint64(f.rest[i]) << (8 * i)
	}
	f.rest = f.rest[8:]
	return math.Float64frombits(bits)
}
