// Package flat reads numbers and texts from a string that is embedded in the program, without decoding or copying the
// whole string. So the program starts fast, and only the parts that are read come into memory.
//
// A function whose name begins with Append writes a value, and the method of [Data] with the rest of that name reads
// the value: AppendInts and Data.Ints. Values must be read in the order in which they were written. Numbers are
// little-endian. A method panics if the data ends too early; other wrong data may make it return wrong values.
package flat

import (
	"encoding/binary"
	"math"
)

// Data reads values one after the other: each method returns the next value. It is not safe for concurrent use.
type Data struct{ rest string }

// Open returns a Data at the start of s.
func Open(s string) *Data { return &Data{s} }

// AppendInt appends n to b; n is from 0 to 1<<32-1.
func AppendInt(b []byte, n int) []byte {
	return binary.LittleEndian.AppendUint32(b, uint32(n)) //nolint:gosec // the caller's promise
}

// Int returns the next value, a number that AppendInt wrote.
func (d *Data) Int() int { return Ints(d.take(4)).At(0) }

// AppendText appends the length of s, as AppendInt does, and s to b.
func AppendText[T string | []byte](b []byte, s T) []byte { return append(AppendInt(b, len(s)), s...) }

// Text returns the next value, a text that AppendText wrote. The text shares the memory of the data.
func (d *Data) Text() string { return d.take(d.Int()) }

func (d *Data) take(n int) string {
	s := d.rest[:n]
	d.rest = d.rest[n:]
	return s
}

// Ints is a list of numbers from 0 to 1<<32-1. It shares the memory of the Data from which it was read.
type Ints string

// AppendInts appends a list of numbers from 0 to 1<<32-1 to b.
func AppendInts(b []byte, list []int) []byte {
	b = AppendInt(b, len(list)*4)
	for _, n := range list {
		b = AppendInt(b, n)
	}
	return b
}

// Ints returns the next value, a list that AppendInts wrote.
func (d *Data) Ints() Ints { return Ints(d.Text()) }

// Len returns the number of elements in the list.
func (l Ints) Len() int { return len(l) / 4 }

// At returns the i-th number, from 0. It panics beyond the end.
func (l Ints) At(i int) int {
	s := l[4*i : 4*i+4]
	return int(uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24)
}

// All returns a copy of the numbers as a slice.
func (l Ints) All() []int {
	out := make([]int, l.Len())
	for i := range out {
		out[i] = l.At(i)
	}
	return out
}

// Doubles is a list of float64. It shares the memory of the Data from which it was read.
type Doubles string

// AppendDoubles appends a list of float64 to b.
func AppendDoubles(b []byte, list ...float64) []byte {
	b = AppendInt(b, len(list)*8)
	for _, x := range list {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return b
}

// Doubles returns the next value, a list that AppendDoubles wrote.
func (d *Data) Doubles() Doubles { return Doubles(d.Text()) }

// At returns the i-th number, from 0. It panics beyond the end.
func (l Doubles) At(i int) float64 {
	low, high := Ints(l).At(2*i), Ints(l).At(2*i+1)
	return math.Float64frombits(uint64(high)<<32 | uint64(low)) //nolint:gosec // they were uint32
}

// Floats is a list of float32. It shares the memory of the Data from which it was read.
type Floats string

// AppendFloats appends a list of float32 to b.
func AppendFloats(b []byte, list []float32) []byte {
	b = AppendInt(b, len(list)*4)
	for _, x := range list {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// Floats returns the next value, a list that AppendFloats wrote.
func (d *Data) Floats() Floats { return Floats(d.Text()) }

// At returns the i-th number, from 0. It panics beyond the end.
func (l Floats) At(i int) float32 {
	return math.Float32frombits(uint32(Ints(l).At(i))) //nolint:gosec // it was a uint32
}
