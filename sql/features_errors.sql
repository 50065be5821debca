-- What features by name are not made of, and what is large
CREATE SCHEMA features_errors;
SET search_path = features_errors, public;

-- bits
SELECT sparselin_features('{a}'::text[], 3);
SELECT sparselin_features('a'::tsvector, 31);
SELECT sparselin_features('{}'::jsonb, -1);
SELECT sparselin_features(ROW(1), 2147483647);
SELECT sparsearray_interact('{1:1}', '{1:1}', 0);

-- jsonb that is no object
SELECT sparselin_features('"free"'::jsonb);
SELECT sparselin_features('7'::jsonb);
SELECT sparselin_features('null'::jsonb);
SELECT sparselin_features('["a", "b"]'::jsonb);
SELECT sparselin_features('[]'::jsonb);

-- numbers: the name is in the message
SELECT sparselin_features('{"price": 1e39}'::jsonb);
SELECT sparselin_features('{"shop": {"prices": {"min": 1e-46}}}'::jsonb);
SELECT sparselin_features('{"price": -1e400}'::jsonb);
SELECT sparselin_features('{"price": 3.4028235e38, "low": 1e-45}'::jsonb, 4) AS just_fits;
SELECT sparselin_features('{"items": [{"n": 3e38}, {"n": 3e38}]}'::jsonb, 4);
SELECT sparselin_features(s) FROM (SELECT 1 AS id, 'NaN'::float8 AS price) AS s;
SELECT sparselin_features(s) FROM (SELECT 'NaN'::real AS price) AS s;
SELECT sparselin_features(s) FROM (SELECT 'NaN'::numeric AS price) AS s;
SELECT sparselin_features(s) FROM (SELECT '-Infinity'::float8 AS price) AS s;
SELECT sparselin_features(s) FROM (SELECT 1e39::float8 AS price) AS s;
SELECT sparselin_features(s) FROM (SELECT 1e-46::float8 AS price) AS s;
SELECT sparselin_features(s) FROM (SELECT 1e39::numeric AS price) AS s;
SELECT sparselin_features(s) FROM (SELECT 1e-400::numeric AS price) AS s;
SELECT sparselin_features(s) FROM (SELECT ROW(ROW('inf'::float8)) AS outer_row) AS s;
SELECT sparselin_features(s) FROM (SELECT '{1,NaN}'::numeric[] AS prices) AS s;
SELECT sparselin_features(s, exclude => '{price}') FROM (SELECT 'NaN'::float8 AS price) AS s;
SELECT sparselin_features(jsonb_build_object(repeat('long', 100), 1e39));

-- columns
SELECT sparselin_features(s) FROM (SELECT 1 AS id, '{0.5,1}'::real[] AS embedding) AS s;
SELECT sparselin_features(s) FROM (SELECT '{{0.5,1}}'::float8[] AS embedding) AS s;
SELECT sparselin_features(s) FROM (SELECT '{1:1}'::sparsearray AS features) AS s;
SELECT sparselin_features(s) FROM (SELECT NULL::sparselin_model AS model) AS s;
SELECT sparselin_features(s, exclude => '{embedding}') || sparsearray(embedding) AS ok
FROM (SELECT 'x' AS a, '{0.5,1}'::real[] AS embedding) AS s;
-- types with the names of pgvector's, wherever they are, without a cast to real[]; what only has the name is a category
SET client_min_messages = warning;
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY '{vector,halfvec,sparsevec}'::text[] LOOP
        EXECUTE format('CREATE TYPE %s', name);
        EXECUTE format('CREATE FUNCTION %1$s_in(cstring) RETURNS %1$s AS ''textin'' LANGUAGE internal IMMUTABLE STRICT', name);
        EXECUTE format('CREATE FUNCTION %1$s_out(%1$s) RETURNS cstring AS ''textout'' LANGUAGE internal IMMUTABLE STRICT', name);
        EXECUTE format('CREATE TYPE %1$s (INPUT = %1$s_in, OUTPUT = %1$s_out)', name);
    END LOOP;
END $$;
CREATE DOMAIN embedding AS vector;
CREATE SCHEMA features_names;
CREATE DOMAIN features_names.vector AS text;
CREATE TYPE features_names.halfvec AS ENUM ('a');
RESET client_min_messages;
SELECT sparselin_features(s) FROM (SELECT 1 AS id, '[1,2]'::vector AS e) AS s;
SELECT sparselin_features(s) FROM (SELECT '[1,2]'::embedding AS e) AS s;
SELECT sparselin_features(s) FROM (SELECT ARRAY['[1,2]'::vector] AS e) AS s;
SELECT sparselin_features(s) FROM (SELECT '[1,2]'::halfvec AS e) AS s;
SELECT sparselin_features(s) FROM (SELECT '{1:1}/2'::sparsevec AS e) AS s;
SELECT sparselin_names(s) FROM (SELECT NULL::vector AS e) AS s;
SELECT sparselin_features(s, exclude => '{e}') = sparselin_features('{a=x}'::text[]) AS excluded FROM (SELECT 'x' AS a, '[1,2]'::vector AS e) AS s;
SELECT name FROM (SELECT '1'::features_names.vector AS v, 'a'::features_names.halfvec AS h) AS s, sparselin_names(s) ORDER BY 1;
-- as they are in pgvector, with that cast: numbers
CREATE FUNCTION vector_to_float4(vector, integer, boolean) RETURNS real[] LANGUAGE plpgsql IMMUTABLE STRICT AS
$$ BEGIN RETURN translate(vector_out($1)::text, '[]', '{}')::real[]; END $$;
CREATE CAST (vector AS real[]) WITH FUNCTION vector_to_float4(vector, integer, boolean) AS IMPLICIT;
SELECT name, value FROM (SELECT 'x' AS a, '[1,0,-2.5]'::vector AS e, NULL::vector AS f, '[3]'::embedding AS g) AS s, sparselin_names(s);
SELECT name, value FROM (SELECT ROW('[1,2]'::vector) AS r) AS s, sparselin_names(s);
SELECT sparselin_features(s) FROM (SELECT ARRAY['[1,2]'::vector] AS e) AS s;
SELECT sparselin_features(s) FROM (SELECT '[1,NaN]'::vector AS e) AS s;
SELECT count(*), sum(value::float8) = 16000 * 16001 / 2 AS ok
FROM (SELECT vector_in(textout('[' || string_agg(i::text, ',') || ']')) AS e FROM generate_series(1, 16000) i) AS s, sparselin_names(s);

