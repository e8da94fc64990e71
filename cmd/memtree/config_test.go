package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/cli/say"
)

// TestConfigWins: a flag overrides a variable, a variable the file, and the file the default.
func TestConfigWins(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(file, []byte("store: a\nlisten: 127.0.0.1:1\nrate: 7\nllm-api-key: sk-secret-1\n"+
		"llm-model: m\ntree:\n  - shop=/x\n  - bank=/y\n"), 0o600))
	var screen, said bytes.Buffer
	code := run(t.Context(), say.Process{
		Args: []string{"config", "show", "--config", file, "--store", "b"}, Stdin: strings.NewReader(""), Stdout: &screen,
		Stderr: &said, Getenv: func(name string) string { return map[string]string{"MEMTREE_RATE": "9"}[name] },
	})
	out, errs := screen.String(), said.String()
	require.Zero(t, code, errs)
	require.NotContains(t, out, "secret")
	for _, want := range []string{"store b --store", "rate 9 MEMTREE_RATE", "log-format json default",
		"tree shop=/x,bank=/y"} {
		require.Contains(t, strings.Join(strings.Fields(out), " "), want)
	}
	code, out, errs = try(t, "", "config", "show", "--config", file, "--json")
	require.Zero(t, code, errs)
	require.Contains(t, out, file+":2")
}

// TestConfigMistakes: each error is a sentence with file, line and key.
func TestConfigMistakes(t *testing.T) {
	for body, want := range map[string]string{
		"listn: x":            ":1: listn: there is no such key; did you mean listen?",
		"checks: x":           ":1: checks: there is no such key; memtree config show lists them",
		"\nrate: fast":        `:2: rate is "fast"; it takes a number`,
		"rate: [1]":           ":1: rate is a list; it takes a number",
		"llm-timeout: soon":   `llm-timeout is "soon"; it takes a time such as 90s or 5m`,
		"lang: {a: b}":        ":1: lang: takes a text, a number, true, false, or a list of texts",
		"lang: fr":            `--lang is "fr"; use zh or en`,
		"store: a\nstore: b":  ":2: is not YAML: mapping key",
		"- a":                 "is no list of keys; write one a line, as KEY: VALUE",
		"a: [":                "is not YAML",
		"llm-api-key: sk-x12": ":1: llm-api-key: everybody on this machine may read the file",
	} {
		if runtime.GOOS == "windows" && strings.HasPrefix(body, "llm-api") {
			continue
		}
		file := filepath.Join(t.TempDir(), "config.yaml")
		require.NoError(t, os.WriteFile(file, []byte(body), 0o600))
		require.NoError(t, os.Chmod(file, 0o644))
		code, _, errs := try(t, "", "version", "--config", file)
		require.Equal(t, exitUsage, code, body)
		require.Contains(t, errs, want, body)
		require.NotContains(t, errs, "sk-x12")
	}
	code, _, errs := try(t, "", "version", "--config=/nowhere.yaml")
	require.Equal(t, exitUsage, code)
	require.Contains(t, errs, "there is no config file /nowhere.yaml")
}
