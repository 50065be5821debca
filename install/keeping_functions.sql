-- Keeping models: what the functions of keeping.sql are made of, most of it PL/pgSQL.
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

CREATE FUNCTION sparselin_missing_model(name text) RETURNS void
    AS 'MODULE_PATHNAME', 'sparselin_missing_model' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_missing_model(text) IS 'raises the error for a model that is not there, with the nearest name';

CREATE FUNCTION sparselin_check_query(
    query text, search_path text, OUT body text, OUT label_type text, OUT weighted boolean, OUT timed boolean
) RETURNS record
    AS 'MODULE_PATHNAME', 'sparselin_check_query' LANGUAGE C VOLATILE STRICT;
COMMENT ON FUNCTION sparselin_check_query(text, text) IS
    'checks that a query is one SELECT with columns features and label, without running it';

CREATE FUNCTION sparselin_run_query(
    statement text, search_path text, since timestamptz, options sparselin_options, model sparselin_model,
    holdout float8, OUT learned sparselin_model, OUT metrics jsonb, OUT model_metrics jsonb, OUT one_label boolean,
    OUT rows bigint
) RETURNS record
    AS 'MODULE_PATHNAME', 'sparselin_run_query' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION sparselin_run_query(text, text, timestamptz, sparselin_options, sparselin_model, float8) IS
    'runs the statement that sparselin_learn() has put around a query, as a security-restricted operation';

