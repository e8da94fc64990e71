package access

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/jobs"
	"github.com/memtree/memtree/internal/jobs/shared"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/store/postgres"
)

// A store may be the URL of a database, which other processes share. What is of this machine alone, such as tokens, the
// team's own checks and the journal for times without the database, is in a folder.

// LocalVariable is the environment variable that names the folder on this machine for stores in a database.
const LocalVariable = "MEMTREE_LOCAL"

// TokensVariable is the environment variable that names the folder of the access tokens, which services on several
// machines or containers can share.
const TokensVariable = "MEMTREE_TOKENS"

// Tokens returns the folder of the access tokens: that of TokensVariable, else the store's folder.
func (d *Opener) Tokens() string {
	_ = d.makeLocal() // else the tokens cannot be written, which is an error there
	return cmp.Or(d.Getenv(TokensVariable), d.Dir)
}

// IsDatabase reports whether name, which names a store, is the URL of a database.
func IsDatabase(name string) bool { return postgres.IsURL(name) }

// Locate checks whether d.Dir is the URL of a database. If it is, d uses that database, and d.Dir becomes a folder on
// this machine for it. It returns an error if the URL is invalid or of another kind, or if no folder can be chosen.
func (d *Opener) Locate() error {
	d.database = nil
	if !postgres.IsURL(d.Dir) {
		if kind, _, isURL := strings.Cut(d.Dir, "://"); isURL {
			return d.Usage("a store cannot be at %s://…; it is a folder, or a database such as postgres://user@host/db", kind)
		}
		return nil
	}
	address, err := postgres.Parse(d.Dir)
	if err != nil {
		return d.Usage("--store: %s", d.Mistake(err.Error()))
	}
	d.database = &address
	d.Dir, err = d.localFolder(address)
	return err
}

// At makes d open another store, a folder or a URL, until back is called.
func (d *Opener) At(store string) (back func(), err error) {
	dir, database := d.Dir, d.database
	back = func() { d.Dir, d.database = dir, database }
	d.Dir = store
	if err := d.Locate(); err != nil {
		back()
		return nil, err
	}
	return back, nil
}

// localFolder returns the folder of this machine for a shared store, by the name of the tree: in that of MEMTREE_LOCAL,
// or in the user's folder for state.
func (d *Opener) localFolder(address postgres.Address) (string, error) {
	base := cmp.Or(d.Getenv(LocalVariable), filepath.Join(d.Getenv("XDG_STATE_HOME"), "memtree"))
	if !filepath.IsAbs(base) && d.Getenv(LocalVariable) == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", d.Fail(err, "there is no home folder; name a folder of this machine in %s", LocalVariable)
		}
		base = filepath.Join(home, ".local", "state", "memtree")
	}
	sum := sha256.Sum256([]byte(address.Key()))
	dir := filepath.Join(base, address.Tree+"-"+hex.EncodeToString(sum[:4]))
	return dir, nil
}

// makeLocal makes the folder of this machine for a shared store.
func (d *Opener) makeLocal() error {
	if d.database == nil {
		return nil
	}
	return os.MkdirAll(d.Dir, 0o700)
}

// Name returns the store's name for people: its folder, or its URL without the password.
func (d *Opener) Name() string {
	if d.database != nil {
		return d.database.String()
	}
	return d.Dir
}

// Shared reports whether the store is in a database.
func (d *Opener) Shared() bool { return d.database != nil }

// Empty reports whether there is no store at the place yet.
func (d *Opener) Empty(ctx context.Context) bool {
	if d.database == nil {
		return !Holds(d.Dir)
	}
	s, err := postgres.Open(ctx, *d.database, postgres.Options{ReadOnly: true})
	if err != nil {
		format, ok := errors.AsType[*store.FormatError](err)
		return ok && format.Missing
	}
	return s.Close() != nil //nolint:contextcheck // it has a bound of its own
}

