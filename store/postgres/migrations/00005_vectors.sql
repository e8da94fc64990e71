-- +goose Up

-- Vectors of memories for people who query by SQL, where they want them: they create the extension vector, and
-- SELECT memtree.offer_vectors(). Then each evolve fills the table; docs/operate.md has a query. Nothing of memtree reads
-- it, and without it nothing here is called.

-- A memory that may not be found any more, or by another text, loses its vector in the same transaction, whichever
-- version of memtree commits it, and whatever that may do to the table. What is compared decides the text of a memory.
-- +goose StatementBegin
CREATE FUNCTION memtree.forget_vector() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    o jsonb;
    n jsonb;
BEGIN
    IF to_regclass('memtree.embedding') IS NULL THEN
        RETURN NULL;
    END IF;
    o := replace(convert_from(OLD.body, 'UTF8'), '\u0000', '\ufffd');
    n := replace(convert_from(NEW.body, 'UTF8'), '\u0000', '\ufffd');
    IF n ->> 'status' IN ('active', 'probation') AND coalesce(n ->> 'mark', '') <> 'ban'
        AND coalesce(n ->> 'supersededBy', '') = ''
        AND (o #> '{caseData,testCase,prompt}', o #> '{content,title}', o #> '{content,description}',
            o #> '{content,appliesWhen}', jsonb_path_query_array(o, '$.content.lessons[*].check'),
            jsonb_path_query_array(o, '$.content.lessons[*].instead')) IS NOT DISTINCT FROM
            (n #> '{caseData,testCase,prompt}', n #> '{content,title}', n #> '{content,description}',
            n #> '{content,appliesWhen}', jsonb_path_query_array(n, '$.content.lessons[*].check'),
            jsonb_path_query_array(n, '$.content.lessons[*].instead')) THEN
        RETURN NULL;
    END IF;
    DELETE FROM memtree.embedding WHERE tree = NEW.tree AND id = NEW.id;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- offer_vectors makes the table, if it is missing. It has the owner of the others, whoever calls it.
-- +goose StatementBegin
CREATE FUNCTION memtree.offer_vectors() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    version text;
    type text;
    owner regrole := (SELECT relowner FROM pg_class WHERE oid = 'memtree.node'::regclass);
BEGIN
    SELECT e.extversion, format('%I.vector', n.nspname) INTO version, type
        FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector';
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the extension vector is not in this database' USING HINT = 'CREATE EXTENSION vector';
    ELSIF string_to_array(substring(version FROM '^[0-9.]*[0-9]'), '.')::int[] < '{0,5}' THEN
        RAISE EXCEPTION 'the extension vector is %, older than 0.5', version USING HINT = 'ALTER EXTENSION vector UPDATE';
    ELSIF EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass('memtree.embedding')
        AND attname = 'embedding' AND NOT attisdropped) THEN
        RETURN;
    END IF;
    DROP TABLE IF EXISTS memtree.embedding CASCADE; -- of an extension that was dropped
    EXECUTE format('CREATE TABLE memtree.embedding (
        tree      bigint NOT NULL,
        id        text   NOT NULL COLLATE "C",
        revision  bigint NOT NULL, -- of the memory, when it was filled
        encoder   text   NOT NULL, -- vectors of different ones must not be compared
        dims      int    NOT NULL,
        embedding %s     NOT NULL, -- of length 1
        PRIMARY KEY (tree, id),
        FOREIGN KEY (tree, id) REFERENCES memtree.node ON DELETE CASCADE
    )', type);
    CREATE VIEW memtree.memory_vector AS
        SELECT t.tenant, t.name AS tree, e.id, e.encoder, e.dims, e.embedding
        FROM memtree.embedding e JOIN memtree.tree t ON t.id = e.tree WHERE t.moving = '';
    EXECUTE format('ALTER TABLE memtree.embedding OWNER TO %s', owner);
    EXECUTE format('ALTER VIEW memtree.memory_vector OWNER TO %s', owner);
    CREATE OR REPLACE TRIGGER forget_vector AFTER UPDATE OF body ON memtree.node
        FOR EACH ROW EXECUTE FUNCTION memtree.forget_vector();
END $$;
-- +goose StatementEnd

-- drop_vectors leaves nothing of it.
-- +goose StatementBegin
CREATE FUNCTION memtree.drop_vectors() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DROP TRIGGER IF EXISTS forget_vector ON memtree.node;
    DROP TABLE IF EXISTS memtree.embedding CASCADE;
END $$;
-- +goose StatementEnd
