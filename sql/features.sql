-- Features by name: from tsvector, text[], jsonb and rows
CREATE SCHEMA features;
SET search_path = features, public;

-- the published numbers of names (docs/hashing.md): they never change
SELECT name, sparselin_features(ARRAY[name]) AS "20 bits", sparselin_features(ARRAY[name], 4) AS "4 bits",
       sparselin_features(ARRAY[name], 30) AS "30 bits"
FROM unnest('{"",a,ab,abc,free,page=7,country,sparselin,country=de,0123456789abcdef,
              the quick brown fox jumps over the lazy dog}'::text[]) AS name;
SELECT sparsearray_interact('{1:1}', '{1:1}'), sparsearray_interact('{1:1}', '{2:1}'),
       sparsearray_interact('{2:1}', '{1:1}'), sparsearray_interact('{2147483647:1}', '{2147483647:1}');

-- names that a source should have, as a row of features
CREATE FUNCTION named(names text[], vals float8[], bits int DEFAULT 20) RETURNS sparsearray LANGUAGE sql IMMUTABLE AS
$$ SELECT sparsearray_agg(i.index, v * i.value) + format('{}/%s', 1 << bits)::sparsearray
   FROM unnest(names, vals) AS u(n, v), sparsearray_entries(sparselin_features(ARRAY[n], bits)) AS i $$;

-- tsvector
SELECT sparselin_features(to_tsvector('english', 'Win a free prize, free entry')) = named('{win,free,prize,entri}', '{1,2,1,1}') AS ok,
       sparselin_features(strip(to_tsvector('english', 'free free'))) = named('{free}', '{1}') AS stripped,
       sparselin_features('a:1A b:2B,3D'::tsvector, 10) = named('{a,b}', '{1,2}', 10) AS weights_do_not_count,
       sparselin_features(to_tsvector('english', '')) AS empty, sparselin_features(NULL::tsvector) AS null_source,
       sparselin_features(''::tsvector, NULL) AS null_bits;

-- text[]
SELECT sparselin_features('{b,a,b}'::text[]) = named('{a,b}', '{1,2}') AS ok,
       sparselin_features('{{a,b},{c,a}}'::text[]) = named('{a,b,c}', '{2,1,1}') AS two_dimensions,
       sparselin_features('{a,NULL,b,NULL}'::text[]) = named('{a,b}', '{1,1}') AS nulls_are_nothing,
       sparselin_features('[5:6]={a,b}'::text[]) = named('{a,b}', '{1,1}') AS other_bounds,
       sparselin_features('{"",a}'::text[]) = named('{"",a}', '{1,1}') AS empty_text_is_a_name,
       sparselin_features('{}'::text[]) AS empty, sparselin_features('{NULL}'::text[]) AS only_null;
SELECT sparselin_features('{a,b}'::varchar[]) = sparselin_features('{a,b}'::text[]) AS varchar_too;

-- jsonb
SELECT sparselin_features('{"age": 30.5, "lang": "de", "new": true, "old": false, "gone": null, "zero": 0, "neg": -2e3}'::jsonb)
       = named('{age,lang=de,new,neg}', '{30.5,1,1,-2000}') AS scalars,
       sparselin_features('{"tag": ["a", "b", "a", 1, 1.0, 2.50, true, false, null]}'::jsonb)
       = named('{tag=a,tag=b,tag=1,tag=2.5,tag=true,tag=false}', '{2,1,2,1,1,1}') AS arrays,
       sparselin_features('{"user": {"age": 7, "home": {"city": "Rome", "own": true}, "likes": ["x"]}}'::jsonb)
       = named('{user.age,user.home.city=Rome,user.home.own,user.likes=x}', '{7,1,1,1}') AS objects,
       sparselin_features('{"items": [{"sku": "A", "n": 2}, {"sku": "B", "n": 1}, {}], "last": 1}'::jsonb)
       = named('{items.sku=A,items.sku=B,items.n,last}', '{1,1,3,1}') AS arrays_of_objects,
       sparselin_features('{"m": [[1, [2]], [{"k": [3, {"l": 4}]}], []], "z": "y"}'::jsonb)
       = named('{m=1,m=2,m.k=3,m.k.l,z=y}', '{1,1,1,4,1}') AS nested_arrays,
       sparselin_features('{"": 1, "a.b": 2, "a": {"b": 3, "": "c"}}'::jsonb) = named('{"",a.b,a.=c}', '{1,5,1}') AS odd_names;
