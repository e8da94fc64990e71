package jsonstore

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/afero"
)

// confined is a real folder as a file system that neither ".." nor a symbolic link can leave. (afero.BasePathFs
// compares only text, so links can leave it.)
type confined struct{ root *os.Root }

func (c confined) Name() string { return "confined" }

func (c confined) Create(name string) (afero.File, error) { return aferoFile(c.root.Create(name)) }

func (c confined) Open(name string) (afero.File, error) { return aferoFile(c.root.Open(name)) }

func (c confined) OpenFile(name string, flag int, perm os.FileMode) (afero.File, error) {
	return aferoFile(c.root.OpenFile(name, flag, perm))
}

// aferoFile returns f as an afero.File, which is nil if f is.
func aferoFile(f *os.File, err error) (afero.File, error) {
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (c confined) Mkdir(name string, perm os.FileMode) error { return c.root.Mkdir(name, perm) }

func (c confined) MkdirAll(name string, perm os.FileMode) error {
	if name == "." {
		return nil // the root exists
	}
	return c.root.MkdirAll(name, perm)
}

func (c confined) Remove(name string) error { return c.root.Remove(name) }

func (c confined) RemoveAll(name string) error {
	if name == "." {
		return fmt.Errorf("remove the folder itself: %w", os.ErrInvalid)
	}
	return c.root.RemoveAll(name)
}

func (c confined) Rename(from, to string) error { return c.root.Rename(from, to) }

func (c confined) Stat(name string) (os.FileInfo, error) { return c.root.Stat(name) }

func (c confined) Chmod(name string, mode os.FileMode) error { return c.root.Chmod(name, mode) }

func (c confined) Chown(name string, uid, gid int) error { return c.root.Chown(name, uid, gid) }

func (c confined) Chtimes(name string, atime, mtime time.Time) error {
	return c.root.Chtimes(name, atime, mtime)
}
