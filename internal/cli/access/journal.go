package access

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/memtree/memtree/store"
	jsonstore "github.com/memtree/memtree/store/json"
)

// openJournal opens the journal of this machine for a tree in a database, which has the origin of that tree. One with
// another origin is of a tree that had the same name before, such as one that was deleted: it is set aside, and what
// waits in it is never sent.
func (d *Opener) openJournal(ctx context.Context, of store.Info) (*jsonstore.Store, error) {
	dir := filepath.Join(d.Dir, "away")
	open := func() (*jsonstore.Store, store.Info, error) {
		j, err := jsonstore.OpenDir(ctx, dir, jsonstore.Options{Started: time.Now(), Origin: of.Origin})
		if err != nil {
			return nil, store.Info{}, err
		}
		info, err := j.Info(ctx)
		return j, info, err
	}
	j, info, err := open()
	if err != nil || info.Origin.ID == of.Origin.ID {
		return j, err
	}
	aside := dir + "-" + info.Origin.ID
	err = errors.Join(j.Close(), os.Rename(dir, aside))
	if err != nil {
		return nil, err
	}
	if info.Outbox > 0 {
		d.Complain(d.Say("%d runs in %s were accepted here for another tree that had the name %s, and was deleted or "+
			"replaced since: they are not sent. Record those that belong to this one again, from the reports of your tests, "+
			"then remove the folder.", info.Outbox, aside, d.Name()))
	}
	j, _, err = open()
	return j, err
}
