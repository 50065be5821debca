-- Input that sparsearray refuses: each error names the value and the rule, and the session goes on.

-- Syntax
SELECT ''::sparsearray;
SELECT 'abc'::sparsearray;
SELECT '{1:2'::sparsearray;
SELECT '{1:2,}'::sparsearray;
SELECT '{,1:2}'::sparsearray;
SELECT '{1 2}'::sparsearray;
SELECT '{1:}'::sparsearray;
SELECT '{:1}'::sparsearray;
SELECT '{1:2}/'::sparsearray;
SELECT '{1:2} x'::sparsearray;
SELECT '{1:2}/3/4'::sparsearray;
SELECT '{1.5:2}'::sparsearray;
SELECT '{one:2}'::sparsearray;
SELECT '{1:two}'::sparsearray;
SELECT '{1:0x10}'::sparsearray;
SELECT '{1:2}/many'::sparsearray;
SELECT ('{1:' || repeat('é', 1000) || '}')::sparsearray;

-- Indices
SELECT '{0:1}'::sparsearray;
SELECT '{-3:1}'::sparsearray;
SELECT '{2147483648:1}'::sparsearray;
SELECT '{99999999999999999999:1}'::sparsearray;
SELECT '{-99999999999999999999:1}'::sparsearray;
SELECT '{3:1,1:1,3:2}'::sparsearray;
SELECT '{3:1,3:0}'::sparsearray;
SELECT '{1:1,11:1}/10'::sparsearray;
SELECT '{11:0}/10'::sparsearray;

-- Dimensions
SELECT '{}/0'::sparsearray;
SELECT '{}/-1'::sparsearray;
SELECT '{}/2147483648'::sparsearray;
SELECT '{}/99999999999999999999'::sparsearray;

-- Values
SELECT '{1:NaN}'::sparsearray;
SELECT '{1:-nan}'::sparsearray;
SELECT '{1:inf}'::sparsearray;
SELECT '{1:-Infinity}'::sparsearray;
SELECT '{1:1e39}'::sparsearray;
SELECT '{1:-1e999}'::sparsearray;
SELECT '{1:1e-46}'::sparsearray;
SELECT ('{1:0.' || repeat('0', 60) || '1}')::sparsearray;

-- Arrays
SELECT sparsearray(ARRAY[1, 2], ARRAY[1.5]);
SELECT sparsearray(ARRAY[[1, 2]], ARRAY[1.5, 2]);
SELECT sparsearray(ARRAY[1, 2], ARRAY[[1.5, 2]]);
SELECT sparsearray(ARRAY[1, NULL], ARRAY[1.5, 2]);
SELECT sparsearray(ARRAY[1, 2], ARRAY[1.5, NULL]);
SELECT sparsearray(ARRAY[1, 1], ARRAY[1.5, 2]);
SELECT sparsearray(ARRAY[0], ARRAY[1.5]);
SELECT sparsearray(ARRAY[-1], ARRAY[1.5]);
SELECT sparsearray(ARRAY[2147483648], ARRAY[1.5]);
SELECT sparsearray(ARRAY[9], ARRAY[1.5], 8);
SELECT sparsearray(ARRAY[9], ARRAY[1.5], -8);
SELECT sparsearray(ARRAY[1], ARRAY['NaN'::float8]);
SELECT sparsearray(ARRAY[1], ARRAY['-Infinity'::float8]);
SELECT sparsearray(ARRAY[1], ARRAY[1e39]);
SELECT sparsearray(ARRAY[1], ARRAY[1e-46]);
SELECT sparsearray(ARRAY[[1]]::real[]);
SELECT sparsearray(ARRAY[1, NULL]::real[]);
SELECT sparsearray(ARRAY[1, 'NaN']::real[]);
SELECT sparsearray(ARRAY[1, 'inf']::real[]);
SELECT sparsearray(ARRAY[1, 1e39]::float8[]);
SELECT sparsearray(ARRAY[1, 1e-46]::float8[]);
SELECT sparsearray(ARRAY[1, NULL]::int[]);
SELECT sparsearray(ARRAY[1, NULL]::smallint[]);
SELECT sparsearray(ARRAY[[1]]::bigint[]);
SELECT sparsearray(ARRAY[1, 1e39]::numeric[]);
SELECT sparsearray(ARRAY[1, 1e-46]::numeric[]);
SELECT sparsearray(ARRAY[1, 'NaN']::numeric[]);
SELECT sparsearray(ARRAY[[1]]::numeric[]);
SELECT '{2147483647:1}'::sparsearray::real[];

-- Casts are for assignment only
SELECT ARRAY[1]::real[] + '{1:1}'::sparsearray;
SELECT sparsearray_dim(ARRAY[1]::real[]);
SELECT ARRAY[1]::real[] = '{1:1}'::sparsearray;

-- Asking and computing
SELECT sparsearray_get('{1:1}', 0);
SELECT sparsearray_get('{1:1}', 2147483648);
SELECT sparsearray_get('{1:1}/5', 6);
SELECT sparsearray_norm('{1:1}', 'l3');
SELECT sparsearray_normalize('{1:1}', '');
SELECT sparsearray_dot('{1:1}/3', '{1:1}/4');
SELECT '{1:1}/3'::sparsearray + '{1:1}/4';
SELECT '{1:1}/3'::sparsearray - '{1:1}/4';
SELECT '{5:1}'::sparsearray + '{1:1}/4';
SELECT '{1:3e38}'::sparsearray + '{1:3e38}';
SELECT '{1:-3e38}'::sparsearray - '{1:3e38}';
SELECT '{1:3e38}'::sparsearray * 2;
SELECT '{1:1e-45}'::sparsearray * 0.1;
SELECT '{1:1}'::sparsearray * 'NaN'::float8;
SELECT '-inf'::float8 * '{1:1}'::sparsearray;
SELECT '{1:1}'::sparsearray || '{1:1}/4';
SELECT '{1:1}/2'::sparsearray || '{}/2147483646';
SELECT '{1:1}/2'::sparsearray || '{2147483646:1}';

