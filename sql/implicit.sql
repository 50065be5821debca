-- steps that are too long for their row: implicit_above, in all ways a model is learned

SET client_min_messages = warning;
-- one step by hand, of a row of length 10 with lambda = 1: q = 101, and what is beyond c/L goes by the slope where it ends
SELECT loss, weight = 10 * bias AS one_row, abs(bias - expected) < 1e-15 AS as_by_hand
FROM (SELECT loss, expected, sgd_train('{1:10}', 1.0, ('loss=' || loss || ' lambda=1 step_offset=0 epochs=1 settle=false')::sparselin_options) AS model
      FROM (VALUES ('hinge', 1 / 93.0::float8), ('squared_hinge', 1 / 101.0::float8), ('squared', 1 / 101.0::float8), ('absolute', 1 / 93.0::float8),
                   ('huber', 1 / 100.0::float8), ('quantile', 1 / 93.0::float8)) AS v (loss, expected)
      GROUP BY loss, expected) AS m,
     LATERAL (SELECT bias FROM sparselin_info(model)) AS i, LATERAL (SELECT weight FROM sparselin_weights(model)) AS w
ORDER BY loss;
-- logistic, by a quarter of it: g = 1/(1 + exp(s')), s' = (q - 4 c)/4 g
SELECT c, abs(bias - 1 / (1 + exp((101 - 4 * c) / 4 * bias))) < 1e-14 AS root, bias < 0.5 AS shortened
FROM (SELECT c, sgd_train('{1:10}', true, sparselin_options(lambda => 1, step_offset => 0, epochs => 1, implicit_above => c, settle => false)) AS model
      FROM unnest('{8,1,0.001}'::float8[]) AS c GROUP BY c) AS m,
     LATERAL (SELECT bias FROM sparselin_info(model)) AS i
ORDER BY c;

-- what it is set to, and read as
SELECT sparselin_options(implicit_above => 'infinity') AS never, sparselin_options(implicit_above => 0.5) AS half,
       'IMPLICIT_ABOVE=Inf'::sparselin_options = sparselin_options(implicit_above => 'infinity') AS same,
       sparselin_options(implicit_above => NULL) = '' AS automatic;
SELECT name, substring(options FROM 'implicit_above=\S+') AS implicit_above
FROM (SELECT 'sgd' AS name, sgd_train('{1:1}'::sparsearray, 1.0, 'loss=squared') AS m
      UNION ALL SELECT 'asgd', asgd_train('{1:1}'::sparsearray, 1.0, 'loss=squared implicit_above=auto')
      UNION ALL SELECT 'casgd', casgd_train('{1:1}'::sparsearray, 1.0, 'loss=squared implicit_above=inf')
      UNION ALL SELECT 'onepass', onepass_train('{1:1}'::sparsearray, 1.0, 'loss=squared implicit_above=3')
      UNION ALL SELECT 'truncated', truncated_train('{1:1}'::sparsearray, 1.0, 'loss=squared')) AS s,
     LATERAL sparselin_info(m::text::sparselin_model)
ORDER BY name;

-- rows of which every hundredth is a thousand times as long, and says the contrary
CREATE FUNCTION pg_temp.chance(what text) RETURNS float8 LANGUAGE sql IMMUTABLE AS
$$ SELECT ('x' || left(md5(what), 8))::bit(32)::bigint / 2.0::float8 ^ 32 $$;
CREATE TABLE uneven AS
SELECT id, id % 100 = 37 AS long, sparsearray(ARRAY[1, 2, 3 + id % 5], ARRAY[a, b, 0.5]) * CASE WHEN id % 100 = 37 THEN 1000 ELSE 1 END AS x,
       (a > b) <> (id % 100 = 37) AS y, CASE WHEN id % 100 = 37 THEN 1 ELSE 2 * a - b END AS n
FROM (SELECT id, 2 * pg_temp.chance('a' || id) - 1 AS a, 2 * pg_temp.chance('b' || id) - 1 AS b FROM generate_series(1, 3000) AS id) AS made;
ANALYZE uneven;
CREATE FUNCTION pg_temp.learn(learner text, options text, label text DEFAULT 'y', rows text DEFAULT 'true') RETURNS sparselin_model
LANGUAGE plpgsql AS $$
DECLARE
    model sparselin_model;
BEGIN
    EXECUTE format('SELECT %s_train(x, %s, %L ORDER BY id) FROM uneven WHERE %s', learner, label, options, rows) INTO model;
    RETURN model;
END $$;
CREATE VIEW calls AS
SELECT * FROM (VALUES ('sgd', ''), ('asgd', ''), ('casgd', ''), ('onepass', ' gamma0=0.3'), ('asgd', ' epochs=1 sampling=sequential lambda=1e-3'),
                      ('casgd', ' epochs=1 sampling=sequential lambda=1e-3 step_offset=500 center={2:0.5}')) AS v (learner, more);

-- the others are learned all the same (settling would hide it: that no weight at all is better than what long rows make)
SELECT learner, more, loss, (sparselin_evaluate(model, x, y)).accuracy > (sparselin_evaluate(explicit, x, y)).accuracy AS better
FROM (SELECT *, pg_temp.learn(learner, 'settle=false loss=' || loss || more) AS model,
             pg_temp.learn(learner, 'settle=false implicit_above=infinity loss=' || loss || more) AS explicit
      FROM calls, unnest('{logistic,hinge}'::text[]) AS loss WHERE learner IN ('asgd', 'casgd') OFFSET 0) AS m,
     uneven WHERE NOT long
GROUP BY learner, more, loss
ORDER BY learner, more, loss;

-- without long rows it changes nothing
CREATE FUNCTION pg_temp.weights(model sparselin_model) RETURNS text LANGUAGE sql AS
$$ SELECT string_agg(feature || ':' || weight, ' ' ORDER BY feature) || ' ' || (sparselin_info(model)).bias FROM sparselin_weights(model) $$;
SELECT learner, more, loss, pg_temp.weights(pg_temp.learn(learner, 'loss=' || loss || more, label, 'NOT long')) =
                            pg_temp.weights(pg_temp.learn(learner, 'implicit_above=inf loss=' || loss || more, label, 'NOT long')) AS same
FROM calls, (VALUES ('logistic', 'y'), ('absolute', 'n')) AS v (loss, label)
ORDER BY learner, more, loss;

-- from a file, and in parts that are put together: the same model
CREATE VIEW ways AS
SELECT learner, more, pg_temp.learn(learner, 'sampling=sequential loss=logistic' || replace(more, 'sampling=sequential', ''))::text AS model
FROM calls;
CREATE TEMP TABLE in_memory AS TABLE ways;
SET work_mem = '64kB';
SELECT learner, more, w.model = m.model AS from_a_file FROM ways AS w JOIN in_memory AS m USING (learner, more) ORDER BY learner, more;
RESET work_mem;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET parallel_leader_participation = off;
ALTER TABLE uneven SET (parallel_workers = 1);
SELECT pg_temp.weights(casgd_train(x, y)) = (SELECT pg_temp.weights(casgd_train(x, y ORDER BY id)) FROM uneven) AS parallel FROM uneven;
RESET max_parallel_workers_per_gather;
-- labels that are texts, two of which are one run
SELECT learner, more,
       pg_temp.weights(pg_temp.learn(learner, 'loss=hinge' || more, 'y::text')) = pg_temp.weights(pg_temp.learn(learner, 'loss=hinge' || more)) AS two_classes
FROM calls ORDER BY learner, more;
-- some rows and then the others, while rows are held back and later
SELECT learner, more, loss, rows,
       (SELECT sparselin_continue(m, x, CASE loss WHEN 'hinge' THEN y::int ELSE n END ORDER BY id)::text FROM uneven WHERE id > rows) =
       pg_temp.learn(learner, 'loss=' || loss || more, label)::text AS same
FROM (SELECT *, pg_temp.learn(learner, 'loss=' || loss || more, label, 'id <= ' || rows) AS m
      FROM calls, unnest('{400,1500}'::int[]) AS rows, (VALUES ('hinge', 'y::int'), ('absolute', 'n'), ('squared', 'n')) AS v (loss, label)
      WHERE learner = 'onepass' OR more LIKE '%sequential%' OFFSET 0) AS s
ORDER BY learner, more, loss, rows;

DROP VIEW ways;
DROP VIEW calls;
DROP TABLE uneven;
RESET client_min_messages;