// openShared opens the tree in the database, for the options of a memory. The first command that writes makes it.
func (d *Opener) openShared(ctx context.Context, how openMode, o *memtree.Options) error {
	if err := d.makeLocal(); err != nil {
		return err
	}
	s, err := postgres.Open(ctx, *d.database, postgres.Options{
		ReadOnly: o.ReadOnly, MustExist: how < Writing, Label: d.Label,
	})
	if err != nil {
		return err
	}
	if how >= Asking && !d.ReadOnly {
		if err := s.Writable(ctx); err != nil && !d.Follows {
			return errors.Join(err, s.Close()) //nolint:contextcheck // it has a bound of its own
		} else if err != nil {
			d.Note(d.Say("%s Until it does, this answers, and keeps runs on this machine.", d.Sentence(err)+"."))
		}
	}
	o.Store = s
	if s.New() && how != Making && !d.database.Unnamed() {
		d.Note(d.Say("%s is a new tree; if another one was meant, check tenant and tree in the URL.", d.Name()))
	}
	if o.Generator != nil {
		o.Generator = jobs.Paid(o.Generator)
	}
	if d.Follows {
		return d.follow(ctx, s, o)
	}
	return nil
}

// follow opens a replica of the tree, with a journal of this machine for times without the database.
func (d *Opener) follow(ctx context.Context, s *postgres.Store, o *memtree.Options) error {
	options := postgres.ReplicaOptions{Logger: d.Logger}
	if !o.ReadOnly {
		info, err := s.Info(ctx)
		if err != nil {
			return errors.Join(err, s.Close()) //nolint:contextcheck // it has a bound of its own
		}
		journal, err := d.openJournal(ctx, info)
		if locked, ok := errors.AsType[*store.LockedError](err); ok {
			err = d.Fail(err, "process %d of this machine serves %s with the same folder; name another folder in %s",
				locked.PID, d.Name(), LocalVariable)
		}
		if err != nil {
			return errors.Join(err, s.Close()) //nolint:contextcheck // it has a bound of its own
		}
		options.Local = journal
	}
	r, err := postgres.NewReplica(ctx, s, options)
	if err != nil {
		return err
	}
	o.Store = r
	return nil
}

// Verify reads and checks all of the store; see store.Verifier. It checks a database without opening a memory, because
// a memory cannot be opened if a value in the database cannot be read.
func (d *Opener) Verify(ctx context.Context, found func(problem error)) (v store.Verified, err error) {
	if d.database == nil {
		err = d.Read(ctx, func(m *memtree.Memory) (err error) {
			v, err = m.Verify(ctx, found)
			return err
		})
		return v, err
	}
	s, err := postgres.Open(ctx, *d.database, postgres.Options{ReadOnly: true})
	if err != nil {
		return v, err
	}
	v, err = s.Verify(ctx, found)
	return v, errors.Join(err, s.Close()) //nolint:contextcheck // it has a bound of its own
}

// Jobs opens the queue of background jobs of a tree in a database. Call it only if Shared is true. The jobs of a tree
// in a folder are in the process that serves it.
func (d *Opener) Jobs(ctx context.Context, o shared.Options) (*shared.Queue, error) {
	return shared.Open(ctx, *d.database, o)
}

// NeedsFolder returns an error, for a command that works on the files of a store, if the store is in a database.
// instead is the command to use there.
func (d *Opener) NeedsFolder(instead string) error {
	if d.database == nil {
		return nil
	}
	return d.Usage("this command works on the files of a store, and %s is a database; use %s", d.Name(), instead)
}

// explainShared returns the sentence for an error of a database, "" for other errors.
func (d *Opener) explainShared(err error) string {
	var unknown *store.UnknownError
	switch {
	case errors.As(err, &unknown):
		return d.Say("it is not known whether this was written to %s, because the answer was not waited for or was lost; "+
			"look, and give the command again if it was not", d.Name())
	case errors.Is(err, store.ErrDeleted):
		return d.Say("the tree %s was deleted from the database while this ran; nothing was changed", d.Name())
	case errors.Is(err, store.ErrAway):
		return d.Say("the database %s cannot be reached, and nothing was changed; check that it runs, and that its host and "+
			"port can be reached from here", d.Name())
	}
	return d.explainMove(err)
}
