package postgres

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// Verify reads all nodes and entries, and checks the laws of each node, the counts, and the chain of the commits. If
// the store is written to meanwhile, it skips the counts and the chain. It does not check the bytes on the server's
// disk; PostgreSQL's data checksums and pg_amcheck do. See store.Verifier.
func (s *Store) Verify(ctx context.Context, found func(problem error)) (store.Verified, error) {
	info, err := s.Info(ctx)
	if err != nil {
		return store.Verified{}, fmt.Errorf("verify: %w", err)
	}
	v := store.Verified{Version: info.Version}
	if err := s.scan(ctx, store.Filter{}, func(id string, raw []byte) bool {
		v.Nodes++
		var n tree.Node
		err := json.Unmarshal(raw, &n)
		if err != nil {
			err = s.unreadable(id, err)
		} else {
			err = tree.Check(&n)
		}
		if err != nil {
			found(err)
		}
		return true
	}); err != nil {
		return v, fmt.Errorf("verify: %w", s.translate(err))
	}
	for e, err := range s.Ledger(ctx, 0) {
		if err != nil {
			return v, fmt.Errorf("verify: %w", err)
		}
		v.Entries++
		if e.Seq != uint64(v.Entries) { //nolint:gosec // a count
			found(fmt.Errorf("entry %d of the ledger has the number %d", v.Entries, e.Seq))
		}
	}
	if now, err := s.Info(ctx); err != nil || now.Version != info.Version {
		return v, err // it was written meanwhile, and the counts are not of one moment
	}
	if v.Nodes != info.Nodes || uint64(v.Entries) != info.Entries { //nolint:gosec // a count
		found(fmt.Errorf("%s: it has %d nodes and %d entries, and counts %d and %d", s.address, v.Nodes, v.Entries,
			info.Nodes, info.Entries))
	}
	if v.Batches, err = s.verifyChain(ctx, found); err != nil {
		return v, fmt.Errorf("verify: %w", s.translate(err))
	}
	return v, nil
}

// verifyChain checks that each commit follows the one before it, and that the tree has the hash of the last.
func (s *Store) verifyChain(ctx context.Context, found func(error)) (n int, err error) {
	rows, err := s.pool.Query(ctx, `SELECT rev, prev_hash, hash FROM memtree.commit WHERE tree = $1 ORDER BY rev`, s.tree)
	if err != nil {
		return 0, err
	}
	var rev int64
	var prev, hash, last []byte
	if _, err := pgx.ForEachRow(rows, []any{&rev, &prev, &hash}, func() error {
		if n > 0 && !bytes.Equal(prev, last) {
			found(fmt.Errorf("%s: commit %d does not follow the one before it: its hash differs", s.address, rev))
		}
		last = bytes.Clone(hash)
		n++
		return nil
	}); err != nil {
		return n, err
	}
	var now []byte
	err = s.pool.QueryRow(ctx, `SELECT hash FROM memtree.tree WHERE id = $1`, s.tree).Scan(&now)
	if err == nil && n > 0 && !bytes.Equal(now, last) {
		found(fmt.Errorf("%s: the tree does not have the hash of its last commit", s.address))
	}
	return n, err
}
