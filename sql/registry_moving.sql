-- Models made elsewhere kept by name, renamed, and used by name by those who may.
\pset null '(null)'
\set SHOW_CONTEXT never
CREATE TABLE moving_rows AS
SELECT i AS id, sparsearray(ARRAY[1 + i % 20, 21 + i % 7], ARRAY[1, 0.5], 32) AS x, i % 20 < 8 AS y, (i % 3)::text AS kind
FROM generate_series(1, 600) AS i;
CREATE TABLE moving_models AS
SELECT casgd_train(x, y, 'epochs=2') AS two, casgd_train(x, kind, 'epochs=2') AS three FROM moving_rows;

-- The first version is in use, as it came; later ones wait.
SELECT sparselin_keep('made', two) FROM moving_models;
SELECT name, version, active, learner, options IS NOT NULL AS options, metric, value, rows, held_out, refit, mode, note, query, owner = current_user AS ours, duration >= interval '0' AS lasted
FROM sparselin_models WHERE name = 'made';
SELECT model::text = two::text AS the_same, measured, held_out_sample FROM sparselin_model_values, moving_models WHERE name = 'made';
SELECT bool_and(sparselin_predict('made', x) = sparselin_predict(two, x)) AS by_name FROM moving_rows, moving_models;
SELECT sparselin_keep('made', three) FROM moving_models;
SELECT version, active FROM sparselin_models WHERE name = 'made' ORDER BY 1;
SELECT sparselin_activate('made', 2);
SELECT bool_and(sparselin_class('made', x) = sparselin_class(three, x)) AS by_name FROM moving_rows, moving_models;
-- There is nothing to run again, but rows may be measured on.
SELECT sparselin_retrain('made');
SELECT sparselin_drift('made');
SELECT rows, metric, expected, verdict FROM sparselin_drift('made', 'SELECT x AS features, kind AS label FROM moving_rows');
-- A query makes it a model like others, which can be compared with.
SELECT version, active FROM sparselin_fit('made', 'SELECT x AS features, kind AS label, id AS key FROM moving_rows', replace => true);
SELECT version, active FROM sparselin_retrain('made');
-- Five are kept beside the active one.
SELECT count(sparselin_keep('made', two)) FROM moving_models, generate_series(1, 7);
SELECT version, active FROM sparselin_models WHERE name = 'made' ORDER BY 1;
SELECT sparselin_keep('made', NULL);
SELECT sparselin_keep(NULL, two) FROM moving_models;
SELECT sparselin_keep('', two) FROM moving_models;
SELECT sparselin_keep(repeat('x', 64), two) FROM moving_models;

-- Renamed with all its versions; the old name is free.
SELECT sparselin_rename('made', 'renamed');
SELECT count(*) FILTER (WHERE name = 'renamed') AS renamed, count(*) FILTER (WHERE name = 'made') AS made FROM sparselin_models JOIN sparselin_model_values USING (name, version);
SELECT version > 11 AS later FROM sparselin_retrain('renamed');
SELECT sparselin_predict('made', '{1:1}');
SELECT sparselin_keep('made', two) FROM moving_models;
SELECT sparselin_rename('made', 'renamed');
SELECT sparselin_rename('made', 'made');
SELECT sparselin_rename('nobody''s', 'mine');
SELECT sparselin_rename('made', NULL);
SELECT sparselin_rename('made', '');
SELECT sparselin_rename(NULL, 'mine');

-- Everything by name: it is what it is of the model, for whoever has a grant; others are told whom to ask.
CREATE ROLE regress_sparselin_reader;
CREATE ROLE regress_sparselin_stranger;
CREATE ROLE regress_sparselin_outsider;
GRANT SELECT ON sparselin_registry, sparselin_models, sparselin_model_values TO regress_sparselin_reader, regress_sparselin_stranger;
GRANT SELECT ON moving_rows, moving_models TO regress_sparselin_reader, regress_sparselin_stranger, regress_sparselin_outsider;
SELECT sparselin_keep('three', three) FROM moving_models;
SELECT sparselin_grant('made', 'regress_sparselin_reader'), sparselin_grant('three', 'regress_sparselin_reader');
-- What each function says, in one text; $1 is a model, or its name.
CREATE TABLE moving_calls (call text, three boolean DEFAULT false);
INSERT INTO moving_calls (call) VALUES
    ('sparselin_predict($1, x)'), ('sparselin_probability($1, x)'), ('sparselin_probability($1, x, ''true'')'), ('sparselin_classify($1, x)'),
    ('sparselin_decide($1, x)'), ('sparselin_decide($1, x, 0.4)'), ('sparselin_class($1, x)'), ('sparselin_classes($1, x)'), ('sparselin_info($1)'),
    ('sparselin_weights($1)'), ('sparselin_history($1)'), ('sparselin_search($1)'), ('sparselin_history_plot($1)'),
    ('sparselin_explain($1, x)'), ('sparselin_explain($1, ''{"a": 1}''::jsonb)'), ('sparselin_explain($1, ''a b''::tsvector)'),
    ('sparselin_explain($1, ''{a,b}''::text[])'), ('sparselin_explain($1, ROW(id)::record)'),
    ('sparselin_evaluate($1, x, y)'), ('sparselin_evaluate($1, x, y, 2)'), ('sparselin_confusion($1, x, y)'), ('sparselin_confusion($1, x, y, 2)'),
    ('sparselin_curve($1, x, y)'), ('sparselin_curve($1, x, y, 2)'), ('sparselin_calibration($1, x, y)'), ('sparselin_calibration($1, x, y, 2)'),
    ('sparselin_calibration($1, x, y, 2, 3)');
