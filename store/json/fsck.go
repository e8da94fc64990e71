package jsonstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/spf13/afero"

	"github.com/memtree/memtree/tree"
)

// Repair is what Fsck found, and did.
type Repair struct {
	Damage *tree.CorruptError // nil: nothing that was acknowledged is lost
	Torn   int64              // bytes of a last write that nobody was told of
	Moved  []string           // files in broken/ with what was set aside
	Left   uint64             // the version that can be read
}

// FsckDir is Fsck for a folder of the real file system.
func FsckDir(ctx context.Context, dir string, acceptLoss bool) (Repair, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Repair{}, fmt.Errorf("fsck: %w", err)
	}
	r, err := fsck(ctx, &disk{fs: confined{root}, dir: "."}, dir, acceptLoss, func() (func() error, error) { return lockFolder(dir, time.Time{}) })
	return r, errors.Join(err, root.Close())
}

// Fsck looks at a store that may not open, and says what is lost. With
// acceptLoss it moves the damaged bytes of the journal, and those after them,
// to broken/, so that the store opens with what stands before. Nothing is
// deleted but derived data. Without, it changes nothing. It can be interrupted
// and done again.
//
// Damage in a snapshot is not repaired here: Open serves what is whole, and
// Verify names each line that is not.
func Fsck(ctx context.Context, fs afero.Fs, dir string, acceptLoss bool) (Repair, error) {
	if _, real := fs.(*afero.OsFs); real {
		return FsckDir(ctx, dir, acceptLoss)
	}
	return fsck(ctx, &disk{fs: fs, dir: dir}, dir, acceptLoss, func() (func() error, error) { return lockMemory(fs, dir) })
}

func fsck(ctx context.Context, d *disk, dir string, acceptLoss bool, lock func() (func() error, error)) (_ Repair, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("fsck: %w", err)
		}
	}()
	if err := ctx.Err(); err != nil {
		return Repair{}, err
	}
	if _, made, err := d.readFormat(dir); err != nil || !made {
		if err == nil {
			err = &tree.FormatError{Dir: dir, Problem: "is not a memory store: there is no FORMAT.json in it"}
		}
		return Repair{}, err
	}
	unlock, err := lock()
	if err != nil {
		return Repair{}, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	r, err := d.recover(false)
	if err != nil {
		return Repair{}, err
	}
	defer r.state.base.release()
	out := Repair{Damage: r.damage, Left: r.state.Version}
	for _, t := range r.torn {
		out.Torn += int64(len(t.bytes))
	}
	if r.damage == nil || !acceptLoss {
		return out, nil
	}
	out.Moved, err = d.acceptLoss(r)
	return out, err
}

// acceptLoss keeps the valid lines and sets all others aside. Until the last
// step, the damaged journal's cut, the damage is found again.
func (d *disk) acceptLoss(r *replay) ([]string, error) {
	if err := d.fs.RemoveAll(d.name(derivedFolder)); err != nil {
		return nil, err // it was made from what is lost
	}
	names, err := d.names(".")
	if err != nil {
		return nil, err
	}
	bad, keep := r.number, r.size
	if r.lines == 0 { // not even the first line of the first journal
		bad, keep = r.state.base.Number, 0
	}
	var moved []string
	later := []int{}
	for _, n := range numbered(names, "journal.", ".jsonl") {
		from := int64(0)
		switch {
		case n < bad:
			continue
		case n == bad:
			from = keep
		default:
			later = append(later, n)
		}
		b, err := d.bytes(n, from)
		if err != nil {
			return moved, err
		}
		if len(b) > 0 {
			name := fmt.Sprintf("%s.%d", journalName(n), from)
			if err := d.setAside(name, b); err != nil {
				return moved, err
			}
			moved = append(moved, brokenName+"/"+name)
		}
	}
	if err := d.remove(shutdownName); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return moved, err
	}
	for _, n := range slices.Backward(later) {
		if err := d.remove(journalName(n)); err != nil {
			return moved, err
		}
	}
	if err := d.syncDir("."); err != nil {
		return moved, err
	}
	if keep > 0 {
		return moved, d.cut(journalName(bad), keep)
	}
	l := &lines{seq: r.state.base.Seq, prev: r.state.base.link()}
	l.add(fmt.Appendf(nil, `{"begin":{"journal":%d}}`, bad))
	return moved, d.replace(journalName(bad), l.buf)
}
