// Package access opens the store for a command: for reading or for writing, with the model that the command needs
// (open.go, shared.go). If another process holds the store, that process runs the command instead. The package also
// moves stores (move.go).
//
// A process that keeps a store open, such as a service, listens on a Unix socket in the store's folder ([Listen],
// guest.go). A command that finds the socket ([Dial], elsewhere.go) has its command line run there ([Conn.Run]) on the
// open memory, with the same code as in its own process. Standard input and output are carried over the socket
// (messages.go); files are opened by the holding process, in the folder and with the rights of the same user.
//
// Only the user who runs the holding process can connect: the socket is in a folder that other users cannot enter, and
// both sides refuse a folder that others can enter (socket.go). There is no secret on disk.
package access

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/cli/model"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/store"
	jsonstore "github.com/memtree/memtree/store/json"
	"github.com/memtree/memtree/store/postgres"
)

// openMode is the way in which a command opens the store. The values up to Planning open it for reading only.
type openMode int

// How a command opens a store.
const (
	Reading  openMode = iota // writes nothing, so another process may write meanwhile
	Planning                 // writes nothing, but opens the model to estimate its calls
	Asking                   // writes trials, and calls no language model; cases that need one wait for a later command
	Writing                  // records, learns or changes memories
	Making                   // creates the store if there is none, and opens no model
)

// Patient is the deadline for guidance in a command. It is longer than the default, because a person waits for it and
// no run does.
const Patient = 30 * time.Second

// Opener opens the store of one command, or has another process run the command.
type Opener struct {
	*say.Voice
	Model    *model.Model
	Dir      string // folder of the store; of a shared one, the folder of this machine, see Locate
	Label    string // name of the team, for a store that is created
	ReadOnly bool
	Follows  bool         // the command runs long: it holds a shared store in memory
	Version  string       // of this program
	Logger   *slog.Logger // log of a command that serves; nil: no log
	Guest    *Guest       // the command runs for another process; nil: it opens the store itself

	// Command runs a command that another process sent, and returns its exit code.
	Command func(context.Context, *Guest) int

	database *postgres.Address // of a shared store; nil: the store is a folder

	lost error // why the process that holds the store could not be reached; nil: there was none
}

// Folder returns the store's folder on this machine, for files that belong to no memory. For a command of another
// process it is the folder of the store that this process holds.
func (d *Opener) Folder() string {
	if d.Guest != nil {
		return d.Guest.host.dir
	}
	return d.Dir
}

// With opens the store, calls do with the memory and closes the store. After a command that wrote, it prints a note if
// some memories can be found by lexical search only.
//
// For a command of another process it calls do with the memory that this process has open.
func (d *Opener) With(ctx context.Context, how openMode, do func(*memtree.Memory) error) error {
	if d.Guest != nil {
		return d.borrowed(how, do)
	}
	m, err := d.Open(ctx, how, Patient)
	if err != nil {
		return err
	}
	err = do(m)
	d.Model.Unrecorded()
	d.lexical(m, how, err)
	return errors.Join(err, m.Close()) //nolint:contextcheck // what is accepted is kept whatever became of ctx
}

// Read opens the store for reading, calls do and closes it.
func (d *Opener) Read(ctx context.Context, do func(*memtree.Memory) error) error {
	return d.With(ctx, Reading, do)
}

// Write opens the store for writing, calls do and closes it.
func (d *Opener) Write(ctx context.Context, do func(*memtree.Memory) error) error {
	return d.With(ctx, Writing, do)
}

// WriteUnless calls Read if dry is true, else Write.
func (d *Opener) WriteUnless(ctx context.Context, dry bool, do func(*memtree.Memory) error) error {
	if dry {
		return d.Read(ctx, do)
	}
	return d.Write(ctx, do)
}

// WriteOrPlan calls Write unless dry is true. Then it opens the store for reading, with the model, so that do can
// estimate the model's calls.
func (d *Opener) WriteOrPlan(ctx context.Context, dry bool, do func(*memtree.Memory) error) error {
	if dry {
		return d.With(ctx, Planning, do)
	}
	return d.Write(ctx, do)
}

