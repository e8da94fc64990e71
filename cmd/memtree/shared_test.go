//go:build unix

package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/cli/access"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/store/postgres/pgtest"
)

const sharedRuns = `{"prompt":"Check the order total","judgment":"pass","ground_truth":"fail",` +
	`"case_id":"t1","run_id":"r1",` +
	`"scene":{"type":"form","route":"/orders/42"},"at":"2026-01-28T09:00:00Z","note":"The agent did not add up the cart"}
{"prompt":"Check the login","judgment":"pass","ground_truth":"pass","case_id":"t3","run_id":"r3",` +
	`"at":"2026-01-28T09:00:00Z"}
`

// tryShared runs a command with a store in a database, and with a local folder of its own.
func tryShared(t *testing.T, env map[string]string, args ...string) (code int, out, errs string) {
	t.Helper()
	return tryWith(t, env, sharedRuns, args...)
}

// tryWith runs a command with an environment and an input.
func tryWith(t *testing.T, env map[string]string, stdin string, args ...string) (code int, out, errs string) {
	t.Helper()
	var screen, said bytes.Buffer
	code = run(t.Context(), say.Process{
		Args: args, Stdin: strings.NewReader(stdin), Stdout: &screen, Stderr: &said,
		Getenv: func(name string) string { return env[name] },
	})
	return code, screen.String(), said.String()
}

// TestSharedStore: every command takes the URL of a database; two machines work on one tree, and nothing shows the
// password.
func TestSharedStore(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	url := strings.Replace(server.URL("postgres"), "postgres@", "postgres:s3cret@", 1)
	for i, c := range []struct {
		line string
		code int
		want string
	}{
		{"guide --prompt x", exitFailed, "make one with `memtree init`"},
		{"stats --read-only", exitFailed, "make one with `memtree init`"},
		{"init --label shop", exitOK, "Made an empty store in postgres://postgres@127.0.0.1"},
		{"init", exitOK, "There is a store in postgres://postgres@127.0.0.1"},
		{"record -", exitOK, "2 runs: 2 accepted"},
		{"record -", exitOK, "2 runs: 0 accepted, 2 recorded before"},
		{"guide --prompt Check_the_order_total --route /orders/50", exitOK, "Add up, multiply or count"},
		{"tree", exitOK, "cases 1"},
		{"stats --json", exitOK, `"format": "postgres/5"`},
		{"verify", exitOK, "Everything is in order."},
		{"evolve", exitOK, ""},
		{"compact", exitUsage, "use VACUUM"},
		{"fsck", exitUsage, "use memtree verify"},
		{"backup x", exitUsage, "use pg_dump"},
		{"restore x", exitUsage, "use pg_restore"},
		{"config show", exitOK, "store"},
		{"stats --lang zh", exitOK, "postgres://postgres@127.0.0.1"},
	} {
		local := filepath.Join(t.TempDir(), fmt.Sprint(i%2))
		env := map[string]string{access.LocalVariable: local, "LANG": "en_US.UTF-8"}
		args := strings.Fields(c.line)
		for j := range args {
			args[j] = strings.ReplaceAll(args[j], "_", " ")
		}
		if i%2 == 0 {
			env["MEMTREE_STORE"] = url
		} else {
			args = append(args, "--store", url)
		}
		code, out, errs := tryShared(t, env, args...)
		require.Equal(t, c.code, code, "%s: %s", c.line, errs)
		require.Contains(t, strings.Join(strings.Fields(out+errs), " "), c.want, c.line)
		require.NotContains(t, out+errs, "s3cret", c.line)
	}
}

// TestSharedMistakes: what cannot be used or reached is a sentence in the language of the user, without the password.
func TestSharedMistakes(t *testing.T) {
	env := map[string]string{access.LocalVariable: t.TempDir()}
	for url, want := range map[string][2]string{
		"postgres://ann:s3cret@h/db?tree=A+B":   {"for a tenant or tree", "--store："},
		"postgres://ann:s3cret@127.0.0.1:1/db":  {"cannot be reached, and nothing was changed", "无法连接数据库"},
		"postgresql://ann:s3cret%@h/db?tree=ab": {"the URL of the database is not one", "--store："},
	} {
		for i, lang := range []string{"en", "zh"} {
			code, out, errs := tryShared(t, env, "stats", "--store", url, "--lang", lang)
			require.NotZero(t, code)
			require.Contains(t, errs, want[i])
			require.NotContains(t, out+errs, "s3cret")
		}
	}
	env[access.LocalVariable] = filepath.Join(os.DevNull, "x")
	code, _, errs := tryShared(t, env, "stats", "--store", "postgres://h/db")
	require.NotZero(t, code)
	require.NotEmpty(t, errs)
}

