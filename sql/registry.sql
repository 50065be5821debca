-- Models kept by name: fit, retrain, activate, drop, drift, and predictions by name.
\pset null '(null)'
\set SHOW_CONTEXT never
CREATE TABLE registry_rows (id int PRIMARY KEY, seen timestamptz, x sparsearray, y boolean, w float8);
INSERT INTO registry_rows
SELECT i, now() - interval '1 day', sparsearray(ARRAY[1 + i % 20, 21 + i % 7, 40 + i * 31 % 300], ARRAY[1, 1, 0.5]),
       i % 20 < 6 OR (i % 20 < 12 AND i % 7 = 3) OR i % 11 = 0, 1 + i % 3
FROM generate_series(1, 3000) AS i;

-- Numbers in notes are for readers.
CREATE FUNCTION pg_temp.without_numbers(text) RETURNS text LANGUAGE sql AS
$$ SELECT regexp_replace($1, '\d+(\.\d+)?', '#', 'g') $$;
CREATE FUNCTION pg_temp.versions(name) RETURNS TABLE (version int, active boolean, measured boolean, note text, failed boolean)
LANGUAGE sql AS
$$ SELECT version, active, value IS NOT NULL, pg_temp.without_numbers(note), failure IS NOT NULL
   FROM sparselin_models WHERE name = $1 ORDER BY version $$;

-- Fitting: one row comes back, one version is kept and active.
SELECT version, active, metric, value < 0.6 AS good, pg_temp.without_numbers(note) AS note
FROM sparselin_fit('buyers', 'SELECT id, x AS features, y AS label FROM registry_rows ORDER BY id');
SELECT name, version, active, learner, options, metric, value = (metrics ->> 'log_loss')::float8 AS same,
       rows = 3000 AS all_rows, abs(held_out / 3000.0 - 0.2) < 0.05 AS a_fifth, metrics ->> 'rows' = held_out::text AS counted,
       trained_at <= now() AND trained_at > now() - interval '1 hour' AS lately, trained_by = session_user AS by_us,
       owner = current_user AS ours, duration > interval '0' AND duration < interval '1 minute' AS took_a_while,
       mode, failure, query, search_path, holdout, refit
FROM sparselin_models WHERE name = 'buyers';

-- It is a model of all rows, with the strength of regularisation that was best for those that are not held out; beside it
-- is the model of these, which is what was measured. Both without what going on would need.
SELECT (sparselin_info(v.model)).resumable, (sparselin_info(v.measured)).resumable AS measured_is, v.measured::text = (
           SELECT sparselin_compact(casgd_train(x, y, 'search=true' ORDER BY id) FILTER (WHERE NOT sparselin_held_out(x, 0.2)))::text
           FROM registry_rows) AS same_model,
       (SELECT abs((sparselin_evaluate(v.measured, x, y)).loss - m.value) < 1e-12
        FROM registry_rows WHERE sparselin_held_out(x, 0.2)) AS same_loss,
       (SELECT bool_and(abs(a.loss - b.loss) < 1e-12 AND a.chosen = b.chosen
                        AND abs(a.lambda * 3000 / (b.lambda * (3000 - m.held_out)) - 1) < 1e-12)
        FROM sparselin_search(v.model) AS a JOIN sparselin_search(v.measured) AS b USING (loss)) AS same_search,
       (SELECT array_agg(w) FROM sparselin_weights(v.model) AS w) = (
           SELECT array_agg(w) FROM (SELECT casgd_train(x, y, sparselin_options(lambda => (sparselin_info(v.model)).lambda) ORDER BY id) AS model
                                     FROM registry_rows) AS t, sparselin_weights(t.model) AS w) AS same_weights
FROM sparselin_models AS m JOIN sparselin_model_values AS v USING (name, version) WHERE name = 'buyers';

