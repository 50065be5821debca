-- Who may see, use, change and run which model; and those who try what they may not.
\set SHOW_CONTEXT never
\pset null '(null)'
SET client_min_messages = warning;
CREATE ROLE regress_sparselin_ann;
CREATE ROLE regress_sparselin_bob;
CREATE ROLE regress_sparselin_gone;
CREATE ROLE regress_sparselin_team;
CREATE ROLE regress_sparselin_mallory;
GRANT regress_sparselin_team TO regress_sparselin_ann;
RESET client_min_messages;
CREATE TABLE registry_rows AS
SELECT i AS id, sparsearray(ARRAY[1 + i % 20, 21 + i % 7, 40 + i], ARRAY[1, 1, 1]) AS features, i % 20 < 6 AS label
FROM generate_series(1, 300) AS i;
GRANT SELECT ON registry_rows TO regress_sparselin_ann, regress_sparselin_team, regress_sparselin_gone;

-- Nobody has any rights at first.
SET ROLE regress_sparselin_ann;
SELECT sparselin_fit('hers', 'SELECT * FROM registry_rows');
SELECT sparselin_predict('hers', '{1:1}');
SELECT * FROM sparselin_models;
RESET ROLE;
GRANT SELECT, INSERT, UPDATE, DELETE ON sparselin_registry, sparselin_models, sparselin_model_values
    TO regress_sparselin_ann, regress_sparselin_gone, regress_sparselin_team, regress_sparselin_mallory;
GRANT SELECT ON sparselin_registry, sparselin_models, sparselin_model_values TO regress_sparselin_bob;

-- One's own models, and those of a group that one is a member of, which the group itself has to change.
SET ROLE regress_sparselin_ann;
SELECT version, active FROM sparselin_fit('hers', 'SELECT * FROM registry_rows');
SELECT version, active FROM sparselin_retrain('hers');
SET ROLE regress_sparselin_team;
SELECT version, active FROM sparselin_fit('of all', 'SELECT * FROM registry_rows');
SELECT name, version, owner, trained_by = session_user AS by_us FROM sparselin_models ORDER BY 1, 2;
SET ROLE regress_sparselin_ann;
SELECT name, version, owner FROM sparselin_models ORDER BY 1, 2;
SELECT sparselin_predict('of all', '{1:1}') IS NOT NULL AS works;
SELECT sparselin_retrain('of all');
SELECT sparselin_drop('of all');

-- Of others one sees nothing, not even the names.
SET ROLE regress_sparselin_bob;
SELECT count(*) FROM sparselin_registry;
SELECT count(*) FROM sparselin_models;
SELECT count(*) FROM sparselin_model_values;
SELECT sparselin_predict('her', '{1:1}');
SELECT sparselin_predict('hers', '{1:1}');
SELECT sparselin_retrain('hers');
SELECT sparselin_drift('hers');
RESET ROLE;
GRANT INSERT, UPDATE, DELETE ON sparselin_registry, sparselin_models, sparselin_model_values TO regress_sparselin_bob;
SET ROLE regress_sparselin_bob;
SELECT sparselin_fit('hers', 'SELECT * FROM registry_rows');
SELECT sparselin_fit('hers', 'SELECT * FROM registry_rows', replace => true);
-- Rights on the rows are the caller's own.
SELECT sparselin_fit('his', 'SELECT * FROM registry_rows');
SELECT count(*) FROM sparselin_registry;

