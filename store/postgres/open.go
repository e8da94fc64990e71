package postgres

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/memtree/memtree/store"
)

// Options configures Open. The zero value is valid.
type Options struct {
	ReadOnly  bool          // write nothing; a read-only server suffices
	MustExist bool          // do not create the tree or the tables if they are missing
	Label     string        // name of the team, saved in a tree that is created now; exports show it
	Patience  time.Duration // how long a commit is tried again after the connection was lost; 0: a minute
	// for a move: the source. Open then creates a tree, or opens one that is being moved here. "": no move
	Moving string
}

// How long a commit is sent again, and how long a host may take to answer.
const (
	defaultPatience = time.Minute
	unsentPatience  = 3 * time.Second // for one that nothing was sent of
	connectWithin   = 5 * time.Second
)

// connections is the most connections of a tree, unless the URL has pool_max_conns.
const connections = 16

// Open opens the tree at a. It creates the tables and the tree if they are missing, unless o forbids that. The error
// wraps a *store.FormatError if something is missing and must not be created, if the tables are not of a version that
// this program can use, or if the tree is being moved. It wraps store.ErrAway if no database answers.
func Open(ctx context.Context, a Address, o Options) (*Store, error) {
	s, err := open(ctx, a, o)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", a, err)
	}
	return s, nil
}

func open(ctx context.Context, a Address, o Options) (_ *Store, err error) {
	s := &Store{
		address: a, readOnly: o.ReadOnly, patience: o.Patience, process: rand.Text(),
		committing: make(chan struct{}, 1), saved: map[string]int64{},
	}
	if s.patience <= 0 {
		s.patience = defaultPatience
	}
	most := int32(connections)
	if a.ownPool {
		most = a.config.MaxConns
	}
	if s.pool, err = a.Pool(ctx, most); err != nil {
		return nil, s.translate(err)
	}
	defer func() {
		if err != nil {
			s.pool.Close()
		}
	}()
	if err = s.pool.Ping(ctx); err != nil {
		return nil, s.translate(err)
	}
	if err = s.migrate(ctx, o); err != nil {
		return nil, err
	}
	if err = s.find(ctx, o); err != nil {
		return nil, err
	}
	s.intake = newIntake(s)
	return s, nil
}

// Pool returns a pool of connections to the database; most is their maximum number. The pool connects on first use.
// The caller closes it.
func (a Address) Pool(ctx context.Context, most int32) (*pgxpool.Pool, error) {
	config := a.config.Copy()
	config.ConnConfig.ConnectTimeout = cmp.Or(config.ConnConfig.ConnectTimeout, connectWithin)
	config.MaxConns = most
	// A commit that waits for a standby must not be given up, whatever the settings of the role are.
	config.ConnConfig.RuntimeParams["statement_timeout"] = "0"
	config.ConnConfig.RuntimeParams["application_name"] = "memtree"
	config.ConnConfig.DialFunc = dialer.DialContext
	config.AfterConnect = remember
	return pgxpool.NewWithConfig(ctx, config)
}

// find looks the tree up, and makes it.
func (s *Store) find(ctx context.Context, o Options) error {
	var moving string
	read := func() error {
		return s.pool.QueryRow(ctx, `SELECT id, origin, label, moving FROM memtree.tree WHERE tenant = $1 AND name = $2`,
			s.address.Tenant, s.address.Tree).Scan(&s.tree, &s.origin.ID, &s.origin.Label, &moving)
	}
	err := read()
	if errors.Is(err, pgx.ErrNoRows) {
		if o.ReadOnly || o.MustExist {
			return &store.FormatError{Dir: s.address.String(), Problem: "has no such tree", Missing: true}
		}
		var tag pgconn.CommandTag
		tag, err = s.pool.Exec(ctx, `INSERT INTO memtree.tree (tenant, name, origin, label, moving)
			VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`, s.address.Tenant, s.address.Tree, newOrigin(), o.Label,
			o.Moving)
		s.made = tag.RowsAffected() > 0
		if err == nil {
			err = read()
		}
	}
	if err != nil {
		return s.translate(err)
	}
	if (moving == "") != (o.Moving == "") {
		return s.movingProblem(moving)
	}
	return nil
}

// movingProblem is the error for a tree that a move has not completed, or has completed.
func (s *Store) movingProblem(from string) error {
	problem := "is in use; move to a tree that is new"
	if _, name, _ := strings.Cut(from, " "); from != "" {
		problem = "is being moved here from " + name + "; let memtree move end, or run it again: it continues"
	}
	return &store.FormatError{Dir: s.address.String(), Problem: problem}
}

// newOrigin returns a random id of a tree.
func newOrigin() string { return "o_" + strings.ToLower(rand.Text())[:20] }
