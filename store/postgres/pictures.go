package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// PutPicture stores the bytes b of the picture p. See store.Gallery.
func (s *Store) PutPicture(ctx context.Context, p tree.Picture, b []byte) error {
	if err := s.begin(ctx); err != nil {
		return fmt.Errorf("put picture: %w", err)
	}
	defer s.life.RUnlock()
	if err := store.CheckPicture(p, b); err != nil {
		return fmt.Errorf("put picture: %w", err)
	}
	tag, err := s.pool.Exec(ctx, `INSERT INTO memtree.picture SELECT $1, $2, $6, clock_timestamp(), $3
		WHERE EXISTS (SELECT 1 FROM memtree.picture WHERE tree = $1 AND sha256 = $2)
			OR (SELECT coalesce(sum(length(body)), 0) FROM memtree.picture WHERE tree = $1) + $4 <= $5
		ON CONFLICT (tree, sha256) DO UPDATE SET put = excluded.put`,
		s.tree, p.SHA256, b, len(b), int64(store.MaxGallery), p.File())
	if err == nil && tag.RowsAffected() == 0 {
		err = store.ErrGalleryFull
	}
	if err != nil {
		return fmt.Errorf("put picture: %w", s.translate(err))
	}
	return nil
}

// Picture returns the bytes of the picture with the SHA-256 sum. See store.Gallery.
func (s *Store) Picture(ctx context.Context, sum string) ([]byte, error) {
	var b []byte
	err := s.reading(ctx, func() error {
		if !storable(sum) {
			return pgx.ErrNoRows
		}
		return s.pool.QueryRow(ctx, `SELECT body FROM memtree.picture WHERE tree = $1 AND sha256 = $2`, s.tree, sum).Scan(&b)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		err = tree.ErrNotFound
	}
	if err == nil && store.PictureSum(b) != sum {
		err = &store.CorruptError{File: s.address.String() + " picture " + sum, Lost: "its hash is not its name"}
	}
	if err != nil {
		return nil, fmt.Errorf("picture: %w", err)
	}
	return b, nil
}

// RemovePicture removes the picture with the SHA-256 sum. See store.Gallery.
func (s *Store) RemovePicture(ctx context.Context, sum string) error {
	if err := s.begin(ctx); err != nil {
		return fmt.Errorf("remove picture: %w", err)
	}
	defer s.life.RUnlock()
	if _, err := s.pool.Exec(ctx, `DELETE FROM memtree.picture WHERE tree = $1 AND sha256 = $2`, s.tree, sum); err != nil {
		return fmt.Errorf("remove picture: %w", s.translate(err))
	}
	return nil
}

// Pictures returns a list of the stored pictures. File is the name that a picture would have in a folder. See
// store.Gallery.
func (s *Store) Pictures(ctx context.Context) (out []store.KeptPicture, err error) {
	err = s.reading(ctx, func() error {
		rows, err := s.pool.Query(ctx, `SELECT sha256, file, length(body), put FROM memtree.picture WHERE tree = $1
			ORDER BY sha256`, s.tree)
		if err != nil {
			return err
		}
		out, err = pgx.CollectRows(rows, pgx.RowToStructByPos[store.KeptPicture])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list pictures: %w", err)
	}
	return out, nil
}
