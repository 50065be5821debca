-- sparselin 1.0.0: linear models learned inside the database, on sparse data.
\echo Use "CREATE EXTENSION sparselin" to load this file. \quit

--------------------------------------------------------------------------------------------------------
-- Types: sparsearray
--------------------------------------------------------------------------------------------------------

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

-- Comparing: equal means equal dimension and values; the order serves DISTINCT, GROUP BY, UNION and indexes only.

CREATE FUNCTION sparsearray_eq(a sparsearray, b sparsearray) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sparsearray_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparsearray_eq(sparsearray, sparsearray) IS
    'implementation of = operator';

CREATE FUNCTION sparsearray_ne(a sparsearray, b sparsearray) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sparsearray_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparsearray_ne(sparsearray, sparsearray) IS
    'implementation of <> operator';

CREATE FUNCTION sparsearray_lt(a sparsearray, b sparsearray) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sparsearray_lt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparsearray_lt(sparsearray, sparsearray) IS
    'implementation of < operator';

CREATE FUNCTION sparsearray_le(a sparsearray, b sparsearray) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sparsearray_le' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparsearray_le(sparsearray, sparsearray) IS
    'implementation of <= operator';

CREATE FUNCTION sparsearray_gt(a sparsearray, b sparsearray) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sparsearray_gt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparsearray_gt(sparsearray, sparsearray) IS
    'implementation of > operator';

CREATE FUNCTION sparsearray_ge(a sparsearray, b sparsearray) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sparsearray_ge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparsearray_ge(sparsearray, sparsearray) IS
    'implementation of >= operator';

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

CREATE OPERATOR = (LEFTARG = sparsearray, RIGHTARG = sparsearray, FUNCTION = sparsearray_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES);
COMMENT ON OPERATOR = (sparsearray, sparsearray) IS 'equal';

CREATE OPERATOR <> (LEFTARG = sparsearray, RIGHTARG = sparsearray, FUNCTION = sparsearray_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel);
COMMENT ON OPERATOR <> (sparsearray, sparsearray) IS 'not equal';

