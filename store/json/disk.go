package jsonstore

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/afero"
)

// disk is one folder of a file system. Names are relative to the folder and use forward slashes.
type disk struct {
	fs  afero.Fs
	dir string
}

const tempMark = ".tmp-"

func (d *disk) name(n string) string { return path.Join(d.dir, n) }

// open opens a file for reading. It returns fs.ErrNotExist only if a stat agrees, because recovery depends on whether a
// file is absent.
func (d *disk) open(n string) (afero.File, error) {
	var err error
	for range 3 { // the file may be created or removed between the two calls
		var f afero.File
		if f, err = d.fs.Open(d.name(n)); !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
		if _, serr := d.stat(n); serr != nil {
			return nil, err
		}
	}
	return nil, unsure{err}
}

// unsure is fs.ErrNotExist for a file that stat finds.
type unsure struct{ error }

// Is reports whether the error is target. It is never fs.ErrNotExist.
func (u unsure) Is(target error) bool {
	return target != fs.ErrNotExist && errors.Is(u.error, target)
}

func (d *disk) stat(n string) (fs.FileInfo, error) { return d.fs.Stat(d.name(n)) }

func (d *disk) exists(n string) bool {
	_, err := d.stat(n)
	return err == nil
}

// removeIfThere removes a file, durably. Removing an absent file is a no-op.
func (d *disk) removeIfThere(n string) error {
	if err := d.remove(n); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", n, err)
	}
	return d.syncDir(".")
}

func (d *disk) remove(n string) error { return d.fs.Remove(d.name(n)) }

// names returns the sorted names in a folder, none if it does not exist.
func (d *disk) names(folder string) ([]string, error) {
	f, err := d.open(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	names, err := f.Readdirnames(-1)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	slices.Sort(names)
	return names, err
}

// read returns a whole file that has at most limit bytes.
func (d *disk) read(n string, limit int64) (_ []byte, err error) {
	f, err := d.open(n)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, fmt.Errorf("%s is a folder, not a file", n)
	}
	if info.Size() > limit {
		return nil, fmt.Errorf("%s has %d bytes; the most is %d", n, info.Size(), limit)
	}
	b := make([]byte, info.Size())
	got, err := io.ReadFull(f, b)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = nil
	}
	return b[:got], err
}

// syncDir makes the entries of a folder durable. Windows does so by itself and has no call for it.
func (d *disk) syncDir(folder string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := d.open(folder)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// mkdir creates a folder and its parents, durably.
func (d *disk) mkdir(folder string) error {
	if info, err := d.stat(folder); err == nil && info.IsDir() {
		return nil
	}
	if err := d.fs.MkdirAll(d.name(folder), 0o755); err != nil {
		return err
	}
	for folder != "." && folder != "/" {
		folder = path.Dir(folder)
		if err := d.syncDir(folder); err != nil {
			return err
		}
	}
	return nil
}

// create creates a file with a temporary name in the folder of n.
func (d *disk) create(n string) (*tempFile, error) {
	var unique [8]byte
	_, _ = rand.Read(unique[:]) // never fails
	temp := path.Join(path.Dir(n), tempMark+path.Base(n)+"-"+hex.EncodeToString(unique[:]))
	f, err := d.fs.OpenFile(d.name(temp), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	return &tempFile{File: f, disk: d, temp: temp, name: n}, nil
}

// tempFile is a file being written. commit gives it its name; until then readers ignore it.
type tempFile struct {
	afero.File
	disk       *disk
	temp, name string
	closed     bool
}

// commit makes the bytes durable and then renames the file atomically. The caller makes the name durable with syncDir.
func (w *tempFile) commit() error {
	if err := w.Sync(); err != nil {
		return errors.Join(err, w.drop())
	}
	w.closed = true
	if err := w.Close(); err != nil {
		return errors.Join(err, w.drop())
	}
	if err := w.disk.fs.Rename(w.disk.name(w.temp), w.disk.name(w.name)); err != nil {
		return errors.Join(err, w.drop())
	}
	return nil
}

// drop removes the file.
func (w *tempFile) drop() error {
	if !w.closed {
		w.closed = true
		_ = w.Close() // it is removed next
	}
	return w.disk.remove(w.temp)
}

// replace writes a small file atomically and durably: under a temporary name, synced, renamed, and the folder synced.
func (d *disk) replace(n string, b []byte) error {
	w, err := d.create(n)
	if err != nil {
		return fmt.Errorf("write %s: %w", n, err)
	}
	if _, err := w.Write(b); err != nil {
		return fmt.Errorf("write %s: %w", n, errors.Join(err, w.drop()))
	}
	if err := w.commit(); err != nil {
		return fmt.Errorf("write %s: %w", n, err)
	}
	if err := d.syncDir(path.Dir(n)); err != nil {
		return fmt.Errorf("write %s: %w", n, err)
	}
	return nil
}

func isTemp(n string) bool { return strings.HasPrefix(path.Base(n), tempMark) }

// cut shortens a file to size, durably.
func (d *disk) cut(n string, size int64) (err error) {
	f, err := d.fs.OpenFile(d.name(n), os.O_RDWR, 0o644)
	if err != nil {
		return fmt.Errorf("cut %s: %w", n, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := f.Truncate(size); err != nil {
		return fmt.Errorf("cut %s: %w", n, err)
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("cut %s: %w", n, err)
	}
	return nil
}

// parallel reports whether f allows concurrent reads at several offsets. Files of the real file system do; files in
// memory share one offset.
func parallel(f afero.File) bool {
	_, ok := f.(*os.File)
	return ok
}

// discard removes an unused file and its folders that become empty. If that fails, a later open removes them.
func (d *disk) discard(n string) {
	if d.remove(n) != nil {
		return
	}
	for folder := path.Dir(n); folder != "."; folder = path.Dir(folder) {
		if names, err := d.names(folder); err != nil || len(names) > 0 || d.remove(folder) != nil {
			return
		}
	}
}
