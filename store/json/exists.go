package jsonstore

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/memtree/memtree/tree"
)

// MustExist says, as a *tree.FormatError, that the folder dir holds no store,
// or nil where it holds one, whole or not.
func MustExist(dir string) error {
	info, err := os.Stat(filepath.Join(dir, formatName))
	switch {
	case err == nil && !info.IsDir():
		return nil
	case err == nil || errors.Is(err, fs.ErrNotExist):
		return &tree.FormatError{Dir: dir, Problem: "holds no memtree store", Missing: true}
	default:
		// A file where the folder should be, or a folder that is not ours to
		// read: opening says which.
		return nil
	}
}
