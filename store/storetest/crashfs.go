// Package storetest tests stores. It has a conformance suite with a model of the contract, and three file systems: one
// that crashes, one that fails and one that records.
//
// The test of an implementation is a few lines: Run with a function that opens it and, if it is on an afero.Fs, Crash
// and Faults.
//
// Where to look:
//   - storetest.go, model.go: the conformance suite and the model of the contract
//   - crashfs.go, faultfs.go, recordfs.go: the file systems; crash.go, faults.go: the tests that use them
package storetest

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/afero"
)

// errCrashed is returned by every operation after a crash.
var errCrashed = errors.New("the machine has crashed")

// CrashFS is an afero.Fs in memory that models a crash of the machine. What was synced survives a crash; of what was
// not, any part may survive. The data of a file and the entries of a directory are synced separately: syncing a file
// does not sync its entry in the directory.
//
// CrashFS numbers the operations that change or sync something, from 0, and records them. It can stop at any of them,
// see StopAt. One run of a program gives every state that a crash could have left, see CrashAt.
//
// A crash keeps any subset of the changes of entries (create, mkdir, remove, rename) that are not synced; a rename
// survives as a whole or not at all. Of each file it keeps the synced data. Of the later writes it keeps nothing, or
// all, or the first ones up to any byte, or any of their 512-byte sectors, while other sectors are lost, torn or
// garbled. A torn write does not damage synced bytes next to it (SQLite calls this powersafe overwrite); otherwise no
// journal could append. After a failed sync, a later sync does not write the data of the failed one.
//
// Paths are rooted: a and /a are the same. There are no links, permissions or owners, and times are a counter. It is
// safe for concurrent use.
type CrashFS struct {
	mu     sync.Mutex
	disk   *crashDisk
	log    []op
	setup  int // length of the log that made the initial state
	stopAt int // index in the log of the operation to stop at, -1 for none
	stop   error
	seed   uint64
	dead   error

	past *crashDisk // the disk after log[:at], kept for CrashAt
	at   int
}

// NewCrashFS returns an empty file system.
func NewCrashFS() *CrashFS { return &CrashFS{disk: newDisk(), stopAt: -1} }

// Ops returns the number of operations so far that changed or synced something.
func (c *CrashFS) Ops() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.log) - c.setup
}

// StopAt makes operation number n and all later operations, reads included, fail with err. If operation n is a write,
// some of its first bytes may be written; seed chooses how many.
func (c *CrashFS) StopAt(n int, seed uint64, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopAt, c.seed, c.stop = c.setup+n, seed, err
}

// do logs and applies an operation, unless c has stopped. The caller holds c.mu.
func (c *CrashFS) do(o op) error {
	if c.dead != nil {
		return c.dead
	}
	if c.stopAt >= 0 && len(c.log) >= c.stopAt {
		c.dead = c.stop
		if o.Do != "write" || len(o.Data) == 0 {
			return c.dead
		}
		o.Data = o.Data[:rand.New(rand.NewPCG(c.seed, 0)).IntN(len(o.Data))] //nolint:gosec // a seeded test
	}
	c.log = append(c.log, o)
	c.disk.apply(o)
	return c.dead
}

// location is the result of looking up a path: its directory, its name in that, and its inode.
type location struct {
	dir  int
	name string
	node *inode // nil if there is none
}

// lookup looks up a path. A missing entry is no error, if its directory exists.
func (c *CrashFS) lookup(name string) (location, error) {
	if c.dead != nil {
		return location{}, c.dead
	}
	if strings.IndexByte(name, 0) >= 0 {
		return location{}, syscall.EINVAL
	}
	if name == "" {
		return location{}, syscall.ENOENT
	}
	w := location{node: c.disk.nodes[0]}
	clean := strings.TrimPrefix(path.Clean("/"+filepath.ToSlash(name)), "/")
	if clean == "" {
		return w, nil
	}
	for part := range strings.SplitSeq(clean, "/") {
		switch {
		case w.node == nil:
			return location{}, syscall.ENOENT
		case !w.node.dir():
			return location{}, syscall.ENOTDIR
		case len(part) > 255:
			return location{}, syscall.ENAMETOOLONG
		}
		w.dir, w.name = w.node.id, part
		id, ok := w.node.kids[part]
		w.node = nil
		if ok {
			w.node = c.disk.nodes[id]
		}
	}
	return w, nil
}

// Name returns "CrashFS".
func (c *CrashFS) Name() string { return "CrashFS" }

