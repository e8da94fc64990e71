//go:build unix

package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/cli/access"
	"github.com/memtree/memtree/store/postgres/pgtest"
)

const sharedRun = `[{"id":"%s","prompt":"Check the order total","judgment":"pass","ground_truth":"fail",` +
	`"case_id":"%[1]s",` +
	`"scene":{"type":"form","route":"/orders/42"},"at":"2026-01-28T09:00:00Z","note":"The agent did not add up the cart"}]`

// TestServeShared: two services on one database. What one records, the other warns of. Without the database both
// answer from memory and accept; after that every run is there once, also those of a service that was killed.
func TestServeShared(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	folders := []string{t.TempDir(), t.TempDir()}
	start := func(i int) *service {
		t.Setenv(access.LocalVariable, folders[i])
		return serving(t, "--store", server.URL("postgres"), "--insecure-loopback")
	}
	one, other := start(0), start(1)
	record := func(s *service, id string) string {
		status, body := s.ask("POST", "/v1/trees/default/evaluations", "", fmt.Sprintf(sharedRun, id))
		require.Equal(t, http.StatusAccepted, status, body)
		return body
	}
	warns := func(s *service) bool {
		status, body := s.ask("POST", "/v1/trees/default/guidance", "", `{"prompt":"Check the order total"}`)
		require.Equal(t, http.StatusOK, status, body)
		return strings.Contains(body, "Add up")
	}
	ready := func(s *service) string {
		status, body := s.ask("GET", "/readyz", "", "")
		require.Equal(t, http.StatusOK, status)
		return body
	}
	require.NotContains(t, record(one, "a1"), `"stored"`)
	require.Eventually(t, func() bool { return warns(other) }, 5*time.Second, 10*time.Millisecond)
	asOf := head(t, other).Get("Memtree-As-Of")
	at, err := time.Parse(time.RFC3339Nano, asOf)
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), at, time.Minute)

	server.Kill()
	require.Eventually(t, func() bool { return strings.Contains(ready(other), "from memory") }, 10*time.Second,
		20*time.Millisecond)
	require.True(t, warns(one))
	require.True(t, warns(other))
	require.Contains(t, record(one, "a2"), `"stored":"here"`)
	require.Contains(t, record(other, "a3"), `"stored":"here"`)
	require.Contains(t, ready(other), "1 runs are on this server alone")
	status, body := other.ask("POST", "/v1/trees/default/facts", "",
		`{"statement":"A seat is held for 15 minutes.","kind":"rule","product":"shop"}`)
	require.Equal(t, http.StatusServiceUnavailable, status, body)
	require.Contains(t, body, "database-away")
	require.NoError(t, other.cmd.Process.Kill()) // with a3 in its journal
	<-other.rest
	_ = other.cmd.Wait()
	require.NoError(t, server.Run())
	other = start(1)
	require.Eventually(t, func() bool {
		_, body := one.ask("GET", "/v1/trees/default", "", "")
		return strings.Contains(ready(one)+ready(other), `"ok"`) && strings.Contains(body, `"evaluations":3`) &&
			strings.Contains(body, `"outbox":0`)
	}, 40*time.Second, 50*time.Millisecond)
	require.NotContains(t, record(one, "a2")+record(one, "a3"), `"accepted":1`, "they are there")
	said := one.end(syscall.SIGTERM)
	require.Contains(t, said, "what was acknowledged is kept")
	require.Equal(t, 1, strings.Count(said, "the database is away"), "the log has that once: %s", said)
	require.NotContains(t, said, "forming stopped")
	other.end(syscall.SIGTERM)
}

// head returns the head of an answer about the tree.
func head(t *testing.T, s *service) http.Header {
	t.Helper()
	q, err := http.NewRequestWithContext(context.Background(), http.MethodGet, s.url+"/v1/trees/default", nil)
	require.NoError(t, err)
	a, err := http.DefaultClient.Do(q)
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, a.Body)
	require.NoError(t, err)
	require.NoError(t, a.Body.Close())
	return a.Header
}

