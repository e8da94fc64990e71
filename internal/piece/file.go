package piece

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync/atomic"
)

// ErrFormat means that a file is not of the expected Kind, has another format, or has a damaged front.
var ErrFormat = errors.New("it is no file of this version of memtree")

// Front returns the bytes of a file before its pages: the header, of PageSize bytes, and a checksum of 4 bytes for each
// page. The header consists of Kind.Magic, Kind.Format, a checksum, fields, and zeros. Its checksum is of the whole
// front, with 0 in place of the checksum itself. Numbers are little-endian, with 4 bytes. fields may have at most
// PageSize - 40 bytes.
func (p *Pages) Front(fields []byte) []byte {
	sums := p.sums // Write checks them
	if p.file == nil {
		sums = appendSums(make([]byte, 0, 4*PageCount(p.Size())), p.mem)
	}
	b := append(make([]byte, 0, PageSize+len(sums)), p.kind.Magic...)
	b = binary.LittleEndian.AppendUint32(b, p.kind.Format)
	sumAt := len(b)
	b = binary.LittleEndian.AppendUint32(b, 0)
	b = append(b, fields...)
	b = append(b, make([]byte, PageSize-len(b))...)
	binary.LittleEndian.PutUint32(b[sumAt:], crc32.Update(sumOf(b), Castagnoli, sums))
	return append(b, sums...)
}

// appendSums appends the checksums of the pages of b.
func appendSums(sums, b []byte) []byte {
	for len(b) > 0 {
		n := min(PageSize, len(b))
		sums, b = binary.LittleEndian.AppendUint32(sums, sumOf(b[:n])), b[n:]
	}
	return sums
}

// Write writes a file to w: front, which Front returned, and the pages. No page stays in memory.
func (p *Pages) Write(w io.Writer, front []byte) error {
	pages := p.Passing()
	if _, err := w.Write(front); err != nil {
		return err
	}
	for off := int64(0); off < p.Size(); {
		b, err := pages.Span(off, min(windowSize, p.Size()-off))
		if err != nil {
			return err
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
		off += int64(len(b))
	}
	return nil
}

// PageCount returns the number of pages of size bytes; the last page may be shorter than PageSize.
func PageCount(size int64) int64 { return (size + PageSize - 1) / PageSize }

// NameOf returns the name of the file that begins with front: a hash of front, as 16 hexadecimal digits. Files with
// different pages have different names, because front has the checksums of the pages.
func NameOf(front []byte) string {
	h := sha256.Sum256(front)
	return hex.EncodeToString(h[:8])
}

// Open opens a file of the kind k with size bytes. It reads only the front; p reads and checks a page when the page is
// first needed, so r must stay open as long as p is in use. Open also returns the fields of the header, with the zeros
// that follow them, and the name of the file (see NameOf). The error is ErrFormat, or the error of r.
func Open(k *Kind, r io.ReaderAt, size int64) (p Pages, fields []byte, name string, err error) {
	pages := (size + 3) / (PageSize + 4) // of PageSize bytes and their checksums, the last in part
	length := size - PageSize - 4*pages
	if size < PageSize || PageCount(max(length, 0)) != pages {
		return p, nil, "", fmt.Errorf("%w: it has no possible number of bytes", ErrFormat)
	}
	front := make([]byte, PageSize+4*pages)
	if n, err := r.ReadAt(front, 0); n < len(front) {
		return p, nil, "", fmt.Errorf("read the header of %s: %w", k.Name, err)
	}
	at := len(k.Magic)
	if string(front[:at]) != k.Magic {
		return p, nil, "", ErrFormat
	}
	if format := le32(front[at:]); format != k.Format {
		return p, nil, "", fmt.Errorf("%w: its format is %d, not %d", ErrFormat, format, k.Format)
	}
	name = NameOf(front)
	sum := le32(front[at+4:])
	clear(front[at+4 : at+8])
	if sumOf(front) != sum {
		return p, nil, "", fmt.Errorf("%w: the header does not match its sum", ErrFormat)
	}
	p = Pages{kind: k, file: r, from: int64(len(front)), length: length, sums: front[PageSize:],
		loaded: newLoaded(pages)}
	return p, front[at+8 : PageSize], name, nil
}

func le32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }

func newLoaded(pages int64) []atomic.Pointer[[PageSize]byte] {
	return make([]atomic.Pointer[[PageSize]byte], pages)
}