-- exclude
CREATE TABLE customers (id int, label boolean, country text);
INSERT INTO customers VALUES (1, true, 'de');
SELECT sparselin_features(c, exclude => '{id,lable}') FROM customers c;
SELECT sparselin_features(c, exclude => '{ID}') FROM customers c;
SELECT sparselin_features(c, exclude => '{something_else}') FROM customers c;
SELECT sparselin_features(c, exclude => '{id,NULL}') FROM customers c;
SELECT sparselin_features(c, exclude => NULL) FROM customers c;
SELECT sparselin_features(c, exclude => '{{id,label},{country,id}}') FROM customers c;
SELECT sparselin_features(c, exclude => '{}') = sparselin_features(c) AS same FROM customers c;
SELECT sparselin_features(c, exclude => ARRAY[excluded]) IS NOT NULL AS ok FROM customers c, unnest('{id,label,id,no}'::text[]) AS excluded;
-- of many columns the hint names the first ones
SELECT format('CREATE TABLE wide (%s)', string_agg('columns_of_a_wide_table_' || i || ' int', ', ' ORDER BY i)) FROM generate_series(1, 25) AS i \gexec
INSERT INTO wide DEFAULT VALUES;
SELECT sparselin_features(w, exclude => '{something_else}') FROM wide w;
DROP TABLE wide;

-- idf
SELECT sparselin_features('{a}'::text[], 10, '{}/16');
SELECT sparselin_features('{a}'::text[], 4, '{6:0.5}');
SELECT sparselin_features('{"a": 1e30}'::jsonb, 4, '{6:1e30}');
SELECT sparselin_features('{"a": 1e-30}'::jsonb, 4, '{6:1e-30}');
SELECT sparselin_idf(x) FROM unnest('{"{1:1}/4","{1:1}/5"}'::sparsearray[]) AS x;
SELECT sparselin_idf(x) FROM unnest('{"{}/4","{5:1}"}'::sparsearray[]) AS x;

-- interactions
SELECT sparsearray_interact('{1:1e30}', '{2:1e30}');
SELECT sparsearray_interact('{1:1e-30}', '{2:1e-30}');
SELECT sparsearray_interact(x, x) FROM (SELECT sparsearray_agg(i, 1) AS x FROM generate_series(1, 20000) i) AS s;
SELECT sparsearray_multiply('{1:1}/4', '{1:1}/5');
SELECT sparsearray_multiply('{1:1e30}', '{1:1e30}');

-- Large input works
SELECT sparsearray_nnz(sparselin_features(jsonb_object_agg('key' || i, i))) > 95000 AS keys,
       sparsearray_nnz(sparselin_features(jsonb_object_agg('key' || i, i), 30)) >= 99990 AS in_30_bits,
       sparselin_features(jsonb_object_agg('key' || i, 1), 4) AS in_4_bits
FROM generate_series(1, 100000) i;
SELECT sparselin_features(ARRAY[repeat('name', 500000)]) = sparselin_features(jsonb_build_object(repeat('name', 500000), true)) AS long_names,
       sparselin_features(jsonb_build_object('a', repeat('name', 500000))) = sparselin_features(s) AS long_values
FROM (SELECT repeat('name', 500000) AS a) AS s;
SELECT sparselin_features((repeat('{"a":', 1000) || '1' || repeat('}', 1000))::jsonb)
       = sparselin_features(ARRAY[repeat('a.', 999) || 'a']) AS deep_objects,
       sparselin_features(('{"a":' || repeat('[', 1000) || '1' || repeat(']', 1000) || '}')::jsonb)
       = sparselin_features(ARRAY['a=1']) AS deep_arrays;
SELECT sparsearray_nnz(sparselin_features(array_agg('x' || i), 4)) FROM generate_series(1, 200000) i;

-- and can be cancelled: each of these names is a million bytes long
CREATE TEMP TABLE slow AS
SELECT jsonb_build_object(repeat('k', 1000000), (SELECT jsonb_object_agg(i, i) FROM generate_series(1, 100000) i)) AS doc,
       (SELECT sparsearray_agg(i, 1) FROM generate_series(1, 6000) i) AS x;
SET statement_timeout = '100ms';
SELECT sparselin_features(doc) FROM slow;
SELECT sparsearray_interact(x, x, 30) FROM slow;
RESET statement_timeout;
