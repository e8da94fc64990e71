package transfer

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/memtree/memtree/internal/whole"
)

// newFolder returns the sink of the folder form: files nodes/ERROR_TYPE.jsonl with one node a line, and manifest.json.
// It creates the folder if it is missing. The files of an earlier export stay until the manifest is written; files of
// other names always stay.
func newFolder(dir string) (*folder, error) {
	nodes := filepath.Join(dir, nodesFolder)
	if err := os.MkdirAll(nodes, 0o755); err != nil { //nolint:gosec // made to be shared
		return nil, fmt.Errorf("write a folder of nodes: %w", err)
	}
	return &folder{dir: dir, open: map[string]bool{}}, nil
}

// folder is the sink of a folder. It writes everything under temporary names first.
type folder struct {
	dir  string
	file *os.File        // of the present error type
	open map[string]bool // error types with a temporary file
}

// unfinished ends the names of temporary files.
const unfinished = whole.Suffix

// path returns the name of an error type's file.
func (f *folder) path(errorType string) string {
	return filepath.Join(f.dir, nodesFolder, errorType+".jsonl")
}

// lines appends a part to the file of its error type; part 1 begins the file.
func (f *folder) lines(errorType string, part int, b []byte) error {
	if part == 1 {
		if err := f.endFile(); err != nil {
			return err
		}
		file, err := os.Create(f.path(errorType) + unfinished)
		if err != nil {
			return fmt.Errorf("write a folder of nodes: %w", err)
		}
		f.file, f.open[errorType] = file, true
	}
	if _, err := f.file.Write(b); err != nil {
		return fmt.Errorf("write a folder of nodes: %w", err)
	}
	return nil
}

// endFile closes the present file after syncing it to disk.
func (f *folder) endFile() error {
	if f.file == nil {
		return nil
	}
	err := errors.Join(f.file.Sync(), f.file.Close())
	f.file = nil
	if err != nil {
		return fmt.Errorf("write a folder of nodes: %w", err)
	}
	return nil
}

// manifest moves every file to its final name. The old manifest is removed first and the new one comes last. So a
// folder that is half replaced has no manifest, and readers refuse it.
func (f *folder) manifest(b []byte) error {
	if err := f.endFile(); err != nil {
		return err
	}
	to := filepath.Join(f.dir, manifestName)
	if err := writeSynced(to+unfinished, b); err != nil {
		return err
	}
	if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("write a folder of nodes: %w", err)
	}
	if err := f.removeOld(); err != nil {
		return err
	}
	for errorType := range f.open {
		if err := os.Rename(f.path(errorType)+unfinished, f.path(errorType)); err != nil {
			return fmt.Errorf("write a folder of nodes: %w", err)
		}
	}
	if err := os.Rename(to+unfinished, to); err != nil {
		return fmt.Errorf("write a folder of nodes: %w", err)
	}
	return nil
}

// writeSynced writes a file and waits until it is on disk.
func writeSynced(path string, b []byte) error {
	file, err := os.Create(path) //nolint:gosec // the caller's folder, our name
	if err != nil {
		return fmt.Errorf("write a folder of nodes: %w", err)
	}
	_, err = file.Write(b)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return fmt.Errorf("write a folder of nodes: %w", err)
	}
	return nil
}

// removeOld removes the files of error types that this export does not have.
func (f *folder) removeOld() error {
	entries, err := os.ReadDir(filepath.Join(f.dir, nodesFolder))
	if err != nil {
		return fmt.Errorf("write a folder of nodes: %w", err)
	}
	for _, e := range entries {
		errorType, ours := strings.CutSuffix(e.Name(), ".jsonl")
		if !ours || !e.Type().IsRegular() || !typeName().MatchString(errorType) || f.open[errorType] {
			continue
		}
		if err := os.Remove(f.path(errorType)); err != nil {
			return fmt.Errorf("write a folder of nodes: %w", err)
		}
	}
	return nil
}

// discard removes the temporary files. The earlier export stays as it was.
func (f *folder) discard() {
	if f.file != nil {
		_ = f.file.Close() // it is discarded
	}
	for errorType := range f.open {
		_ = os.Remove(f.path(errorType) + unfinished) // readers ignore a remaining one
	}
	_ = os.Remove(filepath.Join(f.dir, manifestName+unfinished))
}
