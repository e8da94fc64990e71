package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/text"
)

// access is the way in which a command opens the store. The values up to planning open it for reading only.
type access int

const (
	reading  access = iota // writes nothing, so another process may write meanwhile
	planning               // writes nothing, but opens the model to estimate its calls
	asking                 // writes trials; runs that need a model wait for the next record
	writing                // records, learns or changes memories
	making                 // as writing, and creates the store if there is none
)

// patient is the deadline for guidance. It is longer than the default, because a person waits for a command and no
// run does.
const patient = 30 * time.Second

// with opens the store, calls do and closes the store. After a command that wrote, it prints the note on lexical
// search.
//
// A command of another process works on the memory that this one has open.
func (a *app) with(ctx context.Context, how access, do func(*memtree.Memory) error) error {
	if a.on != nil {
		return a.borrowed(how, do)
	}
	m, err := a.open(ctx, how)
	if err != nil {
		return err
	}
	err = do(m)
	a.unrecorded()
	a.byWords(m, how, err)
	return errors.Join(err, m.Close()) //nolint:contextcheck // what is accepted is kept whatever became of ctx
}

// byWords prints, after a command that wrote, a note that memories are found by lexical search alone.
func (a *app) byWords(m *memtree.Memory, how access, err error) {
	if note := m.Health().Note; err == nil && how == writing && note != "" {
		a.note(text.Line(note))
	}
}

// open opens the store with the model and embedder that the command needs. --read-only makes
// every access reading, except planning.
func (a *app) open(ctx context.Context, how access) (*memtree.Memory, error) {
	return a.openWithin(ctx, how, patient)
}

// openWithin is open with another deadline for guidance.
func (a *app) openWithin(ctx context.Context, how access, deadline time.Duration) (*memtree.Memory, error) {
	if a.readOnly && how != planning {
		how = reading
	}
	if err := a.checkFolder(how); err != nil {
		return nil, err
	}
	o := memtree.Options{ReadOnly: how <= planning, Label: a.label, Deadline: deadline, Logger: a.logger}
	var err error
	if o.Generator, err = a.generator(how); err != nil {
		return nil, err
	}
	if o.Embedder, err = a.embedder(how); err != nil {
		return nil, err
	}
	m, err := memtree.Open(ctx, a.store, &o)
	if err != nil {
		return nil, err
	}
	if damage := m.Health().Damage; damage != nil {
		a.complain(a.sentence(damage))
	}
	return m, nil
}

// checkFolder returns an error with advice if there is no store. That is the most common mistake, so it is checked
// before anything else can fail.
func (a *app) checkFolder(how access) error {
	info, err := os.Stat(a.store)
	switch {
	case errors.Is(err, fs.ErrNotExist) && how == making:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return &failure{a.say("there is no store in %s; make one with `memtree init`, or name another with --store", a.store),
			err}
	case err != nil:
		return err
	case !info.IsDir():
		return &failure{a.say("%s is a file; a store is a folder", a.store), nil}
	case how == making:
		return nil
	}
	if _, err := os.Stat(filepath.Join(a.store, "FORMAT.json")); errors.Is(err, fs.ErrNotExist) {
		return &failure{a.say("there is no store in %s; make one with `memtree init`, or name another with --store", a.store),
			err}
	}
	return nil
}
