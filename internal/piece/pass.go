package piece

import (
	"io"
	"os"
	"runtime"
)

// windowSize is how much of a file a reader that passes through it reads at once.
const windowSize = 64 * PageSize

// Passing returns Pages with the same bytes as p, for one goroutine that reads all of them once, in up to eight
// sequences. They read and check the pages of a file, mapped or not, but do not keep them, so the memory that they take
// does not grow with the file.
func (p *Pages) Passing() Pages {
	if p.file == nil {
		return *p
	}
	return Pages{kind: p.kind, file: p.file, from: p.from, length: p.length, sums: p.sums, passing: &windows{}}
}

// windows are the parts of a file that a passing reader read last, one for each of its sequences.
type windows struct {
	all  [8]window
	tick int // reads until now
}

type window struct {
	from int64 // a multiple of PageSize
	b    []byte
	used int // the tick of the last read
}

// has reports whether the n bytes from off lie in w.
func (w *window) has(off, n int64) bool { return off >= w.from && off+n <= w.from+int64(len(w.b)) }

// span does what Span does. It reads a new window in place of the one that was not used for longest.
func (ws *windows) span(p *Pages, off, n int64) ([]byte, error) {
	ws.tick++
	oldest := &ws.all[0]
	for i := range ws.all {
		w := &ws.all[i]
		if w.has(off, n) {
			w.used = ws.tick
			return w.b[off-w.from:][:n:n], nil
		}
		if w.used < oldest.used {
			oldest = w
		}
	}
	first := off / PageSize
	end := min(PageCount(max(off+n, first*PageSize+windowSize)), PageCount(p.length))
	b, err := p.read(first, end)
	if err != nil {
		return nil, err
	}
	*oldest = window{from: first * PageSize, b: b[:min(int64(len(b)), p.length-first*PageSize)], used: ws.tick}
	return b[off-oldest.from:][:n:n], nil
}

// resident does what Resident does, up to the end of a window.
func (ws *windows) resident(off, n int64) []byte {
	for i := range ws.all {
		if w := &ws.all[i]; w.has(off, 1) {
			return w.b[off-w.from:][:min(n, w.from+int64(len(w.b))-off)]
		}
	}
	return nil
}

// mapping is memory that shows a file. It ends when nothing refers to it.
type mapping struct{ b []byte }

// Mapped returns the size bytes of file f as Pages. It reads the file once, to compute the checksums. Nobody may change
// the file after that. Where the system supports it, the file is mapped into memory, and the system may take the memory
// back at any time. The mapping ends, and f is closed, some time after the last use of the Pages. So a caller that uses
// bytes from Span must keep the Pages alive until it is done, see [runtime.KeepAlive].
func Mapped(k *Kind, f *os.File, size int64) (Pages, error) {
	p := Pages{kind: k, file: f, length: size, sums: make([]byte, 0, 4*PageCount(size))}
	buf := make([]byte, windowSize)
	for off := int64(0); off < size; off += windowSize {
		b := buf[:min(windowSize, size-off)]
		if _, err := io.ReadFull(io.NewSectionReader(f, off, size-off), b); err != nil {
			return Pages{}, err
		}
		p.sums = appendSums(p.sums, b)
	}
	b, unmap, err := mapFile(f, size)
	if err != nil {
		p.loaded = newLoaded(PageCount(size))
		return p, nil //nolint:nilerr // it can be read as any other file
	}
	p.mem, p.held = b, &mapping{b}
	runtime.AddCleanup(p.held, unmap, b)
	return p, nil
}