-- A grant lets others use a model, and no more.
SET ROLE regress_sparselin_ann;
SELECT sparselin_grant('hers', 'regress_sparselin_bob');
SELECT sparselin_grant('hers', 'regress_sparselin_bob');
SELECT name, owner, readers FROM sparselin_registry WHERE name = 'hers';
SET ROLE regress_sparselin_bob;
SELECT name, version, active, owner FROM sparselin_models ORDER BY 1, 2;
SELECT sparselin_predict('hers', '{1:1}') = sparselin_predict(model, '{1:1}') AS same
FROM sparselin_models JOIN sparselin_model_values USING (name, version) WHERE active;
SELECT version, rows, verdict FROM sparselin_drift('hers', 'SELECT ''{1:1}''::sparsearray AS features, i < 3 AS label FROM generate_series(1, 5) AS i');
SELECT sparselin_drift('hers');
SELECT sparselin_retrain('hers');
SELECT sparselin_activate('hers', 1);
SELECT sparselin_drop('hers');
SELECT sparselin_drop('hers', 1);
SELECT sparselin_grant('hers', 'regress_sparselin_mallory');
SELECT sparselin_revoke('hers', 'regress_sparselin_bob');
-- By hand neither.
UPDATE sparselin_registry SET owner = current_user RETURNING name;
UPDATE sparselin_models SET query = 'SELECT 1' RETURNING name;
UPDATE sparselin_model_values SET version = version + 1 RETURNING name;
DELETE FROM sparselin_registry RETURNING name;
DELETE FROM sparselin_models RETURNING name;
DELETE FROM sparselin_model_values RETURNING name;
INSERT INTO sparselin_registry (name, owner) VALUES ('planted', 'regress_sparselin_ann');
INSERT INTO sparselin_registry (name) VALUES ('his');
UPDATE sparselin_registry SET owner = 'regress_sparselin_ann' WHERE name = 'his';
\set VERBOSITY terse
INSERT INTO sparselin_models (name, version, learner, mode, query, search_path, holdout)
VALUES ('hers', 100, 'casgd', 'fresh', 'SELECT 1', 'public', 0.2);
INSERT INTO sparselin_models (name, version, learner, mode, query, search_path, holdout, owner)
VALUES ('hers', 100, 'casgd', 'fresh', 'SELECT 1', 'public', 0.2, 'regress_sparselin_ann');
INSERT INTO sparselin_model_values (name, version, model) VALUES ('hers', 100, '{"learner":"sgd","loss":"squared","weights":[1]}');
INSERT INTO sparselin_models (name, version, learner, mode, query, search_path, holdout, owner)
VALUES ('his', 1, 'casgd', 'fresh', 'SELECT 1', 'public', 0.2, 'regress_sparselin_ann');
INSERT INTO sparselin_models (name, version, learner, mode, query, search_path, holdout)
VALUES ('his', 7, 'casgd', 'fresh', 'SELECT 1', 'public', 0.2);
INSERT INTO sparselin_model_values (name, version, model) VALUES ('his', 7, '{"learner":"sgd","loss":"squared","weights":[1]}');
UPDATE sparselin_models SET name = 'hers' WHERE name = 'his';
UPDATE sparselin_model_values SET name = 'hers' WHERE name = 'his';
CREATE TABLE pg_temp.own (LIKE sparselin_registry);
CREATE TRIGGER follow AFTER DELETE ON pg_temp.own FOR EACH ROW EXECUTE FUNCTION sparselin_follow_name();
\set VERBOSITY default
-- What belongs together stays together, a model without a version too: it would be in the way of who takes the name.
INSERT INTO sparselin_model_values (name, version, model) VALUES ('his', 9, '{"learner":"sgd","loss":"squared","weights":[1]}');
UPDATE sparselin_registry SET name = 'his own' WHERE name = 'his' RETURNING last_version;
SELECT m.name, m.version, v.model IS NOT NULL AS model FROM sparselin_models AS m LEFT JOIN sparselin_model_values AS v USING (name, version) ORDER BY 1, 2;
UPDATE sparselin_models SET version = 8 WHERE name = 'his own';
SELECT name, version FROM sparselin_model_values ORDER BY 1, 2;
DELETE FROM sparselin_registry WHERE name = 'his own';
RESET ROLE;
SELECT name, version FROM sparselin_models WHERE name LIKE 'his%' UNION ALL SELECT name, version FROM sparselin_model_values WHERE name LIKE 'his%';
SET ROLE regress_sparselin_bob;

