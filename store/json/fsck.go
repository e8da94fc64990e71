package jsonstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/memtree/memtree/store"
)

// Repair is what Fsck found, and has repaired if acceptLoss was set. If Lost and Again are empty, there was nothing to
// repair.
type Repair struct {
	Lost  []Loss         `json:"lost"`            // what was acknowledged and cannot be read
	Again []string       `json:"again"`           // damaged files that can be built again without loss
	Torn  int64          `json:"torn"`            // bytes of a last write that was not acknowledged
	Moved []string       `json:"moved,omitempty"` // files in broken/ with the removed bytes
	Kept  readableCounts `json:"kept"`            // counts of what can be read

	// Forgotten is the number of evaluations whose cases are lost. Their keys are removed, so that they can be recorded
	// again.
	Forgotten int `json:"forgotten"`

	// Mended is the number of memories from which links to lost memories are removed. A memory that has no supporting
	// memory left is archived.
	Mended int `json:"mended"`
}

// Whole reports whether Lost and Again are empty, so that there is nothing to repair.
func (r *Repair) Whole() bool { return len(r.Lost)+len(r.Again) == 0 }

// Loss is a part of a store that was acknowledged and cannot be read.
type Loss struct {
	Kind   lossKind `json:"kind"`
	File   string   `json:"file"`
	Offset int64    `json:"offset"`         // offset of the first unreadable byte in File
	Bytes  int64    `json:"bytes"`          // unreadable bytes, which a repair moves to broken/; 0 if they are missing
	Count  int      `json:"count"`          // number of lost items; 0 if unknown
	Name   string   `json:"name,omitempty"` // id of the node, if it can be read; name of the derived data
}

// lossKind is the kind of a loss.
type lossKind string

// The kinds of things that a Loss can be about.
const (
	LostBatches     lossKind = "batches"     // batches of the journal
	LostNodes       lossKind = "nodes"       // memories
	LostEvaluations lossKind = "evaluations" // evaluations accepted and not yet formed into memories
	LostEntries     lossKind = "entries"     // entries of the ledger
	LostLetters     lossKind = "letters"     // evaluations that could not be formed into memories
	LostKeys        lossKind = "keys"        // keys of evaluations, which would be accepted again
	// data kept beside the nodes that cannot be made again, see store.HeldBeside; Loss.Name is its name
	LostHeld lossKind = "held"
)

// readableCounts holds the numbers of readable items.
type readableCounts struct {
	Nodes       int    `json:"nodes"`
	Evaluations int    `json:"evaluations"` // waiting to be formed
	Entries     int    `json:"entries"`
	Letters     int    `json:"letters"`
	Version     uint64 `json:"version"`
}

// Fsck reads a store, even one that does not open, and returns exactly what is lost. It does not check pictures.
// Without acceptLoss it changes nothing. With acceptLoss, if anything is damaged, it moves the damaged bytes to
// broken/ and writes everything readable as a new snapshot, so that the store opens. That includes batches after a
// damaged one and lines around a damaged one. It deletes only derived data that can be built again.
//
// Fsck can be interrupted at any moment and run again. The new snapshot is in force once it is complete; until then
// the next run finds the same damage. Processes that find the store locked get started as store.LockedError.Started.
func Fsck(ctx context.Context, dir string, started time.Time, acceptLoss bool) (Repair, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Repair{}, fmt.Errorf("fsck: %w", err)
	}
	r, err := fsck(ctx, &disk{fs: confined{root}, dir: "."}, dir, acceptLoss,
		func() (func() error, error) { return lockFolder(root, dir, started) })
	return r, errors.Join(err, root.Close())
}

// fsck implements Fsck with the lock function of the file system.
func fsck(ctx context.Context, d *disk, dir string, acceptLoss bool, lock func() (func() error, error)) (_ Repair,
	err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("fsck: %w", err)
		}
	}()
	if err := ctx.Err(); err != nil {
		return Repair{}, err
	}
	f, damagedFormat, err := d.knownFormat(dir)
	if err != nil {
		return Repair{}, err
	}
	unlock, err := lock()
	if !acceptLoss && (errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)) {
		unlock, err = func() error { return nil }, nil // reading needs no permission to write
	}
	if err != nil {
		return Repair{}, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	s, err := d.salvage()
	if err != nil {
		return Repair{}, err
	}
	defer s.release()
	if err := ctx.Err(); err != nil {
		return Repair{}, err
	}
	if damagedFormat {
		s.Again = append(s.Again, formatName)
		if f.Origin, err = s.origin(f.Origin); err != nil {
			return Repair{}, err
		}
	}
	if err := s.noteRefused(); err != nil {
		return Repair{}, err
	}
	if s.Whole() || !acceptLoss {
		return s.Repair, nil
	}
	return s.Repair, s.commit(f)
}

// knownFormat returns the format of a store, and whether its FORMAT.json is damaged. If it
// is, another file of the store must show that its format is one this program knows.
func (d *disk) knownFormat(dir string) (format, bool, error) {
	f, made, err := d.readFormat(dir)
	var bad *store.FormatError
	switch {
	case err == nil && made:
		return f, false, nil
	case err == nil:
		return f, false, &store.FormatError{Dir: dir, Problem: "is not a memory store: there is no FORMAT.json in it"}
	case !errors.As(err, &bad) || f.Major > majorFormat:
		return f, false, err
	}
	ours, serr := d.holdsOurs()
	if serr != nil || !ours {
		return f, false, errors.Join(err, serr)
	}
	f.Format, f.Major, f.Minor = "memtree", majorFormat, minorFormat
	return f, true, nil
}

// holdsOurs reports whether the folder has a manifest or a journal line of this format.
func (d *disk) holdsOurs() (bool, error) {
	names, err := d.names(".")
	if err != nil {
		return false, fmt.Errorf("read the folder: %w", err)
	}
	for _, n := range numbered(names, "manifest.", ".json") {
		if b, err := d.read(manifestName(n), maxManifest); err == nil {
			if _, err := parseManifest(b); err == nil {
				return true, nil
			}
		}
	}
	for _, n := range numbered(names, "journal.", ".jsonl") {
		if b, err := d.bytes(n, 0); err == nil && lookAhead(b) >= 0 {
			return true, nil
		}
	}
	return false, nil
}
