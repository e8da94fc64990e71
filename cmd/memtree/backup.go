package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree/internal/cli/access"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/whole"
	jsonstore "github.com/memtree/memtree/store/json"
	"github.com/memtree/memtree/taxonomy"
)

func backupCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:  "backup FOLDER",
		Args: arguments(a.Voice, 1, 1, a.Say("the folder of the copy")),
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.store.NeedsFolder("pg_dump"); err != nil {
				return err
			}
			if err := a.store.Exists(); err != nil {
				return err
			}
			return copyStore(c.Context(), a.Voice, jsonstore.Backup, a.store.Dir, args[0])
		},
	}
}

func restoreCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:  "restore FOLDER",
		Args: arguments(a.Voice, 1, 1, a.Say("the folder of a backup")),
		RunE: func(c *cobra.Command, args []string) error {
			if a.store.ReadOnly {
				return a.Usage("restore makes a store; leave --read-only out")
			}
			if err := a.store.NeedsFolder("pg_restore"); err != nil {
				return err
			}
			if access.Holds(a.store.Dir) {
				return a.Fail(nil, "there is a store in %s already, and nothing was changed; name another folder with --store",
					a.store.Dir)
			}
			if info, err := os.Stat(args[0]); err == nil && !info.IsDir() {
				return a.Fail(nil, "%s is a file, and a backup is a folder; memtree import takes the file of an export", args[0])
			}
			return copyStore(c.Context(), a.Voice, jsonstore.Restore, args[0], a.store.Dir)
		},
	}
}

type copying func(ctx context.Context, from, to string, started time.Time) (jsonstore.Backed, error)

func copyStore(ctx context.Context, v *say.Voice, do copying, from, to string) error {
	b, err := do(ctx, from, to, time.Now())
	if err != nil {
		return err
	}
	if err := copyOverlay(from, to); err != nil {
		return err
	}
	return v.Result(b, v.Say("Wrote %s: %d files, %d of them copied now (%s).", to, b.Files, b.Copied,
		say.Bytes(b.Bytes)), v.Say("Read again and checked: %d memories, %d ledger entries.", b.Verified.Nodes,
		b.Verified.Entries))
}

// copyOverlay copies the team's own taxonomy file, which lies beside the files of the store.
func copyOverlay(from, to string) error {
	b, err := readSmall(filepath.Join(from, taxonomy.FileName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return whole.Bytes(filepath.Join(to, taxonomy.FileName), 0o644, b) // the taxonomy holds no secret
}

func readSmall(path string) ([]byte, error) {
	f, err := os.Open(path) //nolint:gosec // in a folder the user names
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	return io.ReadAll(io.LimitReader(f, 1<<20))
}