SELECT sparselin_features('{}'::jsonb), sparselin_features('{"a": {}, "b": [], "c": [[], {}]}'::jsonb, 4);
-- jsonb has no NaN and no infinity: as strings, which is what the server makes of them, they are categories
SELECT sparselin_features(jsonb_build_object('a', 'NaN'::float8, 'b', '-Infinity'::real, 'c', 'NaN'::numeric))
       = named('{a=NaN,b=-Infinity,c=NaN}', '{1,1,1}') AS not_numbers;
-- equal values have equal features
SELECT '{"a": 1.0, "b": [1.00]}'::jsonb = '{"b": [1], "a": 1}'::jsonb AS equal,
       sparselin_features('{"a": 1.0, "b": [1.00]}'::jsonb) = sparselin_features('{"b": [1], "a": 1}'::jsonb) AS equal_features;

-- rows
CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE TYPE address AS (city text, floor int);
CREATE DOMAIN percent AS numeric CHECK (VALUE <= 100);
CREATE TABLE customers (
    id int, label boolean, dropped text, age smallint, visits int, spent bigint, score real, rate float8, price numeric, share percent,
    fee money, name text, code character(6), short varchar(9), mood mood, key uuid, born date, at time, seen timestamp, paid timestamptz,
    active boolean, lost boolean, tags text[], pages int[], shares numeric[], flags boolean[], moods mood[],
    doc jsonb, raw json, docs jsonb[], home address, homes address[], words tsvector, range int4range);
ALTER TABLE customers DROP dropped;
INSERT INTO customers VALUES (
    1, true, 30, -2, 5000000000, 1.5, 0.25, 19.99, 12.5, 3.50, 'Ann', 'x y', 'v', 'happy', '00000000-0000-0000-0000-00000000000a',
    '2026-11-18', '09:30', '2026-11-18 09:30:00', '2026-11-18 09:30:00+01', true, false, '{a,NULL,b}', '{7,7,8}', '{1.50}', '{t,f}',
    '{sad,happy}', '{"k": 1, "l": ["m"]}', '{"k": "v"}', ARRAY['{"k": 2}', '3', '"s"']::jsonb[], ('Rome', 2),
    ARRAY[('Oslo', 1), ('Bonn', 3), NULL]::address[], 'hello:1,2 world:3', '[1,5)');
INSERT INTO customers (id, label) VALUES (2, false);
CREATE FUNCTION years(moment timestamp) RETURNS float8 LANGUAGE sql IMMUTABLE AS
$$ SELECT extract(epoch FROM moment - '2000-01-01') / 86400 / 365.2425 $$;
SELECT sparselin_features(c, exclude => '{id,label}') = named(
    '{age,visits,spent,score,rate,price,share,fee,name=Ann,code=x y,short=v,mood=happy,key=00000000-0000-0000-0000-00000000000a,
      born,born.month=11,born.weekday=3,at=09:30:00,seen,seen.month=11,seen.weekday=3,seen.hour=9,
      paid,paid.month=11,paid.weekday=3,paid.hour=8,active,
      tags=a,tags=b,pages=7,pages=8,shares=1.5,flags=true,flags=false,moods=sad,moods=happy,doc.k,doc.l=m,raw.k=v,docs.k,docs=3,docs=s,
      home.city=Rome,home.floor,homes.city=Oslo,homes.city=Bonn,homes.floor,words=hello,words=world,"range=[1,5)"}',
    ARRAY[30,-2,5000000000,1.5,0.25,19.99,12.5,3.5,1,1,1,1,1]::float8[] || years(date '2026-11-18')
    || ARRAY[1,1,1]::float8[] || years('2026-11-18 09:30') || ARRAY[1,1,1]::float8[] || years('2026-11-18 08:30') || ARRAY[1,1,1,1]::float8[]
    || '{1,1,2,1,1,1,1,1,1,1,1,1,2,1,1, 1,2,1,1,4,2,1,1}') AS ok
