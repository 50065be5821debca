-- Kept models whose labels are the names of classes.
\pset null '(null)'
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE SCHEMA registry_classes;
SET search_path = registry_classes, public;
CREATE TYPE state AS ENUM ('new', 'open', 'done');
CREATE DOMAIN word AS text;
CREATE DOMAIN step AS state;
-- As citext is: a type of its own, of the kind of texts.
CREATE TYPE folded;
CREATE FUNCTION folded_in(cstring) RETURNS folded AS 'textin' LANGUAGE internal IMMUTABLE STRICT;
CREATE FUNCTION folded_out(folded) RETURNS cstring AS 'textout' LANGUAGE internal IMMUTABLE STRICT;
CREATE TYPE folded (INPUT = folded_in, OUTPUT = folded_out, LIKE = text, CATEGORY = 'S', COLLATABLE = true);
CREATE CAST (folded AS text) WITHOUT FUNCTION AS IMPLICIT;
CREATE TABLE tickets AS
SELECT id, now() - interval '1 day' AS seen, sparsearray(ARRAY[1 + n, 21 + id % 7, 40 + id * 31 % 300], ARRAY[1, 1, 0.5]) AS x,
       (ARRAY['billing', 'delivery', 'other'])[1 + CASE WHEN id % 11 = 0 THEN id % 3 ELSE n % 3 END] AS queue, 1 + id % 3 AS w,
       'elsewhere' COLLATE "POSIX" AS posix
FROM generate_series(1, 3000) AS id, LATERAL (SELECT id % 20) AS k (n);
CREATE FUNCTION pg_temp.without_numbers(text) RETURNS text LANGUAGE sql AS
$$ SELECT regexp_replace($1, '\d+(\.\d+)?', '#', 'g') $$;

-- Fitting: the model of the rows that are not held out, measured on the others, and that of all rows.
SELECT version, active, metric, value < 0.3 AS good, pg_temp.without_numbers(note) AS note
FROM sparselin_fit('router', 'SELECT x AS features, queue AS label FROM tickets ORDER BY id');
SELECT v.measured::text = (SELECT sparselin_compact(casgd_train(x, queue, 'search=true' ORDER BY id) FILTER (WHERE NOT sparselin_held_out(x, 0.2)))::text
                        FROM tickets) AS same_model, (sparselin_info(v.model)).rows AS all_rows,
       (SELECT abs((sparselin_evaluate(v.measured, x, queue)).log_loss - m.value) < 1e-12 FROM tickets WHERE sparselin_held_out(x, 0.2)) AS same_value,
       (SELECT abs((sparselin_evaluate(v.measured, x, queue)).accuracy - (m.metrics ->> 'accuracy')::float8) < 1e-12
        FROM tickets WHERE sparselin_held_out(x, 0.2)) AS same_accuracy,
       m.rows, m.metrics ->> 'unknown' AS unknown, m.failure
FROM sparselin_models AS m JOIN sparselin_model_values AS v USING (name, version) WHERE name = 'router';
SELECT version, active, value < 1 AS good
FROM sparselin_fit('together', 'SELECT x AS features, queue AS label, w AS weight FROM tickets ORDER BY id', options => 'loss=multinomial');
SELECT m.metrics ->> 'loss' = m.metrics ->> 'log_loss' AS log_loss, v.measured::text = (
           SELECT sparselin_compact(casgd_train(x, queue, 'loss=multinomial search=true', w ORDER BY id) FILTER (WHERE NOT sparselin_held_out(x, 0.2)))::text
           FROM tickets) AS same_model
FROM sparselin_models AS m JOIN sparselin_model_values AS v USING (name, version) WHERE name = 'together';
SELECT version, active FROM sparselin_fit('two', $$SELECT x AS features, queue AS label FROM tickets WHERE queue <> 'other'$$, 'elasticnet');

-- By name.
SELECT (sparselin_info('router')).classes, (sparselin_info('together')).loss, (sparselin_info('two')).classes;
SELECT bool_and((sparselin_class('router', x) = sparselin_class(model, x)
                 AND sparselin_probability('router', x, 'other') = sparselin_probability(model, x, 'other')
                 AND (SELECT array_agg(c) FROM sparselin_classes('router', x) AS c) = (SELECT array_agg(c) FROM sparselin_classes(model, x) AS c)) IS TRUE) AS same,
       avg((sparselin_class('router', x) = queue)::int) > 0.9 AS right
