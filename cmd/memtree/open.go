package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/store/cache"
	jsonstore "github.com/memtree/memtree/store/json"
	"github.com/memtree/memtree/tree"
)

// memory is an open store and the loop around it.
type memory struct {
	*memtree.Memory
	store tree.Store
}

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

// cachedNodes is how many node bodies stay in memory.
const cachedNodes = 4096

// with opens the store, does something with it and closes it again.
func (a *app) with(ctx context.Context, how access, do func(*memory) error) error {
	m, err := a.open(ctx, how)
	if err != nil {
		return err
	}
	err = do(m)
	if note := m.Note(); err == nil && how == writing && note != "" {
		a.note(oneLine(note))
	}
	return errors.Join(err, m.Close()) //nolint:contextcheck // what is accepted is kept whatever became of ctx
}

func (a *app) open(ctx context.Context, how access) (*memory, error) {
	if a.readOnly && how != planning {
		how = reading
	}
	if err := a.checkFolder(how); err != nil {
		return nil, err
	}
	s, err := jsonstore.OpenDir(ctx, a.store, jsonstore.Options{ReadOnly: how <= planning, Started: time.Now(), Origin: tree.Origin{Label: a.label}})
	if err != nil {
		return nil, err
	}
	if damage := s.Damage(); damage != nil {
		a.complain(a.sentence(damage))
	}
	o := memtree.Options{Store: s, ReadOnly: how <= planning, Deadline: patient, Findings: a.findings}
	if how > planning { // else what another process changes is to be seen
		o.Store = cache.New(s, cachedNodes)
	}
	if o.Generator, err = a.generator(how); err == nil {
		o.Embedder, err = a.embedder(how)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	m, err := memtree.Open(ctx, a.store, &o)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return &memory{Memory: m, store: o.Store}, nil
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
