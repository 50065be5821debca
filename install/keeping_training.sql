-- Keeping models: training a version: for the first time, again, and what has become of it.

-- How far the difference of two means over the same rows may be off, from the sums that a run gives: of 1, w, wd, w^2,
-- w^2 d and w^2 d^2 over the rows' weights w and differences d.
CREATE FUNCTION sparselin_standard_error(sums float8[]) RETURNS float8
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN sums[1] > 1 AND sums[2] > 0 THEN
        sqrt(greatest(sums[6] - 2 * mean * sums[5] + mean * mean * sums[4], 0) * sums[1] / (sums[1] - 1)) / sums[2] END
    FROM (SELECT sums[3] / nullif(sums[2], 0)) AS of_rows (mean)
$$;
COMMENT ON FUNCTION sparselin_standard_error(float8[]) IS
    'the standard error of the mean difference of what rows cost two models';

-- What a run has to say of a version, in its row. Root mean squares differ by the difference of the squares over their sum.
CREATE FUNCTION sparselin_judged(
    door sparselin_door, wanted sparselin_models, run sparselin_run, previous sparselin_model_values
) RETURNS sparselin_models LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    opened text NOT NULL := door;
    made @extschema@.sparselin_models := wanted;
    predicting @extschema@.sparselin_model := coalesce(run.refitted, run.learned);
BEGIN
    made.held_out := coalesce((run.metrics ->> 'rows')::bigint, 0);
    made.note := @extschema@.sparselin_measuring(made.held_out, run);
    made.rows := (@extschema@.sparselin_info(predicting)).rows;
    IF wanted.mode = 'continue' THEN
        made.rows := made.rows - (@extschema@.sparselin_info(
            CASE WHEN run.refitted IS NULL THEN coalesce(previous.measured, previous.model) ELSE previous.model END)).rows;
    END IF;
    IF made.held_out = 0 THEN
        RETURN made;
    END IF;
    made.metrics := run.metrics;
    made.metric := @extschema@.sparselin_measure(run.learned, coalesce(previous.measured, previous.model, run.learned));
    made.value := @extschema@.sparselin_measured_value(run.metrics, made.metric);
    made.previous_value := @extschema@.sparselin_measured_value(run.previous_metrics, made.metric);
    made.standard_error := @extschema@.sparselin_standard_error(run.differences)
        / CASE made.metric WHEN 'rmse' THEN nullif(made.value + made.previous_value, 0) ELSE 1 END;
    IF wanted.mode = 'fresh' AND cardinality(run.held_out_sample) > 0 AND cardinality(previous.held_out_sample) > 0 THEN
        made.still_held_out := run.still_held_out / cardinality(previous.held_out_sample)::float8;
    END IF;
    RETURN made;
END $$;
COMMENT ON FUNCTION sparselin_judged(sparselin_door, sparselin_models, sparselin_run, sparselin_model_values) IS
    'the row of a version with what its training has come to';

-- Where equal rows are held out together, and most rows have equals, the measured model has learned none of those that it is
-- measured on.
CREATE FUNCTION sparselin_measuring(held_out bigint, run sparselin_run) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE
        WHEN held_out = 0 THEN 'not measured: nothing is held out'
        WHEN run.repeats AND run.held_out_sample <> '{}' THEN format(
            'measured on %s rows held out, of features that no row learned from has: most rows have equals, which a column key '
            'would tell apart', held_out)
        ELSE format('measured on %s rows held out', held_out) END
$$;
COMMENT ON FUNCTION sparselin_measuring(bigint, sparselin_run) IS 'the note on a version that was compared with no other';

-- A version that is not active yet. `wanted` has its name, version and what sparselin_learn() asks for.
CREATE FUNCTION sparselin_train_version(
    door sparselin_door, wanted sparselin_models, since timestamptz, previous sparselin_model_values, started timestamptz
) RETURNS sparselin_models LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    opened text NOT NULL := door;
    run @extschema@.sparselin_run := @extschema@.sparselin_learn(door, wanted, since, previous);
    made @extschema@.sparselin_models := @extschema@.sparselin_judged(door, wanted, run, previous);
