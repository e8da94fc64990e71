//go:build unix

package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Postgres is a PostgreSQL server that this process started. It accepts the user "postgres" without a password.
type Postgres struct {
	Port   int // on 127.0.0.1
	bin    string
	dir    string
	as     *syscall.Credential // nil: this user
	settle []string
	cmd    *exec.Cmd
	ended  chan struct{}
}

// Start starts a server with settings such as "fsync=off", and removes it at the end of the test. If no PostgreSQL is
// installed, it skips the test.
func Start(tb testing.TB, settings ...string) *Postgres {
	tb.Helper()
	s, err := start(settings)
	if errors.Is(err, errNone) {
		tb.Skipf("THE SHARED STORE IS NOT TESTED: %v", err)
	}
	if err != nil {
		tb.Fatalf("start PostgreSQL: %v", err)
	}
	tb.Cleanup(func() { _ = s.Remove() })
	return s
}

// Shared returns one server for all tests of the process; it does not sync to disk. If no PostgreSQL is installed, it
// skips the test. Main removes the server.
func Shared(tb testing.TB) *Postgres {
	tb.Helper()
	s, err := shared()
	if errors.Is(err, errNone) {
		tb.Skipf("THE SHARED STORE IS NOT TESTED: %v", err)
	}
	if err != nil {
		tb.Fatalf("start PostgreSQL: %v", err)
	}
	return s
}

var (
	started atomic.Bool
	shared  = sync.OnceValues(func() (*Postgres, error) {
		started.Store(true)
		return start([]string{"fsync=off", "synchronous_commit=off"})
	})
)

// Main runs the tests of a package that uses Shared, removes the shared server, and returns the exit code.
func Main(m *testing.M) int {
	code := m.Run()
	if started.Load() {
		if s, err := shared(); err == nil {
			_ = s.Remove() // what is left is in the folder for temporary files
		}
	}
	return code
}

var errNone = errors.New("there is no PostgreSQL 15 or newer on this machine; apt-get install postgresql")

// find returns the folder of the newest server's programs.
func find() (string, error) {
	if path, err := exec.LookPath("postgres"); err == nil {
		return filepath.Dir(path), nil
	}
	all, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres") // the pattern is valid
	best, folder := 0, ""
	for _, path := range all {
		v, err := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
		if err == nil && v > best {
			best, folder = v, filepath.Dir(path)
		}
	}
	if best < 15 {
		return "", errNone
	}
	return folder, nil
}

func start(settings []string) (*Postgres, error) {
	bin, err := find()
	if err != nil {
		return nil, err
	}
	s := &Postgres{bin: bin, settle: settings}
	if s.dir, err = os.MkdirTemp("", "memtree-postgres-"); err != nil {
		return nil, err
	}
	if err := s.unprivileged(); err != nil {
		return nil, errors.Join(err, s.Remove())
	}
	out, err := s.command("initdb", "-D", s.data(), "-U", "postgres", "-A", "trust", "-N", "-E", "UTF8",
		"--locale=C").CombinedOutput()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("initdb: %w: %s", err, out), s.Remove())
	}
	if s.Port, err = freePort(); err == nil {
		err = s.Run()
	}
	if err != nil {
		return nil, errors.Join(err, s.Remove())
	}
	return s, nil
}

// unprivileged chooses another user if this one is root, and lets that user into the folder.
func (s *Postgres) unprivileged() error {
	if os.Geteuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, _ := strconv.ParseUint(u.Uid, 10, 32)
		gid, _ := strconv.ParseUint(u.Gid, 10, 32)
		s.as = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		for at := filepath.Dir(s.dir); len(at) > 1; at = filepath.Dir(at) {
			if info, err := os.Stat(at); err == nil && info.Mode().Perm()&1 == 0 && strings.Contains(at, "tmp") {
				_ = os.Chmod(at, info.Mode().Perm()|0o711) // else the next step reports it
			}
		}
		return os.Chown(s.dir, int(uid), int(gid)) //nolint:gosec // user ids
	}
	return errors.New("there is neither a user postgres nor nobody to run the server as")
}

func (s *Postgres) data() string { return filepath.Join(s.dir, "data") }

func (s *Postgres) command(name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(context.Background(), filepath.Join(s.bin, name), args...) //nolint:gosec // the server's own
	c.Dir = s.dir
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "HOME=" + s.dir}
	c.SysProcAttr = &syscall.SysProcAttr{Credential: s.as, Setpgid: true}
	return c
}

// InOneDay waits for the next day in UTC if the present one ends within a minute. It is for a test that counts by day.
func InOneDay(tb testing.TB) {
	tb.Helper()
	if left := 24*time.Hour - time.Duration(time.Now().Unix()%86400)*time.Second; left <= time.Minute {
		tb.Logf("the day ends in %s: the test waits for the next one", left)
		time.Sleep(left)
	}
}

