// Package whole writes files whole: a reader, and whoever looks after the power has failed, finds
// the file that was there before or all of the new one.
package whole

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Suffix ends the names of files that are not written to the end. What a killed program leaves of
// them does no harm and can be removed.
const Suffix = ".unfinished"

// Write has write fill a new file beside path, and renames it to path when all of it is on the disk.
// The file has the mode, whatever the umask. If it fails, path is as it was and nothing is left
// beside it. Of two that write one path at once, the later rename stays.
func Write(path string, mode fs.FileMode, write func(io.Writer) error) error {
	dir, base := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
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

// Bytes is Write for what is at hand.
func Bytes(path string, mode fs.FileMode, b []byte) error {
	return Write(path, mode, func(w io.Writer) error {
		_, err := w.Write(b)
		return err //nolint:wrapcheck // Write says where
	})
}

// syncFolder has the new name last too. The file is there already, and not every system lets a
// folder be opened, so an error is nobody's.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil { //nolint:gosec // the folder of the file
		_ = d.Sync()  // see above
		_ = d.Close() // likewise
	}
}
