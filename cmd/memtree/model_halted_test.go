package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/cli/say"
)

// TestLastingErrorCostsOneCall: after an error that lasts, a command makes no further call, and prints once what to
// do.
func TestLastingErrorCostsOneCall(t *testing.T) {
	for name, c := range map[string]struct {
		status     int
		body, want string
	}{
		"wrong key": {401, `{"error":{"message":"Incorrect API key provided: sk-ours-0123456789"}}`,
			"Set MEMTREE_LLM_API_KEY to a key"},
		"not allowed":   {403, `{"error":{"message":"not for you"}}`, "Set MEMTREE_LLM_API_KEY to a key"},
		"no such model": {404, `{"error":{"message":"The model gpt-x does not exist"}}`, "Set MEMTREE_LLM_MODEL to a model"},
		"a web page":    {200, "<!doctype html><title>Sign in</title>", "MEMTREE_LLM_BASE_URL to its address"},
	} {
		t.Run(name, func(t *testing.T) {
			var calls atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				calls.Add(1)
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			}))
			t.Cleanup(server.Close)
			env := map[string]string{"MEMTREE_LLM_MODEL": "gpt-x", "MEMTREE_LLM_API_KEY": "sk-ours-0123456789",
				"MEMTREE_LLM_BASE_URL": server.URL + "/v1", "MEMTREE_STORE": filepath.Join(t.TempDir(), "store")}
			var runs strings.Builder
			for _, page := range []string{
				"cart", "invoice", "refund", "voucher", "badge", "menu", "head", "foot", "list", "map",
			} {
				runs.WriteString(aCase(page, "It did not add up the items."))
			}
			do := func(args ...string) string {
				var out, errs strings.Builder
				require.Zero(t, run(t.Context(), say.Process{Args: args, Stdin: strings.NewReader(runs.String()), Stdout: &out,
					Stderr: &errs, Getenv: func(k string) string { return env[k] }}), errs.String())
				require.NotContains(t, out.String()+errs.String(), "sk-ours")
				require.NotContains(t, out.String(), "last failure")
				return strings.Join(strings.Fields(errs.String()), " ")
			}
			do("init")
			errs := do("record", "-")
			require.EqualValues(t, 1, calls.Load())
			require.Equal(t, 1, strings.Count(errs, c.want), errs)
			require.Contains(t, errs, "10 cases were read by the rules")
			errs = do("evolve")
			require.EqualValues(t, 2, calls.Load())
			require.Contains(t, errs, c.want)
			require.Contains(t, do("evolve", "--lang", "zh"), "此后没有再调用模型")
		})
	}
}
