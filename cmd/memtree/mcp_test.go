package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	jsonstore "github.com/memtree/memtree/store/json"
)

// mcpProcess starts memtree mcp as a separate process, and ends it with the test.
func mcpProcess(t *testing.T, store string, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), exe, append([]string{"mcp", "--store", store}, //nolint:gosec // us
		args...)...)
	cmd.Env = append(os.Environ(), asMemtree+"=1", "LANG=en_US.UTF-8", "MEMTREE_LLM_MODEL=", "MIDSCENE_MODEL_NAME=",
		"OPENAI_API_KEY=")
	stderr := &bytes.Buffer{}
	cmd.Stderr = stderr
	return cmd, stderr
}

// mcpStore makes a store with the fixtures.
func mcpStore(t *testing.T) string {
	t.Helper()
	store := filepath.Join(t.TempDir(), "store")
	code, _, errs := try(t, "", "init", "--store", store)
	require.Zero(t, code, errs)
	code, _, errs = try(t, "", "record", "--store", store, "../../fixtures/shop.jsonl")
	require.Zero(t, code, errs)
	return store
}

// mcpDial starts the process and a client of the SDK beside it.
func mcpDial(t *testing.T, store string, args ...string) (*mcp.ClientSession, *bytes.Buffer) {
	t.Helper()
	cmd, stderr := mcpProcess(t, store, args...)
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "story"}, nil).Connect(t.Context(),
		&mcp.CommandTransport{Command: cmd}, nil)
	require.NoError(t, err) // its standard error is still being written
	return cs, stderr
}

func mcpCall(t *testing.T, cs *mcp.ClientSession, name string, in map[string]any, out any) {
	t.Helper()
	r, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: in})
	require.NoError(t, err)
	require.False(t, r.IsError, "%v", r.Content[0])
	b, err := json.Marshal(r.StructuredContent)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, out))
}

// mcpRecorded returns how many runs a store has accepted.
func mcpRecorded(t *testing.T, store string) int {
	t.Helper()
	m, err := memtree.Open(t.Context(), store, &memtree.Options{ReadOnly: true})
	require.NoError(t, err)
	defer m.Close()
	info, err := m.Tree().Info(t.Context())
	require.NoError(t, err)
	return info.Evaluations
}

// TestMCPProcess runs the loop with a process, like an agent's program.
func TestMCPProcess(t *testing.T) {
	store := mcpStore(t)
	before := mcpRecorded(t, store)
	cs, stderr := mcpDial(t, store)
	tools, err := cs.ListTools(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, tools.Tools, 22)
	task := map[string]any{"prompt": "Save the new phone number, reload the page, check that it is still there"}
	var g struct{ Guidance, Trial string }
	mcpCall(t, cs, "get_guidance", task, &g)
	require.Contains(t, g.Guidance, "open the place")
	task["judgment"], task["trial"], task["correct"] = "pass", g.Trial, true
	var o struct{ Recorded bool }
	mcpCall(t, cs, "record_outcome", task, &o)
	require.True(t, o.Recorded)
	require.NoError(t, cs.Close())
	require.Empty(t, stderr.String())
	require.Equal(t, before+1, mcpRecorded(t, store))
	code, out, _ := try(t, "", "verify", "--store", store)
	require.Zero(t, code, out)
}

// TestMCPReadsWhereItCannotWrite: with --read-only, and beside another writer, it gives guidance and lists no tool
// that writes.
func TestMCPReadsWhereItCannotWrite(t *testing.T) {
	store := mcpStore(t)
	for _, locked := range []bool{false, true} {
		args, says := []string{"--read-only"}, ""
		if locked {
			s, err := jsonstore.OpenDir(t.Context(), store, jsonstore.Options{Started: time.Now()})
			require.NoError(t, err)
			defer s.Close()
			args, says = nil, "agents can ask and not record"
		}
		cs, stderr := mcpDial(t, store, args...)
		tools, err := cs.ListTools(t.Context(), nil)
		require.NoError(t, err)
		require.Len(t, tools.Tools, 10)
		var g struct{ Guidance, Trial string }
		mcpCall(t, cs, "get_guidance", map[string]any{"prompt": "Check the order total"}, &g)
		require.Empty(t, g.Trial)
		require.NoError(t, cs.Close())
		require.Contains(t, stderr.String(), says)
		require.Equal(t, locked, stderr.Len() > 0, stderr.String())
	}
}

const hello = `{"jsonrpc":"2.0","id":"hi","method":"initialize",` +
	`"params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"pipe","version":"1"}}}` + "\n" +
	`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"

// outcomeLine is a call that records run n.
func outcomeLine(n int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"record_outcome","arguments":`+
		`{"prompt":"x","judgment":"pass","correct":true,"run_id":"n%d"}}}`+"\n", n, n)
}

