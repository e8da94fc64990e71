-- +goose Up

-- When data was last saved or kept: what another process may be about to refer to is not dropped.
ALTER TABLE memtree.derived ADD COLUMN used timestamptz NOT NULL DEFAULT clock_timestamp();