-- Taken back, and given to all.
SET ROLE regress_sparselin_ann;
SELECT sparselin_revoke('hers', 'regress_sparselin_bob');
SELECT sparselin_revoke('hers', 'regress_sparselin_bob');
SET ROLE regress_sparselin_bob;
SELECT sparselin_predict('hers', '{1:1}');
SET ROLE regress_sparselin_ann;
SELECT sparselin_grant('hers', 'public');
SET ROLE regress_sparselin_bob;
SELECT sparselin_predict('hers', '{1:1}') IS NOT NULL AS works;
SET ROLE regress_sparselin_ann;
SELECT sparselin_revoke('hers', 'public');
RESET ROLE;
REVOKE ALL ON sparselin_registry, sparselin_models, sparselin_model_values FROM regress_sparselin_bob;
SET ROLE regress_sparselin_ann;
SELECT sparselin_grant('hers', 'regress_sparselin_bob');
RESET ROLE;
GRANT SELECT ON sparselin_registry, sparselin_models, sparselin_model_values TO regress_sparselin_bob;
-- In one function, prepared statement or cursor the user may change; what was found for one is not for the other.
SET plan_cache_mode = force_generic_plan;
PREPARE by_name AS SELECT sparselin_predict('hers', '{1:1}') IS NOT NULL AS works;
EXECUTE by_name;
SET ROLE regress_sparselin_bob;
EXECUTE by_name;
SET ROLE regress_sparselin_mallory;
EXECUTE by_name;
RESET ROLE;
RESET plan_cache_mode;
CREATE FUNCTION registry_as(name) RETURNS float8 LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('role', $1, true);
    RETURN sparselin_predict('hers', '{1:1}');
END $$;
SELECT registry_as(who) IS NOT NULL AS works FROM unnest('{regress_sparselin_ann,regress_sparselin_bob}'::name[]) AS who;
SELECT registry_as(who) IS NOT NULL AS works FROM unnest('{regress_sparselin_ann,regress_sparselin_mallory}'::name[]) AS who;

-- Superusers see all and may put all right, but run nobody's query.
SELECT name, version, owner FROM sparselin_models ORDER BY 1, 2;
SELECT sparselin_retrain('hers');
SELECT sparselin_drift('hers');
SELECT sparselin_fit('hers', 'SELECT * FROM registry_rows', replace => true);
SELECT sparselin_activate('hers', 1);
SELECT version, active FROM sparselin_models WHERE name = 'hers' ORDER BY 1;
SET ROLE regress_sparselin_ann;
SELECT version, active FROM sparselin_retrain('hers');
RESET ROLE;

-- An owner that is gone harms nobody else.
SET ROLE regress_sparselin_gone;
SELECT version FROM sparselin_fit('orphan', 'SELECT * FROM registry_rows');
SELECT sparselin_grant('orphan', 'regress_sparselin_bob');
SET ROLE regress_sparselin_ann;
SELECT sparselin_grant('hers', 'regress_sparselin_gone');
RESET ROLE;
DROP OWNED BY regress_sparselin_gone;
DROP ROLE regress_sparselin_gone;
SET ROLE regress_sparselin_ann;
SELECT name, version FROM sparselin_models ORDER BY 1, 2;
SET ROLE regress_sparselin_bob;
SELECT DISTINCT name FROM sparselin_models ORDER BY 1;
SELECT sparselin_predict('orphan', '{1:1}') IS NOT NULL AS works;
RESET ROLE;
SELECT sparselin_retrain('orphan');
-- Given to somebody else by who owns the table.
UPDATE sparselin_registry SET owner = 'regress_sparselin_ann' WHERE name = 'orphan';
SET ROLE regress_sparselin_ann;
SELECT version, active FROM sparselin_retrain('orphan');
SELECT name, version, owner FROM sparselin_models WHERE name = 'orphan' ORDER BY version;
RESET ROLE;

-- Mallory's model has a query that would do harm where it could.
CREATE TABLE registry_loot (what text, by name, session name);
GRANT INSERT ON registry_loot TO public;
CREATE TABLE registry_deferred (id int);
CREATE FUNCTION registry_late() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN INSERT INTO registry_loot VALUES ('late', current_user, session_user); RETURN NULL; END $$;
CREATE CONSTRAINT TRIGGER late AFTER INSERT ON registry_deferred DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION registry_late();
GRANT INSERT ON registry_deferred TO public;
CREATE SCHEMA registry_evil AUTHORIZATION regress_sparselin_mallory;
SET ROLE regress_sparselin_mallory;
CREATE TABLE registry_evil.plan (harm text);
INSERT INTO registry_evil.plan VALUES ('');
CREATE FUNCTION registry_evil.harm() RETURNS sparsearray LANGUAGE plpgsql AS $$
DECLARE
    plan text := (SELECT harm FROM registry_evil.plan);
