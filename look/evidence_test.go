package look

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/tree"
)

// TestEvidenceHasCalls: what a tool agent did is evidence, and what it wrote about it is its claim.
func TestEvidenceHasCalls(t *testing.T) {
	e := tree.Evaluation{Prompt: "Cancel order 7", Observation: "Tools called: get_order > cancel_order"}
	e.Judgment = tree.Raw(`{"verdict": "done", "message": "I cancelled it.",
		"actions": [{"name": "cancel_order", "kwargs": {"why": "late", "id": 7}}]}`)
	in := question(&e, nil)
	require.Equal(t, "Tools called: get_order > cancel_order\n1. cancel_order(id: 7, why: \"late\")", in.Evidence)
	require.Equal(t, "done: I cancelled it.", in.Claim)
	require.True(t, newQuotes(in.Shown(), in.Asked()).found(`cancel_order(id: 7, why: "late")`))

	e.Judgment = tree.Raw(`{"verdict":"fail","steps":["opened it"]}`)
	require.Equal(t, "fail: opened it", question(&e, nil).Claim, "a list of texts is no list of calls")
}

// TestSelected: of long evidence the beginning, the end and what the task is about are shown, in their order.
func TestSelected(t *testing.T) {
	lines := []string{"first step"}
	for i := range 2000 {
		lines = append(lines, fmt.Sprintf("step %d: scroll down once more", i))
	}
	lines[700] = "step 700: fill('bio', 'Python developer')"
	lines[1200] = strings.Repeat("padding ", 100) + "the developer's bio is saved " + strings.Repeat("padding ", 100)
	lines = append(lines, "last step")
	got := selected(strings.Join(lines, "\n"), "Change my bio to Python developer")
	require.LessOrEqual(t, utf8.RuneCountInString(got), prompts.MaxEvidence)
	at := -1
	for _, want := range []string{"first step", withheld, "fill('bio'", withheld, "bio is saved", withheld, "last step"} {
		next := strings.Index(got[at+1:], want)
		require.GreaterOrEqual(t, next, 0, want)
		at += next + 1
	}
	in := prompts.LookInput{Evidence: got}
	require.Equal(t, got, in.Shown(), "nothing more is cut")

	require.Equal(t, "short", selected("short", "short"))
	for _, s := range []string{
		strings.Repeat("a", 10<<20), strings.Repeat("字", 1<<20), strings.Repeat("\n", 1<<20), strings.Repeat("x y ", 1<<20),
	} {
		got := selected(s, "x")
		require.LessOrEqual(t, utf8.RuneCountInString(got), prompts.MaxEvidence)
		require.True(t, utf8.ValidString(got))
	}
}

// TestQualitySelected buries what a run left in the steps of fifty other runs, and counts how many of its words are
// still shown.
func TestQualitySelected(t *testing.T) {
	for _, name := range []string{"webjudge", "judgebench", "tau"} {
		es := evaluations(t, name)
		rng := rand.New(rand.NewPCG(50, 1))
		var chosen, cut, n float64
		for range 200 {
			e := es[rng.IntN(len(es))]
			var before, after []string
			for range 25 {
				before = append(before, visible(&es[rng.IntN(len(es))]))
				after = append(after, visible(&es[rng.IntN(len(es))]))
			}
			long := e
			long.Judgment = tree.Raw(`{"verdict":"pass"}`)
			long.Observation = strings.Join(slices.Concat(before, []string{visible(&e)}, after), "\n")
			in := question(&e, nil)
			chosen += kept(&e, selected(long.Observation, e.Prompt+"\n"+in.Claim))
			cut += kept(&e, prompts.LookInput{Evidence: long.Observation}.Shown())
			n++
		}
		t.Logf("%s: %.2f of the run's lines are shown, %.2f if the middle is cut out", name, chosen/n, cut/n)
		require.Greater(t, chosen, 1.5*cut)
	}
}

// kept returns the share of the lines of a run, with three words or more, that are in what is shown.
func kept(e *tree.Evaluation, shown string) float64 {
	all, in := 0, 0
	for line := range strings.Lines(visible(e)) {
		if line = strings.TrimSpace(line); len(text.Tokens(line)) < 3 {
			continue
		}
		all++
		if strings.Contains(shown, first(line, 60)) {
			in++
		}
	}
	if all == 0 {
		return 1
	}
	return float64(in) / float64(all)
}
