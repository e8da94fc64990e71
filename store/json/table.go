package jsonstore

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math/bits"
	"sync"

	"github.com/memtree/memtree/store"
)

// A table is a file, or a part of one, with records of one size. It consists of pages of 4096 bytes, which are read and
// checked one at a time:
//
//	records | zeros | number of records, 4 bytes | crc32c, 4 bytes
//
// All numbers are big-endian. The CRC covers the number of the page, 8 bytes, and the 4092 bytes before the CRC. All
// pages but the last are full.
const pageSize = 4096

// table reads a table. Its methods may be called concurrently if from allows that.
type table struct {
	from  io.ReaderAt
	start int64      // offset of its first page
	size  int        // of a record
	count int        // of records
	free  *sync.Pool // of buffers for pages, for at and search
}

// perPage returns how many records of a size fit on a page.
func perPage(size int) int { return (pageSize - 8) / size }

// pages returns how many pages count records of a size need.
func pages(count, size int) int { return (count + perPage(size) - 1) / perPage(size) }

// pageSum returns the CRC of page n, which includes n to detect a page in the wrong place.
func pageSum(n int, page []byte) uint32 {
	var num [8]byte
	binary.BigEndian.PutUint64(num[:], uint64(n)) //nolint:gosec // a count
	return crc32.Update(crc32.Checksum(num[:], castagnoli()), castagnoli(), page[:pageSize-4])
}

// page returns the records of page n.
func (t *table) page(n int) ([]byte, error) { return t.pageIn(make([]byte, pageSize), n) }

// pageIn reads page n into b and returns its records, a part of b.
func (t *table) pageIn(b []byte, n int) ([]byte, error) {
	if got, err := t.from.ReadAt(b, t.start+int64(n)*pageSize); got < pageSize {
		return nil, fmt.Errorf("page %d is not there: %w", n, err)
	}
	return t.check(b, n)
}

// check returns the records of page n, a part of its bytes b.
func (t *table) check(b []byte, n int) ([]byte, error) {
	held := int(binary.BigEndian.Uint32(b[pageSize-8:]))
	if binary.BigEndian.Uint32(b[pageSize-4:]) != pageSum(n, b) ||
		held != min(perPage(t.size), t.count-n*perPage(t.size)) {
		return nil, fmt.Errorf("page %d is damaged", n)
	}
	return b[:held*t.size], nil
}

// at returns record i.
func (t *table) at(i int) ([]byte, error) {
	if i < 0 || i >= t.count {
		return nil, fmt.Errorf("record %d of %d is asked for", i, t.count)
	}
	spare := t.spare()
	defer t.free.Put(spare)
	b, err := t.pageIn(spare[:], i/perPage(t.size))
	if err != nil {
		return nil, err
	}
	i %= perPage(t.size)
	return bytes.Clone(b[i*t.size : (i+1)*t.size]), nil
}

// search returns the record that begins with key, nil if there is none. The table is sorted by its keys, which are
// hashes. Hashes are spread evenly, so the value of key predicts its position, and search reads only a few pages
// however large the table. (The first guess is that of interpolation search, Perl, Itai and Avni, CACM 21, 1978. From
// there it moves in steps that double, and never past the middle of the remaining range.)
func (t *table) search(key store.Hash) ([]byte, error) {
	low, high := 0, pages(t.count, t.size)
	n := int(mulDiv(binary.BigEndian.Uint64(key[:8]), uint64(high))) //nolint:gosec // less than high
	spare := t.spare()
	defer t.free.Put(spare)
	// The pages low to high-1 may hold the key. reach is the longest next step.
	for reach := 1; low < high; reach *= 2 {
		b, err := t.pageIn(spare[:], n)
		if err != nil {
			return nil, err
		}
		switch {
		case bytes.Compare(key[:], b[:16]) < 0:
			high = n
			n = max(n-reach, (low+high)/2)
		case bytes.Compare(key[:], b[len(b)-t.size:][:16]) > 0:
			low = n + 1
			n = min(n+reach, (low+high)/2)
		default:
			return bytes.Clone(find(b, t.size, key)), nil
		}
	}
	return nil, nil
}

// spare returns a buffer for a page, from the pool if there is one.
func (t *table) spare() *[pageSize]byte {
	if b, ok := t.free.Get().(*[pageSize]byte); ok {
		return b
	}
	return new([pageSize]byte)
}

// mulDiv returns n·h/2^64, rounded down.
func mulDiv(h, n uint64) uint64 {
	hi, _ := bits.Mul64(h, n)
	return hi
}

// find returns the record that begins with key among the records b of a page, nil if none.
func find(b []byte, size int, key store.Hash) []byte {
	low, high := 0, len(b)/size
	for low < high {
		mid := (low + high) / 2
		rec := b[mid*size : (mid+1)*size]
		switch c := bytes.Compare(key[:], rec[:16]); {
		case c == 0:
			return rec
		case c < 0:
			high = mid
		default:
			low = mid + 1
		}
	}
	return nil
}

// tableWriter writes a table.
type tableWriter struct {
	to    io.Writer
	size  int
	count int
	n     int // of pages written
	page  []byte
}

func newTable(to io.Writer, size int) *tableWriter {
	return &tableWriter{to: to, size: size, page: make([]byte, 0, pageSize)}
}

// add appends a record, and writes the page if it is full.
func (w *tableWriter) add(rec []byte) error {
	w.page = append(w.page, rec...)
	w.count++
	if len(w.page)/w.size == perPage(w.size) {
		return w.flush()
	}
	return nil
}

// flush writes the page that is not full. Call it last.
func (w *tableWriter) flush() error {
	if len(w.page) == 0 {
		return nil
	}
	held := len(w.page) / w.size
	b := w.page[:pageSize]
	clear(b[len(w.page):])
	binary.BigEndian.PutUint32(b[pageSize-8:], uint32(held)) //nolint:gosec // fits a page
	binary.BigEndian.PutUint32(b[pageSize-4:], pageSum(w.n, b))
	w.n++
	w.page = w.page[:0]
	_, err := w.to.Write(b)
	return err
}
