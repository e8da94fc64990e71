package jsonstore

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

const formatName = "FORMAT.json"

// majorFormat is the format that this program writes, and the only one it reads.
const majorFormat = 1

// minorFormat is the minor format of new stores; FORMAT.md documents each minor format.
const minorFormat = 2

// format is FORMAT.json. It is written once, as the last file of a new store, so that a folder with this file has
// everything a store needs.
type format struct {
	Format string      `json:"format"` // "memtree"
	Major  int         `json:"major"`  // a program that knows only lower majors must not read the store
	Minor  int         `json:"minor"`  // a program that knows only lower minors may read it
	Origin tree.Origin `json:"origin"`
	Sum    string      `json:"sum"` // checksum of the other fields, see sum
}

func (f format) sum() string {
	return tree.Hash(f.Format, strconv.Itoa(f.Major), strconv.Itoa(f.Minor), f.Origin.ID, f.Origin.Label)
}

func (f format) String() string { return f.Format + "/" + strconv.Itoa(f.Major) }

// parseFormat reads FORMAT.json. Its errors continue a sentence that begins with the name of the folder.
func parseFormat(b []byte) (format, error) {
	var f format
	dec := json.NewDecoder(bytes.NewReader(b))
	if err := dec.Decode(&f); err != nil || f.Format != "memtree" || f.Major < 1 || f.Minor < 0 || dec.More() {
		return format{}, errors.New("is not a memory store: its FORMAT.json is not one of memtree's; choose another folder")
	}
	if f.Major > majorFormat {
		return format{Major: f.Major}, fmt.Errorf("has format %d and this program knows formats up to %d; use a newer "+
			"memtree, nothing was changed", f.Major, majorFormat)
	}
	if f.Sum != f.sum() {
		f.Major = majorFormat
		return f, errDamagedFormat
	}
	if len(f.Origin.ID) > tree.MaxName || len(f.Origin.Label) > tree.MaxName {
		return format{}, errors.New("has an origin in FORMAT.json that is too long")
	}
	return f, nil
}

var errDamagedFormat = errors.New("has a damaged FORMAT.json: its sum is not that of what it says; nothing was changed")

// readFormat returns the format of a store, or false for a folder in which a store can be created. For any other folder
// it returns a *store.FormatError.
func (d *disk) readFormat(dir string) (format, bool, error) {
	b, err := d.read(formatName, 64<<10)
	if err == nil {
		f, err := parseFormat(b)
		if err != nil {
			return f, false, &store.FormatError{Dir: dir, Problem: err.Error(), Damaged: errors.Is(err, errDamagedFormat)}
		}
		return f, true, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return format{}, false, fmt.Errorf("read %s: %w", formatName, err)
	}
	names, err := d.names(".")
	if err != nil {
		return format{}, false, fmt.Errorf("read the folder: %w", err)
	}
	if holdsParts(names) {
		return format{}, false, lostFormat(dir)
	}
	for _, n := range names {
		if n == lockName || isTemp(n) {
			continue
		}
		if n == journalName(1) {
			short, err := d.unfinished(n)
			if err != nil {
				return format{}, false, fmt.Errorf("look at %s: %w", n, err)
			}
			if short {
				continue // the creation of a store was interrupted
			}
		}
		return format{}, false, &store.FormatError{Dir: dir,
			Problem: "is not a memory store and not empty: there is " + strconv.Quote(n) + " in it; choose another folder"}
	}
	return format{}, false, nil
}

// holdsParts reports whether names has a manifest or the folder of a snapshot, which only a store has.
func holdsParts(names []string) bool {
	return len(numbered(names, "manifest.", ".json"))+len(numbered(names, "snapshot.", "")) > 0
}

func lostFormat(dir string) error {
	return &store.FormatError{Dir: dir, Damaged: true,
		Problem: "has the files of a memory store and no FORMAT.json; nothing was changed"}
}

// unfinished reports whether the journal n exists and is too short for a batch.
func (d *disk) unfinished(n string) (bool, error) {
	info, err := d.stat(n)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && !info.IsDir() && info.Size() <= emptyJournal, err
}

// make creates a store in a folder for which readFormat returned false.
func (d *disk) make(origin tree.Origin) (format, error) {
	if err := d.remove(journalName(1)); err != nil && !errors.Is(err, fs.ErrNotExist) { // it contains no batch
		return format{}, fmt.Errorf("make store: %w", err)
	}
	if origin.ID == "" {
		var unique [10]byte
		_, _ = rand.Read(unique[:]) // never fails
		origin.ID = "o_" + tree.Hash(string(unique[:]))
	}
	j, err := d.begin(1, 0, link{})
	if err != nil {
		return format{}, fmt.Errorf("make store: %w", err)
	}
	if err := j.file.Close(); err != nil {
		return format{}, fmt.Errorf("make store: %w", err)
	}
	f := format{Format: "memtree", Major: majorFormat, Minor: minorFormat, Origin: origin}
	if err := d.writeFormat(f); err != nil {
		return format{}, fmt.Errorf("make store: %w", err)
	}
	return f, nil
}

func (d *disk) writeFormat(f format) error {
	f.Sum = f.sum()
	b, err := encode(f)
	if err != nil {
		return err
	}
	return d.replace(formatName, append(b, '\n'))
}
