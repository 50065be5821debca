-- The three types, with what reads and writes them, compares them, and makes them out of others.

-- sparsearray: a row.

CREATE TYPE sparsearray;

CREATE FUNCTION sparsearray_in(cstring) RETURNS sparsearray
    AS 'MODULE_PATHNAME', 'sparsearray_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION sparsearray_out(sparsearray) RETURNS cstring
    AS 'MODULE_PATHNAME', 'sparsearray_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION sparsearray_recv(internal) RETURNS sparsearray
    AS 'MODULE_PATHNAME', 'sparsearray_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION sparsearray_send(sparsearray) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sparsearray_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE sparsearray (
    INPUT = sparsearray_in,
    OUTPUT = sparsearray_out,
    RECEIVE = sparsearray_recv,
    SEND = sparsearray_send,
    INTERNALLENGTH = VARIABLE,
    ALIGNMENT = int4,
    STORAGE = external
);

COMMENT ON TYPE sparsearray IS 'sparse row of numbers: {1:0.5,7:2}/10, indices from 1, the dimension optional';
COMMENT ON FUNCTION sparsearray_in(cstring) IS 'I/O';
COMMENT ON FUNCTION sparsearray_out(sparsearray) IS 'I/O';
COMMENT ON FUNCTION sparsearray_recv(internal) IS 'I/O';
COMMENT ON FUNCTION sparsearray_send(sparsearray) IS 'I/O';

-- From arrays and back.

CREATE FUNCTION sparsearray(indices bigint[], vals double precision[], dim integer DEFAULT 0) RETURNS sparsearray
    AS 'MODULE_PATHNAME', 'sparsearray_from_pairs' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION sparsearray(bigint[], double precision[], integer) IS
    'from indices (from 1, in any order) and their values; dim 0 leaves the dimension open';

CREATE FUNCTION sparsearray(arr real[]) RETURNS sparsearray
    AS 'MODULE_PATHNAME', 'sparsearray_from_real' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION sparsearray(real[]) IS
    'from a dense array; its length is the dimension';

CREATE FUNCTION sparsearray(arr double precision[]) RETURNS sparsearray
    AS 'MODULE_PATHNAME', 'sparsearray_from_double' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION sparsearray(double precision[]) IS
    'from a dense array; its length is the dimension';

CREATE FUNCTION sparsearray(arr smallint[]) RETURNS sparsearray
    AS 'MODULE_PATHNAME', 'sparsearray_from_smallint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION sparsearray(smallint[]) IS
    'from a dense array; its length is the dimension';

CREATE FUNCTION sparsearray(arr integer[]) RETURNS sparsearray
    AS 'MODULE_PATHNAME', 'sparsearray_from_integer' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION sparsearray(integer[]) IS
    'from a dense array; its length is the dimension';

CREATE FUNCTION sparsearray(arr bigint[]) RETURNS sparsearray
    AS 'MODULE_PATHNAME', 'sparsearray_from_bigint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION sparsearray(bigint[]) IS
    'from a dense array; its length is the dimension';

CREATE FUNCTION sparsearray(arr numeric[]) RETURNS sparsearray
    AS 'MODULE_PATHNAME', 'sparsearray_from_numeric' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION sparsearray(numeric[]) IS
    'from a dense array; its length is the dimension';

CREATE FUNCTION sparsearray_to_real(x sparsearray) RETURNS real[]
    AS 'MODULE_PATHNAME', 'sparsearray_to_real' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION sparsearray_to_real(sparsearray) IS
    'as a dense array, as long as the dimension or else the largest index';

CREATE CAST (real[] AS sparsearray) WITH FUNCTION sparsearray(real[]) AS ASSIGNMENT;
CREATE CAST (double precision[] AS sparsearray) WITH FUNCTION sparsearray(double precision[]) AS ASSIGNMENT;
CREATE CAST (smallint[] AS sparsearray) WITH FUNCTION sparsearray(smallint[]) AS ASSIGNMENT;
CREATE CAST (integer[] AS sparsearray) WITH FUNCTION sparsearray(integer[]) AS ASSIGNMENT;
CREATE CAST (bigint[] AS sparsearray) WITH FUNCTION sparsearray(bigint[]) AS ASSIGNMENT;
CREATE CAST (numeric[] AS sparsearray) WITH FUNCTION sparsearray(numeric[]) AS ASSIGNMENT;
CREATE CAST (sparsearray AS real[]) WITH FUNCTION sparsearray_to_real(sparsearray) AS ASSIGNMENT;

