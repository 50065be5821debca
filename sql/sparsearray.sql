-- The type sparsearray: what it accepts and what one can do with it. Errors are in sparsearray_errors.sql.

-- Text
SELECT '{1:0.5,7:2}/10'::sparsearray;
SELECT '{1:0.5,7:2}'::sparsearray;
SELECT '{}'::sparsearray, '{}/3'::sparsearray;
SELECT '{7:2,1:0.5,3:-1}/10'::sparsearray AS unsorted;
SELECT E' { 1 :\t0.5 ,\n7: +2 } / 10 '::sparsearray AS spaced;
SELECT '{1:0,2:-0,3:0e5,4:1}/4'::sparsearray AS zeros_dropped;
SELECT '{2147483647:1}/2147483647'::sparsearray;
SELECT '{1:3.4028235e38,2:-1e-45,3:1e10,4:.5,5:5.,6:0.1}'::sparsearray AS extremes;
SELECT '{1:0.1}'::sparsearray = '{1:0.100000001}'::sparsearray AS same_float4;
SELECT sparsearray('{1:2}') AS by_name;
SELECT count(*) AS different
FROM (SELECT sparsearray(array_agg(i * 7919 % 100003 + 1), array_agg(sin(i) * 10.0 ^ (i % 60 - 30)), 100003) AS x
      FROM generate_series(1, 5000) i) s
WHERE x::text::sparsearray <> x;

-- Binary: dimension, count, 0, 0-based indices, values
SELECT sparsearray_send('{1:0.5,7:2}/10');
SELECT sparsearray_send('{}');

-- From arrays
SELECT sparsearray(ARRAY[7, 1]::bigint[], ARRAY[2, 0.5]::float8[]);
SELECT sparsearray(ARRAY[7, 1], ARRAY[2, 0.5]::real[], 10) AS other_types_convert;
SELECT sparsearray(indices => '{3,2}', vals => '{1,0}', dim => 3);
SELECT sparsearray('{}', '{}'), sparsearray('{}', '{}', 5);
SELECT sparsearray('[5:6]={1,2}'::bigint[], '[0:1]={10,20}'::float8[]) AS any_lower_bound;
SELECT sparsearray(ARRAY[0, 1.5, 0, -2]::real[]), sparsearray(ARRAY[0, 1.5, 0, -2]::float8[]),
       sparsearray(ARRAY[0, 3, 0, -2]::int[]), sparsearray(ARRAY[0, 1.5, 0.0, -2]::numeric[]);
SELECT sparsearray('{1,0,2}'::smallint[]), sparsearray('{1,0,2}'::bigint[]), '{-32768,0,32767}'::smallint[]::sparsearray,
       '{}'::smallint[]::sparsearray, '[5:6]={0,3}'::bigint[]::sparsearray;
-- 2^54 + 2^30 + 1 lies above the middle of two float4; its double is the middle, which would be rounded down
SELECT sparsearray('{18014399583223809}'::bigint[]) = sparsearray('{18014399583223809}'::numeric[]) AS rounded_once,
       sparsearray('{18014399583223809}'::bigint[]) = sparsearray('{18014399583223809}'::float8[]) AS rounded_twice;
SELECT ARRAY[0, 1.5]::real[]::sparsearray, ARRAY[0, 1.5]::float8[]::sparsearray, ARRAY[0, 16777217]::sparsearray,
       ARRAY[0, 1.5]::numeric[]::sparsearray, '{}'::real[]::sparsearray, '[3:4]={0,1}'::real[]::sparsearray;
SELECT '{2:1.5}/4'::sparsearray::real[], '{2:1.5}'::sparsearray::real[], '{}'::sparsearray::real[],
       '{}/2'::sparsearray::real[];
CREATE TEMP TABLE assigned (x sparsearray, r real[]);
INSERT INTO assigned VALUES (ARRAY[1, 0, 2]::real[], '{3:1}'::sparsearray), (ARRAY[0.25], '{}/1'::sparsearray);
SELECT * FROM assigned;
SELECT castsource::regtype, casttarget::regtype, castcontext FROM pg_cast
WHERE 'sparsearray'::regtype IN (castsource, casttarget) ORDER BY 1, 2;

-- Plain arrays are what they were
SELECT ARRAY[1, 2]::real[] = ARRAY[1, 2]::real[] AS equal, ARRAY[1, 2] || ARRAY[3] AS both, ARRAY[1.5] || 2.5 AS element,
       ARRAY[1, 2] || '{3}' AS literal, ARRAY[1]::float8[] < ARRAY[2]::float8[] AS less, 'a' || 'b' AS text,
       '{1}' || ARRAY[2], ARRAY[1.5, 2] = '{1.5,2}' AS numerics, ARRAY[1, 2] @> ARRAY[2] AS contains;
