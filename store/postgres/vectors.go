package postgres

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/memtree/memtree/store"
)

var _ store.VectorTable = (*Store)(nil)

// fillAtOnce is the number of vectors that a transaction writes. Commits of the tree wait for it, some milliseconds.
const fillAtOnce = 100

// filled is what the table of vectors has of a memory.
type filled struct {
	revision int
	encoder  string
}

// FillVectors makes the table memtree.embedding contain these vectors and no others. If a commit changes a node
// meanwhile, the vector of its old revision is omitted or removed. Commits may wait some milliseconds for FillVectors.
// See store.VectorTable.
func (s *Store) FillVectors(ctx context.Context, encoder string, all iter.Seq2[store.NodeVector, error]) error {
	if err := s.begin(ctx); err != nil {
		return fmt.Errorf("fill the table of vectors: %w", err)
	}
	defer s.life.RUnlock()
	if err := s.fillVectors(ctx, encoder, all); err != nil {
		return fmt.Errorf("fill the table of vectors: %w", s.translate(err))
	}
	return nil
}

func (s *Store) fillVectors(ctx context.Context, encoder string, all iter.Seq2[store.NodeVector, error]) error {
	kind, err := s.vectorType(ctx)
	if err != nil || kind == "" {
		return err
	}
	have, err := s.filledVectors(ctx)
	if err != nil {
		return err
	}
	var some []store.NodeVector
	for v, err := range all {
		if err != nil {
			return err
		}
		now, there := have[v.ID]
		delete(have, v.ID)
		if there && now == (filled{v.Revision, encoder}) {
			continue
		}
		if some = append(some, v); len(some) == fillAtOnce {
			if err := s.writeVectors(ctx, kind, encoder, some); err != nil {
				return err
			}
			some = some[:0]
		}
	}
	if err := s.writeVectors(ctx, kind, encoder, some); err != nil {
		return err
	}
	return s.dropVectors(ctx, have)
}

// vectorType returns the name of the type of the vectors, which the extension may have in any schema; "" if there is no
// table for them.
func (s *Store) vectorType(ctx context.Context) (kind string, err error) {
	err = s.pool.QueryRow(ctx, `SELECT format('%I.%I', n.nspname, t.typname) FROM pg_attribute a
		JOIN pg_type t ON t.oid = a.atttypid JOIN pg_namespace n ON n.oid = t.typnamespace
		WHERE a.attrelid = to_regclass('memtree.embedding') AND a.attname = 'embedding' AND NOT a.attisdropped`).Scan(&kind)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return kind, err
}

// filledVectors returns what the table has of the tree.
func (s *Store) filledVectors(ctx context.Context) (map[string]filled, error) {
	rows, err := s.pool.Query(ctx, `SELECT id, revision, encoder FROM memtree.embedding WHERE tree = $1`, s.tree)
	if err != nil {
		return nil, err
	}
	have := map[string]filled{}
	var id string
	var f filled
	_, err = pgx.ForEachRow(rows, []any{&id, &f.revision, &f.encoder}, func() error {
		have[id] = f
		return nil
	})
	return have, err
}

// writeVectors writes vectors of memories that have these revisions, between two commits of the tree.
func (s *Store) writeVectors(ctx context.Context, kind, encoder string, some []store.NodeVector) error {
	if len(some) == 0 {
		return nil
	}
	ids, revisions := make([]string, len(some)), make([]int, len(some))
	dims, texts := make([]int, len(some)), make([]string, len(some))
	for i, v := range some {
		ids[i], revisions[i], dims[i], texts[i] = v.ID, v.Revision, len(v.Vector), vectorText(v.Vector)
	}
	var q pgx.Batch // outside of a transaction, it is one
	q.Queue(`SELECT FROM memtree.tree WHERE id = $1 FOR SHARE`, s.tree)
	q.Queue(`INSERT INTO memtree.embedding (tree, id, revision, encoder, dims, embedding)
		SELECT $1, x.id, x.revision, $6, x.dims, x.v::`+kind+`
		FROM unnest($2::text[], $3::bigint[], $4::int[], $5::text[]) AS x (id, revision, dims, v)
		JOIN memtree.node n ON n.tree = $1 AND n.id = x.id AND n.revision = x.revision
		ON CONFLICT (tree, id) DO UPDATE SET revision = excluded.revision, encoder = excluded.encoder,
			dims = excluded.dims, embedding = excluded.embedding`, s.tree, ids, revisions, dims, texts, encoder)
	return s.pool.SendBatch(ctx, &q).Close()
}

// vectorText returns a vector as the extension reads it.
func vectorText(v []float32) string {
	b := make([]byte, 0, 12*len(v))
	for i, x := range v {
		b = strconv.AppendFloat(append(b, "[,"[min(i, 1)]), float64(x), 'g', -1, 32)
	}
	return string(append(b, ']'))
}

// dropVectors drops vectors, unless another process has filled them anew since they were read.
func (s *Store) dropVectors(ctx context.Context, gone map[string]filled) error {
	if len(gone) == 0 {
		return nil
	}
	var ids, encoders []string
	var revisions []int
	for id, f := range gone {
		ids, revisions, encoders = append(ids, id), append(revisions, f.revision), append(encoders, f.encoder)
	}
	_, err := s.pool.Exec(ctx, `DELETE FROM memtree.embedding e
		USING unnest($2::text[], $3::bigint[], $4::text[]) AS x (id, revision, encoder)
		WHERE e.tree = $1 AND e.id = x.id AND e.revision = x.revision AND e.encoder = x.encoder`,
		s.tree, ids, revisions, encoders)
	return err
}
