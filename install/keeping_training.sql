-- Keeping models: training a version: for the first time, again, and what has become of it.

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