-- What is held out: a share of different rows, decided by the features whatever their dimension, more with a larger share.
SELECT count(*) FILTER (WHERE sparselin_held_out(sparsearray(ARRAY[i], ARRAY[1.5]), 0.2)) AS fifth,
       count(*) FILTER (WHERE sparselin_held_out(sparsearray(ARRAY[i], ARRAY[1.5], 100000), 0.2)) AS same,
       bool_and(sparselin_held_out(sparsearray(ARRAY[i], ARRAY[1.5]), 0.5) OR NOT sparselin_held_out(sparsearray(ARRAY[i], ARRAY[1.5]), 0.2)) AS more,
       bool_or(sparselin_held_out(sparsearray(ARRAY[i], ARRAY[1.5]), 0)) AS none,
       bool_and(sparselin_held_out(sparsearray(ARRAY[i], ARRAY[1.5]), 1)) AS all
FROM generate_series(1, 10000) AS i;
SELECT sparselin_held_out('{}', 0.2), sparselin_held_out(NULL, 0.2), sparselin_held_out('{1:1}', 1.5);

-- By name is by the active version.
SELECT count(*), bool_and((sparselin_predict('buyers', x) = sparselin_predict(model, x)
                           AND sparselin_probability('buyers', x) = sparselin_probability(model, x)
                           AND sparselin_classify('buyers', x) = sparselin_classify(model, x)
                           AND sparselin_decide('buyers', x) = sparselin_decide(model, x)
                           AND sparselin_decide('buyers', x, 0.9) = sparselin_decide(model, x, 0.9)) IS TRUE) AS the_same
FROM registry_rows, sparselin_model_values WHERE name = 'buyers';
SELECT sparselin_predict(NULL::text, '{}') AS no_name, sparselin_predict('buyers', NULL) AS no_features;

-- Trained again on the same rows it is the same, and taken. The query runs once.
CREATE SEQUENCE registry_calls;
SELECT version FROM sparselin_fit('counted', 'SELECT x AS features, y AS label, nextval(''registry_calls'') FROM registry_rows ORDER BY id');
SELECT last_value FROM registry_calls;
SELECT version, active, pg_temp.without_numbers(note) FROM sparselin_retrain('counted');
SELECT last_value FROM registry_calls;
SELECT a.model::text = b.model::text AS same, b.model::text = c.model::text AS same_as_the_other
FROM sparselin_model_values AS a, sparselin_model_values AS b, sparselin_model_values AS c
WHERE a.name = 'counted' AND a.version = 1 AND b.name = 'counted' AND b.version = 2 AND c.name = 'buyers';
SELECT version, previous_value = value AS the_same, standard_error, still_held_out FROM sparselin_models WHERE name = 'counted' ORDER BY 1;

-- A model of few rows is worse on the same held-out rows: kept, but not active, unless the tolerance allows it.
CREATE TABLE registry_few AS SELECT * FROM registry_rows;
SELECT version FROM sparselin_fit('few', 'SELECT x AS features, y AS label FROM registry_few ORDER BY id');
DELETE FROM registry_few WHERE NOT sparselin_held_out(x, 0.2) AND id > 60;
SELECT version, active, pg_temp.without_numbers(note) FROM sparselin_retrain('few');
SELECT version, active, rows, previous_value < value AS worse FROM sparselin_models WHERE name = 'few' ORDER BY 1;
SELECT version, active, pg_temp.without_numbers(note) FROM sparselin_retrain('few', tolerance => 'Infinity');
-- Roll back.
SELECT sparselin_activate('few', 1);
SELECT * FROM pg_temp.versions('few');
SELECT sparselin_activate('few', 1);
SELECT sparselin_drop('few', 2);
SELECT * FROM pg_temp.versions('few');
SELECT version FROM sparselin_retrain('few');
SELECT sparselin_drop('few');
SELECT (SELECT count(*) FROM sparselin_registry WHERE name = 'few') AS names,
       (SELECT count(*) FROM sparselin_models WHERE name = 'few') AS versions,
       (SELECT count(*) FROM sparselin_model_values WHERE name = 'few') AS models;

-- Going on: $1 is the time of the active version's training, and -infinity in training anew.
SELECT version FROM sparselin_fit('goes on', 'SELECT x AS features, y AS label FROM registry_rows WHERE seen > $1 AND seen <= now() ORDER BY id',
    options => 'epochs=3');