// TestSharedRights: a user who may only read gets guidance, and a user without rights the statements that are enough to
// record, to evolve and to serve.
func TestSharedRights(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	server.Exec(t, "postgres", "CREATE ROLE reader LOGIN", `CREATE ROLE "the writer" LOGIN`)
	as := func(user string) map[string]string {
		return map[string]string{access.LocalVariable: t.TempDir(), "LANG": "en_US.UTF-8",
			"MEMTREE_STORE": strings.Replace(server.URL("postgres"), "postgres@", user+"@", 1)}
	}
	code, _, errs := tryShared(t, as("postgres"), "record", "-")
	require.Zero(t, code, errs)
	server.Exec(t, "postgres", "GRANT USAGE ON SCHEMA memtree TO reader",
		"GRANT SELECT ON ALL TABLES IN SCHEMA memtree TO reader")
	code, out, errs := tryShared(t, as("reader"), "guide", "--prompt", "Check the order total", "--route", "/orders/50")
	require.Zero(t, code, errs)
	require.Contains(t, out, "Add up, multiply or count")
	require.Contains(t, errs, "so this only reads: the answer has no trial id")

	code, _, errs = tryShared(t, as("the%20writer"), "record", "-")
	require.NotZero(t, code)
	require.Contains(t, errs, `may not do this in database "postgres"`)
	for _, grant := range regexp.MustCompile(`GRANT [^;]+`).FindAllString(strings.Join(strings.Fields(errs), " "), -1) {
		server.Exec(t, "postgres", grant)
	}
	for _, line := range []string{"record -", "evolve", "stats"} {
		code, _, errs = tryShared(t, as("the%20writer"), strings.Fields(line)...)
		require.Zero(t, code, "%s: %s", line, errs)
	}
	t.Setenv(access.LocalVariable, t.TempDir())
	s := serving(t, "--store", as("the%20writer")["MEMTREE_STORE"], "--insecure-loopback")
	status, body := s.ask("POST", "/v1/trees/default/evaluations", "", fmt.Sprintf(sharedRun, "a1"))
	require.Equal(t, http.StatusAccepted, status, body)
	require.NotContains(t, body, `"stored"`)
	status, body = s.ask("POST", "/v1/trees/default/evolve", "", `{}`)
	require.Equal(t, http.StatusAccepted, status, body)
	_, body = s.ask("GET", "/readyz", "", "")
	require.Contains(t, body, `"ok"`)
	require.NotContains(t, s.end(syscall.SIGTERM), "permission denied")
}

// TestSharedRefusals: what a database does not permit is a sentence about that database, in the language of the user.
func TestSharedRefusals(t *testing.T) {
	server, folder := pgtest.Start(t, "fsync=off"), filepath.Join(t.TempDir(), "store")
	server.Exec(t, "postgres", "CREATE DATABASE still", "CREATE DATABASE newer", "CREATE DATABASE bare",
		"CREATE DATABASE half", "CREATE ROLE guest LOGIN", "CREATE ROLE nologin")
	env := map[string]string{access.LocalVariable: t.TempDir(), "LANG": "en_US.UTF-8"}
	for _, store := range []string{server.URL("still"), server.URL("newer"), server.URL("half"), folder} {
		code, _, errs := tryShared(t, env, "record", "-", "--store", store)
		if store == folder {
			code, _, errs = tryShared(t, env, "init", "--store", store)
		}
		require.Zero(t, code, errs)
	}
	server.Exec(t, "postgres", "ALTER DATABASE still SET default_transaction_read_only = on")
	server.Exec(t, "newer", "UPDATE memtree.needs SET schema = 99")
	server.Exec(t, "half", "DELETE FROM memtree.version WHERE version_id > 3")
	guest := strings.Replace(server.URL("bare"), "postgres@", "guest@", 1)
	for _, c := range []struct{ line, en, zh string }{
		{"init --store " + server.URL("still"), "/still?", "服务器只允许读取"},
		{"record - --store " + server.URL("still"), "only lets read, as a standby does; name the primary", "服务器只允许读取"},
		{"move --store " + folder + " --to " + server.URL("still") + "&tree=new", "/still?", "服务器只允许读取"},
		{"record - --store " + server.URL("newer"), "upgrade memtree", "请升级 memtree"},
		{"record - --store " + server.URL("half"), "could not be upgraded from schema 3", "请从备份恢复"},
		{"record - --store " + server.URL("absent"), "make it with createdb", "请用 createdb 创建"},
		{"record - --store " + guest, "GRANT CREATE ON DATABASE", "无权在数据库"},
		{"record - --store " + strings.Replace(guest, "guest@", "nologin@", 1), "does not let user", "不允许用户"},
		{"move --store " + folder + " --to " + server.URL("newer"), "upgrade memtree", "请升级 memtree"},
	} {
		for _, x := range [][]string{{"en", c.en}, {"zh", c.zh}} {
			code, _, errs := tryShared(t, env, append(strings.Fields(c.line), "--lang", x[0])...)
			require.NotZero(t, code, c.line)
			require.Contains(t, strings.Join(strings.Fields(errs), " "), x[1], "%s: %s", c.line, errs)
			require.NotContains(t, errs, "SQLSTATE")
			require.NotContains(t, errs, "--read-only")
		}
	}
	server.Exec(t, "postgres", "ALTER DATABASE still RESET default_transaction_read_only")
	server.Exec(t, "still", "UPDATE memtree.node SET body = 'xx'")
	code, _, errs := tryShared(t, env, "tree", "--store", server.URL("still"))
	require.NotZero(t, code)
	require.Regexp(t, `memory c_\w+ in postgres://\S+ cannot be read`, strings.Join(strings.Fields(errs), " "))
	code, out, errs := tryShared(t, env, "verify", "--store", server.URL("still"))
	require.NotZero(t, code)
	require.Regexp(t, `memory c_\w+ in postgres://\S+ cannot be read`, strings.Join(strings.Fields(errs), " "))
	require.Contains(t, out, "Problems found: 1.")
}