BEGIN
    INSERT INTO public.registry_loot VALUES (plan, current_user, session_user);
    EXECUTE plan;
    RETURN sparsearray(ARRAY[1], ARRAY[1]);
END $$;
CREATE FUNCTION registry_evil.plan(text) RETURNS void LANGUAGE sql AS 'UPDATE registry_evil.plan SET harm = $1';
SELECT registry_evil.plan('SELECT 1');
SELECT version FROM sparselin_fit('tempting', $$
    SELECT i AS id, registry_evil.harm() + sparsearray(ARRAY[1 + i % 20], ARRAY[1]) AS features, i % 2 = 0 AS label
    FROM generate_series(1, 100) AS i ORDER BY id $$);
SELECT sparselin_grant('tempting', 'public');
RESET ROLE;
TRUNCATE registry_loot;

-- Nobody else runs it, by none of the functions.
SELECT sparselin_retrain('tempting');
SELECT sparselin_drift('tempting');
SELECT sparselin_predict('tempting', '{1:1}') IS NOT NULL AS works;
SELECT version, rows FROM sparselin_drift('tempting', 'SELECT * FROM registry_rows LIMIT 10');
SELECT sparselin_activate('tempting', 1);
SET ROLE regress_sparselin_ann;
SELECT sparselin_retrain('tempting');
RESET ROLE;
CREATE FUNCTION registry_definer() RETURNS text LANGUAGE sql SECURITY DEFINER AS $$ SELECT note FROM sparselin_retrain('tempting') $$;
SET ROLE regress_sparselin_mallory;
SELECT registry_definer();
RESET ROLE;
SELECT count(*) FROM registry_loot;

