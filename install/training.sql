-- Training, and going on with what was trained.

-- One row at a time. Numeric labels are -1 and 1, or 0 and 1, for the classification losses, and any number for the
-- regression losses; a boolean label is a class by itself.
CREATE FUNCTION sparselin_casgd_step(internal, sparsearray, float8) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_casgd_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_casgd_step(internal, sparsearray, float8) IS 'transition function of casgd_train';
CREATE FUNCTION sparselin_casgd_step(internal, sparsearray, float8, sparselin_options) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_casgd_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_casgd_step(internal, sparsearray, float8, sparselin_options) IS 'transition function of casgd_train';
CREATE FUNCTION sparselin_casgd_step(internal, sparsearray, float8, sparselin_options, float8) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_casgd_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_casgd_step(internal, sparsearray, float8, sparselin_options, float8) IS 'transition function of casgd_train';
CREATE FUNCTION sparselin_casgd_step(internal, sparsearray, boolean) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_casgd_step_boolean' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_casgd_step(internal, sparsearray, boolean) IS 'transition function of casgd_train';
CREATE FUNCTION sparselin_casgd_step(internal, sparsearray, boolean, sparselin_options) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_casgd_step_boolean' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_casgd_step(internal, sparsearray, boolean, sparselin_options) IS 'transition function of casgd_train';
CREATE FUNCTION sparselin_casgd_step(internal, sparsearray, boolean, sparselin_options, float8) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_casgd_step_boolean' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_casgd_step(internal, sparsearray, boolean, sparselin_options, float8) IS 'transition function of casgd_train';
CREATE FUNCTION sparselin_asgd_step(internal, sparsearray, float8) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_asgd_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_asgd_step(internal, sparsearray, float8) IS 'transition function of asgd_train';
CREATE FUNCTION sparselin_asgd_step(internal, sparsearray, float8, sparselin_options) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_asgd_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_asgd_step(internal, sparsearray, float8, sparselin_options) IS 'transition function of asgd_train';
CREATE FUNCTION sparselin_asgd_step(internal, sparsearray, float8, sparselin_options, float8) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_asgd_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_asgd_step(internal, sparsearray, float8, sparselin_options, float8) IS 'transition function of asgd_train';
CREATE FUNCTION sparselin_asgd_step(internal, sparsearray, boolean) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_asgd_step_boolean' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_asgd_step(internal, sparsearray, boolean) IS 'transition function of asgd_train';
CREATE FUNCTION sparselin_asgd_step(internal, sparsearray, boolean, sparselin_options) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_asgd_step_boolean' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_asgd_step(internal, sparsearray, boolean, sparselin_options) IS 'transition function of asgd_train';
CREATE FUNCTION sparselin_asgd_step(internal, sparsearray, boolean, sparselin_options, float8) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_asgd_step_boolean' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_asgd_step(internal, sparsearray, boolean, sparselin_options, float8) IS 'transition function of asgd_train';
CREATE FUNCTION sparselin_sgd_step(internal, sparsearray, float8) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_sgd_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_sgd_step(internal, sparsearray, float8) IS 'transition function of sgd_train';
CREATE FUNCTION sparselin_sgd_step(internal, sparsearray, float8, sparselin_options) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_sgd_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_sgd_step(internal, sparsearray, float8, sparselin_options) IS 'transition function of sgd_train';
CREATE FUNCTION sparselin_sgd_step(internal, sparsearray, float8, sparselin_options, float8) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_sgd_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_sgd_step(internal, sparsearray, float8, sparselin_options, float8) IS 'transition function of sgd_train';
CREATE FUNCTION sparselin_sgd_step(internal, sparsearray, boolean) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_sgd_step_boolean' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_sgd_step(internal, sparsearray, boolean) IS 'transition function of sgd_train';
CREATE FUNCTION sparselin_sgd_step(internal, sparsearray, boolean, sparselin_options) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_sgd_step_boolean' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_sgd_step(internal, sparsearray, boolean, sparselin_options) IS 'transition function of sgd_train';
CREATE FUNCTION sparselin_sgd_step(internal, sparsearray, boolean, sparselin_options, float8) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_sgd_step_boolean' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_sgd_step(internal, sparsearray, boolean, sparselin_options, float8) IS 'transition function of sgd_train';
CREATE FUNCTION sparselin_onepass_step(internal, sparsearray, float8) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_onepass_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_onepass_step(internal, sparsearray, float8) IS 'transition function of onepass_train';
CREATE FUNCTION sparselin_onepass_step(internal, sparsearray, float8, sparselin_options) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_onepass_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_onepass_step(internal, sparsearray, float8, sparselin_options) IS 'transition function of onepass_train';
CREATE FUNCTION sparselin_onepass_step(internal, sparsearray, float8, sparselin_options, float8) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_onepass_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_onepass_step(internal, sparsearray, float8, sparselin_options, float8) IS 'transition function of onepass_train';
CREATE FUNCTION sparselin_onepass_step(internal, sparsearray, boolean) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_onepass_step_boolean' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_onepass_step(internal, sparsearray, boolean) IS 'transition function of onepass_train';
CREATE FUNCTION sparselin_onepass_step(internal, sparsearray, boolean, sparselin_options) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_onepass_step_boolean' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_onepass_step(internal, sparsearray, boolean, sparselin_options) IS 'transition function of onepass_train';
CREATE FUNCTION sparselin_onepass_step(internal, sparsearray, boolean, sparselin_options, float8) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_onepass_step_boolean' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_onepass_step(internal, sparsearray, boolean, sparselin_options, float8) IS 'transition function of onepass_train';
CREATE FUNCTION sparselin_truncated_step(internal, sparsearray, float8) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_truncated_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_truncated_step(internal, sparsearray, float8) IS 'transition function of truncated_train';
CREATE FUNCTION sparselin_truncated_step(internal, sparsearray, float8, sparselin_options) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_truncated_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_truncated_step(internal, sparsearray, float8, sparselin_options) IS 'transition function of truncated_train';
CREATE FUNCTION sparselin_truncated_step(internal, sparsearray, float8, sparselin_options, float8) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_truncated_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_truncated_step(internal, sparsearray, float8, sparselin_options, float8) IS 'transition function of truncated_train';
CREATE FUNCTION sparselin_truncated_step(internal, sparsearray, boolean) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_truncated_step_boolean' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_truncated_step(internal, sparsearray, boolean) IS 'transition function of truncated_train';
CREATE FUNCTION sparselin_truncated_step(internal, sparsearray, boolean, sparselin_options) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_truncated_step_boolean' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_truncated_step(internal, sparsearray, boolean, sparselin_options) IS 'transition function of truncated_train';
CREATE FUNCTION sparselin_truncated_step(internal, sparsearray, boolean, sparselin_options, float8) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_truncated_step_boolean' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_truncated_step(internal, sparsearray, boolean, sparselin_options, float8) IS 'transition function of truncated_train';
CREATE FUNCTION sparselin_elasticnet_step(internal, sparsearray, float8) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_elasticnet_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_elasticnet_step(internal, sparsearray, float8) IS 'transition function of elasticnet_train';
CREATE FUNCTION sparselin_elasticnet_step(internal, sparsearray, float8, sparselin_options) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_elasticnet_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_elasticnet_step(internal, sparsearray, float8, sparselin_options) IS 'transition function of elasticnet_train';
CREATE FUNCTION sparselin_elasticnet_step(internal, sparsearray, float8, sparselin_options, float8) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_elasticnet_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_elasticnet_step(internal, sparsearray, float8, sparselin_options, float8) IS 'transition function of elasticnet_train';
CREATE FUNCTION sparselin_elasticnet_step(internal, sparsearray, boolean) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_elasticnet_step_boolean' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_elasticnet_step(internal, sparsearray, boolean) IS 'transition function of elasticnet_train';
CREATE FUNCTION sparselin_elasticnet_step(internal, sparsearray, boolean, sparselin_options) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_elasticnet_step_boolean' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_elasticnet_step(internal, sparsearray, boolean, sparselin_options) IS 'transition function of elasticnet_train';
CREATE FUNCTION sparselin_elasticnet_step(internal, sparsearray, boolean, sparselin_options, float8) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_elasticnet_step_boolean' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_elasticnet_step(internal, sparsearray, boolean, sparselin_options, float8) IS 'transition function of elasticnet_train';
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

