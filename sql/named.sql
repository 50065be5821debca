-- Functions on models take the name of a kept one in its place. What is said is that of the active version.
\set SHOW_CONTEXT never
\pset null '(null)'
CREATE TABLE named_rows AS
SELECT i AS id, sparselin_features(ARRAY['page=' || i % 20, 'day=' || i % 7], 8) AS features, i % 20 < 6 AS label, 1 + i % 3 AS weight
FROM generate_series(1, 300) AS i;
SELECT version FROM sparselin_fit('named', 'SELECT features, label FROM named_rows ORDER BY id');
SELECT version FROM sparselin_fit('named', 'SELECT features, label FROM named_rows WHERE id <= 200 ORDER BY id', replace => true);
SELECT version FROM sparselin_fit('named regression', 'SELECT features, 0.5 * weight AS label FROM named_rows ORDER BY id', options => 'loss=squared');
CREATE TABLE named_models AS
SELECT name AS text_name, name::varchar AS varchar_name, name::name AS name_name, model
FROM sparselin_models JOIN sparselin_model_values USING (name, version) WHERE active AND name LIKE 'named%';

-- The same as of the model itself: literals, arguments by name, and columns of several types.
SELECT sparselin_info('named') = sparselin_info(model) AS info,
       (SELECT array_agg(w) FROM sparselin_weights('named') AS w) = (SELECT array_agg(w) FROM sparselin_weights(model) AS w) AS weights,
       (SELECT array_agg(h) FROM sparselin_history('named') AS h) = (SELECT array_agg(h) FROM sparselin_history(model) AS h) AS history,
       sparselin_history_plot('named') = sparselin_history_plot(model) AS plot
FROM named_models WHERE text_name = 'named';
SELECT sparselin_info(name => 'named') = sparselin_info(model => model) AS info,
       (SELECT count(*) FROM sparselin_weights(name => 'named')) = (SELECT count(*) FROM sparselin_weights(model => model)) AS weights,
       (SELECT count(*) FROM sparselin_history(name => 'named')) = (SELECT count(*) FROM sparselin_history(model => model)) AS history,
       sparselin_history_plot(name => 'named') = sparselin_history_plot(model => model) AS plot
FROM named_models WHERE text_name = 'named';
SELECT text_name, sparselin_info(text_name) = sparselin_info(model) AS of_text,
       sparselin_info(varchar_name) = sparselin_info(model) AS of_varchar, sparselin_info(name_name) = sparselin_info(model) AS of_name,
       (SELECT sum(weight) FROM sparselin_weights(text_name)) = (SELECT sum(weight) FROM sparselin_weights(model)) AS weights
FROM named_models ORDER BY 1;
SELECT bool_and(sparselin_class('named', features) = sparselin_class(model, features)) AS class,
       bool_and((SELECT array_agg(c) FROM sparselin_classes('named', features) AS c) = (SELECT array_agg(c) FROM sparselin_classes(model, features) AS c)) AS classes,
       bool_and(sparselin_probability('named', features, 'false') = sparselin_probability(model, features, 'false')) AS probability,
       sparselin_confusion('named', features, label) = sparselin_confusion(model, features, label) AS confusion,
       sparselin_confusion('named', features, label, weight) = sparselin_confusion(model, features, label, weight) AS weighted
FROM named_models, named_rows WHERE text_name = 'named';
PREPARE of_name AS SELECT learner, (SELECT count(*) > 0 FROM sparselin_weights($1)) AS weights FROM sparselin_info($1);
EXECUTE of_name('named');
DEALLOCATE of_name;

