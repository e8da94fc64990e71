package taxonomy

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// FileName is the name of the file in a store's folder that contains a team's overlay.
const FileName = "memtree.yaml"

// ReadFolder returns the taxonomy for a store in the folder dir: the built-in one, extended by the overlay in dir if
// there is one that can be opened. dir may be absent, or "". The error is that of Parse, or of reading the overlay.
func ReadFolder(dir string) (*Taxonomy, error) {
	if dir == "" {
		return Default(), nil
	}
	path := filepath.Join(dir, FileName)
	f, err := os.Open(filepath.Clean(path))
	if err != nil { // no overlay; the store reports any other problem of the folder
		return Default(), nil
	}
	defer f.Close() //nolint:errcheck // only read
	b, err := io.ReadAll(io.LimitReader(f, 1<<20))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return Parse(path, b)
}
