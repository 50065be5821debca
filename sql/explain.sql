-- Names of features, and what each of them adds to a score
CREATE SCHEMA explain;
SET search_path = explain, public;

CREATE TYPE place AS (city text, floor int);
CREATE TEMP TABLE items AS
SELECT i AS id, (i * 7 % 5 + i % 3) > 3 AS label, 1 + i % 9 AS age, i % 4 / 4.0 AS share, (ARRAY['de', 'fr', 'it'])[1 + i % 3] AS country,
       i % 2 = 0 AS new, ARRAY['t' || i % 5, 't' || i % 7] AS tags, (('c' || i % 4)::text, i % 3)::place AS home,
       jsonb_build_object('age', 1 + i % 9, 'country', (ARRAY['de', 'fr', 'it'])[1 + i % 3], 'tags', ARRAY['t' || i % 5, 't' || i % 7],
                          'home', jsonb_build_object('city', 'c' || i % 4)) AS doc,
       to_tsvector('simple', format('word%s word%s %s common common', i % 5, i % 7, (ARRAY['de', 'fr', 'it'])[1 + i % 3])) AS words
FROM generate_series(1, 300) i;

-- Names: what they say is what sparselin_features adds up
SELECT * FROM sparselin_names(to_tsvector('english', 'Win a free prize, free entry'));
SELECT * FROM sparselin_names('{b,a,NULL,b,""}'::text[], 4);
SELECT * FROM sparselin_names('{"age": 30.5, "lang": "de", "old": false, "zero": 0, "pages": [7, 8], "user": {"new": true}}'::jsonb);
SELECT * FROM sparselin_names(ROW(1, 'x', NULL, true), 10);
SELECT n.* FROM items AS i, sparselin_names(i, exclude => '{id,label,doc,words}') AS n WHERE id = 1;
SELECT sparselin_names('{b,a}'::text[], 4);
SELECT count(*) FROM sparselin_names(NULL::jsonb);
SELECT count(*) FROM sparselin_names('{}'::text[]);
CREATE FUNCTION adds_up(source anyelement, bits int) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    same boolean;
BEGIN
    EXECUTE 'SELECT coalesce((SELECT sparsearray_agg(feature, value) FROM sparselin_names($1, $2)), ''{}'') +
             format(''{}/%s'', 1 << $2)::sparsearray = sparselin_features($1, $2)' INTO same USING source, bits;
    RETURN same IS TRUE;
END $$;
SELECT bits, bool_and(adds_up(i, bits)) AS rows, bool_and(adds_up(doc, bits)) AS docs, bool_and(adds_up(words, bits)) AS words,
       bool_and(adds_up(tags, bits)) AS arrays
FROM items AS i, unnest('{4,20}'::int[]) AS bits GROUP BY bits ORDER BY bits;
-- a dictionary
CREATE TEMP TABLE dictionary AS SELECT DISTINCT feature, name FROM items, sparselin_names(words);
SELECT count(*) FROM dictionary;
-- many rows, and an early end
SELECT count(*), count(DISTINCT name) FROM generate_series(1, 5000) i, sparselin_names(ARRAY['x' || i, 'y']);
SELECT name FROM sparselin_names((SELECT array_agg('x' || i) FROM generate_series(1, 50000) i)) LIMIT 1;
SELECT array_length(array_agg(n), 1) FROM (SELECT sparselin_names(tags) AS n FROM items) AS s;

-- Models
SET client_min_messages = warning;
CREATE TEMP TABLE models AS
SELECT casgd_train(sparselin_features(words), label ORDER BY id) AS words, casgd_train(sparselin_features(tags, 4), label ORDER BY id) AS tags,
       casgd_train(sparselin_features(doc, 30), label ORDER BY id) AS doc,
       casgd_train(sparselin_features(i, 12, '{id,label,doc,words}'), label ORDER BY id) AS item,
       casgd_train(sparselin_features(words), label, 'intercept=false' ORDER BY id) AS without_bias
FROM items AS i;
RESET client_min_messages;

-- naming the strongest weights
SELECT name, weight > 0 AS positive FROM (
    SELECT name, weight FROM models, sparselin_weights(words) JOIN dictionary USING (feature) ORDER BY abs(weight) DESC, name LIMIT 5) AS s;