FROM customers AS c WHERE id = 1;
CREATE FUNCTION nulls_of(row_type text) RETURNS text[] LANGUAGE sql STABLE AS
$$ SELECT array_agg(attname || ' is null') FROM pg_attribute WHERE attrelid = row_type::regclass AND attnum > 0 AND NOT attisdropped $$;
SELECT sparselin_features(c, exclude => '{id,label}') = sparselin_features(nulls[3:]) AS all_null, nulls[3:5]
FROM customers AS c, nulls_of('customers') AS nulls WHERE id = 2;
SELECT sparselin_features(c, 10) = sparselin_features(nulls[3:], 10) + named('{id}', '{2}', 10) AS nothing_excluded,
       sparselin_features(c, 10, '{label}') = sparselin_features(nulls[3:], 10) + named('{id}', '{2}', 10) AS by_position
FROM customers AS c, nulls_of('customers') AS nulls WHERE id = 2;
-- whatever the settings are
SET DateStyle = 'German'; SET TimeZone = 'Asia/Tokyo'; SET extra_float_digits = 0;
SELECT sparselin_features(s) = named('{born,born.month=11,born.weekday=3,paid,paid.month=11,paid.weekday=3,paid.hour=8,rate}',
                                     ARRAY[years('2026-11-18'), 1, 1, years('2026-11-18 08:30'), 1, 1, 1, 0.25]) AS ok
FROM (SELECT born, paid, rate FROM customers WHERE id = 1) AS s;
RESET DateStyle; RESET TimeZone; RESET extra_float_digits;
-- the same as by way of jsonb, but for NULLs, dates and timestamps
SELECT sparselin_features(s) = sparselin_features(to_jsonb(s)) AS same
FROM (SELECT age, spent, score, price, name, mood, key, at, active, lost, tags, pages, shares, flags, moods, doc, raw,
             docs, home, homes, range FROM customers WHERE id = 1) AS s;
-- numbers are rounded once; money in a list is the number it is outside
SELECT sparselin_features(ROW(9007199791611905)) = sparselin_features('{"f1": 9007199791611905}'::jsonb) AS bigint,
       sparselin_features(ROW('{1.50,2}'::money[])) = named('{f1=1.5,f1=2}', '{1,1}') AS money;
-- rows of other kinds
SELECT sparselin_features(ROW(2, 'x', NULL, true)) = named('{f1,f2=x,f3 is null,f4}', '{2,1,1,1}') AS row_constructor,
       sparselin_features(ROW(ROW(1, ROW('y')), ARRAY[ROW(3)])) = named('{f1.f1,f1.f2.f1=y,f2.f1}', '{1,1,3}') AS nested,
       sparselin_features(('Rome', 2)::address) = named('{city=Rome,floor}', '{1,2}') AS composite,
       sparselin_features(ROW()) AS no_columns, sparselin_features(NULL::address) AS null_row,
       sparselin_features((NULL, NULL)::address) = sparselin_features('{city is null,floor is null}'::text[]) AS row_of_nulls;
