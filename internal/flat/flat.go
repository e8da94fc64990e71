// Package flat reads data where it is stored: numbers and texts in a string that is a part of the program. Nothing is
// decoded, copied or indexed at a start, and of the program's file only the pages that are read come into memory.
//
// A value is written by a function whose name begins with Append, and read by the method of [Data] with the rest of
// that name, in the same order. Numbers are little-endian. A method panics where the data ends too early, or has
// another order: that is a program that was built wrongly, and a test of each package compares its data with what it is
// made of.
package flat

import (
	"encoding/binary"
	"math"
)

// Data is what is left to be read.
type Data struct{ rest string }

// Open returns the whole of s, unread.
func Open(s string) *Data { return &Data{s} }

// AppendInt adds a number from 0 to 1<<32-1.
func AppendInt(b []byte, n int) []byte {
	return binary.LittleEndian.AppendUint32(b, uint32(n)) //nolint:gosec // the caller's promise
}

// Int reads a number.
func (d *Data) Int() int { return Ints(d.take(4)).At(0) }

// AppendText adds a text.
func AppendText[T string | []byte](b []byte, s T) []byte { return append(AppendInt(b, len(s)), s...) }

// Text reads a text. It shares the memory of the data.
func (d *Data) Text() string { return d.take(d.Int()) }

func (d *Data) take(n int) string {
	s := d.rest[:n]
	d.rest = d.rest[n:]
	return s
}

// Ints is a list of numbers from 0 to 1<<32-1.
type Ints string

// AppendInts adds a list of such numbers.
func AppendInts(b []byte, list []int) []byte {
	b = AppendInt(b, len(list)*4)
	for _, n := range list {
		b = AppendInt(b, n)
	}
	return b
}

// Ints reads a list of numbers.
func (d *Data) Ints() Ints { return Ints(d.Text()) }

// Len returns the length of the list.
func (l Ints) Len() int { return len(l) / 4 }

// At returns a number of the list.
func (l Ints) At(i int) int {
	s := l[4*i : 4*i+4]
	return int(uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24)
}

// All returns the numbers.
func (l Ints) All() []int {
	out := make([]int, l.Len())
	for i := range out {
		out[i] = l.At(i)
	}
	return out
}

// Doubles is a list of float64.
type Doubles string

// AppendDoubles adds a list of numbers.
func AppendDoubles(b []byte, list ...float64) []byte {
	b = AppendInt(b, len(list)*8)
	for _, x := range list {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return b
}

// Doubles reads a list of numbers.
func (d *Data) Doubles() Doubles { return Doubles(d.Text()) }

// At returns a number of the list.
func (l Doubles) At(i int) float64 {
	low, high := Ints(l).At(2*i), Ints(l).At(2*i+1)
	return math.Float64frombits(uint64(high)<<32 | uint64(low)) //nolint:gosec // they were uint32
}

// Floats is a list of float32.
type Floats string

// AppendFloats adds a list of numbers.
func AppendFloats(b []byte, list []float32) []byte {
	b = AppendInt(b, len(list)*4)
	for _, x := range list {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// Floats reads a list of numbers.
func (d *Data) Floats() Floats { return Floats(d.Text()) }

// At returns a number of the list.
func (l Floats) At(i int) float32 {
	return math.Float32frombits(uint32(Ints(l).At(i))) //nolint:gosec // it was a uint32
}
