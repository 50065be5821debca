-- sparselin_predict, _probability, _classify, _decide, and the models they keep at hand

\set small '''{"learner":"sgd","loss":"logistic","labels":"boolean","bias":0.25,"weights":{"1":0.5,"7":2}}'''::sparselin_model
SELECT x, sparselin_predict(:small, x), round(sparselin_probability(:small, x)::numeric, 15) AS probability,
       sparselin_classify(:small, x), sparselin_decide(:small, x)
FROM unnest('{"{}","{1:2}","{7:-1}","{1:-0.5}","{2:100,2147483647:100}","{1:1,2:1,7:-0.375,9:5}","{7:1000}","{7:-1000}"}'::sparsearray[]) x;

-- NULL in, NULL out
SELECT sparselin_predict(NULL, '{}'), sparselin_probability(:small, NULL), sparselin_classify(NULL, NULL),
       sparselin_decide(:small, NULL), sparselin_decide(:small, '{}', NULL);

-- labels as they were in training; a score of exactly 0 is negative
CREATE FUNCTION pg_temp.linear(loss text, labels text, bias float8 DEFAULT 0) RETURNS sparselin_model LANGUAGE sql AS
$$ SELECT jsonb_build_object('learner', 'sgd', 'loss', loss, 'labels', labels, 'bias', bias, 'weights', '{"1":1}'::jsonb)::sparselin_model $$;
SELECT loss, labels, array_agg(sparselin_classify(pg_temp.linear(loss, labels), x) ORDER BY ordinality) AS classes,
       array_agg(sparselin_decide(pg_temp.linear(loss, labels), x) ORDER BY ordinality) AS decisions
FROM unnest(ARRAY['logistic', 'hinge', 'squared_hinge']) loss, unnest(ARRAY['boolean', 'zero_one', 'plus_minus']) labels,
     unnest('{"{1:-1}","{}","{1:1e-30}"}'::sparsearray[]) WITH ORDINALITY x(x, ordinality)
GROUP BY loss, labels ORDER BY loss, labels;

-- thresholds: of the probability, or of the score
SELECT t, sparselin_decide(pg_temp.linear('logistic', 'boolean'), '{1:1}', t) AS logistic
FROM unnest(ARRAY[0, 0.5, 0.73, 0.74, 1]) t;
SELECT t, sparselin_decide(pg_temp.linear('squared', 'number'), '{1:3}', t) AS squared,
       sparselin_decide(pg_temp.linear('hinge', 'boolean'), '{1:3}', t) AS hinge
FROM unnest('{-5,2.9,3,3.1,infinity}'::float8[]) t;
SELECT sparselin_decide(pg_temp.linear('absolute', 'number'), '{1:3}');

-- what a model cannot do
SELECT sparselin_probability(pg_temp.linear('hinge', 'boolean'), '{1:1}');
SELECT sparselin_probability(pg_temp.linear('squared', 'number'), '{1:1}');
SELECT sparselin_classify(pg_temp.linear('squared', 'number'), '{1:1}');
SELECT sparselin_decide(pg_temp.linear('hinge', 'boolean'), '{1:1}', 'NaN');
SELECT sparselin_decide(pg_temp.linear('logistic', 'boolean'), '{1:1}', 50);
SELECT sparselin_decide(pg_temp.linear('logistic', 'boolean'), '{1:1}', -0.1);

-- dimensions: two known ones agree, an open one fits all
\set ten '''{"learner":"sgd","loss":"squared","dimension":10,"weights":{"1":1}}'''::sparselin_model
SELECT sparselin_predict(:ten, '{1:3}/10'), sparselin_predict(:ten, '{1:3,11:1}'), sparselin_predict(:small, '{1:3}/5');
SELECT sparselin_predict(:ten, '{1:3}/11');
SELECT sparselin_predict('{"learner":"sgd","loss":"squared","weights":[1e300]}'::sparselin_model, '{1:1e30}');
SELECT sparselin_predict('{"learner":"sgd","loss":"squared","weights":[1e300,-1e300]}'::sparselin_model, '{1:1e30,2:1e30}');

-- rows, and models of every size: model k gives feature i (of 1 to size) the weight k + i
CREATE TABLE scored AS
    SELECT id, sparsearray(ARRAY[id, id + 30, 5000 + id]::bigint[], ARRAY[1, 2, 0.5]::float8[]) AS x FROM generate_series(1, 40) id;
CREATE TABLE scorers (k int, size int, model sparselin_model);
INSERT INTO scorers
    SELECT k, size, (SELECT format('{"learner":"sgd","loss":"squared","weights":[%s]}', string_agg((k + i)::text, ','))
                     FROM generate_series(1, size) i)::sparselin_model
    FROM generate_series(1, 30) k, unnest(ARRAY[5, 40, 10000]) size;
ANALYZE scorers;
CREATE FUNCTION pg_temp.expected(k int, size int, id int) RETURNS float8 LANGUAGE sql AS
$$ SELECT sum(CASE WHEN i <= size THEN (k + i) * v ELSE 0 END)::float8
   FROM (VALUES (id, 1.0), (id + 30, 2), (5000 + id, 0.5)) f(i, v) $$;
