package storetest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestCrashFSIsLikeTheOS performs the same random operations on a CrashFS and on a real
// folder, and expects the same results, errors and trees.
func TestCrashFSIsLikeTheOS(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the errors compared are those of Linux")
	}
	n := 0
	root := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		n++
		dir := filepath.Join(root, fmt.Sprint(n))
		require.NoError(t, os.Mkdir(dir, 0o755))
		p := &pair{crash: NewCrashFS(), real: afero.NewBasePathFs(afero.NewOsFs(), dir)}
		defer p.close()
		t.Repeat(map[string]func(*rapid.T){
			"open": p.open, "mkdir": p.mkdir, "remove": p.remove, "rename": p.rename, "stat": p.stat,
			"read": p.read, "readAt": p.readAt, "write": p.write, "writeAt": p.writeAt, "seek": p.seek,
			"truncate": p.truncate, "sync": p.sync, "closeOne": p.closeOne, "readdir": p.readdir,
			"": func(t *rapid.T) { require.Equal(t, listing(t, p.real), listing(t, p.crash)) },
		})
	})
}

type pair struct {
	crash, real afero.Fs
	files       [][2]afero.File
}

func (p *pair) close() {
	for _, f := range p.files {
		_ = f[1].Close()
	}
}

var names = rapid.SampledFrom([]string{"/a", "/b", "/d", "/d/a", "/d/b", "/d/e", "/d/e/a", "/e", "/e/a", "/e/d", "/a/b",
	"/d/a/b"})

// cause returns the part of an error that programs act on.
func cause(err error) string {
	var no syscall.Errno
	switch {
	case err == nil:
		return ""
	case errors.As(err, &no):
		return no.Error()
	case errors.Is(err, io.EOF):
		return "EOF"
	case errors.Is(err, os.ErrClosed):
		return "closed"
	}
	return syscall.EINVAL.Error() // an error that package os detects itself
}

func same(t *rapid.T, real, crash error) {
	require.Equal(t, cause(real), cause(crash), "real: %v, CrashFS: %v", real, crash)
}

func (p *pair) open(t *rapid.T) {
	name := names.Draw(t, "name")
	flag := rapid.SampledFrom([]int{os.O_RDONLY, os.O_RDWR, os.O_WRONLY}).Draw(t, "flag")
	if flag != os.O_RDONLY || rapid.Bool().Draw(t, "create") {
		for _, f := range []int{os.O_CREATE, os.O_EXCL | os.O_CREATE, os.O_APPEND, os.O_TRUNC} {
			if f == os.O_TRUNC && flag&(os.O_RDWR|os.O_WRONLY) == 0 {
				continue // not specified
			}
			if rapid.Bool().Draw(t, "more") {
				flag |= f
			}
		}
	}
	a, errA := p.real.OpenFile(name, flag, 0o644)
	b, errB := p.crash.OpenFile(name, flag, 0o644)
	same(t, errA, errB)
	if errA == nil {
		p.files = append(p.files, [2]afero.File{b, a})
	}
}

func (p *pair) mkdir(t *rapid.T) {
	name := names.Draw(t, "name")
	if rapid.Bool().Draw(t, "all") {
		same(t, p.real.MkdirAll(name, 0o755), p.crash.MkdirAll(name, 0o755))
		return
	}
	same(t, p.real.Mkdir(name, 0o755), p.crash.Mkdir(name, 0o755))
}

func (p *pair) remove(t *rapid.T) {
	name := names.Draw(t, "name")
	if rapid.Bool().Draw(t, "all") {
		same(t, p.real.RemoveAll(name), p.crash.RemoveAll(name))
		return
	}
	same(t, p.real.Remove(name), p.crash.Remove(name))
}

func (p *pair) rename(t *rapid.T) {
	from, to := names.Draw(t, "from"), names.Draw(t, "to")
	same(t, p.real.Rename(from, to), p.crash.Rename(from, to))
}

func (p *pair) stat(t *rapid.T) {
	name := names.Draw(t, "name")
	a, errA := p.real.Stat(name)
	b, errB := p.crash.Stat(name)
	same(t, errA, errB)
	sameInfo(t, a, b)
}

func sameInfo(t *rapid.T, a, b os.FileInfo) {
	if a == nil {
		return
	}
	require.Equal(t, a.IsDir(), b.IsDir())
	require.Equal(t, a.Name(), b.Name())
	if !a.IsDir() {
		require.Equal(t, a.Size(), b.Size())
	}
}

