package whole_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/whole"
)

// TestWrite: the new file is complete, with its mode; if writing fails, the old file remains and nothing beside it.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.json")
	require.NoError(t, whole.Bytes(path, 0o600, []byte("old")))
	require.NoError(t, whole.Bytes(path, 0o640, []byte("new")))
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "new", string(b))
	if runtime.GOOS != "windows" { // it knows no such modes
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o640), info.Mode())
	}

	full := errors.New("the disk is full")
	err = whole.Write(path, 0o600, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half")
		return full
	})
	require.ErrorIs(t, err, full)
	require.ErrorContains(t, err, path)
	b, err = os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "new", string(b))
	require.Error(t, whole.Bytes(filepath.Join(dir, "none", "a"), 0o600, nil))
	require.Error(t, whole.Bytes(dir, 0o600, nil), "a folder is not replaced")
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1)
}

// TestJSON: what was saved is loaded, by the version that saved it alone.
func TestJSON(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, whole.SaveJSON(&b, 2, map[string]int{"b": 1, "a": 2}))
	var got map[string]int
	require.NoError(t, whole.LoadJSON(bytes.NewReader(b.Bytes()), 2, &got))
	require.Equal(t, map[string]int{"a": 2, "b": 1}, got)
	require.EqualError(t, whole.LoadJSON(bytes.NewReader(b.Bytes()), 3, &got), "it is of version 2")
	require.EqualError(t, whole.LoadJSON(bytes.NewReader(b.Bytes()[1:]), 2, &got), "it is damaged")
	require.ErrorContains(t, whole.LoadJSON(bytes.NewReader(b.Bytes()), 2, new([]int)), "decode it: ")
}
