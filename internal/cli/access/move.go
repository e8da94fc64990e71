package access

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/memtree/memtree/store"
	jsonstore "github.com/memtree/memtree/store/json"
	"github.com/memtree/memtree/store/move"
	"github.com/memtree/memtree/store/postgres"
)

// Moved is what Move copied, and from where to where.
type Moved struct {
	move.Copied
	From string `json:"from"` // the source: a folder, or a URL without its password
	To   string `json:"to"`   // the copy: a folder, or a URL without its password

	FromDir, ToDir string `json:"-"` // folders on this machine: of the source, and of the copy
}

// Move copies the store to another place: the URL of a database, or a folder that does not exist. One of the two has to
// be a database. It calls step with the progress, see move.Copy. The store remains as it was.
func (d *Opener) Move(ctx context.Context, to string, step func(what string, done, total int)) (
	out Moved, err error,
) {
	out.From, out.FromDir = d.Name(), d.Dir
	from, err := d.source(ctx)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	info, err := from.Info(ctx)
	if err != nil {
		return out, err
	}
	back, err := d.At(to)
	if err != nil {
		return out, err
	}
	out.To, out.ToDir = d.Name(), d.Dir
	address := d.database
	back()
	if address == nil && d.database == nil {
		return out, d.Usage("--to names a folder; memtree backup copies a store to a folder, and a move has a database on " +
			"one of its sides, such as postgres://user@host/db")
	}
	if address != nil { // for its settings
		if err := os.MkdirAll(out.ToDir, 0o700); err != nil {
			return out, err
		}
	}
	if out.To == out.From {
		return out, d.Usage("--to names the store itself")
	}
	var target move.Target
	if address != nil {
		target, err = postgres.Receive(ctx, *address, fmt.Sprintf("%s@%d/%d/%d", info.Origin.ID, info.Version,
			info.Evaluations, info.Outbox), out.From)
	} else {
		target, err = jsonstore.NewFolder(ctx, out.ToDir, info.Origin, time.Now())
	}
	if err != nil {
		return out, err
	}
	out.Copied, err = move.Copy(ctx, from, target, step)
	switch {
	case !errors.Is(err, context.Canceled):
	case address != nil:
		err = d.Fail(err, "interrupted; what was copied is kept in %s, which is not in use yet: give the same command "+
			"again, and it goes on", out.To)
	default:
		err = d.Fail(err, "interrupted; %s stays in use: give the same command again, and it begins anew", out.From)
	}
	return out, errors.Join(err, target.Close())
}

// source opens the store for a move. Of a folder, that keeps other processes from writing.
func (d *Opener) source(ctx context.Context) (store.Movable, error) { //nolint:ireturn // one of two kinds
	if d.database != nil {
		return postgres.Open(ctx, *d.database, postgres.Options{ReadOnly: true})
	}
	if err := d.CheckFolder(Writing); err != nil {
		return nil, err
	}
	return jsonstore.OpenDir(ctx, d.Dir, jsonstore.Options{Started: time.Now()})
}

// explainMove returns the sentence for an error of a move, "" for other errors.
func (d *Opener) explainMove(err error) string {
	switch {
	case errors.Is(err, move.ErrChanged):
		return d.Say("the store was written to during the move, and stays in use; stop what writes to it, and move again")
	case errors.Is(err, move.ErrDiffers):
		return d.Say("the copy differed from the store, so it was dropped and the store stays in use; check the disk and " +
			"the database, then move again: it begins anew")
	}
	return ""
}
