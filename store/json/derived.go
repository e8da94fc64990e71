package jsonstore

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/afero"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// Derived data is in the file derived/NAME.NNNNNN with the highest number: a head of
// derivedHead bytes, then the data. The head is text, padded with spaces:
//
//	M1 derived <version> <bytes> <sha256 of the data> <crc32c of the head up to here>
const (
	derivedFolder = "derived"
	derivedHead   = 160
)

var (
	_ store.Deriver   = (*Store)(nil)
	_ store.Dated     = (*Store)(nil)
	_ store.Scratcher = (*Store)(nil)
)

// SaveDerived saves derived data under name, in place of older data. See store.Deriver.
func (s *Store) SaveDerived(ctx context.Context, name string, version uint64, write func(io.Writer) error) error {
	if err := s.usable(ctx); err != nil {
		return fmt.Errorf("save derived data: %w", err)
	}
	if s.readOnly {
		return fmt.Errorf("save derived data: %w", store.ErrReadOnly)
	}
	if err := store.CheckDerived(name); err != nil {
		return fmt.Errorf("save derived data: %w", err)
	}
	s.deriving.Lock()
	defer s.deriving.Unlock()
	if err := s.disk.saveDerived(name, version, write); err != nil {
		return fmt.Errorf("save derived data %s: %w", name, err)
	}
	return nil
}

// saveDerived writes the data under the next number and then removes the older files. It leaves
// room for the head, which it can write only when length and hash are known.
func (d *disk) saveDerived(name string, version uint64, write func(io.Writer) error) error {
	if err := d.mkdir(derivedFolder); err != nil {
		return err
	}
	names, err := d.names(derivedFolder)
	if err != nil {
		return err
	}
	old := derivedNumbers(names, name)
	next := 1
	if len(old) > 0 {
		next = old[len(old)-1] + 1
	}
	w, err := d.create(derivedName(name, next))
	if err != nil {
		return err
	}
	sum, size := sha256.New(), new(counter)
	buf := bufio.NewWriterSize(io.MultiWriter(w, sum, size), 256<<10)
	_, err = w.Write(bytes.Repeat([]byte(" "), derivedHead))
	if err == nil {
		err = write(buf)
	}
	if err == nil {
		err = buf.Flush()
	}
	if err == nil {
		_, err = w.WriteAt(derivedHeader(version, int64(*size), sum.Sum(nil)), 0)
	}
	if err != nil {
		return errors.Join(err, w.drop())
	}
	if err := w.commit(); err != nil {
		return err
	}
	for _, n := range old {
		_ = d.dropDerived(name, n) // the next save tries again
	}
	return nil
}

// dropDerived removes a file of derived data. If it is damaged and cannot be built again, its bytes are copied to
// broken/ first: a damaged file is replaced by what could be read of it, and nobody may have seen yet what it lost.
func (d *disk) dropDerived(name string, n int) error {
	file := derivedName(name, n)
	if store.HeldBeside(name) {
		b, err := d.read(file, 1<<40)
		if err == nil && !wholeDerived(b) {
			_, err = d.setAside(strings.ReplaceAll(file, "/", "."), b)
		}
		if err != nil {
			return err
		}
	}
	return d.remove(file)
}

func derivedName(name string, n int) string {
	return path.Join(derivedFolder, fmt.Sprintf("%s.%06d", name, n))
}

func derivedNumbers(names []string, name string) []int { return numbered(names, name+".", "") }

// derivedHeader returns the head of a file, derivedHead bytes long.
func derivedHeader(version uint64, size int64, sum []byte) []byte {
	b := fmt.Appendf(nil, "M1 derived %d %d %x ", version, size, sum)
	b = appendSum(b, checksum(b))
	return append(append(b, bytes.Repeat([]byte(" "), derivedHead-1-len(b))...), '\n')
}

// parseDerived reads a head. It returns false for anything that derivedHeader would not write.
func parseDerived(b []byte) (version uint64, size int64, sum []byte, ok bool) {
	f := strings.Fields(string(b))
	if len(b) != derivedHead || len(f) != 6 {
		return 0, 0, nil, false
	}
	version, ok1 := decimal([]byte(f[2]))
	length, ok2 := decimal([]byte(f[3]))
	sum, err := hex.DecodeString(f[4])
	if !ok1 || !ok2 || length > 1<<62 || err != nil || len(sum) != sha256.Size {
		return 0, 0, nil, false
	}
	size = int64(length) //nolint:gosec // bounded above
	return version, size, sum, bytes.Equal(derivedHeader(version, size, sum), b)
}

// derivedFile returns the name of the data that a file in the folder of derived data holds, false for another file.
func derivedFile(file string) (name string, n int, ok bool) {
	name, number, _ := strings.Cut(file, ".")
	if derivedNumbers([]string{file}, name) == nil {
		return "", 0, false
	}
	n, err := strconv.Atoi(number)
	return name, n, err == nil
}

// wholeDerived reports whether a file of derived data is intact.
func wholeDerived(b []byte) bool {
	head := b[:min(len(b), derivedHead)]
	_, size, sum, ok := parseDerived(head)
	have := sha256.Sum256(b[len(head):])
	return ok && int64(len(b)) == derivedHead+size && bytes.Equal(sum, have[:])
}

