//go:build unix

package postgres_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mutants are mistakes that shared stores are known to make, each with the test that finds it.
var mutants = []struct{ name, file, old, now, test string }{
	{"the op is not looked up", "commit.go", "if made > 0 {", "if false {", "TestOnce"},
	{"another op for each try", "retry.go", "v, err := s.once(ctx, b, &sent)",
		"b.op = time.Now().String()\n\t\tv, err := s.once(ctx, b, &sent)", "TestKilled"},
	{"a commit is cancelled in flight", "commit.go", "s.untilKnown(context.WithoutCancel(ctx), in)",
		"s.untilKnown(ctx, in)", "TestUnknownAtClose"},
	{"an unknown commit counts as not made", "retry.go", "case !sent && (over || !passing(err)):",
		"case over || !passing(err):", "TestUnknownWhenLost"},
	{"a lost commit is not tried again, and counts as made", "retry.go", "case err == nil:", "case err == nil, sent:",
		"TestUnknownWhenLost"},
	{"a found commit is acknowledged before a standby has it", "commit.go",
		"return uint64(made), tx.Commit(ctx)", "return uint64(made), tx.Rollback(ctx)", "TestFoundWaitsForStandby"},
	{"a found run is acknowledged before a standby has it", "accept.go",
		"return tx.Commit(ctx) // it locked what it found", "return nil // it locked what it found",
		"TestFoundWaitsForStandby"},
	{"a server that hangs is waited for", "primary.go", "end(errDeposed)", "on.Store(name)", "TestHungPrimary"},
	{"a process that is gone keeps its lock", "primary.go", "set_config('idle_in_transaction_session_timeout', $1, false)",
		"set_config('application_name', $1, false)", "TestVanished"},
	{"the tree is not locked", "commit.go", "WHERE id = $1 FOR UPDATE`", "WHERE id = $1`", "TestTwoProcesses"},
	{"acknowledged before it is on disk", "accept.go", "first := map[store.Hash]int{}",
		"tx.Exec(ctx, `SET LOCAL synchronous_commit = off`)\n\tfirst := map[store.Hash]int{}", "TestKilled"},
	{"everyone forms", "outbox.go", "err != nil || !mine {", "err != nil {", "TestOneForms"},
	{"another tenant's ledger", "read.go", "WHERE tree = $1 AND seq > $2", "WHERE tree >= $1 AND seq > $2", "TestTenants"},
	{"the hash of a commit is not checked", "feed.go", "return bytes.Equal(hash, prev)", "return true",
		"TestHistoryChanged"},
	{"a follower is only woken, and a call to wake it is lost", "replica_follow.go",
		"case <-tick.C:\n\t\t}\n\t\terr := r.poll(ctx)",
		"case <-context.Background().Done():\n\t\t}\n\t\terr := r.poll(ctx)", "TestFollows"},
	{"a program goes on that the schema has outgrown", "commit.go", "cmp.Or(err, s.outgrown(needs))",
		"cmp.Or(err, s.outgrown(0))", "TestTwoVersions"},
	{"derived data is not compared with its hash", "derived.go", "!bytes.Equal(have[:], sum)", "len(have) != len(sum)",
		"TestDerivedDamaged"},
	{"the server's read-only state is hidden", "errors.go", `case "25006":`, `case "2500x":`, "TestRefusals"},
}

// TestMutants makes each mistake and expects its test to fail. It takes a minute, so it runs with MEMTREE_MUTANTS.
func TestMutants(t *testing.T) {
	if os.Getenv("MEMTREE_MUTANTS") == "" {
		t.Skip("make cluster runs this")
	}
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			src, err := os.ReadFile(m.file)
			require.NoError(t, err)
			require.Equal(t, 1, strings.Count(string(src), m.old), "the mistake does not fit %s any more", m.file)
			dir := t.TempDir()
			to := filepath.Join(dir, filepath.Base(m.file))
			require.NoError(t, os.WriteFile(to, []byte(strings.Replace(string(src), m.old, m.now, 1)), 0o600))
			b, err := json.Marshal(map[string]any{"Replace": map[string]string{m.file: to}})
			require.NoError(t, err)
			overlay := filepath.Join(dir, "overlay.json")
			require.NoError(t, os.WriteFile(overlay, b, 0o600))
			cmd := exec.CommandContext(t.Context(), "go", "test", "-overlay", overlay, "-vet=off", "-count=1",
				"-run=^"+m.test+"$", ".")
			cmd.Env = append(os.Environ(), "MEMTREE_MUTANTS=")
			out, err := cmd.CombinedOutput()
			require.Error(t, err, "%s does not find it", m.test)
			require.Contains(t, string(out), "--- FAIL: "+m.test, "it cannot be built or tried")
		})
	}
}

// TestMutantsFit: the mistakes fit the code, without making them.
func TestMutantsFit(t *testing.T) {
	for _, m := range mutants {
		src, err := os.ReadFile(m.file)
		require.NoError(t, err)
		require.Equal(t, 1, strings.Count(string(src), m.old), m.name)
	}
}