// lexical prints, after a command that wrote, a note that memories are found by lexical search alone.
func (d *Opener) lexical(m *memtree.Memory, how openMode, err error) {
	if note := m.Health().Note; err == nil && how == Writing && note != "" {
		d.Note(text.Line(note))
	}
}

// WithOrRead opens the store for guidance and calls do. If the store cannot be written, it opens it for reading and
// calls do again. So guidance is available while another process writes, on a full disk, without permission to write,
// and from a damaged store.
func (d *Opener) WithOrRead(ctx context.Context, do func(*memtree.Memory) error) error {
	err := d.With(ctx, Asking, do)
	var locked *store.LockedError
	var damaged *store.CorruptError
	var refused *store.RefusedError
	switch {
	case errors.As(err, &locked):
		d.Note(d.Say("Another process is writing to %s, so this only reads: the answer has no trial id.", d.Dir))
	case errors.As(err, &damaged): // reading the store reports the damage
	case errors.Is(err, store.ErrFull), errors.Is(err, syscall.ENOSPC):
		d.Note(d.Say("The disk is full, so this only reads: the answer has no trial id."))
	case errors.As(err, &refused) && refused.Why != store.NoRight && refused.Why != store.OnlyReads:
		return err
	case refused != nil, errors.Is(err, store.ErrReadOnly), errors.Is(err, fs.ErrPermission),
		errors.Is(err, syscall.EROFS):
		d.Note(d.Say("%s cannot be written here, so this only reads: the answer has no trial id.", d.Name()))
	default:
		return err
	}
	return d.With(ctx, Reading, do)
}

// Readable reports whether a store can still be opened for reading after err, the error of opening it for writing.
func Readable(err error) bool {
	var locked *store.LockedError
	var damaged *store.CorruptError
	return errors.As(err, &locked) || errors.As(err, &damaged) || errors.Is(err, fs.ErrPermission) ||
		errors.Is(err, syscall.EROFS) || errors.Is(err, store.ErrFull) || errors.Is(err, syscall.ENOSPC)
}

// Open opens the store with the model and embedder that the command needs. deadline is that of guidance. The flag
// --read-only turns every how into Reading, except Planning.
func (d *Opener) Open(ctx context.Context, how openMode, deadline time.Duration) (*memtree.Memory, error) {
	if d.ReadOnly && how != Planning {
		how = Reading
	}
	if err := d.CheckFolder(how); err != nil {
		return nil, err
	}
	o := memtree.Options{ReadOnly: how <= Planning, Label: d.Label, Deadline: deadline, Logger: d.Logger}
	if err := d.models(how, &o); err != nil {
		return nil, err
	}
	if d.database != nil {
		if err := d.openShared(ctx, how, &o); err != nil {
			return nil, err
		}
	}
	m, err := memtree.Open(ctx, d.Dir, &o)
	if err != nil {
		return nil, err
	}
	if all, ok := errors.AsType[interface {
		error
		Unwrap() []error
	}](m.Health().Damage); ok {
		for _, damage := range all.Unwrap() {
			d.Complain(d.Sentence(damage))
		}
	}
	return m, nil
}

// models opens the models for an access. Where the embedding model cannot be opened, a command that computes vectors
// fails, and a query is answered by lexical search alone.
func (d *Opener) models(how openMode, o *memtree.Options) (err error) {
	switch how {
	case Asking:
		o.Generator = d.Model.Later()
	case Planning, Writing:
		if o.Generator, err = d.Model.Generator(how == Writing); err != nil {
			return err
		}
	case Making:
		return nil
	}
	if o.Embedder, err = d.Model.Embedder(); err != nil && (how == Asking || how == Reading) {
		o.Embedder, err = nil, nil
	}
	return err
}

