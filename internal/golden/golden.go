// Package golden compares the output of a test with a file beside it.
//
// Run the tests with -update to rewrite the files, then read the diff.
package golden

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write golden files instead of comparing with them")

// Equal fails the test unless got equals the content of the file at path. With -update it writes got to the file, and
// makes its folders.
func Equal(tb testing.TB, path, got string) {
	tb.Helper()
	if *update {
		require.NoError(tb, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(tb, os.WriteFile(path, []byte(got), 0o644)) //nolint:gosec // a test file is meant to be read by all
		return
	}
	want, err := os.ReadFile(filepath.Clean(path))
	require.NoError(tb, err, "no golden file yet: run the test with -update")
	require.Equal(tb, string(want), got,
		"differs from %s; run with -update and read the diff if the change is meant", path)
}

// Bytes is Equal for binary data, except that its failure does not show the difference, and that it makes no folders.
func Bytes(tb testing.TB, path string, got []byte) {
	tb.Helper()
	if *update {
		require.NoError(tb, os.WriteFile(path, got, 0o644)) //nolint:gosec // a test file is meant to be read by all
		return
	}
	want, err := os.ReadFile(filepath.Clean(path))
	require.NoError(tb, err, "no golden file yet: run the test with -update")
	if !bytes.Equal(want, got) {
		require.Fail(tb, path+" is out of date; run with -update")
	}
}

// Updating reports whether -update is set, so that files are written and not compared.
func Updating() bool { return *update }
