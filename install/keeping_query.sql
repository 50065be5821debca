-- Keeping models: who may, and what learns from the rows of a query; what the functions of keeping.sql are made of,
-- here and in the files beside this one, is PL/pgSQL, most of it.
--
-- Those that users call are doors, in C, to others of the same name and _inside:
-- no superuser gets in where others can put code on the tables, and nobody where the schema has lost its name. What uses
-- the tables, or other functions by their names, takes a value that none but a door makes, the search_path of who came
-- in; its first variable, which is NOT NULL, sees to it that there is one before anything else happens.

CREATE TYPE sparselin_door;
CREATE FUNCTION sparselin_door_in(cstring) RETURNS sparselin_door
    AS 'MODULE_PATHNAME', 'sparselin_door_in' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_door_in(cstring) IS 'input of sparselin_door: always an error';
CREATE FUNCTION sparselin_door_out(sparselin_door) RETURNS cstring
    AS 'textout' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_door_out(sparselin_door) IS 'output of sparselin_door';
CREATE TYPE sparselin_door (INPUT = sparselin_door_in, OUTPUT = sparselin_door_out, LIKE = text);
COMMENT ON TYPE sparselin_door IS 'what functions within are called with by those that users call, and cannot be without';

CREATE FUNCTION sparselin_home() RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT '@extschema@' $$;
COMMENT ON FUNCTION sparselin_home() IS 'the name that the schema of the extension had when it was created';

CREATE FUNCTION sparselin_held_out(features sparsearray, share float8) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sparselin_held_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION sparselin_held_out(sparsearray, float8) IS
    'whether a row is kept back from training, to measure on: a share of all rows, told by their features';

CREATE FUNCTION sparselin_held_out_by_key(key text, share float8) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sparselin_held_out_by_key' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION sparselin_held_out_by_key(text, float8) IS
    'whether the rows of a key are kept back from training, to measure on: a share of all keys';

CREATE FUNCTION sparselin_search_held_out_by_key(key text, share float8) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sparselin_search_held_out_by_key' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION sparselin_search_held_out_by_key(text, float8) IS
    'whether the option search judges by the rows of a key: a share of all keys, whatever else is held out';

-- What is within rows, ranges and arrays, intervals, bytes and the like are written as the session has it, unless it is
-- told otherwise. A record, so that the type of the argument is the declared one, whatever the key is.
CREATE FUNCTION sparselin_key_text(key record) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 200 SET search_path = pg_catalog, pg_temp SET TimeZone = 'UTC'
    SET DateStyle = 'ISO, MDY' SET IntervalStyle = 'postgres' SET extra_float_digits = 1 SET bytea_output = 'hex'
    SET lc_monetary = 'C' AS $$
BEGIN
    RETURN to_jsonb(key) ->> 'f1';
END $$;
COMMENT ON FUNCTION sparselin_key_text(record) IS
    'the text that a key is told by, the first column, whatever the settings of the session';

CREATE FUNCTION sparselin_row_hash(features sparsearray) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sparselin_row_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION sparselin_row_hash(sparsearray) IS 'what a row is known again by, as long as its features are the same';

CREATE FUNCTION sparselin_missing_model(name text) RETURNS void
    AS 'MODULE_PATHNAME', 'sparselin_missing_model' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_missing_model(text) IS 'raises the error for a model that is not there, with the nearest name';

-- Learning as sparselin_fit() does: with the learner as an argument, a search where the options leave that open, and what
-- another search has chosen.
CREATE TYPE sparselin_fitted AS (model sparselin_model, strength float8);
COMMENT ON TYPE sparselin_fitted IS
    'what sparselin_fit_rows returns: a model, and the strength of regularisation that was searched for, if any: z, l1 or gravity';
