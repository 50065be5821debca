-- Keeping models: the versions of a model: whose they are, which one is active, dropped or pruned, and who may use it.

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

CREATE FUNCTION sparselin_check_has_query(version sparselin_models) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF version.query IS NULL THEN
        RAISE EXCEPTION 'version % of model "%" has no query', version.version, version.name USING
            ERRCODE = 'object_not_in_prerequisite_state', DETAIL = 'It was made elsewhere, and kept by sparselin_keep.',
            HINT = 'Give the model a query with sparselin_fit(..., replace => true).';
    END IF;
END $$;
COMMENT ON FUNCTION sparselin_check_has_query(sparselin_models) IS
    'an error when a version was not trained here, so that there is nothing to run again';

-- Of a model of the user's, which is there then, and locked. `exists_hint` is for who may not add to one.
CREATE FUNCTION sparselin_next_version(door sparselin_door, name text, may_exist boolean, exists_hint text) RETURNS integer
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
    model_name ALIAS FOR $2;
    version integer;
BEGIN
    IF EXISTS (SELECT FROM @extschema@.sparselin_registry WHERE name = model_name) THEN
        IF NOT may_exist THEN
            RAISE EXCEPTION 'there is a model "%" already', model_name USING
                ERRCODE = 'duplicate_object', HINT = exists_hint;
        END IF;
        PERFORM @extschema@.sparselin_lock_model(door, model_name);
        PERFORM @extschema@.sparselin_check_owner(door, model_name);
    ELSE
        INSERT INTO @extschema@.sparselin_registry (name) VALUES (model_name) ON CONFLICT DO NOTHING;
        IF NOT FOUND THEN
            PERFORM @extschema@.sparselin_taken_name(model_name);
        END IF;
    END IF;
    UPDATE @extschema@.sparselin_registry SET last_version = last_version + 1
    WHERE name = model_name RETURNING last_version INTO version;
    RETURN version;
END $$;
COMMENT ON FUNCTION sparselin_next_version(sparselin_door, text, boolean, text) IS
    'the number of the version that comes next; of a new model, 1';

CREATE FUNCTION sparselin_taken_name(name text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'the name "%" is taken', name USING
        ERRCODE = 'duplicate_object', HINT = 'Choose another name.',
        DETAIL = 'There is such a model, which may not be yours to see, or was made this very moment.';
END $$;
COMMENT ON FUNCTION sparselin_taken_name(text) IS 'raises the error for the name of a model that cannot be seen';

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

CREATE FUNCTION sparselin_check_name(name text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF name IS NULL THEN
        RAISE EXCEPTION 'the name of the model is NULL' USING ERRCODE = 'null_value_not_allowed';
    ELSIF char_length(name) NOT BETWEEN 1 AND 63 THEN
        RAISE EXCEPTION 'the name of a model has from 1 to 63 characters, not %', char_length(name) USING
            ERRCODE = 'invalid_name';
    END IF;
END $$;
COMMENT ON FUNCTION sparselin_check_name(text) IS 'an error when no model can have the name';

-- Nothing is known of how good it is, so it does not take the place of another one by itself.
CREATE FUNCTION sparselin_keep_inside(door sparselin_door, name text, model sparselin_model) RETURNS integer
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
    model_name ALIAS FOR $2;
    given ALIAS FOR $3;
    started timestamptz := clock_timestamp();
    is_new boolean := NOT EXISTS (SELECT FROM @extschema@.sparselin_registry WHERE name = model_name);
    facts record;
    number integer;
BEGIN
    PERFORM @extschema@.sparselin_check_name(model_name);
    IF given IS NULL THEN
        RAISE EXCEPTION 'the model is NULL' USING
            ERRCODE = 'null_value_not_allowed', HINT = 'Training gives NULL where it has no rows to learn from.';
    END IF;
    facts := @extschema@.sparselin_info(given);
    number := @extschema@.sparselin_next_version(door, model_name, true, NULL::text);
    INSERT INTO @extschema@.sparselin_models (name, version, mode, learner, options, rows, duration, note)
    VALUES (model_name, number, 'kept', facts.learner, facts.options::@extschema@.sparselin_options, facts.rows,
            clock_timestamp() - started, 'kept as it came: not measured');
    INSERT INTO @extschema@.sparselin_model_values (name, version, model) VALUES (model_name, number, given);
    IF is_new THEN
        PERFORM @extschema@.sparselin_activate_inside(door, model_name, number);
    END IF;
    PERFORM @extschema@.sparselin_prune(door, model_name, 5, number);
    RETURN number;
END $$;
COMMENT ON FUNCTION sparselin_keep_inside(sparselin_door, text, sparselin_model) IS 'sparselin_keep() within';

CREATE FUNCTION sparselin_rename_inside(door sparselin_door, old_name text, new_name text) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    opened text NOT NULL := door;
BEGIN
    PERFORM @extschema@.sparselin_check_name(new_name);
    PERFORM @extschema@.sparselin_lock_model(door, old_name);
    BEGIN
        UPDATE @extschema@.sparselin_registry AS g SET name = new_name WHERE g.name = old_name AND g.name <> new_name;
    EXCEPTION WHEN unique_violation THEN
        PERFORM @extschema@.sparselin_taken_name(new_name);
    END;
END $$;
COMMENT ON FUNCTION sparselin_rename_inside(sparselin_door, text, text) IS 'sparselin_rename() within';

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