-- Puts around a query what learns from its rows that are not held out, afresh or from a model on, and measures on the
-- others what was learned and the model; or measures the model alone. The query runs once, in one statement; OFFSET 0
-- keeps the planner from putting its expressions, which may be dear, wherever their result is used.
CREATE FUNCTION sparselin_statement(mode text, learner text, body text, label_type text, weighted boolean) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
    s text := '@extschema@';
    weight text := CASE WHEN weighted THEN ', r.weight' ELSE '' END;
    train text := CASE mode
        WHEN 'evaluate' THEN format('NULL::%s.sparselin_model', s)
        WHEN 'continue' THEN format('%s.sparselin_continue($3, r.features, r.label%s) FILTER (WHERE NOT r.held_out)', s, weight)
        ELSE format('%s.%I(r.features, r.label, $2%s) FILTER (WHERE NOT r.held_out)', s, learner || '_train', weight) END;
    learned_from text := 'FILTER (WHERE NOT r.held_out AND r.features IS NOT NULL'
                         || CASE WHEN weighted THEN ' AND r.weight IS NOT NULL)' ELSE ')' END;
    -- Without the collation of the query, which may have none.
    label text := CASE label_type
        WHEN 'text' THEN '(q.label::text) COLLATE pg_catalog."C"'
        WHEN 'date' THEN $name$(pg_catalog.to_jsonb(q.label::date) OPERATOR(pg_catalog.#>>) '{}') COLLATE pg_catalog."C"$name$
        ELSE 'q.label::' || label_type END;
    one_label text := format(CASE label_type
        WHEN 'boolean' THEN 'pg_catalog.bool_and(r.label) %1$s OPERATOR(pg_catalog.=) pg_catalog.bool_or(r.label) %1$s'
        ELSE 'pg_catalog.min(r.label) %1$s OPERATOR(pg_catalog.=) pg_catalog.max(r.label) %1$s' END, learned_from);
BEGIN
    RETURN format($sql$
WITH given AS MATERIALIZED (
    SELECT c.features, c.label, c.weight,
           coalesce(%1$s.sparselin_held_out(c.features, $4), false) AS held_out
    FROM (
        SELECT q.features::%1$s.sparsearray AS features, %2$s AS label, %3$s AS weight
        FROM (
%4$s
        ) AS q
        OFFSET 0
    ) AS c
), trained AS MATERIALIZED (
    SELECT %5$s AS model, %6$s AS one_label, pg_catalog.count(*) AS rows FROM given AS r
)
SELECT t.model,
       (SELECT pg_catalog.to_jsonb(%1$s.sparselin_evaluate(t.model, r.features, r.label%7$s)) FROM given AS r
        WHERE r.held_out AND t.model IS NOT NULL),
       (SELECT pg_catalog.to_jsonb(%1$s.sparselin_evaluate($3, r.features, r.label%7$s)) FROM given AS r
        WHERE r.held_out AND $3 IS NOT NULL),
       t.one_label, t.rows
FROM trained AS t
$sql$,
        s, label, CASE WHEN weighted THEN 'q.weight::double precision' ELSE 'NULL' END, body, train, one_label, weight);
END $$;
COMMENT ON FUNCTION sparselin_statement(text, text, text, text, boolean) IS
    'the statement that sparselin_learn() runs, made around the text of a query';

CREATE FUNCTION sparselin_learn(
    door sparselin_door, mode text, query text, search_path text, learner text, options sparselin_options,
    holdout float8, since timestamptz, model sparselin_model,
    OUT learned sparselin_model, OUT metrics jsonb, OUT model_metrics jsonb, OUT rows bigint
) RETURNS record LANGUAGE plpgsql VOLATILE
    SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
    opened text NOT NULL := door;
    known text[] := (SELECT array_agg(DISTINCT l) FROM @extschema@.sparselin_option_table() AS t, unnest(t.learners) AS l);
    shape record;
    result record;
BEGIN
    IF learner = ANY (known) IS NOT TRUE THEN
        RAISE EXCEPTION 'there is no learner "%"', learner USING
            ERRCODE = 'invalid_parameter_value', HINT = 'Choose one of ' || array_to_string(known, ', ') || '.';
    END IF;
    shape := @extschema@.sparselin_check_query(query, search_path);
    IF mode = 'continue' AND NOT shape.timed THEN
        RAISE EXCEPTION 'the query does not ask for new rows alone' USING
            ERRCODE = 'invalid_parameter_value',
            HINT = 'Let it refer to $1, the time of the last training: WHERE seen > $1.';
    END IF;
    result := @extschema@.sparselin_run_query(
        @extschema@.sparselin_statement(mode, learner, shape.body, shape.label_type, shape.weighted),
        search_path, since, options, model, holdout);
    IF result.rows = 0 THEN
        RAISE EXCEPTION 'the query gave no rows' USING
            ERRCODE = 'no_data_found',
            HINT = CASE WHEN shape.timed AND since > '-infinity' THEN format('It was asked for those after %s.', since)
                        ELSE 'Run it by itself to see why.' END;
    ELSIF mode <> 'evaluate' AND result.learned IS NULL THEN
        RAISE EXCEPTION 'none of the % rows of the query can be learned from', result.rows USING
            ERRCODE = 'no_data_found', HINT = 'They have NULL as features, label or weight, or are all held out.';
    ELSIF holdout > 0 AND coalesce((coalesce(result.metrics, result.model_metrics) ->> 'rows')::bigint, 0) = 0 THEN
        RAISE EXCEPTION 'none of the % rows of the query is held out to measure on', result.rows USING
            ERRCODE = 'no_data_found',
            HINT = 'Rows with the same features are held out together or not at all. Give more rows, a larger holdout, '
                   'or holdout => 0 to do without.';
    -- A model of classes is right or wrong, whatever the row.
    ELSIF mode = 'fresh' AND result.one_label AND (CASE shape.label_type
              WHEN 'boolean' THEN (SELECT (@extschema@.sparselin_evaluate(result.learned, '{}', true)).accuracy IS NOT NULL)
              WHEN 'double precision' THEN
                  (SELECT (@extschema@.sparselin_evaluate(result.learned, '{}', 1::float8)).accuracy IS NOT NULL)
              ELSE true END) THEN
        RAISE EXCEPTION 'all labels to learn from are of one class' USING
            ERRCODE = 'data_exception', HINT = 'Check the label and the WHERE clause of the query, or give more rows.';
    END IF;
    rows := result.rows;
    metrics := jsonb_strip_nulls(result.metrics);
    model_metrics := jsonb_strip_nulls(result.model_metrics);
    -- What nobody will go on from is not kept.
    learned := CASE WHEN shape.timed OR options::text ~ '\mresumable=true\M' THEN result.learned
                    ELSE @extschema@.sparselin_compact(result.learned) END;
END $$;
COMMENT ON FUNCTION sparselin_learn(
    sparselin_door, text, text, text, text, sparselin_options, float8, timestamptz, sparselin_model)
    IS 'one run over the rows of a query: learns from some and measures on the others';

-- What is stored is code; nobody is made to run that of others, superusers least of all.
CREATE FUNCTION sparselin_check_owner(door sparselin_door, name text) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
    model_name ALIAS FOR $2;
    model_owner name := (SELECT owner FROM @extschema@.sparselin_registry WHERE name = model_name);
BEGIN
    IF model_owner <> current_user THEN
        RAISE EXCEPTION 'model "%" belongs to %, who alone may run its query', model_name, quote_ident(model_owner) USING
            ERRCODE = 'insufficient_privilege', HINT = format('SET ROLE %I first.', model_owner);
    END IF;
END $$;
COMMENT ON FUNCTION sparselin_check_owner(sparselin_door, text) IS
    'an error when the stored query of a model is not the user''s to run';

CREATE FUNCTION sparselin_lock_model(door sparselin_door, name text) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
    model_name ALIAS FOR $2;
    model_owner name;
BEGIN
    IF model_name IS NULL THEN
        RAISE EXCEPTION 'the name of the model is NULL' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    SELECT owner INTO model_owner FROM @extschema@.sparselin_registry WHERE name = model_name;
    IF NOT FOUND THEN
        PERFORM @extschema@.sparselin_missing_model(model_name);
    END IF;
    -- Row security lets only those lock it who may change it.
    PERFORM FROM @extschema@.sparselin_registry WHERE name = model_name FOR UPDATE NOWAIT;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'model "%" belongs to %, who alone may change it', model_name, quote_ident(model_owner) USING
            ERRCODE = 'insufficient_privilege', HINT = format('SET ROLE %I first.', model_owner);
    END IF;
EXCEPTION WHEN lock_not_available THEN
    RAISE EXCEPTION 'model "%" is being trained or changed by another session', model_name USING
        ERRCODE = 'lock_not_available', HINT = 'Try again when that is done.';
END $$;
COMMENT ON FUNCTION sparselin_lock_model(sparselin_door, text) IS
    'sees to it that nobody else changes a model until the transaction ends; an error when the user may not change it';

CREATE FUNCTION sparselin_check_version(door sparselin_door, name text, version integer) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
    model_name ALIAS FOR $2;
    wanted ALIAS FOR $3;
BEGIN
    IF EXISTS (SELECT FROM @extschema@.sparselin_models WHERE name = model_name AND version = wanted) THEN
        RETURN;
    END IF;
    RAISE EXCEPTION 'model "%" has no version %', model_name, wanted USING
        ERRCODE = 'undefined_object',
        HINT = (SELECT 'It has ' || string_agg(version::text, ', ' ORDER BY version) || '.'
                FROM @extschema@.sparselin_models WHERE name = model_name);
END $$;
COMMENT ON FUNCTION sparselin_check_version(sparselin_door, text, integer) IS
    'an error when a model does not have the version';

CREATE FUNCTION sparselin_activate_inside(door sparselin_door, name text, version integer) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
    model_name ALIAS FOR $2;
    wanted ALIAS FOR $3;
BEGIN
    PERFORM @extschema@.sparselin_lock_model(door, model_name);
    PERFORM @extschema@.sparselin_check_version(door, model_name, wanted);
    IF NOT EXISTS (SELECT FROM @extschema@.sparselin_model_values WHERE name = model_name AND version = wanted) THEN
        RAISE EXCEPTION 'version % of model "%" is a training that failed', wanted, model_name USING
            ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = (SELECT coalesce(failure, '') FROM @extschema@.sparselin_models
                      WHERE name = model_name AND version = wanted);
    END IF;
    UPDATE @extschema@.sparselin_models SET active = false WHERE name = model_name AND active AND version <> wanted;
    UPDATE @extschema@.sparselin_models SET active = true WHERE name = model_name AND version = wanted AND NOT active;
END $$;
COMMENT ON FUNCTION sparselin_activate_inside(sparselin_door, text, integer) IS 'sparselin_activate() within';

CREATE FUNCTION sparselin_drop_inside(door sparselin_door, name text) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
    model_name ALIAS FOR $2;
BEGIN
    PERFORM @extschema@.sparselin_lock_model(door, model_name);
    DELETE FROM @extschema@.sparselin_registry WHERE name = model_name;
END $$;
COMMENT ON FUNCTION sparselin_drop_inside(sparselin_door, text) IS 'sparselin_drop() within';

-- A function of its own, so that a version that is NULL by mistake does not remove them all.
CREATE FUNCTION sparselin_drop_inside(door sparselin_door, name text, version integer) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
    model_name ALIAS FOR $2;
    unwanted ALIAS FOR $3;
BEGIN
    PERFORM @extschema@.sparselin_lock_model(door, model_name);
    PERFORM @extschema@.sparselin_check_version(door, model_name, unwanted);
    DELETE FROM @extschema@.sparselin_models WHERE name = model_name AND version = unwanted AND NOT active;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'version % of model "%" is active', unwanted, model_name USING
            ERRCODE = 'object_in_use', HINT = 'Activate another version first, or drop the whole model.';
    END IF;
END $$;
COMMENT ON FUNCTION sparselin_drop_inside(sparselin_door, text, integer) IS 'sparselin_drop() of a version within';

CREATE FUNCTION sparselin_check_tolerance(tolerance float8) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF (tolerance >= 0 AND tolerance <> 'NaN') IS NOT TRUE THEN
        RAISE EXCEPTION 'tolerance is %, but must be at least 0', tolerance USING
            ERRCODE = 'invalid_parameter_value', HINT = 'With 0.01 a loss may be 1% larger.';
    END IF;
END $$;
COMMENT ON FUNCTION sparselin_check_tolerance(float8) IS 'an error when a relative tolerance is none';

CREATE FUNCTION sparselin_prune(door sparselin_door, name text, keep integer, except_version integer) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
    model_name ALIAS FOR $2;
    except_number ALIAS FOR $4;
BEGIN
    DELETE FROM @extschema@.sparselin_models AS m
    USING (SELECT version, row_number() OVER (PARTITION BY failure IS NULL ORDER BY version DESC) AS place
           FROM @extschema@.sparselin_models WHERE name = model_name AND NOT active) AS old
    WHERE m.name = model_name AND m.version = old.version AND old.place > keep AND m.version <> except_number;
END $$;
COMMENT ON FUNCTION sparselin_prune(sparselin_door, text, integer, integer) IS
    'removes all but the latest versions that are not active, and all but the latest failures, one of them excepted';

-- A version that is not active yet, and by which number, the smaller the better, it can be compared with the previous one
-- on the same rows. That is the loss, unless the two know different classes: then their losses are means over other runs,
-- and one against the rest a class that nobody knows costs little.
CREATE FUNCTION sparselin_train_version(
    door sparselin_door, name text, mode text, query text, search_path text, learner text, options sparselin_options,
    holdout float8, since timestamptz, previous sparselin_model, started timestamptz, version integer,
    OUT metric float8, OUT held_out bigint, OUT measure text, OUT measured float8, OUT previously float8
) RETURNS record LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
    opened text NOT NULL := door;
    made record := @extschema@.sparselin_learn(
        door, mode, query, search_path, learner, options, holdout, since, previous);
    learned_from bigint := (@extschema@.sparselin_info(made.learned)).rows;
BEGIN
    IF mode = 'continue' THEN
        learned_from := learned_from - (@extschema@.sparselin_info(previous)).rows;
    END IF;
    metric := (made.metrics ->> 'loss')::float8;
    measure := CASE
        WHEN previous IS NULL OR (@extschema@.sparselin_info(previous)).classes
                                 IS NOT DISTINCT FROM (@extschema@.sparselin_info(made.learned)).classes THEN 'loss'
        WHEN made.metrics ? 'log_loss' THEN 'log_loss'
        ELSE 'accuracy' END;
    measured := (made.metrics ->> measure)::float8;
    previously := (made.model_metrics ->> measure)::float8;
    IF measure = 'accuracy' THEN
        measure := 'share of errors';
        measured := 1 - measured;
        previously := 1 - previously;
    END IF;
    held_out := coalesce((made.metrics ->> 'rows')::bigint, 0);
    -- Still there, whatever the query has done.
    PERFORM @extschema@.sparselin_lock_model(door, name);
    INSERT INTO @extschema@.sparselin_models
        (name, version, mode, query, search_path, learner, options, holdout, metric, previous_metric, metrics, rows,
         held_out, duration)
    VALUES (name, version, mode, query, search_path, learner, options, holdout, metric,
            (made.model_metrics ->> 'loss')::float8, made.metrics, learned_from, held_out, clock_timestamp() - started);
    INSERT INTO @extschema@.sparselin_model_values (name, version, model) VALUES (name, version, made.learned);
END $$;
COMMENT ON FUNCTION sparselin_train_version(
    sparselin_door, text, text, text, text, text, sparselin_options, float8, timestamptz, sparselin_model, timestamptz,
    integer)
    IS 'trains and stores a version that is not active yet';

CREATE FUNCTION sparselin_fit_inside(
    door sparselin_door, name text, query text, learner text, options sparselin_options, holdout float8,
    replace boolean,
    OUT version integer, OUT active boolean, OUT metric float8, OUT note text
) RETURNS record LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    search_path text NOT NULL := door;
    model_name ALIAS FOR $2;
    started timestamptz := clock_timestamp();
    made record;
BEGIN
    IF model_name IS NULL OR query IS NULL OR learner IS NULL OR holdout IS NULL OR replace IS NULL THEN
        RAISE EXCEPTION 'name, query, learner, holdout and replace may not be NULL' USING
            ERRCODE = 'null_value_not_allowed';
    ELSIF char_length(model_name) NOT BETWEEN 1 AND 63 THEN
        RAISE EXCEPTION 'the name of a model has from 1 to 63 characters, not %', char_length(model_name) USING
            ERRCODE = 'invalid_name';
    ELSIF NOT (holdout >= 0 AND holdout < 1) THEN
        RAISE EXCEPTION 'holdout is %, but must be at least 0 and below 1', holdout USING
            ERRCODE = 'invalid_parameter_value', HINT = 'It is the share of rows to measure on, such as 0.2.';
    END IF;
    IF EXISTS (SELECT FROM @extschema@.sparselin_registry WHERE name = model_name) THEN
        IF NOT replace THEN
            RAISE EXCEPTION 'there is a model "%" already', model_name USING
                ERRCODE = 'duplicate_object', HINT = 'Call sparselin_retrain, or give replace => true or another name.';
        END IF;
        PERFORM @extschema@.sparselin_lock_model(door, model_name);
        PERFORM @extschema@.sparselin_check_owner(door, model_name);
    ELSE
        INSERT INTO @extschema@.sparselin_registry (name) VALUES (model_name) ON CONFLICT DO NOTHING;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'the name "%" is taken', model_name USING
                ERRCODE = 'duplicate_object', HINT = 'Choose another name.',
                DETAIL = 'The model is not yours to see, or was made this very moment.';
        END IF;
    END IF;
    UPDATE @extschema@.sparselin_registry SET last_version = last_version + 1
    WHERE name = model_name RETURNING last_version INTO version;
    made := @extschema@.sparselin_train_version(
        door, model_name, 'fresh'::text, query, search_path,
        CASE learner WHEN 'sparselin_train' THEN 'casgd' ELSE regexp_replace(learner, '_train$', '') END, options, holdout,
        '-infinity'::timestamptz, NULL::@extschema@.sparselin_model, started, version);
    PERFORM @extschema@.sparselin_activate_inside(door, model_name, version);
    active := true;
    metric := made.metric;
    note := CASE WHEN made.held_out = 0 THEN 'not measured: nothing is held out'
                 ELSE format('measured on %s rows held out', made.held_out) END;
    UPDATE @extschema@.sparselin_models AS m SET note = sparselin_fit_inside.note
    WHERE m.name = model_name AND m.version = sparselin_fit_inside.version;
    PERFORM @extschema@.sparselin_prune(door, model_name, 5, version);
END $$;
COMMENT ON FUNCTION sparselin_fit_inside(sparselin_door, text, text, text, sparselin_options, float8, boolean) IS
    'sparselin_fit() within';

-- The part of a retraining that may fail.
CREATE FUNCTION sparselin_challenge(
    door sparselin_door, champion sparselin_models, mode text, tolerance float8, started timestamptz, version integer,
    OUT active boolean, OUT metric float8, OUT note text
) RETURNS record LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
    opened text NOT NULL := door;
    made record := @extschema@.sparselin_train_version(
        door, champion.name, mode, champion.query, champion.search_path, champion.learner, champion.options,
        champion.holdout,
        CASE mode WHEN 'continue' THEN champion.trained_at ELSE '-infinity'::timestamptz END,
        (SELECT v.model FROM @extschema@.sparselin_model_values AS v
         WHERE v.name = champion.name AND v.version = champion.version),
        started, version);
BEGIN
    metric := made.metric;
    IF made.held_out = 0 THEN
        active := true;
        note := 'not compared: nothing is held out';
    ELSE
        active := coalesce(made.measured <= made.previously * (1 + tolerance), false);
        note := format('%s: %s %s against %s of version %s, on %s rows held out',
                       CASE WHEN active THEN 'accepted' ELSE 'rejected' END, replace(made.measure, '_', ' '),
                       round(made.measured::numeric, 6), round(made.previously::numeric, 6), champion.version,
                       made.held_out);
    END IF;
    UPDATE @extschema@.sparselin_models AS m SET note = sparselin_challenge.note
    WHERE m.name = champion.name AND m.version = sparselin_challenge.version;
    IF active THEN
        PERFORM @extschema@.sparselin_activate_inside(door, champion.name, version);
    END IF;
END $$;
COMMENT ON FUNCTION sparselin_challenge(sparselin_door, sparselin_models, text, float8, timestamptz, integer) IS
    'trains a version and makes it active when it is not worse than the one that is';

CREATE FUNCTION sparselin_retrain_inside(
    door sparselin_door, name text, tolerance float8, on_failure text, mode text, keep integer,
    OUT version integer, OUT active boolean, OUT metric float8, OUT note text
) RETURNS record LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
    model_name ALIAS FOR $2;
    started timestamptz := clock_timestamp();
    champion @extschema@.sparselin_models;
    message text;
    more text;
    advice text;
BEGIN
    PERFORM @extschema@.sparselin_check_tolerance(tolerance);
    IF on_failure IN ('warn', 'error') IS NOT TRUE THEN
        RAISE EXCEPTION 'on_failure is "%"', on_failure USING
            ERRCODE = 'invalid_parameter_value', HINT = 'Give warn or error.';
    ELSIF mode IN ('fresh', 'continue') IS NOT TRUE THEN
        RAISE EXCEPTION 'mode is "%"', mode USING
            ERRCODE = 'invalid_parameter_value', HINT = 'Give fresh or continue.';
    ELSIF (keep >= 0) IS NOT TRUE THEN
        RAISE EXCEPTION 'keep is %, but must be at least 0', keep USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM @extschema@.sparselin_lock_model(door, model_name);
    PERFORM @extschema@.sparselin_check_owner(door, model_name);
    SELECT * INTO champion FROM @extschema@.sparselin_models AS m
    WHERE m.name = model_name AND m.active AND m.owner = current_user;
    IF NOT FOUND THEN
        PERFORM @extschema@.sparselin_missing_model(model_name);
    END IF;
    UPDATE @extschema@.sparselin_registry SET last_version = last_version + 1
    WHERE name = model_name RETURNING last_version INTO version;
    BEGIN
        SELECT c.active, c.metric, c.note INTO active, metric, note
        FROM @extschema@.sparselin_challenge(
            door, champion, mode, tolerance, started, sparselin_retrain_inside.version) AS c;
    -- All but a cancel, which is somebody's wish.
    EXCEPTION WHEN OTHERS OR ASSERT_FAILURE THEN
        IF on_failure = 'error' THEN
            RAISE;
        END IF;
        GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, more = PG_EXCEPTION_DETAIL, advice = PG_EXCEPTION_HINT;
        active := false;
        metric := NULL;
        note := 'failed: ' || message;
        INSERT INTO @extschema@.sparselin_models
            (name, version, mode, query, search_path, learner, options, holdout, duration, note, failure)
        VALUES (model_name, sparselin_retrain_inside.version, sparselin_retrain_inside.mode, champion.query,
                champion.search_path, champion.learner, champion.options, champion.holdout,
                clock_timestamp() - started, sparselin_retrain_inside.note, concat_ws(' | ', SQLSTATE, message, nullif(more, '')));
        RAISE WARNING 'retraining of model "%" failed: %', model_name, message USING
            ERRCODE = SQLSTATE, DETAIL = format('Version %s stays active.', champion.version),
            HINT = coalesce(nullif(advice, ''), 'Run its query by itself to see why.');
    END;
    PERFORM @extschema@.sparselin_prune(door, model_name, keep, version);
END $$;
COMMENT ON FUNCTION sparselin_retrain_inside(sparselin_door, text, float8, text, text, integer) IS
    'sparselin_retrain() within';

CREATE FUNCTION sparselin_drift_inside(
    door sparselin_door, name text, query text, tolerance float8,
    OUT version integer, OUT rows bigint, OUT metric float8, OUT expected float8, OUT verdict text
) RETURNS record LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    search_path text NOT NULL := door;
    model_name ALIAS FOR $2;
    live record;
    measured record;
    measure text;
    timed boolean;
BEGIN
    PERFORM @extschema@.sparselin_check_tolerance(tolerance);
    SELECT m.*, v.model INTO live
    FROM @extschema@.sparselin_models AS m JOIN @extschema@.sparselin_model_values AS v
         ON v.name = m.name AND v.version = m.version
    WHERE m.name = model_name AND m.active;
    IF NOT FOUND THEN
        PERFORM @extschema@.sparselin_missing_model(model_name);
    END IF;
    version := live.version;
    IF query IS NOT NULL THEN
        measured := @extschema@.sparselin_learn(
            door, 'evaluate'::text, query, search_path, live.learner, NULL::@extschema@.sparselin_options, 1::float8,
            live.trained_at, live.model);
    ELSE
        PERFORM @extschema@.sparselin_check_owner(door, model_name);
        IF live.owner <> current_user THEN
            PERFORM @extschema@.sparselin_missing_model(model_name);
        END IF;
        timed := (@extschema@.sparselin_check_query(live.query, live.search_path)).timed;
        measured := @extschema@.sparselin_learn(
            door, 'evaluate'::text, live.query, live.search_path, live.learner, NULL::@extschema@.sparselin_options,
            CASE WHEN timed OR live.holdout = 0 THEN 1::float8 ELSE live.holdout END, live.trained_at, live.model);
    END IF;
    rows := (measured.model_metrics ->> 'rows')::bigint;
    -- One against the rest a class that the model does not know costs little: that it is there shows in the log loss.
    measure := CASE WHEN (measured.model_metrics ->> 'unknown')::bigint > 0 AND live.metrics ? 'log_loss' THEN 'log_loss'
                    ELSE 'loss' END;
    metric := (measured.model_metrics ->> measure)::float8;
    expected := (live.metrics ->> measure)::float8;
    verdict := CASE
        WHEN expected IS NULL THEN 'not known'
        WHEN rows < 100 THEN 'too few rows'
        WHEN metric > expected * (1 + tolerance) THEN 'worse'
        WHEN metric * (1 + tolerance) < expected THEN 'better'
        ELSE 'steady' END;
END $$;
COMMENT ON FUNCTION sparselin_drift_inside(sparselin_door, text, text, float8) IS 'sparselin_drift() within';

CREATE FUNCTION sparselin_grant_inside(door sparselin_door, name text, role_name name) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
    model_name ALIAS FOR $2;
BEGIN
    IF role_name IS NULL THEN
        RAISE EXCEPTION 'the name of the role is NULL' USING ERRCODE = 'null_value_not_allowed';
    ELSIF role_name <> 'public' AND NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role_name) THEN
        RAISE EXCEPTION 'role % does not exist', quote_ident(role_name) USING ERRCODE = 'undefined_object';
    END IF;
    PERFORM @extschema@.sparselin_lock_model(door, model_name);
    UPDATE @extschema@.sparselin_registry SET readers = readers || role_name
    WHERE name = model_name AND role_name <> ALL (readers);
    IF role_name <> 'public' AND NOT has_table_privilege(role_name, '@extschema@.sparselin_models', 'SELECT') THEN
        RAISE NOTICE 'role % may not read the tables of models yet', quote_ident(role_name) USING
            HINT = format('Their owner lets it: GRANT SELECT ON sparselin_registry, sparselin_models, '
                          'sparselin_model_values TO %I.', role_name);
    END IF;
END $$;
COMMENT ON FUNCTION sparselin_grant_inside(sparselin_door, text, name) IS 'sparselin_grant() within';

CREATE FUNCTION sparselin_revoke_inside(door sparselin_door, name text, role_name name) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
    model_name ALIAS FOR $2;
BEGIN
    PERFORM @extschema@.sparselin_lock_model(door, model_name);
    UPDATE @extschema@.sparselin_registry SET readers = array_remove(readers, role_name) WHERE name = model_name;
END $$;
COMMENT ON FUNCTION sparselin_revoke_inside(sparselin_door, text, name) IS 'sparselin_revoke() within';
