package main

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// A command is made under its own name, and alone where the first argument names it, and serve with it where a config
// file may have settings of it.
func TestCommandsByName(t *testing.T) {
	for name, made := range commands() {
		a, _ := inTest(name, "--quiet")
		require.Equal(t, name, made(a).Name())
		var names []string
		for _, c := range rootCommand(a).Commands() {
			if c.Name() != "no-help" {
				names = append(names, c.Name())
			}
		}
		want := []string{name}
		if name == "config" {
			want = append(want, "serve")
		}
		require.Equal(t, want, names)
		a.config.Path = "memtree.yaml"
		require.True(t, slices.Contains(needed(a), "serve"))
	}
	for _, args := range [][]string{nil, {"--quiet", "stats"}, {"unknown"}, {"__complete", ""}} {
		a, _ := inTest(args...)
		require.Len(t, needed(a), len(commands()))
	}
}