CREATE FUNCTION sparselin_fit_rows_final(internal) RETURNS sparselin_fitted
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION sparselin_fit_rows_final(internal) IS 'final function of sparselin_fit_rows';
DO $generate$
DECLARE
    path text := pg_catalog.current_setting('search_path');
    ours text := '@extschema@';
    made record;
BEGIN
    SET LOCAL search_path = pg_catalog, pg_temp;
    FOR made IN
        SELECT * FROM (VALUES ('float8', ''), ('boolean', '_boolean'), ('text', '_text')) AS labels (label, ending)
    LOOP
        EXECUTE format($sql$
            CREATE FUNCTION %1$s.sparselin_fit_rows_step(internal, text, %1$s.sparsearray, %2$s, %1$s.sparselin_options, float8,
                boolean, %1$s.sparselin_model, float8) RETURNS internal
                AS 'MODULE_PATHNAME', 'sparselin_fit_rows_step%3$s' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
            COMMENT ON FUNCTION %1$s.sparselin_fit_rows_step(internal, text, %1$s.sparsearray, %2$s,
                %1$s.sparselin_options, float8, boolean, %1$s.sparselin_model, float8) IS
                'transition function of sparselin_fit_rows';
            CREATE AGGREGATE %1$s.sparselin_fit_rows(learner text, features %1$s.sparsearray, label %2$s,
                options %1$s.sparselin_options, weight float8, judges boolean, searched %1$s.sparselin_model,
                strength float8) (
                SFUNC = %1$s.sparselin_fit_rows_step, STYPE = internal, SSPACE = 32768,
                FINALFUNC = %1$s.sparselin_fit_rows_final, FINALFUNC_MODIFY = READ_WRITE, PARALLEL = SAFE);
            COMMENT ON AGGREGATE %1$s.sparselin_fit_rows(text, %1$s.sparsearray, %2$s, %1$s.sparselin_options, float8,
                boolean, %1$s.sparselin_model, float8) IS
                'learns a model as sparselin_fit() does: judges tells a search by which rows to judge, and searched with strength are what another one has found';
            CREATE FUNCTION %1$s.sparselin_row_cost(model %1$s.sparselin_model, features %1$s.sparsearray, label %2$s, measure text)
                RETURNS float8
                AS 'MODULE_PATHNAME', 'sparselin_row_cost%3$s' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
            COMMENT ON FUNCTION %1$s.sparselin_row_cost(%1$s.sparselin_model, %1$s.sparsearray, %2$s, text) IS
                'what a row adds to a number that says how good a model is, one that sparselin_measure() names';
            $sql$, ours, made.label, made.ending);
    END LOOP;
    PERFORM set_config('search_path', path, true);
END $generate$;

-- In C, so that it finds nothing by name.
CREATE FUNCTION sparselin_measure(model sparselin_model, other sparselin_model) RETURNS text
    AS 'MODULE_PATHNAME', 'sparselin_measure' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparselin_measure(sparselin_model, sparselin_model) IS
    'the name of the number by which two models can be compared, the smaller the better';

CREATE FUNCTION sparselin_measured_value(metrics jsonb, measure text) RETURNS float8
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE
        WHEN measure IN ('log_loss', 'rmse', 'mae') THEN (metrics ->> measure)::float8
        WHEN measure = 'error_rate' THEN 1 - (metrics ->> 'accuracy')::float8
        ELSE (metrics ->> 'loss')::float8 END
$$;
COMMENT ON FUNCTION sparselin_measured_value(jsonb, text) IS 'the number that sparselin_measure() names, out of an evaluation';

CREATE TYPE sparselin_query_shape AS (
    body text, label_type text, weighted boolean, key_form text, by_hand boolean, timed boolean
);
COMMENT ON TYPE sparselin_query_shape IS
    'a query without what comes after it, what type its label is learned as, whether it has weights, how its key is written, whether it says what is held out, and whether it refers to $1';

