-- +goose Up

-- For people who query by SQL; docs/operate.md has queries. The JSON of a row is read only for the columns that are
-- asked for. Columns may be added. PostgreSQL's texts have no NUL, which is replaced.
CREATE OR REPLACE VIEW memtree.memory AS
    SELECT t.tenant, t.name AS tree, n.id, n.level, n.error_type, n.direction, n.status, n.revision,
           convert_from(n.body, 'UTF8')::json AS body,
           j.n ->> 'type' AS type, -- case, experience or strategy
           j.n #>> '{content,title}' AS title,
           CASE WHEN j.n ? 'caseData' THEN j.n #>> '{caseData,testCase,prompt}'
                ELSE concat_ws(E'\n', j.n #>> '{content,title}', j.n #>> '{content,description}') END AS text,
           j.n #>> '{content,description}' AS description, -- what went wrong
           j.n #>> '{content,guidance}' AS guidance,       -- what to check, for the agent
           (j.n #>> '{content,confidence}')::float8 AS confidence,
           j.n #>> '{scope,product}' AS product,
           j.n #>> '{scope,suite}' AS suite,
           j.n #>> '{scene,route}' AS route,
           j.n #>> '{caseData,testCase,case_id}' AS case_id, -- of a case
           ARRAY(SELECT x #>> '{}' FROM (
                   SELECT jsonb_path_query(j.n, '$.caseData.misses[*].check')
                   UNION SELECT jsonb_path_query(j.n, '$.content.lessons[*].kind')) y (x) ORDER BY 1) AS checks,
           j.n ->> 'parent' AS parent,
           j.n ->> 'lang' AS lang,
           jsonb_array_length(coalesce(nullif(j.n -> 'occurrences', 'null'), '[]')) AS times, -- that the mistake was made
           (j.n #>> '{occurrences,0,at}')::timestamptz AS first_at,
           (j.n #>> '{occurrences,-1,at}')::timestamptz AS last_at,
           (j.n #>> '{metadata,createdAt}')::timestamptz AS created_at,
           (j.n #>> '{metadata,updatedAt}')::timestamptz AS updated_at
    FROM memtree.node n JOIN memtree.tree t ON t.id = n.tree,
         LATERAL (SELECT replace(convert_from(n.body, 'UTF8'), '\u0000', '\ufffd')::jsonb AS n OFFSET 0) j
    WHERE t.moving = '';

-- What became known of each run: its last line in the ledger is in force.
CREATE VIEW memtree.verdict AS
    SELECT DISTINCT ON (l.tree, v.of ->> 'evaluation') t.tenant, t.name AS tree, v.of ->> 'evaluation' AS evaluation,
           (v.entry ->> 'at')::timestamptz AS at,
           v.of ->> 'run_id' AS run_id, v.of ->> 'case_id' AS case_id, v.of ->> 'product' AS product,
           v.of #>> '{scene,route}' AS route, v.of #>> '{agent,name}' AS agent, v.of #>> '{agent,model}' AS model,
           (v.of ->> 'labelled')::boolean AS labelled, -- else correct is of no use
           (v.of ->> 'correct')::boolean AS correct,
           v.of ->> 'direction' AS direction,
           v.of ->> 'node' AS memory -- the case of a wrong one
    FROM memtree.ledger l JOIN memtree.tree t ON t.id = l.tree,
         LATERAL (SELECT e AS entry, e -> 'verdict' AS of
                  FROM (SELECT replace(convert_from(l.body, 'UTF8'), '\u0000', '\ufffd')::jsonb AS e OFFSET 0) x) v
    WHERE t.moving = '' AND v.of IS NOT NULL
    ORDER BY l.tree, v.of ->> 'evaluation', l.seq DESC;
