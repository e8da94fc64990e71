package memtreetest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/harness"
	"github.com/memtree/memtree/memtreetest"
	"github.com/memtree/memtree/tree"
)

var cart = memtree.Evaluation{
	RunID: "monday", CaseID: "CART_7", Scene: tree.Scene{ID: "CART", Type: "list", Route: "/cart"},
	Prompt:      "Check that the cart total equals the sum of the item prices",
	Judgment:    tree.Raw(`{"verdict":"pass"}`),
	GroundTruth: tree.Raw(`{"verdict":"fail"}`),
	Reason:      "The total shows 59.80 although the items add up to 69.80: the agent did not compare the amounts",
}

var about = memtree.Query{Prompt: "Check the cart total against the sum of the item prices", Scene: cart.Scene}

// heard collects the errors of an assertion.
type heard struct {
	testing.TB
	said []string
}

func (h *heard) Errorf(format string, args ...any) {
	h.said = append(h.said, fmt.Sprintf(format, args...))
}

func TestTold(t *testing.T) {
	m := memtreetest.Seed(t, cart)
	memtreetest.Told(t, m, about, "CART_7")
	memtreetest.NotTold(t, m, memtree.Query{Prompt: "Translate this poem into Latin"})

	h := &heard{TB: t}
	memtreetest.Told(h, m, about, "CART_8")
	require.Len(t, h.said, 1)
	require.Contains(t, h.said[0], "CART_7", "it says what is told in its place")
	memtreetest.Told(h, m, memtree.Query{Prompt: "Translate this poem into Latin"}, "CART_7")
	require.Contains(t, h.said[1], "nothing is told")
	memtreetest.NotTold(h, m, about)
	require.Contains(t, h.said[2], "<memory-context>")
}

// TestToldOfLesson: Told finds a lesson by the tests that support it.
func TestToldOfLesson(t *testing.T) {
	var runs []memtree.Evaluation
	for i := range 4 {
		e := cart
		e.CaseID, e.Scene.Route = fmt.Sprint("CART_", i), fmt.Sprint("/cart/", i)
		e.Prompt = strings.ReplaceAll(e.Prompt, "item", []string{"item", "line", "article", "row"}[i])
		e.Reason += fmt.Sprintf(" Seen in cart %d.", i) // each note is different evidence
		runs = append(runs, e)
	}
	m := memtreetest.Seed(t, runs...)
	done, err := m.Evolve(t.Context(), nil)
	require.NoError(t, err)
	require.NotZero(t, done.Changed())
	memtreetest.Told(t, m, memtree.Query{Prompt: about.Prompt, Scene: tree.Scene{Route: "/basket"}}, "CART_2")
}

func TestRead(t *testing.T) {
	name := filepath.Join(t.TempDir(), "runs.jsonl")
	line := `{"case_id":"CART_7","prompt":"p","judgment":{"verdict":"pass"},"correct":false}`
	require.NoError(t, os.WriteFile(name, []byte(line+"\n"), 0o600))
	require.Equal(t, "CART_7", memtreetest.Read(t, name)[0].CaseID)
}

// TestOpen: without a folder and without the variable the store is temporary.
func TestOpen(t *testing.T) {
	t.Setenv(memtreetest.StoreVariable, "")
	require.NoError(t, memtreetest.Open(t, "").Record(t.Context(), cart))
}

const (
	asAgent  = "MEMTREETEST_AGENT"  // the judgment of the agent of TestAgent; without it the test is skipped
	asJudge  = "MEMTREETEST_JUDGE"  // set: a judge decides
	asLogged = "MEMTREETEST_PROMPT" // a file for the prompt that the agent received
)

// TestAgent is a team's own test. It runs in a separate process, because it has to fail.
func TestAgent(t *testing.T) {
	if os.Getenv(asAgent) == "" {
		t.Skip("it is run by others")
	}
	var judge harness.Judge
	if os.Getenv(asJudge) != "" {
		judge = func(_ context.Context, c harness.Test, r harness.TestResult) (harness.JudgeVerdict, error) {
			if string(r.Judgment) == `"dunno"` {
				return harness.JudgeVerdict{}, errors.New("no idea")
			}
			return harness.JudgeVerdict{Correct: strings.Contains(string(r.Judgment), "fail"), Reason: cart.Reason}, nil
		}
	}
	memtreetest.Run(t, "", []harness.Test{{
		ID: cart.CaseID, Prompt: about.Prompt, Scene: cart.Scene, GroundTruth: cart.GroundTruth,
	}}, func(_ context.Context, c harness.Test) (harness.TestResult, error) {
		if c.GroundTruth != nil {
			t.Error("the agent saw the truth")
		}
		if err := os.WriteFile(os.Getenv(asLogged), []byte(c.Prompt), 0o600); err != nil {
			t.Error(err)
		}
		return harness.TestResult{Judgment: tree.Raw(os.Getenv(asAgent))}, nil
	}, judge)
}