// CheckFolder returns an error with advice if the folder has no store, unless how is Making. That is the most common
// mistake, so it is checked before anything else can fail. A store in a database is checked when it is opened.
func (d *Opener) CheckFolder(how openMode) error {
	if d.database != nil {
		return nil
	}
	info, err := os.Stat(d.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && how == Making:
		return nil
	case err == nil && !info.IsDir():
		return d.Fail(nil, "%s is a file; a store is a folder", d.Dir)
	case err == nil && how != Making:
		if _, err = os.Stat(filepath.Join(d.Dir, format)); !errors.Is(err, fs.ErrNotExist) || jsonstore.HoldsParts(d.Dir) {
			return nil // opening it reports what is wrong
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return d.missing(d.Dir, err)
	}
	return err
}

// Exists returns an error with advice if the folder has no store.
func (d *Opener) Exists() error { return d.CheckFolder(Reading) }

// format is the file by which a store is known.
const format = "FORMAT.json"

// Holds reports whether the folder dir contains a store.
func Holds(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, format))
	return err == nil
}

func (d *Opener) missing(dir string, err error) error {
	return d.Fail(err, "there is no store in %s; make one with `memtree init`, or name another with --store", dir)
}

// CollectAt sets the percentage for garbage collection (debug.SetGCPercent) until before is called. A smaller
// percentage needs less memory and more time. It does nothing for a command of another process.
func (d *Opener) CollectAt(percent int) (before func()) {
	if d.Guest != nil {
		return func() {}
	}
	old := debug.SetGCPercent(percent)
	return func() { debug.SetGCPercent(old) }
}

// ingestMemory is the soft memory limit of the runtime, in bytes: long reports leave much garbage.
const ingestMemory = 128 << 20

// Bounded limits the memory of this process while a report is read; release ends that. It does nothing for a command of
// another process, or if the user has set GOMEMLIMIT.
func (d *Opener) Bounded() (release func()) {
	if d.Guest != nil || d.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	before := debug.SetMemoryLimit(ingestMemory)
	return func() { debug.SetMemoryLimit(before) }
}

// Explain returns what happened and what to do, in the user's language, for an error of the store; "" for other errors.
func (d *Opener) Explain(err error) string {
	var (
		locked *store.LockedError
		format *store.FormatError
		refuse *store.RefusedError
		value  *store.UnreadableError
	)
	switch {
	case errors.As(err, &refuse):
		return refuse.At + ": " + d.Mistake(refuse.Problem)
	case errors.As(err, &value):
		return d.Say("%s in %s cannot be read (%s); memtree verify lists all such values: restore them from a backup",
			value.What, value.At, value.Cause)
	case errors.As(err, &locked):
		return d.lockedSentence(locked)
	case errors.As(err, &format) && format.Missing:
		return d.missing(format.Dir, nil).Error()
	case errors.As(err, &format) && format.Damaged:
		return d.Say("%s %s, `memtree fsck` can make it again", format.Dir, d.Mistake(format.Problem))
	case errors.As(err, &format):
		return d.Say("%s %s", format.Dir, d.Mistake(format.Problem))
	case errors.Is(err, store.ErrFull), errors.Is(err, syscall.ENOSPC): // more exact than what follows
	case errors.Is(err, store.ErrReadOnly):
		return d.Say("the store can only be read here; leave --read-only out, or check who may write to %s", d.Name())
	case errors.Is(err, store.ErrFailed):
		return d.Say("the disk failed while writing to %s; what was acknowledged is safe; check the disk", d.Dir)
	}
	return d.explainShared(err)
}

func (d *Opener) lockedSentence(e *store.LockedError) string {
	if s := d.holderSentence(e); s != "" {
		return s
	}
	if e.PID == 0 {
		return d.Say("another process is writing to store %s; wait for it, or read with --read-only", e.Dir)
	}
	return d.Say("process %d on %s has been writing to store %s since %s; wait for it, or read with --read-only",
		e.PID, e.Host, e.Dir, e.Started.UTC().Format(time.RFC3339))
}