FROM tickets, sparselin_model_values WHERE name = 'router';
SELECT (sparselin_evaluate('router', x, queue)).accuracy > 0.9 AS evaluate, array_length(sparselin_confusion('router', x, queue), 1) AS confusion,
       (SELECT count(DISTINCT class) FROM sparselin_weights('router')) AS weights,
       (SELECT count(*) FROM sparselin_explain('router', '{1:1}'::sparsearray, class => 'other')) AS explain
FROM tickets;

-- What names a class: enums, dates, uuids, and texts of all kinds; numbers are numbers, conditions conditions.
CREATE FUNCTION pg_temp.classes(label text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    advice text;
BEGIN
    PERFORM sparselin_fit('kind', format('SELECT x AS features, %s AS label FROM tickets ORDER BY id', label), replace => true, holdout => 0);
    RETURN (SELECT concat_ws(' ', labels, classes) FROM sparselin_info('kind'));
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS advice = PG_EXCEPTION_HINT;
    RETURN sqlerrm || ' | ' || advice;
END $$;
SELECT label, pg_temp.classes(label)
FROM unnest(ARRAY[
    'queue', 'queue::varchar(20)', 'queue::char(8)', 'queue::name', 'left(queue, 1)::"char"', 'queue::word', 'queue::text::folded',
    'CASE id % 2 WHEN 0 THEN queue::name::text ELSE posix END', '''a'' || id % 2',
    '(enum_range(NULL::state))[1 + id % 3]', '(enum_range(NULL::state))[1 + id % 2]::step',
    '''2024-12-30''::date + id % 3', 'CASE id % 2 WHEN 0 THEN ''infinity''::date ELSE ''0044-03-15 BC'' END',
    '(''00000000-0000-0000-0000-00000000000'' || id % 2)::uuid',
    'id % 2', 'id % 2 = 0', '(id % 3)::text', 'id % 3', 'now()', 'to_jsonb(queue)', 'ARRAY[queue]', 'NULL', 'NULL::text', '''one''']) AS label;
SET datestyle = 'German';
SELECT pg_temp.classes('''2024-12-30''::date + id % 3');
RESET datestyle;

-- Trained again on the same rows it is the same, and taken.
SELECT version, active, pg_temp.without_numbers(note) AS note FROM sparselin_retrain('router');
SELECT value = previous_value AS same FROM sparselin_models WHERE name = 'router' AND active;
-- A class that has come new: the version before does not know it, and is no better for that.
INSERT INTO tickets SELECT id, now(), sparsearray(ARRAY[1 + id % 20, 30, 40 + id * 31 % 300], ARRAY[1, 2, 0.5]), 'returns', 1 FROM generate_series(3001, 3400) AS id;
SELECT version, active, pg_temp.without_numbers(note) AS note FROM sparselin_retrain('router');
SELECT version, (sparselin_info('router')).classes, value < previous_value AS better, metrics ->> 'unknown' AS unknown
FROM sparselin_models WHERE name = 'router' AND active;
SELECT version, active, pg_temp.without_numbers(note) AS note FROM sparselin_retrain('together');
-- One that has gone: the losses are means over four classes and over three, and do not decide.
DELETE FROM tickets WHERE queue = 'returns';
SELECT version, active, pg_temp.without_numbers(note) AS note FROM sparselin_retrain('router');
SELECT (sparselin_info('router')).classes;
-- Losses that give no probabilities.
SELECT version, active FROM sparselin_fit('margins', 'SELECT x AS features, queue AS label FROM tickets ORDER BY id', options => 'loss=hinge');
UPDATE tickets SET queue = 'rest' WHERE id % 20 = 2;
SELECT version, active, pg_temp.without_numbers(note) AS note FROM sparselin_retrain('margins');
UPDATE tickets SET queue = 'other' WHERE queue = 'rest';
-- Labels to learn from that say nothing: not taken.
UPDATE tickets SET queue = (ARRAY['billing', 'delivery', 'other', 'rest'])[1 + (hashint4(id) & 3)] WHERE NOT sparselin_held_out(x, 0.2);
SELECT active, note LIKE 'rejected: log loss%' AS rejected FROM sparselin_retrain('router');
-- One class only.
UPDATE tickets SET queue = 'other';
SET client_min_messages = error;
SELECT active, note FROM sparselin_retrain('router');
RESET client_min_messages;
SELECT sparselin_fit('one', 'SELECT x AS features, queue AS label FROM tickets');
TRUNCATE tickets;

-- Going on: with the classes that the model has.
INSERT INTO tickets SELECT id, now() - interval '1 day', sparsearray(ARRAY[1 + id % 3, 10 + id % 50], ARRAY[1, 1]), (ARRAY['a', 'b', 'c'])[1 + id % 3], 1 FROM generate_series(1, 600) AS id;
SELECT version, active FROM sparselin_fit('going on', 'SELECT x AS features, queue AS label FROM tickets WHERE seen > $1 ORDER BY id');
INSERT INTO tickets SELECT id, now() + interval '1 hour', sparsearray(ARRAY[1 + id % 3, 10 + id % 50], ARRAY[1, 1]), (ARRAY['a', 'b', 'c'])[1 + id % 3], 1 FROM generate_series(601, 900) AS id;
SELECT version, active, pg_temp.without_numbers(note) AS note FROM sparselin_retrain('going on', mode => 'continue');
UPDATE tickets SET queue = 'd', seen = now() + interval '1 hour' WHERE id > 880;
SET client_min_messages = error;
SELECT version, active, note FROM sparselin_retrain('going on', mode => 'continue');
RESET client_min_messages;
SELECT version, active, pg_temp.without_numbers(note) AS note FROM sparselin_retrain('going on');
SELECT (sparselin_info('going on')).classes;

-- Drift: a class that the model does not know shows.
SELECT version, active FROM sparselin_fit('drifting', $$SELECT x AS features, queue AS label FROM tickets WHERE queue <> 'd' ORDER BY id$$);
SELECT rows, value < 0.2 AS good, verdict FROM sparselin_drift('drifting', $$SELECT x AS features, queue AS label FROM tickets WHERE queue <> 'd'$$, 1);
SELECT rows, value > expected AS more, verdict FROM sparselin_drift('drifting', $$SELECT x AS features, CASE id % 10 WHEN 0 THEN 'new' ELSE queue END AS label FROM tickets$$, 1);
SELECT rows, verdict FROM sparselin_drift('drifting', $$SELECT x AS features, ('2024-01-01'::date + id % 2) AS label FROM tickets$$);
SELECT sparselin_drift('drifting', 'SELECT x AS features, id % 2 AS label FROM tickets');

-- Who may.
SET client_min_messages = warning;
CREATE ROLE regress_sparselin_reader;
GRANT USAGE ON SCHEMA registry_classes TO regress_sparselin_reader;
GRANT SELECT ON sparselin_registry, sparselin_models, sparselin_model_values, tickets TO regress_sparselin_reader;
SELECT sparselin_grant('drifting', 'regress_sparselin_reader');
SET ROLE regress_sparselin_reader;
SELECT sparselin_class('drifting', '{1:1}'), round(sparselin_probability('drifting', '{1:1}', 'a')::numeric, 1) AS probability,
       (SELECT class FROM sparselin_classes('drifting', '{1:1}', 1));
SELECT (sparselin_evaluate('drifting', x, queue)).unknown FROM tickets;
SELECT sparselin_class('router', '{1:1}');
SELECT sparselin_probability('router', '{1:1}', 'other');
SELECT sparselin_retrain('drifting');
RESET ROLE;

SELECT count(sparselin_drop(name)) FROM sparselin_registry
WHERE name IN ('router', 'together', 'two', 'kind', 'margins', 'going on', 'drifting');
REVOKE ALL ON sparselin_registry, sparselin_models, sparselin_model_values FROM regress_sparselin_reader;
DROP SCHEMA registry_classes CASCADE;
DROP ROLE regress_sparselin_reader;
