-- What a table has and a list of names has not: NULLs, dates and timestamps, long texts, and tables of every shape
CREATE SCHEMA features_columns;
SET search_path = features_columns, public;

-- the published numbers of such names (docs/hashing.md)
SELECT feature, name, value FROM (SELECT NULL::int AS age, timestamp '2026-11-18 09:30' AS seen) AS s, sparselin_names(s);
SELECT feature, name, value FROM (VALUES (timestamp 'infinity'), ('-infinity')) AS s (seen), sparselin_names(s);

-- NULLs: a feature of their own, whatever the type, and nothing else
CREATE TYPE place AS (city text, floor int);
CREATE DOMAIN share AS numeric CHECK (VALUE <= 1);
SELECT name, value
FROM (SELECT NULL::boolean AS a, NULL::text AS b, NULL::share AS c, NULL::place AS d, NULL::int[] AS e, NULL::jsonb AS f, NULL::tsvector AS g,
             NULL::date AS h, ('Rome', NULL)::place AS i, ARRAY[('Oslo', 1), NULL, (NULL, 2), (NULL, NULL)]::place[] AS j,
             '{"k": null, "l": [null]}'::jsonb AS k, '{1,NULL}'::int[] AS l, 0 AS m, false AS n, '' AS o) AS s, sparselin_names(s);
SELECT name FROM (SELECT 1 AS a, NULL::int AS b, NULL::text AS c) AS s, sparselin_names(s, exclude => '{b}');
-- a model tells NULL from 0 and false
CREATE TEMP TABLE gaps AS SELECT i AS id, CASE i % 3 WHEN 0 THEN NULL ELSE i % 3 - 1 END AS x, CASE i % 3 WHEN 0 THEN NULL ELSE i % 3 = 2 END AS t,
    (i % 3 = 0) <> (i % 25 = 0) AS y FROM generate_series(1, 600) i;
SELECT (sparselin_evaluate(m, sparselin_features(g, exclude => '{id,y}'), y)).accuracy
FROM gaps AS g, (SELECT sparselin_train(sparselin_features(g, exclude => '{id,y}'), y ORDER BY id) AS m FROM gaps AS g) AS s;
SELECT e.name, e.value FROM gaps AS g, (SELECT sparselin_train(sparselin_features(g, exclude => '{id,y}'), y ORDER BY id) AS m FROM gaps AS g) AS s,
    sparselin_explain(m, g, exclude => '{id,y}') AS e WHERE id = 3 ORDER BY e.name;

-- Dates and timestamps: as the server takes them apart, in UTC
SET TimeZone = 'UTC';
CREATE FUNCTION parts(column_name text, moment timestamp, hours boolean) RETURNS TABLE (name text, value float8) LANGUAGE sql STABLE AS $$
    SELECT column_name, extract(epoch FROM moment - '2000-01-01') / 86400 / 365.2425
    UNION ALL SELECT column_name || '.month=' || extract(month FROM moment), 1
    UNION ALL SELECT column_name || '.weekday=' || extract(isodow FROM moment), 1
    UNION ALL SELECT column_name || '.hour=' || extract(hour FROM moment), 1 WHERE hours $$;
