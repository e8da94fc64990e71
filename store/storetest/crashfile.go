package storetest

import (
	"cmp"
	"errors"
	"hash/fnv"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"syscall"
	"time"
)

// crashFile is an open file or directory of a CrashFS.
type crashFile struct {
	fs     *CrashFS
	node   *inode
	name   string
	flag   int
	at     int64
	listed []os.FileInfo // entries that Readdir has not returned yet
	lists  bool          // listed has been filled
	closed bool
}

// begin locks the file system and returns an error if the file cannot be used. The caller
// calls end in either case.
func (f *crashFile) begin() error {
	f.fs.mu.Lock()
	if f.closed {
		return fs.ErrClosed
	}
	return f.fs.dead
}

func (f *crashFile) end() { f.fs.mu.Unlock() }

// fail returns err with the operation and the path, as package os does.
func (f *crashFile) fail(op string, err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	return pathError(op, f.name, err)
}

func (f *crashFile) Name() string { return f.name }

func (f *crashFile) Close() error {
	err := f.begin()
	defer f.end()
	f.closed = true
	return f.fail("close", err)
}

func (f *crashFile) Read(p []byte) (int, error) {
	err := f.begin()
	defer f.end()
	n := 0
	if err == nil {
		n, err = f.read(p, f.at)
		f.at += int64(n)
		if n > 0 {
			err = nil
		}
	}
	return n, f.fail("read", err)
}

func (f *crashFile) ReadAt(p []byte, off int64) (int, error) {
	err := f.begin()
	defer f.end()
	n := 0
	if off < 0 { // package os checks this first
		err = syscall.EINVAL
	}
	if err == nil && len(p) > 0 {
		n, err = f.read(p, off)
	}
	return n, f.fail("read", err)
}

func (f *crashFile) read(p []byte, off int64) (int, error) {
	switch {
	case len(p) == 0:
		return 0, nil
	case f.flag&os.O_WRONLY != 0:
		return 0, syscall.EBADF
	case f.node.dir():
		return 0, syscall.EISDIR
	case off >= int64(len(f.node.data)):
		return 0, io.EOF
	}
	n := copy(p, f.node.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *crashFile) Seek(off int64, whence int) (int64, error) {
	err := f.begin()
	defer f.end()
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		off += f.at
	case io.SeekEnd:
		off += int64(len(f.node.data))
	default:
		off = -1
	}
	if err == nil && off < 0 {
		err = syscall.EINVAL
	}
	if err != nil {
		return 0, f.fail("seek", err)
	}
	f.at = off
	if off == 0 {
		f.listed, f.lists = nil, false
	}
	return off, nil
}

func (f *crashFile) WriteString(s string) (int, error) { return f.Write([]byte(s)) }

func (f *crashFile) Write(p []byte) (int, error) {
	err := f.begin()
	defer f.end()
	n := 0
	if err == nil {
		at := f.at
		if f.flag&os.O_APPEND != 0 {
			at = int64(len(f.node.data))
		}
		if n, err = f.write(p, at); n > 0 {
			f.at = at + int64(n)
		}
	}
	return n, f.fail("write", err)
}

func (f *crashFile) WriteAt(p []byte, off int64) (int, error) {
	err := f.begin()
	defer f.end()
	n := 0
	if off < 0 || f.flag&os.O_APPEND != 0 {
		err = syscall.EINVAL
	}
	if err == nil && len(p) > 0 {
		n, err = f.write(p, off)
	}
	return n, f.fail("write", err)
}

func (f *crashFile) write(p []byte, off int64) (int, error) {
	if f.flag&(os.O_WRONLY|os.O_RDWR) == 0 {
		return 0, syscall.EBADF
	}
	if len(p) == 0 {
		return 0, nil
	}
	if err := f.fs.do(op{Do: "write", Node: f.node.id, Off: off, Data: slices.Clone(p)}); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (f *crashFile) Truncate(size int64) error {
	err := f.begin()
	defer f.end()
	if err == nil && (size < 0 || f.flag&(os.O_WRONLY|os.O_RDWR) == 0) {
		err = syscall.EINVAL
	}
	if err == nil && size != int64(len(f.node.data)) {
		err = f.fs.do(op{Do: "truncate", Node: f.node.id, Off: size})
	}
	return f.fail("truncate", err)
}

// Sync makes the file's data durable, or the directory's entries.
func (f *crashFile) Sync() error {
	err := f.begin()
	defer f.end()
	if err == nil {
		err = f.fs.do(op{Do: "sync", Node: f.node.id})
	}
	return f.fail("sync", err)
}

// failSync marks the data of a failed sync as lost.
func (f *crashFile) failSync() {
	err := f.begin()
	defer f.end()
	if err == nil {
		_ = f.fs.do(op{Do: "failsync", Node: f.node.id})
	}
}

func (f *crashFile) Stat() (os.FileInfo, error) {
	err := f.begin()
	defer f.end()
	if err != nil {
		return nil, f.fail("stat", err)
	}
	return f.node.info(baseName(f.name)), nil
}

// Readdir lists in an order that programs cannot rely on, but that is always the same.
func (f *crashFile) Readdir(count int) ([]os.FileInfo, error) {
	err := f.begin()
	defer f.end()
	if err == nil && !f.node.dir() {
		err = syscall.ENOTDIR
	}
	if err != nil {
		return nil, f.fail("readdirent", err)
	}
	if !f.lists {
		f.lists = true
		f.listed = nil
		for name, id := range f.node.kids {
			f.listed = append(f.listed, f.fs.disk.nodes[id].info(name))
		}
		slices.SortFunc(f.listed, func(a, b os.FileInfo) int {
			return cmp.Or(cmp.Compare(nameHash(a.Name()), nameHash(b.Name())), cmp.Compare(a.Name(), b.Name()))
		})
	}
	n := len(f.listed)
	if count > 0 {
		if n == 0 {
			return nil, io.EOF
		}
		n = min(n, count)
	}
	out := f.listed[:n:n]
	f.listed = f.listed[n:]
	return out, nil
}

func (f *crashFile) Readdirnames(count int) ([]string, error) {
	infos, err := f.Readdir(count)
	names := make([]string, 0, len(infos))
	for _, i := range infos {
		names = append(names, i.Name())
	}
	return names, err
}

// nameHash returns a hash by which names are in no useful order.
func nameHash(name string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return h.Sum64()
}

// info returns the present state of an inode.
func (n *inode) info(name string) os.FileInfo {
	return crashInfo{name: name, size: int64(len(n.data)), mode: n.mode, clock: n.changed}
}

type crashInfo struct {
	name  string
	size  int64
	mode  fs.FileMode
	clock int
}

func (i crashInfo) Name() string       { return i.name }
func (i crashInfo) Size() int64        { return i.size }
func (i crashInfo) Mode() fs.FileMode  { return i.mode }
func (i crashInfo) ModTime() time.Time { return time.Unix(1_000_000_000+int64(i.clock), 0) }
func (i crashInfo) IsDir() bool        { return i.mode.IsDir() }
func (i crashInfo) Sys() any           { return nil }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
