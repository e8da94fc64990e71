-- +goose Up

-- A row is a tree. A commit locks it, so the commits of a tree become visible in the order of rev.
CREATE TABLE memtree.tree (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant       text   NOT NULL,
    name         text   NOT NULL,
    origin       text   NOT NULL,
    label        text   NOT NULL DEFAULT '',
    rev          bigint NOT NULL DEFAULT 0,
    hash         bytea  NOT NULL DEFAULT '',
    base         bigint NOT NULL DEFAULT 0, -- the changes of commits up to this rev are no longer kept
    nodes        bigint NOT NULL DEFAULT 0,
    entries      bigint NOT NULL DEFAULT 0,
    dead         bigint NOT NULL DEFAULT 0,
    finished     bigint NOT NULL DEFAULT 0, -- evaluations that left the outbox
    moving       text   NOT NULL DEFAULT '', -- what a move that is not complete copies from; '' for a tree in use
    made         timestamptz NOT NULL DEFAULT clock_timestamp(),
    UNIQUE (tenant, name)
);

-- changes is the JSON array of the changes that took effect, NULL if there were none or they are no longer kept.
CREATE TABLE memtree.commit (
    tree      bigint NOT NULL REFERENCES memtree.tree ON DELETE CASCADE,
    rev       bigint NOT NULL,
    op        text   NOT NULL,
    prev_hash bytea  NOT NULL,
    hash      bytea  NOT NULL,
    changes   bytea,
    at        timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tree, rev),
    UNIQUE (tree, op)
);

CREATE TABLE memtree.node (
    tree       bigint   NOT NULL REFERENCES memtree.tree ON DELETE CASCADE,
    id         text     NOT NULL COLLATE "C",
    revision   bigint   NOT NULL,
    change     text     NOT NULL,
    level      smallint NOT NULL,
    error_type text     NOT NULL COLLATE "C",
    direction  text     NOT NULL COLLATE "C",
    status     text     NOT NULL COLLATE "C",
    body       bytea    NOT NULL, -- JSON, byte for byte as written
    PRIMARY KEY (tree, id)
);

-- Every evaluation ever accepted: key and digests are hashes, see FORMAT.md of the embedded store.
CREATE TABLE memtree.evaluation (
    tree     bigint  NOT NULL REFERENCES memtree.tree ON DELETE CASCADE,
    key      bytea   NOT NULL,
    digest   bytea   NOT NULL,
    before   bytea,
    labelled boolean NOT NULL,
    PRIMARY KEY (tree, key)
);

-- How many were accepted, in slots, so that writers do not wait for each other.
CREATE TABLE memtree.accepted (
    tree        bigint   NOT NULL REFERENCES memtree.tree ON DELETE CASCADE,
    slot        smallint NOT NULL,
    evaluations bigint   NOT NULL,
    arrivals    bigint   NOT NULL,
    PRIMARY KEY (tree, slot)
) WITH (fillfactor = 50);

CREATE TABLE memtree.outbox (
    tree bigint NOT NULL REFERENCES memtree.tree ON DELETE CASCADE,
    n    bigint GENERATED ALWAYS AS IDENTITY,
    key  bytea  NOT NULL,
    body bytea  NOT NULL,
    PRIMARY KEY (tree, n)
);
CREATE INDEX outbox_key ON memtree.outbox (tree, key);

-- The one process that forms the evaluations of a tree, until it is silent for too long.
CREATE TABLE memtree.former (
    tree    bigint PRIMARY KEY REFERENCES memtree.tree ON DELETE CASCADE,
    process text NOT NULL,
    until   timestamptz NOT NULL
);

CREATE TABLE memtree.dead (
    tree bigint NOT NULL REFERENCES memtree.tree ON DELETE CASCADE,
    n    bigint NOT NULL,
    body bytea  NOT NULL,
    PRIMARY KEY (tree, n)
);

CREATE TABLE memtree.ledger (
    tree bigint NOT NULL REFERENCES memtree.tree ON DELETE CASCADE,
    seq  bigint NOT NULL,
    body bytea  NOT NULL,
    PRIMARY KEY (tree, seq)
);

-- Data beside the nodes, in pieces. number counts the saves of a name.
CREATE TABLE memtree.derived (
    tree    bigint NOT NULL REFERENCES memtree.tree ON DELETE CASCADE,
    name    text   NOT NULL,
    number  bigint NOT NULL,
    version bigint NOT NULL,
    sha256  bytea  NOT NULL,
    PRIMARY KEY (tree, name)
);
CREATE TABLE memtree.derived_piece (
    tree   bigint NOT NULL,
    name   text   NOT NULL,
    number bigint NOT NULL,
    piece  int    NOT NULL,
    body   bytea  NOT NULL,
    PRIMARY KEY (tree, name, number, piece),
    FOREIGN KEY (tree, name) REFERENCES memtree.derived ON DELETE CASCADE
);

CREATE TABLE memtree.picture (
    tree   bigint NOT NULL REFERENCES memtree.tree ON DELETE CASCADE,
    sha256 text   NOT NULL COLLATE "C",
    file   text   NOT NULL, -- the name that it has in a folder, by its type
    put    timestamptz NOT NULL,
    body   bytea  NOT NULL,
    PRIMARY KEY (tree, sha256)
);
ALTER TABLE memtree.picture ALTER body SET STORAGE EXTERNAL; -- they are compressed already

-- Processes that serve a tree, and how far each has followed it.
CREATE TABLE memtree.replica (
    process text   NOT NULL,
    tree    bigint NOT NULL REFERENCES memtree.tree ON DELETE CASCADE,
    host    text   NOT NULL,
    rev     bigint NOT NULL,
    seen    timestamptz NOT NULL,
    PRIMARY KEY (process, tree)
);

-- For people who query by SQL.
CREATE VIEW memtree.memory AS
    SELECT t.tenant, t.name AS tree, n.id, n.level, n.error_type, n.direction, n.status, n.revision,
           convert_from(n.body, 'UTF8')::json AS body
    FROM memtree.node n JOIN memtree.tree t ON t.id = n.tree;

-- The oldest version of the schema that a program must know to work with this one.
CREATE TABLE memtree.needs (schema int NOT NULL);
INSERT INTO memtree.needs VALUES (1);