-- svmlight and LIBSVM files
SELECT sparselin_libsvm('spam 1:1');
SELECT sparselin_libsvm('nan 1:1');
SELECT sparselin_libsvm('1e999 1:1');
SELECT sparselin_libsvm('1:1 2:2');
SELECT sparselin_libsvm('1 2');
SELECT sparselin_libsvm('1 2:');
SELECT sparselin_libsvm('1 :2');
SELECT sparselin_libsvm('1 0:2');
SELECT sparselin_libsvm('1 2:1 2:1');
SELECT sparselin_libsvm('1 2:inf');
SELECT sparselin_libsvm('1 qid:7 2:1');
SELECT regexp_replace('1 qid:7 2:1', 'qid:\S+', '') AS line, f.* FROM sparselin_libsvm(regexp_replace('1 qid:7 2:1', 'qid:\S+', '')) f;

-- A value of another make, as a superuser's cast would let in: its header must agree with its size
CREATE CAST (bytea AS sparsearray) WITHOUT FUNCTION;
SELECT decode('0a000000' || '01000000' || '00000000' || '06000000' || '0000003f', 'hex')::sparsearray AS good;
SELECT ''::bytea::sparsearray;
SELECT decode(repeat('00', 11), 'hex')::sparsearray;
SELECT decode('ffffffff' || repeat('00', 8), 'hex')::sparsearray;
SELECT decode('00000000' || 'ffffffff' || repeat('00', 4), 'hex')::sparsearray;
SELECT decode('00000000' || 'ffffff7f' || repeat('00', 4), 'hex')::sparsearray;
SELECT decode(repeat('00', 8) || '01000000', 'hex')::sparsearray;
SELECT decode(repeat('00', 16), 'hex')::sparsearray;
SELECT sparsearray_nnz(decode(repeat('00', 13), 'hex')::sparsearray);
-- with damage inside, everything stays within its bounds
CREATE TEMP TABLE damaged AS
SELECT decode('0a000000' || '02000000' || '00000000' || indices || '0000803f' || '0000c07f', 'hex')::sparsearray AS x
FROM (VALUES ('ffffffffffffff7f'), ('0500000002000000'), ('00000080ffffffff')) v (indices);
SELECT x, sparsearray_get(x, 3), sparsearray_norm(x, 'l1'), sparsearray_dot(x, '{3:1}'), x = x AS same FROM damaged;
SELECT sparsearray_entries(x) FROM damaged;
SELECT x::real[] FROM damaged LIMIT 1;
SELECT x + '{3:1}' FROM damaged LIMIT 1;
SELECT x || '{3:1}' FROM damaged LIMIT 1;
SELECT '{3:1}/3'::sparsearray || x FROM damaged LIMIT 1;
SELECT sparsearray_normalize(x) FROM damaged LIMIT 1;
DROP TABLE damaged;
DROP CAST (bytea AS sparsearray);

-- Binary input that was cut or mangled: the bytes of a binary COPY, written by printf
CREATE TEMP TABLE received (x sparsearray);
CREATE FUNCTION pg_temp.receive(payload bytea) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    stream bytea := '\x5047434f50590aff0d0a0000000000000000000001'::bytea ||
                    int4send(length(payload)) || payload || '\xffff'::bytea;
    octal text;
    hint text;
BEGIN
    SELECT string_agg('\' || lpad((b / 64)::text || (b / 8 % 8)::text || (b % 8)::text, 3, '0'), '' ORDER BY i) INTO octal
    FROM generate_series(0, length(stream) - 1) i, get_byte(stream, i) b;
    TRUNCATE received;
    EXECUTE format('COPY received FROM PROGRAM %L WITH (FORMAT binary)', format('printf ''%s''', octal));
    RETURN (SELECT x FROM received);
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
    RETURN format('%s: %s (%s)', SQLSTATE, SQLERRM, hint);
END $$;
SELECT pg_temp.receive(sparsearray_send('{1:0.5,7:2}/10'));
SELECT pg_temp.receive(sparsearray_send('{}'));
SELECT n, pg_temp.receive(substr(sparsearray_send('{1:0.5,7:2}/10'), 1, n)) FROM unnest(ARRAY[0, 11, 12, 27]) n;
SELECT pg_temp.receive(sparsearray_send('{1:0.5,7:2}/10') || '\x00');
SELECT name, pg_temp.receive(overlay(sparsearray_send('{1:0.5,7:2}/10') PLACING bytes FROM at))
FROM (VALUES ('negative dimension', 1, '\xffffffff'::bytea), ('small dimension', 1, '\x00000006'), ('negative count', 5, '\xffffffff'),
             ('large count', 5, '\x7fffffff'), ('unused', 9, '\x00000001'), ('negative index', 13, '\xffffffff'),
             ('large index', 17, '\x7fffffff'), ('duplicate', 17, '\x00000000'), ('descending', 13, '\x00000008'),
             ('zero', 21, '\x00000000'), ('negative zero', 21, '\x80000000'), ('nan', 21, '\x7fc00000'),
             ('infinity', 25, '\xff800000')) v (name, at, bytes);
SELECT pg_temp.receive(overlay(sparsearray_send('{1:0.5}') PLACING '\x7fffffff' FROM 13)) AS large_index_open;
SELECT '{1:1}'::sparsearray AS still_here;
