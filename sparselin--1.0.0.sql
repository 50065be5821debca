-- sparselin 1.0.0: linear models learned inside the database, on sparse data.
\echo Use "CREATE EXTENSION sparselin" to load this file. \quit

--------------------------------------------------------------------------------------------------------
-- Types: sparsearray
--------------------------------------------------------------------------------------------------------

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

-- Argument names, types and order are those of the table in src/learn/option_table.cpp.
CREATE FUNCTION sparselin_options(
    loss text DEFAULT NULL,
    lambda float8 DEFAULT NULL,
    epochs float8 DEFAULT NULL,
    sampling text DEFAULT NULL,
    seed float8 DEFAULT NULL,
    step_offset float8 DEFAULT NULL,
    average_power float8 DEFAULT NULL,
    intercept boolean DEFAULT NULL,
    resumable boolean DEFAULT NULL,
    center sparsearray DEFAULT NULL
) RETURNS sparselin_options
    AS 'MODULE_PATHNAME', 'sparselin_options' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_options(text, float8, float8, text, float8, float8, float8, boolean, boolean, sparsearray)
    IS 'options by name: sparselin_options(loss => ''hinge'', lambda => 1e-4); NULL means the learner''s default';

CREATE FUNCTION sparselin_option_table(
    OUT name text, OUT type text, OUT default_value text, OUT allowed text, OUT learners text[], OUT meaning text
) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sparselin_option_table' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10;
COMMENT ON FUNCTION sparselin_option_table() IS 'every option: its type, default, allowed values, learners and meaning';

CREATE FUNCTION sparselin_options_eq(sparselin_options, sparselin_options) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sparselin_bytewise_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_options_eq(sparselin_options, sparselin_options) IS 'implementation of = operator';

CREATE FUNCTION sparselin_options_ne(sparselin_options, sparselin_options) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sparselin_bytewise_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_options_ne(sparselin_options, sparselin_options) IS 'implementation of <> operator';

CREATE FUNCTION sparselin_options_lt(sparselin_options, sparselin_options) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sparselin_bytewise_lt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_options_lt(sparselin_options, sparselin_options) IS 'implementation of < operator';

CREATE FUNCTION sparselin_options_le(sparselin_options, sparselin_options) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sparselin_bytewise_le' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_options_le(sparselin_options, sparselin_options) IS 'implementation of <= operator';

CREATE FUNCTION sparselin_options_gt(sparselin_options, sparselin_options) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sparselin_bytewise_gt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_options_gt(sparselin_options, sparselin_options) IS 'implementation of > operator';

CREATE FUNCTION sparselin_options_ge(sparselin_options, sparselin_options) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sparselin_bytewise_ge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_options_ge(sparselin_options, sparselin_options) IS 'implementation of >= operator';

CREATE FUNCTION sparselin_options_cmp(sparselin_options, sparselin_options) RETURNS int4
    AS 'MODULE_PATHNAME', 'sparselin_bytewise_cmp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_options_cmp(sparselin_options, sparselin_options) IS 'less-equal-greater, bytewise';

CREATE FUNCTION sparselin_options_hash(sparselin_options) RETURNS int4
    AS 'MODULE_PATHNAME', 'sparselin_bytewise_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparselin_options_hash(sparselin_options) IS 'hash';

CREATE FUNCTION sparselin_options_hash_extended(sparselin_options, int8) RETURNS int8
    AS 'MODULE_PATHNAME', 'sparselin_bytewise_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
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

--------------------------------------------------------------------------------------------------------
-- Types: sparselin_model
--------------------------------------------------------------------------------------------------------

--------------------------------------------------------------------------------------------------------
-- Preparing features
--------------------------------------------------------------------------------------------------------

--------------------------------------------------------------------------------------------------------
-- Training
--------------------------------------------------------------------------------------------------------

--------------------------------------------------------------------------------------------------------
-- Applying
--------------------------------------------------------------------------------------------------------

--------------------------------------------------------------------------------------------------------
-- Looking
--------------------------------------------------------------------------------------------------------