SELECT rows, (sparselin_info(model)).resumable, (sparselin_info(measured)).resumable AS measured_is FROM sparselin_models JOIN sparselin_model_values USING (name, version) WHERE name = 'goes on';
INSERT INTO registry_rows SELECT id + 3000, clock_timestamp(), x, y, w FROM registry_rows WHERE id <= 1000;
SELECT version, active, pg_temp.without_numbers(note) FROM sparselin_retrain('goes on', mode => 'continue', tolerance => 1);
SELECT version, mode, rows AS new_rows FROM sparselin_models WHERE name = 'goes on' ORDER BY 1;
SELECT b.measured::text = (SELECT sparselin_continue(a.measured, x, y ORDER BY id)::text FROM registry_rows
                           WHERE id > 3000 AND NOT sparselin_held_out(x, 0.2)) AS same_measured,
       b.model::text = (SELECT sparselin_continue(a.model, x, y ORDER BY id)::text FROM registry_rows WHERE id > 3000) AS same
FROM sparselin_model_values AS a, sparselin_model_values AS b
WHERE a.name = 'goes on' AND a.version = 1 AND b.name = 'goes on' AND b.version = 2;
\set VERBOSITY terse
SELECT * FROM sparselin_retrain('goes on', mode => 'continue');
\set VERBOSITY default
SELECT version, active, pg_temp.without_numbers(note) FROM sparselin_retrain('goes on');
SELECT version, mode, rows AS all_rows FROM sparselin_models WHERE name = 'goes on' ORDER BY 1;

-- Weights, labels of every kind, every learner, nothing held out.
SELECT version FROM sparselin_fit('weighted', 'SELECT x AS features, y AS label, w::int AS weight FROM registry_rows WHERE id <= 3000 ORDER BY id', options => 'search=false');
SELECT v.measured::text = (SELECT sparselin_compact(casgd_train(x, y, 'search=false', w ORDER BY id) FILTER (WHERE NOT sparselin_held_out(x, 0.2)))::text
                           FROM registry_rows WHERE id <= 3000) AS same_measured,
       v.model::text = (SELECT sparselin_compact(casgd_train(x, y, 'search=false', w ORDER BY id))::text
                        FROM registry_rows WHERE id <= 3000) AS same_model,
       abs(m.value - (SELECT (sparselin_evaluate(v.measured, x, y, w)).loss FROM registry_rows
                       WHERE id <= 3000 AND sparselin_held_out(x, 0.2))) < 1e-12 AS same_loss
FROM sparselin_models AS m JOIN sparselin_model_values AS v USING (name, version) WHERE name = 'weighted';
CREATE DOMAIN registry_label AS int;
SELECT label, version, value BETWEEN 0 AND 0.6 AS good
FROM (VALUES ('y'), ('y::int'), ('y::int::smallint'), ('y::int::bigint'), ('y::int::numeric'), ('y::int::real'), ('y::int::float8'),
             ('y::int::registry_label'), ('2 * y::int - 1')) AS kinds (label),
     sparselin_fit('label ' || label, format('SELECT x AS features, %s AS label FROM registry_rows', label));
SELECT learner, version, value BETWEEN 0 AND 0.69 AS good
FROM unnest('{casgd,asgd,sgd,onepass,truncated,elasticnet,casgd_train,sparselin_train}'::text[]) AS learner,
     sparselin_fit('by ' || learner, 'SELECT x AS features, y AS label FROM registry_rows', learner);
SELECT DISTINCT learner FROM sparselin_models ORDER BY 1;
SELECT version, metric, value BETWEEN 0 AND 0.63 AS good
FROM sparselin_fit('by loss', 'SELECT x AS features, y::int AS label FROM registry_rows', options => 'loss=squared');
SELECT * FROM sparselin_fit('all rows', 'SELECT features, label FROM (VALUES (''{1:1}''::sparsearray, true), (''{2:1}'', false)) AS v (features, label)', holdout => 0);
SELECT * FROM sparselin_retrain('all rows');

-- Rows without features, label or weight are skipped, as ever.
SELECT version FROM sparselin_fit('with nulls',
    'SELECT CASE WHEN id % 5 > 0 THEN x END AS features, CASE WHEN id % 7 > 0 THEN y END AS label FROM registry_rows');
SELECT rows = (SELECT count(*) FROM registry_rows WHERE id % 5 > 0 AND id % 7 > 0) AS counted FROM sparselin_models WHERE name = 'with nulls';

