package jsonstore

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/spf13/afero"

	"github.com/memtree/memtree/store"
)

const (
	lockName  = "LOCK"
	maxHolder = 4 << 10 // bytes
)

// holder is the content of LOCK, which is used only in messages. The kernel's lock on the file, which ends with the
// process, decides who may write.
type holder struct {
	PID     int       `json:"pid"`
	Host    string    `json:"host"`
	Started time.Time `json:"started"`
}

// lockFolder locks the real folder that root confines, or returns a *store.LockedError. dir is its name.
func lockFolder(root *os.Root, dir string, started time.Time) (unlock func() error, err error) {
	f, err := openLock(root, dir)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	l := flock.New(filepath.Join(dir, lockName), flock.SetFlag(os.O_RDWR))
	ok, err := l.TryLock()
	if err == nil && ok {
		err = isFile(f, l.Stat, dir) // the library opens it by its path
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", dir, err), l.Unlock(), f.Close())
	}
	if !ok {
		locked := &store.LockedError{Dir: dir}
		if b, err := io.ReadAll(io.LimitReader(f, maxHolder+1)); err == nil {
			h := parseHolder(b)
			locked.PID, locked.Host, locked.Started = h.PID, h.Host, h.Started
		}
		_ = f.Close() // it was only read
		return nil, locked
	}
	writeHolder(f, started)
	return func() error { return errors.Join(l.Unlock(), f.Close()) }, nil
}

// openLock opens LOCK, or creates it. It refuses what is no regular file of the folder: a link may lead to a file of
// the user, which the holder would overwrite.
func openLock(root *os.Root, dir string) (*os.File, error) {
	named := func() (fs.FileInfo, error) { return root.Lstat(lockName) }
	if info, err := named(); err == nil && !info.Mode().IsRegular() {
		return nil, foreignLock(dir)
	}
	f, err := root.OpenFile(lockName, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := isFile(f, named, dir); err != nil { // it was replaced meanwhile
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// isFile returns an error unless f is the regular file that stat describes.
func isFile(f *os.File, stat func() (fs.FileInfo, error), dir string) error {
	mine, err := f.Stat()
	if err != nil {
		return err
	}
	other, err := stat()
	if err == nil && (!other.Mode().IsRegular() || !os.SameFile(mine, other)) {
		err = foreignLock(dir)
	}
	return err
}

func foreignLock(dir string) error {
	return &store.FormatError{Dir: dir, Problem: "has a LOCK that is a link or no regular file; remove it, nothing was " +
		"changed"}
}

// writeHolder writes who holds the lock. If that fails, the lock still holds; messages only lack its holder.
func writeHolder(f *os.File, started time.Time) {
	host, _ := os.Hostname() // for the message only
	b, err := encode(holder{PID: os.Getpid(), Host: host, Started: started})
	if err == nil && f.Truncate(0) == nil {
		_, _ = f.WriteAt(append(b, '\n'), 0)
	}
}

// parseHolder reads the content of LOCK. It returns zero for anything that lockFolder would not write.
func parseHolder(b []byte) holder {
	var h holder
	if len(b) > maxHolder || json.Unmarshal(b, &h) != nil || h.PID < 0 || len(h.Host) > 255 {
		return holder{}
	}
	for _, r := range h.Host {
		if r < ' ' || r == 0x7f {
			return holder{}
		}
	}
	return h
}

// inMemory holds the folders in memory that this process has open. No other process can use them, so this map serves as
// their lock.
var inMemory sync.Map

// lockMemory locks a folder of a file system in memory, or returns a *store.LockedError.
func lockMemory(fs afero.Fs, dir string) (unlock func() error, err error) {
	if !reflect.TypeOf(fs).Comparable() {
		return func() error { return nil }, nil // a file system that cannot be a map key cannot be locked
	}
	key := [2]any{fs, filepath.Clean(dir)}
	if _, held := inMemory.LoadOrStore(key, true); held {
		return nil, &store.LockedError{Dir: dir}
	}
	return func() error { inMemory.Delete(key); return nil }, nil
}
