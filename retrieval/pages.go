package retrieval

import (
	"fmt"
	"hash/crc32"
	"io"
	"sync/atomic"

	"github.com/memtree/memtree/tree"
)

// pageSize is the unit of reading and checking a kept index. Every fixed-size
// record divides it or is read with span, which joins pages.
const pageSize = 4096

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// pages is a run of bytes: in memory, or in a file of which only the pages
// asked for are read, each checked against its sum at the first reading and
// kept from then on.
type pages struct {
	mem []byte // all of it, or nil

	file   io.ReaderAt
	from   int64 // where in file it begins
	length int64
	sums   []byte // 4 bytes a page
	loaded []atomic.Pointer[[]byte]
}

func (p *pages) size() int64 {
	if p.file == nil {
		return int64(len(p.mem))
	}
	return p.length
}

// span returns n bytes from off on. They must not be written to.
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
		b := *p.loaded[first].Load()
		return b[off-first*pageSize:][:n:n], nil
	}
	out := make([]byte, 0, n)
	for i := first; i <= last; i++ {
		b := *p.loaded[i].Load()
		lo := max(off-i*pageSize, 0)
		hi := min(off+n-i*pageSize, int64(len(b)))
		out = append(out, b[lo:hi]...)
	}
	return out, nil
}

// chunk is span without joining: it returns the first of the n bytes, up to the
// end of a page and at least one unless n is 0.
func (p *pages) chunk(off, n int64) ([]byte, error) {
	if p.file != nil {
		n = min(n, pageSize-off%pageSize)
	}
	return p.span(off, n)
}

// load makes sure that the pages first to last are in memory. Two readers may
// read the same page; the bytes are the same.
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
		buf := make([]byte, hi-lo)
		if n, err := p.file.ReadAt(buf, p.from+lo); n < len(buf) {
			return fmt.Errorf("read the index at byte %d: %w", p.from+lo, err)
		}
		for ; i < end; i++ {
			page := buf[i*pageSize-lo : min((i+1)*pageSize, p.length)-lo : min((i+1)*pageSize, p.length)-lo]
			if crc32.Checksum(page, castagnoli) != le32(p.sums[4*i:]) {
				return p.damaged(i*pageSize, "a page of the index does not match its sum")
			}
			p.loaded[i].Store(&page)
		}
		i--
	}
	return nil
}

func (p *pages) damaged(off int64, what string) error {
	return &tree.CorruptError{File: "the search index", Offset: p.from + off, Lost: what + "; it will be made anew from the nodes"}
}