CREATE FUNCTION sparselin_check_query(query text, search_path text, labelled boolean) RETURNS sparselin_query_shape
    AS 'MODULE_PATHNAME', 'sparselin_check_query' LANGUAGE C VOLATILE STRICT;
COMMENT ON FUNCTION sparselin_check_query(text, text, boolean) IS
    'checks that a query is one SELECT with columns features and, where it has to be labelled, label, without running it';

-- One run of a query.
CREATE TYPE sparselin_run AS (
    learned sparselin_model, refitted sparselin_model, metrics jsonb, previous_metrics jsonb, differences float8[],
    held_out_sample bigint[], still_held_out bigint, one_label boolean, repeats boolean, rows bigint,
    profile sparselin_profile, charts jsonb
);
COMMENT ON TYPE sparselin_run IS
    'what came of a query: a model of the rows that were not held out, one of all rows, how the first does on those held out and how the previous one does, sums over their differences, hashes of held-out rows, how many of the previous ones are among them, whether most rows have equals, what they are like, and curve, calibration and confusion of those held out';

CREATE FUNCTION sparselin_run_query(
    statement text, search_path text, since timestamptz, options sparselin_options, judged sparselin_model, holdout float8,
    predicting sparselin_model, held_out_sample bigint[], bounds float8[]
) RETURNS sparselin_run
    AS 'MODULE_PATHNAME', 'sparselin_run_query' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION sparselin_run_query(
    text, text, timestamptz, sparselin_options, sparselin_model, float8, sparselin_model, bigint[], float8[]) IS
    'runs the statement that sparselin_learn() has put around a query, as a security-restricted operation';

