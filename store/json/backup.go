package jsonstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/memtree/memtree/store"
)

// Backed counts what Backup or Restore did.
type Backed struct {
	Files    int            `json:"files"`    // files of the copy
	Copied   int            `json:"copied"`   // files of the copy that were copied this time
	Bytes    int64          `json:"bytes"`    // bytes copied this time
	Verified store.Verified `json:"verified"` // what verifying the copy counted
}

// backupTries limits how often a copy starts again because a writer removed files to be copied.
const backupTries = 50

// Backup copies the store in the folder from, as of one moment, into the folder to. Then it opens and verifies the
// copy. Another process may write to the store meanwhile; the copy contains everything acknowledged before the call.
// The copy includes pictures and derived data that cannot be built again ([store.HeldBeside]), but no other derived
// data.
//
// The folder to must be absent, empty, or an earlier backup of the same store. Snapshot files that an earlier backup
// has already are not copied again, and it remains a complete store until the new backup replaces it. Processes that
// find the copy locked get started as store.LockedError.Started.
func Backup(ctx context.Context, from, to string, started time.Time) (Backed, error) {
	return copyStore(ctx, from, to, started, true)
}

// Restore is like Backup, but the folder to must be absent or empty, and the copy is not marked as a backup: it is a
// store for daily use, and no later Backup overwrites it.
func Restore(ctx context.Context, from, to string, started time.Time) (Backed, error) {
	return copyStore(ctx, from, to, started, false)
}

// backupName is the file that marks a folder as a backup, which the next backup may overwrite.
const backupName = "BACKUP"

// copyStore implements Backup and Restore. Both folders are opened as roots, so nothing outside them is read or
// written, and the target is locked like a store that is open for writing.
func copyStore(ctx context.Context, from, to string, started time.Time, backup bool) (_ Backed, err error) {
	var out Backed
	if isInside(to, from) {
		return out, &store.FormatError{Dir: to, Problem: "lies in the store that is to be copied; name another folder"}
	}
	if err := MustExist(from); err != nil {
		return out, fmt.Errorf("back up: %w", err)
	}
	if err := makeFolder(to); err != nil {
		return out, fmt.Errorf("back up: %w", err)
	}
	source, err := os.OpenRoot(from)
	if err != nil {
		return out, fmt.Errorf("back up: %w", err)
	}
	defer source.Close() //nolint:errcheck // only read
	target, err := os.OpenRoot(to)
	if err != nil {
		return out, fmt.Errorf("back up: %w", err)
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	c := &copier{from: &disk{fs: confined{source}, dir: "."}, to: &disk{fs: confined{target}, dir: "."}, out: &out,
		backup: backup}
	if err := c.checkTarget(from, to); err != nil {
		return out, fmt.Errorf("back up: %w", err)
	}
	unlock, err := lockFolder(target, to, started)
	if err != nil {
		return out, fmt.Errorf("back up: %w", err)
	}
	err = c.run(ctx)
	if err = errors.Join(err, unlock()); err != nil {
		return out, fmt.Errorf("back up: %w", err)
	}
	if out.Verified, err = verifyCopy(ctx, to); err != nil {
		return out, fmt.Errorf("back up: %w", err)
	}
	return out, nil
}

// isInside reports whether dir is other or is inside it.
func isInside(dir, other string) bool {
	a, err := filepath.Abs(dir)
	b, errb := filepath.Abs(other)
	rel, errc := filepath.Rel(b, a)
	return err == nil && errb == nil && errc == nil && filepath.IsLocal(rel)
}

// verifyCopy opens the copy and verifies it completely.
func verifyCopy(ctx context.Context, dir string) (store.Verified, error) {
	s, err := OpenDir(ctx, dir, Options{ReadOnly: true})
	if err != nil {
		return store.Verified{}, err
	}
	var bad error
	v, err := s.Verify(ctx, func(problem error) { bad = errors.Join(bad, problem) })
	return v, errors.Join(err, bad, s.Close())
}

// copier copies one store.
type copier struct {
	from, to *disk
	out      *Backed
	format   []byte
	backup   bool
}

// checkTarget returns an error if the target is neither empty nor a backup of the same store.
func (c *copier) checkTarget(from, to string) (err error) {
	if c.format, err = c.from.read(formatName, 64<<10); err != nil {
		return err
	}
	theirs, err := c.to.read(formatName, 64<<10)
	switch {
	case err == nil && c.backup && c.to.exists(backupName) && bytes.Equal(theirs, c.format):
		return nil
	case err == nil:
		return &store.FormatError{Dir: to, Problem: "holds a store that is no backup of " + from + "; name another folder"}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	names, err := c.to.names(".")
	if err != nil {
		return err
	}
	for _, n := range names {
		if n != lockName && !isTemp(n) && n != backupName {
			return &store.FormatError{Dir: to, Problem: "is not empty and no earlier backup; name another folder"}
		}
	}
	return nil
}

// run copies until no writer has removed files during the copy.
func (c *copier) run(ctx context.Context) error {
	var err error
	for range backupTries {
		if err = ctx.Err(); err != nil {
			return err
		}
		*c.out = Backed{}
		if err = c.copyOnce(ctx); !overtaken(err) {
			return err
		}
	}
	return fmt.Errorf("the store is rewritten faster than it can be copied: %w", err)
}

// overtaken reports whether err may be caused by a writer that removed files.
func overtaken(err error) bool {
	_, absent := errors.AsType[*store.CorruptError](err)
	return errors.Is(err, fs.ErrNotExist) || absent
}

// copyOnce copies the files of the last snapshot, then the journals since, and last the manifest, which commits the
// copy.
func (c *copier) copyOnce(ctx context.Context) error {
	m, damage, err := c.from.lastManifest()
	if err != nil {
		return err
	}
	if damage != nil {
		return damage
	}
	// The mark comes first: a backup that is interrupted can be continued by the next one.
	if c.backup {
		if err := c.to.replace(backupName, []byte("A backup of a memtree store. The next backup goes over it; memtree "+
			"restore makes a store of it.\n")); err != nil {
			return err
		}
	}
	if err := c.held(ctx); err != nil { // before the journals: it never knows of more than they do
		return err
	}
	// The manifest and FORMAT.json come last. Until then the target is still the earlier copy.
	for _, f := range m.files() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.file(f); err != nil {
			return err
		}
	}
	if err := c.journals(m.Number); err != nil {
		return err
	}
	if err := c.copyPictures(ctx); err != nil {
		return err
	}
	if m.Number > 1 || c.from.exists(manifestName(m.Number)) {
		b, err := m.encode()
		if err != nil {
			return err
		}
		if err := c.to.replace(manifestName(m.Number), b); err != nil {
			return err
		}
	}
	if err := c.to.replace(formatName, c.format); err != nil {
		return err
	}
	return c.tidy(m)
}

// file copies one file of a snapshot, unless the copy has it, and checks its hash.
func (c *copier) file(f fileRef) error {
	c.out.Files++
	if info, err := c.to.stat(f.Name); err == nil && info.Size() == f.Bytes {
		return nil // verifyCopy checks it
	}
	in, err := c.from.open(f.Name)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // only read
	if err := c.to.mkdir(path.Dir(f.Name)); err != nil {
		return err
	}
	w, err := c.to.create(f.Name)
	if err != nil {
		return err
	}
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(w, h), in)
	if err == nil && (n != f.Bytes || hex.EncodeToString(h.Sum(nil)) != f.Sum) {
		err = &store.CorruptError{File: f.Name, Lost: "it is not what its manifest says"}
	}
	if err != nil {
		return errors.Join(err, w.drop())
	}
	c.out.Copied++
	c.out.Bytes += n
	if err := w.commit(); err != nil {
		return err
	}
	return c.to.syncDir(path.Dir(f.Name))
}

