-- +goose Up

-- A job of a tree is a row of river_job in the queue tree_<id>; see the package internal/jobs/shared. This is what
-- memtree knows of it besides. until is a lease: a job that runs without one is given to another service.
CREATE TABLE memtree.job (
    id         bigint PRIMARY KEY REFERENCES memtree.river_job ON DELETE CASCADE,
    tree       bigint NOT NULL REFERENCES memtree.tree ON DELETE CASCADE,
    turn       bigint NOT NULL DEFAULT 0, -- how often a process took the job; calls of an earlier turn are refused
    host       text   NOT NULL DEFAULT '',
    until      timestamptz NOT NULL,
    started    timestamptz NOT NULL DEFAULT clock_timestamp(),
    progress   jsonb  NOT NULL DEFAULT '{}',
    calls      bigint NOT NULL DEFAULT 0, -- of a model, sent over all turns
    input      bigint NOT NULL DEFAULT 0, -- tokens
    output     bigint NOT NULL DEFAULT 0,
    cost       double precision NOT NULL DEFAULT 0,
    most_calls bigint,                    -- that calls may become in this turn; NULL: no bound
    most_cost  double precision,
    day        date,                      -- of the budget that has something reserved for the job; NULL: nothing is
    held_calls bigint NOT NULL DEFAULT 0, -- reserved there
    held_cost  double precision NOT NULL DEFAULT 0,
    paid_calls bigint NOT NULL DEFAULT 0, -- of calls, those that were settled with a budget
    paid_cost  double precision NOT NULL DEFAULT 0,
    result     bytea,                     -- JSON
    problem    bytea                      -- JSON, of the last turn that failed
);

-- What a model wrote to a request of a job, until the job has ended.
CREATE TABLE memtree.reply (
    job  bigint NOT NULL REFERENCES memtree.job ON DELETE CASCADE,
    key  bytea  NOT NULL,
    body bytea  NOT NULL,
    PRIMARY KEY (job, key)
);

-- What the jobs of a tenant have spent on models in a day (UTC), and what is reserved for those that run.
CREATE TABLE memtree.budget (
    tenant     text   NOT NULL,
    day        date   NOT NULL,
    calls      bigint NOT NULL DEFAULT 0,
    cost       double precision NOT NULL DEFAULT 0,
    held_calls bigint NOT NULL DEFAULT 0,
    held_cost  double precision NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant, day)
);

-- The jobs of a tree go with it: they have names and errors.
-- +goose StatementBegin
CREATE FUNCTION memtree.forget_jobs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM memtree.river_job WHERE queue = 'tree_' || OLD.id;
    RETURN OLD;
END $$;
-- +goose StatementEnd
CREATE TRIGGER forget_jobs AFTER DELETE ON memtree.tree FOR EACH ROW EXECUTE FUNCTION memtree.forget_jobs();