SELECT ARRAY[1, 2]::smallint[] = ARRAY[1, 2]::smallint[] AS equal, ARRAY[1]::smallint[] || 2::smallint AS element,
       ARRAY[1]::bigint[] || ARRAY[2]::bigint[] AS both, ARRAY[1]::smallint[] = '{1}' AS literal, ARRAY[1]::bigint[] < ARRAY[2]::bigint[] AS less,
       ARRAY[1]::smallint[] || '{2}' AS append, ARRAY[1]::bigint[] @> ARRAY[1]::bigint[] AS contains;
SELECT count(*) FROM (VALUES (ARRAY[1]::smallint[])) a (x) JOIN (VALUES (ARRAY[1]::smallint[])) b (x) USING (x)
               JOIN (VALUES (ARRAY[1]::bigint[])) c (y) ON c.y = ARRAY[1]::bigint[];
SELECT count(*) FROM (VALUES (ARRAY[1.0]::real[])) a (x) JOIN (VALUES (ARRAY[1.0]::real[])) b (x) USING (x);
SELECT x FROM (VALUES (ARRAY[2]::float8[]), (ARRAY[1])) a (x) UNION SELECT ARRAY[2]::real[] ORDER BY x;

-- Asking
SELECT sparsearray_dim('{1:1}/5'), sparsearray_dim('{1:1}') AS open, sparsearray_nnz('{1:1,3:2}'), sparsearray_nnz('{}/9');
SELECT sparsearray_get('{2:1.5}/4', 2), sparsearray_get('{2:1.5}/4', 4) AS none, sparsearray_get('{2:1.5}', 2147483647);
SELECT * FROM sparsearray_entries('{7:2,1:0.5}/10');
SELECT * FROM sparsearray_entries(NULL);
SELECT (sparsearray_entries('{1:1,2:2}')).value LIMIT 1;
SELECT n, (sparsearray_entries(x)).* FROM (VALUES (1, '{1:1,2:2}'::sparsearray), (2, '{}'), (3, '{5:5}')) v (n, x);
SELECT sparsearray_norm('{1:3,9:-4}'), sparsearray_norm('{1:3,9:-4}', 'l1') AS l1, sparsearray_norm('{1:3,9:-4}', 'max') AS max,
       sparsearray_norm('{}') AS none, sparsearray_norm('{1:3e38,2:3e38}') BETWEEN 4.24e38 AND 4.25e38 AS large;
SELECT sparsearray_dot('{1:1,3:2}', '{3:4,5:6}'), sparsearray_dot('{1:1}/3', '{1:2,100:1}') AS open_fits, sparsearray_dot('{}', '{1:1}') AS none;

-- Computing
SELECT sparsearray_normalize('{1:3,9:-4}/9'), sparsearray_normalize('{1:3,9:-4}', 'l1') AS l1,
       sparsearray_normalize('{1:3,9:-4}', 'max') AS max, sparsearray_normalize('{}/4') AS zeros, sparsearray_normalize('{1:1e38,2:1e-30}') AS dropped;
SELECT '{1:1,3:2}/5'::sparsearray + '{3:4,5:6}', '{1:1,3:2}'::sparsearray + '{3:-2}/5' AS dropped, '{}'::sparsearray + '{}/10' AS dimension_given;
SELECT '{1:1,3:2}/5'::sparsearray - '{3:4,5:6}', '{1:1,3:2}'::sparsearray - '{1:1,3:2}' AS nothing;
SELECT '{1:1,3:2}/5'::sparsearray * 2, 0.5 * '{1:1,3:2}'::sparsearray, '{1:1,3:2}/5'::sparsearray * 0 AS nothing, -1 * '{1:1}'::sparsearray AS negated;
SELECT '{1:1}/3'::sparsearray || '{2:5}/4', '{1:1}/3'::sparsearray || '{2:5}' AS open, '{}/1'::sparsearray || '{2147483646:1}' AS last;
SELECT sparsearray_dim(NULL), sparsearray_norm(NULL), NULL::sparsearray + '{1:1}', sparsearray(NULL::real[]), NULL::sparsearray = '{}';

-- Comparing
SELECT '{1:1}'::sparsearray = '{1:1}/1' AS dimension_counts, '{1:1,2:0}'::sparsearray = '{1:1}' AS zeros_do_not,
       '{1:1}'::sparsearray <> '{1:2}' AS differ, '{1:1}'::sparsearray < '{1:2}' AS less, '{1:-1}'::sparsearray <= '{1:-2}' AS less_equal,
       '{2:1}'::sparsearray > '{1:1}' AS greater, '{1:1,2:1}'::sparsearray >= '{9:1}' AS greater_equal;