BEGIN
    -- Still there, whatever the query has done.
    PERFORM @extschema@.sparselin_lock_model(door, wanted.name);
    INSERT INTO @extschema@.sparselin_models
        (name, version, mode, query, search_path, learner, options, holdout, refit, refine, metric, value, previous_value,
         standard_error, still_held_out, metrics, rows, held_out, duration)
    VALUES (made.name, made.version, made.mode, made.query, made.search_path, made.learner, made.options, made.holdout,
            made.refit, made.refine, made.metric, made.value, made.previous_value, made.standard_error, made.still_held_out, made.metrics,
            made.rows, made.held_out, clock_timestamp() - started);
    INSERT INTO @extschema@.sparselin_model_values (name, version, model, measured, held_out_sample, profile, charts)
    VALUES (made.name, made.version, coalesce(run.refitted, run.learned),
            CASE WHEN run.refitted IS NOT NULL THEN run.learned END, nullif(run.held_out_sample, '{}'), run.profile, nullif(run.charts, '{}'));
    RETURN made;
END $$;
COMMENT ON FUNCTION sparselin_train_version(
    sparselin_door, sparselin_models, timestamptz, sparselin_model_values, timestamptz) IS
    'trains and stores a version that is not active yet';

CREATE FUNCTION sparselin_check_fit(
    name text, query text, learner text, holdout float8, replace boolean, refit boolean, refine integer
) RETURNS void LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF name IS NULL OR query IS NULL OR learner IS NULL OR holdout IS NULL OR replace IS NULL OR refit IS NULL
       OR refine IS NULL THEN
        RAISE EXCEPTION 'name, query, learner, holdout, replace, refit and refine may not be NULL' USING
            ERRCODE = 'null_value_not_allowed';
    ELSIF NOT (holdout >= 0 AND holdout < 1) THEN
        RAISE EXCEPTION 'holdout is %, but must be at least 0 and below 1', holdout USING
            ERRCODE = 'invalid_parameter_value', HINT = 'It is the share of rows to measure on, such as 0.2.';
    ELSIF refine < 0 THEN
        RAISE EXCEPTION 'refine is %, but must be at least 0', refine USING
            ERRCODE = 'invalid_parameter_value',
            HINT = 'It is how often the rows are gone through, at most, to refine what was trained: 40, or 0 for not at all.';
    END IF;
END $$;
COMMENT ON FUNCTION sparselin_check_fit(text, text, text, float8, boolean, boolean, integer) IS
    'an error when sparselin_fit() cannot do with what it was given';

CREATE FUNCTION sparselin_fit_inside(
    door sparselin_door, name text, query text, learner text, options sparselin_options, holdout float8,
    replace boolean, refit boolean, refine integer,
    OUT version integer, OUT active boolean, OUT metric text, OUT value float8, OUT note text
) RETURNS record LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    search_path text NOT NULL := door;
    model_name ALIAS FOR $2;
    started timestamptz := clock_timestamp();
    made @extschema@.sparselin_models;
BEGIN
    PERFORM @extschema@.sparselin_check_fit(name, query, learner, holdout, replace, refit, refine);
    PERFORM @extschema@.sparselin_check_name(name);
    version := @extschema@.sparselin_next_version(door, model_name, replace,
                                                  'Call sparselin_retrain, or give replace => true or another name.'::text);
    made.name := model_name;
    made.version := version;
    made.mode := 'fresh';
    made.query := query;
    made.search_path := search_path;
    made.learner := CASE learner WHEN 'sparselin_train' THEN 'casgd' ELSE regexp_replace(learner, '_train$', '') END;
    made.options := options;
    made.holdout := holdout;
    made.refit := refit;
    made.refine := refine;
    made := @extschema@.sparselin_train_version(door, made, '-infinity'::timestamptz, NULL::@extschema@.sparselin_model_values, started);
    PERFORM @extschema@.sparselin_activate_inside(door, model_name, version);
    active := true;
    metric := made.metric;
    value := made.value;
    note := made.note;
    UPDATE @extschema@.sparselin_models AS m SET note = sparselin_fit_inside.note
    WHERE m.name = model_name AND m.version = sparselin_fit_inside.version;
    PERFORM @extschema@.sparselin_prune(door, model_name, 5, version);
