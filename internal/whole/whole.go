// Package whole writes files atomically: a reader, also after a power failure, finds either the old file or all of
// the new one.
package whole

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Suffix is the end of the name of each temporary file. A killed program may leave such a file, which does no harm and
// can be removed.
const Suffix = ".unfinished"

// Write writes a file atomically: it makes a temporary file beside path, calls write to fill it, syncs it to disk and
// renames it to path. The file gets mode whatever the umask is. On an error path is unchanged and the temporary file is
// removed. If two calls write the same path concurrently, the later rename wins.
func Write(path string, mode fs.FileMode, write func(io.Writer) error) error {
	dir, base := filepath.Split(path)
	dir = cmp.Or(dir, ".")
	f, err := os.CreateTemp(dir, "."+base+".*"+Suffix)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err = write(f); err == nil {
		err = errors.Join(f.Chmod(mode), f.Sync())
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, errors.Join(err, os.Remove(f.Name())))
	}
	syncFolder(dir)
	return nil
}

// Bytes writes b to the file at path atomically. See Write.
func Bytes(path string, mode fs.FileMode, b []byte) error {
	return Write(path, mode, func(w io.Writer) error {
		_, err := w.Write(b)
		return err //nolint:wrapcheck // Write says where
	})
}

// syncFolder makes the rename durable. It ignores errors: the file is already in place, and not every system allows
// opening a folder.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil { //nolint:gosec // the folder of the file
		_ = d.Sync()  // see above
		_ = d.Close() // likewise
	}
}
