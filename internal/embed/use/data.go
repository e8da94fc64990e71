package use

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"
)

const (
	magic      = "MTUE"
	version    = 1
	headerSize = 60
	dims       = 512 // of an embedding row and of the result
	mostBits   = 6   // of a level of a row
	chunks     = 17  // pairs of an offset and a step that levels are scaled by
	mostCount  = 1 << 21
)

// errFormat is wrapped by every error of parse.
var errFormat = errors.New("not a usable encoder")

// Encoder is the neural network: it turns texts into vectors. It is immutable and safe for concurrent use.
type Encoder struct {
	id       string
	recent   *recent
	control  [3]int32 // rows of the unknown piece, of the beginning and of the end
	unknown  float64  // score of a character without a piece
	scale    [chunks][2]float32
	weights  []byte // of the network, see layers
	units    []byte // trie of the normalizer: its leaves are offsets in replaced
	replaced []byte // texts, each with a zero byte at its end
	nodes    []byte // trie of the pieces: its leaves are rows
	scores   []byte // float32 for each row
	rows     []byte // sorted by their bits
	ends     [mostBits + 1]int
	starts   [mostBits + 1]int // where in rows those of so many bits begin
	net      func() *network
	work     sync.Pool // of *work
}

func refuse(format string, args ...any) error {
	return fmt.Errorf("read encoder: %w: %s", errFormat, fmt.Sprintf(format, args...))
}

// parse reads the header of an encoder in the format of FORMAT.md, and makes an encoder without an id of slices of b,
// which must not change. It does not read them: what they name is checked where it is used. For a header that is
// damaged or hostile it returns an error that wraps errFormat and has the cause.
func parse(b []byte) (*Encoder, error) {
	if len(b) < headerSize || string(b[:4]) != magic {
		return nil, refuse("it does not begin with %s and a header of %d bytes", magic, headerSize)
	}
	var field [13]int
	for i := range field {
		field[i] = int(le32(b, 4+4*i))
	}
	if field[0] != version {
		return nil, refuse("version %d, this program reads version %d", field[0], version)
	}
	for _, n := range field[1:] {
		if n > mostCount {
			return nil, refuse("a count of %d; at most %d is allowed", n, mostCount)
		}
	}
	e := &Encoder{unknown: float64(f32(b, 56)), recent: newRecent()}
	rows, size := 0, 0
	for bits := 1; bits <= mostBits; bits++ {
		e.starts[bits] = size
		rows += field[3+bits]
		size += field[3+bits] * rowSize(bits)
		e.ends[bits] = rows
	}
	for i, row := range field[10:] {
		if row >= rows {
			return nil, refuse("control piece %d is in row %d of %d", i, row, rows)
		}
		e.control[i] = int32(row) //nolint:gosec // at most mostCount
	}
	if field[1] == 0 || field[3] == 0 || math.IsNaN(e.unknown) || math.IsInf(e.unknown, 0) {
		return nil, refuse("it lacks a trie or a score")
	}
	at := headerSize
	take := func(n int) []byte {
		from := min(at, len(b))
		at += n
		return b[from:min(at, len(b))]
	}
	levels := take(8 * chunks)
	e.weights = take(weightSize)
	e.units, e.replaced, e.nodes = take(4*field[1]), take(field[2]), take(4*field[3])
	e.scores, e.rows = take(4*rows), take(size)
	if at != len(b) {
		return nil, refuse("%d bytes where the header asks for %d", len(b), at)
	}
	for i := range e.scale {
		e.scale[i] = [2]float32{f32(levels, 8*i), f32(levels, 8*i+4)}
	}
	e.net = sync.OnceValue(func() *network { return openNetwork(e.weights) })
	return e, nil
}

// rowSize returns the bytes of a row: the number of its scale, its least level, and bits for each level above it.
func rowSize(bits int) int { return 2 + bits*dims/8 }

// row reads a row's levels above its least into out. A level is base + step·out.
func (e *Encoder) row(i int32, out []byte) (base, step float32) {
	bits := 1
	for int(i) >= e.ends[bits] {
		bits++
	}
	at := e.starts[bits] + (int(i)-e.ends[bits-1])*rowSize(bits)
	row := e.rows[at : at+rowSize(bits)]
	s := &e.scale[min(int(row[0]), chunks-1)]
	mask := byte(1<<bits - 1)
	out = out[:dims]
	for k, packed := 0, row[2:]; k < dims; k, packed = k+8, packed[bits:] {
		x := uint64(0)
		if len(packed) >= 8 {
			x = binary.LittleEndian.Uint64(packed)
		} else {
			for j := bits - 1; j >= 0; j-- {
				x = x<<8 | uint64(packed[j])
			}
		}
		o := out[k : k+8]
		for j := range o {
			o[j] = byte(x) & mask
			x >>= bits & 7
		}
	}
	return s[0] + float32(s[1]*float32(row[1])), s[1]
}

func (e *Encoder) score(row int32) float64 { return float64(f32(e.scores, 4*int(row))) }

func le32(b []byte, at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }

func f32(b []byte, at int) float32 { return math.Float32frombits(le32(b, at)) }
