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

// ErrFormat means that a file is not of the kind, or of another version.
var ErrFormat = errors.New("it is no file of this version of memtree")

// Front returns the bytes that a file has before its pages. First a page of header, in little endian: magic; format
// u32; checksum u32, of the header's page with this field zero and of all checksums; the fields of the kind, which have
// room in PageSize - 40 bytes; zeros. The checksums of the pages follow, 4 bytes each.
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

// Write writes a file to w: front, as Front returned it, and then the pages. It keeps no page in memory.
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

// PageCount returns the number of pages that size bytes take.
func PageCount(size int64) int64 { return (size + PageSize - 1) / PageSize }

// NameOf returns the name of the file that begins with front: 16 hexadecimal digits. It is a hash of all bytes of the
// file, because the front has checksums of all of them.
func NameOf(front []byte) string {
	h := sha256.Sum256(front)
	return hex.EncodeToString(h[:8])
}

// Open opens a file of the kind k with size bytes. It reads the header and the checksums only. Every other page is read
// and checked when it is first needed, so r must stay open as long as the pages are in use. fields are those of the
// header, with the zeros after them; name is that of NameOf. The error is ErrFormat if the file is not of the kind, or
// if its front is damaged.
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
