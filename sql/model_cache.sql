-- A session keeps models ready to be applied. Feature 1 of model n weighs n, so that a wrong one shows.
\set SHOW_CONTEXT never
SET max_parallel_workers_per_gather = 0;
SET work_mem = '64kB';
CREATE FUNCTION cached_model(n int, size int, period int) RETURNS sparselin_model LANGUAGE sql AS $$
SELECT sparselin_model(jsonb_build_object('learner', 'sgd', 'loss', 'squared', 'lambda', 0.5, 'dimension', size, 'weights',
    (SELECT jsonb_agg(CASE i WHEN 1 THEN n ELSE sin(i % period) + 2 END ORDER BY i) FROM generate_series(1, size) AS i)))
$$;
CREATE FUNCTION blocks(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ' || query INTO plan;
    RETURN (plan -> 0 -> 'Plan' ->> 'Shared Hit Blocks')::int + (plan -> 0 -> 'Plan' ->> 'Shared Read Blocks')::int;
END $$;
CREATE TABLE one_row AS SELECT '{1:1}'::sparsearray AS x;
CREATE TABLE cached_rows AS SELECT i AS id, '{1:1}'::sparsearray AS x FROM generate_series(1, 100) AS i;

-- In whatever way it is stored; where that is apart from its row and not compressed, no more than the header is read.
CREATE TABLE stored (how text PRIMARY KEY, n int, model sparselin_model);
INSERT INTO stored VALUES ('in the row', 1, cached_model(1, 10, 10)), ('apart', 2, cached_model(2, 20000, 20000));
ALTER TABLE stored ALTER model SET STORAGE main;
INSERT INTO stored VALUES ('in the row, compressed', 3, cached_model(3, 2000, 2));
ALTER TABLE stored ALTER model SET STORAGE extended;
INSERT INTO stored VALUES ('apart, compressed', 4, cached_model(4, 20000, 500));
SELECT how, pg_column_size(model) < 2000 AS in_the_row, pg_column_size(model) < (sparselin_info(model)).bytes - 4 AS compressed FROM stored ORDER BY n;
SELECT how, n, sparselin_predict(model, x) FROM stored, one_row ORDER BY n;
SELECT how, n, sparselin_predict(model, x) FROM stored, one_row ORDER BY n;
-- As values that are stored nowhere.
SELECT n, sparselin_predict(CASE WHEN n > 0 THEN cached_model(n, 3000, 3000) END, x) FROM generate_series(5, 7) AS n, one_row ORDER BY 1;
DO $$
DECLARE
    m sparselin_model := (SELECT model FROM stored WHERE n = 2);
BEGIN
    FOR i IN 1..3 LOOP
        RAISE NOTICE 'model 2 says %', sparselin_predict(m, '{1:1}');
    END LOOP;
END $$;
SET sparselin.cache_size = 0;
SELECT sparselin_predict(model, x) FROM stored, one_row WHERE n = 2;
RESET sparselin.cache_size;
CREATE TABLE reads AS
SELECT i, blocks('SELECT sparselin_predict(model, x) FROM stored, one_row WHERE n = 2') FROM generate_series(1, 3) AS i;
SELECT i, blocks < 15 AS header_alone FROM reads ORDER BY 1;

-- What a model needs to go on learning is not read to apply it.
CREATE TABLE going_on AS
SELECT casgd_train(sparsearray(ARRAY[1 + i, 4001 + i, 8001 + i, 12001 + i, 16001 + i], ARRAY[1, 2, 1, 1, 1]), i % 3 = 0, 'epochs=1') AS model
FROM generate_series(0, 3999) AS i;
SELECT pg_column_size(model) > 2 * pg_column_size(sparselin_compact(model)) AS most_of_it,
       8192 * blocks('SELECT sparselin_predict(model, x) FROM going_on, one_row') < 0.6 * pg_column_size(model) AS left_out,
       sparselin_predict(model, x) = sparselin_predict(sparselin_compact(model), x) AS the_same
FROM going_on, one_row;
DROP TABLE going_on;

-- Larger than may stay: it is read once for each statement, not once for each row.
SET sparselin.cache_size = '100kB';
SELECT sparselin_predict(model, x) FROM stored, one_row WHERE n = 2;
SELECT blocks(query) BETWEEN 20 AND 100 AS once_for_all_rows, blocks(query) BETWEEN 20 AND 100 AS and_once_more
FROM (VALUES ('SELECT sparselin_predict(model, x) FROM stored, cached_rows WHERE n = 2')) AS q (query);
SELECT bool_and(sparselin_predict(model, x) = n) AS right FROM stored, cached_rows;

-- Those used last stay.
CREATE TABLE several AS SELECT n, cached_model(n, 20000, 20000) AS model FROM generate_series(1, 20) AS n;
SET sparselin.cache_size = '600kB';
CREATE FUNCTION uses(which int) RETURNS text LANGUAGE sql AS $$
SELECT CASE WHEN blocks('SELECT sparselin_predict(model, x) FROM several, one_row WHERE n = ' || which) < 15 THEN 'ready' ELSE 'read' END
$$;
SELECT n, uses(n) FROM unnest(ARRAY[1, 2, 3, 1, 4, 1, 3, 4, 2, 1]) WITH ORDINALITY AS u (n, i) ORDER BY i;
SET sparselin.cache_size = 0;
SELECT uses(1), uses(1);
-- While a statement runs as many stay as work_mem holds, and the last eight however large they are.
SET sparselin.cache_size = 0;
CREATE FUNCTION alternating(most int) RETURNS text LANGUAGE sql AS $$
SELECT format('SELECT sparselin_predict(m.model, x) FROM (SELECT * FROM cached_rows ORDER BY id) AS r, LATERAL (SELECT model FROM several WHERE n <= %s AND r.id > 0 OFFSET 0) AS m', most)
$$;
SELECT blocks(alternating(8)) < 2000 AS eight, blocks(alternating(9)) < 2000 AS nine, blocks(alternating(20)) < 3000 AS twenty;
SET work_mem = '8MB';
SELECT blocks(alternating(20)) < 3000 AS twenty;
SET work_mem = '64kB';
SET sparselin.cache_size = '8MB';
SELECT blocks(alternating(20)) < 3000 AS twenty;
SELECT count(*), bool_and(sparselin_predict(m.model, x) = n) AS right
FROM cached_rows AS r, LATERAL (SELECT * FROM several WHERE r.id > 0 OFFSET 0) AS m;

-- What happens to a row happens to the model.
SET sparselin.cache_size = '8MB';
CREATE TABLE changing AS SELECT 1 AS n, model FROM several WHERE n = 1;
PREPARE says AS SELECT n, sparselin_predict(model, x) FROM changing, one_row ORDER BY n;
EXECUTE says;
UPDATE changing SET n = 2, model = cached_model(2, 20000, 20000);
EXECUTE says;
BEGIN;
UPDATE changing SET n = 3, model = cached_model(3, 20000, 20000);
EXECUTE says;
SAVEPOINT s;
DELETE FROM changing;
INSERT INTO changing SELECT * FROM several WHERE n IN (4, 5);
EXECUTE says;
ROLLBACK TO s;
EXECUTE says;
TRUNCATE changing;
INSERT INTO changing SELECT * FROM several WHERE n = 6;
EXECUTE says;
ROLLBACK;
EXECUTE says;
DEALLOCATE says;

-- A cursor goes on with its models, whatever becomes of the cache and of them.
BEGIN;
DECLARE c CURSOR FOR SELECT n, sparselin_predict(model, x) FROM several, (VALUES (1), (2)) AS v (i), one_row ORDER BY i, n;
FETCH 3 FROM c;
SET LOCAL sparselin.cache_size = 0;
SELECT sum(sparselin_predict(model, x)) FROM several, one_row;
DELETE FROM several;
FETCH 3 FROM c;
SAVEPOINT s;
SELECT sparselin_predict(model, '{1:1}/3') FROM changing;
ROLLBACK TO s;
FETCH 15 FROM c;
ROLLBACK;

-- Models within models: what a function does with others does not take away the one in use.
CREATE FUNCTION others(x sparsearray) RETURNS float8 LANGUAGE plpgsql AS $$
BEGIN
    RETURN (SELECT sum(sparselin_predict(model, x)) FROM several);
END $$;
CREATE FUNCTION other(which int, x sparsearray) RETURNS float8 LANGUAGE plpgsql STABLE AS $$
DECLARE
    m sparselin_model := (SELECT model FROM several WHERE n = which);
BEGIN
    IF which = 1 THEN RETURN sparselin_predict(m, x); END IF;
    RETURN sparselin_predict(m, x) + other(which - 1, x);
END $$;
SET sparselin.cache_size = 0;
SELECT n, sparselin_predict(model, sparsearray(ARRAY[1], ARRAY[others(x) / 210])), sparselin_predict(model, x) + other(n, x) - n * (n + 1) / 2 AS of_others
FROM several, one_row WHERE n % 6 = 1 ORDER BY n;

-- Errors on the way, caught row by row.
CREATE FUNCTION tried(m sparselin_model, x sparsearray) RETURNS float8 LANGUAGE plpgsql AS $$
BEGIN
    RETURN sparselin_predict(m, x);
EXCEPTION WHEN data_exception THEN
    RETURN -sparselin_predict(m, '{1:1}');
END $$;
SET sparselin.cache_size = '300kB';
SELECT n, tried(model, x) + sparselin_predict(model, '{1:2}') AS of_ones, tried(model, '{1:1}/3') AS of_another_dimension
FROM several, one_row WHERE n % 6 = 1 ORDER BY n;

-- What judging a model takes on top comes when it is judged.
RESET sparselin.cache_size;
SELECT round((c).objective::numeric, 6) = round((c).loss::numeric + 0.25 * w::numeric, 6) AS objective
FROM (SELECT sparselin_evaluate(model, x, 3) AS c FROM several, one_row WHERE n = 7) AS e,
     (SELECT sum(weight * weight) AS w FROM several, sparselin_weights(model) WHERE n = 7) AS s;
SET sparselin.cache_size = 0;
SELECT sparselin_predict(model, x) FROM several, one_row WHERE n = 7;
RESET sparselin.cache_size;
SELECT round((c).objective::numeric, 6) = round((c).loss::numeric + 0.25 * w::numeric, 6) AS objective, sparselin_predict(model, x)
FROM (SELECT sparselin_evaluate(model, x, 3) AS c FROM several, one_row WHERE n = 7) AS e,
     (SELECT sum(weight * weight) AS w FROM several, sparselin_weights(model) WHERE n = 7) AS s, several, one_row WHERE n = 7;

\set VERBOSITY sqlstate
SET sparselin.cache_size = -1;
\set VERBOSITY default
RESET sparselin.cache_size;
RESET work_mem;
RESET max_parallel_workers_per_gather;
DROP TABLE one_row, cached_rows, stored, several, changing, reads;
DROP FUNCTION cached_model, blocks, uses, alternating, others, other, tried;
