-- Preparing features: rows as sparse arrays, from names, tables and files.

-- From names, hashed to 1 .. 2^bits.

CREATE FUNCTION sparselin_features(source tsvector, bits integer DEFAULT 20, ngrams integer DEFAULT 1, tf text DEFAULT 'count')
    RETURNS sparsearray
    AS 'MODULE_PATHNAME', 'sparselin_features_tsvector' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_features(tsvector, integer, integer, text) IS
    'features by name: each lexeme, with the number of its positions, and runs of up to ngrams neighbouring ones; tf is count, log or binary';

CREATE FUNCTION sparselin_features(source text[], bits integer DEFAULT 20) RETURNS sparsearray
    AS 'MODULE_PATHNAME', 'sparselin_features_text_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_features(text[], integer) IS
    'features by name: each element counts 1, NULLs nothing';

CREATE FUNCTION sparselin_features(source jsonb, bits integer DEFAULT 20) RETURNS sparsearray
    AS 'MODULE_PATHNAME', 'sparselin_features_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 40;
COMMENT ON FUNCTION sparselin_features(jsonb, integer) IS
    'features by name: {"age": 30, "lang": "de", "pages": [1, 2]} gives age, lang=de, pages=1 and pages=2; dotted names for nested objects';

CREATE FUNCTION sparselin_features(source record, bits integer DEFAULT 20, exclude text[] DEFAULT '{}') RETURNS sparsearray
    AS 'MODULE_PATHNAME', 'sparselin_features_row' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 40;
COMMENT ON FUNCTION sparselin_features(record, integer, text[]) IS
    'features by name of a row, columns being the names: numbers as such, NULLs as column is null, dates as years and their parts, anything else as column=value; exclude label and id';

CREATE FUNCTION sparselin_features(source tsvector, bits integer, idf sparsearray, ngrams integer DEFAULT 1, tf text DEFAULT 'count')
    RETURNS sparsearray
    AS 'MODULE_PATHNAME', 'sparselin_features_tsvector' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 30;
COMMENT ON FUNCTION sparselin_features(tsvector, integer, sparsearray, integer, text) IS
    'the same, each value multiplied by that of sparselin_idf()';

CREATE FUNCTION sparselin_features(source text[], bits integer, idf sparsearray) RETURNS sparsearray
    AS 'MODULE_PATHNAME', 'sparselin_features_text_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 30;
COMMENT ON FUNCTION sparselin_features(text[], integer, sparsearray) IS
    'the same, each value multiplied by that of sparselin_idf()';

CREATE FUNCTION sparselin_features(source jsonb, bits integer, idf sparsearray) RETURNS sparsearray
    AS 'MODULE_PATHNAME', 'sparselin_features_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION sparselin_features(jsonb, integer, sparsearray) IS
    'the same, each value multiplied by that of sparselin_idf()';

CREATE FUNCTION sparselin_features(source record, bits integer, exclude text[], idf sparsearray) RETURNS sparsearray
    AS 'MODULE_PATHNAME', 'sparselin_features_row' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION sparselin_features(record, integer, text[], sparsearray) IS
    'the same, each value multiplied by that of sparselin_idf()';

CREATE FUNCTION sparselin_names(
    source tsvector, bits integer DEFAULT 20, ngrams integer DEFAULT 1, tf text DEFAULT 'count',
    OUT feature integer, OUT name text, OUT value real
) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sparselin_names_tsvector' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 20;
COMMENT ON FUNCTION sparselin_names(tsvector, integer, integer, text) IS
    'what sparselin_features() adds up, with its names: each lexeme, and runs of neighbouring ones, new york';

CREATE FUNCTION sparselin_names(
    source text[], bits integer DEFAULT 20, OUT feature integer, OUT name text, OUT value real
) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sparselin_names_text_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 20;
COMMENT ON FUNCTION sparselin_names(text[], integer) IS
    'what sparselin_features() adds up, with its names: each element';

CREATE FUNCTION sparselin_names(
    source jsonb, bits integer DEFAULT 20, OUT feature integer, OUT name text, OUT value real
) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sparselin_names_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 20;
COMMENT ON FUNCTION sparselin_names(jsonb, integer) IS
    'what sparselin_features() adds up, with its names: each key, or key=value';

CREATE FUNCTION sparselin_names(
    source record, bits integer DEFAULT 20, exclude text[] DEFAULT '{}', OUT feature integer, OUT name text, OUT value real
) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sparselin_names_row' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 100 ROWS 20;
COMMENT ON FUNCTION sparselin_names(record, integer, text[]) IS
    'what sparselin_features() adds up, with its names: each column, or column=value';

CREATE FUNCTION sparselin_bucket(value double precision, bounds double precision[]) RETURNS text
    AS 'MODULE_PATHNAME', 'sparselin_bucket' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_bucket(double precision, double precision[]) IS
    'a number as a category, by the bounds around it: 18 to 30 for 18 and all below 30; below 18; 65 and above';

CREATE FUNCTION sparsearray_interact(a sparsearray, b sparsearray, bits integer DEFAULT 20) RETURNS sparsearray
    AS 'MODULE_PATHNAME', 'sparsearray_interact' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION sparsearray_interact(sparsearray, sparsearray, integer) IS
    'the products of each feature of one with each of the other, hashed to 1 .. 2^bits';