func (p *pair) file(t *rapid.T) (crash, real afero.File) {
	if len(p.files) == 0 {
		t.Skip("no file is open")
	}
	f := rapid.SampledFrom(p.files).Draw(t, "file")
	return f[0], f[1]
}

func (p *pair) read(t *rapid.T) {
	crash, real := p.file(t)
	size := rapid.IntRange(0, 3000).Draw(t, "size")
	a, b := make([]byte, size), make([]byte, size)
	nA, errA := real.Read(a)
	nB, errB := crash.Read(b)
	same(t, errA, errB)
	require.Equal(t, nA, nB)
	require.Equal(t, a, b)
}

func (p *pair) readAt(t *rapid.T) {
	crash, real := p.file(t)
	size, off := rapid.IntRange(1, 3000).Draw(t, "size"), rapid.Int64Range(-1, 5000).Draw(t, "off")
	a, b := make([]byte, size), make([]byte, size)
	nA, errA := real.ReadAt(a, off)
	nB, errB := crash.ReadAt(b, off)
	same(t, errA, errB)
	require.Equal(t, nA, nB)
	require.Equal(t, a, b)
}

func data(t *rapid.T) []byte {
	b := make([]byte, rapid.IntRange(0, 2000).Draw(t, "size"))
	first := rapid.Byte().Draw(t, "first")
	for i := range b {
		b[i] = first + byte(i)
	}
	return b
}

func (p *pair) write(t *rapid.T) {
	crash, real := p.file(t)
	b := data(t)
	nA, errA := real.Write(b)
	nB, errB := crash.Write(b)
	same(t, errA, errB)
	require.Equal(t, nA, nB)
}

func (p *pair) writeAt(t *rapid.T) {
	crash, real := p.file(t)
	b, off := data(t), rapid.Int64Range(-1, 5000).Draw(t, "off")
	if len(b) == 0 {
		t.Skip("package os does not ask the file")
	}
	nA, errA := real.WriteAt(b, off)
	nB, errB := crash.WriteAt(b, off)
	same(t, errA, errB)
	require.Equal(t, nA, nB)
}

func (p *pair) seek(t *rapid.T) {
	crash, real := p.file(t)
	if info, err := real.Stat(); err != nil || info.IsDir() {
		t.Skip("where a directory stands is not specified")
	}
	off, whence := rapid.Int64Range(-2000, 5000).Draw(t, "off"), rapid.IntRange(0, 2).Draw(t, "whence")
	nA, errA := real.Seek(off, whence)
	nB, errB := crash.Seek(off, whence)
	same(t, errA, errB)
	require.Equal(t, nA, nB)
}

func (p *pair) truncate(t *rapid.T) {
	crash, real := p.file(t)
	size := rapid.Int64Range(-1, 5000).Draw(t, "size")
	same(t, real.Truncate(size), crash.Truncate(size))
}

func (p *pair) sync(t *rapid.T) {
	crash, real := p.file(t)
	same(t, real.Sync(), crash.Sync())
}

func (p *pair) closeOne(t *rapid.T) {
	crash, real := p.file(t)
	same(t, real.Close(), crash.Close())
	p.files = slices.DeleteFunc(p.files, func(f [2]afero.File) bool {
		return f[0] == crash && rapid.Bool().Draw(t, "forget") // or use it after close
	})
}

func (p *pair) readdir(t *rapid.T) {
	name := names.Draw(t, "name")
	a, errA := afero.ReadDir(p.real, name)
	b, errB := afero.ReadDir(p.crash, name)
	same(t, errA, errB)
	require.Len(t, b, len(a))
	for i := range a {
		sameInfo(t, a[i], b[i])
	}
}

// listing returns everything in a file system, by path.
func listing(t require.TestingT, fs afero.Fs) map[string]string {
	out := map[string]string{}
	require.NoError(t, afero.Walk(fs, "/", func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		out[path] = "dir"
		if !info.IsDir() {
			b, err := afero.ReadFile(fs, path)
			out[path] = "file " + string(b)
			return err
		}
		return nil
	}))
	return out
}

func TestReaddirInParts(t *testing.T) {
	fs := NewCrashFS()
	for i := range 5 {
		require.NoError(t, afero.WriteFile(fs, fmt.Sprintf("d%d", i), nil, 0o600))
	}
	d, err := fs.Open("/")
	require.NoError(t, err)
	var got []string
	for {
		names, err := d.Readdirnames(2)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		got = append(got, names...)
	}
	require.False(t, slices.IsSorted(got), "an order nobody can rely on")
	require.ElementsMatch(t, []string{"d0", "d1", "d2", "d3", "d4"}, got)
}