SELECT sparselin_features(s, exclude => '{i}') = named(ARRAY['x', 'y=' || i], ARRAY[i, 1]) AS subquery
FROM (SELECT i, i AS x, i::text AS y FROM generate_series(1, 2) i) AS s;
-- types that change from row to row, and columns that change below a prepared plan
SELECT sparselin_features(r) = named(names, vals) AS ok
FROM (SELECT unnest(ARRAY[ROW('a', 1), ROW(1, true, 'b'), ROW('c', 2)]) AS r,
             unnest('{"f1=a,f2","f1,f2,f3=b","f1=c,f2"}'::text[]) AS n, unnest('{"1,1","1,1,1","1,2"}'::text[]) AS v) AS s,
     LATERAL (SELECT string_to_array(n, ',') AS names, string_to_array(v, ',')::float8[] AS vals) AS t;
CREATE TABLE changing (a int, b text);
INSERT INTO changing VALUES (1, '2');
PREPARE features_of_changing AS SELECT sparselin_features(changing) AS f FROM changing;
CREATE FUNCTION features_of(changing) RETURNS sparsearray LANGUAGE plpgsql AS $$ BEGIN RETURN sparselin_features($1); END $$;
CREATE TEMP TABLE before_change AS SELECT sparselin_features(changing), features_of(changing) FROM changing;
ALTER TABLE changing ALTER b TYPE int USING b::int;
ALTER TABLE changing ADD c boolean DEFAULT true;
EXECUTE features_of_changing;
SELECT named('{a,b,c}', '{1,2,1}') AS expected, features_of(changing) FROM changing;

-- how they are declared
SELECT oid::regprocedure, provolatile, proparallel, proisstrict FROM pg_proc WHERE proname = 'sparselin_features' ORDER BY 1;
-- so that an index can be made of them
CREATE INDEX ON customers (sparselin_features(words), sparselin_features(doc));

-- sums of names that collide
SELECT sparselin_features(array_agg('name' || i), 4) FROM generate_series(1, 1600) i;

-- idf
CREATE TEMP TABLE texts AS
SELECT i AS id, sparselin_features(to_tsvector('simple', body), 16) AS f, to_tsvector('simple', body) AS v, string_to_array(body, ' ') AS a,
       jsonb_build_object('w', string_to_array(body, ' ')) AS j
FROM (VALUES (1, 'a b c'), (2, 'a b b'), (3, 'a'), (4, NULL)) t(i, body);
CREATE TEMP TABLE weights AS SELECT sparselin_idf(f) AS idf FROM texts;
SELECT sparsearray_dim(idf), w, sparsearray_dot(idf, sparselin_features(ARRAY[w], 16)) = (ln((1 + 3) / (1 + df)::float8) + 1)::real AS ok
FROM weights, (VALUES ('a', 3), ('b', 2), ('c', 1)) v(w, df);
SELECT id, sparselin_features(v, 16, idf) = sparsearray_multiply(f, idf) AS tsvectors,
       sparselin_features(a, 16, idf) = sparsearray_multiply(f, idf) AS arrays
FROM texts, weights;
SELECT id, sparselin_features(j, 16, (SELECT sparselin_idf(sparselin_features(j, 16)) FROM texts)) = sparsearray_multiply(named(ARRAY['w=a', 'w=b', 'w=c'],
           CASE id WHEN 1 THEN '{1,1,1}' WHEN 2 THEN '{1,2,0}' WHEN 3 THEN '{1,0,0}' ELSE '{0,0,0}' END::float8[], 16),
           named('{w=a,w=b,w=c}', ARRAY[ln(5 / 4.0) + 1, ln(5 / 3.0) + 1, ln(5 / 2.0) + 1], 16)) AS objects
FROM texts;
SELECT sparselin_features(s, 16, '{id}', (SELECT sparselin_idf(sparselin_features(s, 16, '{id}')) FROM (SELECT id, a FROM texts WHERE id < 4) AS s))
       = sparsearray_multiply(named('{a=a,a=b}', '{1,2}', 16), named('{a=a,a=b}', ARRAY[1, ln(4 / 3.0) + 1], 16)) AS rows