-- From rows and files.

CREATE FUNCTION sparselin_libsvm(line text, OUT label double precision, OUT features sparsearray) RETURNS record
    AS 'MODULE_PATHNAME', 'sparselin_libsvm' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_libsvm(text) IS
    'the label and features of one line of an svmlight or LIBSVM file: +1 3:0.5 7:2 # comment; NULLs for a blank line';

CREATE FUNCTION sparsearray_agg_step(internal, bigint, float8) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparsearray_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sparsearray_agg_step(internal, bigint, float8) IS 'transition function of sparsearray_agg';

CREATE FUNCTION sparsearray_agg_step(internal, bigint, float8, integer) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparsearray_agg_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sparsearray_agg_step(internal, bigint, float8, integer) IS 'transition function of sparsearray_agg with a dimension';

CREATE FUNCTION sparsearray_sum_step(internal, sparsearray) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparsearray_sum_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sparsearray_sum_step(internal, sparsearray) IS 'transition function of sparsearray_sum and sparsearray_avg';

CREATE FUNCTION sparsearray_sum_combine(internal, internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparsearray_sum_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sparsearray_sum_combine(internal, internal) IS 'combine function of sparsearray_agg, sparsearray_sum, sparsearray_avg and sparselin_idf';

CREATE FUNCTION sparsearray_sum_serialize(internal) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sparsearray_sum_serialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparsearray_sum_serialize(internal) IS 'serialize function of sparsearray_agg, sparsearray_sum, sparsearray_avg and sparselin_idf';

CREATE FUNCTION sparsearray_sum_deserialize(bytea, internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparsearray_sum_deserialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparsearray_sum_deserialize(bytea, internal) IS 'deserialize function of sparsearray_agg, sparsearray_sum, sparsearray_avg and sparselin_idf';

CREATE FUNCTION sparsearray_sum_final(internal) RETURNS sparsearray
    AS 'MODULE_PATHNAME', 'sparsearray_sum_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparsearray_sum_final(internal) IS 'final function of sparsearray_agg and sparsearray_sum';

CREATE FUNCTION sparsearray_avg_final(internal) RETURNS sparsearray
    AS 'MODULE_PATHNAME', 'sparsearray_avg_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparsearray_avg_final(internal) IS 'final function of sparsearray_avg';

CREATE AGGREGATE sparsearray_agg(index bigint, value float8) (
    STYPE = internal, SSPACE = 1000,
    SFUNC = sparsearray_agg_step, FINALFUNC = sparsearray_sum_final,
    COMBINEFUNC = sparsearray_sum_combine,
    SERIALFUNC = sparsearray_sum_serialize, DESERIALFUNC = sparsearray_sum_deserialize,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparsearray_agg(index bigint, value float8) IS 'a sparsearray from rows of (index, value), indices from 1; values of the same index add up';

CREATE AGGREGATE sparsearray_agg(index bigint, value float8, dim integer) (
    STYPE = internal, SSPACE = 1000,
    SFUNC = sparsearray_agg_step, FINALFUNC = sparsearray_sum_final,
    COMBINEFUNC = sparsearray_sum_combine,
    SERIALFUNC = sparsearray_sum_serialize, DESERIALFUNC = sparsearray_sum_deserialize,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparsearray_agg(index bigint, value float8, dim integer) IS 'the same of a dimension, which all rows say';

CREATE AGGREGATE sparsearray_sum(sparsearray) (
    STYPE = internal, SSPACE = 1000,
    SFUNC = sparsearray_sum_step, FINALFUNC = sparsearray_sum_final,
    COMBINEFUNC = sparsearray_sum_combine,
    SERIALFUNC = sparsearray_sum_serialize, DESERIALFUNC = sparsearray_sum_deserialize,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparsearray_sum(sparsearray) IS 'the sum of all non-null sparsearrays';

CREATE AGGREGATE sparsearray_avg(sparsearray) (
    STYPE = internal, SSPACE = 1000,
    SFUNC = sparsearray_sum_step, FINALFUNC = sparsearray_avg_final,
    COMBINEFUNC = sparsearray_sum_combine,
    SERIALFUNC = sparsearray_sum_serialize, DESERIALFUNC = sparsearray_sum_deserialize,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparsearray_avg(sparsearray) IS 'the mean of all non-null sparsearrays';

CREATE FUNCTION sparselin_idf_step(internal, sparsearray) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_idf_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_idf_step(internal, sparsearray) IS 'transition function of sparselin_idf';

CREATE FUNCTION sparselin_idf_final(internal) RETURNS sparsearray
    AS 'MODULE_PATHNAME', 'sparselin_idf_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_idf_final(internal) IS 'final function of sparselin_idf';

CREATE AGGREGATE sparselin_idf(features sparsearray) (
    STYPE = internal, SSPACE = 1000,
    SFUNC = sparselin_idf_step, FINALFUNC = sparselin_idf_final,
    COMBINEFUNC = sparsearray_sum_combine,
    SERIALFUNC = sparsearray_sum_serialize, DESERIALFUNC = sparsearray_sum_deserialize,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparselin_idf(sparsearray) IS
    'inverse document frequencies, for sparselin_features(source, bits, idf): log((1 + rows) / (1 + rows with the feature)) + 1';
