package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/internal/byhand"
	"github.com/memtree/memtree/tree"
)

// phoneTests returns the names, the steps and the whole tests of a phone's settings, calls and bookmarks (moztrap).
// Their texts may be measured with and not copied, so no recording of them is in testdata.
func phoneTests(t *testing.T) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(shared(t), "data", "retrieval", "moztrap_cases.jsonl"))
	require.NoError(t, err)
	var out []string
	add := func(s string) {
		if s = strings.TrimSpace(s); len(s) >= 12 && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	for line := range strings.Lines(string(b)) {
		var c struct {
			Name, Description string
			Steps             []struct{ Do, Expect string }
		}
		require.NoError(t, json.Unmarshal([]byte(line), &c))
		whole := c.Name
		for _, s := range c.Steps {
			add(s.Do)
			whole += "\n" + s.Do + "\nExpected: " + s.Expect
		}
		add(c.Name)
		add(whole)
	}
	return out
}

// TestMixed mixes tests of another product into the coming tests of two suites, without a product, and reports how many
// of them are given something, with a reader and without. It runs only with readerVariable, whose folder has the
// answers: mixed-SUITE.answers.jsonl.
func TestMixed(t *testing.T) {
	folder := os.Getenv(readerVariable)
	if folder == "" {
		t.Skip(readerVariable + " names the folder of the answers")
	}
	for _, name := range []string{"b", "i"} {
		t.Run(name, func(t *testing.T) {
			phone := phoneTests(t)
			p := play(t, name, answersOf(t, filepath.Join(folder, "mixed-"+name+".answers.jsonl"))...)
			count := func() (told int, texts []string) {
				for _, prompt := range phone {
					g, err := p.Guide(t.Context(), memtree.Query{Prompt: prompt})
					require.NoError(t, err)
					if g.Text != "" {
						told++
						texts = append(texts, prompt, g.Text)
					}
				}
				return told, texts
			}
			words, _ := count()
			mixed := coming(p.queries)
			for _, prompt := range phone {
				mixed = append(mixed, brief.TestOf(prompt, tree.Scene{}, tree.Scope{}))
			}
			slices.SortFunc(mixed, func(a, b brief.UpcomingTest) int { return strings.Compare(a.Key(), b.Key()) })
			for range 2 {
				_, err := p.Briefs().Read(t.Context(), mixed, nil)
				require.NoError(t, err)
			}
			var questions bytes.Buffer
			require.NoError(t, byhand.Write(&questions, p.hand.Open()))
			require.NoError(t, os.WriteFile(filepath.Join(folder, "mixed-"+name+".questions.jsonl"), questions.Bytes(),
				0o600))
			read, texts := count()
			require.NoError(t, os.WriteFile(filepath.Join(folder, "mixed-"+name+".told.txt"),
				[]byte(strings.Join(texts, "\n\n")), 0o600))
			t.Logf("%s: of %d tests of another product %d are given something by words, %d with the reader; open %d",
				name, len(phone), words, read, len(p.hand.Open()))
		})
	}
}
