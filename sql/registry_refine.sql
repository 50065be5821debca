-- sparselin_fit with refine: what is kept is what sparselin_refine makes of the models it would have kept

CREATE TABLE refined_rows AS
SELECT i AS id, sparsearray(ARRAY[1 + i % 20, 21 + i % 7, 40 + i * 31 % 300]::bigint[],
                            ARRAY[1, 1 + i % 3, (i::bigint * 7919 % 1000) / 1000.0 + 0.001]) AS x,
       i % 20 < 6 OR (i % 20 < 12 AND i % 7 = 3) OR i % 101 = 0 AS y, (i % 20) / 4.0 + (i % 7) ^ 2 / 10.0 AS number,
       (ARRAY['one', 'two', 'three'])[1 + CASE WHEN i % 13 = 0 THEN i % 3 ELSE i % 20 / 7 END] AS class, 0.5 + i % 3 AS w
FROM generate_series(1, 3000) AS i;

CREATE TABLE kinds_to_refine (kind text, query text, learner text, options sparselin_options, holdout float8, refit boolean, learned_from text);
INSERT INTO kinds_to_refine VALUES
    ('by features', 'SELECT x AS features, y AS label FROM refined_rows', 'casgd', NULL, 0.2, true,
     'NOT sparselin_held_out(x, 0.2)'),
    ('by key', 'SELECT x AS features, y AS label, id / 3 AS key FROM refined_rows', 'asgd', NULL, 0.3, true,
     'NOT sparselin_held_out_by_key((id / 3)::text, 0.3)'),
    ('by hand', 'SELECT x AS features, y AS label, id > 2500 AS held_out FROM refined_rows', 'onepass', 'loss=squared_hinge', 0.2, true,
     'id <= 2500'),
    ('not at all', 'SELECT x AS features, y AS label FROM refined_rows', 'casgd', 'lambda=1e-4', 0, true, 'true'),
    ('for good', 'SELECT x AS features, y AS label FROM refined_rows', 'casgd', NULL, 0.2, false,
     'NOT sparselin_held_out(x, 0.2)'),
    ('weights', 'SELECT x AS features, number AS label, w AS weight, id AS key FROM refined_rows', 'casgd', 'loss=squared scale=std', 0.2, true,
     'NOT sparselin_held_out_by_key(id::text, 0.2)'),
    ('classes', 'SELECT x AS features, class AS label, id AS key FROM refined_rows', 'casgd', NULL, 0.2, true,
     'NOT sparselin_held_out_by_key(id::text, 0.2)');

SELECT kind, (sparselin_fit('plain ' || kind, query, learner, options, holdout, refit => refit)).version AS plain,
       (sparselin_fit('refined ' || kind, query, learner, options, holdout, refit => refit, refine => 30)).version AS refined
FROM kinds_to_refine;

-- The measured model on what it learned from, and the one that predicts on all.
CREATE VIEW refined_kinds AS
SELECT k.*, p.model AS plain, p.measured AS plain_measured, r.model, r.measured, m.version, m.refine, m.value, m.metrics,
       CASE WHEN p.measured IS NULL THEN k.query || ' WHERE ' || learned_from ELSE k.query END AS predicting_from,
       k.query || ' WHERE ' || learned_from AS measured_from
FROM kinds_to_refine AS k JOIN sparselin_model_values AS p ON p.name = 'plain ' || kind JOIN sparselin_model_values AS r ON r.name = 'refined ' || kind
     JOIN sparselin_models AS m ON m.name = r.name AND m.version = r.version
WHERE r.version = 1;
SELECT kind, refine, model::text <> plain::text AS is_another,
       model::text = (SELECT sparselin_compact(refined)::text FROM sparselin_refine(plain, predicting_from, 30)) AS predicts_refined,
       measured::text = (SELECT sparselin_compact(refined)::text FROM sparselin_refine(plain_measured, measured_from, 30)) AS measured_refined
FROM refined_kinds ORDER BY kind;
SELECT kind, (g).rows, (g).objective < (b).objective AS lower, (g).gap <= 0.01 * (g).objective AS near
FROM (SELECT kind, (SELECT sparselin_gradient(model, x, y) FROM refined_rows) AS g, (SELECT sparselin_gradient(plain, x, y) FROM refined_rows) AS b
      FROM refined_kinds WHERE kind IN ('by features', 'by key', 'not at all')) AS s ORDER BY kind;
-- What is told of it is told of the refined model.
SELECT kind, abs(value - (sparselin_evaluate(measured, x, y)).log_loss) < 1e-12 AS measured_as_it_is
FROM refined_kinds, refined_rows WHERE kind = 'by features' AND sparselin_held_out(x, 0.2) GROUP BY kind, value;
SELECT bool_and(sparselin_report(name) LIKE '%<svg%') AS reports FROM sparselin_registry WHERE name LIKE 'refined%';

-- again, and again the same
SELECT version, active FROM sparselin_retrain('refined by key');
SELECT m.version, m.refine, v.model::text = k.model::text AS same
FROM sparselin_models AS m JOIN sparselin_model_values AS v USING (name, version), refined_kinds AS k
WHERE name = 'refined by key' AND kind = 'by key' ORDER BY 1;
SELECT verdict FROM sparselin_drift('refined by key');

-- by a role, with its own rights; and what it may not read it does not read
CREATE ROLE regress_sparselin_refiner;
GRANT SELECT, INSERT, UPDATE, DELETE ON sparselin_registry, sparselin_models, sparselin_model_values TO regress_sparselin_refiner;
SET ROLE regress_sparselin_refiner;
SELECT version FROM sparselin_fit('hers', 'SELECT x AS features, y AS label FROM refined_rows', refine => 3);
RESET ROLE;
GRANT SELECT ON refined_rows TO regress_sparselin_refiner;
SET ROLE regress_sparselin_refiner;
SELECT version FROM sparselin_fit('hers', 'SELECT x AS features, y AS label FROM refined_rows', refine => 3);
\set VERBOSITY terse
-- Nothing that the query does can leave the statement, in no scan.
CREATE TEMP SEQUENCE scans;
CREATE FUNCTION pg_temp.counted(x sparsearray) RETURNS sparsearray LANGUAGE plpgsql AS $$
BEGIN
    IF nextval('scans') > 3000 THEN
        SET ROLE regress_sparselin_refiner;
    END IF;
    RETURN x;
END $$;
SELECT version FROM sparselin_fit('hers too', 'SELECT pg_temp.counted(x) AS features, y AS label FROM refined_rows', refine => 3);
RESET ROLE;

-- what cannot be
\set VERBOSITY default
SELECT sparselin_fit('no', 'SELECT x AS features, y AS label FROM refined_rows', refine => -1);
SELECT sparselin_fit('no', 'SELECT x AS features, y AS label FROM refined_rows', refine => NULL);
SELECT sparselin_fit('no', 'SELECT x AS features, y AS label FROM refined_rows', options => 'loss=hinge', refine => 5);
SELECT sparselin_fit('no', 'SELECT x AS features, y AS label FROM refined_rows', 'elasticnet', refine => 5);
SELECT sparselin_fit('no', 'SELECT x AS features, y AS label FROM refined_rows WHERE now() > $1', refine => 5);
SELECT count(*) FROM sparselin_registry WHERE name = 'no';

SELECT count(sparselin_drop(name)) FROM sparselin_registry WHERE name ~ '^(plain|refined|hers)';
DROP OWNED BY regress_sparselin_refiner;
DROP ROLE regress_sparselin_refiner;
DROP VIEW refined_kinds;
DROP TABLE refined_rows, kinds_to_refine;
