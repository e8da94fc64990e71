package access

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// listening runs commands on a store until the test ends.
func listening(t *testing.T, run runCommand) (dir string, l io.Closer) {
	t.Helper()
	dir = t.TempDir()
	l, err := Listen(t.Context(), dir, Owner{Version: "1", Command: "serve"}, run)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	return dir, l
}

// ask runs a command in the holder, and returns its result.
func ask(ctx context.Context, t *testing.T, dir, stdin string, args ...string) (code int, out, errs string, err error) {
	t.Helper()
	c, err := Dial(dir)
	require.NoError(t, err)
	defer c.Close()
	var o, e bytes.Buffer
	code, err = c.Run(ctx, commandLine{Args: args, Dir: "."}, strings.NewReader(stdin), &o, &e)
	return code, o.String(), e.String(), err
}

func TestCommandRunsInTheHolder(t *testing.T) {
	long := strings.Repeat("0123456789", 50_000)
	dir, _ := listening(t, func(_ context.Context, e *RemoteCommand) int {
		in, err := io.ReadAll(e.Stdin)
		require.NoError(t, err)
		_, err = io.WriteString(e.Stdout, strings.Join(e.Args, " ")+" "+string(in))
		require.NoError(t, err)
		_, err = io.WriteString(e.Stderr, "a remark")
		require.NoError(t, err)
		return 3
	})
	code, out, errs, err := ask(t.Context(), t, dir, long, "record", "-")
	require.NoError(t, err)
	require.Equal(t, 3, code)
	require.Equal(t, "record - "+long, out)
	require.Equal(t, "a remark", errs)
}

// broken is standard input that fails.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("the disk failed") }

func TestInputThatFails(t *testing.T) {
	dir, _ := listening(t, func(_ context.Context, e *RemoteCommand) int {
		require.True(t, e.SameFiles)
		_, err := io.ReadAll(e.Stdin)
		require.EqualError(t, err, "the disk failed")
		return 0
	})
	c, err := Dial(dir)
	require.NoError(t, err)
	defer c.Close()
	_, err = c.Run(t.Context(), commandLine{Dir: "."}, broken{}, io.Discard, io.Discard)
	require.NoError(t, err)
}

// TestOtherFiles: a folder with the same name but other content, as in a container, is detected.
func TestOtherFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no numbers there")
	}
	dir, _ := listening(t, func(_ context.Context, e *RemoteCommand) int {
		require.False(t, e.SameFiles)
		return 0
	})
	c, err := Dial(dir)
	require.NoError(t, err)
	defer c.Close()
	require.NoError(t, c.tell(commandLine{Dir: dir, DirID: [2]uint64{1, 2}}))
	var m fromHolder
	require.NoError(t, c.wire.Decode(&m))
	require.True(t, m.Ended)
}

func TestInterrupt(t *testing.T) {
	begun := make(chan struct{})
	dir, _ := listening(t, func(ctx context.Context, e *RemoteCommand) int {
		close(begun)
		<-ctx.Done()
		_, _ = io.WriteString(e.Stderr, "interrupted")
		return 1
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-begun; cancel() }()
	code, _, errs, err := ask(ctx, t, dir, "")
	require.NoError(t, err)
	require.Equal(t, 1, code)
	require.Equal(t, "interrupted", errs, "what it still says is heard")
}

// TestClientThatIsGone: a command is interrupted when its client is gone.
func TestClientThatIsGone(t *testing.T) {
	begun, ended := make(chan struct{}), make(chan struct{})
	dir, _ := listening(t, func(ctx context.Context, e *RemoteCommand) int {
		close(begun)
		_, err := io.ReadAll(e.Stdin)
		require.ErrorIs(t, err, errEnded)
		<-ctx.Done()
		_, err = e.Stdout.Write([]byte("x"))
		_ = err // the system may not know yet
		close(ended)
		return 1
	})
	c, err := Dial(dir)
	require.NoError(t, err)
	require.NoError(t, c.tell(commandLine{}))
	<-begun
	require.NoError(t, c.Close())
	<-ended
}

func TestPanicStaysInTheCommand(t *testing.T) {
	dir, _ := listening(t, func(context.Context, *RemoteCommand) int { panic("oops") })
	for range 2 {
		code, _, errs, err := ask(t.Context(), t, dir, "")
		require.NoError(t, err)
		require.Equal(t, 1, code)
		require.Contains(t, errs, "the command failed inside")
	}
}

// TestCloseWaits: a running command ends by itself, an endless one is cancelled, and then no process answers.
func TestCloseWaits(t *testing.T) {
	begun := make(chan struct{})
	dir, l := listening(t, func(_ context.Context, e *RemoteCommand) int {
		close(begun)
		<-e.Ending
		_, _ = io.WriteString(e.Stdout, "done")
		return 0
	})
	go func() { <-begun; _ = l.Close() }()
	code, out, _, err := ask(t.Context(), t, dir, "")
	require.NoError(t, err)
	require.Zero(t, code)
	require.Equal(t, "done", out)
	require.NoError(t, l.Close())
	_, err = Dial(dir)
	require.ErrorIs(t, err, errNobody)
	require.NoDirExists(t, filepath.Join(dir, folderName))
}

// TestManyAtOnce: commands of several processes run concurrently.
func TestManyAtOnce(t *testing.T) {
	const n = 20
	all := make(chan struct{}, n)
	dir, _ := listening(t, func(ctx context.Context, _ *RemoteCommand) int {
		all <- struct{}{}
		for len(all) < n && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		return 7
	})
	codes := make(chan int, n)
	for range n {
		go func() {
			code, _, _, _ := ask(t.Context(), t, dir, "")
			codes <- code
		}()
	}
	for range n {
		require.Equal(t, 7, <-codes)
	}
}

func TestNobodyThere(t *testing.T) {
	dir := t.TempDir()
	_, err := Dial(dir)
	require.ErrorIs(t, err, errNobody)
	_, err = Dial(filepath.Join(dir, "nowhere"))
	require.ErrorIs(t, err, errNobody)
	require.NoError(t, os.Mkdir(filepath.Join(dir, folderName), 0o700))
	_, err = Dial(dir)
	require.ErrorIs(t, err, errNobody)
}

// TestStale: the socket of a killed process obstructs neither commands nor the next process.
func TestStale(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, folderName), 0o700))
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, folderName, socketName), Net: "unix"})
	require.NoError(t, err)
	l.SetUnlinkOnClose(false)
	require.NoError(t, l.Close())
	_, err = Dial(dir)
	require.ErrorIs(t, err, errNobody)
	next, err := Listen(t.Context(), dir, Owner{}, func(context.Context, *RemoteCommand) int { return 0 })
	require.NoError(t, err)
	_, _, _, err = ask(t.Context(), t, dir, "")
	require.NoError(t, err)
	require.NoError(t, next.Close())
}