-- Replacing: a new query under the same name; the old version is there to go back to, with the old query.
SELECT version, active FROM sparselin_fit('buyers', 'SELECT x AS features, NOT y AS label FROM registry_rows', 'asgd', 'loss=hinge', 0.3, true);
SELECT version, active, learner, options, holdout FROM sparselin_models WHERE name = 'buyers' ORDER BY 1;
SELECT sparselin_activate('buyers', 1);
SELECT version FROM sparselin_retrain('buyers');
SELECT version, active, learner, options, holdout, query FROM sparselin_models WHERE name = 'buyers' ORDER BY 1;

-- Failures: a WARNING, a row that says what failed, and the active version stays.
CREATE TABLE registry_faults (fault text);
INSERT INTO registry_faults VALUES ('none');
CREATE FUNCTION registry_fault() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    ASSERT (SELECT fault <> 'assertion' FROM registry_faults), 'as it must not be';
    RETURN (SELECT fault FROM registry_faults);
END $$;
SELECT version FROM sparselin_fit('faulty', $$
    SELECT CASE fault WHEN 'wide' THEN x + '{}/500' WHEN 'one row' THEN '{1:1}/400' WHEN 'null' THEN NULL
                      ELSE x + '{}/400' END AS features,
           CASE fault WHEN 'one class' THEN 1 WHEN 'not a class' THEN 3 WHEN 'error' THEN 1 / (id - id) ELSE y::int END AS label,
           CASE WHEN fault = 'slow' THEN pg_sleep(60) END
    FROM registry_rows, registry_fault() AS fault WHERE fault <> 'no rows' ORDER BY id $$);
\set VERBOSITY terse
UPDATE registry_faults SET fault = 'no rows';
SELECT * FROM sparselin_retrain('faulty');
UPDATE registry_faults SET fault = 'null';
SELECT * FROM sparselin_retrain('faulty');
UPDATE registry_faults SET fault = 'one class';
SELECT * FROM sparselin_retrain('faulty');
UPDATE registry_faults SET fault = 'not a class';
SELECT * FROM sparselin_retrain('faulty');
UPDATE registry_faults SET fault = 'error';
SELECT * FROM sparselin_retrain('faulty');
SELECT * FROM sparselin_retrain('faulty', on_failure => 'error');
UPDATE registry_faults SET fault = 'assertion';
SELECT * FROM sparselin_retrain('faulty');
UPDATE registry_faults SET fault = 'one row';
SELECT * FROM sparselin_retrain('faulty', keep => 8);
\set VERBOSITY default
UPDATE registry_faults SET fault = 'wide';
SELECT * FROM sparselin_retrain('faulty', keep => 8);
SELECT version, active, value IS NOT NULL AS measured, rows, failure FROM sparselin_models WHERE name = 'faulty' ORDER BY 1;
-- Neither a timeout nor a rollback leaves a row.
UPDATE registry_faults SET fault = 'slow';
SET statement_timeout = '300ms';
SELECT * FROM sparselin_retrain('faulty');
RESET statement_timeout;
UPDATE registry_faults SET fault = 'none';
BEGIN;
SELECT version, active FROM sparselin_retrain('faulty');
ROLLBACK;
SELECT version, active FROM sparselin_models WHERE name = 'faulty' ORDER BY 1;
SELECT version, active FROM sparselin_retrain('faulty');
-- What is gone from the query is a failure too.
ALTER TABLE registry_faults RENAME fault TO error;
\set VERBOSITY terse
SELECT * FROM sparselin_retrain('faulty');
\set VERBOSITY default
ALTER TABLE registry_faults RENAME error TO fault;

-- Housekeeping: as many versions as asked for beside the active one, and as many failures.
SELECT active FROM sparselin_retrain('faulty', keep => 2);
SELECT version, active, failure IS NOT NULL AS failed FROM sparselin_models WHERE name = 'faulty' ORDER BY 1;
SELECT active FROM sparselin_retrain('faulty', keep => 0);
SELECT version, active, failure IS NOT NULL AS failed FROM sparselin_models WHERE name = 'faulty' ORDER BY 1;
-- The only version that is not active, just made, stays whatever is asked for: it is what the call reports.
UPDATE registry_faults SET fault = 'no rows';
SET client_min_messages = error;
SELECT * FROM sparselin_retrain('faulty', keep => 0);
RESET client_min_messages;
SELECT version, active, failure IS NOT NULL AS failed FROM sparselin_models WHERE name = 'faulty' ORDER BY 1;
-- The default is five.
UPDATE registry_faults SET fault = 'none';
SELECT count(*) FROM generate_series(1, 8) AS i, sparselin_retrain(CASE WHEN i > 0 THEN 'faulty' END);
SELECT count(*) FILTER (WHERE active) AS active, count(*) FILTER (WHERE NOT active AND failure IS NULL) AS others,
       count(*) = count(model) + 1 AS each_with_its_model