// OpenDerived opens the derived data last saved under name. Of its file it checks only the head and the length, and
// ignores a file in which they are wrong. Verify checks the rest. See store.Deriver.
func (s *Store) OpenDerived(ctx context.Context, name string) (*store.Derived, error) {
	names, err := s.derivedFiles(ctx)
	if err != nil {
		return nil, fmt.Errorf("open derived data: %w", err)
	}
	numbers := derivedNumbers(names, name)
	for i := len(numbers) - 1; i >= 0 && store.CheckDerived(name) == nil; i-- {
		d, err := s.disk.openDerived(derivedName(name, numbers[i]))
		if err == nil {
			return d, nil
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errDerived) {
			return nil, fmt.Errorf("open derived data %s: %w", name, err)
		}
	}
	return nil, fmt.Errorf("open derived data %s: %w", clipName(name), tree.ErrNotFound)
}

// derivedFiles returns the names of the files of derived data, sorted. A process that only reads gets none while
// another one purges: they may be of before.
func (s *Store) derivedFiles(ctx context.Context) ([]string, error) {
	st, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	defer st.base.release()
	if s.readOnly && st.purge != nil {
		return nil, nil
	}
	return s.disk.names(derivedFolder)
}

// DerivedNumbers returns the numbers of the last saves of derived data. See store.Dated.
func (s *Store) DerivedNumbers(ctx context.Context, names []string) ([]uint64, error) {
	files, err := s.derivedFiles(ctx)
	if err != nil {
		return nil, fmt.Errorf("list derived data: %w", err)
	}
	numbers := make([]uint64, len(names))
	for i, name := range names {
		if n := derivedNumbers(files, name); len(n) > 0 {
			numbers[i] = uint64(n[len(n)-1]) //nolint:gosec // it is above 0
		}
	}
	return numbers, nil
}

// KeepDerived returns the names under which no derived data is saved. See store.Deriver.
func (s *Store) KeepDerived(ctx context.Context, names []string) (missing []string, err error) {
	if err := s.usable(ctx); err != nil {
		return nil, fmt.Errorf("keep derived data: %w", err)
	}
	files, err := s.disk.names(derivedFolder)
	if err != nil {
		return nil, fmt.Errorf("keep derived data: %w", err)
	}
	for _, name := range names {
		if len(derivedNumbers(files, name)) == 0 {
			missing = append(missing, name)
		}
	}
	return missing, nil
}

// DropDerived removes the derived data whose names begin with prefix, except the names in but. See store.Deriver.
func (s *Store) DropDerived(ctx context.Context, prefix string, but []string) error {
	if err := s.usable(ctx); err != nil {
		return fmt.Errorf("drop derived data: %w", err)
	}
	if s.readOnly {
		return fmt.Errorf("drop derived data: %w", store.ErrReadOnly)
	}
	s.deriving.Lock()
	defer s.deriving.Unlock()
	files, err := s.disk.names(derivedFolder)
	if err != nil {
		return fmt.Errorf("drop derived data: %w", err)
	}
	var errs []error
	for _, file := range files {
		name, n, ok := derivedFile(file)
		if !ok || !strings.HasPrefix(name, prefix) || slices.Contains(but, name) {
			continue
		}
		if err := s.disk.dropDerived(name, n); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("drop derived data %s: %w", clipName(name), err))
		}
	}
	return errors.Join(errs...)
}

// Scratch creates a file in the store's folder and removes its name at once. See store.Scratcher.
func (s *Store) Scratch() (*os.File, error) {
	f, err := s.disk.scratch()
	if err != nil {
		return nil, fmt.Errorf("open a temporary file: %w", err)
	}
	return f, nil
}

func (d *disk) scratch() (*os.File, error) {
	w, err := d.create("scratch")
	if err != nil {
		return nil, err
	}
	f, ok := w.File.(*os.File)
	if !ok {
		return nil, errors.Join(errors.ErrUnsupported, w.drop())
	}
	if err := d.remove(w.temp); err != nil { // a system on which an open file has to have a name
		return nil, errors.Join(errors.ErrUnsupported, w.drop())
	}
	return f, nil
}

var errDerived = errors.New("is not whole derived data")

// openDerived opens one file of derived data. errDerived means that head and length do not fit.
func (d *disk) openDerived(n string) (*store.Derived, error) {
	f, err := d.open(n)
	if err != nil {
		return nil, err
	}
	b := make([]byte, derivedHead)
	got, _ := f.ReadAt(b, 0) // if it reads less, parseDerived fails
	version, size, _, ok := parseDerived(b[:got])
	info, err := f.Stat()
	if err == nil && (!ok || info.Size() != derivedHead+size) {
		err = errDerived
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	var at io.ReaderAt = f
	if !parallel(f) {
		at = &oneByOne{File: f}
	}
	return &store.Derived{ReaderAt: io.NewSectionReader(at, derivedHead, size), Size: size, Version: version, Closer: f},
		nil
}

// oneByOne serializes reads of a file.
type oneByOne struct {
	afero.File
	mu sync.Mutex
}

func (o *oneByOne) ReadAt(p []byte, off int64) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.File.ReadAt(p, off)
}