-- The rows of a query, as they are learned from and measured on. The query runs once; OFFSET 0 keeps the planner from
-- putting its expressions, which may be dear, wherever their result is used. A key is told by its text, which no setting of
-- a session changes; rows without one go by their features. Where most rows have equals, as those of a few categories do, a
-- search goes by their places: by features it would judge by what nobody can have learned.
-- `holdout` is the share held out, as a parameter of the statement or written out.
CREATE FUNCTION sparselin_given_rows(shape sparselin_query_shape, holdout text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
    s text := '@extschema@';
    as_json text := 'pg_catalog.to_jsonb(%s) OPERATOR(pg_catalog.#>>) ''{}''';
    -- Without the collation of the query, which may have none.
    label text := CASE coalesce(shape.label_type, 'none')
        WHEN 'none' THEN 'NULL::boolean'
        WHEN 'text' THEN '(q.label::pg_catalog.text) COLLATE pg_catalog."C"'
        WHEN 'date' THEN format('(%s) COLLATE pg_catalog."C"', format(as_json, 'q.label::pg_catalog.date'))
        ELSE 'q.label::' || shape.label_type END;
    key text := CASE shape.key_form
        WHEN 'none' THEN 'NULL::pg_catalog.text'
        WHEN 'text' THEN 'q.key::pg_catalog.text'
        WHEN 'timestamptz' THEN format(as_json, 'pg_catalog.timezone(''UTC'', q.key::pg_catalog.timestamptz)')
        WHEN 'plain' THEN format(as_json, 'q.key')
        ELSE s || '.sparselin_key_text(ROW(q.key))' END;
    held_out text := CASE WHEN shape.by_hand THEN 'c.held_out'
        ELSE format('%1$s.sparselin_held_out_by_key(c.key, %2$s), %1$s.sparselin_held_out(c.features, %2$s)', s, holdout) END;
BEGIN
    RETURN format($sql$
    SELECT c.features, c.label, c.weight, coalesce(%1$s, false) AS held_out,
           %2$s.sparselin_search_held_out_by_key(c.key, 0.2::double precision) AS judges,
           %2$s.sparselin_search_held_out_by_key((pg_catalog.row_number() OVER ())::pg_catalog.text, 0.2::double precision)
               AS judges_by_place
    FROM (
        SELECT q.features::%2$s.sparsearray AS features, %3$s AS label, %4$s AS weight, (%5$s) COLLATE pg_catalog."C" AS key,
               %6$s AS held_out
        FROM (
%7$s
        ) AS q
        OFFSET 0
    ) AS c
$sql$,
        held_out, s, label, CASE WHEN shape.weighted THEN 'q.weight::double precision' ELSE '1::double precision' END, key,
        CASE WHEN shape.by_hand THEN 'q.held_out::boolean' ELSE 'NULL::boolean' END, shape.body);
END $$;
COMMENT ON FUNCTION sparselin_given_rows(sparselin_query_shape, text) IS
    'a query for features, label, weight, held_out, judges and judges_by_place, made around the text of one';

-- What learns: from the rows that are not held out, and then from all; afresh, the search of the first serving both, or
-- each from a model on.
CREATE FUNCTION sparselin_learning_call(mode text, learner text, of_all boolean) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    s text := '@extschema@';
BEGIN
    RETURN CASE
        WHEN mode = 'continue' THEN
            format('ROW(%1$s.sparselin_continue(%2$s, r.features, r.label, r.weight)%3$s, NULL)::%1$s.sparselin_fitted', s,
                   CASE WHEN of_all THEN '$5' ELSE '$3' END, CASE WHEN of_all THEN '' ELSE ' FILTER (WHERE NOT r.held_out)' END)
        ELSE
            format('%s.sparselin_fit_rows(%L::pg_catalog.text, r.features, r.label, $2, r.weight, '
                   'coalesce(r.judges, CASE WHEN (SELECT e.repeats FROM equals AS e) THEN r.judges_by_place END), %s', s, learner,
                   CASE WHEN of_all THEN '(SELECT t.model FROM trained AS t), (SELECT t.strength FROM trained AS t))'
                        ELSE format('NULL::%s.sparselin_model, NULL::double precision) FILTER (WHERE NOT r.held_out)', s) END) END;
END $$;
COMMENT ON FUNCTION sparselin_learning_call(text, text, boolean) IS
    'the call of an aggregate that learns from the rows of a query, or from those that are not held out';

-- The model that an aggregate has learned: refined, where that is wanted, on the rows that it has learned from. That runs the
-- query once more for each scan.
CREATE FUNCTION sparselin_refining_call(
    door sparselin_door, shape sparselin_query_shape, holdout float8, refine integer, of_all boolean
) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    opened text NOT NULL := door;
    rows text := format('SELECT l.features, l.label, l.weight FROM (%s) AS l%s',
                        @extschema@.sparselin_given_rows(shape, format('%L::double precision', holdout)),
                        CASE WHEN of_all THEN '' ELSE ' WHERE NOT l.held_out' END);
BEGIN
    RETURN CASE WHEN refine = 0 THEN '(f.fitted).model' ELSE
        format('(SELECT x.refined FROM %s.sparselin_refine((f.fitted).model, %L::pg_catalog.text, %s, 0.01::double precision) AS x)',
               '@extschema@', rows, refine) END;
END $$;
COMMENT ON FUNCTION sparselin_refining_call(sparselin_door, sparselin_query_shape, float8, integer, boolean) IS
    'the model that has been learned, refined or as it is, for a statement';

-- What a comparison needs: how much more rows held out cost the new model than the one before, times their weights; and by
-- what those that were held out by their features are known again.
CREATE FUNCTION sparselin_comparing_call(by_features boolean) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN format($sql$
differences AS MATERIALIZED (
    SELECT r.weight AS w, r.weight OPERATOR(pg_catalog.*) (
               %1$s.sparselin_row_cost(t.model, r.features, r.label, t.measure)
               OPERATOR(pg_catalog.-) %1$s.sparselin_row_cost($3, r.features, r.label, t.measure)) AS wd
    FROM given AS r, trained AS t
    WHERE r.held_out AND r.weight OPERATOR(pg_catalog.<>) 0::double precision
          AND r.features IS NOT NULL AND r.label IS NOT NULL AND t.measure IS NOT NULL
), hashes AS MATERIALIZED (
    SELECT DISTINCT %1$s.sparselin_row_hash(r.features) AS hash FROM given AS r
    WHERE %2$L::boolean AND r.held_out AND r.features IS NOT NULL
)$sql$, '@extschema@', by_features);
END $$;
COMMENT ON FUNCTION sparselin_comparing_call(boolean) IS
    'the part of a statement that tells what rows cost two models, and which rows were held out';

-- Learns from the rows of a query, and measures on those held out what was learned and the model before it; or measures
-- that alone. The query runs once, in one statement.
CREATE FUNCTION sparselin_statement(
    door sparselin_door, wanted sparselin_models, shape sparselin_query_shape, splits boolean, refit boolean
) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    opened text NOT NULL := door;
    mode text := wanted.mode;
    learner text := wanted.learner;
    refine integer := CASE mode WHEN 'fresh' THEN coalesce(wanted.refine, 0) ELSE 0 END;
    s text := '@extschema@';
    nothing text := format('NULL::%s.sparselin_fitted', s);
    learned_from text := 'FILTER (WHERE NOT r.held_out AND r.features IS NOT NULL AND r.weight IS NOT NULL)';
    one_label text := format(CASE coalesce(shape.label_type, 'boolean')
        WHEN 'boolean' THEN 'pg_catalog.bool_and(r.label) %1$s OPERATOR(pg_catalog.=) pg_catalog.bool_or(r.label) %1$s'
        ELSE 'pg_catalog.min(r.label) %1$s OPERATOR(pg_catalog.=) pg_catalog.max(r.label) %1$s' END, learned_from);
BEGIN
    RETURN format($sql$
WITH given AS MATERIALIZED (%2$s), equals AS MATERIALIZED (
    SELECT 2 OPERATOR(pg_catalog.*) pg_catalog.count(DISTINCT h.hash) OPERATOR(pg_catalog.<) pg_catalog.count(h.hash) AS repeats
    FROM (SELECT %1$s.sparselin_row_hash(r.features) AS hash FROM given AS r WHERE %8$L::boolean AND NOT r.held_out) AS h
), trained AS MATERIALIZED (
    SELECT m.model, m.strength, %1$s.sparselin_measure(m.model, $3) AS measure, m.one_label, m.rows
    FROM (SELECT %11$s AS model, (f.fitted).strength, f.one_label, f.rows
          FROM (SELECT %3$s AS fitted, %5$s AS one_label, pg_catalog.count(*) AS rows FROM given AS r OFFSET 0) AS f
          OFFSET 0) AS m
), refitted AS MATERIALIZED (
    SELECT %12$s AS model FROM (SELECT %4$s AS fitted FROM given AS r OFFSET 0) AS f LIMIT 1
), %6$s, %9$s
SELECT t.model, (SELECT f.model FROM refitted AS f),
       (SELECT pg_catalog.to_jsonb(%1$s.sparselin_evaluate(t.model, r.features, r.label, r.weight)) FROM given AS r
        WHERE r.held_out AND t.model IS NOT NULL),
       (SELECT pg_catalog.to_jsonb(%1$s.sparselin_evaluate($3, r.features, r.label, r.weight)) FROM given AS r
        WHERE r.held_out AND $3 IS NOT NULL AND %7$L::boolean),
       (SELECT ARRAY[pg_catalog.count(*)::double precision, pg_catalog.sum(d.w), pg_catalog.sum(d.wd),
                     pg_catalog.sum(d.w OPERATOR(pg_catalog.*) d.w), pg_catalog.sum(d.w OPERATOR(pg_catalog.*) d.wd),
                     pg_catalog.sum(d.wd OPERATOR(pg_catalog.*) d.wd)] FROM differences AS d),
       ARRAY(SELECT h.hash FROM hashes AS h ORDER BY 1 LIMIT 1000),
       (SELECT pg_catalog.count(*) FROM hashes AS h WHERE h.hash OPERATOR(pg_catalog.=) ANY ($6)),
       t.one_label, (SELECT e.repeats FROM equals AS e), t.rows, (SELECT p.profile FROM profile AS p), %10$s
FROM trained AS t
$sql$,
        s, @extschema@.sparselin_given_rows(shape, '$4'),
        CASE mode WHEN 'evaluate' THEN nothing ELSE @extschema@.sparselin_learning_call(mode, learner, false) END,
        CASE WHEN refit THEN @extschema@.sparselin_learning_call(mode, learner, true) ELSE nothing END,
        one_label, @extschema@.sparselin_comparing_call(shape.key_form = 'none' AND NOT shape.by_hand),
        shape.label_type IS NOT NULL,
        mode = 'fresh' AND shape.key_form = 'none', @extschema@.sparselin_profile_call(splits, mode <> 'evaluate'),
        CASE mode WHEN 'evaluate' THEN 'NULL::pg_catalog.jsonb' ELSE @extschema@.sparselin_charts_call() END,
        @extschema@.sparselin_refining_call(door, shape, wanted.holdout, refine, false),
        @extschema@.sparselin_refining_call(door, shape, wanted.holdout, refine, true));
END $$;
COMMENT ON FUNCTION sparselin_statement(sparselin_door, sparselin_models, sparselin_query_shape, boolean, boolean) IS
    'the statement that sparselin_learn() runs, made around the text of a query';

CREATE FUNCTION sparselin_check_run(
    door sparselin_door, run sparselin_run, mode text, shape sparselin_query_shape, splits boolean, since timestamptz
) RETURNS void LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    opened text NOT NULL := door;
BEGIN
    IF run.rows = 0 THEN
        RAISE EXCEPTION 'the query gave no rows' USING
            ERRCODE = 'no_data_found',
            HINT = CASE WHEN shape.timed AND since > '-infinity' THEN format('It was asked for those after %s.', since)
                        ELSE 'Run it by itself to see why.' END;
    ELSIF mode <> 'evaluate' AND run.learned IS NULL THEN
        RAISE EXCEPTION 'none of the % rows of the query can be learned from', run.rows USING
            ERRCODE = 'no_data_found', HINT = 'They have NULL as features, label or weight, or are all held out.';
    ELSIF mode = 'evaluate' AND run.profile IS NULL THEN
        RAISE EXCEPTION 'none of the % rows of the query can be measured on', run.rows USING
            ERRCODE = 'no_data_found', HINT = 'They have NULL as features, or are not held out.';
    ELSIF mode <> 'evaluate' AND splits AND coalesce((run.metrics ->> 'rows')::bigint, 0) = 0 THEN
        RAISE EXCEPTION 'none of the % rows of the query is held out to measure on', run.rows USING
            ERRCODE = 'no_data_found',
            HINT = CASE
                WHEN shape.by_hand THEN 'Its column held_out is true nowhere, or where features, label or weight are NULL.'
                ELSE format('Rows with the same %s are held out together or not at all. Give more rows, a larger holdout, '
                            'or holdout => 0 to do without.', CASE shape.key_form WHEN 'none' THEN 'features' ELSE 'key' END)
                END;
    -- A model of classes is right or wrong, whatever the row.
    ELSIF mode = 'fresh' AND run.one_label AND (CASE shape.label_type
              WHEN 'boolean' THEN (SELECT (@extschema@.sparselin_evaluate(run.learned, '{}', true)).accuracy IS NOT NULL)
              WHEN 'double precision' THEN
                  (SELECT (@extschema@.sparselin_evaluate(run.learned, '{}', 1::float8)).accuracy IS NOT NULL)
              ELSE true END) THEN
        RAISE EXCEPTION 'all labels to learn from are of one class' USING
            ERRCODE = 'data_exception', HINT = 'Check the label and the WHERE clause of the query, or give more rows.';
    END IF;
END $$;
COMMENT ON FUNCTION sparselin_check_run(sparselin_door, sparselin_run, text, sparselin_query_shape, boolean, timestamptz) IS
    'an error when nothing can have been learned from the rows of a query, or measured on them';

-- `wanted` says what to do: mode, query, search_path, learner, options, holdout, refit and refine; `previous` is the version to
-- compare with, and in mode continue to go on from.
CREATE FUNCTION sparselin_learn(
    door sparselin_door, wanted sparselin_models, since timestamptz, previous sparselin_model_values
) RETURNS sparselin_run LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    opened text NOT NULL := door;
    known text[] := (SELECT array_agg(DISTINCT l) FROM @extschema@.sparselin_option_table() AS t, unnest(t.learners) AS l);
    shape @extschema@.sparselin_query_shape;
    splits boolean;
    run @extschema@.sparselin_run;
BEGIN
    IF wanted.learner = ANY (known) IS NOT TRUE THEN
        RAISE EXCEPTION 'there is no learner "%"', wanted.learner USING
            ERRCODE = 'invalid_parameter_value', HINT = 'Choose one of ' || array_to_string(known, ', ') || '.'
                || CASE WHEN strpos(wanted.learner, '=') > 0
                        THEN format(' Options have a name: options => %L.', wanted.learner) ELSE '' END;
    END IF;
    shape := @extschema@.sparselin_check_query(wanted.query, wanted.search_path, wanted.mode <> 'evaluate');
    IF wanted.mode = 'continue' AND NOT shape.timed THEN
        RAISE EXCEPTION 'the query does not ask for new rows alone' USING
            ERRCODE = 'invalid_parameter_value',
            HINT = 'Let it refer to $1, the time of the last training: WHERE seen > $1.';
    END IF;
    IF wanted.refine > 0 AND shape.timed THEN
        RAISE EXCEPTION 'the query refers to $1, and its model is to be refined' USING
            ERRCODE = 'feature_not_supported',
            HINT = 'Refining goes through all rows again. Leave refine out, or write out which rows to learn from.';
    END IF;
    -- All of them are measured on, whatever the query says.
    IF wanted.holdout = 1 THEN
        shape.by_hand := false;
        shape.key_form := 'none';
    END IF;
    splits := shape.by_hand OR wanted.holdout > 0;
    run := @extschema@.sparselin_run_query(
        @extschema@.sparselin_statement(
            door, wanted, shape, splits,
            wanted.refit AND splits AND (wanted.mode = 'fresh' OR previous.measured IS NOT NULL)),
        wanted.search_path, since, wanted.options, coalesce(previous.measured, previous.model), wanted.holdout,
        previous.model, previous.held_out_sample, CASE WHEN wanted.mode = 'evaluate' THEN (previous.profile).bounds END);
    PERFORM @extschema@.sparselin_check_run(door, run, wanted.mode, shape, splits, since);
    run.metrics := jsonb_strip_nulls(run.metrics);
    run.previous_metrics := jsonb_strip_nulls(run.previous_metrics);
    -- What nobody will go on from is not kept.
    IF NOT shape.timed THEN
        IF run.refitted IS NOT NULL OR wanted.options::text ~ '\mresumable=true\M' IS NOT TRUE THEN
            run.learned := @extschema@.sparselin_compact(run.learned);
        END IF;
        IF wanted.options::text ~ '\mresumable=true\M' IS NOT TRUE THEN
            run.refitted := @extschema@.sparselin_compact(run.refitted);
        END IF;
    END IF;
    RETURN run;
END $$;
COMMENT ON FUNCTION sparselin_learn(sparselin_door, sparselin_models, timestamptz, sparselin_model_values)
    IS 'one run over the rows of a query: learns from some, measures on the others, and learns from all';