FROM (SELECT id, a FROM texts WHERE id = 2) AS s;
-- a name that no row had weighs nothing
SELECT sparselin_features('{a,unseen}'::text[], 16, idf) = sparselin_features('{a}'::text[], 16, idf) AS ok,
       sparselin_features('{a}'::text[], 16, NULL::sparsearray) AS null_idf
FROM weights;
-- any rows of features, NULLs left out, one by one or in parts
SELECT sparselin_idf(x) FROM unnest('{"{1:5}","{1:-1,3:1}",NULL,"{}/3"}'::sparsearray[]) AS x;
SELECT sparselin_idf(x) AS no_rows FROM unnest('{NULL}'::sparsearray[]) AS x;
SELECT sparselin_idf(x) OVER (ORDER BY x) FROM unnest('{"{1:5}","{2:1}","{2:2}"}'::sparsearray[]) AS x;
CREATE TABLE many AS SELECT i, sparselin_features(ARRAY['w' || i % 7, 'x' || i % 100, 'y' || i], 18) AS f FROM generate_series(1, 20000) i;
CREATE TEMP TABLE serial_idf AS SELECT sparselin_idf(f) AS idf FROM many;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2;
CREATE FUNCTION plan_has(query text, what text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        IF line LIKE '%' || what || '%' THEN RETURN true; END IF;
    END LOOP;
    RETURN false;
END $$;
SELECT plan_has('SELECT sparselin_idf(f) FROM many', 'Partial Aggregate') AS split,
       plan_has('SELECT count(sparselin_features(ARRAY[i::text])) FROM many', 'Partial Aggregate') AS features_too;
SELECT (SELECT sparselin_idf(f) FROM many) = idf AS same FROM serial_idf;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size; RESET max_parallel_workers_per_gather;
-- a large idf is fetched once: the value is stored out of line
CREATE TEMP TABLE stored AS SELECT 1 AS id, idf FROM serial_idf UNION ALL SELECT 2, idf * 2 FROM serial_idf;
SELECT pg_column_size(idf) > 100000 AS large FROM stored WHERE id = 1;
SELECT bool_and((sparselin_features(ARRAY['w' || i % 7, 'x' || i % 100, 'y' || i], 18, idf) = sparsearray_multiply(f, idf)) IS TRUE) AS ok
FROM many, stored WHERE i <= 100;

-- tf-idf in two statements
CREATE TEMP TABLE tf_idf AS SELECT id, sparsearray_normalize(sparselin_features(v, 16, idf)) AS f FROM texts, weights;
SELECT id, abs(sparsearray_norm(f) - 1) < 1e-6 AS unit_length FROM tf_idf;
-- scikit-learn 1.2.1's TfidfVectorizer(token_pattern=r'\w+') on these three texts: b in 'a b b'
SELECT abs(sparsearray_dot(f, sparselin_features('{b}'::text[], 16)) - 0.9321916853) < 1e-6 AS as_scikit_learn FROM tf_idf WHERE id = 2;

-- interactions
SELECT sparsearray_interact('{1:2,3:1}', '{1:1,5:0.5}', 10), sparsearray_interact('{}', '{1:1}', 4), sparsearray_interact('{1:1}', NULL),
       sparsearray_dim(sparsearray_interact('{1:1}/3', '{1:1}/7')) AS dim, sparsearray_interact('{1:1}', '{2:1}', NULL);
SELECT sparsearray_interact(a, b) = sparsearray_interact(a || '{}/5', b) AS same_indices_same_features,
       sparsearray_nnz(sparsearray_interact(a, b)) = 6 AS all_pairs, a || b AS side_by_side
FROM (SELECT '{1:1,2:2}/2'::sparsearray AS a, '{1:1,2:2,3:3}/3'::sparsearray AS b) AS s;
SELECT sparsearray_multiply('{1:2,3:4}/5', '{3:0.5,5:1}'), sparsearray_multiply('{}', '{1:1}/3');
