package jsonstore

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mutantsName is the file of the mistakes, as patches.
const mutantsName = "testdata/mutants.patch"

// mutant is this package with one mistake.
type mutant struct {
	name  string // description of the mistake
	suite string // the first that detects it
	edits []edit
}

// edit replaces lines of a file.
type edit struct {
	file     string
	line     int // of the list
	old, now string
}

// mutants reads the file of mistakes.
func mutants(t testing.TB) []mutant {
	t.Helper()
	b, err := os.ReadFile(mutantsName)
	require.NoError(t, err)
	var all []mutant
	var m *mutant
	var e *edit
	n := 0
	for line := range strings.Lines(string(b)) {
		n++
		mark, rest := line[:1], strings.TrimSpace(line[1:])
		switch {
		case mark == "=":
			name, suite, _ := strings.Cut(rest, ": ")
			all, e = append(all, mutant{name: name, suite: suite}), nil
			m = &all[len(all)-1]
		case mark == "@" && m != nil:
			m.edits = append(m.edits, edit{file: rest, line: n})
			e = &m.edits[len(m.edits)-1]
		case strings.Contains(" -+", mark) && e != nil:
			if mark != "+" {
				e.old += line[1:]
			}
			if mark != "-" {
				e.now += line[1:]
			}
		case mark != "#" && rest+mark != "\n":
			t.Fatalf("%s:%d: %q is neither a mutant (=), a file of one (@) nor a line of a file", mutantsName, n, line)
		}
	}
	return all
}

// patched returns the changed files, by name.
func (m *mutant) patched() (map[string]string, error) {
	files := map[string]string{}
	for _, e := range m.edits {
		src, ok := files[e.file]
		if !ok {
			b, err := os.ReadFile(e.file)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %q changes a file that cannot be read: %w", mutantsName, e.line, m.name, err)
			}
			src = "\n" + string(b)
		}
		if n := strings.Count(src, "\n"+e.old); n != 1 || e.old == "" {
			return nil, fmt.Errorf("%s:%d: the patch for %q does not fit %s any more: the lines it changes stand there %d "+
				"times, not once; make the same mistake in the code as it is now",
				mutantsName, e.line, m.name, e.file, n)
		}
		files[e.file] = strings.Replace(src, "\n"+e.old, "\n"+e.now, 1)
	}
	return files, nil
}

// overlay writes the changed files, and the overlay file for the go command.
func (m *mutant) overlay(t testing.TB, dir string) string {
	t.Helper()
	files, err := m.patched()
	require.NoError(t, err)
	replace := map[string]string{}
	for name, src := range files {
		replace[name] = filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(replace[name], []byte(src), 0o600))
	}
	b, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(t, err)
	to := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(to, b, 0o600))
	return to
}

// hunted is the suite that found a mistake, and the number of stores opened until then.
type hunted struct {
	By     string
	States int64
}

// hunt runs the suites on the mutant, as a test in a separate process.
func (m *mutant) hunt(t testing.TB) hunted {
	t.Helper()
	dir := t.TempDir()
	to := filepath.Join(dir, "hunted.json")
	cmd := exec.CommandContext(t.Context(), "go", "test", "-overlay", m.overlay(t, dir), "-vet=off", "-ldflags=-s -w",
		"-count=1", "-timeout=30m", "-run=^TestHunt$")
	cmd.Env = append(os.Environ(), "MEMTREE_HUNT="+to)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%q cannot be built or tried:\n%s", m.name, out)
	b, err := os.ReadFile(to)
	require.NoError(t, err, "%q was not tried:\n%s", m.name, out)
	var h hunted
	require.NoError(t, json.Unmarshal(b, &h))
	return h
}

// TestHunt runs in that process. It writes the result that mutant.hunt reads.
func TestHunt(t *testing.T) {
	to := os.Getenv("MEMTREE_HUNT")
	if to == "" {
		t.Skip("TestMutants runs this on each mutant")
	}
	b, err := json.Marshal((&hunter{}).hunt(t))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(to, b, 0o600)) //nolint:gosec // the one who asked names it
}

// TestMutantsFit checks that the patches fit the code, without running them.
func TestMutantsFit(t *testing.T) {
	all := mutants(t)
	assert.Len(t, all, 25)
	suites := (&hunter{}).suites()
	seen := map[string]bool{}
	for _, m := range all {
		assert.False(t, seen[m.name], "%q is there twice", m.name)
		seen[m.name] = true
		assert.NotEmpty(t, m.edits, m.name)
		assert.True(t, slices.ContainsFunc(suites, func(s suite) bool { return s.name == m.suite }),
			"%q: there is no suite %q", m.name, m.suite)
		_, err := m.patched()
		assert.NoError(t, err)
	}
}

// TestMutantsMisfit pins the messages for patches that do not fit.
func TestMutantsMisfit(t *testing.T) {
	m := mutant{name: "no lock", edits: []edit{{file: "race_test.go", line: 7, old: "not there\n"}}}
	_, err := m.patched()
	require.EqualError(t, err, `testdata/mutants.patch:7: the patch for "no lock" does not fit race_test.go any more: `+
		`the lines it changes stand there 0 times, not once; make the same mistake in the code as it is now`)
	m.edits[0].file = "none.go"
	_, err = m.patched()
	require.ErrorContains(t, err, `testdata/mutants.patch:7: "no lock" changes a file that cannot be read`)
}

// mutants makes each mistake and prints the suite that finds it.
func (p *proof) mutants() {
	all := mutants(p.t)
	p.say("%-42s %12s %9s %8s", "mutant", "states", "killed by", "seconds")
	p.t.Run("mutants", func(t *testing.T) {
		for _, m := range all {
			t.Run(m.name, func(t *testing.T) {
				t.Parallel()
				began := time.Now()
				h := m.hunt(t)
				p.say("%-42s %12d %9s %8.1f", m.name, h.States, h.By, time.Since(began).Seconds())
				assert.NotEqual(t, survived, h.By)
				if p.seed == 1 { // other amounts, other suites
					assert.Equal(t, m.suite, h.By, "%q is seen by another suite than %s says", m.name, mutantsName)
				}
			})
		}
	})
}

// TestMutants is for `make mutants`. TestProve includes the same.
func TestMutants(t *testing.T) {
	if os.Getenv("MEMTREE_MUTANTS") == "" {
		t.Skip("TestProve does this too")
	}
	(&proof{t: t, amount: amounts(), began: time.Now()}).mutants()
}
