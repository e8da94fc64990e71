package jsonstore

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestScratch: a temporary file has no name that another process could open, and takes no part in the store.
func TestScratch(t *testing.T) {
	dir := t.TempDir()
	s, err := OpenDir(t.Context(), dir, Options{Started: time.Unix(0, 0)})
	require.NoError(t, err)
	f, err := s.Scratch()
	require.NoError(t, err)
	_, err = f.WriteAt([]byte("portion"), 1<<20)
	require.NoError(t, err)
	names, err := s.disk.names(".")
	require.NoError(t, err)
	require.NotContains(t, strings.Join(names, " "), tempMark)
	_, err = os.Stat(f.Name())
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, s.Close())
	require.NoError(t, f.Close())

	m, err := OpenMemory(t.Context(), Options{Started: time.Unix(0, 0)})
	require.NoError(t, err)
	_, err = m.Scratch()
	require.ErrorIs(t, err, errors.ErrUnsupported)
	names, err = m.disk.names(".")
	require.NoError(t, err)
	require.NotContains(t, strings.Join(names, " "), tempMark)
	require.NoError(t, m.Close())
}

// TestUnfinishedDerivedDataGoes: what a process leaves that ends while it stores an index is removed by the next.
func TestUnfinishedDerivedDataGoes(t *testing.T) {
	dir := t.TempDir()
	s, err := OpenDir(t.Context(), dir, Options{Started: time.Unix(0, 0)})
	require.NoError(t, err)
	require.NoError(t, s.SaveDerived(t.Context(), "index", 1, func(w io.Writer) error {
		_, err := w.Write([]byte("head"))
		return err
	}))
	require.NoError(t, s.Close())
	left := filepath.Join(dir, derivedFolder, tempMark+"index-0123456789abcdef.000001-00")
	require.NoError(t, os.Remove(filepath.Join(dir, shutdownName))) // it was killed
	require.NoError(t, os.WriteFile(left, make([]byte, 1<<16), 0o600))
	s, err = OpenDir(t.Context(), dir, Options{Started: time.Unix(0, 0)})
	require.NoError(t, err)
	require.NoFileExists(t, left)
	d, err := s.OpenDerived(t.Context(), "index")
	require.NoError(t, err)
	require.NoError(t, d.Closer.Close())
	require.NoError(t, s.Close())
}
