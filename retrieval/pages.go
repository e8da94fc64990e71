package retrieval

import (
	"fmt"
	"hash/crc32"
	"io"
	"sync/atomic"

	"github.com/memtree/memtree/store"
)

// pageSize is the number of bytes that are read and checked together. A record of fixed size
// either divides it, so that it lies within a page, or is read with span, which joins pages.
const pageSize = 4096

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// pages is a run of bytes in memory or in a file. Of a file only the pages that are needed are read. Each is checked
// against its checksum when it is first read, and then stays in memory. It is safe for concurrent use.
type pages struct {
	mem []byte // all of it, or nil

	file   io.ReaderAt
	from   int64 // byte of the file at which it begins
	length int64
	sums   []byte                           // 4 bytes a page, CRC-32C
	loaded []atomic.Pointer[[pageSize]byte] // the pages that were read, the last padded with zeros; nil: not yet
}

func (p *pages) size() int64 {
	if p.file == nil {
		return int64(len(p.mem))
	}
	return p.length
}

// span returns the n bytes that begin at off. The caller must not write to them. A range
// outside of the index is a *store.CorruptError: offsets come from the index itself.
func (p *pages) span(off, n int64) ([]byte, error) {
	if off < 0 || n < 0 || off > p.size()-n {
		return nil, p.damaged(off, "a part of the index lies outside of it")
	}
	if p.file == nil {
		return p.mem[off : off+n : off+n], nil
	}
	if n == 0 {
		return nil, nil
	}
	first, last := off/pageSize, (off+n-1)/pageSize
	if err := p.load(first, last); err != nil {
		return nil, err
	}
	if first == last {
		return p.loaded[first].Load()[off-first*pageSize:][:n:n], nil
	}
	out := make([]byte, 0, n)
	for i := first; i <= last; i++ {
		lo := max(off-i*pageSize, 0)
		hi := min(off+n-i*pageSize, pageSize)
		out = append(out, p.loaded[i].Load()[lo:hi]...)
	}
	return out, nil
}

// prefetch makes the processor fetch n bytes, if they are in memory, and does not wait for them. They must lie within
// p.
func (p *pages) prefetch(off, n int64) {
	if p.file == nil {
		prefetch(&p.mem[off], int(n))
	} else if b := p.loaded[off/pageSize].Load(); b != nil {
		prefetch(&b[off%pageSize], int(min(n, pageSize-off%pageSize)))
	}
}

// chunk is like span but copies nothing: it returns only those of the n bytes that lie in the
// first page. That is at least one byte unless n is 0.
func (p *pages) chunk(off, n int64) ([]byte, error) {
	if p.file != nil {
		n = min(n, pageSize-off%pageSize)
	}
	return p.span(off, n)
}

// load reads the pages first to last into memory, with one call for adjacent missing pages. Two searches may read the
// same page at once. That does no harm, since both get the same bytes.
func (p *pages) load(first, last int64) error {
	for i := first; i <= last; i++ {
		if p.loaded[i].Load() != nil {
			continue
		}
		end := i + 1
		for end <= last && p.loaded[end].Load() == nil {
			end++
		}
		lo, hi := i*pageSize, min(end*pageSize, p.length)
		buf := make([]byte, (end-i)*pageSize)
		if n, err := p.file.ReadAt(buf[:hi-lo], p.from+lo); int64(n) < hi-lo {
			return fmt.Errorf("read the index at byte %d: %w", p.from+lo, err)
		}
		for ; i < end; i++ {
			page := (*[pageSize]byte)(buf[i*pageSize-lo:])
			if crc32.Checksum(page[:min(pageSize, p.length-i*pageSize)], castagnoli) != le32(p.sums[4*i:]) {
				return p.damaged(i*pageSize, "a page of the index does not match its sum")
			}
			p.loaded[i].Store(page)
		}
		i--
	}
	return nil
}

// damaged returns the error for damage at byte off.
func (p *pages) damaged(off int64, what string) error {
	return &store.CorruptError{File: "the search index", Offset: p.from + off,
		Lost: what + "; it will be made anew from the nodes"}
}
