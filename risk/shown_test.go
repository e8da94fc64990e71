package risk

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/tree"
)

// TestWholeWords: reasons show readable words, and the text they are from.
func TestWholeWords(t *testing.T) {
	const prompt = "Check that the eGFR of 118 patients' records is kept, and the F3 column works"
	const seen = "saved: gfr 3 图片签收"
	gfr := []string{"eGFR", "works", "gfr"}
	for name, c := range map[string]struct {
		signal string
		tokens []string
		words  []string
		from   string
	}{
		"parts of words, numbers and letters": {"seen", []string{"s", "118", "kept", "3"}, []string{"kept"}, FromPrompt},
		"a part of an identifier":             {"seen", []string{"2", "gfr", "work"}, gfr, FromBoth},
		"an identifier with a number":         {"seen", []string{"f3"}, []string{"F3"}, FromPrompt},
		"of the observation alone":            {"seen", []string{"save"}, []string{"saved"}, FromObservation},
		"Chinese":                             {"seen", []string{"图", "图片", "片签", "签收"}, []string{"图片签收"}, FromObservation},
		"one character":                       {"seen", []string{"图"}, nil, ""},
		"of the reason":                       {"words", []string{"loaded"}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			rs := []Reason{{Signal: c.signal, Words: c.tokens}}
			whole(rs, "the list", prompt, seen)
			require.Equal(t, c.words, rs[0].Words)
			require.Equal(t, c.from, rs[0].From)
		})
	}
}

// TestBefore: a test that was misjudged before is recognized after the first truth.
func TestBefore(t *testing.T) {
	m := New()
	run := func(test string, i int) *tree.Evaluation {
		return &tree.Evaluation{ID: fmt.Sprint(test, i), CaseID: test, Prompt: "p " + test, Judgment: tree.Raw(`"pass"`)}
	}
	require.Zero(t, m.Score(run("a", 1)).Before)
	m.Learn("a1", Extract(run("a", 1)), false, "false_pass")
	m.Learn("b1", Extract(run("b", 1)), true, "")
	r := m.Score(run("a", 2))
	require.False(t, r.Enough)
	require.Equal(t, SameTest{Known: 1, Wrong: 1}, r.Before)
	require.Equal(t, SameTest{Known: 1}, m.Score(run("b", 2)).Before)
	failed := run("a", 3)
	failed.Judgment = tree.Raw(`"fail"`)
	require.Equal(t, SameTest{Known: 1, Wrong: 1}, m.Score(failed).Before)
}
