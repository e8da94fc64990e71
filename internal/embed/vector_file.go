package embed

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"
)

// A file of vectors has all vectors, then a row for each, sorted by key, then a footer. FORMAT.md describes it. Every
// row has a checksum of its own, so a file is opened without reading it, and damaged rows are treated as absent.
const (
	keptMagic  = "memtree-vectors\n"
	keptFormat = 1
	footSize   = len(keptMagic) + 4 + 4 + 8 + 8
	rowSize    = 32 + 8 + 8 + 4 + 4
	mostDims   = 1 << 14
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// textKey identifies a vector: a hash of the embedder's id and of the text.
type textKey [sha256.Size]byte

func keyOf(id, text string) (k textKey) {
	h := sha256.New()
	_, _ = io.WriteString(h, id)
	_, _ = h.Write([]byte{0})
	_, _ = io.WriteString(h, text)
	h.Sum(k[:0])
	return k
}

// pack returns the stored form of a vector: a scale, and numbers of 16 bits. It returns nil for an invalid vector:
// empty, longer than maxDims, or with NaN or infinity.
func pack(v []float32) []byte {
	top := float32(0)
	for _, x := range v {
		top = max(top, x, -x) // NaN if any x is
	}
	if len(v) == 0 || len(v) > mostDims || top != top || math.IsInf(float64(top), 0) {
		return nil
	}
	scale := top / math.MaxInt16
	b := binary.LittleEndian.AppendUint32(make([]byte, 0, 4+2*len(v)), math.Float32bits(scale))
	for _, x := range v {
		n := int16(0)
		if scale > 0 {
			n = int16(max(-math.MaxInt16, min(math.MaxInt16, math.Round(float64(x)/float64(scale)))))
		}
		b = binary.LittleEndian.AppendUint16(b, uint16(n)) //nolint:gosec // the bits
	}
	return b
}

// unpack returns a vector of length 1, or the zero vector, from a result of pack. It returns nil for any other input.
func unpack(b []byte) []float32 {
	if len(b) < 6 || len(b)%2 != 0 || len(b) > 4+2*mostDims {
		return nil
	}
	v := make([]float32, (len(b)-4)/2)
	var sum float64
	for i := range v {
		x := float64(int16(binary.LittleEndian.Uint16(b[4+2*i:]))) //nolint:gosec // the bits
		v[i] = float32(x)
		sum += x * x
	}
	if sum == 0 {
		return v
	}
	length := math.Sqrt(sum)
	for i := range v {
		v[i] = float32(float64(v[i]) / length)
	}
	return v
}

// keptRow is the position of a vector in a file, and its age.
type keptRow struct {
	key  textKey
	save uint64 // number of the save that wrote it; the lowest are the oldest
	at   uint64
	size uint32
	sum  uint32 // of key, save and bytes
}

func (r *keptRow) sumOf(b []byte) uint32 {
	s := crc32.Checksum(r.key[:], castagnoli)
	s = crc32.Update(s, castagnoli, binary.LittleEndian.AppendUint64(nil, r.save))
	return crc32.Update(s, castagnoli, b)
}

func readRow(b []byte) (r keptRow) {
	copy(r.key[:], b)
	r.save, r.at = binary.LittleEndian.Uint64(b[32:]), binary.LittleEndian.Uint64(b[40:])
	r.size, r.sum = binary.LittleEndian.Uint32(b[48:]), binary.LittleEndian.Uint32(b[52:])
	return r
}

func (r *keptRow) append(b []byte) []byte {
	b = append(b, r.key[:]...)
	b = binary.LittleEndian.AppendUint64(b, r.save)
	b = binary.LittleEndian.AppendUint64(b, r.at)
	b = binary.LittleEndian.AppendUint32(b, r.size)
	return binary.LittleEndian.AppendUint32(b, r.sum)
}

// keptFile is an open file of vectors. The zero keptFile holds none.
type keptFile struct {
	r     io.ReaderAt
	size  int64
	count int
	next  uint64 // number of the next save
}

// openKept reads the footer of a file. It returns false if the file has another format.
func openKept(r io.ReaderAt, size int64) (keptFile, bool) {
	if size < int64(footSize) {
		return keptFile{}, false
	}
	foot := make([]byte, footSize)
	if n, _ := r.ReadAt(foot, size-int64(footSize)); n < footSize {
		return keptFile{}, false
	}
	b := foot[len(keptMagic):]
	format, sum := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
	count, next := binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[16:])
	if string(foot[:len(keptMagic)]) != keptMagic || format != keptFormat || sum != crc32.Checksum(b[8:], castagnoli) ||
		count > uint64(size)/uint64(rowSize) ||
		int64(count)*int64(rowSize) > size-int64(footSize) { //nolint:gosec // bounded just before
		return keptFile{}, false
	}
	return keptFile{r, size, int(count), next}, true //nolint:gosec // bounded above
}

