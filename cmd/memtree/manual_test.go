package main

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/knowledge"
)

// TestManualHasEveryCommand: each command has a section in both languages, no other has one, and the limits that the
// texts name are those of the code.
func TestManualHasEveryCommand(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		a, _ := inTest("--lang", lang)
		var paths []string
		var walk func(c *cobra.Command)
		walk = func(c *cobra.Command) {
			require.NotEmpty(t, c.Short, "%s has no section in manual/%s.txt", c.CommandPath(), lang)
			paths = append(paths, c.CommandPath())
			for _, sub := range c.Commands() {
				if sub.Name() != "no-help" {
					walk(sub)
				}
			}
		}
		walk(rootCommand(a))
		slices.Sort(paths)
		all := pages(lang)
		delete(all, "")
		require.Equal(t, paths, slices.Sorted(maps.Keys(all)))
		require.Contains(t, all["memtree know list"], fmt.Sprintf("%.1f", knowledge.Floor))
		require.Contains(t, all["memtree know import"], fmt.Sprint(mostConfirmed))
		require.Contains(t, all["memtree replay"], fmt.Sprint(longestDay))
	}
}
