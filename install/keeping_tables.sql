-- The tables of models kept by name: who may do what with their rows, and what holds them together.
--
-- Who may do what is said by rights on the three tables, which nobody but their owner has at first, and by row
-- security: a role sees its own models and those it was granted, and changes its own. Functions run with the rights of
-- who calls them. Their search_path holds no schema that others can write to; the statement around a user's query, which
-- runs under another one, has every name and operator qualified. Calls of functions of ours have arguments of exactly
-- the declared types, so that none that was planted beside them fits better.

CREATE TABLE sparselin_registry (
    name text PRIMARY KEY CHECK (char_length(name) BETWEEN 1 AND 63),
    owner name NOT NULL DEFAULT current_user,
    readers name[] NOT NULL DEFAULT '{}',
    last_version integer NOT NULL DEFAULT 0
);
COMMENT ON TABLE sparselin_registry IS 'the names of models, who owns them and who else may use them';

CREATE TABLE sparselin_models (
    name text NOT NULL,
    version integer NOT NULL,
    active boolean NOT NULL DEFAULT false,
    learner text NOT NULL,
    options sparselin_options,
    metric text,
    value double precision,
    previous_value double precision,
    standard_error double precision,
    still_held_out double precision,
    metrics jsonb,
    rows bigint,
    held_out bigint,
    trained_at timestamptz NOT NULL DEFAULT now(),
    trained_by name NOT NULL DEFAULT session_user,
    duration interval,
    mode text NOT NULL,
    note text,
    failure text,
    owner name NOT NULL DEFAULT current_user,
    query text,
    search_path text,
    holdout double precision,
    refit boolean,
    refine integer,
    PRIMARY KEY (name, version),
    CHECK (NOT active OR failure IS NULL)
);
CREATE UNIQUE INDEX sparselin_models_active ON sparselin_models (name) WHERE active;
COMMENT ON TABLE sparselin_models IS
    'every version of every model, and every retraining that failed: how it was trained and how good it is';

CREATE TABLE sparselin_model_values (
    name text NOT NULL,
    version integer NOT NULL,
    model sparselin_model NOT NULL,
    measured sparselin_model,
    held_out_sample bigint[],
    profile sparselin_profile,
    charts jsonb,
    PRIMARY KEY (name, version)
);
COMMENT ON TABLE sparselin_model_values IS
    'the models themselves, and what later ones are compared with, apart from what there is to say of them';

ALTER TABLE sparselin_registry OWNER TO @extowner@;
ALTER TABLE sparselin_models OWNER TO @extowner@;
ALTER TABLE sparselin_model_values OWNER TO @extowner@;

ALTER TABLE sparselin_registry ENABLE ROW LEVEL SECURITY;
ALTER TABLE sparselin_models ENABLE ROW LEVEL SECURITY;
ALTER TABLE sparselin_model_values ENABLE ROW LEVEL SECURITY;

-- Roles are known by name, so that a dump can be restored where they have other numbers. One that is gone is nobody.
CREATE POLICY to_see ON sparselin_registry FOR SELECT USING (
    owner = current_user
    OR 'public' = ANY (readers)
    OR EXISTS (SELECT FROM pg_catalog.pg_roles AS r
               WHERE (r.rolname = owner OR r.rolname = ANY (readers)) AND pg_catalog.pg_has_role(r.oid, 'USAGE')));
CREATE POLICY to_add ON sparselin_registry FOR INSERT WITH CHECK (owner = current_user);
CREATE POLICY to_change ON sparselin_registry FOR UPDATE USING (owner = current_user) WITH CHECK (owner = current_user);
CREATE POLICY to_remove ON sparselin_registry FOR DELETE USING (owner = current_user);

CREATE POLICY to_see ON sparselin_models FOR SELECT USING (
    EXISTS (SELECT FROM sparselin_registry AS g
            WHERE g.name = sparselin_models.name AND g.owner = sparselin_models.owner));
CREATE POLICY to_add ON sparselin_models FOR INSERT WITH CHECK (
    owner = current_user
    AND EXISTS (SELECT FROM sparselin_registry AS g WHERE g.name = sparselin_models.name AND g.owner = current_user));
CREATE POLICY to_change ON sparselin_models FOR UPDATE USING (owner = current_user) WITH CHECK (
    owner = current_user
    AND EXISTS (SELECT FROM sparselin_registry AS g WHERE g.name = sparselin_models.name AND g.owner = current_user));