FROM sparselin_models LEFT JOIN sparselin_model_values USING (name, version) WHERE name = 'faulty';

-- Drift: on the rows of a query, and on those of its own one that it has not learned from.
SELECT rows, abs(value - expected) < 0.05 AS near, verdict FROM sparselin_drift('counted', 'SELECT x AS features, y AS label FROM registry_rows WHERE id <= 3000');
SELECT rows, value > expected AS more, verdict FROM sparselin_drift('counted', 'SELECT x AS features, NOT y AS label FROM registry_rows');
SELECT rows, verdict FROM sparselin_drift('counted', 'SELECT x AS features, NOT y AS label FROM registry_rows', tolerance => 'Infinity');
SELECT rows, verdict FROM sparselin_drift('counted', 'SELECT x AS features, y AS label FROM registry_rows LIMIT 99');
SELECT rows, value < expected AS less, verdict FROM sparselin_drift('counted', 'SELECT x AS features, sparselin_decide(''counted'', x) AS label FROM registry_rows');
SELECT verdict, expected FROM sparselin_drift('all rows');
SELECT d.rows = (SELECT count(*) FROM registry_rows WHERE sparselin_held_out(x, 0.2)) AS those_held_out, verdict
FROM sparselin_drift('counted') AS d;
INSERT INTO registry_rows SELECT id + 10000, clock_timestamp(), x, y, w FROM registry_rows WHERE id <= 200;
SELECT rows, verdict IN ('steady', 'better', 'worse') AS said FROM sparselin_drift('goes on');

-- One lookup a query, whatever the number of rows; as many as names where they come from the rows.
BEGIN;
CREATE VIEW pg_temp.lookups AS
SELECT seq_scan + idx_scan AS count FROM pg_stat_xact_user_tables WHERE relname = 'sparselin_model_values';
SELECT count AS before FROM lookups \gset
SELECT count(sparselin_predict('buyers', x)) FROM registry_rows;
SELECT count - :before AS lookups, count AS before FROM lookups \gset now_
SELECT :now_lookups AS lookups;
SELECT count(sparselin_predict(CASE id % 3 WHEN 0 THEN 'buyers' WHEN 1 THEN 'counted' ELSE 'faulty' END, x)) FROM registry_rows;
SELECT count - :now_before AS lookups FROM lookups;
ROLLBACK;
-- More names than are remembered.
SELECT count(DISTINCT name) > 16 AS many, bool_and((sparselin_predict(name, x) = sparselin_predict(model, x)) IS TRUE) AS same
FROM (SELECT * FROM registry_rows WHERE id <= 20) AS r, sparselin_models LEFT JOIN sparselin_model_values USING (name, version) WHERE active;

-- Within a statement it is one version; the next statement, and the next in the same function, see the other.
SELECT version FROM sparselin_fit('two', 'SELECT x AS features, y AS label FROM registry_rows');
SELECT version FROM sparselin_fit('two', 'SELECT x AS features, NOT y AS label FROM registry_rows', replace => true);
CREATE FUNCTION registry_activate(int) RETURNS int LANGUAGE plpgsql AS
$$ BEGIN PERFORM sparselin_activate('two', $1); RETURN 1; END $$;
CREATE VIEW registry_versions AS
SELECT count(*) FILTER (WHERE sparselin_predict('two', x) = sparselin_predict(a.model, x)) AS as_first,
       count(*) FILTER (WHERE sparselin_predict('two', x) = sparselin_predict(b.model, x)) AS as_second