-- Explanations
CREATE FUNCTION rounded(e record) RETURNS text LANGUAGE plpgsql AS $$
BEGIN RETURN format('%s %s %s %s %s', e.name, e.feature, e.value, round(e.weight::numeric, 3) + 0, round(e.contribution::numeric, 3) + 0); END $$;
SELECT rounded(e) FROM sparselin_explain('{"sparselin_model": 1, "learner": "sgd", "loss": "hinge", "bias": 0.5, "weights": {"1": 2, "3": -1, "7": 0.25}}'::sparselin_model,
                                         '{1:0.1,2:9,3:-3,7:-2}'::sparsearray) AS e;
-- the bias has its place, top counts features
SELECT top, array_agg(rounded(e)) FROM unnest('{0,1,2,100,NULL}'::int[]) WITH ORDINALITY AS t (top, n),
       sparselin_explain('{"sparselin_model": 1, "learner": "sgd", "loss": "hinge", "bias": 0.5, "weights": {"1": 2, "3": -1, "7": 0.25}}'::sparselin_model,
                         '{1:0.1,2:9,3:-3,7:-2}'::sparsearray, top) AS e
GROUP BY top, n ORDER BY n;
-- by name
CREATE TEMP TABLE small AS SELECT ('{"sparselin_model": 1, "learner": "sgd", "loss": "hinge", "bias": -0.25, "dimension": 1048576, "weights": {' ||
    string_agg(format('"%s": %s', feature, weight), ',' ORDER BY feature) || '}}')::sparselin_model AS model
FROM (VALUES ('free', 2), ('win', 1.5), ('lunch', -3), ('country=de', 0.5), ('age', 0.125), ('pages=7', -1), ('user.age', 4)) AS v (word, weight),
     sparselin_names(ARRAY[word]);
SELECT rounded(e) FROM small, sparselin_explain(model, to_tsvector('english', 'Free, free! Win at lunch')) AS e;
SELECT rounded(e) FROM small, sparselin_explain(model, '{win,unknown,win}'::text[]) AS e;
SELECT rounded(e) FROM small, sparselin_explain(model, '{"country": "de", "age": 8, "pages": [7, 7], "user": {"age": -0.5}}'::jsonb) AS e;
SELECT rounded(e) FROM small, (SELECT 7 AS id, 'de' AS country, 8 AS age) AS s, sparselin_explain(model, s, exclude => '{id}') AS e;
SELECT rounded(e) FROM small, sparselin_explain(model, '{}'::text[]) AS e;
SELECT rounded(sparselin_explain(model, '{win,free}'::text[], 1)) FROM small;
-- names that collide are one feature; a name that is there several times is told once
SELECT rounded(e) FROM sparselin_explain('{"sparselin_model": 1, "learner": "sgd", "loss": "hinge", "dimension": 16, "weights": [0,0,0,0,0,1,0,0,0,0,0,0,1,0,0,0.5]}'::sparselin_model,
                                         '{free,ab,ab,country=de,a}'::text[]) AS e;
-- NULLs, and no features
SELECT count(*) FROM sparselin_explain(NULL, '{1:1}'::sparsearray);
SELECT count(*) FROM small, sparselin_explain(model, NULL::sparsearray);
SELECT count(*) FROM small, sparselin_explain(model, NULL::jsonb);
SELECT count(*) FROM small, sparselin_explain(model, NULL::place, exclude => '{city}');
SELECT count(*) FROM small, sparselin_explain(model, ('Rome', 1)::place, exclude => NULL);
SELECT rounded(e) FROM small, sparselin_explain(model, ''::tsvector) AS e;

-- Together they are the score, whatever the source; the order is by size; all features are there
CREATE FUNCTION is_explained(score float8, nnz int, contributions float8[]) RETURNS boolean LANGUAGE sql AS $$
    SELECT (abs(score - (SELECT sum(c) FROM unnest(contributions) c)) <= 1e-12 * (1 + (SELECT sum(abs(c)) FROM unnest(contributions) c))
           AND array_length(contributions, 1) = nnz + 1
           AND contributions = ARRAY(SELECT c FROM unnest(contributions) WITH ORDINALITY AS u (c, n) ORDER BY abs(c) DESC, n))
           IS TRUE $$;
