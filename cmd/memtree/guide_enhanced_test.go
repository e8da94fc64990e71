package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/tree"
)

// TestGuidePrintsAnyPrompt: with --enhanced an agent gets its prompt byte for byte, also one that no memory can be
// found for; without it such a prompt is a mistake.
func TestGuidePrintsAnyPrompt(t *testing.T) {
	store := filepath.Join(t.TempDir(), "store")
	code, _, errs := try(t, "", "init", "--store", store)
	require.Equal(t, exitOK, code, errs)
	for name, x := range map[string]struct{ prompt, why string }{
		"too long":  {strings.Repeat("Check the total. ", tree.MaxField/16), "the most"},
		"not UTF-8": {"Check \xff the total\n", "UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := try(t, x.prompt, "guide", "--prompt", "-", "--store", store, "--enhanced")
			require.Equal(t, exitOK, code, errs)
			require.Equal(t, x.prompt, strings.TrimSuffix(out, "\n")+strings.Repeat("\n", strings.Count(x.prompt, "\n")))
			code, out, errs = try(t, x.prompt, "guide", "--prompt", "-", "--store", store)
			require.Equal(t, exitFailed, code)
			require.Empty(t, out)
			require.Contains(t, errs, x.why)
		})
	}
}