CREATE OPERATOR < (LEFTARG = sparsearray, RIGHTARG = sparsearray, FUNCTION = sparsearray_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
COMMENT ON OPERATOR < (sparsearray, sparsearray) IS 'less than';

CREATE OPERATOR <= (LEFTARG = sparsearray, RIGHTARG = sparsearray, FUNCTION = sparsearray_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
COMMENT ON OPERATOR <= (sparsearray, sparsearray) IS 'less than or equal';

CREATE OPERATOR > (LEFTARG = sparsearray, RIGHTARG = sparsearray, FUNCTION = sparsearray_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
COMMENT ON OPERATOR > (sparsearray, sparsearray) IS 'greater than';

CREATE OPERATOR >= (LEFTARG = sparsearray, RIGHTARG = sparsearray, FUNCTION = sparsearray_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel);
COMMENT ON OPERATOR >= (sparsearray, sparsearray) IS 'greater than or equal';

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

--------------------------------------------------------------------------------------------------------
-- Types: sparselin_options
--------------------------------------------------------------------------------------------------------

CREATE TYPE sparselin_options;

CREATE FUNCTION sparselin_options_in(cstring) RETURNS sparselin_options
    AS 'MODULE_PATHNAME', 'sparselin_options_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_options_in(cstring) IS 'I/O';

CREATE FUNCTION sparselin_options_out(sparselin_options) RETURNS cstring
    AS 'MODULE_PATHNAME', 'sparselin_options_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_options_out(sparselin_options) IS 'I/O';

CREATE FUNCTION sparselin_options_recv(internal) RETURNS sparselin_options
    AS 'MODULE_PATHNAME', 'sparselin_options_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_options_recv(internal) IS 'I/O';

CREATE FUNCTION sparselin_options_send(sparselin_options) RETURNS bytea
    AS 'MODULE_PATHNAME', 'sparselin_options_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_options_send(sparselin_options) IS 'I/O';

CREATE TYPE sparselin_options (
    INPUT = sparselin_options_in,
    OUTPUT = sparselin_options_out,
    RECEIVE = sparselin_options_recv,
    SEND = sparselin_options_send,
    STORAGE = extended
);
COMMENT ON TYPE sparselin_options IS
    'how to learn: ''loss=hinge lambda=1e-4 epochs=5''; names and values are listed by sparselin_option_table()';

-- Argument names, types and order are those of the table in src/learn/options/option_table.cpp.
CREATE FUNCTION sparselin_options(
    loss text DEFAULT NULL,
    lambda float8 DEFAULT NULL,
    l1 float8 DEFAULT NULL,
    epochs float8 DEFAULT NULL,
    sampling text DEFAULT NULL,
    seed float8 DEFAULT NULL,
    step_offset float8 DEFAULT NULL,
    average_power float8 DEFAULT NULL,
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
    class_weight text DEFAULT NULL,
    intercept boolean DEFAULT NULL,
    center sparsearray DEFAULT NULL,
    resumable boolean DEFAULT NULL
) RETURNS sparselin_options
    AS 'MODULE_PATHNAME', 'sparselin_options' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_options(
    text, float8, float8, float8, text, float8, float8, float8, float8, float8, float8, float8,
    float8, float8, text, float8, float8, float8, float8, float8, text, text, boolean, sparsearray,
    boolean)
    IS 'options by name: sparselin_options(loss => ''hinge'', lambda => 1e-4); NULL means the learner''s default';

CREATE FUNCTION sparselin_option_table(
    OUT name text, OUT type text, OUT default_value text, OUT allowed text, OUT learners text[], OUT meaning text
) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sparselin_option_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 25;
COMMENT ON FUNCTION sparselin_option_table() IS 'every option: its type, default, allowed values, learners and meaning';

CREATE FUNCTION sparselin_options_eq(sparselin_options, sparselin_options) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sparselin_options_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_options_eq(sparselin_options, sparselin_options) IS 'implementation of = operator';

CREATE FUNCTION sparselin_options_ne(sparselin_options, sparselin_options) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sparselin_options_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_options_ne(sparselin_options, sparselin_options) IS 'implementation of <> operator';

CREATE FUNCTION sparselin_options_lt(sparselin_options, sparselin_options) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sparselin_options_lt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_options_lt(sparselin_options, sparselin_options) IS 'implementation of < operator';

CREATE FUNCTION sparselin_options_le(sparselin_options, sparselin_options) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sparselin_options_le' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_options_le(sparselin_options, sparselin_options) IS 'implementation of <= operator';

CREATE FUNCTION sparselin_options_gt(sparselin_options, sparselin_options) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sparselin_options_gt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_options_gt(sparselin_options, sparselin_options) IS 'implementation of > operator';

CREATE FUNCTION sparselin_options_ge(sparselin_options, sparselin_options) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sparselin_options_ge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_options_ge(sparselin_options, sparselin_options) IS 'implementation of >= operator';

CREATE FUNCTION sparselin_options_cmp(sparselin_options, sparselin_options) RETURNS int4
    AS 'MODULE_PATHNAME', 'sparselin_options_cmp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_options_cmp(sparselin_options, sparselin_options) IS 'less-equal-greater, bytewise';

CREATE FUNCTION sparselin_options_hash(sparselin_options) RETURNS int4
    AS 'MODULE_PATHNAME', 'sparselin_options_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_options_hash(sparselin_options) IS 'hash';

CREATE FUNCTION sparselin_options_hash_extended(sparselin_options, int8) RETURNS int8
    AS 'MODULE_PATHNAME', 'sparselin_options_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_options_hash_extended(sparselin_options, int8) IS 'hash';

CREATE OPERATOR = (
    LEFTARG = sparselin_options, RIGHTARG = sparselin_options, FUNCTION = sparselin_options_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
COMMENT ON OPERATOR = (sparselin_options, sparselin_options) IS 'equal, bytewise';

CREATE OPERATOR <> (
    LEFTARG = sparselin_options, RIGHTARG = sparselin_options, FUNCTION = sparselin_options_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (sparselin_options, sparselin_options) IS 'not equal, bytewise';

CREATE OPERATOR < (
    LEFTARG = sparselin_options, RIGHTARG = sparselin_options, FUNCTION = sparselin_options_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (sparselin_options, sparselin_options) IS 'less than, bytewise';

CREATE OPERATOR <= (
    LEFTARG = sparselin_options, RIGHTARG = sparselin_options, FUNCTION = sparselin_options_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (sparselin_options, sparselin_options) IS 'less than or equal, bytewise';

CREATE OPERATOR > (
    LEFTARG = sparselin_options, RIGHTARG = sparselin_options, FUNCTION = sparselin_options_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (sparselin_options, sparselin_options) IS 'greater than, bytewise';

CREATE OPERATOR >= (
    LEFTARG = sparselin_options, RIGHTARG = sparselin_options, FUNCTION = sparselin_options_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (sparselin_options, sparselin_options) IS 'greater than or equal, bytewise';

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

--------------------------------------------------------------------------------------------------------
-- Types: sparselin_model
--------------------------------------------------------------------------------------------------------

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

--------------------------------------------------------------------------------------------------------
-- Preparing features
--------------------------------------------------------------------------------------------------------

-- From names, hashed to 1 .. 2^bits.

CREATE FUNCTION sparselin_features(source tsvector, bits integer DEFAULT 20) RETURNS sparsearray
    AS 'MODULE_PATHNAME', 'sparselin_features_tsvector' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_features(tsvector, integer) IS
    'features by name: each lexeme, with the number of its positions';

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
    'features by name of a row, columns being the names: numbers as such, anything else as column=value; exclude label and id';

CREATE FUNCTION sparselin_features(source tsvector, bits integer, idf sparsearray) RETURNS sparsearray
    AS 'MODULE_PATHNAME', 'sparselin_features_tsvector' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 30;
COMMENT ON FUNCTION sparselin_features(tsvector, integer, sparsearray) IS
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
    source tsvector, bits integer DEFAULT 20, OUT feature integer, OUT name text, OUT value real
) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sparselin_names_tsvector' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 20;
COMMENT ON FUNCTION sparselin_names(tsvector, integer) IS
    'what sparselin_features() adds up, with its names: each lexeme';

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

--------------------------------------------------------------------------------------------------------
-- Training
--------------------------------------------------------------------------------------------------------
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

--------------------------------------------------------------------------------------------------------
-- Applying
--------------------------------------------------------------------------------------------------------

CREATE FUNCTION sparselin_predict(model sparselin_model, features sparsearray) RETURNS float8
    AS 'MODULE_PATHNAME', 'sparselin_predict' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION sparselin_predict(sparselin_model, sparsearray) IS 'the score of a row: weights times features, plus the bias';

CREATE FUNCTION sparselin_probability(model sparselin_model, features sparsearray) RETURNS float8
    AS 'MODULE_PATHNAME', 'sparselin_probability' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION sparselin_probability(sparselin_model, sparsearray) IS 'the probability of the positive class, by a model with loss logistic';

CREATE FUNCTION sparselin_classify(model sparselin_model, features sparsearray) RETURNS float8
    AS 'MODULE_PATHNAME', 'sparselin_classify' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION sparselin_classify(sparselin_model, sparsearray) IS 
    'the predicted label, written as in training: 1 or 0 for boolean and 0/1 labels, 1 or -1 for -1/+1';

CREATE FUNCTION sparselin_decide(model sparselin_model, features sparsearray) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sparselin_decide' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION sparselin_decide(sparselin_model, sparsearray) IS 
    'whether the probability is above 0.5 (loss logistic), or the score above 0 (other losses)';

CREATE FUNCTION sparselin_decide(model sparselin_model, features sparsearray, threshold float8) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sparselin_decide' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION sparselin_decide(sparselin_model, sparsearray, float8) IS 
    'whether the probability (loss logistic) or the score (other losses) is above the threshold';

--------------------------------------------------------------------------------------------------------
-- Evaluating
--------------------------------------------------------------------------------------------------------

CREATE TYPE sparselin_evaluation AS (
    rows bigint, skipped bigint, loss float8, objective float8,
    accuracy float8, precision float8, recall float8, f1 float8, auc float8, log_loss float8,
    true_positives float8, false_positives float8, true_negatives float8, false_negatives float8,
    rmse float8, mae float8, r2 float8
);
COMMENT ON TYPE sparselin_evaluation IS
    'how good a model is on some rows; NULL is what does not apply to its loss, or is not defined for these rows';
COMMENT ON COLUMN sparselin_evaluation.rows IS 'rows that were judged';
COMMENT ON COLUMN sparselin_evaluation.skipped IS 'rows with a NULL or of weight 0';
COMMENT ON COLUMN sparselin_evaluation.loss IS 'weighted mean of the model''s own loss';
COMMENT ON COLUMN sparselin_evaluation.objective IS
    'what training minimises: the sum of weighted losses by the number of rows, and what lambda and l1 add; NULL where the model was trained on a scale';
COMMENT ON COLUMN sparselin_evaluation.accuracy IS 'share of rows on the right side of 0';
COMMENT ON COLUMN sparselin_evaluation.precision IS 'share of positives among the rows with a score above 0';
COMMENT ON COLUMN sparselin_evaluation.recall IS 'share of rows with a score above 0 among the positives';
COMMENT ON COLUMN sparselin_evaluation.f1 IS 'harmonic mean of precision and recall';
COMMENT ON COLUMN sparselin_evaluation.auc IS
    'area under the ROC curve: how often a positive row has a higher score than a negative one, ties counting half';
COMMENT ON COLUMN sparselin_evaluation.log_loss IS 'mean of -log of the probability given to the right class; loss logistic';
COMMENT ON COLUMN sparselin_evaluation.true_positives IS 'weight of the positives with a score above 0';
COMMENT ON COLUMN sparselin_evaluation.false_positives IS 'weight of the negatives with a score above 0';
COMMENT ON COLUMN sparselin_evaluation.true_negatives IS 'weight of the other negatives';
COMMENT ON COLUMN sparselin_evaluation.false_negatives IS 'weight of the other positives';
COMMENT ON COLUMN sparselin_evaluation.rmse IS 'root of the mean squared error';
COMMENT ON COLUMN sparselin_evaluation.mae IS 'mean absolute error';
COMMENT ON COLUMN sparselin_evaluation.r2 IS 'share of the labels'' variance that the model explains';

CREATE FUNCTION sparselin_evaluate_step(internal, sparselin_model, sparsearray, float8) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_evaluate_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_evaluate_step(internal, sparselin_model, sparsearray, float8) IS
    'transition function of sparselin_evaluate';
CREATE FUNCTION sparselin_evaluate_step(internal, sparselin_model, sparsearray, float8, float8) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_evaluate_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_evaluate_step(internal, sparselin_model, sparsearray, float8, float8) IS
    'transition function of sparselin_evaluate';
CREATE FUNCTION sparselin_evaluate_step(internal, sparselin_model, sparsearray, boolean) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_evaluate_step_boolean' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_evaluate_step(internal, sparselin_model, sparsearray, boolean) IS
    'transition function of sparselin_evaluate';
CREATE FUNCTION sparselin_evaluate_step(internal, sparselin_model, sparsearray, boolean, float8) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_evaluate_step_boolean' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_evaluate_step(internal, sparselin_model, sparsearray, boolean, float8) IS
    'transition function of sparselin_evaluate';
CREATE FUNCTION sparselin_evaluate_combine(internal, internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparselin_evaluate_combine(internal, internal) IS 'combine function of sparselin_evaluate';
CREATE FUNCTION sparselin_evaluate_serialize(internal) RETURNS bytea
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparselin_evaluate_serialize(internal) IS 'serialization function of sparselin_evaluate';
CREATE FUNCTION sparselin_evaluate_deserialize(bytea, internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparselin_evaluate_deserialize(bytea, internal) IS 'deserialization function of sparselin_evaluate';
CREATE FUNCTION sparselin_evaluate_final(internal) RETURNS sparselin_evaluation
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparselin_evaluate_final(internal) IS 'final function of sparselin_evaluate';

CREATE AGGREGATE sparselin_evaluate(model sparselin_model, features sparsearray, label float8) (
    SFUNC = sparselin_evaluate_step, STYPE = internal, SSPACE = 2048,
    FINALFUNC = sparselin_evaluate_final, FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = sparselin_evaluate_combine,
    SERIALFUNC = sparselin_evaluate_serialize, DESERIALFUNC = sparselin_evaluate_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE sparselin_evaluate(sparselin_model, sparsearray, float8) IS
    'how good a model is on rows with known labels: loss, accuracy, AUC and more, or the errors of a regression';
CREATE AGGREGATE sparselin_evaluate(model sparselin_model, features sparsearray, label float8, weight float8) (
    SFUNC = sparselin_evaluate_step, STYPE = internal, SSPACE = 2048,
    FINALFUNC = sparselin_evaluate_final, FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = sparselin_evaluate_combine,
    SERIALFUNC = sparselin_evaluate_serialize, DESERIALFUNC = sparselin_evaluate_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE sparselin_evaluate(sparselin_model, sparsearray, float8, float8) IS
    'how good a model is on rows with known labels, and a weight for each row: loss, accuracy, AUC and more, or the errors of a regression';
CREATE AGGREGATE sparselin_evaluate(model sparselin_model, features sparsearray, label boolean) (
    SFUNC = sparselin_evaluate_step, STYPE = internal, SSPACE = 2048,
    FINALFUNC = sparselin_evaluate_final, FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = sparselin_evaluate_combine,
    SERIALFUNC = sparselin_evaluate_serialize, DESERIALFUNC = sparselin_evaluate_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE sparselin_evaluate(sparselin_model, sparsearray, boolean) IS
    'how good a model is on rows with known labels: loss, accuracy, AUC and more, or the errors of a regression';
CREATE AGGREGATE sparselin_evaluate(model sparselin_model, features sparsearray, label boolean, weight float8) (
    SFUNC = sparselin_evaluate_step, STYPE = internal, SSPACE = 2048,
    FINALFUNC = sparselin_evaluate_final, FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = sparselin_evaluate_combine,
    SERIALFUNC = sparselin_evaluate_serialize, DESERIALFUNC = sparselin_evaluate_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE sparselin_evaluate(sparselin_model, sparsearray, boolean, float8) IS
    'how good a model is on rows with known labels, and a weight for each row: loss, accuracy, AUC and more, or the errors of a regression';

--------------------------------------------------------------------------------------------------------
-- Looking
--------------------------------------------------------------------------------------------------------

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

--------------------------------------------------------------------------------------------------------
-- Keeping models
--------------------------------------------------------------------------------------------------------
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
    metric double precision,
    previous_metric double precision,
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
    query text NOT NULL,
    search_path text NOT NULL,
    holdout double precision NOT NULL,
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
    PRIMARY KEY (name, version)
);
COMMENT ON TABLE sparselin_model_values IS 'the models themselves, apart from what there is to say of them';

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

-- What the functions below are made of. Those that users call are doors, in C, to others of the same name and _inside:
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
    one_label text := format(CASE label_type
        WHEN 'boolean' THEN 'pg_catalog.bool_and(r.label) %1$s OPERATOR(pg_catalog.=) pg_catalog.bool_or(r.label) %1$s'
        ELSE 'pg_catalog.min(r.label) %1$s OPERATOR(pg_catalog.=) pg_catalog.max(r.label) %1$s' END, learned_from);
BEGIN
    RETURN format($sql$
WITH given AS MATERIALIZED (
    SELECT c.features, c.label, c.weight,
           coalesce(%1$s.sparselin_held_out(c.features, $4), false) AS held_out
    FROM (
        SELECT q.features::%1$s.sparsearray AS features, q.label::%2$s AS label, %3$s AS weight
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
        s, label_type, CASE WHEN weighted THEN 'q.weight::double precision' ELSE 'NULL' END, body, train, one_label, weight);
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
    ELSIF mode = 'fresh' AND result.one_label
          AND (@extschema@.sparselin_info(result.learned)).loss IN ('logistic', 'hinge', 'squared_hinge') THEN
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

CREATE FUNCTION sparselin_activate(name text, version integer) RETURNS void
    AS 'MODULE_PATHNAME', 'sparselin_call_inside' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION sparselin_activate(text, integer) IS
    'makes a version the one that is used by name, from the next statement on: to roll back, or to take one all the same';

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

CREATE FUNCTION sparselin_drop(name text) RETURNS void
    AS 'MODULE_PATHNAME', 'sparselin_call_inside' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION sparselin_drop(text) IS 'removes a model, with all its versions';

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

CREATE FUNCTION sparselin_drop(name text, version integer) RETURNS void
    AS 'MODULE_PATHNAME', 'sparselin_call_inside' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION sparselin_drop(text, integer) IS 'removes a version that is not active';

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

-- A version that is not active yet.
CREATE FUNCTION sparselin_train_version(
    door sparselin_door, name text, mode text, query text, search_path text, learner text, options sparselin_options,
    holdout float8, since timestamptz, previous sparselin_model, started timestamptz, version integer,
    OUT metric float8, OUT previous_metric float8, OUT held_out bigint
) RETURNS record LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
    opened text NOT NULL := door;
    made record := @extschema@.sparselin_learn(
        door, mode, query, search_path, learner, options, holdout, since, previous);
    learned_from bigint := (@extschema@.sparselin_info(made.learned)).rows;
BEGIN
    IF mode = 'continue' THEN
        learned_from := learned_from - (@extschema@.sparselin_info(previous)).rows;
    END IF;
    metric := (made.metrics ->> 'loss')::float8;
    previous_metric := (made.model_metrics ->> 'loss')::float8;
    held_out := coalesce((made.metrics ->> 'rows')::bigint, 0);
    -- Still there, whatever the query has done.
    PERFORM @extschema@.sparselin_lock_model(door, name);
    INSERT INTO @extschema@.sparselin_models
        (name, version, mode, query, search_path, learner, options, holdout, metric, previous_metric, metrics, rows,
         held_out, duration)
    VALUES (name, version, mode, query, search_path, learner, options, holdout, metric, previous_metric, made.metrics,
            learned_from, held_out, clock_timestamp() - started);
    INSERT INTO @extschema@.sparselin_model_values (name, version, model) VALUES (name, version, made.learned);
END $$;
COMMENT ON FUNCTION sparselin_train_version(
    sparselin_door, text, text, text, text, text, sparselin_options, float8, timestamptz, sparselin_model, timestamptz,
    integer)
    IS 'trains and stores a version that is not active yet';

-- What users call.

CREATE FUNCTION sparselin_fit_inside(
    door sparselin_door, name text, query text, learner text, options sparselin_options, holdout float8,
    replace boolean,
    OUT version integer, OUT active boolean, OUT metric float8, OUT note text
) RETURNS record LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    search_path text NOT NULL := door;
    model_name ALIAS FOR $2;
    started timestamptz := clock_timestamp();
    made record;
BEGIN
    IF model_name IS NULL OR query IS NULL OR learner IS NULL OR holdout IS NULL OR replace IS NULL THEN
        RAISE EXCEPTION 'name, query, learner, holdout and replace may not be NULL' USING
            ERRCODE = 'null_value_not_allowed';
    ELSIF char_length(model_name) NOT BETWEEN 1 AND 63 THEN
        RAISE EXCEPTION 'the name of a model has from 1 to 63 characters, not %', char_length(model_name) USING
            ERRCODE = 'invalid_name';
    ELSIF NOT (holdout >= 0 AND holdout < 1) THEN
        RAISE EXCEPTION 'holdout is %, but must be at least 0 and below 1', holdout USING
            ERRCODE = 'invalid_parameter_value', HINT = 'It is the share of rows to measure on, such as 0.2.';
    END IF;
    IF EXISTS (SELECT FROM @extschema@.sparselin_registry WHERE name = model_name) THEN
        IF NOT replace THEN
            RAISE EXCEPTION 'there is a model "%" already', model_name USING
                ERRCODE = 'duplicate_object', HINT = 'Call sparselin_retrain, or give replace => true or another name.';
        END IF;
        PERFORM @extschema@.sparselin_lock_model(door, model_name);
        PERFORM @extschema@.sparselin_check_owner(door, model_name);
    ELSE
        INSERT INTO @extschema@.sparselin_registry (name) VALUES (model_name) ON CONFLICT DO NOTHING;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'the name "%" is taken', model_name USING
                ERRCODE = 'duplicate_object', HINT = 'Choose another name.',
                DETAIL = 'The model is not yours to see, or was made this very moment.';
        END IF;
    END IF;
    UPDATE @extschema@.sparselin_registry SET last_version = last_version + 1
    WHERE name = model_name RETURNING last_version INTO version;
    made := @extschema@.sparselin_train_version(
        door, model_name, 'fresh'::text, query, search_path, regexp_replace(learner, '_train$', ''), options, holdout,
        '-infinity'::timestamptz, NULL::@extschema@.sparselin_model, started, version);
    PERFORM @extschema@.sparselin_activate_inside(door, model_name, version);
    active := true;
    metric := made.metric;
    note := CASE WHEN made.held_out = 0 THEN 'not measured: nothing is held out'
                 ELSE format('measured on %s rows held out', made.held_out) END;
    UPDATE @extschema@.sparselin_models AS m SET note = sparselin_fit_inside.note
    WHERE m.name = model_name AND m.version = sparselin_fit_inside.version;
    PERFORM @extschema@.sparselin_prune(door, model_name, 5, version);
END $$;
COMMENT ON FUNCTION sparselin_fit_inside(sparselin_door, text, text, text, sparselin_options, float8, boolean) IS
    'sparselin_fit() within';

CREATE FUNCTION sparselin_fit(
    name text, query text, learner text DEFAULT 'casgd', options sparselin_options DEFAULT NULL,
    holdout float8 DEFAULT 0.2, replace boolean DEFAULT false,
    OUT version integer, OUT active boolean, OUT metric float8, OUT note text
) RETURNS record
    AS 'MODULE_PATHNAME', 'sparselin_call_inside' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION sparselin_fit(text, text, text, sparselin_options, float8, boolean) IS
    'trains a model on the rows of a query, measures it on those held out, and keeps it under a name, with the query';

-- The part of a retraining that may fail.
CREATE FUNCTION sparselin_challenge(
    door sparselin_door, champion sparselin_models, mode text, tolerance float8, started timestamptz, version integer,
    OUT active boolean, OUT metric float8, OUT note text
) RETURNS record LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
    opened text NOT NULL := door;
    made record := @extschema@.sparselin_train_version(
        door, champion.name, mode, champion.query, champion.search_path, champion.learner, champion.options,
        champion.holdout,
        CASE mode WHEN 'continue' THEN champion.trained_at ELSE '-infinity'::timestamptz END,
        (SELECT v.model FROM @extschema@.sparselin_model_values AS v
         WHERE v.name = champion.name AND v.version = champion.version),
        started, version);
BEGIN
    metric := made.metric;
    IF made.held_out = 0 THEN
        active := true;
        note := 'not compared: nothing is held out';
    ELSE
        active := coalesce(metric <= made.previous_metric * (1 + tolerance), false);
        note := format('%s: loss %s against %s of version %s, on %s rows held out',
                       CASE WHEN active THEN 'accepted' ELSE 'rejected' END, round(metric::numeric, 6),
                       round(made.previous_metric::numeric, 6), champion.version, made.held_out);
    END IF;
    UPDATE @extschema@.sparselin_models AS m SET note = sparselin_challenge.note
    WHERE m.name = champion.name AND m.version = sparselin_challenge.version;
    IF active THEN
        PERFORM @extschema@.sparselin_activate_inside(door, champion.name, version);
    END IF;
END $$;
COMMENT ON FUNCTION sparselin_challenge(sparselin_door, sparselin_models, text, float8, timestamptz, integer) IS
    'trains a version and makes it active when it is not worse than the one that is';

CREATE FUNCTION sparselin_retrain_inside(
    door sparselin_door, name text, tolerance float8, on_failure text, mode text, keep integer,
    OUT version integer, OUT active boolean, OUT metric float8, OUT note text
) RETURNS record LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
    model_name ALIAS FOR $2;
    started timestamptz := clock_timestamp();
    champion @extschema@.sparselin_models;
    message text;
    more text;
    advice text;
BEGIN
    PERFORM @extschema@.sparselin_check_tolerance(tolerance);
    IF on_failure IN ('warn', 'error') IS NOT TRUE THEN
        RAISE EXCEPTION 'on_failure is "%"', on_failure USING
            ERRCODE = 'invalid_parameter_value', HINT = 'Give warn or error.';
    ELSIF mode IN ('fresh', 'continue') IS NOT TRUE THEN
        RAISE EXCEPTION 'mode is "%"', mode USING
            ERRCODE = 'invalid_parameter_value', HINT = 'Give fresh or continue.';
    ELSIF (keep >= 0) IS NOT TRUE THEN
        RAISE EXCEPTION 'keep is %, but must be at least 0', keep USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM @extschema@.sparselin_lock_model(door, model_name);
    PERFORM @extschema@.sparselin_check_owner(door, model_name);
    SELECT * INTO champion FROM @extschema@.sparselin_models AS m
    WHERE m.name = model_name AND m.active AND m.owner = current_user;
    IF NOT FOUND THEN
        PERFORM @extschema@.sparselin_missing_model(model_name);
    END IF;
    UPDATE @extschema@.sparselin_registry SET last_version = last_version + 1
    WHERE name = model_name RETURNING last_version INTO version;
    BEGIN
        SELECT c.active, c.metric, c.note INTO active, metric, note
        FROM @extschema@.sparselin_challenge(
            door, champion, mode, tolerance, started, sparselin_retrain_inside.version) AS c;
    -- All but a cancel, which is somebody's wish.
    EXCEPTION WHEN OTHERS OR ASSERT_FAILURE THEN
        IF on_failure = 'error' THEN
            RAISE;
        END IF;
        GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, more = PG_EXCEPTION_DETAIL, advice = PG_EXCEPTION_HINT;
        active := false;
        metric := NULL;
        note := 'failed: ' || message;
        INSERT INTO @extschema@.sparselin_models
            (name, version, mode, query, search_path, learner, options, holdout, duration, note, failure)
        VALUES (model_name, sparselin_retrain_inside.version, sparselin_retrain_inside.mode, champion.query,
                champion.search_path, champion.learner, champion.options, champion.holdout,
                clock_timestamp() - started, sparselin_retrain_inside.note, concat_ws(' | ', SQLSTATE, message, nullif(more, '')));
        RAISE WARNING 'retraining of model "%" failed: %', model_name, message USING
            ERRCODE = SQLSTATE, DETAIL = format('Version %s stays active.', champion.version),
            HINT = coalesce(nullif(advice, ''), 'Run its query by itself to see why.');
    END;
    PERFORM @extschema@.sparselin_prune(door, model_name, keep, version);
END $$;
COMMENT ON FUNCTION sparselin_retrain_inside(sparselin_door, text, float8, text, text, integer) IS
    'sparselin_retrain() within';

CREATE FUNCTION sparselin_retrain(
    name text, tolerance float8 DEFAULT 0.01, on_failure text DEFAULT 'warn', mode text DEFAULT 'fresh',
    keep integer DEFAULT 5, OUT version integer, OUT active boolean, OUT metric float8, OUT note text
) RETURNS record
    AS 'MODULE_PATHNAME', 'sparselin_call_inside' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION sparselin_retrain(text, float8, text, text, integer) IS
    'trains a model anew on today''s rows, or goes on with new ones, and takes the result only when it is not worse on rows held out';

CREATE FUNCTION sparselin_drift_inside(
    door sparselin_door, name text, query text, tolerance float8,
    OUT version integer, OUT rows bigint, OUT metric float8, OUT expected float8, OUT verdict text
) RETURNS record LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    search_path text NOT NULL := door;
    model_name ALIAS FOR $2;
    live record;
    measured record;
    timed boolean;
BEGIN
    PERFORM @extschema@.sparselin_check_tolerance(tolerance);
    SELECT m.*, v.model INTO live
    FROM @extschema@.sparselin_models AS m JOIN @extschema@.sparselin_model_values AS v
         ON v.name = m.name AND v.version = m.version
    WHERE m.name = model_name AND m.active;
    IF NOT FOUND THEN
        PERFORM @extschema@.sparselin_missing_model(model_name);
    END IF;
    version := live.version;
    expected := live.metric;
    IF query IS NOT NULL THEN
        measured := @extschema@.sparselin_learn(
            door, 'evaluate'::text, query, search_path, live.learner, NULL::@extschema@.sparselin_options, 1::float8,
            live.trained_at, live.model);
    ELSE
        PERFORM @extschema@.sparselin_check_owner(door, model_name);
        IF live.owner <> current_user THEN
            PERFORM @extschema@.sparselin_missing_model(model_name);
        END IF;
        timed := (@extschema@.sparselin_check_query(live.query, live.search_path)).timed;
        measured := @extschema@.sparselin_learn(
            door, 'evaluate'::text, live.query, live.search_path, live.learner, NULL::@extschema@.sparselin_options,
            CASE WHEN timed OR live.holdout = 0 THEN 1::float8 ELSE live.holdout END, live.trained_at, live.model);
    END IF;
    rows := (measured.model_metrics ->> 'rows')::bigint;
    metric := (measured.model_metrics ->> 'loss')::float8;
    verdict := CASE
        WHEN expected IS NULL THEN 'not known'
        WHEN rows < 100 THEN 'too few rows'
        WHEN metric > expected * (1 + tolerance) THEN 'worse'
        WHEN metric * (1 + tolerance) < expected THEN 'better'
        ELSE 'steady' END;
END $$;
COMMENT ON FUNCTION sparselin_drift_inside(sparselin_door, text, text, float8) IS 'sparselin_drift() within';

CREATE FUNCTION sparselin_drift(
    name text, query text DEFAULT NULL, tolerance float8 DEFAULT 0.1,
    OUT version integer, OUT rows bigint, OUT metric float8, OUT expected float8, OUT verdict text
) RETURNS record
    AS 'MODULE_PATHNAME', 'sparselin_call_inside' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION sparselin_drift(text, text, float8) IS
    'how the active version does on the rows of a query, or of its own one, against how it did when it was trained';

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

CREATE FUNCTION sparselin_grant(name text, role_name name) RETURNS void
    AS 'MODULE_PATHNAME', 'sparselin_call_inside' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION sparselin_grant(text, name) IS
    'lets a role, or public, see and use a model; its query remains the owner''s to run';

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

CREATE FUNCTION sparselin_revoke(name text, role_name name) RETURNS void
    AS 'MODULE_PATHNAME', 'sparselin_call_inside' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION sparselin_revoke(text, name) IS 'takes back what sparselin_grant() gave';

-- Using the active version by its name. One lookup a query.

CREATE FUNCTION sparselin_predict(name text, features sparsearray) RETURNS float8
    AS 'MODULE_PATHNAME', 'sparselin_predict_named' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION sparselin_predict(text, sparsearray) IS
    'the score of a row by the active version of a model: weights times features, plus the bias';

CREATE FUNCTION sparselin_probability(name text, features sparsearray) RETURNS float8
    AS 'MODULE_PATHNAME', 'sparselin_probability_named' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION sparselin_probability(text, sparsearray) IS
    'the probability of the positive class, by the active version of a model with loss logistic';

CREATE FUNCTION sparselin_classify(name text, features sparsearray) RETURNS float8
    AS 'MODULE_PATHNAME', 'sparselin_classify_named' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION sparselin_classify(text, sparsearray) IS
    'the label predicted by the active version of a model, written as in training';

CREATE FUNCTION sparselin_decide(name text, features sparsearray) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sparselin_decide_named' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION sparselin_decide(text, sparsearray) IS
    'whether the active version of a model gives a probability above 0.5 (loss logistic), or a score above 0 (other losses)';

CREATE FUNCTION sparselin_decide(name text, features sparsearray, threshold float8) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sparselin_decide_named' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION sparselin_decide(text, sparsearray, float8) IS
    'whether the active version of a model gives a probability (loss logistic) or a score (other losses) above the threshold';

CREATE FUNCTION sparselin_info(
    name text,
    OUT learner text, OUT loss text, OUT labels text, OUT nonzero bigint, OUT dimension int, OUT bias float8,
    OUT rows bigint, OUT skipped bigint, OUT steps bigint, OUT epochs bigint, OUT lambda float8,
    OUT progressive_loss float8, OUT options text, OUT resumable boolean, OUT bytes bigint
) RETURNS record
    AS 'MODULE_PATHNAME', 'sparselin_info_named' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparselin_info(text) IS
    'the facts of the active version of a model; dimension is NULL when it is open, bytes is the size before compression';

CREATE FUNCTION sparselin_weights(name text, OUT feature int, OUT weight float8) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sparselin_weights_named' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000 ROWS 10000;
COMMENT ON FUNCTION sparselin_weights(text) IS
    'the weights of the active version of a model, but for zeros, by feature';

CREATE FUNCTION sparselin_history(name text, OUT step bigint, OUT loss float8) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sparselin_history_named' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000 ROWS 30;
COMMENT ON FUNCTION sparselin_history(text) IS
    'how learning the active version of a model went: the mean loss over the steps since the row before, up to this step';

CREATE FUNCTION sparselin_history_plot(name text) RETURNS text
    AS 'MODULE_PATHNAME', 'sparselin_history_plot_named' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparselin_history_plot(text) IS
    'the history of the active version of a model as a picture, SVG on one line';

CREATE FUNCTION sparselin_explain(
    model text, features sparsearray, top integer DEFAULT NULL,
    OUT name text, OUT feature integer, OUT value real, OUT weight float8, OUT contribution float8
) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sparselin_explain_sparsearray_named' LANGUAGE C STABLE PARALLEL SAFE COST 100 ROWS 20;
COMMENT ON FUNCTION sparselin_explain(text, sparsearray, integer) IS
    'what each feature adds to the score of a row by the active version of a model, the largest first, and the bias: together they are sparselin_predict()';

CREATE FUNCTION sparselin_explain(
    model text, source tsvector, top integer DEFAULT NULL, idf sparsearray DEFAULT NULL, norm text DEFAULT NULL,
    OUT name text, OUT feature integer, OUT value real, OUT weight float8, OUT contribution float8
) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sparselin_explain_tsvector_named' LANGUAGE C STABLE PARALLEL SAFE COST 200 ROWS 20;
COMMENT ON FUNCTION sparselin_explain(text, tsvector, integer, sparsearray, text) IS
    'the same with the names of features, for a model of sparselin_features(source), with idf and sparsearray_normalize(..., norm) as in training';

CREATE FUNCTION sparselin_explain(
    model text, source text[], top integer DEFAULT NULL, idf sparsearray DEFAULT NULL, norm text DEFAULT NULL,
    OUT name text, OUT feature integer, OUT value real, OUT weight float8, OUT contribution float8
) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sparselin_explain_text_array_named' LANGUAGE C STABLE PARALLEL SAFE COST 200 ROWS 20;
COMMENT ON FUNCTION sparselin_explain(text, text[], integer, sparsearray, text) IS
    'the same with the names of features, for a model of sparselin_features(source), with idf and sparsearray_normalize(..., norm) as in training';

CREATE FUNCTION sparselin_explain(
    model text, source jsonb, top integer DEFAULT NULL, idf sparsearray DEFAULT NULL, norm text DEFAULT NULL,
    OUT name text, OUT feature integer, OUT value real, OUT weight float8, OUT contribution float8
) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sparselin_explain_jsonb_named' LANGUAGE C STABLE PARALLEL SAFE COST 200 ROWS 20;
COMMENT ON FUNCTION sparselin_explain(text, jsonb, integer, sparsearray, text) IS
    'the same with the names of features, for a model of sparselin_features(source), with idf and sparsearray_normalize(..., norm) as in training';

CREATE FUNCTION sparselin_explain(
    model text, source record, top integer DEFAULT NULL, exclude text[] DEFAULT '{}', idf sparsearray DEFAULT NULL, norm text DEFAULT NULL,
    OUT name text, OUT feature integer, OUT value real, OUT weight float8, OUT contribution float8
) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sparselin_explain_row_named' LANGUAGE C STABLE PARALLEL SAFE COST 200 ROWS 20;
COMMENT ON FUNCTION sparselin_explain(text, record, integer, text[], sparsearray, text) IS
    'the same with the names of features, for a model of sparselin_features(source), with idf and sparsearray_normalize(..., norm) as in training';

CREATE FUNCTION sparselin_evaluate_step(internal, text, sparsearray, float8) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_evaluate_step_named' LANGUAGE C STABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_evaluate_step(internal, text, sparsearray, float8) IS
    'transition function of sparselin_evaluate';
CREATE FUNCTION sparselin_evaluate_step(internal, text, sparsearray, float8, float8) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_evaluate_step_named' LANGUAGE C STABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_evaluate_step(internal, text, sparsearray, float8, float8) IS
    'transition function of sparselin_evaluate';
CREATE FUNCTION sparselin_evaluate_step(internal, text, sparsearray, boolean) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_evaluate_step_boolean_named' LANGUAGE C STABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_evaluate_step(internal, text, sparsearray, boolean) IS
    'transition function of sparselin_evaluate';
CREATE FUNCTION sparselin_evaluate_step(internal, text, sparsearray, boolean, float8) RETURNS internal
    AS 'MODULE_PATHNAME', 'sparselin_evaluate_step_boolean_named' LANGUAGE C STABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_evaluate_step(internal, text, sparsearray, boolean, float8) IS
    'transition function of sparselin_evaluate';

CREATE AGGREGATE sparselin_evaluate(name text, features sparsearray, label float8) (
    SFUNC = sparselin_evaluate_step, STYPE = internal, SSPACE = 2048,
    FINALFUNC = sparselin_evaluate_final, FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = sparselin_evaluate_combine,
    SERIALFUNC = sparselin_evaluate_serialize, DESERIALFUNC = sparselin_evaluate_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE sparselin_evaluate(text, sparsearray, float8) IS
    'how good the active version of a model is on rows with known labels: loss, accuracy, AUC and more, or the errors of a regression';
CREATE AGGREGATE sparselin_evaluate(name text, features sparsearray, label float8, weight float8) (
    SFUNC = sparselin_evaluate_step, STYPE = internal, SSPACE = 2048,
    FINALFUNC = sparselin_evaluate_final, FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = sparselin_evaluate_combine,
    SERIALFUNC = sparselin_evaluate_serialize, DESERIALFUNC = sparselin_evaluate_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE sparselin_evaluate(text, sparsearray, float8, float8) IS
    'how good the active version of a model is on rows with known labels, and a weight for each row: loss, accuracy, AUC and more, or the errors of a regression';
CREATE AGGREGATE sparselin_evaluate(name text, features sparsearray, label boolean) (
    SFUNC = sparselin_evaluate_step, STYPE = internal, SSPACE = 2048,
    FINALFUNC = sparselin_evaluate_final, FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = sparselin_evaluate_combine,
    SERIALFUNC = sparselin_evaluate_serialize, DESERIALFUNC = sparselin_evaluate_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE sparselin_evaluate(text, sparsearray, boolean) IS
    'how good the active version of a model is on rows with known labels: loss, accuracy, AUC and more, or the errors of a regression';
CREATE AGGREGATE sparselin_evaluate(name text, features sparsearray, label boolean, weight float8) (
    SFUNC = sparselin_evaluate_step, STYPE = internal, SSPACE = 2048,
    FINALFUNC = sparselin_evaluate_final, FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = sparselin_evaluate_combine,
    SERIALFUNC = sparselin_evaluate_serialize, DESERIALFUNC = sparselin_evaluate_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE sparselin_evaluate(text, sparsearray, boolean, float8) IS
    'how good the active version of a model is on rows with known labels, and a weight for each row: loss, accuracy, AUC and more, or the errors of a regression';

-- Dumped with the database, unlike all else that belongs to the extension.
SELECT pg_catalog.pg_extension_config_dump('sparselin_registry', '');
SELECT pg_catalog.pg_extension_config_dump('sparselin_models', '');
SELECT pg_catalog.pg_extension_config_dump('sparselin_model_values', '');
