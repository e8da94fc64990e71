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

// disk is one folder of a file system. Names are relative to the folder, with
// forward slashes.
type disk struct {
	fs  afero.Fs
	dir string
}

const tempMark = ".tmp-"

func (d *disk) name(n string) string { return path.Join(d.dir, n) }

// open opens a file for reading. That it does not exist is believed only when
// two ways of asking agree, for much is decided by it.
func (d *disk) open(n string) (afero.File, error) {
	var err error
	for range 3 { // it may be made, or removed, meanwhile
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

// unsure is an error that says something does not exist, of what does.
type unsure struct{ error }

// Is reports what the error is, but for absence.
func (u unsure) Is(target error) bool {
	return target != fs.ErrNotExist && errors.Is(u.error, target)
}

func (d *disk) stat(n string) (fs.FileInfo, error) { return d.fs.Stat(d.name(n)) }

func (d *disk) exists(n string) bool {
	_, err := d.stat(n)
	return err == nil
}

func (d *disk) removeIfThere(n string) error {
	if err := d.remove(n); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", n, err)
	}
	return d.syncDir(".")
}

func (d *disk) remove(n string) error { return d.fs.Remove(d.name(n)) }

// names returns the sorted names in a folder; none where it is not there.
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

// syncDir makes the entries of a folder durable. Windows does that by itself
// and has no call for it.
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

// mkdir makes a folder and those above it, durably.
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

// create makes a file under a temporary name beside n.
func (d *disk) create(n string) (*draft, error) {
	var unique [8]byte
	_, _ = rand.Read(unique[:]) // never fails
	temp := path.Join(path.Dir(n), tempMark+path.Base(n)+"-"+hex.EncodeToString(unique[:]))
	f, err := d.fs.OpenFile(d.name(temp), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	return &draft{File: f, disk: d, temp: temp, name: n}, nil
}

// draft is a file being written that nobody sees until commit.
type draft struct {
	afero.File
	disk       *disk
	temp, name string
	closed     bool
}

// commit makes the bytes durable, then gives the file its name, in one step.
// The directory entry is durable after a syncDir.
func (w *draft) commit() error {
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

// drop removes the file as if it had never been.
func (w *draft) drop() error {
	if !w.closed {
		w.closed = true
		_ = w.Close() // it is removed next
	}
	return w.disk.remove(w.temp)
}

// replace writes a whole small file: under a temporary name, durable, renamed,
// the entry durable.
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

// cut makes a file end at size, durably.
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

// parallel reports whether reads of f at several places may run at once: those
// of the real file system. Files in memory move a common offset.
func parallel(f afero.File) bool {
	_, ok := f.(*os.File)
	return ok
}

// discard removes a file nobody needs, and its folder if that was all in it.
// What cannot be removed now is removed by a later open.
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
