package storetest

import (
	"os"
	"syscall"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/memtree/memtree/internal/golden"
)

// everyOperation performs at least one operation of every kind and returns the first error.
func everyOperation(fs afero.Fs) error {
	steps := []func() error{
		func() error { return fs.MkdirAll("/d/e", 0o700) },
		func() error { return writeSynced(fs, "/d/a.tmp", "hello, world") },
		func() error { return fs.Rename("/d/a.tmp", "/d/a") },
		func() error { return use(fs, "/d", func(d afero.File) error { return d.Sync() }) },
		func() error {
			return use(fs, "/d", func(d afero.File) error { _, err := d.Readdirnames(-1); return err })
		},
		func() error { _, err := fs.Stat("/d/a"); return err },
		func() error {
			return use(fs, "/d/a", func(f afero.File) error { _, err := f.ReadAt(make([]byte, 5), 7); return err })
		},
		func() error { return fs.Remove("/d/e") },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func use(fs afero.Fs, name string, do func(afero.File) error) error {
	f, err := fs.Open(name)
	if err != nil {
		return err
	}
	if err := do(f); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}

func writeSynced(fs afero.Fs, name, text string) error {
	f, err := fs.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { _, err := f.WriteString(text); return err },
		func() error { return f.Truncate(int64(len(text))) },
		f.Sync,
	} {
		if err := step(); err != nil {
			_ = f.Close()
			return err
		}
	}
	return f.Close()
}

func TestFaultFSFailsEveryKind(t *testing.T) {
	healthy := NewFaultFS(NewCrashFS())
	require.NoError(t, everyOperation(healthy))
	counts := healthy.Counts()
	for _, kind := range opKinds() {
		require.Positive(t, counts[kind], kind)
		for _, errno := range errnos() {
			for n := 1; n <= counts[kind]; n++ {
				fs := NewFaultFS(NewCrashFS(), Fault{Kind: kind, N: n, Errno: errno})
				require.ErrorIs(t, everyOperation(fs), errno, "%s %d", kind, n)
				require.Equal(t, 1, fs.Hits())
				require.Equal(t, n, fs.Counts()[kind])
			}
		}
	}
}

func TestFaultForGoodAndOnce(t *testing.T) {
	below := NewCrashFS()
	fs := NewFaultFS(below, Fault{Kind: OpMkdir, N: 2, Errno: syscall.ENOSPC, ForGood: true},
		Fault{Kind: opRemove, Errno: syscall.EBUSY})
	require.NoError(t, fs.Mkdir("a", 0o700))
	require.ErrorIs(t, fs.Mkdir("b", 0o700), syscall.ENOSPC)
	require.ErrorIs(t, fs.Mkdir("b", 0o700), syscall.ENOSPC)
	require.ErrorIs(t, fs.Remove("a"), syscall.EBUSY)
	require.NoError(t, fs.Remove("a"))
	fs.Set()
	require.NoError(t, fs.Mkdir("b", 0o700))
}

func TestShortWriteWritesHalf(t *testing.T) {
	below := NewCrashFS()
	fs := NewFaultFS(below, Fault{Kind: opShortWrite, Errno: syscall.ENOSPC})
	f, err := fs.Create("a")
	require.NoError(t, err)
	n, err := f.Write([]byte("abcdefgh"))
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.Equal(t, 4, n)
	b, err := afero.ReadFile(below, "a")
	require.NoError(t, err)
	require.Equal(t, "abcd", string(b))
}

// TestHooksAreLikeTheFSBelow checks that without faults nothing changes, including on a real folder.
func TestHooksAreLikeTheFSBelow(t *testing.T) {
	crash, real := NewCrashFS(), afero.NewBasePathFs(afero.NewOsFs(), t.TempDir())
	require.NoError(t, everyOperation(NewRecordFS(NewFaultFS(crash))))
	require.NoError(t, everyOperation(NewFaultFS(NewRecordFS(real))))
	require.Equal(t, listing(t, real), listing(t, crash))
}

func TestRandomFaultHits(t *testing.T) {
	healthy := NewFaultFS(NewCrashFS())
	require.NoError(t, everyOperation(healthy))
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		fault := randomFault(healthy.Counts(), seed)
		require.Equal(t, fault, randomFault(healthy.Counts(), seed))
		fs := NewFaultFS(NewCrashFS(), fault)
		require.ErrorIs(t, everyOperation(fs), fault.Errno, fault.String())
		require.Positive(t, fs.Hits())
	})
}

func TestRecordFS(t *testing.T) {
	fs := NewRecordFS(NewCrashFS())
	fs.Note("a tour of the file system")
	require.NoError(t, everyOperation(fs))
	golden.Equal(t, "testdata/tour.golden", fs.Text())
	require.NoError(t, fs.RemoveAll("/d"))
	_, _ = fs.Stat("/d")
	require.Equal(t, "remove /d all\n", fs.Text(opStat))
}
