package storetest

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func put(t require.TestingT, fs afero.Fs, name, text string, sync bool) {
	f, err := fs.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	require.NoError(t, err)
	_, err = f.WriteString(text)
	require.NoError(t, err)
	if sync {
		require.NoError(t, f.Sync())
	}
	require.NoError(t, f.Close())
}

func syncDir(t require.TestingT, fs afero.Fs, name string) {
	d, err := fs.Open(name)
	require.NoError(t, err)
	require.NoError(t, d.Sync())
	require.NoError(t, d.Close())
}

// outcomes returns the trees after crashes, as texts, and how often each occurs.
func outcomes(t *testing.T, fs *CrashFS, seeds uint64) map[string]int {
	out := map[string]int{}
	for seed := range seeds {
		var b strings.Builder
		tree := listing(t, fs.CrashAt(fs.Ops(), seed))
		for _, name := range sortedKeys(tree) {
			if name != "/" {
				b.WriteString(name + "=" + tree[name] + ";")
			}
		}
		out[b.String()]++
	}
	return out
}

func TestCrashForgetsWhatIsNotSynced(t *testing.T) {
	const whole = "/a=file hello;"
	tests := []struct {
		name string
		do   func(*CrashFS)
		all  []string // exactly these can remain; nil: too many to list
		some []string
	}{
		{"data and entry synced", func(fs *CrashFS) { put(t, fs, "a", "hello", true); syncDir(t, fs, "/") }, []string{whole},
			nil},
		{"entry not synced", func(fs *CrashFS) { put(t, fs, "a", "hello", true) }, []string{"", whole}, nil},
		{"data not synced", func(fs *CrashFS) { put(t, fs, "a", "hello", false); syncDir(t, fs, "/") }, nil,
			[]string{"/a=file ;", whole, "/a=file hel;", "/a=file \x00\x00\x00\x00\x00;"}},
		{"rename without sync of the data", func(fs *CrashFS) {
			put(t, fs, "a", "hello", true)
			syncDir(t, fs, "/")
			put(t, fs, "b", "other", false)
			require.NoError(t, fs.Rename("b", "a"))
		}, nil, []string{whole, "/a=file ;", "/a=file other;", "/a=file hello;/b=file other;"}},
		{"rename is whole or not at all", func(fs *CrashFS) {
			put(t, fs, "a", "hello", true)
			require.NoError(t, fs.Mkdir("d", 0o700))
			syncDir(t, fs, "/")
			require.NoError(t, fs.Rename("a", "d/a"))
		}, []string{"/a=file hello;/d=dir;", "/d=dir;/d/a=file hello;"}, nil},
		{"sync of the target directory keeps the move", func(fs *CrashFS) {
			require.NoError(t, fs.Mkdir("d", 0o700))
			put(t, fs, "a", "hello", true)
			require.NoError(t, fs.Rename("a", "d/a"))
			syncDir(t, fs, "d")
		}, []string{"/d=dir;/d/a=file hello;"}, nil},
		{"any subset of removes", func(fs *CrashFS) {
			put(t, fs, "a", "1", true)
			put(t, fs, "b", "2", true)
			syncDir(t, fs, "/")
			require.NoError(t, fs.Remove("a"))
			require.NoError(t, fs.Remove("b"))
		}, []string{"", "/a=file 1;", "/b=file 2;", "/a=file 1;/b=file 2;"}, nil},
		{"synced bytes stand beside torn ones", func(fs *CrashFS) {
			put(t, fs, "a", "hello", true)
			syncDir(t, fs, "/")
			put(t, fs, "a", " world", false)
		}, nil, []string{whole, "/a=file hello world;", "/a=file hello w;"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fs := NewCrashFS()
			tt.do(fs)
			got := outcomes(t, fs, 500)
			for _, want := range append(tt.all, tt.some...) {
				require.Contains(t, got, want)
			}
			if tt.all != nil {
				require.Len(t, got, len(tt.all), "%v", got)
			}
		})
	}
}

func TestCrashTearsSectors(t *testing.T) {
	fs := NewCrashFS()
	old, fresh := bytes.Repeat([]byte("o"), 2*sector), bytes.Repeat([]byte("n"), 2*sector)
	put(t, fs, "a", string(old), true)
	syncDir(t, fs, "/")
	f, err := fs.OpenFile("a", os.O_RDWR, 0)
	require.NoError(t, err)
	_, err = f.WriteAt(fresh, 0)
	require.NoError(t, err)
	seen := map[string]bool{}
	for seed := range uint64(400) {
		b, err := afero.ReadFile(fs.CrashAt(fs.Ops(), seed), "a")
		require.NoError(t, err)
		require.Len(t, b, 2*sector)
		switch first, second := string(b[:sector]), string(b[sector:]); {
		case bytes.Equal(b, old):
			seen["none"] = true
		case bytes.Equal(b, fresh):
			seen["all"] = true
		case first == string(old[:sector]) && second == string(fresh[:sector]):
			seen["only the second"] = true
		case strings.Trim(first+second, "on") != "":
			seen["garbled"] = true
		default:
			seen["torn"] = true
		}
	}
	require.Len(t, seen, 5, "%v", seen)
}