END $$;
COMMENT ON FUNCTION sparselin_fit_inside(
    sparselin_door, text, text, text, sparselin_options, float8, boolean, boolean, integer) IS
    'sparselin_fit() within';

-- What is to be known of a comparison: by how much, on how many rows, whether that may be chance, and whether the version
-- before has learned from rows that it was judged by. That it may have is told where most of the rows that it was measured
-- on are not held out any more: rows whose features have changed are dealt anew.
CREATE FUNCTION sparselin_comparison(made sparselin_models, active boolean, champion integer) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN concat_ws('; ',
        format('%s: %s %s against %s of version %s, on %s rows held out',
               CASE WHEN active THEN 'accepted' ELSE 'rejected' END, replace(made.metric, '_', ' '),
               round(made.value::numeric, 6), round(made.previous_value::numeric, 6), champion, made.held_out),
        CASE WHEN made.value <> made.previous_value
                  AND abs(made.value - made.previous_value) <= 2 * made.standard_error THEN
            format('they differ by no more than two standard errors, of %s each', round(made.standard_error::numeric, 6)) END,
        CASE WHEN made.still_held_out < 0.9 THEN
            format('not a clean comparison: of the rows that version %s was measured on %s%% are held out again, so that it '
                   'may have learned from those of today; with a column key rows stay on their side when features change',
                   champion, round(100 * made.still_held_out)) END);
END $$;
COMMENT ON FUNCTION sparselin_comparison(sparselin_models, boolean, integer) IS
    'the note on a version that was compared with the active one';

-- The part of a retraining that may fail.
CREATE FUNCTION sparselin_challenge(
    door sparselin_door, champion sparselin_models, mode text, tolerance float8, started timestamptz, version integer,
    OUT active boolean, OUT metric text, OUT value float8, OUT note text
) RETURNS record LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
    opened text NOT NULL := door;
    made @extschema@.sparselin_models;
    previous @extschema@.sparselin_model_values;
BEGIN
    made.name := champion.name;
    made.version := version;
    made.mode := mode;
    made.query := champion.query;
    made.search_path := champion.search_path;
    made.learner := champion.learner;
    made.options := champion.options;
    made.holdout := champion.holdout;
    made.refit := champion.refit;
    made.refine := champion.refine;
    SELECT v.* INTO previous FROM @extschema@.sparselin_model_values AS v
    WHERE v.name = champion.name AND v.version = champion.version;
    made := @extschema@.sparselin_train_version(
        door, made, CASE mode WHEN 'continue' THEN champion.trained_at ELSE '-infinity'::timestamptz END, previous, started);
    metric := made.metric;
    value := made.value;
    IF made.held_out = 0 THEN
        active := true;
        note := 'not compared: nothing is held out';
    ELSE
        active := coalesce(made.value <= made.previous_value * (1 + tolerance), false);
        note := @extschema@.sparselin_comparison(made, active, champion.version);
    END IF;
    UPDATE @extschema@.sparselin_models AS m SET note = sparselin_challenge.note
    WHERE m.name = champion.name AND m.version = sparselin_challenge.version;
    IF active THEN
        PERFORM @extschema@.sparselin_activate_inside(door, champion.name, version);
    END IF;
END $$;
COMMENT ON FUNCTION sparselin_challenge(sparselin_door, sparselin_models, text, float8, timestamptz, integer) IS
    'trains a version and makes it active when it is not worse than the one that is';

CREATE FUNCTION sparselin_check_retrain(on_failure text, mode text, keep integer) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF on_failure IN ('warn', 'error') IS NOT TRUE THEN
        RAISE EXCEPTION 'on_failure is "%"', on_failure USING
            ERRCODE = 'invalid_parameter_value', HINT = 'Give warn or error.';
    ELSIF mode IN ('fresh', 'continue') IS NOT TRUE THEN
        RAISE EXCEPTION 'mode is "%"', mode USING
            ERRCODE = 'invalid_parameter_value', HINT = 'Give fresh or continue.';
    ELSIF (keep >= 0) IS NOT TRUE THEN
        RAISE EXCEPTION 'keep is %, but must be at least 0', keep USING ERRCODE = 'invalid_parameter_value';
    END IF;