COMMENT ON CAST (real[] AS sparsearray) IS 'from a dense array';
COMMENT ON CAST (double precision[] AS sparsearray) IS 'from a dense array';
COMMENT ON CAST (smallint[] AS sparsearray) IS 'from a dense array';
COMMENT ON CAST (integer[] AS sparsearray) IS 'from a dense array';
COMMENT ON CAST (bigint[] AS sparsearray) IS 'from a dense array';
COMMENT ON CAST (numeric[] AS sparsearray) IS 'from a dense array';
COMMENT ON CAST (sparsearray AS real[]) IS 'as a dense array';

-- Asking.

CREATE FUNCTION sparsearray_dim(x sparsearray) RETURNS integer
    AS 'MODULE_PATHNAME', 'sparsearray_dim' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparsearray_dim(sparsearray) IS
    'the dimension, 0 when it is open';

CREATE FUNCTION sparsearray_nnz(x sparsearray) RETURNS integer
    AS 'MODULE_PATHNAME', 'sparsearray_nnz' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparsearray_nnz(sparsearray) IS
    'the number of values that are not zero';

CREATE FUNCTION sparsearray_get(x sparsearray, index bigint) RETURNS real
    AS 'MODULE_PATHNAME', 'sparsearray_get' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparsearray_get(sparsearray, bigint) IS
    'the value at an index from 1 to the dimension, 0 where none is stored';

CREATE FUNCTION sparsearray_entries(x sparsearray, OUT index integer, OUT value real) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sparsearray_entries' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 100;
COMMENT ON FUNCTION sparsearray_entries(sparsearray) IS
    'the indices and values that are not zero, as rows';

CREATE FUNCTION sparsearray_norm(x sparsearray, norm text DEFAULT 'l2') RETURNS double precision
    AS 'MODULE_PATHNAME', 'sparsearray_norm' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION sparsearray_norm(sparsearray, text) IS
    'the length: ''l2'' (Euclidean), ''l1'' (sum of absolute values) or ''max'' (largest absolute value)';

CREATE FUNCTION sparsearray_dot(a sparsearray, b sparsearray) RETURNS double precision
    AS 'MODULE_PATHNAME', 'sparsearray_dot' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION sparsearray_dot(sparsearray, sparsearray) IS
    'the inner product';

-- Computing.

CREATE FUNCTION sparsearray_normalize(x sparsearray, norm text DEFAULT 'l2') RETURNS sparsearray
    AS 'MODULE_PATHNAME', 'sparsearray_normalize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION sparsearray_normalize(sparsearray, text) IS
    'divided by its norm (''l2'', ''l1'' or ''max''); a row of zeros stays as it is, values too small for real are dropped';

CREATE FUNCTION sparsearray_add(a sparsearray, b sparsearray) RETURNS sparsearray
    AS 'MODULE_PATHNAME', 'sparsearray_add' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION sparsearray_add(sparsearray, sparsearray) IS
    'implementation of + operator';

CREATE FUNCTION sparsearray_subtract(a sparsearray, b sparsearray) RETURNS sparsearray
    AS 'MODULE_PATHNAME', 'sparsearray_subtract' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION sparsearray_subtract(sparsearray, sparsearray) IS
    'implementation of - operator';

CREATE FUNCTION sparsearray_scale(x sparsearray, factor double precision) RETURNS sparsearray
    AS 'MODULE_PATHNAME', 'sparsearray_scale' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION sparsearray_scale(sparsearray, double precision) IS
    'implementation of * operator';

CREATE FUNCTION sparsearray_scale(factor double precision, x sparsearray) RETURNS sparsearray
    AS 'MODULE_PATHNAME', 'sparsearray_scale_commuted' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION sparsearray_scale(double precision, sparsearray) IS
    'implementation of * operator';

CREATE FUNCTION sparsearray_multiply(a sparsearray, b sparsearray) RETURNS sparsearray
    AS 'MODULE_PATHNAME', 'sparsearray_multiply' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION sparsearray_multiply(sparsearray, sparsearray) IS
    'value by value: what only one of them has is 0';

