package main

import (
	"encoding/json"
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

// lookedRuns are two runs with evidence.
const lookedRuns = `{"id":"r1","prompt":"Post the notice","judgment":{"verdict":"pass"},"observation":"You cannot post"}
{"id":"r2","prompt":"Cancel order 307","judgment":{"verdict":"pass"},"observation":"You canceled it. Status: Canceled"}
`

// looking runs commands with a scripted model that gives every question one answer.
func looking(
	t *testing.T, answer http.HandlerFunc,
) (do func(args ...string) (code int, out, errs string), env map[string]string) {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	env = map[string]string{"MEMTREE_LLM_MODEL": "gpt-x", "MEMTREE_LLM_API_KEY": "k", "MEMTREE_SERVER": server.URL,
		"MEMTREE_LLM_BASE_URL": server.URL + "/v1", "MEMTREE_STORE": filepath.Join(t.TempDir(), "store")}
	do = func(args ...string) (int, string, string) {
		var out, errs strings.Builder
		code := run(t.Context(), say.Process{Args: args, Stdin: strings.NewReader(lookedRuns), Stdout: &out, Stderr: &errs,
			Getenv: func(k string) string { return env[k] }})
		return code, strings.Join(strings.Fields(out.String()), " "), strings.Join(strings.Fields(errs.String()), " ")
	}
	code, _, errs := do("init")
	require.Zero(t, code, errs)
	return do, env
}

// chatting answers every chat with one text.
func chatting(answer string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		message := map[string]any{"role": "assistant", "content": answer}
		_ = json.NewEncoder(w).Encode(map[string]any{"model": "gpt-x",
			"choices": []any{map[string]any{"message": message, "finish_reason": "stop"}},
			"usage":   map[string]int{"prompt_tokens": 900, "completion_tokens": 300}})
	}
}

// TestLooksThatFail: where no verdict could be looked at the command fails, in the language of the user.
func TestLooksThatFail(t *testing.T) {
	do, _ := looking(t, chatting(`{"points": [], "against": "", "by": "none", "holds": "yes", "chance": 50, "why": ""}`))
	code, out, errs := do("triage", "-", "--look", "2")
	require.Equal(t, 1, code)
	require.Contains(t, errs, "no verdict was looked at: malformed")
	require.Contains(t, out, "Verdicts that were not looked at: 2 (malformed")
	code, out, errs = do("triage", "-", "--look", "2", "--lang", "zh")
	require.Equal(t, 1, code)
	require.Contains(t, errs, "一个判定也没能再次查看")
	require.NotContains(t, out+errs, "points", "no sentence that is meant for a model")
	code, _, errs = do("triage", "-", "--look", "2", "--max-calls", "0")
	require.Zero(t, code, errs)
}

// TestLookThatMadeItUp: a reader that quotes what is not there found something, and it counts for nothing.
func TestLookThatMadeItUp(t *testing.T) {
	do, _ := looking(t, chatting(`{"points": [{"point": "posted", "shown": "yes", "quote": "The notice is posted now"}],`+
		`"against": "", "by": "none", "holds": "yes", "chance": 99, "why": ""}`))
	code, out, errs := do("triage", "-", "--look", "2")
	require.Zero(t, code, errs)
	require.Contains(t, out, "what it quotes is not in the evidence")
	require.NotContains(t, out, "the evidence does not show it")
	_, out, _ = do("triage", "-", "--lang", "zh")
	require.Contains(t, out, "它引用的内容不在证据中")
}

// unreadable is a reply that no client understands.
func unreadable(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") }

// TestLooksWithoutAModel: a page in place of a model is a failure too.
func TestLooksWithoutAModel(t *testing.T) {
	do, _ := looking(t, unreadable)
	code, _, errs := do("triage", "-", "--look", "2")
	require.Equal(t, 1, code)
	require.Contains(t, errs, "no verdict was looked at")
}

// TestLooksThatDecide: the calls of a model that decides are counted, bounded and priced as its own, and its
// probability is printed nowhere.
func TestLooksThatDecide(t *testing.T) {
	var slow atomic.Bool
	answer := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // so that the server notices who left
		if slow.Load() {
			<-r.Context().Done()
			return
		}
		_, _ = io.WriteString(w, `{"model":"d","answers":{"holds":{"type":"noul","noul":0.97}},`+
			`"usage":{"input_tokens":1000,"output_tokens":0}}`)
	}
	do, env := looking(t, answer)
	env["MEMTREE_DECIDE_URL"], env["MEMTREE_LLM_PRICE"] = env["MEMTREE_SERVER"]+"/v1/systemone", "100,100"

	code, out, errs := do("triage", "-", "--look", "2", "--dry-run")
	require.Zero(t, code, errs)
	require.Contains(t, out, "cost unknown", "the price of the chat model is not its price")
	code, _, errs = do("triage", "-", "--look", "2", "--max-cost", "1")
	require.Equal(t, 2, code)
	require.Contains(t, errs, "MEMTREE_DECIDE_PRICE")
	env["MEMTREE_DECIDE_PRICE"] = "2,0"

	slow.Store(true)
	code, _, errs = do("triage", "-", "--look", "2", "--max-time", "50ms")
	require.Zero(t, code, errs)
	slow.Store(false)

	code, out, errs = do("triage", "-", "--look", "2")
	require.Zero(t, code, errs)
	require.Contains(t, out, "Model calls: 2, tokens in 2000, out 0. Cost: 0.004.")
	require.Contains(t, out, "a model that decides bears the verdict out")
	require.NotContains(t, out, "97", "it is no probability before labels calibrate it")
	code, out, errs = do("config", "show")
	require.Zero(t, code, errs)
	require.Contains(t, out, "decide-url")
}
