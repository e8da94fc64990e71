package jsonstore

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/memtree/memtree/store"
)

// MustExist returns a *store.FormatError if the folder dir contains no store, or one without its FORMAT.json. It
// returns nil if dir contains a store, even a damaged one, or cannot be read: opening it then returns the reason.
func MustExist(dir string) error {
	info, err := os.Stat(filepath.Join(dir, formatName))
	switch {
	case err == nil && !info.IsDir():
		return nil
	case err == nil || errors.Is(err, fs.ErrNotExist):
		if HoldsParts(dir) {
			return lostFormat(dir)
		}
		return &store.FormatError{Dir: dir, Problem: "holds no memtree store", Missing: true}
	default:
		// A file is in the place of the folder, or the folder cannot be read: opening the store reports which.
		return nil
	}
}

// HoldsParts reports whether the folder dir contains a manifest or a snapshot of a store, even if the file that
// identifies a store, FORMAT.json, is missing. A store without a snapshot has neither.
func HoldsParts(dir string) bool {
	entries, err := os.ReadDir(dir)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return err == nil && holdsParts(names)
}
