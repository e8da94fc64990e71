package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// service is a running memtree serve.
type service struct {
	t    *testing.T
	url  string
	cmd  *exec.Cmd
	rest chan string // its standard error, once it has ended
}

// serving starts the program as a service.
func serving(t *testing.T, args ...string) *service {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	c.Env = append(os.Environ(), asMemtree+"=1", "LANG=en_US.UTF-8")
	errs, err := c.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	s := &service{t: t, cmd: c, rest: make(chan string, 1)}
	lines, said := bufio.NewReader(errs), ""
	for s.url == "" {
		line, err := lines.ReadString('\n')
		said += line
		require.NoError(t, err, "it ended: %s", said)
		s.url = regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(line)
	}
	go func() {
		b, _ := io.ReadAll(lines)
		s.rest <- said + string(b)
	}()
	return s
}

// end stops the service with a signal and returns its standard error.
func (s *service) end(by os.Signal) string {
	s.t.Helper()
	require.NoError(s.t, s.cmd.Process.Signal(by))
	said := <-s.rest
	require.NoError(s.t, s.cmd.Wait(), said)
	return said
}

func (s *service) ask(method, path, token, body string) (int, string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body))
	require.NoError(s.t, err)
	q.Header.Set("Authorization", "Bearer "+token)
	q.Header.Set("Content-Type", "application/json")
	a, err := http.DefaultClient.Do(q)
	require.NoError(s.t, err)
	defer a.Body.Close()
	b, err := io.ReadAll(a.Body)
	require.NoError(s.t, err)
	return a.StatusCode, string(b)
}

const wrongRun = `[{"id":"r1","case_id":"cart","prompt":"Check that the cart total is the sum of the prices",` +
	`"judgment":"pass","ground_truth":"fail","reason":"The agent did not add up the prices."}]`

// TestServe: tokens are added and removed while it runs, and acknowledged runs are stored after it ended.
func TestServe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it is ended by a signal")
	}
	defer http.DefaultClient.CloseIdleConnections()
	store := filepath.Join(t.TempDir(), "store")
	code, _, errs := try(t, "", "init", "--store", store)
	require.Zero(t, code, errs)
	s := serving(t, "--store", store)
	const record = "/v1/trees/default/evaluations"
	status, _ := s.ask("POST", record, "", wrongRun)
	require.Equal(t, http.StatusUnauthorized, status)

	code, out, errs := try(t, "", "token", "add", "--name", "ci", "--scope", "write", "--store", store)
	require.Zero(t, code, errs)
	tok := strings.TrimSpace(out)
	status, body := s.ask("POST", record, tok, wrongRun)
	require.Equal(t, http.StatusAccepted, status, body)
	code, _, errs = try(t, "", "token", "revoke", "ci", "--store", store)
	require.Zero(t, code, errs)
	status, _ = s.ask("POST", record, tok, wrongRun)
	require.Equal(t, http.StatusUnauthorized, status, "a revoked token holds no longer")

	said := s.end(syscall.SIGTERM)
	require.Contains(t, said, "There is no token, so nobody is let in. Make one: memtree token add")
	require.Contains(t, said, `"token":"ci","route":"record"`)
	require.Contains(t, said, "Stopped; what was acknowledged is kept.")
	require.NotContains(t, said, tok)
	code, out, errs = try(t, "", "stats", "--store", store, "--json")
	require.Zero(t, code, errs)
	var v struct{ Evaluations int }
	require.NoError(t, json.Unmarshal([]byte(out), &v))
	require.Equal(t, 1, v.Evaluations)
}

// TestServeReadOnly: a service that only reads does not announce that everyone may change its trees.
func TestServeReadOnly(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it is ended by a signal")
	}
	defer http.DefaultClient.CloseIdleConnections()
	store := filepath.Join(t.TempDir(), "store")
	code, _, errs := try(t, "", "init", "--store", store)
	require.Zero(t, code, errs)
	said := serving(t, "--store", store, "--insecure-loopback", "--read-only").end(syscall.SIGTERM)
	require.Contains(t, said, "may read the trees, and nobody may change them")
	require.NotContains(t, said, "read and change")
}

// TestServeDamaged: a damaged store is still readable, and the service reports the damage.
func TestServeDamaged(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it is ended by a signal")
	}
	defer http.DefaultClient.CloseIdleConnections()
	store := filepath.Join(t.TempDir(), "store")
	code, _, errs := try(t, "", "init", "--store", store)
	require.Zero(t, code, errs)
	code, _, errs = try(t, wrongRun, "record", "-", "--store", store)
	require.Zero(t, code, errs)
	journal := filepath.Join(store, "journal.000001.jsonl")
	b, err := os.ReadFile(journal)
	require.NoError(t, err)
	b[len(b)/2] ^= 1
	require.NoError(t, os.WriteFile(journal, b, 0o600))

	s := serving(t, "--store", store, "--insecure-loopback", "--log-format", "text")
	status, body := s.ask("GET", "/readyz", "", "")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, "1 of 1 trees are damaged and only read")
	status, body = s.ask("POST", "/v1/trees/default/guidance", "", `{"prompt":"Check the total"}`)
	require.Equal(t, http.StatusOK, status, "reading goes on: %s", body)
	status, body = s.ask("POST", "/v1/trees/default/evaluations", "", wrongRun)
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.Contains(t, body, "memtree fsck")
	said := s.end(os.Interrupt)
	require.Contains(t, said, "is damaged at byte")
	require.Contains(t, said, "route=record")
}

// TestProbe: the health check distinguishes a running service from a stopped one, for every listen address.
func TestProbe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it is ended by a signal")
	}
	store := filepath.Join(t.TempDir(), "store")
	code, _, errs := try(t, "", "init", "--store", store)
	require.Zero(t, code, errs)
	s := serving(t, "--store", store, "--insecure-loopback")
	port := s.url[strings.LastIndex(s.url, ":"):]
	for _, at := range []string{"127.0.0.1" + port, "0.0.0.0" + port, port} {
		code, out, errs := try(t, "", "serve", "--probe", "--listen", at)
		require.Zero(t, code, errs)
		require.Contains(t, out, "is ready")
	}
	s.end(os.Interrupt)
	code, _, errs = try(t, "", "serve", "--probe", "--listen", "127.0.0.1"+port)
	require.Equal(t, 1, code)
	require.Contains(t, errs, "no service answers at 127.0.0.1"+port)
	code, _, _ = try(t, "", "serve", "--probe", "--listen", "here")
	require.Equal(t, 2, code)
}
