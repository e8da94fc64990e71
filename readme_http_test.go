package memtree_test

import (
	"bufio"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// TestReadmeHTTP runs the README's instructions for a service, with a port of its own.
func TestReadmeHTTP(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it is ended by a signal")
	}
	bin, store := program(t), filepath.Join(t.TempDir(), "store")
	m, err := memtree.Open(t.Context(), store, nil)
	require.NoError(t, err)
	require.NoError(t, m.Close())
	lines := strings.SplitN(fences(t, "README.md", "sh")[0], "\n", 2)
	command, _, _ := strings.Cut(lines[0], "&")
	require.Equal(t, []string{"memtree", "serve"}, strings.Fields(command)[:2])

	args := append(strings.Fields(command)[1:], "--store", store, "--listen", "127.0.0.1:0")
	c := exec.CommandContext(t.Context(), bin, args...)
	errs, err := c.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	defer func() {
		require.NoError(t, c.Process.Signal(os.Interrupt))
		require.NoError(t, c.Wait())
	}()
	said, err := bufio.NewReader(errs).ReadString('\n')
	require.NoError(t, err)
	address := regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(said)
	require.NotEmpty(t, address, said)
	here := func(s string) string { return strings.ReplaceAll(s, "http://127.0.0.1:7788", address) }

	if _, err := exec.LookPath("curl"); err == nil {
		out, err := exec.CommandContext(t.Context(), "sh", "-c", here(lines[1])).CombinedOutput()
		require.NoError(t, err, string(out))
		require.Contains(t, string(out), `"trial":"t_`)
	}
	if python, err := exec.LookPath("python3"); err == nil {
		const before = "run, prompt, truth = 'r1', 'Check the total', 'fail'\nagent = lambda prompt: 'pass'\n"
		code := before + here(fences(t, "README.md", "python")[0])
		out, err := exec.CommandContext(t.Context(), python, "-c", code).CombinedOutput()
		require.NoError(t, err, string(out))

		// Without a service, and with one that hangs, the agent gets its prompt alone.
		hangs, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer hangs.Close()
		for _, nobody := range []string{"http://127.0.0.1:1", "http://" + hangs.Addr().String()} {
			code := strings.ReplaceAll(before+fences(t, "README.md", "python")[0], "http://127.0.0.1:7788", nobody)
			code += "assert verdict == 'pass' and not told\n" +
				strings.ReplaceAll("agent = lambda given: given\n"+fences(t, "README.md", "python")[0], "http://127.0.0.1:7788",
					nobody) + "assert verdict == prompt\n"
			out, err := exec.CommandContext(t.Context(), python, "-c", code).CombinedOutput()
			require.NoError(t, err, string(out))
		}
	}
	a, err := http.Get(address + "/v1/trees/default/stats")
	require.NoError(t, err)
	defer a.Body.Close()
	require.Equal(t, http.StatusOK, a.StatusCode)
}

// TestOwnChecks reads the sample of the page on checks of one's own.
func TestOwnChecks(t *testing.T) {
	dir := t.TempDir()
	m, err := memtree.Open(t.Context(), dir, nil)
	require.NoError(t, err)
	require.NoError(t, m.Close())
	sample := fences(t, "docs/checks.md", "yaml")[0]
	require.NoError(t, os.WriteFile(filepath.Join(dir, "memtree.yaml"), []byte(sample), 0o600))
	m, err = memtree.Open(t.Context(), dir, nil)
	require.NoError(t, err)
	defer m.Close()
	_, err = m.RecordAll(t.Context(), []memtree.Evaluation{{
		ID: "r", Prompt: "Check the invoice", Judgment: tree.Raw(`"pass"`), GroundTruth: tree.Raw(`"fail"`),
		Reason: "The agent forgot the tax.",
	}})
	require.NoError(t, err)
	require.NoError(t, m.Wait(t.Context()))
	var checks []string
	for n, err := range m.Tree().Scan(t.Context(), store.Filter{}) {
		require.NoError(t, err)
		for _, miss := range n.CaseData.Misses {
			checks = append(checks, miss.Check)
		}
	}
	require.Equal(t, []string{"net_price"}, checks)
}