// goTest runs TestAgent and returns its log, the agent's prompt, and whether the test passed.
func goTest(t *testing.T, store string, env ...string) (log, prompt string, passed bool) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "prompt")
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAgent$", "-test.v") //nolint:gosec // this very test
	c.Env = append(append(os.Environ(), memtreetest.StoreVariable+"="+store, asLogged+"="+file), env...)
	out, err := c.CombinedOutput()
	asked, _ := os.ReadFile(file) //nolint:gosec // its own
	return string(out), string(asked), err == nil
}

// known returns the judged runs of a store: all, and the wrong ones.
func known(t *testing.T, store string) (all, wrong int) {
	t.Helper()
	m, err := memtree.Open(t.Context(), store, &memtree.Options{ReadOnly: true})
	require.NoError(t, err)
	defer m.Close()
	for e, err := range m.Tree().Ledger(t.Context(), 0) {
		require.NoError(t, err)
		if e.Verdict != nil {
			all++
			if e.Verdict.Labelled && !e.Verdict.Correct {
				wrong++
			}
		}
	}
	return all, wrong
}

func TestRun(t *testing.T) {
	store := filepath.Join(t.TempDir(), "store")
	wrong, right := asAgent+`={"verdict":"pass"}`, asAgent+`={"verdict":"fail"}`
	log, prompt, passed := goTest(t, store, wrong)
	require.False(t, passed, log)
	require.Contains(t, log, `the agent judged {"verdict":"pass"}; true is {"verdict":"fail"}`)
	require.Equal(t, about.Prompt, prompt, "an empty memory says nothing")

	told := false
	for range 12 { // chance may hold a run out
		log, prompt, passed = goTest(t, store, right, asJudge+"=1")
		require.True(t, passed, log)
		if told = strings.Contains(prompt, "<memory-context>"); told {
			require.Contains(t, log, "memtree told this run:")
			break
		}
		require.Contains(t, log, "chance holds this run out")
	}
	require.True(t, told)

	_, wrongs := known(t, store)
	require.Equal(t, 1, wrongs)
	log, _, passed = goTest(t, store, asAgent+`="dunno"`, asJudge+"=1")
	require.True(t, passed, "a judge that fails says nothing: %s", log)
	require.Contains(t, log, "its judge failed: no idea")
}

// TestRunWithoutMemory: with any problem of the store, the agent runs and the test reports its judgment.
func TestRunWithoutMemory(t *testing.T) {
	right := asAgent + `={"verdict":"fail"}`
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "FORMAT.json"), []byte("{"), 0o600))
	log, prompt, passed := goTest(t, dir, right)
	require.True(t, passed, log)
	require.Equal(t, about.Prompt, prompt)
	require.Contains(t, log, "the tests run without memory")

	log, _, passed = goTest(t, "", right)
	require.True(t, passed, log)
	require.Contains(t, log, "no store is named")
}

// TestRunBesideAnother: a store that another process writes is read, and written once that is done.
func TestRunBesideAnother(t *testing.T) {
	store := filepath.Join(t.TempDir(), "store")
	m, err := memtree.Open(t.Context(), store, nil)
	require.NoError(t, err)
	require.NoError(t, m.Record(t.Context(), cart))
	require.NoError(t, m.Wait(t.Context()))
	type end struct {
		log, prompt string
		passed      bool
	}
	done := make(chan end)
	file := filepath.Join(t.TempDir(), "asked")
	go func() {
		log, prompt, passed := goTest(t, store, asAgent+`={"verdict":"fail"}`, asLogged+"="+file)
		done <- end{log, prompt, passed}
	}()
	require.Eventually(t, func() bool { // it runs while this process holds the store
		b, err := os.ReadFile(file)                                     //nolint:gosec // its own
		return err == nil && strings.HasPrefix(string(b), about.Prompt) // chance may hold its guidance back
	}, patience, tick)
	require.NoError(t, m.Close())
	got := <-done
	require.True(t, got.passed, got.log)
	all, _ := known(t, store)
	require.Equal(t, 2, all, got.log)
}
