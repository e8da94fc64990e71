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

	"github.com/memtree/memtree/internal/cli/screen"
	"github.com/memtree/memtree/internal/whole"
	jsonstore "github.com/memtree/memtree/store/json"
	"github.com/memtree/memtree/taxonomy"
)

func (a *app) backupCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "backup FOLDER",
		Short: a.say("Copy the whole store to a folder, while it is in use"),
		Long: a.say(`Copies the store as it is at one moment, with what waits to be formed and the ledger,
while others may go on writing to it. The copy is a store itself, and is read and checked once it is
written. Backing up into the same folder again copies only what is new.

To hand memories to others, use memtree export.`),
		Example: "  memtree backup /mnt/backups/shop",
		Args:    a.arguments(1, 1, a.say("the folder of the copy")),
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.checkFolder(reading); err != nil {
				return err
			}
			return a.copyStore(c.Context(), jsonstore.Backup, a.store, args[0])
		},
	}
}

func (a *app) restoreCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "restore FOLDER",
		Short: a.say("Make a store of what memtree backup wrote"),
		Long: a.say(`Makes the store named with --store from a backup, and checks it. There may be no
store yet: what is there is never written over. To merge a backup into a store, export it and import
it with --trust.`),
		Example: "  memtree restore /mnt/backups/shop --store .memtree",
		Args:    a.arguments(1, 1, a.say("the folder of a backup")),
		RunE: func(c *cobra.Command, args []string) error {
			if a.readOnly {
				return &usageError{a.say("restore makes a store; leave --read-only out")}
			}
			if _, err := os.Stat(filepath.Join(a.store, "FORMAT.json")); err == nil {
				return &failure{a.say("there is a store in %s already, and nothing was changed; name another folder with --store",
					a.store), nil}
			}
			return a.copyStore(c.Context(), jsonstore.Restore, args[0], a.store)
		},
	}
}

type copying func(ctx context.Context, from, to string, started time.Time) (jsonstore.Backed, error)

func (a *app) copyStore(ctx context.Context, do copying, from, to string) error {
	b, err := do(ctx, from, to, time.Now())
	if err != nil {
		return err
	}
	if err := copyOverlay(from, to); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(b)
	}
	return a.print(a.say("Wrote %s: %d files, %d of them copied now (%s).", to, b.Files, b.Copied, screen.Bytes(b.Bytes)),
		a.say("Read again and checked: %d memories, %d ledger entries.", b.Verified.Nodes, b.Verified.Entries))
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