func (f *keptFile) rowsAt() int64 { return f.size - int64(footSize) - int64(f.count)*int64(rowSize) }

// find returns the vector of a key, nil if there is none or it is damaged. Keys are hashes and spread evenly, so it
// searches by interpolation. Every third step halves the range, which bounds the steps for any file.
func (f *keptFile) find(k textKey) []float32 {
	b := make([]byte, rowSize)
	lo, hi := 0, f.count
	want, below, above := front(k), float64(0), float64(math.MaxUint64)
	for try := 0; lo < hi; try++ {
		mid := lo + (hi-lo)/2
		if try%3 != 2 && above > below {
			mid = min(max(lo+int((want-below)/(above-below)*float64(hi-lo)), lo), hi-1)
		}
		if n, _ := f.r.ReadAt(b, f.rowsAt()+int64(mid)*int64(rowSize)); n < rowSize {
			return nil
		}
		r := readRow(b)
		switch bytes.Compare(r.key[:], k[:]) {
		case -1:
			lo, below = mid+1, front(r.key)
		case 1:
			hi, above = mid, front(r.key)
		default:
			return unpack(f.read(&r))
		}
	}
	return nil
}

// front returns the first eight bytes of a key as a number, which sorts as keys do.
func front(k textKey) float64 { return float64(binary.BigEndian.Uint64(k[:])) }

// read returns the bytes of a row, nil if they are damaged.
func (f *keptFile) read(r *keptRow) []byte {
	end := uint64(f.rowsAt()) //nolint:gosec // not negative, see openKept
	if r.size > 4+2*mostDims || r.at > end || uint64(r.size) > end-r.at {
		return nil
	}
	b := make([]byte, r.size)
	if n, _ := f.r.ReadAt(b, int64(r.at)); n < len(b) || r.sumOf(b) != r.sum { //nolint:gosec // bounded by end
		return nil
	}
	return b
}

// rows returns all rows of a file.
func (f *keptFile) rows() []keptRow {
	b := make([]byte, f.count*rowSize)
	if f.count == 0 {
		return nil
	}
	if n, _ := f.r.ReadAt(b, f.rowsAt()); n < len(b) {
		return nil
	}
	out := make([]keptRow, f.count)
	for i := range out {
		out[i] = readRow(b[i*rowSize:])
	}
	return out
}

// keptVector is a row and the location of its bytes: in a file, or in memory.
type keptVector struct {
	keptRow
	file  *keptFile
	bytes []byte
}

// writeKept writes a file of the vectors. It omits damaged ones, and of several with one key all but the newest.
func writeKept(w io.Writer, vectors []keptVector, next uint64) error {
	slices.SortFunc(vectors, func(x, y keptVector) int {
		return cmp.Or(bytes.Compare(x.key[:], y.key[:]), cmp.Compare(y.save, x.save))
	})
	var rows []byte
	var at, count uint64
	var before *textKey
	for i := range vectors {
		v := &vectors[i]
		b := v.bytes
		if v.file != nil {
			b = v.file.read(&v.keptRow)
		}
		if b == nil || before != nil && *before == v.key {
			continue
		}
		if _, err := w.Write(b); err != nil {
			return fmt.Errorf("keep vectors: %w", err)
		}
		r := keptRow{key: v.key, save: v.save, at: at, size: uint32(len(b))} //nolint:gosec // at most mostDims numbers
		r.sum = r.sumOf(b)
		rows = r.append(rows)
		at += uint64(len(b))
		count++
		before = &v.key
	}
	tail := binary.LittleEndian.AppendUint64(nil, count)
	tail = binary.LittleEndian.AppendUint64(tail, next)
	foot := binary.LittleEndian.AppendUint32([]byte(keptMagic), keptFormat)
	foot = binary.LittleEndian.AppendUint32(foot, crc32.Checksum(tail, castagnoli))
	for _, b := range [][]byte{rows, foot, tail} {
		if _, err := w.Write(b); err != nil {
			return fmt.Errorf("keep vectors: %w", err)
		}
	}
	return nil
}