END $$;
COMMENT ON FUNCTION sparselin_check_retrain(text, text, integer) IS
    'an error when sparselin_retrain() cannot do with what it was given';

CREATE FUNCTION sparselin_retrain_inside(
    door sparselin_door, name text, tolerance float8, on_failure text, mode text, keep integer,
    OUT version integer, OUT active boolean, OUT metric text, OUT value float8, OUT note text
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
    PERFORM @extschema@.sparselin_check_retrain(on_failure, mode, keep);
    PERFORM @extschema@.sparselin_lock_model(door, model_name);
    PERFORM @extschema@.sparselin_check_owner(door, model_name);
    SELECT * INTO champion FROM @extschema@.sparselin_models AS m
    WHERE m.name = model_name AND m.active AND m.owner = current_user;
    IF NOT FOUND THEN
        PERFORM @extschema@.sparselin_missing_model(model_name);
    END IF;
    PERFORM @extschema@.sparselin_check_has_query(champion);
    version := @extschema@.sparselin_next_version(door, model_name, true, NULL::text);
    BEGIN
        SELECT c.active, c.metric, c.value, c.note INTO active, metric, value, note
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
        value := NULL;
        note := 'failed: ' || message;
        INSERT INTO @extschema@.sparselin_models
            (name, version, mode, query, search_path, learner, options, holdout, refit, refine, duration, note, failure)
        VALUES (model_name, sparselin_retrain_inside.version, sparselin_retrain_inside.mode, champion.query,
                champion.search_path, champion.learner, champion.options, champion.holdout, champion.refit,
                champion.refine, clock_timestamp() - started, sparselin_retrain_inside.note, concat_ws(' | ', SQLSTATE, message, nullif(more, '')));
        RAISE WARNING 'retraining of model "%" failed: %', model_name, message USING
            ERRCODE = SQLSTATE, DETAIL = format('Version %s stays active.', champion.version),
            HINT = coalesce(nullif(advice, ''), 'Run its query by itself to see why.');
    END;
    PERFORM @extschema@.sparselin_prune(door, model_name, keep, version);
END $$;
COMMENT ON FUNCTION sparselin_retrain_inside(sparselin_door, text, float8, text, text, integer) IS
    'sparselin_retrain() within';

-- A feature that is not among the 1000 had at most the share of the last of them.
CREATE FUNCTION sparselin_drifted_features(door sparselin_door, before sparselin_profile, now sparselin_profile)
    RETURNS sparselin_drifted_feature[]
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    opened text NOT NULL := door;
    of_last float8 := (SELECT CASE WHEN count(*) < 1000 THEN 0 ELSE min(value) END
                       FROM @extschema@.sparsearray_entries(before.features));
BEGIN
    RETURN (
        SELECT array_agg(ROW(f.*)::@extschema@.sparselin_drifted_feature ORDER BY f.psi DESC, f.feature)
        FROM (
            SELECT s.feature, s.p, s.q, @extschema@.sparselin_psi(
                       ARRAY[s.p, 1 - s.p], before.rows::float8, ARRAY[s.q, 1 - s.q], now.rows::float8)
            FROM (
                SELECT index, coalesce(b.value, least(n.value, of_last))::float8, coalesce(n.value, 0)::float8
                FROM @extschema@.sparsearray_entries(before.features) AS b
                     FULL JOIN @extschema@.sparsearray_entries(now.features) AS n USING (index)
            ) AS s (feature, p, q)
            WHERE s.p <> s.q AND before.rows > 0 AND now.rows > 0
            ORDER BY 4 DESC, 1 LIMIT 10
        ) AS f (feature, share_before, share, psi));
END $$;
COMMENT ON FUNCTION sparselin_drifted_features(sparselin_door, sparselin_profile, sparselin_profile) IS
    'the ten features whose share of rows has changed most';

-- By the labels where they are known, else by the scores; 0.25 is what is taken for a shift everywhere.
CREATE FUNCTION sparselin_drift_verdict(rows bigint, value float8, expected float8, tolerance float8, score_psi float8)
    RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE
        WHEN rows < 100 THEN CASE WHEN value IS NOT NULL AND expected IS NULL THEN 'not known' ELSE 'too few rows' END
        WHEN value IS NULL AND score_psi > 0.25 THEN 'scores have shifted'
        WHEN value IS NULL AND score_psi <= 0.25 THEN 'scores are steady'
        WHEN value IS NULL OR expected IS NULL THEN 'not known'
        WHEN value > expected * (1 + tolerance) THEN 'worse'
        WHEN value * (1 + tolerance) < expected THEN 'better'
        ELSE 'steady' END
$$;
COMMENT ON FUNCTION sparselin_drift_verdict(bigint, float8, float8, float8, float8) IS 'drift in a word or two';

-- The active version, with the query whose rows are to be measured on: one that is given, or its own.
CREATE FUNCTION sparselin_to_measure(door sparselin_door, name text, query text) RETURNS sparselin_models
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    search_path text NOT NULL := door;
    model_name ALIAS FOR $2;
    live @extschema@.sparselin_models;
BEGIN
    SELECT m.* INTO live FROM @extschema@.sparselin_models AS m WHERE m.name = model_name AND m.active;
    IF NOT FOUND THEN
        PERFORM @extschema@.sparselin_missing_model(model_name);
    END IF;
    live.mode := 'evaluate';
    live.refit := false;
    live.refine := 0;
    IF query IS NOT NULL THEN
        live.query := query;
        live.search_path := search_path;
        live.holdout := 1;
        RETURN live;
    END IF;
    PERFORM @extschema@.sparselin_check_owner(door, model_name);
    IF live.owner <> current_user THEN
        PERFORM @extschema@.sparselin_missing_model(model_name);
    END IF;
    PERFORM @extschema@.sparselin_check_has_query(live);
    -- New rows, which the model has not learned from, are all as good as those held out.
    IF (@extschema@.sparselin_check_query(live.query, live.search_path, false)).timed OR live.held_out = 0 THEN
        live.holdout := 1;
    END IF;
    RETURN live;
END $$;
COMMENT ON FUNCTION sparselin_to_measure(sparselin_door, text, text) IS
    'what sparselin_drift() asks of sparselin_learn()';

CREATE FUNCTION sparselin_drift_inside(
    door sparselin_door, name text, query text, tolerance float8,
    OUT version integer, OUT rows bigint, OUT metric text, OUT value float8, OUT expected float8, OUT verdict text,
    OUT unweighted float8, OUT expected_unweighted float8, OUT score_psi float8, OUT features sparselin_drifted_feature[]
) RETURNS record LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
    live @extschema@.sparselin_models;
    previous @extschema@.sparselin_model_values;
    run @extschema@.sparselin_run;
    measured @extschema@.sparselin_model;
BEGIN
    PERFORM @extschema@.sparselin_check_tolerance(tolerance);
    live := @extschema@.sparselin_to_measure(door, name, query);
    SELECT v.* INTO previous FROM @extschema@.sparselin_model_values AS v
    WHERE v.name = live.name AND v.version = live.version;
    measured := coalesce(previous.measured, previous.model);
    run := @extschema@.sparselin_learn(door, live, live.trained_at, previous);
    version := live.version;
    rows := coalesce(nullif((run.previous_metrics ->> 'rows')::bigint, 0), (run.profile).rows);
    IF run.previous_metrics ->> 'rows' <> '0' THEN
        metric := @extschema@.sparselin_measure(measured, measured);
        value := @extschema@.sparselin_measured_value(run.previous_metrics, metric);
        expected := @extschema@.sparselin_measured_value(live.metrics, metric);
    END IF;
    unweighted := (run.profile).unweighted;
    expected_unweighted := (previous.profile).unweighted;
    score_psi := @extschema@.sparselin_psi((previous.profile).shares, (previous.profile).rows::float8,
                                           (run.profile).shares, (run.profile).rows::float8);
    features := @extschema@.sparselin_drifted_features(door, previous.profile, run.profile);
    verdict := @extschema@.sparselin_drift_verdict(rows, value, expected, tolerance, score_psi);
END $$;
COMMENT ON FUNCTION sparselin_drift_inside(sparselin_door, text, text, float8) IS 'sparselin_drift() within';