CREATE FUNCTION sparsearray_append(a sparsearray, b sparsearray) RETURNS sparsearray
    AS 'MODULE_PATHNAME', 'sparsearray_append' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION sparsearray_append(sparsearray, sparsearray) IS
    'implementation of || operator';

CREATE OPERATOR + (LEFTARG = sparsearray, RIGHTARG = sparsearray, FUNCTION = sparsearray_add, COMMUTATOR = +);
COMMENT ON OPERATOR + (sparsearray, sparsearray) IS 'add';

CREATE OPERATOR - (LEFTARG = sparsearray, RIGHTARG = sparsearray, FUNCTION = sparsearray_subtract);
COMMENT ON OPERATOR - (sparsearray, sparsearray) IS 'subtract';

CREATE OPERATOR * (LEFTARG = sparsearray, RIGHTARG = double precision, FUNCTION = sparsearray_scale, COMMUTATOR = *);
COMMENT ON OPERATOR * (sparsearray, double precision) IS 'multiply by a number';

CREATE OPERATOR * (LEFTARG = double precision, RIGHTARG = sparsearray, FUNCTION = sparsearray_scale, COMMUTATOR = *);
COMMENT ON OPERATOR * (double precision, sparsearray) IS 'multiply by a number';

CREATE OPERATOR || (LEFTARG = sparsearray, RIGHTARG = sparsearray, FUNCTION = sparsearray_append);
COMMENT ON OPERATOR || (sparsearray, sparsearray) IS 'append: the indices of the right one follow the dimension of the left one, which must be known';

-- sparselin_options: how to learn.

CREATE TYPE sparselin_options;

CREATE FUNCTION sparselin_options_in(cstring) RETURNS sparselin_options
    AS 'MODULE_PATHNAME', 'sparselin_options_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION sparselin_options_out(sparselin_options) RETURNS cstring
    AS 'MODULE_PATHNAME', 'sparselin_options_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION sparselin_options_recv(internal) RETURNS sparselin_options
    AS 'MODULE_PATHNAME', 'sparselin_options_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION sparselin_options_send(sparselin_options) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sparselin_options_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE sparselin_options (
    INPUT = sparselin_options_in,
    OUTPUT = sparselin_options_out,
    RECEIVE = sparselin_options_recv,
    SEND = sparselin_options_send,
    STORAGE = extended
);
COMMENT ON TYPE sparselin_options IS
    'how to learn: ''loss=hinge lambda=1e-4 epochs=5''; names and values are listed by sparselin_option_table()';
COMMENT ON FUNCTION sparselin_options_in(cstring) IS 'I/O';
COMMENT ON FUNCTION sparselin_options_out(sparselin_options) IS 'I/O';
COMMENT ON FUNCTION sparselin_options_recv(internal) IS 'I/O';
COMMENT ON FUNCTION sparselin_options_send(sparselin_options) IS 'I/O';

-- Argument names, types and order are those of the table in src/learn/options/option_table.cpp.
CREATE FUNCTION sparselin_options(
    loss text DEFAULT NULL,
    delta float8 DEFAULT NULL,
    quantile float8 DEFAULT NULL,
    search boolean DEFAULT NULL,
    lambda float8 DEFAULT NULL,
    l1 float8 DEFAULT NULL,
    epochs float8 DEFAULT NULL,
    sampling text DEFAULT NULL,
    seed float8 DEFAULT NULL,
    step_offset float8 DEFAULT NULL,
    average_power float8 DEFAULT NULL,
    implicit_above float8 DEFAULT NULL,
    gamma0 float8 DEFAULT NULL,
    decay float8 DEFAULT NULL,
    decay_rate float8 DEFAULT NULL,
    average_start float8 DEFAULT NULL,
    eta0 float8 DEFAULT NULL,
    power float8 DEFAULT NULL,
    method text DEFAULT NULL,
    gravity float8 DEFAULT NULL,
    truncate_every float8 DEFAULT NULL,
    threshold float8 DEFAULT NULL,
    clip_min float8 DEFAULT NULL,
    clip_max float8 DEFAULT NULL,
    scale text DEFAULT NULL,
    norm text DEFAULT NULL,
    class_weight text DEFAULT NULL,
    intercept boolean DEFAULT NULL,
    settle boolean DEFAULT NULL,
    center sparsearray DEFAULT NULL,
    resumable boolean DEFAULT NULL,
    classes text[] DEFAULT NULL
) RETURNS sparselin_options
    AS 'MODULE_PATHNAME', 'sparselin_options' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_options(
    text, float8, float8, boolean, float8, float8, float8, text, float8, float8, float8, float8, float8, float8, float8,
    float8, float8, float8, text, float8, float8, float8, float8, float8, text, text, text, boolean, boolean,
    sparsearray, boolean, text[])
    IS 'options by name: sparselin_options(loss => ''hinge'', lambda => 1e-4); NULL means the learner''s default';

