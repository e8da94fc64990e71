package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/internal/cli/say"
)

// wrongRuns writes n judged runs, all wrong and all different: the most work for record.
func wrongRuns(tb testing.TB, path string, n int) {
	tb.Helper()
	what := []string{"total", "status", "title", "error message", "date", "按钮", "收货地址", "搜索结果", "count", "field"}
	where := []string{
		"order", "cart", "login form", "search list", "登录页", "订单详情", "refund table", "profile", "结算弹窗",
		"menu", "report",
	}
	how := []string{
		"the amounts were not compared", "the page was still loading", "没有核对内容",
		"the wrong element was looked at", "a required field was not checked", "a step was left out",
	}
	var b bytes.Buffer
	for i := range n {
		line, err := json.Marshal(map[string]any{
			"id": fmt.Sprint("r", i), "case_id": fmt.Sprint("case-", i), "at": "2026-01-01T00:00:00Z",
			"scene": map[string]string{"id": fmt.Sprint("S", i%997), "type": "form", "route": fmt.Sprintf("/%d/page", i%499)},
			"prompt": fmt.Sprintf("Check the %s of the %s after the %s of %s %d changed",
				what[i%10], where[i%11], what[i/10%10], where[i/11%11], i),
			"judgment": "pass", "ground_truth": "fail", "reason": how[i%6] + fmt.Sprintf(" (%s, %d)", where[i/7%11], i),
		})
		require.NoError(tb, err)
		b.Write(append(line, '\n'))
	}
	require.NoError(tb, os.WriteFile(path, b.Bytes(), 0o600))
}

func silently(tb testing.TB, args ...string) {
	tb.Helper()
	var errs bytes.Buffer
	p := say.Process{
		Args: args, Stdin: bytes.NewReader(nil), Stdout: io.Discard, Stderr: &errs,
		Getenv: func(string) string { return "" },
	}
	require.Zero(tb, run(tb.Context(), p), errs.String())
}

const many = 10_000

// BenchmarkRecord records 10,000 wrong runs into a new store, all formed.
func BenchmarkRecord(b *testing.B) {
	runs := filepath.Join(b.TempDir(), "runs.jsonl")
	wrongRuns(b, runs, many)
	for b.Loop() {
		store := filepath.Join(b.TempDir(), "store")
		silently(b, "init", "--store", store)
		silently(b, "record", runs, "--store", store)
	}
	b.ReportMetric(float64(many*b.N)/b.Elapsed().Seconds(), "runs/s")
}

// BenchmarkGuideCold measures a whole process, from start to end, with one query on a store of 10,000 cases.
func BenchmarkGuideCold(b *testing.B) {
	dir := b.TempDir()
	store, runs := filepath.Join(dir, "store"), filepath.Join(dir, "runs.jsonl")
	wrongRuns(b, runs, many)
	silently(b, "init", "--store", store)
	silently(b, "record", runs, "--store", store)
	exe, err := os.Executable()
	require.NoError(b, err)
	for b.Loop() {
		c := exec.CommandContext(b.Context(), exe, "guide", "--store", store, "--quiet", //nolint:gosec // this binary
			"--prompt", "Check the total of the cart after the date of the order changed",
			"--scene", "S12", "--scene-type", "form", "--route", "/12/page")
		c.Env = append(os.Environ(), asMemtree+"=1")
		out, err := c.Output()
		require.NoError(b, err)
		require.NotEmpty(b, out)
	}
}

// BenchmarkTrials counts the trials in a ledger of 10,000 lines, like stats.
func BenchmarkTrials(b *testing.B) {
	runs, store := filepath.Join(b.TempDir(), "runs.jsonl"), filepath.Join(b.TempDir(), "store")
	wrongRuns(b, runs, many)
	silently(b, "init", "--store", store)
	silently(b, "record", runs, "--store", store)
	m, err := memtree.Open(b.Context(), store, &memtree.Options{ReadOnly: true})
	require.NoError(b, err)
	for b.Loop() {
		_, err := effect.StatsOf(m.Tree().Ledger(b.Context(), 0))
		require.NoError(b, err)
	}
	require.NoError(b, m.Close())
}
