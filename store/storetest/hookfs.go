package storetest

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/afero"
)

// Kind is a kind of file operation.
type Kind string

// The kinds. A short write is a write too: a fault of that kind writes half.
const (
	OpOpen       Kind = "open"
	OpCreate     Kind = "create" // an open that may create
	OpRead       Kind = "read"   // ReadAt too
	OpWrite      Kind = "write"  // WriteAt too
	OpShortWrite Kind = "short write"
	OpSync       Kind = "sync" // of a file
	OpSyncDir    Kind = "sync dir"
	OpRename     Kind = "rename"
	OpRemove     Kind = "remove" // RemoveAll too
	OpMkdir      Kind = "mkdir"  // MkdirAll too
	OpStat       Kind = "stat"
	OpTruncate   Kind = "truncate"
	OpClose      Kind = "close"
	OpReadDir    Kind = "readdir"
)

// Kinds returns all kinds.
func Kinds() []Kind {
	return []Kind{
		OpOpen, OpCreate, OpRead, OpWrite, OpShortWrite, OpSync, OpSyncDir,
		OpRename, OpRemove, OpMkdir, OpStat, OpTruncate, OpClose, OpReadDir,
	}
}

// hook is asked before every operation; an error it returns is the operation's.
// detail is what people want to know beside the path.
type hook func(k Kind, path, detail string) error

// hookFS asks a hook before it does what the file system below does.
type hookFS struct {
	afero.Fs
	hook hook
}

func (h *hookFS) ask(k Kind, path, detail, verb string) error {
	return pathError(verb, path, h.hook(k, path, detail))
}

func (h *hookFS) Create(name string) (afero.File, error) {
	return h.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

func (h *hookFS) Open(name string) (afero.File, error) { return h.OpenFile(name, os.O_RDONLY, 0) }

func (h *hookFS) OpenFile(name string, flag int, perm os.FileMode) (afero.File, error) {
	kind := OpOpen
	if flag&os.O_CREATE != 0 {
		kind = OpCreate
	}
	if err := h.ask(kind, name, flags(flag), "open"); err != nil {
		return nil, err
	}
	f, err := h.Fs.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	return &hookFile{File: f, fs: h, name: name, dir: err == nil && info.IsDir()}, nil
}

func flags(flag int) string {
	s := "r"
	switch {
	case flag&os.O_RDWR != 0:
		s = "rw"
	case flag&os.O_WRONLY != 0:
		s = "w"
	}
	for _, f := range []struct {
		flag int
		name string
	}{{os.O_APPEND, " append"}, {os.O_EXCL, " excl"}, {os.O_TRUNC, " trunc"}} {
		if flag&f.flag != 0 {
			s += f.name
		}
	}
	return s
}

func (h *hookFS) Mkdir(name string, perm os.FileMode) error {
	if err := h.ask(OpMkdir, name, "", "mkdir"); err != nil {
		return err
	}
	return h.Fs.Mkdir(name, perm)
}

func (h *hookFS) MkdirAll(name string, perm os.FileMode) error {
	if err := h.ask(OpMkdir, name, "all", "mkdir"); err != nil {
		return err
	}
	return h.Fs.MkdirAll(name, perm)
}

func (h *hookFS) Remove(name string) error {
	if err := h.ask(OpRemove, name, "", "remove"); err != nil {
		return err
	}
	return h.Fs.Remove(name)
}

func (h *hookFS) RemoveAll(name string) error {
	if err := h.ask(OpRemove, name, "all", "unlinkat"); err != nil {
		return err
	}
	return h.Fs.RemoveAll(name)
}

func (h *hookFS) Rename(from, to string) error {
	if err := h.hook(OpRename, from, to); err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return h.Fs.Rename(from, to)
}

func (h *hookFS) Stat(name string) (os.FileInfo, error) {
	if err := h.ask(OpStat, name, "", "stat"); err != nil {
		return nil, err
	}
	return h.Fs.Stat(name)
}

func (h *hookFS) Chtimes(name string, a, m time.Time) error { return h.Fs.Chtimes(name, a, m) }

// hookFile is a file of a hookFS. It has none of the optional methods of the
// file below (WriterTo, ReaderFrom), so that nothing passes by the hook.
type hookFile struct {
	afero.File
	fs   *hookFS
	name string
	dir  bool
}

func (f *hookFile) ask(k Kind, detail, verb string) error { return f.fs.ask(k, f.name, detail, verb) }

func (f *hookFile) Read(p []byte) (int, error) {
	if err := f.ask(OpRead, "", "read"); err != nil {
		return 0, err
	}
	return f.File.Read(p)
}

func (f *hookFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.ask(OpRead, fmt.Sprintf("at %d", off), "read"); err != nil {
		return 0, err
	}
	return f.File.ReadAt(p, off)
}

func (f *hookFile) WriteString(s string) (int, error) { return f.Write([]byte(s)) }

func (f *hookFile) Write(p []byte) (int, error) {
	return f.write(p, fmt.Sprintf("%d bytes", len(p)), f.File.Write)
}

func (f *hookFile) WriteAt(p []byte, off int64) (int, error) {
	return f.write(p, fmt.Sprintf("%d bytes at %d", len(p), off), func(p []byte) (int, error) { return f.File.WriteAt(p, off) })
}

func (f *hookFile) write(p []byte, detail string, write func([]byte) (int, error)) (int, error) {
	if err := f.ask(OpWrite, detail, "write"); err != nil {
		return 0, err
	}
	if err := f.ask(OpShortWrite, detail, "write"); err != nil {
		n, errBelow := write(p[:len(p)/2])
		if errBelow != nil {
			return n, errBelow
		}
		return n, err
	}
	return write(p)
}

func (f *hookFile) Sync() error {
	kind := OpSync
	if f.dir {
		kind = OpSyncDir
	}
	if err := f.ask(kind, "", "sync"); err != nil {
		if below, ok := f.File.(interface{ failSync() }); ok {
			below.failSync()
		}
		return err
	}
	return f.File.Sync()
}

func (f *hookFile) Truncate(size int64) error {
	if err := f.ask(OpTruncate, fmt.Sprintf("to %d", size), "truncate"); err != nil {
		return err
	}
	return f.File.Truncate(size)
}

func (f *hookFile) Stat() (os.FileInfo, error) {
	if err := f.ask(OpStat, "", "stat"); err != nil {
		return nil, err
	}
	return f.File.Stat()
}

// Close closes the file below whatever the hook says, as close(2) does.
func (f *hookFile) Close() error {
	err := f.ask(OpClose, "", "close")
	if below := f.File.Close(); err == nil {
		return below
	}
	return err
}

func (f *hookFile) Readdir(count int) ([]os.FileInfo, error) {
	if err := f.ask(OpReadDir, "", "readdirent"); err != nil {
		return nil, err
	}
	return f.File.Readdir(count)
}

func (f *hookFile) Readdirnames(n int) ([]string, error) {
	if err := f.ask(OpReadDir, "", "readdirent"); err != nil {
		return nil, err
	}
	return f.File.Readdirnames(n)
}
