-- Looking into models, and at what a model says of a row.

CREATE FUNCTION sparselin_info(
    model sparselin_model,
    OUT learner text, OUT loss text, OUT labels text, OUT nonzero bigint, OUT dimension int, OUT bias float8,
    OUT rows bigint, OUT skipped bigint, OUT steps bigint, OUT epochs bigint, OUT lambda float8,
    OUT progressive_loss float8, OUT options text, OUT resumable boolean, OUT bytes bigint
) RETURNS record
    AS 'MODULE_PATHNAME', 'sparselin_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparselin_info(sparselin_model) IS
    'the facts of a model; dimension is NULL when it is open, bytes is the size before compression';

CREATE FUNCTION sparselin_weights(model sparselin_model, OUT feature int, OUT weight float8) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sparselin_weights' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10000;
COMMENT ON FUNCTION sparselin_weights(sparselin_model) IS 'the weights that are not zero, by feature';

-- Contributions of features to the score of a row; NULL for a model or a row gives no rows.
CREATE FUNCTION sparselin_explain(
    model sparselin_model, features sparsearray, top integer DEFAULT NULL,
    OUT name text, OUT feature integer, OUT value real, OUT weight float8, OUT contribution float8
) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sparselin_explain_sparsearray' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100 ROWS 20;
COMMENT ON FUNCTION sparselin_explain(sparselin_model, sparsearray, integer) IS
    'what each feature adds to the score of a row, the largest first, and the bias: together they are sparselin_predict()';

CREATE FUNCTION sparselin_explain(
    model sparselin_model, source tsvector, top integer DEFAULT NULL, idf sparsearray DEFAULT NULL, norm text DEFAULT NULL,
    OUT name text, OUT feature integer, OUT value real, OUT weight float8, OUT contribution float8
) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sparselin_explain_tsvector' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 200 ROWS 20;
COMMENT ON FUNCTION sparselin_explain(sparselin_model, tsvector, integer, sparsearray, text) IS
    'the same by name, for a model of sparselin_features(source), with idf and sparsearray_normalize(..., norm) as in training';

CREATE FUNCTION sparselin_explain(
    model sparselin_model, source text[], top integer DEFAULT NULL, idf sparsearray DEFAULT NULL, norm text DEFAULT NULL,
    OUT name text, OUT feature integer, OUT value real, OUT weight float8, OUT contribution float8
) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sparselin_explain_text_array' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 200 ROWS 20;
COMMENT ON FUNCTION sparselin_explain(sparselin_model, text[], integer, sparsearray, text) IS
    'the same by name, for a model of sparselin_features(source), with idf and sparsearray_normalize(..., norm) as in training';

CREATE FUNCTION sparselin_explain(
    model sparselin_model, source jsonb, top integer DEFAULT NULL, idf sparsearray DEFAULT NULL, norm text DEFAULT NULL,
    OUT name text, OUT feature integer, OUT value real, OUT weight float8, OUT contribution float8
) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sparselin_explain_jsonb' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 200 ROWS 20;
COMMENT ON FUNCTION sparselin_explain(sparselin_model, jsonb, integer, sparsearray, text) IS
    'the same by name, for a model of sparselin_features(source), with idf and sparsearray_normalize(..., norm) as in training';

CREATE FUNCTION sparselin_explain(
    model sparselin_model, source record, top integer DEFAULT NULL, exclude text[] DEFAULT '{}', idf sparsearray DEFAULT NULL, norm text DEFAULT NULL,
    OUT name text, OUT feature integer, OUT value real, OUT weight float8, OUT contribution float8
) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sparselin_explain_row' LANGUAGE C STABLE PARALLEL SAFE COST 200 ROWS 20;
COMMENT ON FUNCTION sparselin_explain(sparselin_model, record, integer, text[], sparsearray, text) IS
    'the same by name, for a model of sparselin_features(source), with idf and sparsearray_normalize(..., norm) as in training';

CREATE FUNCTION sparselin_history(model sparselin_model, OUT step bigint, OUT loss float8) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sparselin_history' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 30;
COMMENT ON FUNCTION sparselin_history(sparselin_model) IS
    'how learning went: the mean loss over the steps since the row before, up to this step';

CREATE FUNCTION sparselin_history_plot(model sparselin_model) RETURNS text
    AS 'MODULE_PATHNAME', 'sparselin_history_plot' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparselin_history_plot(sparselin_model) IS
    'the history as a picture, SVG on one line: psql -At -c "SELECT sparselin_history_plot(...)" -o loss.svg';
