-- docs/features.md: features that are written once, and what the planner makes of that
CREATE SCHEMA features_once;
SET search_path = features_once, public;
CREATE FUNCTION plan_has(query text, what text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF, VERBOSE) ' || query LOOP
        IF line ~ what THEN RETURN true; END IF;
    END LOOP;
    RETURN false;
END $$;
CREATE TABLE letters (id int PRIMARY KEY, body text, tags text[], doc jsonb, urgent boolean);
INSERT INTO letters SELECT i, 'some words ' || i % 50, ARRAY['t' || i % 3], jsonb_build_object('n', i % 7), i % 4 = 0 FROM generate_series(1, 400) AS i;
CREATE TABLE subscribers (id int PRIMARY KEY, joined date, country text, visits int, renewed boolean);
INSERT INTO subscribers SELECT i, date '2024-01-01' + i % 700, (ARRAY['de', 'fr', 'it'])[1 + i % 3], nullif(i % 11, 0), (i % 11 > 5) <> (i % 7 = 0)
FROM generate_series(1, 1000) AS i;

-- a generated column: of every source that is immutable; nothing is made when it is read
ALTER TABLE letters
    ADD words sparsearray GENERATED ALWAYS AS (sparselin_features(to_tsvector('simple', body), ngrams => 2, tf => 'log')) STORED,
    ADD tagged sparsearray GENERATED ALWAYS AS (sparselin_features(tags, 12)) STORED,
    ADD docs sparsearray GENERATED ALWAYS AS (sparselin_features(doc)) STORED,
    ADD aged text GENERATED ALWAYS AS (sparselin_bucket(id, '{100,200}')) STORED;
SELECT bool_and(words = sparselin_features(to_tsvector('simple', body), 20, 2, 'log') AND tagged = sparselin_features(tags, 12) AND docs = sparselin_features(doc)) AS same,
       plan_has('SELECT sparselin_train(words, urgent) FROM letters', 'sparselin_features') AS made FROM letters;
UPDATE letters SET body = 'other words' WHERE id = 7;
SELECT words = sparselin_features('other:1 words:2'::tsvector, ngrams => 2) AS follows FROM letters WHERE id = 7;
-- of a row it cannot be one
ALTER TABLE subscribers ADD features sparsearray GENERATED ALWAYS AS (sparselin_features(subscribers)) STORED;
ALTER TABLE subscribers ADD features sparsearray GENERATED ALWAYS AS (sparselin_features(ROW(joined, country))) STORED;
ALTER TABLE letters ADD features sparsearray GENERATED ALWAYS AS (sparselin_features(to_tsvector(body))) STORED;

-- a SQL function of the row: inlined
CREATE FUNCTION subscriber_features(s subscribers) RETURNS sparsearray LANGUAGE sql STABLE PARALLEL SAFE AS
$$ SELECT sparselin_features(s, exclude => '{id,renewed}') $$;
SELECT query, plan_has(query, 'sparselin_features') AS inlined, plan_has(query, 'subscriber_features') AS called
FROM unnest(ARRAY['SELECT sparselin_train(subscriber_features(s), renewed) FROM subscribers AS s', 'SELECT s.subscriber_features FROM subscribers AS s',
                  'SELECT subscriber_features(s) FROM subscribers AS s WHERE id = 5']) AS query;
SELECT bool_and(s.subscriber_features = sparselin_features(s, exclude => '{id,renewed}')) AS same FROM subscribers AS s;
SELECT subscriber_features((0, '2026-11-18', 'de', NULL, NULL)::subscribers) = sparselin_features(f) AS any_row
FROM (SELECT date '2026-11-18' AS joined, 'de' AS country, NULL::int AS visits) AS f;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2;
SELECT plan_has('SELECT sparselin_train(subscriber_features(s), renewed) FROM subscribers AS s', 'Partial Aggregate') AS parallel;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size; RESET max_parallel_workers_per_gather;
-- and what keeps it from that
CREATE FUNCTION not_immutable(s subscribers) RETURNS sparsearray LANGUAGE sql IMMUTABLE AS $$ SELECT sparselin_features(s, exclude => '{id,renewed}') $$;
CREATE FUNCTION with_a_setting(s subscribers) RETURNS sparsearray LANGUAGE sql STABLE SET work_mem = '4MB' AS $$ SELECT sparselin_features(s, exclude => '{id,renewed}') $$;
CREATE FUNCTION security_definer(s subscribers) RETURNS sparsearray LANGUAGE sql STABLE SECURITY DEFINER AS $$ SELECT sparselin_features(s, exclude => '{id,renewed}') $$;
SELECT f, plan_has(format('SELECT %s(s) FROM subscribers AS s', f), 'sparselin_features') AS inlined FROM unnest('{not_immutable,with_a_setting,security_definer}'::text[]) AS f;

-- a view: looked through
CREATE VIEW subscriber_rows AS SELECT id, renewed, sparselin_features(s, exclude => '{id,renewed}') AS features FROM subscribers AS s;
SELECT plan_has('SELECT sparselin_train(features, renewed) FROM subscriber_rows', 'Subquery Scan|CTE') AS kept_apart,
       plan_has('SELECT sparselin_train(features, renewed) FROM subscriber_rows', 'sparselin_train\(sparselin_features\(') AS looked_through,
       plan_has('SELECT count(renewed) FROM subscriber_rows', 'sparselin_features') AS made_for_nothing;
SET enable_seqscan = off;
SELECT plan_has('SELECT features FROM subscriber_rows WHERE id = 5', 'Index Scan using subscribers_pkey') AS by_index;
RESET enable_seqscan;
SELECT bool_and(features = subscriber_features(s)) AS same FROM subscriber_rows JOIN subscribers AS s USING (id);
-- all three are one and the same model
SELECT (SELECT sparselin_train(features, renewed, 'scale=std' ORDER BY id) FROM subscriber_rows)::text
       = (SELECT sparselin_train(s.subscriber_features, renewed, 'scale=std' ORDER BY id) FROM subscribers AS s)::text AS same;