// held copies the derived data that cannot be built again, and removes that of an earlier copy.
func (c *copier) held(ctx context.Context) error {
	names, err := c.from.names(derivedFolder)
	if err != nil {
		return err
	}
	last := map[string]int{}
	for _, file := range names {
		if name, n, ok := derivedFile(file); ok && store.HeldBeside(name) {
			last[name] = max(last[name], n)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(last)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		file := derivedName(name, last[name])
		b, err := c.from.read(file, 1<<40)
		if err != nil {
			return err
		}
		if !wholeDerived(b) {
			return fmt.Errorf("%s: %w; fsck says what is lost and how to go on", file, errDerived)
		}
		if err := c.to.mkdir(derivedFolder); err != nil {
			return err
		}
		if err := c.to.replace(file, b); err != nil {
			return err
		}
		c.out.Files++
		c.out.Copied++
		c.out.Bytes += int64(len(b))
	}
	copies, err := c.to.names(derivedFolder)
	if err != nil {
		return err
	}
	for _, file := range copies {
		if name, n, ok := derivedFile(file); ok && n != last[name] {
			c.to.discard(derivedName(name, n))
		}
	}
	return nil
}

// journals copies the journals from number on, each up to its last whole line.
func (c *copier) journals(number int) error {
	for n := number; ; n++ {
		last := !c.from.exists(journalName(n + 1))
		b, err := c.journal(n)
		if err != nil {
			return err
		}
		c.out.Files++
		c.out.Copied++
		c.out.Bytes += int64(len(b))
		if err := c.to.replace(journalName(n), b); err != nil {
			return err
		}
		if last {
			return nil
		}
	}
}

// journal returns the whole lines of a journal. Only the last journal still grows.
func (c *copier) journal(n int) ([]byte, error) {
	f, err := c.from.open(journalName(n))
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	b, err := io.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", journalName(n), err)
	}
	return b[:bytes.LastIndexByte(b, '\n')+1], nil
}

// tidy removes files of an earlier copy that this one does not need.
func (c *copier) tidy(m *manifest) error {
	names, err := c.to.names(".")
	if err != nil {
		return err
	}
	for _, n := range numbered(names, "manifest.", ".json") {
		if n != m.Number {
			c.to.discard(manifestName(n))
		}
	}
	return c.to.sweep(newGeneration(c.to, m, nil))
}