CREATE FUNCTION sparselin_option_table(
    OUT name text, OUT type text, OUT default_value text, OUT allowed text, OUT learners text[], OUT meaning text
) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sparselin_option_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 32;
COMMENT ON FUNCTION sparselin_option_table() IS 'every option: its type, default, allowed values, learners and meaning';

-- Comparing. Two sparsearrays are equal when dimension and values are; options are compared bytewise. The order serves
-- DISTINCT, GROUP BY, UNION and indexes only.
DO $generate$
DECLARE
    path text := pg_catalog.current_setting('search_path');
    ours text := '@extschema@';
    made record;
BEGIN
    SET LOCAL search_path = pg_catalog, pg_temp;
    FOR made IN
        SELECT *
        FROM (VALUES ('sparsearray', 'a ', 'b ', ''), ('sparselin_options', '', '', ', bytewise')) AS types (type, a, b, how),
             (VALUES
                ('eq', '=', '=', '<>', 'eq', ', HASHES, MERGES', 'equal'),
                ('ne', '<>', '<>', '=', 'neq', '', 'not equal'),
                ('lt', '<', '>', '>=', 'scalarlt', '', 'less than'),
                ('le', '<=', '>=', '>', 'scalarle', '', 'less than or equal'),
                ('gt', '>', '<', '<=', 'scalargt', '', 'greater than'),
                ('ge', '>=', '<=', '<', 'scalarge', '', 'greater than or equal')
             ) AS operators (name, operator, commutator, negator, estimator, more, meaning)
    LOOP
        EXECUTE format($sql$
            CREATE FUNCTION %1$s.%2$s_%3$s(%4$s%1$s.%2$s, %5$s%1$s.%2$s) RETURNS boolean
                AS 'MODULE_PATHNAME', '%2$s_%3$s' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
            COMMENT ON FUNCTION %1$s.%2$s_%3$s(%1$s.%2$s, %1$s.%2$s) IS 'implementation of %6$s operator';
            CREATE OPERATOR %1$s.%6$s (
                LEFTARG = %1$s.%2$s, RIGHTARG = %1$s.%2$s, FUNCTION = %1$s.%2$s_%3$s,
                COMMUTATOR = OPERATOR(%1$s.%7$s), NEGATOR = OPERATOR(%1$s.%8$s),
                RESTRICT = %9$ssel, JOIN = %9$sjoinsel%10$s);
            COMMENT ON OPERATOR %1$s.%6$s (%1$s.%2$s, %1$s.%2$s) IS '%11$s%12$s';
            $sql$,
            ours, made.type, made.name, made.a, made.b, made.operator, made.commutator, made.negator, made.estimator,
            made.more, made.meaning, made.how);
    END LOOP;
    PERFORM set_config('search_path', path, true);
END $generate$;

CREATE FUNCTION sparsearray_cmp(a sparsearray, b sparsearray) RETURNS integer
    AS 'MODULE_PATHNAME', 'sparsearray_cmp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparsearray_cmp(sparsearray, sparsearray) IS
    'less-equal-greater';

CREATE FUNCTION sparsearray_hash(x sparsearray) RETURNS integer
    AS 'MODULE_PATHNAME', 'sparsearray_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparsearray_hash(sparsearray) IS
    'hash';