-- Whoever takes her role to run it is safe from it: the role cannot be changed, and nothing is left to run later.
CREATE FUNCTION registry_tempted(harm text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    answer text;
BEGIN
    SET LOCAL ROLE regress_sparselin_mallory;
    PERFORM registry_evil.plan(harm);
    SELECT CASE WHEN active THEN 'ran' ELSE note END INTO answer FROM sparselin_retrain('tempting');
    RESET ROLE;
    RETURN answer;
END $$;
SET client_min_messages = error;
SELECT registry_tempted('SELECT 1');
SELECT registry_tempted('RESET ROLE');
SELECT registry_tempted('SET ROLE NONE');
SELECT registry_tempted('SELECT set_config(''role'', ''none'', false)');
SELECT registry_tempted('RESET SESSION AUTHORIZATION');
SELECT registry_tempted('INSERT INTO public.registry_deferred VALUES (1)');
SELECT registry_tempted('CREATE TEMP TABLE registry_trap (id int)');
SELECT registry_tempted('DECLARE trap CURSOR WITH HOLD FOR SELECT registry_evil.harm()');
SELECT registry_tempted('PREPARE trap AS SELECT 1');
SELECT registry_tempted('LISTEN trap');
SELECT registry_tempted('SET search_path = registry_evil, pg_catalog');
SHOW search_path;
RESET client_min_messages;
SELECT DISTINCT by, session = session_user AS session FROM registry_loot;
TRUNCATE registry_loot;

-- What she plants beside the functions, and into the schemas that others search, does not come before what is meant.
GRANT CREATE ON SCHEMA public TO regress_sparselin_mallory;
SET ROLE regress_sparselin_mallory;
SET client_min_messages = error;
CREATE SEQUENCE registry_evil.trapped;  -- counts whatever is rolled back
GRANT USAGE, SELECT ON SEQUENCE registry_evil.trapped TO public;
CREATE FUNCTION registry_evil.trap(text) RETURNS bigint LANGUAGE sql AS
$$ SELECT pg_catalog.nextval('registry_evil.trapped') $$;
DO $do$
DECLARE
    f record;
    kind text;
    swap text[];
BEGIN
    -- Each function once more, with arguments that fit nearly as well.
    FOR f IN SELECT DISTINCT proname, pronargs, array_to_string(proargtypes::regtype[], ', ') AS arguments FROM pg_proc AS p JOIN pg_depend AS d ON d.objid = p.oid AND d.deptype = 'e'
             WHERE d.classid = 'pg_proc'::regclass AND (proname LIKE 'sparselin%' OR proname LIKE '%train')
                   AND 'internal'::regtype <> ALL (proargtypes::oid[]) LOOP
        FOREACH kind IN ARRAY '{varchar,name,integer,numeric,anyelement,anyarray,"VARIADIC text[]","VARIADIC \"any\""}'::text[] LOOP
            BEGIN
                EXECUTE format('CREATE FUNCTION public.%I(%s) RETURNS %s LANGUAGE plpgsql AS %L', f.proname,
                    CASE WHEN kind LIKE 'VARIADIC%' THEN kind ELSE array_to_string(array_fill(kind, ARRAY[f.pronargs::int]), ', ') END,
                    'integer', format('BEGIN PERFORM registry_evil.trap(%L); RETURN 1; END', 'public.' || f.proname));
            EXCEPTION WHEN OTHERS THEN
                NULL;
            END;
        END LOOP;
        FOREACH swap SLICE 1 IN ARRAY '{{double precision,integer},{double precision,numeric},{sparselin_options,text},
                {sparselin_model,text},{timestamp with time zone,text},{boolean,text},{text,varchar},{text,name},{name,text},{integer,bigint}}'::text[] LOOP
            BEGIN
                EXECUTE format('CREATE FUNCTION public.%I(%s) RETURNS integer LANGUAGE plpgsql AS %L', f.proname,
                    replace(f.arguments, swap[1], swap[2]), format('BEGIN PERFORM registry_evil.trap(%L); RETURN 1; END', 'public.' || f.proname));
            EXCEPTION WHEN OTHERS THEN
                NULL;
            END;
        END LOOP;
    END LOOP;
    -- Operators and functions that hide those of the server, where pg_catalog is searched last.
    FOR f IN SELECT oprname, oprleft::regtype AS l, oprright::regtype AS r, oprresult::regtype AS t FROM pg_operator
             WHERE oprnamespace = 'pg_catalog'::regnamespace AND oprname IN ('=', '<>', '<', '>', '>=', '<=', '+', '-', '*', '||', '->>', '~')
                   AND oprleft = ANY ('{text,name,int4,int8,float8,bool,timestamptz,jsonb,oid}'::regtype[])
                   AND oprright = ANY ('{text,name,int4,int8,float8,bool,timestamptz,jsonb,oid,interval}'::regtype[]) LOOP
        EXECUTE format('CREATE FUNCTION registry_evil.op%s(%s, %s) RETURNS %s LANGUAGE plpgsql AS %L',
            abs(hashtext(f.oprname)), f.l, f.r, f.t, format('BEGIN PERFORM registry_evil.trap(%L); RETURN NULL; END', f.oprname));
        EXECUTE format('CREATE OPERATOR registry_evil.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = registry_evil.op%s)',
            f.oprname, f.l, f.r, abs(hashtext(f.oprname)));
        EXECUTE format('CREATE OPERATOR public.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = registry_evil.op%s)',
            f.oprname, f.l, f.r, abs(hashtext(f.oprname)));
    END LOOP;
    FOR f IN SELECT DISTINCT proname, pg_get_function_identity_arguments(oid) AS arguments, pg_get_function_result(oid) AS result FROM pg_proc
             WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind = 'f' AND proretset = false AND provariadic = 0
                   AND proname IN ('format', 'current_setting', 'set_config', 'clock_timestamp', 'now', 'quote_ident', 'array_to_string',
                                   'array_remove', 'round', 'char_length', 'regexp_replace', 'jsonb_strip_nulls', 'has_table_privilege', 'row_number') LOOP
        BEGIN
            EXECUTE format('CREATE FUNCTION registry_evil.%I(%s) RETURNS %s LANGUAGE plpgsql AS %L', f.proname, f.arguments, f.result,
                format('BEGIN PERFORM registry_evil.trap(%L); RETURN NULL; END', f.proname));
        EXCEPTION WHEN OTHERS THEN
            NULL;
        END;
    END LOOP;