func TestStopAt(t *testing.T) {
	power := errors.New("power")
	fs := NewCrashFS()
	put(t, fs, "a", "hello", true) // create, write, sync
	require.Equal(t, 3, fs.Ops())
	fs.StopAt(4, 7, power)
	f, err := fs.OpenFile("a", os.O_RDWR|os.O_APPEND, 0)
	require.NoError(t, err)
	_, err = f.WriteString("1")
	require.NoError(t, err)
	_, err = f.WriteString(strings.Repeat("x", 4*sector))
	require.ErrorIs(t, err, power, "stops in the middle of the write")
	_, err = f.Read(make([]byte, 1))
	require.ErrorIs(t, err, power, "reads stop too")
	require.ErrorIs(t, fs.Mkdir("d", 0o700), power)
	require.ErrorIs(t, f.Close(), power)

	after := fs.Crash(1)
	require.Equal(t, 0, after.Ops())
	for seed := range uint64(200) {
		after := fs.CrashAt(fs.Ops(), seed)
		b, err := afero.ReadFile(after, "a")
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		require.NoError(t, err)
		require.Less(t, len(b), 6+4*sector)
		require.True(t, bytes.HasPrefix(b, []byte("hello")))
	}
}

// TestFailedSyncLosesData checks that after a failed sync the next one succeeds and writes only later data.
func TestFailedSyncLosesData(t *testing.T) {
	crash := NewCrashFS()
	put(t, crash, "a", "old ", true)
	syncDir(t, crash, "/")
	fs := NewFaultFS(crash, Fault{Kind: opSync, N: 1, Errno: syscall.EIO})
	f, err := fs.OpenFile("a", os.O_WRONLY|os.O_APPEND, 0)
	require.NoError(t, err)
	_, err = f.WriteString("lost ")
	require.NoError(t, err)
	require.ErrorIs(t, f.Sync(), syscall.EIO)
	_, err = f.WriteString("kept")
	require.NoError(t, err)
	require.NoError(t, f.Sync())
	b, err := afero.ReadFile(crash, "a")
	require.NoError(t, err)
	require.Equal(t, "old lost kept", string(b), "processes see it until the crash")
	b, err = afero.ReadFile(crash.Crash(3), "a")
	require.NoError(t, err)
	require.Equal(t, "old \x00\x00\x00\x00\x00kept", string(b))
}

// TestCrashKeepsWhatIsSynced is the law. After any other operations and any crash, data that was synced under an entry
// that was synced is there completely, at least as a prefix of later appends. Equal histories and seeds give equal
// crashes.
func TestCrashKeepsWhatIsSynced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fs := NewCrashFS()
		safe := map[string]string{}
		text := map[string]string{}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			name := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "name")
			more := strings.Repeat(rapid.StringN(1, 3, -1).Draw(t, "more"), rapid.IntRange(1, 400).Draw(t, "times"))
			sync := rapid.Bool().Draw(t, "sync")
			put(t, fs, name, more, sync)
			text[name] += more
			if sync {
				syncDir(t, fs, "/")
				safe[name] = text[name]
			}
		}
		seed := rapid.Uint64().Draw(t, "seed")
		after := fs.CrashAt(fs.Ops(), seed)
		for name, want := range safe {
			b, err := afero.ReadFile(after, name)
			require.NoError(t, err)
			require.True(t, strings.HasPrefix(string(b), want))
		}
		again, err := loadCrashFS(fs.Dump())
		require.NoError(t, err)
		require.Equal(t, fs.Trace(), again.Trace())
		require.Equal(t, listing(t, fs), listing(t, again))
		require.Equal(t, listing(t, after), listing(t, again.CrashAt(again.Ops(), seed)))
		half := rand.New(rand.NewPCG(seed, 0)).IntN(fs.Ops() + 1)
		want := listing(t, fs.CrashAt(half, seed))
		require.Equal(t, want, listing(t, fs.CrashAt(half, seed)))
		require.Equal(t, want, listing(t, again.CrashAt(half, seed)))
		loaded, err := loadCrashFS(after.Dump())
		require.NoError(t, err)
		require.Equal(t, 0, loaded.Ops())
		require.Equal(t, listing(t, after), listing(t, loaded))
	})
}

func FuzzLoadCrashFS(f *testing.F) {
	fs := NewCrashFS()
	put(f, fs, "a", "hello", true)
	require.NoError(f, fs.Mkdir("d", 0o700))
	require.NoError(f, fs.Rename("a", "d/b"))
	f.Add(fs.Dump(), 2)
	f.Add("", 0)
	f.Fuzz(func(t *testing.T, dump string, n int) {
		fs, err := loadCrashFS(dump)
		if err != nil {
			return
		}
		_ = fs.Trace()
		_, err = loadCrashFS(fs.CrashAt(n&0xff, 1).Dump())
		require.NoError(t, err)
	})
}
