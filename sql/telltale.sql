-- Notices that speak of columns: one that tells the label, and those that differ in scale
CREATE SCHEMA telltale;
SET search_path = telltale, public;
CREATE TYPE place AS (city text, floor int);

-- The label is y; the others tell it, or do not.
CREATE TABLE customers AS
SELECT i AS id, y, y AS copy, CASE WHEN y THEN 'yes' ELSE 'no' END AS answer, y::int AS number, y::int + 1 AS one_or_two,
       CASE WHEN y THEN date '2026-01-01' + i % 100 END AS cancelled, CASE WHEN y THEN 100.5 ELSE 0 END AS refund,
       ((array['x', 'z'])[1 + i % 2], CASE WHEN y THEN 7 END)::place AS home, y <> (i % 250 = 0) AS nearly, y <> (i % 100 = 0) AS half,
       20 + abs(hashint4(i)) % 50 AS age, (ARRAY['de', 'fr', 'it'])[1 + i % 3] AS country
FROM generate_series(1, 2000) AS i, LATERAL (SELECT abs(hashint4(i + 7)) % 100 < 30 AS y) AS l;
CREATE FUNCTION told(columns text, learner text DEFAULT 'casgd', options text DEFAULT 'epochs=2', label text DEFAULT 'y', source text DEFAULT 'customers')
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('SELECT %s_train(sparselin_features(s, exclude => ''{id,label}''), label, %L) FROM (SELECT id, %s, age, country, %s AS label FROM %s ORDER BY id) AS s',
                   learner, options, columns, label, source);
END $$;
DO $$ BEGIN
    PERFORM told('copy'), told('answer'), told('number'), told('one_or_two'), told('cancelled'), told('refund'), told('home'), told('nearly'), told('1 AS a');
END $$;
-- more than 5 of 1000 rows are not told
DO $$ BEGIN PERFORM told('half'); END $$;
-- every learner; streams; a search
DO $$ BEGIN
    PERFORM told('copy', l, 'scale=none') FROM unnest('{sgd,asgd,casgd,onepass,truncated,elasticnet}'::text[]) AS l;
    PERFORM told('copy', 'asgd', 'lambda=1e-3 epochs=1 sampling=sequential'), told('copy', 'casgd', 'search=true scale=none');
END $$;
-- labels of any kind that has two classes: numbers and texts; not numbers to estimate, nor more classes
DO $$ BEGIN
    PERFORM told('copy', label => 'y::int'), told('copy', label => 'answer'), told('copy', label => 'y::int', options => 'loss=squared'),
            told('number', label => 'CASE WHEN y THEN country ELSE ''none'' END');
END $$;
-- not of few rows, and not of few rows of a class
DO $$ BEGIN
    PERFORM told('copy', source => '(SELECT * FROM customers WHERE id < 100) AS c'),
            told('copy', source => '(SELECT * FROM customers WHERE NOT y OR id < 30) AS c'),
            told('copy', source => '(SELECT * FROM customers WHERE id <= 110) AS c');
END $$;
-- once for a query, not for each group; by the number alone where there are no names
SELECT count(m) FROM (SELECT casgd_train(sparselin_features(c, exclude => '{id,y,country,answer}'), y, 'scale=std' ORDER BY id) AS m FROM customers AS c GROUP BY country) AS s;
SELECT casgd_train(sparsearray(ARRAY[age, y::int]), y ORDER BY id) IS NOT NULL AS trained FROM customers;
SELECT casgd_train(sparselin_features(jsonb_build_object('age', age / 50.0, 'answer', answer)), y ORDER BY id) IS NOT NULL AS trained FROM customers;
SELECT DISTINCT feature, name FROM customers, sparselin_names(jsonb_build_object('age', age / 50.0, 'answer', answer), 20) AS n WHERE name LIKE 'answer%' ORDER BY 1;
-- never of rows that are scored
CREATE TEMP TABLE model AS SELECT casgd_train(sparselin_features(s), y ORDER BY id) AS m FROM customers, LATERAL (SELECT age / 50.0 AS age, half) AS s;
SELECT count(sparselin_predict(m, sparselin_features(s))), (sparselin_evaluate(m, sparselin_features(s), y)).rows
FROM model, customers, LATERAL (SELECT age / 50.0 AS age, half, y AS copy) AS s;
-- in a parallel plan, by the name as well
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2;
ALTER TABLE customers SET (parallel_workers = 2);
SELECT casgd_train(sparselin_features(c, exclude => '{id,y,answer,number,one_or_two,cancelled,refund,home,nearly,half}'), y, 'scale=std') IS NOT NULL AS trained FROM customers AS c;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size; RESET max_parallel_workers_per_gather;

-- The notice about scale has the names of columns
CREATE TABLE flats AS SELECT i AS id, i % 7 / 1000.0 AS share, 1000.0 * (i % 11) AS price, ('x', i % 13 * 100000)::place AS home, date '2026-01-01' + i % 50 AS built,
    i % 7 + i % 11 + i % 3 > 9 AS y FROM generate_series(1, 500) AS i;
SELECT casgd_train(sparselin_features(f, exclude => '{id,y,home,built}'), y) IS NOT NULL AS trained FROM flats AS f;
SELECT casgd_train(sparselin_features(s, 12), y) IS NOT NULL AS trained FROM flats, LATERAL (SELECT home, built) AS s;
SELECT casgd_train(features, y) IS NOT NULL AS trained FROM (SELECT y, sparselin_features(f, exclude => '{id,y,home}') AS features FROM flats AS f OFFSET 0) AS s;
-- of those that are not columns the numbers
SELECT casgd_train(sparselin_features(s), y) IS NOT NULL AS trained FROM flats, LATERAL (SELECT price * 1000 AS price, 'k' || id % 3 AS kind) AS s;
SELECT casgd_train(sparselin_features(jsonb_build_object('share', share, 'price', price)), y) IS NOT NULL AS trained FROM flats;
SELECT casgd_train(sparsearray(ARRAY[share, price]), y) IS NOT NULL AS trained FROM flats;
-- of pairs of words, which are found with the same ngrams
CREATE TABLE said AS SELECT i AS id, to_tsvector('simple', CASE WHEN i % 2 = 0 THEN 'a b' ELSE 'b a' END || ' c' || i % 3) AS words FROM generate_series(1, 300) AS i;
SELECT casgd_train(sparselin_features(words, ngrams => 2), id % 2 = 0) IS NOT NULL AS trained FROM said;
SELECT DISTINCT feature, name FROM said, sparselin_names(words, 20, ngrams => 2) AS n WHERE name IN ('a b', 'b a') ORDER BY feature;
