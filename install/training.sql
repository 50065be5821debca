-- Training, and going on with what was trained.

-- What all learners share.
CREATE FUNCTION sparselin_train_combine(internal, internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparselin_train_combine(internal, internal) IS 'combine function of all training aggregates';
CREATE FUNCTION sparselin_train_serialize(internal) RETURNS bytea
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparselin_train_serialize(internal) IS 'serialization function of all training aggregates';
CREATE FUNCTION sparselin_train_deserialize(bytea, internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparselin_train_deserialize(bytea, internal) IS 'deserialization function of all training aggregates';
CREATE FUNCTION sparselin_train_final(internal) RETURNS sparselin_model
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION sparselin_train_final(internal) IS 'final function of all training aggregates';

-- The learners: for each, step functions and aggregates for numeric, boolean and text labels, without options, with them, and
-- with weights as well. A step is one row. Numeric labels are -1 and 1, or 0 and 1, for the classification losses, and any
-- number for the regression losses; a boolean label is a class by itself; texts are the names of two classes or more.
-- sparselin_train is another name of casgd_train. An upgrade that adds a learner repeats this block with that learner's line
-- alone.
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
                ('casgd', 'casgd_train', 'learns a model by centred and averaged stochastic gradient descent (Dekel, Algorithm 3): the one to start with'),
                ('asgd', 'asgd_train', 'learns a model by averaged stochastic gradient descent (Dekel, Algorithm 2)'),
                ('sgd', 'sgd_train', 'learns a model by stochastic gradient descent, the last iterate (Dekel, Algorithm 1)'),
                ('onepass', 'onepass_train', 'learns a model in one pass by averaged stochastic gradient descent (Xu); streams by default'),
                ('truncated', 'truncated_train', 'learns a model with few weights by truncated gradient or rounding (Langford, Li, Zhang)'),
                ('elasticnet', 'elasticnet_train', 'learns a model with few weights by the lazy elastic net (Lipton, Elkan)'),
                ('casgd', 'sparselin_train', 'learns a model: another name of casgd_train')
             ) AS learners (learner, name, meaning),
             (VALUES ('float8', ''), ('boolean', '_boolean'), ('text', '_text')) AS labels (label, ending),
             (VALUES
                ('', '', ''),
                (', %s.sparselin_options', ', options %s.sparselin_options',
                 '; options from sparselin_options()'),
                (', %s.sparselin_options, float8', ', options %s.sparselin_options, weight float8',
                 '; options from sparselin_options() or NULL, and a weight for each row')
             ) AS others (types, arguments, meaning_of_others)
    LOOP
        IF made.name <> 'sparselin_train' THEN
            EXECUTE format($sql$
                CREATE FUNCTION %1$s.sparselin_%2$s_step(internal, %1$s.sparsearray, %3$s%4$s) RETURNS internal
                    AS 'MODULE_PATHNAME', 'sparselin_%2$s_step%5$s' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
                COMMENT ON FUNCTION %1$s.sparselin_%2$s_step(internal, %1$s.sparsearray, %3$s%4$s) IS
                    'transition function of %2$s_train';
                $sql$,
                ours, made.learner, made.label, format(made.types, ours), made.ending);
        END IF;
        EXECUTE format($sql$
            CREATE AGGREGATE %1$s.%8$s(features %1$s.sparsearray, label %3$s%6$s) (
                SFUNC = %1$s.sparselin_%2$s_step, STYPE = internal, SSPACE = 32768,
                FINALFUNC = %1$s.sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE,
                COMBINEFUNC = %1$s.sparselin_train_combine, SERIALFUNC = %1$s.sparselin_train_serialize,
                DESERIALFUNC = %1$s.sparselin_train_deserialize, PARALLEL = SAFE);
            COMMENT ON AGGREGATE %1$s.%8$s(features %1$s.sparsearray, label %3$s%6$s) IS %7$L;
            $sql$,
            ours, made.learner, made.label, format(made.types, ours), made.ending, format(made.arguments, ours),
            made.meaning || made.meaning_of_others, made.name);
    END LOOP;
    PERFORM set_config('search_path', path, true);
END $generate$;

-- What is often given as features and is none: texts, and arrays of smallint, get an error whose hint says what to do. An
-- untyped literal fits both where the label does not say what is meant: as features it needs ::sparsearray there.
CREATE FUNCTION sparselin_train_text_step(internal, text, VARIADIC "any") RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_train_text_step(internal, text, VARIADIC "any") IS 'transition function of sparselin_train';
CREATE AGGREGATE sparselin_train(features text, VARIADIC "any") (SFUNC = sparselin_train_text_step, STYPE = internal,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, PARALLEL = SAFE);
COMMENT ON AGGREGATE sparselin_train(features text, VARIADIC "any") IS
    'an error that says how to make features of texts';
CREATE FUNCTION sparselin_train_smallint_step(internal, smallint[], VARIADIC "any") RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_train_smallint_step(internal, smallint[], VARIADIC "any") IS
    'transition function of sparselin_train';
CREATE AGGREGATE sparselin_train(features smallint[], VARIADIC "any") (SFUNC = sparselin_train_smallint_step,
    STYPE = internal, FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, PARALLEL = SAFE);
COMMENT ON AGGREGATE sparselin_train(features smallint[], VARIADIC "any") IS
    'an error that says how to make features of arrays of smallint';

-- Going on, with labels of each kind, without weights and with them.
DO $generate$
DECLARE
    path text := pg_catalog.current_setting('search_path');
    ours text := '@extschema@';
    made record;
BEGIN
    SET LOCAL search_path = pg_catalog, pg_temp;
    FOR made IN
        SELECT *
        FROM (VALUES ('float8', ''), ('boolean', '_boolean'), ('text', '_text')) AS labels (label, ending),
             (VALUES ('', '', ''), (', float8', ', weight float8', ', and a weight for each row'))
                 AS others (types, arguments, meaning_of_others)
    LOOP
        EXECUTE format($sql$
            CREATE FUNCTION %1$s.sparselin_continue_step(internal, %1$s.sparselin_model, %1$s.sparsearray, %2$s%3$s)
                RETURNS internal
                AS 'MODULE_PATHNAME', 'sparselin_continue_step%4$s' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
            COMMENT ON FUNCTION
                %1$s.sparselin_continue_step(internal, %1$s.sparselin_model, %1$s.sparsearray, %2$s%3$s) IS
                'transition function of sparselin_continue';
            CREATE AGGREGATE %1$s.sparselin_continue(
                model %1$s.sparselin_model, features %1$s.sparsearray, label %2$s%5$s) (
                SFUNC = %1$s.sparselin_continue_step, STYPE = internal, SSPACE = 32768,
                FINALFUNC = %1$s.sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, PARALLEL = SAFE);
            COMMENT ON AGGREGATE %1$s.sparselin_continue(%1$s.sparselin_model, %1$s.sparsearray, %2$s%3$s) IS
                %6$L;
            $sql$,
            ours, made.label, made.types, made.ending, made.arguments,
            'goes on training from a model, with its learner and options' || made.meaning_of_others ||
            '; never in parallel, since each process would count the model''s rows');
    END LOOP;
    PERFORM set_config('search_path', path, true);
END $generate$;

CREATE FUNCTION sparselin_merge_step(internal, sparselin_model) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparselin_merge_step(internal, sparselin_model) IS 'transition function of sparselin_merge';
CREATE FUNCTION sparselin_merge_final(internal) RETURNS sparselin_model
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparselin_merge_final(internal) IS 'final function of sparselin_merge';
CREATE AGGREGATE sparselin_merge(model sparselin_model) (
    SFUNC = sparselin_merge_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_merge_final, FINALFUNC_MODIFY = READ_WRITE, PARALLEL = SAFE);
COMMENT ON AGGREGATE sparselin_merge(sparselin_model) IS
    'one model out of several that were trained on different rows: their mean, weighted by their steps';

CREATE FUNCTION sparselin_compact(model sparselin_model) RETURNS sparselin_model
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparselin_compact(sparselin_model) IS
    'the model without what training would need to go on: smaller, and the same in prediction';