CREATE FUNCTION sparsearray_hash_extended(x sparsearray, seed bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'sparsearray_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparsearray_hash_extended(sparsearray, bigint) IS
    'hash';

CREATE OPERATOR CLASS sparsearray_ops DEFAULT FOR TYPE sparsearray USING btree AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 sparsearray_cmp(sparsearray, sparsearray);
CREATE OPERATOR CLASS sparsearray_ops DEFAULT FOR TYPE sparsearray USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 sparsearray_hash(sparsearray),
    FUNCTION 2 sparsearray_hash_extended(sparsearray, bigint);
COMMENT ON OPERATOR CLASS sparsearray_ops USING btree IS 'by dimension, number of non-zeros, indices, values';
COMMENT ON OPERATOR CLASS sparsearray_ops USING hash IS 'hash of the whole value';
COMMENT ON OPERATOR FAMILY sparsearray_ops USING btree IS 'by dimension, number of non-zeros, indices, values';
COMMENT ON OPERATOR FAMILY sparsearray_ops USING hash IS 'hash of the whole value';

CREATE FUNCTION sparselin_options_cmp(sparselin_options, sparselin_options) RETURNS int4
    AS 'MODULE_PATHNAME', 'sparselin_options_cmp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_options_cmp(sparselin_options, sparselin_options) IS 'less-equal-greater, bytewise';

CREATE FUNCTION sparselin_options_hash(sparselin_options) RETURNS int4
    AS 'MODULE_PATHNAME', 'sparselin_options_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_options_hash(sparselin_options) IS 'hash';

CREATE FUNCTION sparselin_options_hash_extended(sparselin_options, int8) RETURNS int8
    AS 'MODULE_PATHNAME', 'sparselin_options_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_options_hash_extended(sparselin_options, int8) IS 'hash';

CREATE OPERATOR CLASS sparselin_options_ops DEFAULT FOR TYPE sparselin_options USING btree AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 sparselin_options_cmp(sparselin_options, sparselin_options),
    FUNCTION 4 btequalimage(oid);
COMMENT ON OPERATOR CLASS sparselin_options_ops USING btree IS 'bytewise, so that DISTINCT, GROUP BY and ORDER BY work';

CREATE OPERATOR CLASS sparselin_options_ops DEFAULT FOR TYPE sparselin_options USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 sparselin_options_hash(sparselin_options),
    FUNCTION 2 sparselin_options_hash_extended(sparselin_options, int8);
COMMENT ON OPERATOR CLASS sparselin_options_ops USING hash IS 'bytewise, so that DISTINCT and GROUP BY work';
COMMENT ON OPERATOR FAMILY sparselin_options_ops USING btree IS 'bytewise, so that DISTINCT, GROUP BY and ORDER BY work';
COMMENT ON OPERATOR FAMILY sparselin_options_ops USING hash IS 'bytewise, so that DISTINCT and GROUP BY work';

-- sparselin_model: what was learned.

CREATE TYPE sparselin_model;

CREATE FUNCTION sparselin_model_in(cstring) RETURNS sparselin_model
    AS 'MODULE_PATHNAME', 'sparselin_model_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_model_in(cstring) IS 'I/O';

CREATE FUNCTION sparselin_model_out(sparselin_model) RETURNS cstring
    AS 'MODULE_PATHNAME', 'sparselin_model_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_model_out(sparselin_model) IS 'I/O';

CREATE FUNCTION sparselin_model_recv(internal) RETURNS sparselin_model
    AS 'MODULE_PATHNAME', 'sparselin_model_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_model_recv(internal) IS 'I/O';

CREATE FUNCTION sparselin_model_send(sparselin_model) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sparselin_model_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_model_send(sparselin_model) IS 'I/O';

CREATE TYPE sparselin_model (
    INPUT = sparselin_model_in,
    OUTPUT = sparselin_model_out,
    RECEIVE = sparselin_model_recv,
    SEND = sparselin_model_send,
    STORAGE = external
);
COMMENT ON TYPE sparselin_model IS
    'a trained model: JSON as text, with at least the keys learner, loss and weights; look at it with sparselin_info()';

CREATE FUNCTION sparselin_model(jsonb) RETURNS sparselin_model
    AS 'MODULE_PATHNAME', 'sparselin_model_from_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparselin_model(jsonb) IS 'a model from its JSON form';

CREATE FUNCTION jsonb(sparselin_model) RETURNS jsonb
    AS 'MODULE_PATHNAME', 'sparselin_model_to_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION jsonb(sparselin_model) IS 'a model as JSON, without what is needed to train on';

CREATE CAST (jsonb AS sparselin_model) WITH FUNCTION sparselin_model(jsonb) AS ASSIGNMENT;
COMMENT ON CAST (jsonb AS sparselin_model) IS 'a model from its JSON form';

CREATE CAST (sparselin_model AS jsonb) WITH FUNCTION jsonb(sparselin_model) AS ASSIGNMENT;
COMMENT ON CAST (sparselin_model AS jsonb) IS 'a model as JSON, without what is needed to train on';