// TestSharedTokens: services with folders of their own can have the tokens of one folder.
func TestSharedTokens(t *testing.T) {
	url, tokens := pgtest.Start(t, "fsync=off").URL("postgres"), t.TempDir()
	for i := range 2 {
		env := map[string]string{access.LocalVariable: t.TempDir(), access.TokensVariable: tokens, "MEMTREE_STORE": url}
		code, out, errs := tryShared(t, env, "token", "add", "--name", fmt.Sprint("agent", i), "--scope", "write")
		require.Zero(t, code, errs)
		require.Contains(t, out, "mt_")
		_, out, _ = tryShared(t, env, "token", "list")
		require.Contains(t, out, "agent0", "which the first one has made")
	}
	require.FileExists(t, filepath.Join(tokens, "tokens.json"))
}

// TestMoveStore moves a folder into a database and back into a folder; a service or another move in the way is a
// sentence.
func TestMoveStore(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	folder, back := filepath.Join(t.TempDir(), "store"), filepath.Join(t.TempDir(), "back")
	url := strings.Replace(server.URL("postgres"), "postgres@", "postgres:s3cret@", 1) + "&tree=moved"
	env := map[string]string{access.LocalVariable: t.TempDir(), "LANG": "en_US.UTF-8"}
	for _, c := range []struct {
		line string
		code int
		want string
	}{
		{"init --store " + folder, exitOK, ""},
		{"record - --store " + folder, exitOK, "2 accepted"},
		{"move --store " + folder, exitUsage, "--to is missing"},
		{"move --store " + folder + " --to " + back, exitUsage, "memtree backup copies a store to a folder"},
		{"move --store " + url + " --to " + url, exitFailed, "there is no store in postgres://"},
		{"move --store " + folder + " --to " + url, exitOK, "1 memories, 2 ledger entries, 2 runs known"},
		{"move --store " + folder + " --to " + url, exitFailed, "is in use; move to a tree that is new"},
		{"tree --store " + url, exitOK, "cases 1"},
		{"record - --store " + url, exitOK, "2 recorded before"},
		{"move --lang zh --store " + url + " --to " + back, exitOK, "已移到"},
		{"verify --store " + back, exitOK, "Everything is in order."},
		{"record - --store " + back, exitOK, "2 recorded before"},
		{"move --store " + url + " --to " + back, exitFailed, "move to a folder that does not"},
		{"move --store " + back + " --to " + url + "2 --json", exitOK, `"sha256"`},
	} {
		code, out, errs := tryShared(t, env, strings.Fields(c.line)...)
		require.Equal(t, c.code, code, "%s: %s", c.line, errs)
		require.Contains(t, strings.Join(strings.Fields(out+errs), " "), c.want, c.line)
		require.NotContains(t, out+errs, "s3cret", c.line)
	}
}