SELECT bool_and(is_explained(sparselin_predict(m.words, f), sparsearray_nnz(f), c)) AS ok
FROM models AS m, items AS i, LATERAL (SELECT sparselin_features(i.words) AS f) AS s,
     LATERAL (SELECT array_agg(contribution) AS c FROM sparselin_explain(m.words, f)) AS e;
SELECT bool_and(is_explained(sparselin_predict(m.words, f), sparsearray_nnz(f), c)) AS ok
FROM models AS m, items AS i, LATERAL (SELECT sparselin_features(i.words) AS f) AS s,
     LATERAL (SELECT array_agg(contribution) AS c FROM sparselin_explain(m.words, i.words)) AS e;
SELECT bool_and(is_explained(sparselin_predict(m.without_bias, f), sparsearray_nnz(f), c)) AS ok
FROM models AS m, items AS i, LATERAL (SELECT sparselin_features(i.words) AS f) AS s,
     LATERAL (SELECT array_agg(contribution) AS c FROM sparselin_explain(m.without_bias, i.words)) AS e;
SELECT bool_and(is_explained(sparselin_predict(m.tags, f), sparsearray_nnz(f), c)) AS ok
FROM models AS m, items AS i, LATERAL (SELECT sparselin_features(i.tags, 4) AS f) AS s,
     LATERAL (SELECT array_agg(contribution) AS c FROM sparselin_explain(m.tags, i.tags)) AS e;
SELECT bool_and(is_explained(sparselin_predict(m.doc, f), sparsearray_nnz(f), c)) AS ok
FROM models AS m, items AS i, LATERAL (SELECT sparselin_features(i.doc, 30) AS f) AS s,
     LATERAL (SELECT array_agg(contribution) AS c FROM sparselin_explain(m.doc, i.doc)) AS e;
SELECT bool_and(is_explained(sparselin_predict(m.item, f), sparsearray_nnz(f), c)) AS ok
FROM models AS m, items AS i, LATERAL (SELECT sparselin_features(i, 12, '{id,label,doc,words}') AS f) AS s,
     LATERAL (SELECT array_agg(contribution) AS c FROM sparselin_explain(m.item, i, exclude => '{id,label,doc,words}')) AS e;

-- tf-idf: explained as it was trained
SET client_min_messages = warning;
CREATE TEMP TABLE tf_idf AS
SELECT idf, casgd_train(sparsearray_normalize(sparselin_features(words, 20, idf)), label ORDER BY id) AS model,
       casgd_train(sparsearray_normalize(sparselin_features(words, 20, idf), 'max'), label ORDER BY id) AS max_model
FROM items, (SELECT sparselin_idf(sparselin_features(words)) AS idf FROM items) AS s GROUP BY idf;
RESET client_min_messages;
SELECT bool_and(is_explained(sparselin_predict(model, f), sparsearray_nnz(f), c)) AS ok,
       bool_and(is_explained(sparselin_predict(max_model, f2), sparsearray_nnz(f2), c2)) AS ok_max
FROM tf_idf, items, LATERAL (SELECT sparsearray_normalize(sparselin_features(words, 20, idf)) AS f,
                                    sparsearray_normalize(sparselin_features(words, 20, idf), 'max') AS f2) AS s,
     LATERAL (SELECT array_agg(contribution) AS c FROM sparselin_explain(model, words, idf => idf, norm => 'l2')) AS e,
     LATERAL (SELECT array_agg(contribution) AS c2 FROM sparselin_explain(max_model, words, idf => idf, norm => 'max')) AS e2;
-- several models in turn
SELECT count(*), count(DISTINCT model) FROM (SELECT 1 AS model, words AS m FROM models UNION ALL SELECT 2, without_bias FROM models) AS s,
     items AS i, LATERAL (SELECT * FROM sparselin_explain(m, i.words)) AS e WHERE name = '(bias)';