func TestUntrusted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a folder has no such bits there")
	}
	dir, _ := listening(t, func(context.Context, *RemoteCommand) int { return 0 })
	folder := filepath.Join(dir, folderName)
	for _, mode := range []fs.FileMode{0o755, 0o750, 0o701, 0o770} {
		require.NoError(t, os.Chmod(folder, mode))
		_, err := Dial(dir)
		require.ErrorIs(t, err, errUntrusted, mode)
	}
	require.NoError(t, os.Chmod(folder, 0o700)) //nolint:gosec // a folder
	require.NoError(t, os.Rename(folder, folder+"2"))
	require.NoError(t, os.Symlink(folder+"2", folder))
	_, err := Dial(dir)
	require.ErrorIs(t, err, errUntrusted, "a link may lead anywhere")
	require.NoError(t, os.Remove(folder))
	require.NoError(t, os.Rename(folder+"2", folder))
	if os.Geteuid() == 0 {
		require.NoError(t, os.Chown(folder, 12345, 0))
		_, err = Dial(dir)
		require.ErrorIs(t, err, errUntrusted)
	}
}

// TestLongPath: if the path is too long for a socket, both sides use a symbolic link, which is removed.
func TestLongPath(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a link takes a right there that not everybody has")
	}
	dir := filepath.Join(t.TempDir(), strings.Repeat("x", 80), strings.Repeat("y", 80))
	t.Setenv("TMPDIR", t.TempDir())
	require.NoError(t, os.MkdirAll(dir, 0o700))
	l, err := Listen(t.Context(), dir, Owner{}, func(context.Context, *RemoteCommand) int { return 5 })
	require.NoError(t, err)
	code, _, _, err := ask(t.Context(), t, dir, "")
	require.NoError(t, err)
	require.Equal(t, 5, code)
	require.NoError(t, l.Close())
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "*"))
	require.NoError(t, err)
	require.Empty(t, left)
	require.NoDirExists(t, filepath.Join(dir, folderName))
}

// odd listens at a store like another program.
func odd(t *testing.T, do func(c net.Conn)) (dir string) {
	t.Helper()
	dir = t.TempDir()
	p, err := makeSocket(dir)
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := p.l.Accept()
			if err != nil {
				return
			}
			do(c)
			_ = c.Close()
		}
	}()
	t.Cleanup(func() {
		_ = p.remove()
		<-done
	})
	return dir
}

func TestOtherProgramsThere(t *testing.T) {
	hello := func(about Owner) func(net.Conn) {
		return func(c net.Conn) { _ = newWire(c).Encode(about) }
	}
	_, err := Dial(odd(t, func(net.Conn) {}))
	require.ErrorIs(t, err, errNobody, "it was ending")
	_, err = Dial(odd(t, func(c net.Conn) { _, _ = c.Write([]byte("HTTP/1.1 400 Bad Request\r\n")) }))
	require.ErrorIs(t, err, errNobody)
	c, err := Dial(odd(t, hello(Owner{Protocol: protocol + 1, Version: "2"})))
	require.ErrorIs(t, err, errProtocol)
	require.Equal(t, "2", c.About.Version)
	_, _, _, err = ask(t.Context(), t, odd(t, func(c net.Conn) {
		w := newWire(c)
		_ = w.Encode(Owner{Protocol: protocol})
		_ = w.Decode(&commandLine{})
	}), "")
	require.ErrorIs(t, err, errEnded, "as after kill -9")
	_, err = Dial(odd(t, func(net.Conn) { time.Sleep(helloWithin + helloWithin/4) }))
	require.ErrorIs(t, err, errSilent)
}
