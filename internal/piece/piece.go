// Package piece stores derived data that grows, in several files that are written once and never changed. A file
// consists of a header, the checksums of its pages, and the pages (file.go). The name of a file is a hash of its bytes,
// so a name always means the same bytes. An open file reads only the pages that are needed ([Pages]). Small files are
// merged, so there are never many ([Due]). [store.SavePieces] stores the head, a file that names the present files.
//
// The search index and the book of upcoming tests are stored in such files; each defines what the pages contain.
package piece

import (
	"fmt"
	"hash/crc32"
	"io"
	"sync/atomic"

	"github.com/memtree/memtree/store"
)

// PageSize is the number of bytes that are read and checked together.
const PageSize = 4096

// Castagnoli is the table of the CRC-32C, which the checksums of pieces and their heads use.
var Castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Kind describes one kind of file.
type Kind struct {
	Magic  string // first bytes of a file of the kind, ending with a line end; at most 32 bytes
	Format uint32 // version of the format
	Name   string // name of the kind for people, such as “the search index”
	Again  string // what happens if a file of the kind is damaged, such as “it will be made anew from the nodes”
}

// Damaged returns a *store.CorruptError for damage at byte off of a file of kind k. what describes the damage.
func (k *Kind) Damaged(off int64, what string) error {
	return &store.CorruptError{File: k.Name, Offset: off, Lost: what + "; " + k.Again}
}

// Pages is a sequence of bytes in memory, in a mapped file or in a file that is not mapped. From a file that is not
// mapped it reads only the pages that are needed, checks each of them against its checksum, and keeps it in memory.
// Pages are safe for concurrent use, except those that Passing returns.
type Pages struct {
	kind *Kind
	mem  []byte   // all of it, or nil
	held *mapping // what mem is mapped by; nil for other memory

	passing *windows // of Passing; nil for others

	file   io.ReaderAt
	from   int64 // byte of the file at which it begins
	length int64
	sums   []byte                           // 4 bytes a page, CRC-32C
	loaded []atomic.Pointer[[PageSize]byte] // the pages that were read, the last padded with zeros; nil: not yet
}

// InMemory returns the bytes b as Pages. The caller must not change b any more.
func InMemory(k *Kind, b []byte) Pages { return Pages{kind: k, mem: b} }

// Size returns the number of bytes in p.
func (p *Pages) Size() int64 {
	if p.file == nil {
		return int64(len(p.mem))
	}
	return p.length
}

// Span returns the n bytes of p that begin at off. The caller must not write to them. Bytes of a mapped file are valid
// only as long as p is in use, see Mapped. The error is a *store.CorruptError for a damaged page, and also for a range
// outside of p, because offsets are read from the file itself.
func (p *Pages) Span(off, n int64) ([]byte, error) {
	if off < 0 || n < 0 || off > p.Size()-n {
		return nil, p.Damaged(off, "a part of it lies outside of it")
	}
	if p.mem != nil || p.file == nil {
		return p.mem[off : off+n : off+n], nil
	}
	if n == 0 {
		return nil, nil
	}
	if p.passing != nil {
		return p.passing.span(p, off, n)
	}
	first, last := off/PageSize, (off+n-1)/PageSize
	together, err := p.load(first, last)
	if err != nil {
		return nil, err
	}
	if together != nil {
		return together[off-first*PageSize:][:n:n], nil
	}
	if first == last {
		return p.loaded[first].Load()[off-first*PageSize:][:n:n], nil
	}
	out := make([]byte, 0, n)
	for i := first; i <= last; i++ {
		lo := max(off-i*PageSize, 0)
		hi := min(off+n-i*PageSize, PageSize)
		out = append(out, p.loaded[i].Load()[lo:hi]...)
	}
	return out, nil
}

// Resident returns the beginning of the n bytes from off, as far as it can without reading a file: at least the bytes
// that lie in the page of off, or nil if that page is not in memory. If p is in memory or mapped, it returns all n
// bytes. The range must lie within p.
func (p *Pages) Resident(off, n int64) []byte {
	if p.mem != nil || p.file == nil {
		return p.mem[off : off+n]
	}
	if p.passing != nil {
		return p.passing.resident(off, n)
	}
	b := p.loaded[off/PageSize].Load()
	if b == nil {
		return nil
	}
	return b[off%PageSize : min(off%PageSize+n, PageSize)]
}

// Ahead reads the pages with the n bytes from off into memory, unless they are there already. It reads adjacent pages
// in one call. The range must lie within p.
func (p *Pages) Ahead(off, n int64) error {
	if p.mem != nil || p.file == nil || n == 0 {
		return nil
	}
	if p.passing != nil {
		_, err := p.passing.span(p, off, n)
		return err
	}
	_, err := p.load(off/PageSize, (off+n-1)/PageSize)
	return err
}

// load reads the pages first to last into memory, with one call for adjacent missing pages. If that is all of them, it
// returns them together. Two readers may read the same page at once. That does no harm, since both get the same bytes.
func (p *Pages) load(first, last int64) (together []byte, err error) {
	for i := first; i <= last; i++ {
		if p.loaded[i].Load() != nil {
			continue
		}
		end := i + 1
		for end <= last && p.loaded[end].Load() == nil {
			end++
		}
		lo := i * PageSize
		buf, err := p.read(i, end)
		if err != nil {
			return nil, err
		}
		for ; i < end; i++ {
			p.loaded[i].Store((*[PageSize]byte)(buf[i*PageSize-lo:]))
		}
		if lo == first*PageSize && i > last {
			together = buf
		}
		i--
	}
	return together, nil
}

// read reads the pages from first to before end from the file and checks them. The last page is padded with zeros.
func (p *Pages) read(first, end int64) ([]byte, error) {
	lo, hi := first*PageSize, min(end*PageSize, p.length)
	buf := make([]byte, (end-first)*PageSize)
	if n, err := p.file.ReadAt(buf[:hi-lo], p.from+lo); int64(n) < hi-lo {
		return nil, fmt.Errorf("read %s at byte %d: %w", p.kind.Name, p.from+lo, err)
	}
	for i := first; i < end; i++ {
		page := buf[i*PageSize-lo:]
		if sumOf(page[:min(PageSize, p.length-i*PageSize)]) != le32(p.sums[4*i:]) {
			return nil, p.Damaged(i*PageSize, "a page of it does not match its sum")
		}
	}
	return buf, nil
}

// Damaged returns a *store.CorruptError for damage at byte off of p. what describes the damage.
func (p *Pages) Damaged(off int64, what string) error { return p.kind.Damaged(p.from+off, what) }

func sumOf(b []byte) uint32 { return crc32.Checksum(b, Castagnoli) }