INSERT INTO moving_calls VALUES
    ('sparselin_probability($1, x, ''1'')', true), ('sparselin_class($1, x)', true), ('sparselin_classes($1, x, 2)', true), ('sparselin_weights($1)', true),
    ('sparselin_evaluate($1, x, kind)', true), ('sparselin_evaluate($1, x, kind, 2)', true), ('sparselin_confusion($1, x, kind)', true), ('sparselin_confusion($1, x, kind, 2)', true);
GRANT SELECT ON moving_calls TO regress_sparselin_reader, regress_sparselin_stranger, regress_sparselin_outsider;
CREATE FUNCTION moving_said(call text, three boolean, by_name boolean) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    model text := CASE WHEN NOT by_name THEN CASE WHEN three THEN 'three' ELSE 'two' END WHEN three THEN '''three''' ELSE '''made''' END;
    said text;
BEGIN
    IF call ~ 'evaluate|confusion|curve|calibration' THEN
        EXECUTE format('SELECT (%s)::text FROM moving_rows%s', replace(call, '$1', CASE WHEN by_name THEN model ELSE '(SELECT ' || model || ' FROM moving_models)' END), '') INTO said;
    ELSE
        EXECUTE format('SELECT string_agg(said, '';'') FROM (SELECT (%s)::text AS said FROM moving_rows, moving_models WHERE id = 7) AS s', replace(call, '$1', model)) INTO said;
    END IF;
    RETURN said;
EXCEPTION WHEN insufficient_privilege OR undefined_object THEN
    RETURN SQLSTATE;
END $$;
-- As many as there are by name, but for those that keep.
SELECT proname, prosrc FROM pg_proc AS p
WHERE (prosrc ~ '_named$' AND prorettype <> 'internal'::regtype OR proname ~ '^sparselin_(evaluate|confusion|curve|calibration)$' AND proargtypes[0] = 'text'::regtype)
      AND NOT EXISTS (SELECT FROM moving_calls WHERE strpos(call, proname || '(') = 1);
SELECT count(*) AS calls, count(*) FILTER (WHERE moving_said(call, three, true) IS NOT DISTINCT FROM moving_said(call, three, false)) AS the_same FROM moving_calls;
SET ROLE regress_sparselin_reader;
SELECT count(*) FILTER (WHERE moving_said(call, three, true) IS NOT DISTINCT FROM moving_said(call, three, false)) AS the_same FROM moving_calls;
SET ROLE regress_sparselin_stranger;
SELECT moving_said(call, three, true) AS said, count(*) FROM moving_calls GROUP BY 1;
SET ROLE regress_sparselin_outsider;
SELECT moving_said(call, three, true) AS said, count(*) FROM moving_calls GROUP BY 1;
SET ROLE regress_sparselin_stranger;
SELECT sparselin_predict('made', '{1:1}');
SELECT sparselin_predict('{"learner": "casgd"}', '{1:1}');
SELECT sparselin_rename('made', 'mine');
SELECT sparselin_keep('made', two) FROM moving_models;
SET ROLE regress_sparselin_reader;
SELECT sparselin_rename('made', 'mine');
SELECT sparselin_keep('made', two) FROM moving_models;
SET ROLE regress_sparselin_outsider;
DO $$
DECLARE
    hint text;
    statement text;
BEGIN
    FOREACH statement IN ARRAY ARRAY['SELECT sparselin_predict(''made'', ''{1:1}'')', 'SELECT sparselin_keep(''mine'', two) FROM moving_models',
                                     'SELECT sparselin_evaluate(''made'', x, y) FROM moving_rows', 'SELECT sparselin_rename(''made'', ''mine'')'] LOOP
        BEGIN
            EXECUTE statement;
        EXCEPTION WHEN insufficient_privilege THEN
            GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
            RAISE NOTICE '%: %: %', statement, SQLERRM, hint;
        END;
    END LOOP;
END $$;
RESET ROLE;

SELECT count(sparselin_drop(name)) FROM sparselin_registry;
DROP TABLE moving_rows, moving_models, moving_calls;
DROP FUNCTION moving_said;
REVOKE ALL ON sparselin_registry, sparselin_models, sparselin_model_values FROM regress_sparselin_reader, regress_sparselin_stranger;
DROP ROLE regress_sparselin_reader, regress_sparselin_stranger, regress_sparselin_outsider;
