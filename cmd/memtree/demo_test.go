package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ingest"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// TestDemo: in both languages the demo fits on two screens, gives guidance for one prompt and none for the other,
// prints the same each time, and leaves no files.
func TestDemo(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		t.Run(lang, func(t *testing.T) {
			temp := t.TempDir()
			for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
				t.Setenv(name, temp)
			}
			code, out, errs := try(t, "", "demo", "--lang", lang)
			require.Zero(t, code, errs)
			require.Empty(t, errs)
			requireNarrow(t, out)
			require.LessOrEqual(t, strings.Count(out, "\n"), 60)
			require.Equal(t, 1, strings.Count(out, "<memory-context>"), out)
			_, again, _ := try(t, "", "demo", "--lang", lang)
			require.Equal(t, out, again)
			left, err := os.ReadDir(temp)
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}

// TestRooms: the demo's sample has both directions and both languages, in the order of its times.
func TestRooms(t *testing.T) {
	directions, notes := map[taxonomy.Direction]int{}, map[string]int{}
	var last tree.Evaluation
	for e, err := range ingest.Read(demoFile, bytes.NewReader(demoRuns)) {
		require.NoError(t, err)
		require.True(t, e.Labelled())
		require.Equal(t, "made-up agent", e.Agent.Name)
		require.True(t, last.At.Before(e.At))
		_, known := taxonomy.Default().SceneType(e.Scene.Type)
		require.True(t, known, e.Scene.Type)
		directions[e.Direction]++
		if e.Reason != "" {
			notes[text.Lang(e.Reason)]++
		}
		last = e
	}
	require.Equal(t, map[taxonomy.Direction]int{
		taxonomy.None: 5, taxonomy.FalsePass: 8, taxonomy.FalseFail: 3,
	}, directions)
	require.Equal(t, map[string]int{"zh": 4, "en": 6}, notes)
}
