package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/memtree/memtree/store"
)

// HistoryPoint is a point in the history of a tree, up to which a follower has read.
type HistoryPoint struct {
	Version int64
	Hash    []byte // hash of the commit that made Version; empty for version 0, and for the version that a move set
	Entries int64  // number of the last entry of the ledger
}

// Feed holds what was committed after a HistoryPoint, in order.
type Feed struct {
	Place   HistoryPoint // where to continue reading
	Info    store.Info   // summary of the newest version of the store, even if there is More
	Now     time.Time    // time of the read, by the server's clock
	Commits []feedRow    // commits that changed nodes: version, and changes as a JSON array
	Entries []feedRow    // ledger entries with their numbers
	Anew    bool         // the history is not the one that the caller has read; read everything again
	More    bool         // there is more after Place
}

// feedRow is a commit or ledger entry as stored: its number and its JSON.
type feedRow struct {
	N    uint64 // version of the commit, or number of the entry
	JSON []byte
}

// feedRows bounds the commits, and the entries, of a feed.
const feedRows = 2000

// Feed returns what was committed after a point, oldest first: at most 2,000 commits and 2,000 ledger entries.
// Feed.More reports whether there is more. If the history is not the one that the caller has read, as after a restore
// of the database, or if commits after the point were removed, Feed sets Anew.
//
// Each commit has the hash of the one before it, by which Feed finds another history. Each commit locks the row of its
// tree, so commits become visible in order.
func (s *Store) Feed(ctx context.Context, after HistoryPoint) (f Feed, err error) {
	err = s.reading(ctx, func() error {
		return s.reader(ctx, func(tx pgx.Tx) (err error) {
			f, err = s.feed(ctx, tx, after)
			return err
		})
	})
	if errors.Is(err, pgx.ErrNoRows) {
		err = s.deleted()
	}
	if err != nil {
		return Feed{}, fmt.Errorf("follow: %w", err)
	}
	return f, nil
}

// Head returns a Feed without commits and entries: the newest point, and the summary of the store there.
func (s *Store) Head(ctx context.Context) (f Feed, err error) {
	err = s.reading(ctx, func() error {
		return s.reader(ctx, func(tx pgx.Tx) (err error) {
			f.Info, f.Place, _, err = s.head(ctx, tx, &f.Now)
			f.Place.Entries = int64(f.Info.Entries) //nolint:gosec // a count
			return err
		})
	})
	if err != nil {
		return Feed{}, fmt.Errorf("follow: %w", err)
	}
	return f, nil
}

// reader calls read in a transaction that sees one moment.
func (s *Store) reader(ctx context.Context, read func(pgx.Tx) error) error {
	return pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, read)
}

func (s *Store) feed(ctx context.Context, tx pgx.Tx, after HistoryPoint) (f Feed, err error) {
	var base int64
	f.Info, f.Place, base, err = s.head(ctx, tx, &f.Now)
	entries := int64(f.Info.Entries) //nolint:gosec // a count
	if err != nil || f.Place.Version == after.Version && follows(after.Hash, f.Place.Hash) {
		f.Place.Entries = after.Entries
		return f, err
	}
	last := f.Place
	f.Anew = after.Version < base
	at, hash := after.Version, after.Hash
	rows, err := tx.Query(ctx, `SELECT rev, prev_hash, hash, changes FROM memtree.commit WHERE tree = $1 AND rev > $2
		ORDER BY rev LIMIT $3`, s.tree, after.Version, feedRows)
	if err != nil {
		return f, err
	}
	var rev int64
	var prev, next, changes []byte
	if _, err = pgx.ForEachRow(rows, []any{&rev, &prev, &next, &changes}, func() error {
		f.Anew = f.Anew || rev != at+1 || !follows(hash, prev)
		at, hash = rev, bytes.Clone(next)
		if changes == nil || f.Anew {
			return nil
		}
		f.Commits = append(f.Commits, feedRow{uint64(rev), bytes.Clone(changes)}) //nolint:gosec // not negative
		return nil
	}); err != nil {
		return f, err
	}
	f.Place = HistoryPoint{at, hash, after.Entries}
	f.More = at < last.Version
	f.Anew = f.Anew || !f.More && !follows(hash, last.Hash) || at > last.Version || after.Entries > entries
	return f, s.feedEntries(ctx, tx, &f)
}

// follows reports whether a commit continues the history at a hash: the one that it names as the hash before it.
func follows(hash, prev []byte) bool { return bytes.Equal(hash, prev) }

// head reads the counts of the tree, its place, up to which version its changes were dropped, and the server's time.
func (s *Store) head(ctx context.Context, tx pgx.Tx, now *time.Time) (i store.Info, p HistoryPoint, base int64,
	err error) {
	var needs int
	i = store.Info{Format: fmt.Sprintf("postgres/%d", schemaVersion), Origin: s.origin}
	err = tx.QueryRow(ctx, `SELECT rev, hash, base, nodes, entries, dead, coalesce(a.evaluations, 0)::bigint,
		(coalesce(a.arrivals, 0) - finished)::bigint, clock_timestamp(), (SELECT max(schema) FROM memtree.needs)
		FROM memtree.tree, (SELECT sum(evaluations) AS evaluations, sum(arrivals) AS arrivals
			FROM memtree.accepted WHERE tree = $1) AS a WHERE id = $1`, s.tree).
		Scan(&p.Version, &p.Hash, &base, &i.Nodes, &i.Entries, &i.Dead, &i.Evaluations, &i.Outbox, now, &needs)
	_ = s.outgrown(needs)         // it can still be read
	i.Version = uint64(p.Version) //nolint:gosec // not negative
	return i, p, base, err
}

// feedEntries reads the entries of the ledger after the place of a feed.
func (s *Store) feedEntries(ctx context.Context, tx pgx.Tx, f *Feed) error {
	page, err := rowsOf(tx.Query(ctx, `SELECT seq, body FROM memtree.ledger WHERE tree = $1 AND seq > $2 ORDER BY seq
		LIMIT $3`, s.tree, f.Place.Entries, feedRows))
	for _, r := range page {
		f.Entries = append(f.Entries, feedRow{uint64(r.n), r.body}) //nolint:gosec // not negative
		f.Place.Entries = r.n
	}
	f.More = f.More || len(page) == feedRows
	return err
}