FROM registry_rows, sparselin_model_values AS a, sparselin_model_values AS b
WHERE a.name = 'two' AND a.version = 1 AND b.name = 'two' AND b.version = 2
      AND CASE WHEN id = 1500 THEN registry_activate(1) ELSE 1 END = 1;
SELECT * FROM registry_versions;
SELECT * FROM registry_versions;
CREATE FUNCTION registry_scores() RETURNS TABLE (what text, score float8) LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1..5 LOOP
        what := 'active ' || (SELECT version FROM sparselin_models WHERE name = 'two' AND active);
        score := sparselin_predict('two', '{1:1}');
        RETURN NEXT;
        BEGIN
            PERFORM sparselin_activate('two', 1 + i % 2);
            what := '  inside ' || (SELECT version FROM sparselin_models WHERE name = 'two' AND active);
            score := sparselin_predict('two', '{1:1}');
            RETURN NEXT;
            IF i > 2 THEN
                RAISE division_by_zero;
            END IF;
        EXCEPTION WHEN division_by_zero THEN
            NULL;
        END;
    END LOOP;
END $$;
SELECT what, score = sparselin_predict(model, '{1:1}') AS its_score
FROM registry_scores(), sparselin_model_values WHERE name = 'two' AND version = right(what, 1)::int;
SELECT sparselin_activate('two', 1);
PREPARE by_name AS SELECT sparselin_predict('two', '{1:1}') = sparselin_predict(model, '{1:1}') AS same, version
FROM sparselin_model_values WHERE name = 'two' ORDER BY version;
EXECUTE by_name;
SELECT sparselin_activate('two', 2);
EXECUTE by_name;
-- A cursor goes on with what it saw.
BEGIN;
DECLARE scores CURSOR FOR SELECT sparselin_predict('two', '{1:1}') = sparselin_predict(model, '{1:1}') AS same, version
FROM sparselin_model_values WHERE name = 'two' ORDER BY version;
FETCH 1 FROM scores;
SELECT sparselin_activate('two', 1);
SELECT sparselin_drop('two', 2);
FETCH ALL FROM scores;
ROLLBACK;

-- Names may be odd.
SELECT version FROM sparselin_fit('it''s "the" mödel; --', 'SELECT x AS features, y AS label FROM registry_rows');
SELECT active FROM sparselin_retrain('it''s "the" mödel; --');
SELECT sparselin_predict('it''s "the" mödel; --', '{1:1}') IS NOT NULL AS works;
SELECT version FROM sparselin_fit(repeat('ä', 63), 'SELECT x AS features, y AS label FROM registry_rows');
SELECT sparselin_predict(repeat('ä', 63), '{1:1}') IS NOT NULL AS works;

-- Only SELECTs of one version count as such; comments and semicolons do no harm.
SELECT query, version FROM (VALUES
    ('SELECT x AS features, y AS label FROM registry_rows -- all'),
    ('SELECT x AS features, y AS label FROM registry_rows; -- all'),
    ('  SELECT x AS features, y AS label FROM registry_rows /* all */ ; ; '),
    ('(SELECT x AS features, y AS label FROM registry_rows LIMIT 500) UNION ALL (SELECT x, y FROM registry_rows LIMIT 500)'),
    ('WITH given AS (SELECT * FROM registry_rows) SELECT x AS features, y AS label, id AS q, id AS r FROM given')) AS v (query),
    sparselin_fit('text of ' || md5(query), query);

-- Fitted anew time and again: the five latest stay beside the active one.
SELECT count(f.version) AS fits FROM generate_series(1, 8) AS i,
    sparselin_fit('again and again', 'SELECT x AS features, y AS label FROM registry_rows -- ' || i, replace => true) AS f;
SELECT version, active FROM sparselin_models WHERE name = 'again and again' ORDER BY version;

SELECT count(sparselin_drop(name)) > 20 AS dropped FROM sparselin_registry;
SELECT count(*) FROM sparselin_models;
SELECT count(*) FROM sparselin_model_values;
DROP TABLE registry_rows, registry_few, registry_faults CASCADE;
DROP FUNCTION registry_fault, registry_activate, registry_scores;
DROP DOMAIN registry_label;
DROP SEQUENCE registry_calls;