CREATE TEMP TABLE moments AS
SELECT moment, moment::date AS d, moment AS t, moment AT TIME ZONE 'UTC' AS z
FROM (SELECT '4713-01-01 00:00:00 BC'::timestamp + i * interval '97 days 5 hours 59 minutes 59.999999 seconds' AS moment FROM generate_series(0, 30000) i
      UNION ALL SELECT * FROM unnest('{1999-12-31 23:59:59.999999,2000-01-01,2000-01-01 00:00:00.000001,2000-02-29 23:59:59,294276-12-31 23:59:59.999999,
          4714-11-24 00:00:00 BC,1582-10-15}'::timestamp[])) AS s;
SELECT count(*) AS different FROM moments AS m,
    LATERAL (SELECT array_agg((n.name, n.value::real) ORDER BY n.name) AS is FROM (SELECT d, t, z) AS s, sparselin_names(s) AS n) AS s,
    LATERAL (SELECT array_agg((p.name, p.value::real) ORDER BY p.name) AS should
             FROM (SELECT * FROM parts('d', d, false) UNION ALL SELECT * FROM parts('t', t, true) UNION ALL SELECT * FROM parts('z', t, true)) AS p
             WHERE p.value::real <> 0) AS p
WHERE s.is IS DISTINCT FROM p.should;
-- the same features whatever the settings are
CREATE TEMP TABLE in_utc AS SELECT z, sparselin_features(s, exclude => '{moment}') AS f FROM moments AS s;
SET TimeZone = 'Pacific/Kiritimati'; SET DateStyle = 'German';
SELECT count(*) AS same FROM moments AS s JOIN in_utc USING (z) WHERE f = sparselin_features(s, exclude => '{moment}');
SET TimeZone = 'America/St_Johns'; SET DateStyle = 'SQL, DMY';
SELECT count(*) AS same FROM moments AS s JOIN in_utc USING (z) WHERE f = sparselin_features(s, exclude => '{moment}');
SELECT n.name FROM (SELECT timestamptz '2026-11-18 23:30:00-03:30' AS z, '2026-11-18 23:30:00-03:30'::timestamptz::timestamp AS t) AS s, sparselin_names(s) AS n;
RESET TimeZone; RESET DateStyle;
-- the ends of dates, which lie beyond those of timestamps; infinity; times of day and elements of arrays are categories
SELECT n.name, n.value FROM (SELECT date '5874897-12-31' AS a, date '4714-11-24 BC' AS b, date 'infinity' AS c, date '-infinity' AS d,
    timestamptz 'infinity' AS e, timestamptz '-infinity' AS f, time '09:30' AS g, timetz '09:30+02' AS h, '{2026-11-18,infinity}'::date[] AS i,
    '{2026-11-18 09:30+02}'::timestamptz[] AS j, ROW(date '2026-11-18') AS k) AS s, sparselin_names(s) AS n;
CREATE DOMAIN day AS date;
CREATE DOMAIN birthday AS day;
SELECT n.name, n.value FROM (SELECT '2026-11-18'::birthday AS b) AS s, sparselin_names(s) AS n;

-- Numbers as categories
SELECT v, sparselin_bucket(v, '{18,30,65}') FROM unnest('{-Infinity,0,17.999,18,29,30,64.5,65,1e300,Infinity,NULL}'::float8[]) AS v;
SELECT sparselin_bucket(7, '{5}'), sparselin_bucket(7, ARRAY[5, 10]), sparselin_bucket(7::numeric, '{0.5,7.25}'), sparselin_bucket(7, NULL),
       sparselin_bucket(7, '[3:4]={5,9}'), sparselin_bucket(1e15, '{-0,1e16}');
SET extra_float_digits = -15;
SELECT sparselin_bucket(0.15, '{0.1,0.123456789012345678}') AS whatever_the_settings_are;
RESET extra_float_digits;
SELECT name FROM (SELECT sparselin_bucket(age, '{18,30,65}') AS age FROM unnest('{17,40,NULL}'::int[]) AS age) AS s, sparselin_names(s);
SELECT sparselin_bucket('NaN', '{1}');
SELECT sparselin_bucket(1, '{}');
SELECT sparselin_bucket(1, '{3,2}');
SELECT sparselin_bucket(1, '{2,2}');
SELECT sparselin_bucket(1, '{1,NULL}');
SELECT sparselin_bucket(1, '{1,Infinity}');
SELECT sparselin_bucket(1, '{{1,2}}');
SELECT sparselin_bucket(50000.5, array_agg(i ORDER BY i)) FROM generate_series(1, 100000) i;

-- Long texts are told, once for each place in a query
CREATE TEMP TABLE letters AS SELECT i AS id, i % 2 = 0 AS y, 'letter number ' || i || ' of many' AS body, ('three short words')::text AS subject,
    'de'::text AS country, ARRAY['one two three four five'] AS tags FROM generate_series(1, 100) i;
SELECT count(sparselin_features(l, exclude => '{id,y}')) FROM letters AS l;
SELECT count(sparselin_features(l, exclude => '{id,y}')), count(sparselin_features(l, 12, '{id,y}')) FROM letters AS l;
SELECT count(sparselin_features(l, exclude => '{id,y,body}')) FROM letters AS l;
SELECT count(sparselin_features(l, exclude => '{id,y}')) FROM letters AS l WHERE id < 8;
SELECT count(sparselin_features(l, exclude => '{id,y}')) FROM letters AS l WHERE id < 9;
SELECT count(*) FROM letters AS l, sparselin_names(l, exclude => '{id,y}');
SELECT count(sparselin_features(s)) FROM (SELECT CASE WHEN id > 50 THEN body END AS "My Body", E'a\tb\n\nc  d'::varchar AS v FROM letters) AS s;
SELECT count(sparselin_features(s)) FROM (SELECT to_tsvector('simple', body) AS body FROM letters) AS s;
-- in a parallel plan too
CREATE TABLE many_letters AS SELECT l.* FROM letters AS l, generate_series(1, 100);
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2;
SELECT count(sparselin_features(l, exclude => '{id,y}')) FROM many_letters AS l;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size; RESET max_parallel_workers_per_gather;

-- Tables of every shape: 1,600 columns, most of them NULL
DO $$
BEGIN
    EXECUTE 'CREATE TABLE wide (' || (SELECT string_agg(format('c%s %s', i, (ARRAY['int', 'text', 'boolean', 'date'])[1 + i % 4]), ', ')
                                      FROM generate_series(1, 1600) i) || ')';
END $$;
INSERT INTO wide (c4, c1, c2, c1597) VALUES (7, 'x', true, 'y'), (NULL, NULL, NULL, NULL);
SELECT count(*) AS names, count(*) FILTER (WHERE name LIKE '% is null') AS nulls, string_agg(name, ' ') FILTER (WHERE name NOT LIKE '% is null') AS others
FROM wide AS w, sparselin_names(w, 30) GROUP BY w ORDER BY nulls;
SELECT sparsearray_nnz(sparselin_features(w, 30)) FROM wide AS w;
-- columns that were dropped, and some that came later; generated columns; columns of domains; names in quotes
CREATE TABLE shaped (gone int, a int, also_gone text, "B c" text, born date, g int GENERATED ALWAYS AS (a * 2) STORED, d share, p place);
INSERT INTO shaped (gone, a, also_gone, "B c", born, d, p) VALUES (1, 2, 'x', 'y', '2026-11-18', 0.5, ('Rome', 3));
ALTER TABLE shaped DROP gone, DROP also_gone;
ALTER TABLE shaped ADD later text DEFAULT 'z', ADD empty int;
SELECT name, value FROM shaped AS s, sparselin_names(s);
SELECT name FROM shaped AS s, sparselin_names(s, exclude => '{"B c",p,empty,born}');
ALTER TABLE shaped DROP p;
ALTER TYPE place ADD ATTRIBUTE country text;
SELECT name, value FROM (SELECT ('Rome', 3, NULL)::place AS p) AS s, sparselin_names(s);
-- a row of partitions whose columns lie in another order
CREATE TABLE parted (a int, b text) PARTITION BY RANGE (a);
CREATE TABLE parted_low (b text, dropped int, a int);
ALTER TABLE parted_low DROP dropped;
ALTER TABLE parted ATTACH PARTITION parted_low FOR VALUES FROM (0) TO (10);
CREATE TABLE parted_high PARTITION OF parted FOR VALUES FROM (10) TO (20);
INSERT INTO parted VALUES (1, 'x'), (11, NULL);
SELECT string_agg(name || ' ' || value, ', ' ORDER BY name) FROM parted AS p, sparselin_names(p) GROUP BY p ORDER BY 1;
-- words of 1 MB
SELECT sparselin_features(s) = sparselin_features(ARRAY['a=' || a, 'b=' || b[1]]) AS same
FROM (SELECT repeat('x', 1000000) AS a, ARRAY[repeat('y', 1000000)] AS b) AS s;
-- rows made by a function that is called again and again, and plans that are kept
PREPARE of_gaps (int) AS SELECT name FROM gaps AS g, sparselin_names(g, exclude => '{id}') WHERE id = $1 ORDER BY name;
EXECUTE of_gaps(3);
EXECUTE of_gaps(4);