END $do$;
CREATE FUNCTION registry_evil.step(bigint) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RETURN registry_evil.trap('aggregate'); END $$;
CREATE FUNCTION registry_evil.step(boolean, boolean) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN registry_evil.trap('aggregate') > 0; END $$;
CREATE FUNCTION registry_evil.to_jsonb(anyelement) RETURNS jsonb LANGUAGE plpgsql AS $$ BEGIN PERFORM registry_evil.trap('to_jsonb'); RETURN '{}'; END $$;
CREATE AGGREGATE registry_evil.count(*) (SFUNC = registry_evil.step, STYPE = bigint);
CREATE AGGREGATE registry_evil.bool_and(boolean) (SFUNC = registry_evil.step, STYPE = boolean);
CREATE AGGREGATE registry_evil.bool_or(boolean) (SFUNC = registry_evil.step, STYPE = boolean);
RESET client_min_messages;
SELECT count(*) > 100 AS planted FROM pg_proc WHERE proowner = current_user::regrole;
RESET ROLE;
GRANT USAGE ON SCHEMA registry_evil TO regress_sparselin_ann;
-- The traps do go off when they are stepped on.
SET search_path = registry_evil, public, pg_catalog;
SELECT 1 = 1 AS trapped;
SET search_path = pg_catalog;
SELECT last_value, is_called FROM registry_evil.trapped;
CREATE FUNCTION public.registry_all(who name) RETURNS TABLE (step text, result text) LANGUAGE plpgsql AS $$
DECLARE
    query text := 'SELECT features, label FROM public.registry_rows ORDER BY id';
    path text;
BEGIN
    FOREACH path IN ARRAY '{"public","registry_evil, public, pg_catalog"}'::text[] LOOP
        PERFORM pg_catalog.set_config('role', who, true), pg_catalog.set_config('search_path', path, true);
        result := (public.sparselin_fit('planted'::text, query)).version::text;
        step := 'fit'; RETURN NEXT;
        result := (public.sparselin_retrain('planted'::text)).version::text;
        step := 'retrain'; RETURN NEXT;
        result := (public.sparselin_retrain('planted'::text, mode => 'continue'::text)).note;
        step := 'fails'; RETURN NEXT;
        result := (public.sparselin_drift('planted'::text)).version::text;
        step := 'drift'; RETURN NEXT;
        result := (public.sparselin_drift('planted'::text, query)).version::text;
        step := 'drift of a query'; RETURN NEXT;
        PERFORM public.sparselin_activate('planted'::text, 1);
        PERFORM public.sparselin_grant('planted'::text, 'public'::name);
        PERFORM public.sparselin_revoke('planted'::text, 'public'::name);
        result := (public.sparselin_predict('planted'::text, public.sparsearray(ARRAY[1], ARRAY[1::float8])) IS NOT NULL)::text;
        step := 'predict'; RETURN NEXT;
        result := (public.sparselin_retrain('planted'::text, keep => 0)).version::text;
        step := 'retrain'; RETURN NEXT;
        PERFORM public.sparselin_drop('planted'::text);
        PERFORM pg_catalog.set_config('role', 'none', true), pg_catalog.set_config('search_path', 'pg_catalog', true);
    END LOOP;
END $$;
\set VERBOSITY terse
SELECT * FROM public.registry_all(current_user);
SELECT last_value, is_called FROM registry_evil.trapped;
SELECT * FROM public.registry_all('regress_sparselin_ann');
SELECT last_value, is_called FROM registry_evil.trapped;
RESET search_path;
\set VERBOSITY default

SET client_min_messages = error;
SELECT count(sparselin_drop(name)) FROM sparselin_registry;
DROP FUNCTION registry_as, registry_definer, registry_tempted, registry_late CASCADE;
DROP FUNCTION registry_all;
DROP OWNED BY regress_sparselin_ann, regress_sparselin_bob, regress_sparselin_team, regress_sparselin_mallory CASCADE;
DROP ROLE regress_sparselin_ann, regress_sparselin_bob, regress_sparselin_team, regress_sparselin_mallory;
DROP TABLE registry_rows, registry_loot, registry_deferred;