CREATE TEMP TABLE rows (id int, x sparsearray);
INSERT INTO rows VALUES (1, '{1:1}'), (2, '{2:1}'), (3, '{1:1}'), (4, '{1:1}/7'), (5, '{1:-1}'), (6, '{1:-2}'), (7, '{}'), (8, NULL), (9, '{1:1,2:1}');
SELECT x FROM rows ORDER BY x, id;
SELECT DISTINCT x FROM rows ORDER BY x;
SELECT x, count(*) FROM rows GROUP BY x ORDER BY x;
SELECT x FROM rows UNION SELECT '{8:8}' ORDER BY x;
SELECT x FROM rows EXCEPT SELECT '{1:1}' ORDER BY x;
SET enable_nestloop = off;
SET enable_mergejoin = off;
SELECT a.id, b.id FROM rows a JOIN rows b USING (x) WHERE a.id < b.id ORDER BY 1, 2;
SET enable_mergejoin = on;
SET enable_hashjoin = off;
SELECT a.id, b.id FROM rows a JOIN rows b USING (x) WHERE a.id < b.id ORDER BY 1, 2;
RESET enable_nestloop;
RESET enable_mergejoin;
RESET enable_hashjoin;
SET enable_sort = off;
SELECT count(*) FROM (SELECT x FROM rows GROUP BY x) s;
RESET enable_sort;
-- the two hashes agree, and of a value of more than 1 MB all counts
SELECT length, bool_and(sparsearray_hash(x)::bigint & 4294967295 = sparsearray_hash_extended(x, 0) & 4294967295) AS agree,
       count(DISTINCT sparsearray_hash_extended(x, 7)) AS hashes
FROM (SELECT length, sparsearray(array_agg(i), array_agg(CASE WHEN i = place THEN 2 ELSE 1 END::float8)) AS x
      FROM (VALUES (9), (131070), (131071), (400000)) AS l (length), unnest(ARRAY[1, length / 2, length]) AS place,
           generate_series(1, length::bigint) AS i
      GROUP BY length, place) AS s
GROUP BY length ORDER BY length;
CREATE INDEX ON rows (x);
CREATE INDEX ON rows USING hash (x);
SET enable_seqscan = off;
SELECT id FROM rows WHERE x = '{1:1}' ORDER BY id;
SELECT id FROM rows WHERE x > '{1:1}' ORDER BY id;
RESET enable_seqscan;
CREATE TEMP TABLE parts (x sparsearray) PARTITION BY HASH (x);
CREATE TEMP TABLE part0 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TEMP TABLE part1 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO parts SELECT sparsearray(ARRAY[i], ARRAY[i]) FROM generate_series(1, 100) i;
SELECT count(*), count(DISTINCT tableoid) FROM parts;
SELECT amname, opcname, opcdefault, amvalidate(o.oid) FROM pg_opclass o JOIN pg_am a ON a.oid = opcmethod
WHERE opcintype = 'sparsearray'::regtype ORDER BY 1;

-- Stored uncompressed, inline with short and long headers, and out of line
SELECT typstorage, typalign, typlen FROM pg_type WHERE typname = 'sparsearray';
CREATE TEMP TABLE stored (x sparsearray);
INSERT INTO stored SELECT sparsearray(array_agg(i), array_agg(1.0 / i), n)
FROM (VALUES (1), (3), (20), (100000)) v (n), generate_series(1, n) i GROUP BY n;
SELECT sparsearray_dim(x), sparsearray_nnz(x), sparsearray_get(x, 1), sparsearray_norm(x, 'max'), x = x::text::sparsearray AS same
FROM stored ORDER BY 1;

-- Nothing is left without a description, and everything may run in parallel
SELECT p.oid::regprocedure FROM pg_proc p
WHERE proname ~ '^(sparsearray|sparselin_libsvm)'
    AND (obj_description(p.oid, 'pg_proc') IS NULL OR proparallel <> 's' OR provolatile <> 'i') ORDER BY 1;
SELECT o.oid::regoperator FROM pg_operator o
WHERE 'sparsearray'::regtype IN (oprleft, oprright) AND obj_description(o.oid, 'pg_operator') IS NULL;

-- svmlight and LIBSVM files
SELECT * FROM sparselin_libsvm('+1 3:0.5 7:2');
SELECT * FROM sparselin_libsvm(E'-1.5e3\t7:2  3:0.5 4:0 # 9:9 a comment\r\n');
SELECT * FROM sparselin_libsvm('0');
SELECT * FROM sparselin_libsvm('') UNION ALL SELECT * FROM sparselin_libsvm('  # only a comment');
SELECT l.* FROM regexp_split_to_table(E'1 1:1\n-1 2:1\n', E'\n') line, sparselin_libsvm(line) l WHERE label IS NOT NULL;
