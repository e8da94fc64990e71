package input

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/cli/say"
)

// filesOf returns the files of a user who types so much.
func filesOf(typed string) *Files {
	return &Files{Voice: say.New(say.Process{Stdin: strings.NewReader(typed), Getenv: func(string) string { return "" }})}
}

// TestText: a text of the limit is taken, a longer one is refused by name.
func TestText(t *testing.T) {
	got, err := filesOf("12345").Text(t.Context(), "-", 5)
	require.NoError(t, err)
	require.Equal(t, "12345", got)
	_, err = filesOf("123456").Text(t.Context(), "-", 5)
	require.EqualError(t, err, "standard input is longer than 5 B, which is the most")
}

// TestLines: empty lines are passed over and counted, and a wait for more ends with the context.
func TestLines(t *testing.T) {
	var at []int
	require.NoError(t, filesOf("a\n\n  \nb").Lines(t.Context(), "-", 10, func(n int, _ []byte) error {
		at = append(at, n)
		return nil
	}))
	require.Equal(t, []int{1, 4}, at)
	err := filesOf(strings.Repeat("x", 20)).Lines(t.Context(), "-", 10, func(int, []byte) error { return nil })
	require.ErrorContains(t, err, "standard input cannot be read")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err = filesOf("a").Lines(ctx, "-", 10, func(int, []byte) error { return nil })
	require.ErrorIs(t, err, context.Canceled)
}

// TestAway: a command in another process finds files from its user's folder, and has none of its user's own.
func TestAway(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "runs.jsonl"), []byte("here"), 0o600))
	f := filesOf("")
	f.Away = &Away{Dir: dir, SameFiles: true, Command: "serve", PID: 7}
	got, err := f.Text(t.Context(), "runs.jsonl", 10)
	require.NoError(t, err)
	require.Equal(t, "here", got)
	_, err = f.Open("none")
	require.ErrorContains(t, err, "open none: ", "the name is that of the user")
	for _, name := range []string{"/dev/stdin", "/proc/self/fd/0"} {
		_, err := f.Open(name)
		require.ErrorContains(t, err, "cannot be read by the process that holds the store")
	}
	f.Away.SameFiles = false
	_, err = f.Open("runs.jsonl")
	require.ErrorContains(t, err, "as in a container of its own")
	f.Getenv = func(string) string { return "vi" }
	_, err = f.Edit(t.Context(), "x", nil)
	require.ErrorContains(t, err, "memtree serve (process 7) holds the store and opens no editor")
}
