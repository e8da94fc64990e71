package storetest

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/afero"
)

// Op is a kind of file operation, such as a write.
type Op string

// The kinds of file operations. A short write writes half of the bytes. Each write counts as a write and as a short
// write, so that a fault can be either.
const (
	OpOpen       Op = "open"   // opening a file or directory, without creating it
	opCreate     Op = "create" // an open that may create
	opRead       Op = "read"   // including ReadAt
	opWrite      Op = "write"  // including WriteAt
	opShortWrite Op = "short write"
	opSync       Op = "sync" // of a file
	opSyncDir    Op = "sync dir"
	opRename     Op = "rename"
	opRemove     Op = "remove" // including RemoveAll
	OpMkdir      Op = "mkdir"  // creating a directory, including MkdirAll
	opStat       Op = "stat"
	opTruncate   Op = "truncate"
	opClose      Op = "close"
	opReadDir    Op = "readdir"
)

// opKinds returns all kinds.
func opKinds() []Op {
	return []Op{
		OpOpen, opCreate, opRead, opWrite, opShortWrite, opSync, opSyncDir,
		opRename, opRemove, OpMkdir, opStat, opTruncate, opClose, opReadDir,
	}
}

// hook is called before every operation. If it returns an error, the operation fails with
// it. detail is for people, in addition to the path.
type hook func(k Op, path, detail string) error

// hookFS calls a hook and then performs the operation on the file system below.
type hookFS struct {
	afero.Fs
	hook hook
}

// askHook calls the hook and returns its error as package os would.
func (h *hookFS) askHook(k Op, path, detail, verb string) error {
	return pathError(verb, path, h.hook(k, path, detail))
}

func (h *hookFS) Create(name string) (afero.File, error) {
	return h.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

func (h *hookFS) Open(name string) (afero.File, error) { return h.OpenFile(name, os.O_RDONLY, 0) }

func (h *hookFS) OpenFile(name string, flag int, perm os.FileMode) (afero.File, error) {
	kind := OpOpen
	if flag&os.O_CREATE != 0 {
		kind = opCreate
	}
	if err := h.askHook(kind, name, flagText(flag), "open"); err != nil {
		return nil, err
	}
	f, err := h.Fs.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	return &hookFile{File: f, fs: h, name: name, dir: err == nil && info.IsDir()}, nil
}

// flagText describes the flags of an open, for people.
func flagText(flag int) string {
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
	if err := h.askHook(OpMkdir, name, "", "mkdir"); err != nil {
		return err
	}
	return h.Fs.Mkdir(name, perm)
}

func (h *hookFS) MkdirAll(name string, perm os.FileMode) error {
	if err := h.askHook(OpMkdir, name, "all", "mkdir"); err != nil {
		return err
	}
	return h.Fs.MkdirAll(name, perm)
}

func (h *hookFS) Remove(name string) error {
	if err := h.askHook(opRemove, name, "", "remove"); err != nil {
		return err
	}
	return h.Fs.Remove(name)
}

func (h *hookFS) RemoveAll(name string) error {
	if err := h.askHook(opRemove, name, "all", "unlinkat"); err != nil {
		return err
	}
	return h.Fs.RemoveAll(name)
}

func (h *hookFS) Rename(from, to string) error {
	if err := h.hook(opRename, from, to); err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return h.Fs.Rename(from, to)
}

func (h *hookFS) Stat(name string) (os.FileInfo, error) {
	if err := h.askHook(opStat, name, "", "stat"); err != nil {
		return nil, err
	}
	return h.Fs.Stat(name)
}

func (h *hookFS) Chtimes(name string, a, m time.Time) error { return h.Fs.Chtimes(name, a, m) }

// hookFile is a file of a hookFS. It has none of the optional methods of the file below
// (WriterTo, ReaderFrom), because those would bypass the hook.
type hookFile struct {
	afero.File
	fs   *hookFS
	name string
	dir  bool
}

func (f *hookFile) askHook(k Op, detail, verb string) error {
	return f.fs.askHook(k, f.name, detail, verb)
}

func (f *hookFile) Read(p []byte) (int, error) {
	if err := f.askHook(opRead, "", "read"); err != nil {
		return 0, err
	}
	return f.File.Read(p)
}

func (f *hookFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.askHook(opRead, fmt.Sprintf("at %d", off), "read"); err != nil {
		return 0, err
	}
	return f.File.ReadAt(p, off)
}

func (f *hookFile) WriteString(s string) (int, error) { return f.Write([]byte(s)) }

func (f *hookFile) Write(p []byte) (int, error) {
	return f.write(p, fmt.Sprintf("%d bytes", len(p)), f.File.Write)
}

func (f *hookFile) WriteAt(p []byte, off int64) (int, error) {
	return f.write(p, fmt.Sprintf("%d bytes at %d", len(p), off),
		func(p []byte) (int, error) { return f.File.WriteAt(p, off) })
}

// write calls the hook for a write, and then for a short write, which writes half.
func (f *hookFile) write(p []byte, detail string, write func([]byte) (int, error)) (int, error) {
	if err := f.askHook(opWrite, detail, "write"); err != nil {
		return 0, err
	}
	if err := f.askHook(opShortWrite, detail, "write"); err != nil {
		n, errBelow := write(p[:len(p)/2])
		if errBelow != nil {
			return n, errBelow
		}
		return n, err
	}
	return write(p)
}

// Sync notifies a CrashFS of a failure, so that the data are lost as after a real one.
func (f *hookFile) Sync() error {
	kind := opSync
	if f.dir {
		kind = opSyncDir
	}
	if err := f.askHook(kind, "", "sync"); err != nil {
		if below, ok := f.File.(interface{ failSync() }); ok {
			below.failSync()
		}
		return err
	}
	return f.File.Sync()
}

func (f *hookFile) Truncate(size int64) error {
	if err := f.askHook(opTruncate, fmt.Sprintf("to %d", size), "truncate"); err != nil {
		return err
	}
	return f.File.Truncate(size)
}

func (f *hookFile) Stat() (os.FileInfo, error) {
	if err := f.askHook(opStat, "", "stat"); err != nil {
		return nil, err
	}
	return f.File.Stat()
}

// Close closes the file below even if the hook returns an error, as close(2) does.
func (f *hookFile) Close() error {
	err := f.askHook(opClose, "", "close")
	if below := f.File.Close(); err == nil {
		return below
	}
	return err
}

func (f *hookFile) Readdir(count int) ([]os.FileInfo, error) {
	if err := f.askHook(opReadDir, "", "readdirent"); err != nil {
		return nil, err
	}
	return f.File.Readdir(count)
}

func (f *hookFile) Readdirnames(n int) ([]string, error) {
	if err := f.askHook(opReadDir, "", "readdirent"); err != nil {
		return nil, err
	}
	return f.File.Readdirnames(n)
}