// TestServeRefused: a database that answers and does not take what is written costs no run: each is in the journal of
// the service until the database takes it, the answers go on, and /readyz has the cause.
func TestServeRefused(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	server.Exec(t, "postgres", "CREATE ROLE service LOGIN", "CREATE DATABASE shop OWNER service")
	t.Setenv(access.LocalVariable, t.TempDir())
	url := strings.Replace(server.URL("shop"), "postgres@", "service@", 1)
	s := serving(t, "--store", url, "--insecure-loopback")
	runs := 0
	record := func() string {
		runs++
		status, body := s.ask("POST", "/v1/trees/default/evaluations", "", fmt.Sprintf(sharedRun, fmt.Sprint("a", runs)))
		require.Equal(t, http.StatusAccepted, status, body)
		return body
	}
	ready := func() string {
		_, body := s.ask("GET", "/readyz", "", "")
		return body
	}
	require.NotContains(t, record(), `"stored"`)
	end := "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'service'"
	for _, c := range []struct {
		refuse, allow []string
		want          string
	}{
		{[]string{"ALTER DATABASE shop SET default_transaction_read_only = on", end},
			[]string{"ALTER DATABASE shop RESET default_transaction_read_only", end}, "only lets read"},
		{[]string{"ALTER DATABASE shop OWNER TO postgres", "ALTER ROLE service NOLOGIN", end},
			[]string{"ALTER ROLE service LOGIN", "ALTER DATABASE shop OWNER TO service"}, "does not let the service in"},
		{[]string{end, "ALTER DATABASE shop RENAME TO aside"}, []string{"ALTER DATABASE aside RENAME TO shop"},
			"is not there under its name"},
	} {
		server.Exec(t, "postgres", c.refuse...)
		require.Eventually(t, func() bool { return strings.Contains(record(), `"stored":"here"`) }, 10*time.Second,
			50*time.Millisecond, c.want)
		require.Eventually(t, func() bool { return strings.Contains(ready(), c.want) }, 10*time.Second,
			20*time.Millisecond, ready())
		require.Contains(t, ready(), "runs are on this server alone")
		require.Eventually(t, func() bool { // at first it may be away: its connections were ended
			status, body := s.ask("POST", "/v1/trees/default/facts", "",
				`{"statement":"A seat is held for 15 minutes.","kind":"rule","product":"shop"}`)
			return status == http.StatusServiceUnavailable && strings.Contains(body, c.want)
		}, 30*time.Second, 20*time.Millisecond, c.want)
		server.Exec(t, "postgres", c.allow...)
		require.Eventually(t, func() bool { return strings.Contains(ready(), `"ok"`) }, 20*time.Second,
			50*time.Millisecond, ready())
	}
	revoked := "ALL TABLES IN SCHEMA memtree "
	server.Exec(t, "shop", "REASSIGN OWNED BY service TO postgres", "GRANT USAGE ON SCHEMA memtree TO service",
		"GRANT SELECT ON "+revoked+"TO service")
	require.Contains(t, record(), `"stored":"here"`)
	require.Contains(t, ready(), "does not permit what the service needs")
	server.Exec(t, "shop", "GRANT ALL ON "+revoked+"TO service", "GRANT ALL ON ALL SEQUENCES IN SCHEMA memtree TO service")
	require.Eventually(t, func() bool { return strings.Contains(ready(), `"ok"`) }, 20*time.Second,
		50*time.Millisecond, ready())
	server.Exec(t, "shop", "UPDATE memtree.needs SET schema = 99")
	require.Eventually(t, func() bool { return strings.Contains(record(), `"stored":"here"`) }, 10*time.Second,
		50*time.Millisecond)
	require.Contains(t, ready(), "needs a memtree that knows schema 99")
	require.Eventually(t, func() bool {
		_, body := s.ask("POST", "/v1/trees/default/facts", "",
			`{"statement":"A seat is held for 15 minutes.","kind":"rule","product":"shop"}`)
		return strings.Contains(body, "needs a memtree that knows schema 99")
	}, 5*time.Second, 50*time.Millisecond)
	said := s.end(syscall.SIGTERM)
	require.LessOrEqual(t, strings.Count(said, "forming stopped"), 5, "once for each cause: %s", said)
	server.Exec(t, "shop", "UPDATE memtree.needs SET schema = 5")
	s = serving(t, "--store", url, "--insecure-loopback")
	require.Eventually(t, func() bool {
		_, body := s.ask("GET", "/v1/trees/default", "", "")
		return strings.Contains(body, fmt.Sprintf(`"evaluations":%d`, runs)) && strings.Contains(body, `"outbox":0`)
	}, 40*time.Second, 50*time.Millisecond, "every run is there once")
	s.end(syscall.SIGTERM)
}

