package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestExplainNotes: one note on six runs makes no lesson; --explain names what is missing in both languages, and what
// it says to do makes one.
func TestExplainNotes(t *testing.T) {
	store := filepath.Join(t.TempDir(), "store")
	run := func(stdin string, args ...string) string {
		code, out, errs := try(t, stdin, append(args, "--store", store)...)
		require.Zero(t, code, errs)
		return out
	}
	run("", "init")
	var lines strings.Builder
	for i := range 6 {
		fmt.Fprintf(&lines, `{"run_id":"r%d","case_id":"C%d","prompt":"Check that the total of cart %d is right",`+
			`"judgment":{"passed":true},"ground_truth":{"passed":false},"reason":"Nobody added up the lines."}`+"\n", i, i, i)
	}
	run(lines.String(), "record", "-")
	require.Contains(t, run("", "evolve"), "no group of cases is enough")
	explained := strings.Join(strings.Fields(run("", "evolve", "--explain")), " ")
	require.Contains(t, explained, "with as many different notes")
	require.Contains(t, explained, "1 of 3 different notes (one note on many runs counts once")
	zh := strings.Join(strings.Fields(run("", "evolve", "--explain", "--lang", "zh")), "")
	require.Contains(t, zh, "同一条备注用于多次运行只算一条")
	for i, note := range []string{
		"The lines of the cart were never added up.", "The sum of the three lines was not worked out.",
	} {
		run("", "relabel", fmt.Sprintf("r%d", i), "--truth", `{"passed":false}`, "--reason", note)
	}
	require.Contains(t, run("", "evolve"), "new experiences: 1")
}
