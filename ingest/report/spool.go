package report

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"

	"github.com/memtree/memtree/internal/text"
)

// Bounds of an archive, in bytes.
const (
	longestArchive   = 1 << 30  // size on disk
	longestDirectory = 12 << 20 // its directory, which is held in memory
	longestUnpacked  = 4 << 30  // all that is read of it, as a stream
	heldInMemory     = 4 << 20  // of an archive or of a workbook's texts; the rest is in an unlinked file
)

// byteSpool is bytes that can be read at any offset. The first are held in memory; longer ones go into a temporary
// file. It is for one goroutine.
type byteSpool struct {
	held []byte
	file *os.File
	size int64
}

// Write adds bytes at the end.
func (s *byteSpool) Write(p []byte) (int, error) {
	if s.file == nil && len(s.held)+len(p) <= heldInMemory {
		s.held = append(s.held, p...)
		s.size = int64(len(s.held))
		return len(p), nil
	}
	if s.file == nil {
		f, err := os.CreateTemp("", "memtree-*")
		if err != nil {
			return 0, err //nolint:wrapcheck // it names the file
		}
		_ = os.Remove(f.Name()) // deleted with the process; where that is not allowed, close removes it
		s.file = f
	}
	n, err := s.file.WriteAt(p, s.size-int64(len(s.held)))
	s.size += int64(n)
	return n, err //nolint:wrapcheck // it names the file
}

// ReadAt reads from an offset on.
func (s *byteSpool) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 || off >= s.size {
		return 0, io.EOF
	}
	if off < int64(len(s.held)) {
		n = copy(p, s.held[off:])
	}
	if n == len(p) {
		return n, nil
	}
	if s.file == nil {
		return n, io.EOF
	}
	more, err := s.file.ReadAt(p[n:], off+int64(n)-int64(len(s.held)))
	return n + more, err //nolint:wrapcheck // io.ReaderAt's contract
}

// close releases the file.
func (s *byteSpool) close() {
	if s.file != nil {
		_ = s.file.Close()
		_ = os.Remove(s.file.Name())
	}
}

// zipArchive is a zip that is read.
type zipArchive struct {
	*zip.Reader
	d    *fileDecoder
	all  *byteSpool
	left int64 // bytes that may still be unpacked
}

// openArchive reads a zip up to its directory. The caller closes it.
func (d *fileDecoder) openArchive(r io.Reader) (*zipArchive, error) {
	a := &zipArchive{d: d, all: &byteSpool{}, left: longestUnpacked}
	n, err := io.Copy(a.all, io.LimitReader(r, longestArchive+1))
	switch {
	case err != nil:
		err = fmt.Errorf("read %s: %w", d.name, err)
	case n > longestArchive:
		err = d.unread("has more than 1 GiB; take it apart")
	default:
		err = a.list(n)
	}
	if err != nil {
		a.close()
		return nil, err
	}
	return a, nil
}

// list reads the directory of the archive.
func (a *zipArchive) list(size int64) (err error) {
	from := &directoryReader{ReaderAt: a.all, left: longestDirectory}
	if a.Reader, err = zip.NewReader(from, size); err != nil {
		if from.left == 0 {
			return a.d.unread("is a zip archive with too many files in it; take it apart")
		}
		return a.d.unread("is a zip archive that cannot be read; was the file cut off?")
	}
	from.left = -1
	a.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor(zstd.WithDecoderMaxMemory(64<<20),
		zstd.WithDecoderConcurrency(1)))
	return nil
}

func (a *zipArchive) close() { a.all.close() }

// part passes a file of the archive to do. It reports a problem of the file, and the others are still read.
func (a *zipArchive) part(f *zip.File, do func(io.Reader) error) error {
	r, err := f.Open()
	if err != nil {
		return a.d.bad(0, "", partly(f.Name, "cannot be unpacked"))
	}
	defer r.Close() //nolint:errcheck // only read
	err = do(&unpacked{r: r, a: a, name: f.Name})
	if broken, ok := errors.AsType[*brokenError](err); ok && a.left >= 0 {
		if !broken.whole {
			broken.problem = partly(f.Name, fmt.Sprintf("line %d: %s", broken.line, broken.problem))
		}
		return a.d.bad(0, "", broken.problem)
	}
	return err
}

// partly returns the problem of a part.
func partly(name, problem string) string {
	return fmt.Sprintf("has a part that cannot be read: %s: %s", text.Line(cut(name, longestName)), problem)
}

// unpacked is a file of an archive, read as it is unpacked.
type unpacked struct {
	r    io.Reader
	a    *zipArchive
	name string
}

func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	switch u.a.left -= int64(n); {
	case u.a.left < 0:
		return 0, &brokenError{whole: true, problem: "unpacks to more than 4 GiB; take it apart"}
	case err != nil && !errors.Is(err, io.EOF):
		return n, &brokenError{whole: true, problem: partly(u.name, "cannot be unpacked")}
	}
	return n, err //nolint:wrapcheck // io.Reader's contract
}

// directoryReader limits the bytes read while the directory of an archive is read; later reads are unlimited.
type directoryReader struct {
	io.ReaderAt
	left int64 // -1: no limit
}

func (l *directoryReader) ReadAt(p []byte, off int64) (int, error) {
	if l.left >= 0 {
		if l.left -= int64(len(p)); l.left <= 0 {
			l.left = 0
			return 0, bytes.ErrTooLarge
		}
	}
	return l.ReaderAt.ReadAt(p, off) //nolint:wrapcheck // io.ReaderAt's contract
}
