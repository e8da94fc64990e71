package jsonstore

import (
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

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