// TestMCPEndOfInput: calls before the end of input are carried out and answered, and standard output contains only
// the protocol.
func TestMCPEndOfInput(t *testing.T) {
	store := mcpStore(t)
	before := mcpRecorded(t, store)
	in := hello
	const n = 60
	for i := range n {
		in += outcomeLine(i)
	}
	cmd, stderr := mcpProcess(t, store)
	cmd.Stdin = strings.NewReader(in)
	out, err := cmd.Output()
	require.NoError(t, err, stderr.String())
	answers := 0
	for line := range strings.Lines(string(out)) {
		var m struct {
			JSONRPC string
			Result  *struct{ IsError bool }
		}
		require.NoError(t, json.Unmarshal([]byte(line), &m), line)
		require.Equal(t, "2.0", m.JSONRPC)
		require.NotNil(t, m.Result, line)
		require.False(t, m.Result.IsError, line)
		answers++
	}
	require.Equal(t, n+1, answers)
	require.Equal(t, before+n, mcpRecorded(t, store))
}

// TestMCPInterrupted: after Ctrl-C the process ends without an error, and acknowledged runs are stored.
func TestMCPInterrupted(t *testing.T) {
	store := mcpStore(t)
	before := mcpRecorded(t, store)
	cmd, stderr := mcpProcess(t, store)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	_, err = io.WriteString(in, hello)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	var sending sync.WaitGroup
	sending.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			if _, err := io.WriteString(in, outcomeLine(i)); err != nil {
				return
			}
		}
	})
	acknowledged := 0
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if strings.Contains(lines.Text(), `"recorded":true`) {
			acknowledged++
		}
		if acknowledged == 20 {
			require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
		}
	}
	stop()
	require.NoError(t, cmd.Wait(), stderr.String())
	sending.Wait()
	require.GreaterOrEqual(t, acknowledged, 20)
	require.GreaterOrEqual(t, mcpRecorded(t, store), before+acknowledged)
	code, said, _ := try(t, "", "verify", "--store", store)
	require.Zero(t, code, said)
}

func TestMCPThatCannotStart(t *testing.T) {
	code, out, errs := try(t, "", "mcp", "--store", filepath.Join(t.TempDir(), "none"))
	require.Equal(t, exitFailed, code)
	require.Empty(t, out)
	require.Contains(t, errs, "make one with `memtree init`")
	code, _, errs = try(t, "", "mcp", "here")
	require.Equal(t, exitUsage, code)
	require.Contains(t, errs, "mcp takes no arguments")
	code, out, errs = try(t, "GET / HTTP/1.1\n", "mcp", "--store", mcpStore(t))
	require.Equal(t, exitFailed, code)
	require.Contains(t, out, `"id":null,"error":{"code":-32700`)
	require.Contains(t, errs, "what is not MCP")
}

// TestMCPGoesOn: a line that is no message is answered with an error, and what follows is answered too.
func TestMCPGoesOn(t *testing.T) {
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
		`"clientInfo":{"name":"a","version":"1"}}}`
	const ready = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	const ping = `{"jsonrpc":"2.0","id":9,"method":"ping"}`
	store := mcpStore(t)
	for bad, want := range map[string]string{
		"oops": `"id":null,"error":{"code":-32700`, `{"jsonrpc":`: `-32700`, `{}`: `-32600`, `null`: `-32600`, `[]`: `-32600`,
		`{"jsonrpc":"1.0","id":7,"method":"ping"}`:   `"id":7,"error":{"code":-32600`,
		`{"jsonrpc":"2.0","id":7,"method":5}`:        `"id":7,"error":{"code":-32600`,
		`{"jsonrpc":"2.0","id":{},"method":"x"}`:     `"id":null,"error":{"code":-32600`,
		`[` + ping + `,` + ping + `]`:                `duplicate message ID`,
		`[` + ping + `,5]`:                           `number 2 of the batch`,
		`"` + strings.Repeat("x", mostMessage) + `"`: `the message has more than`,
	} {
		code, out, errs := try(t, strings.Join([]string{hello, ready, bad, "", ping, bad[:1]}, "\n"), "mcp", "--store", store)
		require.Zero(t, code, errs)
		require.Contains(t, out, want, "%.60s", bad)
		require.Contains(t, out, `"id":9,"result"`, "%.60s", bad)
		for line := range strings.SplitSeq(strings.TrimSpace(out), "\n") {
			require.True(t, json.Valid([]byte(line)), line)
		}
	}
}
