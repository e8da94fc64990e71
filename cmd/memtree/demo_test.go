package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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