-- Errors
SELECT * FROM small, sparselin_explain(model, '{1:1}'::sparsearray, -1);
SELECT * FROM small, sparselin_explain(model, '{a}'::text[], -2147483648);
SELECT * FROM small, sparselin_explain(model, '{1:1}/5'::sparsearray);
SELECT * FROM sparselin_explain('{"sparselin_model": 1, "learner": "sgd", "loss": "hinge", "weights": [1]}'::sparselin_model, '{a}'::text[]);
SELECT * FROM sparselin_explain('{"sparselin_model": 1, "learner": "sgd", "loss": "hinge", "dimension": 1000, "weights": [1]}'::sparselin_model, '{"a": 1}'::jsonb);
SELECT * FROM sparselin_explain('{"sparselin_model": 1, "learner": "sgd", "loss": "hinge", "dimension": 8, "weights": [1]}'::sparselin_model, 'a'::tsvector);
SELECT * FROM sparselin_explain('{"sparselin_model": 1, "learner": "sgd", "loss": "hinge", "weights": {"1": 1e300}}'::sparselin_model, '{1:1e38}'::sparsearray);
SELECT * FROM small, sparselin_explain(model, '[]'::jsonb);
SELECT * FROM small, sparselin_explain(model, '{"a": 1e39}'::jsonb);
SELECT * FROM small, sparselin_explain(model, ROW(1, 'NaN'::float8));
SELECT * FROM small, sparselin_explain(model, ('Rome', 1)::place, exclude => '{town}');
SELECT * FROM small, sparselin_explain(model, '{a}'::text[], idf => '{}/16');
SELECT * FROM small, sparselin_explain(model, '{a}'::text[], norm => 'l3');
SELECT * FROM small, sparselin_explain(model, '{a}'::text[], norm => '');
SELECT * FROM sparselin_names('{a}'::text[], 3);
SELECT * FROM sparselin_names('3'::jsonb);
SELECT * FROM sparselin_names(ROW('NaN'::float8));
SELECT * FROM sparselin_names(('Rome', 1)::place, exclude => '{town}');

-- Large input
SELECT count(*), min(length(name)) AS shortest, max(length(name)) AS longest
FROM sparselin_names(jsonb_build_object(repeat('k', 1000000), repeat('v', 1000000), 'a', 1));
SELECT length(name), contribution FROM small, sparselin_explain(model, jsonb_build_object(repeat('k', 1000000), repeat('v', 1000000), 'age', 1));
SELECT count(*) FROM small, sparselin_explain(model, (SELECT jsonb_object_agg('key' || i, i) FROM generate_series(1, 100000) i), 10);
SELECT count(*), sum(cardinality(string_to_array(name, ', '))), sum(value)
FROM sparselin_explain('{"sparselin_model": 1, "learner": "sgd", "loss": "hinge", "dimension": 16, "weights": [1]}'::sparselin_model,
                       (SELECT jsonb_object_agg('key' || i, 1) FROM generate_series(1, 100000) i));
-- names that would take 100 GB are written out one by one, and that can be cancelled
CREATE TEMP TABLE long_names AS
SELECT jsonb_build_object(repeat('k', 1000000), (SELECT jsonb_object_agg(i, i) FROM generate_series(1, 100000) i)) AS doc;
SET statement_timeout = '100ms';
SELECT count(*) FROM long_names, sparselin_names(doc);
RESET statement_timeout;

-- one query may explain many rows: its calls leave nothing behind in it, neither in FROM nor among columns
CREATE FUNCTION executor_memory(after bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE bytes bigint := 0;
BEGIN
    IF to_regclass('pg_catalog.pg_backend_memory_contexts') IS NOT NULL THEN
        EXECUTE 'SELECT sum(total_bytes) FROM pg_backend_memory_contexts' INTO bytes;
    END IF;
    RETURN bytes;
END $$;
SELECT executor_memory(0) AS before \gset
SELECT count, executor_memory(count) - :before < 5000000 AS small_growth
FROM (SELECT count(*) FROM small, generate_series(1, 20000) AS i, sparselin_names(ARRAY[i::text]),
                           sparselin_explain(model, '{}'::text[])) AS v;
SELECT count, executor_memory(count) - :before < 5000000 AS small_growth
FROM (SELECT count(*) FROM (SELECT sparselin_names(ARRAY[i::text]) FROM generate_series(1, 20000) AS i) AS w) AS v;