CREATE POLICY to_remove ON sparselin_models FOR DELETE USING (owner = current_user);

CREATE POLICY to_see ON sparselin_model_values FOR SELECT USING (
    EXISTS (SELECT FROM sparselin_registry AS g WHERE g.name = sparselin_model_values.name));
CREATE POLICY to_add ON sparselin_model_values FOR INSERT WITH CHECK (
    EXISTS (SELECT FROM sparselin_registry AS g
            WHERE g.name = sparselin_model_values.name AND g.owner = current_user));
CREATE POLICY to_change ON sparselin_model_values FOR UPDATE USING (
    EXISTS (SELECT FROM sparselin_registry AS g
            WHERE g.name = sparselin_model_values.name AND g.owner = current_user));
CREATE POLICY to_remove ON sparselin_model_values FOR DELETE USING (
    EXISTS (SELECT FROM sparselin_registry AS g
            WHERE g.name = sparselin_model_values.name AND g.owner = current_user));

-- The three tables hang together by triggers, since pg_restore with several jobs fills them in any order, where foreign
-- keys would lose the rows that come before those that they belong to. Who restores is exempt from row security, and
-- may add such rows. All others change the name's row with each one they add, so that whoever deletes that meanwhile,
-- at whatever isolation, waits and then sees what was added, or fails; nobody leaves rows under a name that another one
-- may take.

CREATE FUNCTION sparselin_belong() RETURNS trigger
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE @extschema@.sparselin_registry AS g SET last_version = greatest(g.last_version, NEW.version)
    WHERE g.name = NEW.name;
    IF NOT FOUND AND row_security_active('@extschema@.sparselin_registry'::regclass) THEN
        RAISE EXCEPTION 'there is no model "%" of yours', NEW.name USING ERRCODE = 'foreign_key_violation';
    END IF;
    RETURN NEW;
END $$;
COMMENT ON FUNCTION sparselin_belong() IS 'a trigger: versions belong to a name that is there';

CREATE TRIGGER belong BEFORE INSERT OR UPDATE OF name, version ON sparselin_models
    FOR EACH ROW EXECUTE FUNCTION sparselin_belong();
CREATE TRIGGER belong BEFORE INSERT OR UPDATE OF name, version ON sparselin_model_values
    FOR EACH ROW EXECUTE FUNCTION sparselin_belong();

-- As foreign keys do, with the rights of who owns the tables.
CREATE FUNCTION sparselin_follow_name() RETURNS trigger
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        UPDATE @extschema@.sparselin_models SET name = NEW.name, owner = NEW.owner WHERE name = OLD.name;
        UPDATE @extschema@.sparselin_model_values SET name = NEW.name WHERE name = OLD.name AND NEW.name <> OLD.name;
    ELSE
        DELETE FROM @extschema@.sparselin_models WHERE name = OLD.name;
        DELETE FROM @extschema@.sparselin_model_values WHERE name = OLD.name;
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION sparselin_follow_name() IS 'a trigger: versions go with the name, and to its owner';

CREATE FUNCTION sparselin_follow_version() RETURNS trigger
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        UPDATE @extschema@.sparselin_model_values SET name = NEW.name, version = NEW.version
        WHERE name = OLD.name AND version = OLD.version;
    ELSE
        DELETE FROM @extschema@.sparselin_model_values WHERE name = OLD.name AND version = OLD.version;
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION sparselin_follow_version() IS 'a trigger: the model goes with the version';

REVOKE EXECUTE ON FUNCTION sparselin_follow_name(), sparselin_follow_version() FROM PUBLIC;
ALTER FUNCTION sparselin_follow_name() OWNER TO @extowner@;
ALTER FUNCTION sparselin_follow_version() OWNER TO @extowner@;

CREATE TRIGGER follow AFTER DELETE OR UPDATE OF name, owner ON sparselin_registry
    FOR EACH ROW EXECUTE FUNCTION sparselin_follow_name();
CREATE TRIGGER follow AFTER DELETE OR UPDATE OF name, version ON sparselin_models
    FOR EACH ROW EXECUTE FUNCTION sparselin_follow_version();

-- Dumped with the database, unlike all else that belongs to the extension.
SELECT pg_catalog.pg_extension_config_dump('sparselin_registry', '');
SELECT pg_catalog.pg_extension_config_dump('sparselin_models', '');
SELECT pg_catalog.pg_extension_config_dump('sparselin_model_values', '');