-- Columns of other types that have a cast: pgvector's, as a type of the same bytes, arrays, and somebody's own numbers.
SET client_min_messages = warning;
CREATE TYPE registry_sparsevec;
CREATE FUNCTION registry_sparsevec_in(cstring) RETURNS registry_sparsevec AS '$libdir/sparselin', 'sparsearray_in' LANGUAGE C IMMUTABLE STRICT;
CREATE FUNCTION registry_sparsevec_out(registry_sparsevec) RETURNS cstring AS '$libdir/sparselin', 'sparsearray_out' LANGUAGE C IMMUTABLE STRICT;
CREATE TYPE registry_sparsevec (INPUT = registry_sparsevec_in, OUTPUT = registry_sparsevec_out, LIKE = sparsearray);
CREATE TYPE registry_truth AS (yes boolean);
CREATE FUNCTION registry_boolean(registry_truth) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$ SELECT $1.yes $$;
CREATE TYPE registry_grams AS (grams float8);
CREATE FUNCTION registry_number(registry_grams) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$ SELECT $1.grams $$;
RESET client_min_messages;
CREATE TABLE registry_cast AS
SELECT i AS id, sparsearray(ARRAY[1 + i % 5, 6 + i % 7], ARRAY[1, 1]) AS x,
       sparsearray(ARRAY[1 + i % 5, 6 + i % 7], ARRAY[1, 1])::text::registry_sparsevec AS v,
       ARRAY[i % 5, i % 7]::real[] AS a, i % 5 < 2 AS y, ROW(i % 5 < 2)::registry_truth AS t,
       ROW(1 + i % 3)::registry_grams AS g
FROM generate_series(1, 300) AS i;
-- Without a cast, by way of text, none is made up.
SELECT sparselin_fit('cast', 'SELECT v AS features, y AS label FROM registry_cast');
SELECT sparselin_fit('cast', 'SELECT x::text AS features, y AS label FROM registry_cast');
SELECT sparselin_fit('cast', 'SELECT x AS features, t AS label FROM registry_cast');
SELECT sparselin_fit('cast', 'SELECT x AS features, y AS label, g AS weight FROM registry_cast');
CREATE CAST (registry_sparsevec AS sparsearray) WITHOUT FUNCTION;
CREATE CAST (registry_truth AS boolean) WITH FUNCTION registry_boolean AS ASSIGNMENT;
CREATE CAST (registry_grams AS float8) WITH FUNCTION registry_number AS ASSIGNMENT;
SELECT version FROM sparselin_fit('plain', 'SELECT x AS features, y AS label, (g).grams AS weight FROM registry_cast ORDER BY id');
SELECT version FROM sparselin_fit('cast', 'SELECT v AS features, t AS label, g AS weight FROM registry_cast ORDER BY id');
SELECT version FROM sparselin_retrain('cast');
SELECT count(DISTINCT model::text) AS models FROM sparselin_model_values WHERE name IN ('plain', 'cast');
SELECT verdict FROM sparselin_drift('cast', 'SELECT v AS features, y AS label FROM registry_cast ORDER BY id', 100);
-- What the features are made by runs once a row.
CREATE SEQUENCE registry_made;
CREATE FUNCTION registry_make(sparsearray) RETURNS sparsearray LANGUAGE plpgsql STABLE AS
$$ BEGIN PERFORM nextval('registry_made'); RETURN $1; END $$;
SELECT version FROM sparselin_fit('made', 'SELECT registry_make(x) AS features, y AS label FROM registry_cast');
SELECT last_value AS calls FROM registry_made;
SELECT sparselin_drop('made');
DROP FUNCTION registry_make;
DROP SEQUENCE registry_made;
-- Arrays are dense rows.
SELECT version FROM sparselin_fit('dense', 'SELECT a AS features, y AS label FROM registry_cast ORDER BY id');
SELECT version FROM sparselin_fit('sparse', 'SELECT sparsearray(a) AS features, y AS label FROM registry_cast ORDER BY id');
SELECT count(DISTINCT model::text) AS models FROM sparselin_model_values WHERE name IN ('dense', 'sparse');
SELECT count(sparselin_drop(name)) FROM unnest('{plain,cast,dense,sparse}'::text[]) AS name;
DROP TABLE registry_cast;
SET client_min_messages = warning;
DROP TYPE registry_sparsevec, registry_truth, registry_grams CASCADE;
