-- sparsearray_agg, sparsearray_sum, sparsearray_avg

-- from a long table: any order, duplicates add up, what adds up to zero is not there
SELECT sparsearray_agg(i, v) FROM (VALUES (7, 2), (1, 0.5), (7, 1), (3, 1), (3, -1), (2147483647, 4)) t(i, v);
SELECT id, sparsearray_agg(i, v) FROM (VALUES ('a', 1, 1), ('b', 2, 1), ('a', 3, 2)) t(id, i, v) GROUP BY id ORDER BY id;
SELECT sparsearray_agg(i, v) FROM (VALUES (NULL, 1), (1, NULL), (2, 5)) t(i, v);
SELECT sparsearray_agg(i, v) IS NULL AS no_rows FROM (VALUES (1, 1)) t(i, v) WHERE false;
SELECT sparsearray_agg(i, v) IS NULL AS only_nulls FROM (VALUES (NULL::int, 1), (1, NULL)) t(i, v);
SELECT sparsearray_agg(1, 0);
-- sums are double before they are float4
SELECT sparsearray_agg(1, v) FROM unnest(ARRAY[1e20, -1e20, 16777216, 1, 1]) v;
SELECT sparsearray_agg(1, v) FROM unnest(ARRAY[3e38, 3e38, -4e38]) v;

SELECT sparsearray_agg(0, 1);
SELECT sparsearray_agg(-1, 1);
SELECT sparsearray_agg(2147483648, 1);
SELECT sparsearray_agg(1, 'NaN');
SELECT sparsearray_agg(1, '-Infinity');
SELECT sparsearray_agg(1, 1e-46);
SELECT sparsearray_agg(5, 1e39);
SELECT sparsearray_agg(5, v) FROM unnest(ARRAY[1e308, 1e308, -1e308, -1e308]) v;

-- of a dimension, which all rows say, or leave open with 0
SELECT sparsearray_agg(i, v, 10) FROM (VALUES (7, 2), (1, 0.5), (7, 1), (NULL, 1)) t(i, v);
SELECT sparsearray_agg(i, v, d) FROM (VALUES (7, 2, 0), (1, 0.5, 10), (2, 1, NULL)) t(i, v, d);
SELECT sparsearray_agg(i, v, 10) IS NULL AS only_nulls FROM (VALUES (NULL::int, 1), (1, NULL)) t(i, v);
SELECT sparsearray_agg(11, 1, 10);
SELECT sparsearray_agg(i, v, 10) FROM (VALUES (11, 1), (11, -1)) t(i, v);
SELECT sparsearray_agg(0, 1, 10);
SELECT sparsearray_agg(1, 1, d) FROM unnest('{10,11}'::int[]) AS d;
SELECT sparsearray_agg(1, 1, -1);
SELECT sparsearray_agg(2147483647, 1, 2147483647);
SELECT casgd_train(x, y, 'epochs=1') IS NOT NULL AS fits FROM (SELECT sparsearray_agg(i, i, 5) AS x, g % 2 AS y FROM generate_series(1, 2) i, generate_series(1, 4) g GROUP BY g
    UNION ALL SELECT '{5:1}/5', 1) AS s;

-- sums and means of rows; a known dimension is kept
SELECT sparsearray_sum(x), sparsearray_avg(x)
FROM (VALUES ('{1:1,3:2}'::sparsearray), ('{3:4}/5'), (NULL), ('{1:-1}')) t(x);
SELECT sparsearray_sum(x), sparsearray_avg(x) FROM (VALUES ('{}'::sparsearray), ('{}/3')) t(x);
SELECT sparsearray_sum(x) IS NULL AS sum, sparsearray_avg(x) IS NULL AS avg FROM (VALUES (NULL::sparsearray)) t(x);
SELECT sparsearray_avg(x) FROM (VALUES ('{1:3e38}'::sparsearray), ('{1:3e38}')) t(x);
SELECT sparsearray_sum(x) FROM (VALUES ('{1:3e38}'::sparsearray), ('{1:3e38}')) t(x);
-- a mean too small for float4 is zero
SELECT sparsearray_avg(x) FROM (VALUES ('{1:1.4e-45,2:3}'::sparsearray), ('{}'), ('{}')) t(x);
SELECT sparsearray_sum(x) FROM (VALUES ('{1:1}/2'::sparsearray), ('{1:1}/3')) t(x);
SELECT sparsearray_sum(x) FROM (VALUES ('{3:1}'::sparsearray), ('{1:1}/2')) t(x);
SELECT sparsearray_sum(x) FROM (VALUES ('{1:1}/2'::sparsearray), ('{3:1}')) t(x);

-- over a window, also a moving one
SELECT i, sparsearray_sum(x) OVER (ORDER BY i), sparsearray_avg(x) OVER (ORDER BY i ROWS 1 PRECEDING)
FROM (VALUES (1, '{1:1}'::sparsearray), (2, '{2:2}'), (3, '{1:3}')) t(i, x);

-- many groups, and one wide one, against plain sums
SELECT count(*), sum(sparsearray_nnz(x)) FROM
    (SELECT sparsearray_agg(i % 7 + 1, i) AS x FROM generate_series(1, 100000) i GROUP BY i % 20000) s;
CREATE TABLE entries AS SELECT (i * 7919::bigint) % 30011 * 71551 + 1 AS index, i % 1000 - 500 AS value
FROM generate_series(1, 60000) i;
CREATE VIEW sums AS SELECT index, sum(value) FROM entries GROUP BY index HAVING sum(value) <> 0;
SELECT sparsearray_nnz(x) = (SELECT count(*) FROM sums) AS nnz,
       (SELECT count(*) FROM sparsearray_entries(x) a FULL JOIN sums s USING (index)
        WHERE a.value IS DISTINCT FROM s.sum) AS differences
FROM (SELECT sparsearray_agg(index, value) AS x FROM entries) s;

-- in parallel: the same
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
CREATE TABLE narrow AS SELECT ('{' || index || ':' || value || '}')::sparsearray AS x FROM entries;
ALTER TABLE entries SET (parallel_workers = 2);
ALTER TABLE narrow SET (parallel_workers = 2);
CREATE FUNCTION is_parallel(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    line text;
    found boolean := false;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
        found := found OR line LIKE '%Partial Aggregate%';
    END LOOP;
    RETURN found;
END $$;
SELECT is_parallel('SELECT sparsearray_agg(index, value) FROM entries');
SELECT is_parallel('SELECT sparsearray_agg(index, value, 2147483647) FROM entries');
SELECT sparsearray_agg(index, value, 2147483647) = (SELECT sparsearray_agg(index, value) FROM entries) + '{}/2147483647' AS same FROM entries;
SELECT is_parallel('SELECT sparsearray_sum(x), sparsearray_avg(x) FROM narrow');
CREATE TABLE results AS
    SELECT (SELECT sparsearray_agg(index, value) FROM entries) AS agg, sparsearray_sum(x) AS sum,
           sparsearray_avg(x) AS avg, sparsearray_sum(x) FILTER (WHERE x IS NULL) IS NULL AS none FROM narrow;
SET max_parallel_workers_per_gather = 0;
SELECT r.agg = (SELECT sparsearray_agg(index, value) FROM entries) AS agg, r.sum = s.sum AS sum, r.avg = s.avg AS avg,
       r.none
FROM results r, (SELECT sparsearray_sum(x) AS sum, sparsearray_avg(x) AS avg FROM narrow) s;
DROP VIEW sums;
DROP TABLE entries, narrow, results;
DROP FUNCTION is_parallel;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;