-- Explanations of every kind of source.
CREATE FUNCTION same_explanation(a text, b text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    x text[];
    y text[];
BEGIN
    EXECUTE format('SELECT array_agg(e::text) FROM named_models, sparselin_explain(%s) AS e WHERE text_name = ''named''', a) INTO x;
    EXECUTE format('SELECT array_agg(e::text) FROM named_models, sparselin_explain(%s) AS e WHERE text_name = ''named''', b) INTO y;
    RETURN x = y;
END $$;
SELECT given, rest, same_explanation(given || rest, 'model' || rest)
FROM (VALUES ('''named'''), ('text_name'), ('model => ''named''')) AS g (given),
     (VALUES (', features => ''{1:1,77:2}''::sparsearray'), (', source => ''page=3:1,2 day''::tsvector'), (', source => ''{page=3,day=2}''::text[], top => 1'),
             (', source => ''{"page": "3"}''::jsonb'), (', source => ROW(3)')) AS r (rest)
ORDER BY given COLLATE "C", rest COLLATE "C";
SELECT count(*) > 1 AS of_a_row FROM (SELECT 3 AS page) AS t, sparselin_explain('named', t);
SELECT id, (SELECT round(sum(contribution)::numeric, 9) FROM sparselin_explain('named', features)) = round(sparselin_predict('named', features)::numeric, 9) AS adds_up
FROM named_rows WHERE id <= 2 ORDER BY 1;

-- Evaluation, with all kinds of labels and weights, in groups, of several names at once.
SELECT sparselin_evaluate('named', features, label) = sparselin_evaluate(model, features, label) AS labels,
       sparselin_evaluate('named', features, label, weight) = sparselin_evaluate(model, features, label, weight) AS weights,
       (sparselin_evaluate('named', features, label)).rows
FROM named_models, named_rows WHERE text_name = 'named';
SELECT text_name, sparselin_evaluate(text_name, features, 0.5 * weight) = sparselin_evaluate(model, features, 0.5 * weight) AS numbers,
       sparselin_evaluate(text_name, features, 0.5 * weight, weight) = sparselin_evaluate(model, features, 0.5 * weight, weight) AS weights
FROM named_models, named_rows WHERE text_name = 'named regression' GROUP BY 1;
SELECT id % 3 AS part, (sparselin_evaluate('named', features, label)).rows FROM named_rows GROUP BY 1 ORDER BY 1;
SELECT sparselin_evaluate('named', features, label) IS NULL AS no_rows FROM named_rows WHERE false;
SELECT sparselin_evaluate(text_name, features, 0.5 * weight ORDER BY text_name DESC) FROM named_models, named_rows;
SELECT sparselin_evaluate(NULL, features, label) FROM named_rows;
SELECT sparselin_evaluate(CASE WHEN id < 4 THEN 'named' END, features, label ORDER BY id) FROM named_rows;

-- Two names of the same model are one.
BEGIN;
INSERT INTO sparselin_registry (name) VALUES ('named too');
INSERT INTO sparselin_models (name, version, active, learner, mode, query, search_path, holdout) VALUES ('named too', 1, true, 'casgd', 'fresh', '', '', 0);
INSERT INTO sparselin_model_values SELECT 'named too', 1, model FROM named_models WHERE text_name = 'named';
SELECT sparselin_evaluate(CASE WHEN id % 3 = 0 THEN 'named' ELSE 'named too' END, features, label) = sparselin_evaluate('named', features, label) AS same
FROM named_rows;
ROLLBACK;

-- By a plan in several processes too.
BEGIN;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
ALTER TABLE named_rows SET (parallel_workers = 2);
CREATE FUNCTION pg_temp.plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY EXECUTE 'EXPLAIN (COSTS OFF) ' || query; END $$;
SELECT count(*) > 0 AS is_parallel FROM pg_temp.plan('SELECT sparselin_evaluate(''named'', features, label) FROM named_rows') AS p (line) WHERE line LIKE '%Partial Aggregate%';
SELECT (sparselin_evaluate('named', features, label)).rows FROM named_rows;
ROLLBACK;

-- The version that a statement begins with is the one that it ends with; the next one sees another one.
SELECT (sparselin_info('named')).rows, sparselin_activate('named', 1);
SELECT (sparselin_info('named')).rows, (SELECT count(*) FROM sparselin_weights('named')) > 0 AS weights;

-- Nothing for NULL; NULL is a name as well as a model.
SELECT sparselin_info(NULL) IS NULL AS info, sparselin_info(NULL::text) IS NULL AS of_text, sparselin_info(NULL::sparselin_model) IS NULL AS of_model,
       sparselin_history_plot(NULL) IS NULL AS plot,
       (SELECT count(*) FROM sparselin_weights(NULL)) AS weights, (SELECT count(*) FROM sparselin_history(NULL)) AS history,
       (SELECT count(*) FROM sparselin_explain(NULL, '{1:1}'::sparsearray)) AS explain, (SELECT count(*) FROM sparselin_explain('named', NULL::jsonb)) AS of_nothing;

-- Names that are none. A model that is written out is taken for a name, and needs a cast.
SELECT sparselin_info('nmaed');
SELECT * FROM sparselin_weights('nmaed');
SELECT * FROM sparselin_history('');
SELECT sparselin_history_plot('nmaed');
SELECT * FROM sparselin_explain('nmaed', '{1:1}'::sparsearray);
SELECT * FROM sparselin_explain('nmaed', '{"a": 1}'::jsonb);
SELECT sparselin_evaluate('nmaed', features, label) FROM named_rows;
SELECT * FROM sparselin_weights('{"learner":"sgd","loss":"logistic","weights":[0.5]}');
SELECT * FROM sparselin_weights('{"learner":"sgd","loss":"logistic","weights":[0.5]}'::sparselin_model);

-- Without rights there is nothing to be seen, whatever the function.
SET client_min_messages = warning;
CREATE ROLE regress_sparselin_stranger;
RESET client_min_messages;
GRANT SELECT ON named_rows TO regress_sparselin_stranger;
SET ROLE regress_sparselin_stranger;
SELECT sparselin_info('named');
RESET ROLE;
GRANT SELECT ON sparselin_registry, sparselin_models, sparselin_model_values TO regress_sparselin_stranger;
SET ROLE regress_sparselin_stranger;
SELECT sparselin_info('named');
SELECT * FROM sparselin_weights('named');
SELECT * FROM sparselin_history('named');
SELECT sparselin_history_plot('named');
SELECT * FROM sparselin_explain('named', '{1:1}'::sparsearray);
SELECT sparselin_evaluate('named', features, label) FROM named_rows;
RESET ROLE;
SELECT sparselin_grant('named', 'regress_sparselin_stranger');
SET ROLE regress_sparselin_stranger;
SELECT (sparselin_info('named')).learner, (SELECT (sparselin_evaluate('named', features, label)).rows FROM named_rows);
RESET ROLE;

-- They are looked up when the statement runs, not when it is planned, and cost what they do for a model at hand.
SELECT a.proname, a.provolatile = 's' AND b.provolatile IN ('i', 's') AS stable, a.procost = b.procost AND a.prorows = b.prorows AS cost,
       a.proisstrict = b.proisstrict AND a.proparallel = b.proparallel AS kind
FROM pg_proc AS a JOIN pg_proc AS b USING (proname, pronargs)
WHERE proname ~ '^sparselin_(predict|probability|classify|decide|info|weights|history|history_plot|explain|evaluate_step)$'
      AND 'text'::regtype = a.proargtypes[CASE proname WHEN 'sparselin_evaluate_step' THEN 1 ELSE 0 END]
      AND 'sparselin_model'::regtype = b.proargtypes[CASE proname WHEN 'sparselin_evaluate_step' THEN 1 ELSE 0 END]
      AND replace(a.proargtypes::text, 'text'::regtype::oid::text, '') = replace(replace(b.proargtypes::text, 'sparselin_model'::regtype::oid::text, ''), 'text'::regtype::oid::text, '')
ORDER BY 1, a.oid;

SELECT sparselin_drop('named'), sparselin_drop('named regression');
REVOKE ALL ON sparselin_registry, sparselin_models, sparselin_model_values, named_rows FROM regress_sparselin_stranger;
DROP ROLE regress_sparselin_stranger;
DROP TABLE named_rows, named_models;
DROP FUNCTION same_explanation;
