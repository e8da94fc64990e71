package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/memtree/memtree"
)

// access says how a command opens the store.
type access int

const (
	reading  access = iota // never writes, beside a writer too
	planning               // never writes, but the model counts
	asking                 // writes trials; forms nothing a model should look at
	writing
	making // writing, and there need not be a store yet
)

// patient is the deadline of a command: a person waits, no run does.
const patient = 30 * time.Second

// with opens the store, does something with it and closes it again.
func (a *app) with(ctx context.Context, how access, do func(*memtree.Memory) error) error {
	m, err := a.open(ctx, how)
	if err != nil {
		return err
	}
	err = do(m)
	if note := m.Health().Note; err == nil && how == writing && note != "" {
		a.note(oneLine(note))
	}
	return errors.Join(err, m.Close()) //nolint:contextcheck // what is accepted is kept whatever became of ctx
}

func (a *app) open(ctx context.Context, how access) (*memtree.Memory, error) {
	if a.readOnly && how != planning {
		how = reading
	}
	if err := a.checkFolder(how); err != nil {
		return nil, err
	}
	o := memtree.Options{ReadOnly: how <= planning, Label: a.label, Deadline: patient, Findings: a.findings}
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

// checkFolder words the commonest mistake, no store here, before anything else
// can go wrong.
func (a *app) checkFolder(how access) error {
	info, err := os.Stat(a.store)
	switch {
	case errors.Is(err, fs.ErrNotExist) && how == making:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return &failure{a.say("there is no store in %s; make one with `memtree init`, or name another with --store", a.store), err}
	case err != nil:
		return err
	case !info.IsDir():
		return &failure{a.say("%s is a file; a store is a folder", a.store), nil}
	case how == making:
		return nil
	}
	if _, err := os.Stat(filepath.Join(a.store, "FORMAT.json")); errors.Is(err, fs.ErrNotExist) {
		return &failure{a.say("there is no store in %s; make one with `memtree init`, or name another with --store", a.store), err}
	}
	return nil
}
