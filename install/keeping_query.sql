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
