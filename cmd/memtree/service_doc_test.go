package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestServiceDoc: every flag and key in the page on running the service exists.
func TestServiceDoc(t *testing.T) {
	b, err := os.ReadFile("../../docs/service.md")
	require.NoError(t, err)
	page := string(b)
	a, _ := inTest()
	root := rootCommand(a)
	known := map[string]bool{"transport": true, "header": true, "system": true, "rm": true} // of other programs
	for _, c := range root.Commands() {
		for _, c := range append(c.Commands(), c) {
			for _, m := range regexp.MustCompile(`--([a-z-]+) `).FindAllStringSubmatch(c.LocalFlags().FlagUsages(), -1) {
				known[m[1]] = true
			}
		}
	}
	for _, m := range regexp.MustCompile(`--([a-z][a-z-]+)`).FindAllStringSubmatch(page, -1) {
		require.True(t, known[m[1]] || root.PersistentFlags().Lookup(m[1]) != nil, m[0])
	}
	_, example, _ := strings.Cut(page, "```yaml\n")
	example, _, _ = strings.Cut(example, "```")
	file := t.TempDir() + "/config.yaml"
	require.NoError(t, os.WriteFile(file, []byte(example), 0o600))
	code, out, errs := try(t, "", "config", "show", "--config", file)
	require.Zero(t, code, errs)
	require.Contains(t, out, "02:30")
	require.LessOrEqual(t, strings.Count(page, "\n"), 150)
}
