package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

// exportPictures writes the screenshots of the exported cases into a folder, each named by its hash, and returns
// their number. It skips pictures that no longer exist.
func exportPictures(ctx context.Context, a *app, m *memtree.Memory, s *transfer.Selection, dir string) (int, error) {
	at, err := a.files.Path(dir)
	if err == nil {
		err = os.MkdirAll(at, 0o755) //nolint:gosec // the user names the folder
	}
	if err != nil {
		return 0, err
	}
	done := map[string]bool{}
	for n, err := range s.Nodes(ctx) {
		if err != nil {
			return len(done), err
		}
		if n.CaseData == nil || n.CaseData.Evidence == nil {
			continue
		}
		for i := range n.CaseData.Evidence.Pictures {
			name := filepath.Base(n.CaseData.Evidence.Pictures[i].File())
			b, _, err := m.Pictures().Get(ctx, n.CaseData.Evidence.Pictures[i].SHA256)
			switch {
			case errors.Is(err, tree.ErrNotFound) || done[name]:
				continue
			case err == nil:
				err = a.files.Write(filepath.Join(dir, name), b)
			}
			if err != nil {
				return len(done), err
			}
			done[name] = true
		}
	}
	return len(done), nil
}
