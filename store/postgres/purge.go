package postgres

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"github.com/memtree/memtree/store"
)

// purge removes what a purge names from the ledger, the dead letters, the commits and the data beside the nodes, in the
// transaction of its commit. Other processes find the changes up to this commit compacted. The server's own files have
// the bytes until its next VACUUM, and its archive as long as the operator keeps that.
func (s *Store) purge(ctx context.Context, tx pgx.Tx, p *store.Purge, rev int64) error {
	if p == nil {
		return nil
	}
	if err := rewrite(ctx, tx, s.tree, `SELECT seq, body FROM memtree.ledger WHERE tree = $1 AND seq > $2 ORDER BY seq
		LIMIT 1000`, `UPDATE memtree.ledger SET body = $3 WHERE tree = $1 AND seq = $2`, p.Clean); err != nil {
		return err
	}
	if err := rewrite(ctx, tx, s.tree, `SELECT n, body FROM memtree.dead WHERE tree = $1 AND n > $2 ORDER BY n LIMIT 1000`,
		`UPDATE memtree.dead SET body = $3 WHERE tree = $1 AND n = $2`, p.CleanLetter); err != nil {
		return err
	}
	var q pgx.Batch
	q.Queue(`UPDATE memtree.commit SET changes = NULL WHERE tree = $1 AND changes IS NOT NULL`, s.tree)
	q.Queue(`UPDATE memtree.tree SET base = $2 WHERE id = $1`, s.tree, rev)
	q.Queue(`DELETE FROM memtree.derived WHERE tree = $1`, s.tree)
	q.Queue(`UPDATE memtree.job SET result = NULL, problem = NULL WHERE tree = $1`, s.tree)
	q.Queue(`DELETE FROM memtree.reply WHERE job IN (SELECT id FROM memtree.job WHERE tree = $1)`, s.tree)
	return tx.SendBatch(ctx, &q).Close()
}

// rewrite replaces the rows of a list that clean changes.
func rewrite[T any](ctx context.Context, tx pgx.Tx, id int64, list, replace string, clean func(*T) bool) error {
	for at := int64(0); ; {
		page, err := rowsOf(tx.Query(ctx, list, id, at))
		if err != nil || len(page) == 0 {
			return err
		}
		var q pgx.Batch
		for _, r := range page {
			var v T
			if err := json.Unmarshal(r.body, &v); err != nil {
				return err
			}
			if clean(&v) {
				body, err := encode(&v)
				if err != nil {
					return err
				}
				q.Queue(replace, id, r.n, body)
			}
			at = r.n
		}
		if err := tx.SendBatch(ctx, &q).Close(); err != nil {
			return err
		}
	}
}