CREATE AGGREGATE casgd_train(features sparsearray, label float8) (
    SFUNC = sparselin_casgd_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = sparselin_train_combine,
    SERIALFUNC = sparselin_train_serialize, DESERIALFUNC = sparselin_train_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE casgd_train(sparsearray, float8) IS
    'learns a model by centred and averaged stochastic gradient descent (Dekel, Algorithm 3): the one to start with';
CREATE AGGREGATE casgd_train(features sparsearray, label float8, options sparselin_options) (
    SFUNC = sparselin_casgd_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = sparselin_train_combine,
    SERIALFUNC = sparselin_train_serialize, DESERIALFUNC = sparselin_train_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE casgd_train(sparsearray, float8, sparselin_options) IS
    'learns a model by centred and averaged stochastic gradient descent (Dekel, Algorithm 3): the one to start with; options from sparselin_options()';
CREATE AGGREGATE casgd_train(features sparsearray, label float8, options sparselin_options, weight float8) (
    SFUNC = sparselin_casgd_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = sparselin_train_combine,
    SERIALFUNC = sparselin_train_serialize, DESERIALFUNC = sparselin_train_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE casgd_train(sparsearray, float8, sparselin_options, float8) IS
    'learns a model by centred and averaged stochastic gradient descent (Dekel, Algorithm 3): the one to start with; options from sparselin_options() or NULL, and a weight for each row';
CREATE AGGREGATE casgd_train(features sparsearray, label boolean) (
    SFUNC = sparselin_casgd_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = sparselin_train_combine,
    SERIALFUNC = sparselin_train_serialize, DESERIALFUNC = sparselin_train_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE casgd_train(sparsearray, boolean) IS
    'learns a model by centred and averaged stochastic gradient descent (Dekel, Algorithm 3): the one to start with';
CREATE AGGREGATE casgd_train(features sparsearray, label boolean, options sparselin_options) (
    SFUNC = sparselin_casgd_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = sparselin_train_combine,
    SERIALFUNC = sparselin_train_serialize, DESERIALFUNC = sparselin_train_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE casgd_train(sparsearray, boolean, sparselin_options) IS
    'learns a model by centred and averaged stochastic gradient descent (Dekel, Algorithm 3): the one to start with; options from sparselin_options()';
CREATE AGGREGATE casgd_train(features sparsearray, label boolean, options sparselin_options, weight float8) (
    SFUNC = sparselin_casgd_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = sparselin_train_combine,
    SERIALFUNC = sparselin_train_serialize, DESERIALFUNC = sparselin_train_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE casgd_train(sparsearray, boolean, sparselin_options, float8) IS
    'learns a model by centred and averaged stochastic gradient descent (Dekel, Algorithm 3): the one to start with; options from sparselin_options() or NULL, and a weight for each row';
CREATE AGGREGATE asgd_train(features sparsearray, label float8) (
    SFUNC = sparselin_asgd_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = sparselin_train_combine,
    SERIALFUNC = sparselin_train_serialize, DESERIALFUNC = sparselin_train_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE asgd_train(sparsearray, float8) IS
    'learns a model by averaged stochastic gradient descent (Dekel, Algorithm 2)';
CREATE AGGREGATE asgd_train(features sparsearray, label float8, options sparselin_options) (
    SFUNC = sparselin_asgd_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = sparselin_train_combine,
    SERIALFUNC = sparselin_train_serialize, DESERIALFUNC = sparselin_train_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE asgd_train(sparsearray, float8, sparselin_options) IS
    'learns a model by averaged stochastic gradient descent (Dekel, Algorithm 2); options from sparselin_options()';
CREATE AGGREGATE asgd_train(features sparsearray, label float8, options sparselin_options, weight float8) (
    SFUNC = sparselin_asgd_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = sparselin_train_combine,
    SERIALFUNC = sparselin_train_serialize, DESERIALFUNC = sparselin_train_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE asgd_train(sparsearray, float8, sparselin_options, float8) IS
    'learns a model by averaged stochastic gradient descent (Dekel, Algorithm 2); options from sparselin_options() or NULL, and a weight for each row';
CREATE AGGREGATE asgd_train(features sparsearray, label boolean) (
    SFUNC = sparselin_asgd_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = sparselin_train_combine,
    SERIALFUNC = sparselin_train_serialize, DESERIALFUNC = sparselin_train_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE asgd_train(sparsearray, boolean) IS
    'learns a model by averaged stochastic gradient descent (Dekel, Algorithm 2)';
CREATE AGGREGATE asgd_train(features sparsearray, label boolean, options sparselin_options) (
    SFUNC = sparselin_asgd_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = sparselin_train_combine,
    SERIALFUNC = sparselin_train_serialize, DESERIALFUNC = sparselin_train_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE asgd_train(sparsearray, boolean, sparselin_options) IS
    'learns a model by averaged stochastic gradient descent (Dekel, Algorithm 2); options from sparselin_options()';
CREATE AGGREGATE asgd_train(features sparsearray, label boolean, options sparselin_options, weight float8) (
    SFUNC = sparselin_asgd_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = sparselin_train_combine,
    SERIALFUNC = sparselin_train_serialize, DESERIALFUNC = sparselin_train_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE asgd_train(sparsearray, boolean, sparselin_options, float8) IS
    'learns a model by averaged stochastic gradient descent (Dekel, Algorithm 2); options from sparselin_options() or NULL, and a weight for each row';
CREATE AGGREGATE sgd_train(features sparsearray, label float8) (
    SFUNC = sparselin_sgd_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = sparselin_train_combine,
    SERIALFUNC = sparselin_train_serialize, DESERIALFUNC = sparselin_train_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE sgd_train(sparsearray, float8) IS
    'learns a model by stochastic gradient descent, the last iterate (Dekel, Algorithm 1)';
CREATE AGGREGATE sgd_train(features sparsearray, label float8, options sparselin_options) (
    SFUNC = sparselin_sgd_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = sparselin_train_combine,
    SERIALFUNC = sparselin_train_serialize, DESERIALFUNC = sparselin_train_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE sgd_train(sparsearray, float8, sparselin_options) IS
    'learns a model by stochastic gradient descent, the last iterate (Dekel, Algorithm 1); options from sparselin_options()';
CREATE AGGREGATE sgd_train(features sparsearray, label float8, options sparselin_options, weight float8) (
    SFUNC = sparselin_sgd_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = sparselin_train_combine,
    SERIALFUNC = sparselin_train_serialize, DESERIALFUNC = sparselin_train_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE sgd_train(sparsearray, float8, sparselin_options, float8) IS
    'learns a model by stochastic gradient descent, the last iterate (Dekel, Algorithm 1); options from sparselin_options() or NULL, and a weight for each row';
CREATE AGGREGATE sgd_train(features sparsearray, label boolean) (
    SFUNC = sparselin_sgd_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = sparselin_train_combine,
    SERIALFUNC = sparselin_train_serialize, DESERIALFUNC = sparselin_train_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE sgd_train(sparsearray, boolean) IS
    'learns a model by stochastic gradient descent, the last iterate (Dekel, Algorithm 1)';
CREATE AGGREGATE sgd_train(features sparsearray, label boolean, options sparselin_options) (
    SFUNC = sparselin_sgd_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = sparselin_train_combine,
    SERIALFUNC = sparselin_train_serialize, DESERIALFUNC = sparselin_train_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE sgd_train(sparsearray, boolean, sparselin_options) IS
    'learns a model by stochastic gradient descent, the last iterate (Dekel, Algorithm 1); options from sparselin_options()';
CREATE AGGREGATE sgd_train(features sparsearray, label boolean, options sparselin_options, weight float8) (
    SFUNC = sparselin_sgd_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = sparselin_train_combine,
    SERIALFUNC = sparselin_train_serialize, DESERIALFUNC = sparselin_train_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE sgd_train(sparsearray, boolean, sparselin_options, float8) IS
    'learns a model by stochastic gradient descent, the last iterate (Dekel, Algorithm 1); options from sparselin_options() or NULL, and a weight for each row';
CREATE AGGREGATE onepass_train(features sparsearray, label float8) (
    SFUNC = sparselin_onepass_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = sparselin_train_combine,
    SERIALFUNC = sparselin_train_serialize, DESERIALFUNC = sparselin_train_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE onepass_train(sparsearray, float8) IS
    'learns a model in one pass by averaged stochastic gradient descent (Xu); streams by default';
CREATE AGGREGATE onepass_train(features sparsearray, label float8, options sparselin_options) (
    SFUNC = sparselin_onepass_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = sparselin_train_combine,
    SERIALFUNC = sparselin_train_serialize, DESERIALFUNC = sparselin_train_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE onepass_train(sparsearray, float8, sparselin_options) IS
    'learns a model in one pass by averaged stochastic gradient descent (Xu); streams by default; options from sparselin_options()';
CREATE AGGREGATE onepass_train(features sparsearray, label float8, options sparselin_options, weight float8) (
    SFUNC = sparselin_onepass_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = sparselin_train_combine,
    SERIALFUNC = sparselin_train_serialize, DESERIALFUNC = sparselin_train_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE onepass_train(sparsearray, float8, sparselin_options, float8) IS
    'learns a model in one pass by averaged stochastic gradient descent (Xu); streams by default; options from sparselin_options() or NULL, and a weight for each row';
CREATE AGGREGATE onepass_train(features sparsearray, label boolean) (
    SFUNC = sparselin_onepass_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = sparselin_train_combine,
    SERIALFUNC = sparselin_train_serialize, DESERIALFUNC = sparselin_train_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE onepass_train(sparsearray, boolean) IS
    'learns a model in one pass by averaged stochastic gradient descent (Xu); streams by default';
CREATE AGGREGATE onepass_train(features sparsearray, label boolean, options sparselin_options) (
    SFUNC = sparselin_onepass_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = sparselin_train_combine,
    SERIALFUNC = sparselin_train_serialize, DESERIALFUNC = sparselin_train_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE onepass_train(sparsearray, boolean, sparselin_options) IS
    'learns a model in one pass by averaged stochastic gradient descent (Xu); streams by default; options from sparselin_options()';
CREATE AGGREGATE onepass_train(features sparsearray, label boolean, options sparselin_options, weight float8) (
    SFUNC = sparselin_onepass_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = sparselin_train_combine,
    SERIALFUNC = sparselin_train_serialize, DESERIALFUNC = sparselin_train_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE onepass_train(sparsearray, boolean, sparselin_options, float8) IS
    'learns a model in one pass by averaged stochastic gradient descent (Xu); streams by default; options from sparselin_options() or NULL, and a weight for each row';
CREATE AGGREGATE truncated_train(features sparsearray, label float8) (
    SFUNC = sparselin_truncated_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = sparselin_train_combine,
    SERIALFUNC = sparselin_train_serialize, DESERIALFUNC = sparselin_train_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE truncated_train(sparsearray, float8) IS
    'learns a model with few weights by truncated gradient or rounding (Langford, Li, Zhang)';
CREATE AGGREGATE truncated_train(features sparsearray, label float8, options sparselin_options) (
    SFUNC = sparselin_truncated_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = sparselin_train_combine,
    SERIALFUNC = sparselin_train_serialize, DESERIALFUNC = sparselin_train_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE truncated_train(sparsearray, float8, sparselin_options) IS
    'learns a model with few weights by truncated gradient or rounding (Langford, Li, Zhang); options from sparselin_options()';
CREATE AGGREGATE truncated_train(features sparsearray, label float8, options sparselin_options, weight float8) (
    SFUNC = sparselin_truncated_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = sparselin_train_combine,
    SERIALFUNC = sparselin_train_serialize, DESERIALFUNC = sparselin_train_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE truncated_train(sparsearray, float8, sparselin_options, float8) IS
    'learns a model with few weights by truncated gradient or rounding (Langford, Li, Zhang); options from sparselin_options() or NULL, and a weight for each row';
CREATE AGGREGATE truncated_train(features sparsearray, label boolean) (
    SFUNC = sparselin_truncated_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = sparselin_train_combine,
    SERIALFUNC = sparselin_train_serialize, DESERIALFUNC = sparselin_train_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE truncated_train(sparsearray, boolean) IS
    'learns a model with few weights by truncated gradient or rounding (Langford, Li, Zhang)';
CREATE AGGREGATE truncated_train(features sparsearray, label boolean, options sparselin_options) (
    SFUNC = sparselin_truncated_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = sparselin_train_combine,
    SERIALFUNC = sparselin_train_serialize, DESERIALFUNC = sparselin_train_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE truncated_train(sparsearray, boolean, sparselin_options) IS
    'learns a model with few weights by truncated gradient or rounding (Langford, Li, Zhang); options from sparselin_options()';
CREATE AGGREGATE truncated_train(features sparsearray, label boolean, options sparselin_options, weight float8) (
    SFUNC = sparselin_truncated_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = sparselin_train_combine,
    SERIALFUNC = sparselin_train_serialize, DESERIALFUNC = sparselin_train_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE truncated_train(sparsearray, boolean, sparselin_options, float8) IS
    'learns a model with few weights by truncated gradient or rounding (Langford, Li, Zhang); options from sparselin_options() or NULL, and a weight for each row';
CREATE AGGREGATE elasticnet_train(features sparsearray, label float8) (
    SFUNC = sparselin_elasticnet_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = sparselin_train_combine,
    SERIALFUNC = sparselin_train_serialize, DESERIALFUNC = sparselin_train_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE elasticnet_train(sparsearray, float8) IS
    'learns a model with few weights by the lazy elastic net (Lipton, Elkan)';
CREATE AGGREGATE elasticnet_train(features sparsearray, label float8, options sparselin_options) (
    SFUNC = sparselin_elasticnet_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = sparselin_train_combine,
    SERIALFUNC = sparselin_train_serialize, DESERIALFUNC = sparselin_train_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE elasticnet_train(sparsearray, float8, sparselin_options) IS
    'learns a model with few weights by the lazy elastic net (Lipton, Elkan); options from sparselin_options()';
CREATE AGGREGATE elasticnet_train(features sparsearray, label float8, options sparselin_options, weight float8) (
    SFUNC = sparselin_elasticnet_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = sparselin_train_combine,
    SERIALFUNC = sparselin_train_serialize, DESERIALFUNC = sparselin_train_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE elasticnet_train(sparsearray, float8, sparselin_options, float8) IS
    'learns a model with few weights by the lazy elastic net (Lipton, Elkan); options from sparselin_options() or NULL, and a weight for each row';
CREATE AGGREGATE elasticnet_train(features sparsearray, label boolean) (
    SFUNC = sparselin_elasticnet_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = sparselin_train_combine,
    SERIALFUNC = sparselin_train_serialize, DESERIALFUNC = sparselin_train_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE elasticnet_train(sparsearray, boolean) IS
    'learns a model with few weights by the lazy elastic net (Lipton, Elkan)';
CREATE AGGREGATE elasticnet_train(features sparsearray, label boolean, options sparselin_options) (
    SFUNC = sparselin_elasticnet_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = sparselin_train_combine,
    SERIALFUNC = sparselin_train_serialize, DESERIALFUNC = sparselin_train_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE elasticnet_train(sparsearray, boolean, sparselin_options) IS
    'learns a model with few weights by the lazy elastic net (Lipton, Elkan); options from sparselin_options()';
CREATE AGGREGATE elasticnet_train(features sparsearray, label boolean, options sparselin_options, weight float8) (
    SFUNC = sparselin_elasticnet_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = sparselin_train_combine,
    SERIALFUNC = sparselin_train_serialize, DESERIALFUNC = sparselin_train_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE elasticnet_train(sparsearray, boolean, sparselin_options, float8) IS
    'learns a model with few weights by the lazy elastic net (Lipton, Elkan); options from sparselin_options() or NULL, and a weight for each row';

CREATE FUNCTION sparselin_continue_step(internal, sparselin_model, sparsearray, float8) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_continue_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_continue_step(internal, sparselin_model, sparsearray, float8) IS
    'transition function of sparselin_continue';
CREATE FUNCTION sparselin_continue_step(internal, sparselin_model, sparsearray, float8, float8) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_continue_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_continue_step(internal, sparselin_model, sparsearray, float8, float8) IS
    'transition function of sparselin_continue';
CREATE FUNCTION sparselin_continue_step(internal, sparselin_model, sparsearray, boolean) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_continue_step_boolean' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_continue_step(internal, sparselin_model, sparsearray, boolean) IS
    'transition function of sparselin_continue';
CREATE FUNCTION sparselin_continue_step(internal, sparselin_model, sparsearray, boolean, float8) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_continue_step_boolean' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_continue_step(internal, sparselin_model, sparsearray, boolean, float8) IS
    'transition function of sparselin_continue';
CREATE AGGREGATE sparselin_continue(model sparselin_model, features sparsearray, label float8) (
    SFUNC = sparselin_continue_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, PARALLEL = SAFE);
COMMENT ON AGGREGATE sparselin_continue(sparselin_model, sparsearray, float8) IS
    'goes on training from a model, with its learner and options; never in parallel, since each process would count the model''s rows';
CREATE AGGREGATE sparselin_continue(model sparselin_model, features sparsearray, label float8, weight float8) (
    SFUNC = sparselin_continue_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, PARALLEL = SAFE);
COMMENT ON AGGREGATE sparselin_continue(sparselin_model, sparsearray, float8, float8) IS
    'goes on training from a model, with its learner and options, and a weight for each row; never in parallel, since each process would count the model''s rows';
CREATE AGGREGATE sparselin_continue(model sparselin_model, features sparsearray, label boolean) (
    SFUNC = sparselin_continue_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, PARALLEL = SAFE);
COMMENT ON AGGREGATE sparselin_continue(sparselin_model, sparsearray, boolean) IS
    'goes on training from a model, with its learner and options; never in parallel, since each process would count the model''s rows';
CREATE AGGREGATE sparselin_continue(model sparselin_model, features sparsearray, label boolean, weight float8) (
    SFUNC = sparselin_continue_step, STYPE = internal, SSPACE = 32768,
    FINALFUNC = sparselin_train_final, FINALFUNC_MODIFY = READ_WRITE, PARALLEL = SAFE);
COMMENT ON AGGREGATE sparselin_continue(sparselin_model, sparsearray, boolean, float8) IS
    'goes on training from a model, with its learner and options, and a weight for each row; never in parallel, since each process would count the model''s rows';

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
