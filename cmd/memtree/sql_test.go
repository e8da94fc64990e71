//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/cli/access"
	"github.com/memtree/memtree/store/postgres/pgtest"
)

const sqlRuns = `{"id":"r1","prompt":"Check the order total","judgment":"pass","ground_truth":"fail","case_id":"t1",` +
	`"scope":{"product":"checkout"},"scene":{"type":"form","route":"/orders/42"},"agent":{"name":"ann","model":"m1"},` +
	`"at":"2026-01-28T09:00:00Z","note":"The agent did not add up the cart."}
{"id":"r2","prompt":"Check the order total of a guest","judgment":"pass","ground_truth":"fail","case_id":"t2",` +
	`"scope":{"product":"checkout"},"scene":{"type":"form","route":"/orders/42"},` +
	`"at":"2026-01-29T09:00:00Z","note":"The agent did not add up the cart."}
{"id":"r3","prompt":"Check the login","judgment":"pass","ground_truth":"pass","case_id":"t3",` +
	`"scope":{"product":"checkout"},"at":"2026-02-11T09:00:00Z"}
`

// TestSQL runs the statements of docs/operate.md on a tree: the views have what the queries ask for, and a role that
// may read them reads nothing else.
func TestSQL(t *testing.T) {
	url := pgtest.Start(t, "fsync=off").URL("postgres")
	env := map[string]string{access.LocalVariable: t.TempDir(), "MEMTREE_STORE": url + "&tree=shop"}
	code, _, errs := tryWith(t, env, sqlRuns, "record", "-")
	require.Zero(t, code, errs)
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer conn.Close(context.Background())

	rows := func(sql string) [][]any {
		r, err := conn.Query(t.Context(), sql)
		require.NoError(t, err, sql)
		out, err := pgx.CollectRows(r, func(row pgx.CollectableRow) ([]any, error) { return row.Values() })
		require.NoError(t, err, sql)
		return out
	}
	var id, checks any
	for _, r := range rows(`SELECT id, checks, first_at, created_at, product, case_id FROM memtree.memory
		WHERE case_id = 't1'`) {
		id, checks = r[0], r[1]
		for _, v := range r {
			require.NotNil(t, v)
		}
	}
	require.NotEmpty(t, checks)
	answers := map[string][][]any{}
	for _, sql := range documented(t, "## Queries by SQL") {
		sql = strings.ReplaceAll(sql, "c_…", id.(string))
		head, _, _ := strings.Cut(sql, ",")
		answers[head] = rows(sql)
	}
	require.Len(t, answers["SELECT id"], 2)
	weeks := answers["SELECT date_trunc('week'"]
	require.Len(t, weeks, 2)
	require.Equal(t, []any{"checkout", int64(2), int64(2)}, weeks[0][1:])
	require.Equal(t, []any{"checkout", int64(1), int64(0)}, weeks[1][1:])
	near := answers["SELECT m.id"]
	require.Len(t, near, 1)
	require.Equal(t, true, near[0][3], "they missed one check")
	require.Greater(t, near[0][2], float32(.5))
	require.Len(t, rows(`SELECT FROM memtree.verdict WHERE agent = 'ann' AND model = 'm1' AND memory IS NOT NULL`), 1)

	_, err = conn.Exec(t.Context(), `UPDATE memtree.node SET body = convert_to(replace(convert_from(body, 'UTF8'),
		'Check the', 'Check\u0000the'), 'UTF8')`)
	require.NoError(t, err)
	require.Len(t, rows(`SELECT text FROM memtree.memory WHERE text LIKE 'Check�%'`), 2, "what no text of PostgreSQL has")
	_, err = conn.Exec(t.Context(), `SET ROLE reports`)
	require.NoError(t, err)
	require.Len(t, rows(`SELECT FROM memtree.memory`), 2)
	_, err = conn.Exec(t.Context(), `SELECT FROM memtree.outbox`)
	require.ErrorContains(t, err, "permission denied")
}

// TestSQLVectors runs the statements of docs/operate.md about vectors on a tree: an evolve fills the table, the query
// finds what is near, and what is forgotten or purged is gone at once.
func TestSQLVectors(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	server.WithVectors(t)
	url := server.URL("postgres")
	env := map[string]string{access.LocalVariable: t.TempDir(), "MEMTREE_STORE": url + "&tree=shop"}
	command := func(stdin string, args ...string) {
		code, _, errs := tryWith(t, env, stdin, args...)
		require.Zero(t, code, "%v: %s", args, errs)
	}
	command(sqlRuns, "record", "-")
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer conn.Close(context.Background())
	column := func(sql string) []string {
		r, err := conn.Query(t.Context(), sql)
		require.NoError(t, err, sql)
		out, err := pgx.CollectRows(r, func(row pgx.CollectableRow) (string, error) {
			v, err := row.Values()
			return fmt.Sprint(v[0]), err
		})
		require.NoError(t, err, sql)
		return out
	}
	first := column(`SELECT id FROM memtree.memory WHERE case_id = 't1'`)[0]
	other := column(`SELECT id FROM memtree.memory WHERE case_id = 't2'`)[0]
	const all = `SELECT id FROM memtree.memory_vector WHERE tree = 'shop' AND tenant = 'default' AND dims = 512`
	near := func([]string) {}
	for i, sql := range documented(t, "## Vectors by SQL") {
		got := column(strings.ReplaceAll(sql, "c_…", first))
		switch {
		case i == 1:
			require.Empty(t, column(all))
			command("", "evolve")
			require.ElementsMatch(t, []string{first, other}, column(all))
		case strings.HasPrefix(sql, "SELECT m.id"):
			require.Equal(t, []string{other}, got)
			near = func(want []string) { require.Equal(t, want, column(strings.ReplaceAll(sql, "c_…", first))) }
		case strings.HasPrefix(sql, "CREATE INDEX"):
			command("", "forget", other, "--yes")
			near([]string{})
			command("", "undo")
			command("", "evolve")
			near([]string{other})
			command("", "forget", other, "--purge", "--yes")
			require.Equal(t, []string{first}, column(all))
		}
	}
	require.Empty(t, column(`SELECT relname FROM pg_class WHERE relname IN ('embedding', 'memory_vector', 'near')`))
	command("", "evolve")
}

// documented returns the statements in a section of docs/operate.md: its indented lines, by semicolon.
func documented(t *testing.T, heading string) []string {
	t.Helper()
	b, err := os.ReadFile("../../docs/operate.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(b), heading+"\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	var code strings.Builder
	for line := range strings.Lines(section) {
		if rest, ok := strings.CutPrefix(line, "    "); ok {
			code.WriteString(rest)
		}
	}
	all := strings.Split(strings.TrimSpace(code.String()), ";\n")
	require.Greater(t, len(all), 3)
	for i := range all {
		all[i] = strings.TrimSuffix(strings.TrimSpace(all[i]), ";")
	}
	return all
}