func freePort() (int, error) {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close() //nolint:errcheck // it was only asked for its port
	return l.Addr().(*net.TCPAddr).Port, nil
}

// Run starts the server again after Kill or Stop, and waits until it answers.
func (s *Postgres) Run() error {
	args := []string{"-D", s.data(), "-p", strconv.Itoa(s.Port), "-k", s.dir, "-h", "127.0.0.1",
		"-c", "max_connections=200", "-c", "shared_buffers=64MB", "-c", "max_wal_size=512MB"}
	for _, x := range s.settle {
		args = append(args, "-c", x)
	}
	c := s.command("postgres", args...)
	log, err := os.OpenFile(s.dir+"/log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close() //nolint:errcheck // the server has its own handle
	c.Stdout, c.Stderr = log, log
	if err := c.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	s.cmd, s.ended = c, ended
	go func() {
		_ = c.Wait() // its log has the reason
		close(ended)
	}()
	for range 600 {
		if conn, err := pgx.Connect(context.Background(), s.URL("postgres")); err == nil {
			return conn.Close(context.Background())
		}
		select {
		case <-s.ended:
			text, _ := os.ReadFile(s.dir + "/log")
			return fmt.Errorf("it ended: %s", text)
		case <-time.After(50 * time.Millisecond):
		}
	}
	return errors.New("it does not answer after 30 seconds")
}

// URL returns the URL of a database of the server.
func (s *Postgres) URL(database string) string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/%s?sslmode=disable", s.Port, database)
}

// Kill ends all processes of the server with SIGKILL, so that it does not shut down cleanly.
func (s *Postgres) Kill() {
	workers := s.signal(syscall.SIGKILL)
	<-s.ended
	time.Sleep(50 * time.Millisecond) // those that it has started meanwhile
	// They hold its shared memory.
	for begun := time.Now(); len(workers) > 0 && time.Since(begun) < 10*time.Second; {
		if syscall.Kill(workers[0], 0) != nil {
			workers = workers[1:]
			continue
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// Stop shuts the server down cleanly and waits until it has ended.
func (s *Postgres) Stop() {
	_ = s.cmd.Process.Signal(syscall.SIGINT)
	<-s.ended
}

// Pause stops the server's processes with SIGSTOP until Resume, so that it does not answer.
func (s *Postgres) Pause() { s.signal(syscall.SIGSTOP) }

// Resume lets the server's processes continue.
func (s *Postgres) Resume() { s.signal(syscall.SIGCONT) }

// signal sends a signal to the server and its workers, which it returns: each worker leads a group of its own.
func (s *Postgres) signal(sig syscall.Signal) (workers []int) {
	main := s.cmd.Process.Pid
	all, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", main, main))
	_ = syscall.Kill(main, sig)
	for f := range strings.FieldsSeq(string(all)) {
		if pid, err := strconv.Atoi(f); err == nil {
			_ = syscall.Kill(pid, sig)
			workers = append(workers, pid)
		}
	}
	return workers
}

// Remove stops the server and removes its folder.
func (s *Postgres) Remove() error {
	if s.cmd != nil {
		s.Resume()
		_ = s.cmd.Process.Signal(syscall.SIGQUIT)
		select {
		case <-s.ended:
		case <-time.After(5 * time.Second):
			s.signal(syscall.SIGKILL)
		}
	}
	return os.RemoveAll(s.dir)
}

// Bin returns the folder of the server's programs, such as pg_dump.
func (s *Postgres) Bin() string { return s.bin }

// Exec runs SQL statements in a database. If one fails, the test fails.
func (s *Postgres) Exec(tb testing.TB, database string, statements ...string) {
	tb.Helper()
	conn, err := pgx.Connect(tb.Context(), s.URL(database))
	if err != nil {
		tb.Fatalf("connect: %v", err)
	}
	defer conn.Close(context.Background()) //nolint:errcheck // the test has ended
	for _, sql := range statements {
		if _, err := conn.Exec(tb.Context(), sql); err != nil {
			tb.Fatalf("%s: %v", sql, err)
		}
	}
}

// WithVectors skips the test if the server lacks the PostgreSQL extension vector.
func (s *Postgres) WithVectors(tb testing.TB) {
	tb.Helper()
	conn, err := pgx.Connect(tb.Context(), s.URL("postgres"))
	if err != nil {
		tb.Fatalf("connect: %v", err)
	}
	defer conn.Close(context.Background()) //nolint:errcheck // the test goes on without it
	var there bool
	err = conn.QueryRow(tb.Context(), `SELECT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector')`).
		Scan(&there)
	if err != nil {
		tb.Fatalf("look for the extension vector: %v", err)
	}
	if !there {
		tb.Skipf("VECTORS BY SQL ARE NOT TESTED: the server of %s has no pgvector; install it there, "+
			"or put the folder of a server that has it first into PATH", s.bin)
	}
}