SELECT size, bool_and(pg_column_size(model) > 2000) AS toasted
FROM scorers GROUP BY size ORDER BY size;

-- from a table: one model after the other, and all of them in turn
SELECT size, count(*), bool_and((sparselin_predict(model, x) = pg_temp.expected(k, size, id)) IS TRUE) AS as_expected
FROM (SELECT * FROM scorers ORDER BY size, k OFFSET 0) s, scored GROUP BY size ORDER BY size;
SELECT count(*), bool_and((sparselin_predict(model, x) = pg_temp.expected(k, size, id)) IS TRUE) AS as_expected
FROM (SELECT k, size, model, id, x FROM scorers, scored ORDER BY id, k, size OFFSET 0) s;
-- with room for some only: 24 models of 3 MB when they are ready, in turn; feature 8 i has the weight k + i
SET work_mem = '64kB';
CREATE TABLE large_scorers AS
    SELECT k, (SELECT format('{"learner":"sgd","loss":"squared","weights":{%s}}', string_agg(format('"%s":%s', 8 * i, k + i), ','))
               FROM generate_series(1, 50000) i)::sparselin_model AS model
    FROM generate_series(1, 24) k;
SELECT count(*), bool_and((sparselin_predict(model, sparsearray(ARRAY[8 * id, 8 * id + 7, 400000], ARRAY[1, 5, 0.5])) = k + id + (k + 50000) * 0.5) IS TRUE) AS as_expected
FROM (SELECT k, id, model FROM scored, large_scorers WHERE id <= 5 ORDER BY id, k OFFSET 0) s;
RESET work_mem;
-- several in one call
SELECT bool_and((sparselin_predict(a.model, x) + sparselin_predict(b.model, x) =
                pg_temp.expected(a.k, a.size, id) + pg_temp.expected(b.k, b.size, id)) IS TRUE) AS as_expected
FROM scorers a, scorers b, scored WHERE a.k < 4 AND b.k < 4;
-- from a CTE, a scalar subquery, a parameter, a function, a constant, a compressed value
WITH chosen AS MATERIALIZED (SELECT * FROM scorers WHERE k IN (7, 8))
SELECT count(*), bool_and((sparselin_predict(model, x) = pg_temp.expected(k, size, id)) IS TRUE) AS as_expected FROM chosen, scored;
SELECT bool_and((sparselin_predict((SELECT model FROM scorers WHERE k = 3 AND size = 10000), x) = pg_temp.expected(3, 10000, id)) IS TRUE) AS as_expected
FROM scored;
SELECT bool_and((sparselin_predict((SELECT model FROM scorers WHERE k = id % 30 + 1 AND size = 10000), x) = pg_temp.expected(id % 30 + 1, 10000, id)) IS TRUE) AS as_expected
FROM scored;
PREPARE score(sparselin_model) AS SELECT sum(sparselin_predict($1, x)) FROM scored;
SELECT format('EXECUTE score(%L)', model) AS execute FROM scorers WHERE k = 2 AND size = 40 \gset
:execute;
SELECT format('EXECUTE score(%L)', model) AS execute FROM scorers WHERE k = 9 AND size = 40 \gset
:execute;
SELECT sum(pg_temp.expected(2, 40, id)) AS two, sum(pg_temp.expected(9, 40, id)) AS nine FROM scored;
CREATE FUNCTION pg_temp.in_turn() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    s record;
    good boolean := true;
    score float8;
BEGIN
    FOR s IN SELECT k, size, model, id, x FROM scorers, scored WHERE id < 4 ORDER BY id, k LOOP
        score := sparselin_predict(s.model, s.x);
        good := good AND score = pg_temp.expected(s.k, s.size, s.id);
        BEGIN
            score := sparselin_probability(s.model, s.x);
        EXCEPTION WHEN OTHERS THEN
            NULL;
        END;
    END LOOP;
    RETURN good;
END $$;
SELECT pg_temp.in_turn();
SELECT bool_and((sparselin_predict(pg_temp.linear('squared', 'number', id), '{1:1}') = id + 1) IS TRUE) AS as_expected FROM scored;
ALTER TABLE scorers ALTER model SET STORAGE main;
UPDATE scorers SET model = model::text::sparselin_model;
SELECT bool_and((sparselin_predict(model, x) = pg_temp.expected(k, size, id)) IS TRUE) AS as_expected FROM scorers, scored;
-- an error in the middle, and on with it
SELECT sparselin_predict(model, CASE WHEN id = 20 THEN '{1:1}/3' ELSE x END)
FROM scored, (VALUES (:ten::sparselin_model)) m(model);
SELECT sparselin_predict(:ten, '{1:1}');

-- how the functions are declared
SELECT proname, provolatile, proisstrict, proparallel, procost, pronargs, obj_description(oid, 'pg_proc') IS NOT NULL AS commented
FROM pg_proc WHERE proname ~ '^sparselin_(predict|probability|classify|decide|info|weights|history)$' ORDER BY proname, pronargs, provolatile;
DROP TABLE scored, scorers, large_scorers;
