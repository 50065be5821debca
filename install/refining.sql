-- The exact minimum: F and its gradient, added up over rows wherever they lie, and what goes by them.

CREATE TYPE sparselin_slope AS (rows bigint, objective float8, gradient sparselin_model, gap float8);
COMMENT ON TYPE sparselin_slope IS 'what a model''s learner minimises, over certain rows: its value at the model, and how it changes there';
COMMENT ON COLUMN sparselin_slope.rows IS 'rows that were added up';
COMMENT ON COLUMN sparselin_slope.objective IS
    'F: the sum of weighted losses by the number of rows, and what lambda adds; of several classes, one against the rest, the mean over them';
COMMENT ON COLUMN sparselin_slope.gradient IS
    'the gradient of F: its weights are those of the weights as the learner has them, on its scale; its bias that of the bias of centred rows';
COMMENT ON COLUMN sparselin_slope.gap IS 'the objective is above its minimum by this at most; NULL where lambda is 0';

CREATE FUNCTION sparselin_gradient_final(internal) RETURNS sparselin_slope
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparselin_gradient_final(internal) IS 'final function of sparselin_gradient';
CREATE FUNCTION sparselin_gradient_sums_final(internal) RETURNS bytea
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparselin_gradient_sums_final(internal) IS 'final function of sparselin_gradient_sums';
CREATE FUNCTION sparselin_gradient_combine(internal, internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparselin_gradient_combine(internal, internal) IS 'combine function of sparselin_gradient';
CREATE FUNCTION sparselin_gradient_serialize(internal) RETURNS bytea
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparselin_gradient_serialize(internal) IS 'serialization function of sparselin_gradient';
CREATE FUNCTION sparselin_gradient_deserialize(bytea, internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparselin_gradient_deserialize(bytea, internal) IS 'deserialization function of sparselin_gradient';

-- For numeric, boolean and text labels: for users, without weights and with them; and for sparselin_refine.
DO $generate$
DECLARE
    path text := pg_catalog.current_setting('search_path');
    ours text := '@extschema@';
    made record;
BEGIN
    SET LOCAL search_path = pg_catalog, pg_temp;
    FOR made IN
        SELECT *
        FROM (VALUES
                ('gradient', '', '', 'gradient', 'what the learner of a model minimises over these rows, its gradient at the model, and how far it may be above its minimum'),
                ('gradient', ', float8', ', weight float8', 'gradient', 'what the learner of a model minimises over these weighted rows, its gradient at the model, and how far it may be above its minimum'),
                ('gradient_sums', ', float8, boolean', ', weight float8, survey boolean', 'gradient_sums', 'what rows add to a gradient, to be put together by sparselin_gradient_total; a survey looks at how features lie and how F curves, too')
             ) AS aggregates (aggregate, types, arguments, step, meaning),
             (VALUES ('float8', ''), ('boolean', '_boolean'), ('text', '_text')) AS labels (label, ending)
    LOOP
        EXECUTE format($sql$
            CREATE FUNCTION %1$s.sparselin_%2$s_step(internal, %1$s.sparselin_model, %1$s.sparsearray, %3$s%4$s) RETURNS internal
                AS 'MODULE_PATHNAME', 'sparselin_%2$s_step%5$s' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
            COMMENT ON FUNCTION %1$s.sparselin_%2$s_step(internal, %1$s.sparselin_model, %1$s.sparsearray, %3$s%4$s) IS
                'transition function of sparselin_%2$s';
            CREATE AGGREGATE %1$s.sparselin_%2$s(model %1$s.sparselin_model, features %1$s.sparsearray, label %3$s%6$s) (
                SFUNC = %1$s.sparselin_%2$s_step, STYPE = internal, SSPACE = 32768,
                FINALFUNC = %1$s.sparselin_%2$s_final, FINALFUNC_MODIFY = READ_ONLY,
                COMBINEFUNC = %1$s.sparselin_gradient_combine, SERIALFUNC = %1$s.sparselin_gradient_serialize,
                DESERIALFUNC = %1$s.sparselin_gradient_deserialize, PARALLEL = SAFE);
            COMMENT ON AGGREGATE %1$s.sparselin_%2$s(model %1$s.sparselin_model, features %1$s.sparsearray, label %3$s%6$s) IS
                %7$L;
            $sql$,
            ours, made.aggregate, made.label, made.types, made.ending, made.arguments, made.meaning);
    END LOOP;
    PERFORM set_config('search_path', path, true);
END $generate$;

CREATE FUNCTION sparselin_gradient_total_step(internal, bytea) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparselin_gradient_total_step(internal, bytea) IS 'transition function of sparselin_gradient_total';
CREATE AGGREGATE sparselin_gradient_total(sums bytea) (
    SFUNC = sparselin_gradient_total_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_gradient_sums_final, FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = sparselin_gradient_combine, SERIALFUNC = sparselin_gradient_serialize,
    DESERIALFUNC = sparselin_gradient_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE sparselin_gradient_total(sums bytea) IS 'what sparselin_gradient_sums has made of parts of the rows, for all of them';

CREATE FUNCTION sparselin_refine(
    model sparselin_model, query text, iterations integer DEFAULT 40, tolerance float8 DEFAULT 0.01,
    OUT refined sparselin_model, OUT scans integer, OUT objective_before float8, OUT objective float8, OUT gap float8
) RETURNS record
    AS 'MODULE_PATHNAME', 'sparselin_refine' LANGUAGE C VOLATILE STRICT;
COMMENT ON FUNCTION sparselin_refine(sparselin_model, text, integer, float8) IS
    'takes a model to the minimum of what its learner minimises over the rows of a query, in so many scans of them at most, until it is above that by this share of it at most; never worse than it was';
