package transfer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/memtree/memtree/tree"
)

// readFolder is readArchive for the folder form. The caller opens the folder with os.OpenRoot, so that no link leads
// out of it. Files that do not belong to an export are ignored. Links and folders in the place of files are refused.
//
// In a folder that git merged, a node may be in the files of two error types, because one branch changed its type.
// Such nodes are merged and come last.
func readFolder(dir fs.FS, l limits, take func(tree.Node) error) (Manifest, error) {
	end := func() error { return nil }
	if gitMerged(dir) {
		twice, err := findDoubles(dir, l)
		if err != nil {
			return Manifest{}, err
		}
		take, end = mergeDoubles(twice, take)
	}
	in := newReading(l, take)
	in.folder = true
	if err := in.files(dir); err != nil {
		return Manifest{}, err
	}
	if err := withFile(dir, manifestName, in.manifest); err != nil {
		return Manifest{}, err
	}
	return in.sum, end()
}

// gitMerged reports whether the manifest is marked as merged by git. It returns false for an unreadable manifest,
// which reading the folder refuses later.
func gitMerged(dir fs.FS) bool {
	var m Manifest
	err := withFile(dir, manifestName, func(r io.Reader) error {
		return json.NewDecoder(io.LimitReader(r, maxManifest)).Decode(&m)
	})
	return err == nil && m.Merged
}

// findDoubles returns the ids of the nodes that are in a folder more than once.
func findDoubles(dir fs.FS, l limits) (map[string]bool, error) {
	seen, twice := map[string]bool{}, map[string]bool{}
	in := newReading(l, func(n tree.Node) error {
		if seen[n.ID] {
			twice[strings.Clone(n.ID)] = true
		}
		seen[strings.Clone(n.ID)] = true
		return nil
	})
	return twice, in.files(dir)
}

// maxDoubles bounds the nodes that are held in memory to be merged.
const maxDoubles = 10_000

// mergeDoubles returns two functions to put in front of take: the first passes nodes on and holds back those in twice,
// the second is called at the end and passes these on, merged.
func mergeDoubles(twice map[string]bool, take func(tree.Node) error) (func(tree.Node) error, func() error) {
	kept := map[string]tree.Node{}
	return func(n tree.Node) error {
			if !twice[n.ID] {
				return take(n)
			}
			if err := tree.Check(&n); err != nil {
				return &UnusableError{Problem: fmt.Sprintf("has a node twice that is against a law: %v", err)}
			}
			if other, ok := kept[n.ID]; ok {
				n = merge(other, n)
			}
			if len(kept) >= maxDoubles {
				return &UnusableError{Problem: fmt.Sprintf("has more than %d nodes twice; export one of the branches again",
					maxDoubles)}
			}
			kept[n.ID] = n
			return nil
		}, func() error {
			for _, id := range slices.Sorted(maps.Keys(kept)) {
				if err := take(kept[id]); err != nil {
					return err
				}
			}
			return nil
		}
}

// files reads the files of all error types, in the order of their names.
func (in *sourceReading) files(dir fs.FS) error {
	entries, err := fs.ReadDir(dir, nodesFolder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read a folder of nodes: %w", err)
	}
	var total int64
	for _, e := range entries {
		errorType, ours := strings.CutSuffix(e.Name(), ".jsonl")
		if !ours || !typeName().MatchString(errorType) {
			continue
		}
		name := nodesFolder + "/" + e.Name()
		err := withFile(dir, name, func(r io.Reader) error {
			c := &countingReader{r: r}
			err := in.nodes(name, errorType, io.LimitReader(c, in.limits.bytes-total))
			if total += c.n; err == nil && total >= in.limits.bytes {
				return &UnusableError{Problem: fmt.Sprintf("has more than %d bytes; split the export by type", in.limits.bytes)}
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// withFile opens a file of the folder for read. Anything but a plain file is refused.
func withFile(dir fs.FS, name string, read func(io.Reader) error) error {
	link, err := fs.Lstat(dir, name) // before it is opened: opening a pipe waits for ever
	if errors.Is(err, fs.ErrNotExist) {
		return &UnusableError{Entry: name, Problem: "is missing"}
	}
	if err != nil {
		return fmt.Errorf("read a folder of nodes: %w", err)
	}
	if !link.Mode().IsRegular() {
		return &UnusableError{Entry: name, Problem: "is not a plain file"}
	}
	f, err := dir.Open(name)
	if err != nil {
		return fmt.Errorf("read a folder of nodes: %w", err)
	}
	defer f.Close() //nolint:errcheck // only read
	return read(f)
}
