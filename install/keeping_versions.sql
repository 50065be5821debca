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