// Create creates or truncates a file and opens it for reading and writing.
func (c *CrashFS) Create(name string) (afero.File, error) {
	return c.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

// Open opens a file or directory for reading.
func (c *CrashFS) Open(name string) (afero.File, error) { return c.OpenFile(name, os.O_RDONLY, 0) }

// OpenFile opens a file as os.OpenFile does.
func (c *CrashFS) OpenFile(name string, flag int, perm os.FileMode) (afero.File, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f, err := c.openFile(name, flag, perm)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return f, nil
}

// openFile is OpenFile with the lock held and bare errors.
func (c *CrashFS) openFile(name string, flag int, perm os.FileMode) (*crashFile, error) {
	w, err := c.lookup(name)
	if err != nil {
		return nil, err
	}
	writes := flag&(os.O_WRONLY|os.O_RDWR) != 0
	switch {
	case w.node == nil && flag&os.O_CREATE == 0:
		return nil, syscall.ENOENT
	case w.node == nil:
		o := op{Do: "create", Node: c.disk.next, Dir: w.dir, Name: w.name, Mode: uint32(perm.Perm())}
		if err := c.do(o); err != nil {
			return nil, err
		}
		w.node = c.disk.nodes[o.Node]
	case flag&os.O_CREATE != 0 && flag&os.O_EXCL != 0:
		return nil, syscall.EEXIST
	case w.node.dir() && (writes || flag&os.O_CREATE != 0):
		return nil, syscall.EISDIR
	case flag&os.O_TRUNC != 0 && writes && len(w.node.data) > 0:
		if err := c.do(op{Do: "truncate", Node: w.node.id}); err != nil {
			return nil, err
		}
	}
	return &crashFile{fs: c, node: w.node, name: name, flag: flag}, nil
}

// Mkdir creates a directory.
func (c *CrashFS) Mkdir(name string, perm os.FileMode) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	w, err := c.lookup(name)
	if err == nil && w.node != nil {
		err = syscall.EEXIST
	}
	if err == nil {
		err = c.do(op{Do: "mkdir", Node: c.disk.next, Dir: w.dir, Name: w.name, Mode: uint32(perm.Perm())})
	}
	return pathError("mkdir", name, err)
}

// MkdirAll creates a directory and all its parents.
func (c *CrashFS) MkdirAll(name string, perm os.FileMode) error {
	if info, err := c.Stat(name); err == nil {
		if info.IsDir() {
			return nil
		}
		return pathError("mkdir", name, syscall.ENOTDIR)
	}
	if above := filepath.Dir(name); above != name {
		if err := c.MkdirAll(above, perm); err != nil {
			return err
		}
	}
	if err := c.Mkdir(name, perm); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// Remove removes a file or an empty directory.
func (c *CrashFS) Remove(name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	w, err := c.lookup(name)
	switch {
	case err != nil:
	case w.node == nil:
		err = syscall.ENOENT
	case w.node.id == 0:
		err = syscall.EBUSY
	case len(w.node.kids) > 0:
		err = syscall.ENOTEMPTY
	default:
		err = c.do(op{Do: "remove", Node: w.node.id, Dir: w.dir, Name: w.name})
	}
	return pathError("remove", name, err)
}

// RemoveAll removes a file, or everything in a directory and then the directory.
func (c *CrashFS) RemoveAll(name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	w, err := c.lookup(name)
	if err == nil && w.node != nil {
		err = c.removeAll(w)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return pathError("unlinkat", name, err)
}

// removeAll removes the entries of a directory and then the directory; the root remains.
func (c *CrashFS) removeAll(w location) error {
	for _, name := range sortedKeys(w.node.kids) {
		if err := c.removeAll(location{dir: w.node.id, name: name, node: c.disk.nodes[w.node.kids[name]]}); err != nil {
			return err
		}
	}
	if w.node.id == 0 {
		return nil
	}
	return c.do(op{Do: "remove", Node: w.node.id, Dir: w.dir, Name: w.name})
}

// Rename moves a file or a directory. A file may replace a file at newname; otherwise newname must not exist.
func (c *CrashFS) Rename(oldname, newname string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.rename(oldname, newname); err != nil {
		return &os.LinkError{Op: "rename", Old: oldname, New: newname, Err: err}
	}
	return nil
}

// rename is Rename with the lock held and bare errors.
func (c *CrashFS) rename(oldname, newname string) error {
	from, err := c.lookup(oldname)
	if err != nil {
		return err
	}
	to, err := c.lookup(newname)
	switch {
	case err != nil:
		return err
	case from.node == nil:
		return syscall.ENOENT
	case to.node != nil && to.node.dir():
		return syscall.EEXIST // as package os reports it
	case from.node.dir() && c.contains(from.node.id, to.dir):
		return syscall.EINVAL
	case to.node == from.node:
		return nil
	case to.node != nil && from.node.dir():
		return syscall.ENOTDIR
	}
	return c.do(op{Do: "rename", Node: from.node.id, Dir: from.dir, Name: from.name, To: to.dir, As: to.name})
}

// contains reports whether directory a is b or contains b.
func (c *CrashFS) contains(a, b int) bool {
	if a == b {
		return true
	}
	return slices.ContainsFunc(sortedKeys(c.disk.nodes[a].kids), func(name string) bool {
		id := c.disk.nodes[a].kids[name]
		return c.disk.nodes[id].dir() && c.contains(id, b)
	})
}

// Stat returns a description of the file or directory, as os.Stat does.
func (c *CrashFS) Stat(name string) (os.FileInfo, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w, err := c.lookup(name)
	if err == nil && w.node == nil {
		err = syscall.ENOENT
	}
	if err != nil {
		return nil, pathError("stat", name, err)
	}
	return w.node.info(path.Base(filepath.ToSlash(name))), nil
}

// Chmod does nothing but check that the file exists.
func (c *CrashFS) Chmod(name string, _ os.FileMode) error { return c.statFor("chmod", name) }

// Chown does nothing but check that the file exists.
func (c *CrashFS) Chown(name string, _, _ int) error { return c.statFor("chown", name) }

// Chtimes does nothing but check that the file exists.
func (c *CrashFS) Chtimes(name string, _, _ time.Time) error { return c.statFor("chtimes", name) }

func (c *CrashFS) statFor(op, name string) error {
	_, err := c.Stat(name)
	if pe := new(fs.PathError); errors.As(err, &pe) {
		pe.Op = op
	}
	return err
}

func pathError(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}