// TestServeDeleted: of a tree that was deleted from the database a service answers nothing any more, and names why.
func TestServeDeleted(t *testing.T) {
	database := pgtest.Start(t, "fsync=off")
	t.Setenv(access.LocalVariable, t.TempDir())
	s := serving(t, "--store", database.URL("postgres")+"&tenant=doomed", "--insecure-loopback")
	status, body := s.ask("POST", "/v1/trees/default/evaluations", "", fmt.Sprintf(sharedRun, "a1"))
	require.Equal(t, http.StatusAccepted, status, body)
	require.Eventually(t, func() bool {
		_, body = s.ask("POST", "/v1/trees/default/guidance", "", `{"prompt":"Check the order total"}`)
		return strings.Contains(body, "Add up")
	}, 10*time.Second, 50*time.Millisecond)
	database.Exec(t, "postgres", "DELETE FROM memtree.tree WHERE tenant = 'doomed'")
	for path, q := range map[string]string{
		"evaluations": fmt.Sprintf(sharedRun, "a2"), "guidance": `{"prompt":"Check the order total"}`, "stats": "",
		"briefs": "", "inbox": "", "jobs": "", "nodes": "", "review": "", "facts": "",
	} {
		require.Eventually(t, func() bool {
			method := "POST"
			if q == "" {
				method = "GET"
			}
			status, body = s.ask(method, "/v1/trees/default/"+path, "", q)
			return status == http.StatusGone
		}, 5*time.Second, 50*time.Millisecond, path)
		require.Contains(t, body, "deleted from its database", path)
	}
	_, body = s.ask("GET", "/readyz", "", "")
	require.Contains(t, body, "1 of 1 trees were deleted from their database")
	s.end(syscall.SIGTERM)
}

// TestServeDeletedBetween: what a service has accepted for a tree that was deleted meanwhile is not sent to the new
// tree that has its name.
func TestServeDeletedBetween(t *testing.T) {
	database, local := pgtest.Start(t, "fsync=off"), t.TempDir()
	t.Setenv(access.LocalVariable, local)
	url := database.URL("postgres") + "&tenant=doomed"
	record := func(s *service, id string) string {
		status, body := s.ask("POST", "/v1/trees/default/evaluations", "", fmt.Sprintf(sharedRun, id))
		require.Equal(t, http.StatusAccepted, status, body)
		return body
	}
	s := serving(t, "--store", url, "--insecure-loopback")
	record(s, "a1")
	database.Stop()
	require.Eventually(t, func() bool { return strings.Contains(record(s, "a2"), `"stored":"here"`) }, 10*time.Second,
		50*time.Millisecond)
	s.end(syscall.SIGTERM)
	require.NoError(t, database.Run())
	database.Exec(t, "postgres", "DELETE FROM memtree.tree WHERE tenant = 'doomed'")
	s = serving(t, "--store", url, "--insecure-loopback")
	require.NotContains(t, record(s, "a2"), `"stored"`, "it is new in the new tree")
	_, body := s.ask("GET", "/readyz", "", "")
	require.Contains(t, body, `"ok"`)
	_, body = s.ask("GET", "/v1/trees/default", "", "")
	require.Contains(t, body, `"evaluations":1`)
	said := s.end(syscall.SIGTERM)
	require.Contains(t, said, "is a new tree; if another one was meant")
	require.Contains(t, said, "1 runs in "+local)
	require.Contains(t, said, "they are not sent")
}

// TestServeClock: a clock that is far from that of the database is a line at the start, and a problem of /readyz.
func TestServeClock(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	server.Exec(t, "postgres", "CREATE SCHEMA other",
		"CREATE FUNCTION other.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS "+
			"$$ SELECT pg_catalog.clock_timestamp() - interval '1 hour' $$",
		"ALTER DATABASE postgres SET search_path = other, pg_catalog")
	t.Setenv(access.LocalVariable, t.TempDir())
	s := serving(t, "--store", server.URL("postgres"), "--insecure-loopback")
	_, body := s.ask("GET", "/readyz", "", "")
	require.Regexp(t, `the clock of this server is (1h0m\d+s|59m5\ds) ahead of that of the database`, body)
	require.Equal(t, 1, strings.Count(s.end(syscall.SIGTERM), "the clock of this machine is not that of the database"))
}
