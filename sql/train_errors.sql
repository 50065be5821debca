-- Training: every error, its hint, and that the session goes on after it

CREATE TEMP TABLE rows (id int, x sparsearray, y float8);
INSERT INTO rows
SELECT i, sparsearray(ARRAY[1 + i % 4, 10 + i % 3]::bigint[], ARRAY[1, i % 5 - 2]), i % 2
FROM generate_series(1, 30) AS i;
PREPARE go_on AS SELECT (sparselin_info(casgd_train(x, y))).rows FROM rows;

-- labels; the row is counted with those that were skipped
SELECT casgd_train(x, y ORDER BY o)
FROM (SELECT 0 AS o, x, y FROM rows UNION ALL VALUES (1, NULL::sparsearray, 1), (2, '{}', 2)) AS v;
EXECUTE go_on;
SELECT asgd_train(x, 0.5) FROM rows;
SELECT asgd_train(x, -2::int) FROM rows;
SELECT sgd_train(x, 'NaN'::float8) FROM rows;
SELECT sgd_train(x, '-Infinity'::float8) FROM rows;
SELECT sgd_train(x, 'Infinity'::float8, 'loss=squared') FROM rows;
SELECT casgd_train(x, 'NaN'::float8, 'loss=absolute') FROM rows;
EXECUTE go_on;
SELECT casgd_train(x, CASE id WHEN 7 THEN -1 ELSE y END ORDER BY id) FROM rows;
SELECT asgd_train(x, CASE id WHEN 7 THEN 0 ELSE 2 * y - 1 END, 'loss=hinge' ORDER BY id) FROM rows;
SELECT sgd_train(x, CASE id WHEN 7 THEN 0 ELSE 2 * y - 1 END, 'epochs=1 sampling=sequential lambda=1' ORDER BY id)
FROM rows;
EXECUTE go_on;
-- a bad label is an error also where the weight is 0, and beyond the rows held back
SELECT casgd_train(x, 3, NULL, 0) FROM rows;
SELECT asgd_train(x, CASE n WHEN 50 THEN 'NaN' ELSE y END, 'epochs=1 sampling=sequential lambda=1' ORDER BY n, id)
FROM rows, generate_series(1, 50) AS n;
EXECUTE go_on;

-- weights
SELECT casgd_train(x, y, NULL, -1) FROM rows;
SELECT asgd_train(x, y, NULL, CASE id WHEN 5 THEN 'NaN' ELSE 1.5::float8 END ORDER BY id) FROM rows;
SELECT sgd_train(x, y, NULL, 'Infinity') FROM rows;
EXECUTE go_on;

-- options: out of range, misspelt, unknown, another learner's
SELECT casgd_train(x, y, 'lambda=0') FROM rows;
SELECT casgd_train(x, y, 'lambda=-1e-4') FROM rows;
SELECT casgd_train(x, y, 'lambda=NaN') FROM rows;
SELECT casgd_train(x, y, sparselin_options(lambda => 0)) FROM rows;
SELECT casgd_train(x, y, sparselin_options(lambda => -1)) FROM rows;
SELECT casgd_train(x, y, sparselin_options(lambda => 'NaN')) FROM rows;
SELECT casgd_train(x, y, sparselin_options(lambda => 'Infinity')) FROM rows;
SELECT casgd_train(x, y, 'epochs=0') FROM rows;
SELECT casgd_train(x, y, sparselin_options(epochs => 0)) FROM rows;
SELECT casgd_train(x, y, sparselin_options(epochs => 1.5)) FROM rows;
SELECT casgd_train(x, y, 'lamda=1') FROM rows;
SELECT casgd_train(x, y, 'frobnicate=1') FROM rows;
SELECT casgd_train(x, y, sparselin_options(lamda => 1)) FROM rows;
SELECT casgd_train(x, y, sparselin_options(loss => 'logistc')) FROM rows;
SELECT casgd_train(x, y, 'sampling=shuffel') FROM rows;
SELECT asgd_train(x, y, 'center={1:1}') FROM rows;
SELECT sgd_train(x, y, sparselin_options(center => '{1:1}')) FROM rows;
EXECUTE go_on;
-- nothing else is taken for options or labels
SELECT casgd_train(x, y, 0.5) FROM rows;
SELECT casgd_train(x, '2024-01-01'::date) FROM rows;

-- options that change within a group
SELECT casgd_train(x, y, sparselin_options(epochs => id) ORDER BY id) FROM rows;
SELECT casgd_train(x, y, CASE WHEN id < 9 THEN NULL ELSE 'epochs=2'::sparselin_options END ORDER BY id) FROM rows;
SELECT id % 3, asgd_train(x, y, sparselin_options(lambda => 1 + id / 9) ORDER BY id) FROM rows GROUP BY 1;
EXECUTE go_on;

-- streaming wants a lambda
SELECT asgd_train(x, y, 'epochs=1 sampling=sequential') FROM rows;
SELECT casgd_train(x, y, 'epochs=1 sampling=sequential center={}') FROM rows;
SELECT (sparselin_info(casgd_train(x, y, 'epochs=1 sampling=sequential'))).lambda * 30 AS buffered_for_the_mean
FROM rows;
EXECUTE go_on;

-- dimensions
SELECT casgd_train((x::text || '/' || CASE id WHEN 20 THEN 21 ELSE 20 END)::sparsearray, y ORDER BY id) FROM rows;
SELECT asgd_train(CASE id WHEN 30 THEN '{21:1}' ELSE (x::text || '/20')::sparsearray END, y ORDER BY id) FROM rows;
SELECT asgd_train(CASE id WHEN 30 THEN '{2:1}/11' ELSE x END, y ORDER BY id) FROM rows;
SELECT casgd_train(x, y, 'center={1:1}/5') FROM rows;
SELECT casgd_train((x::text || '/20')::sparsearray, y, 'center={1:1}/30') FROM rows;
SELECT casgd_train((x::text || '/20')::sparsearray, y, 'center={25:1}') FROM rows;
SELECT sgd_train((x::text || '/' || 20 + id % 2)::sparsearray, y, 'epochs=1 sampling=sequential lambda=1' ORDER BY id)
FROM rows;
EXECUTE go_on;

-- divergence: the step and what to try; infinite at last
SELECT asgd_train(sparsearray(ARRAY[1], ARRAY[1e30 * id]), y, 'loss=squared lambda=1e-9 step_offset=0 implicit_above=inf' ORDER BY id)
FROM rows;
SELECT casgd_train(sparsearray(ARRAY[id], ARRAY[1e30]), y,
                   'loss=squared_hinge lambda=1e-9 step_offset=0 implicit_above=inf' ORDER BY id, n)
FROM rows, generate_series(1, 9) AS n;
SELECT sgd_train(sparsearray(ARRAY[1], ARRAY[1e38]), id, 'loss=squared lambda=1e-50 step_offset=0 implicit_above=inf' ORDER BY id)
FROM rows;
EXECUTE go_on;
-- and large without ever becoming infinite: at the end of an epoch, and every 1000 rows of a stream
SELECT asgd_train(sparsearray(ARRAY[1, 2], ARRAY[10, id]), y,
                  'loss=squared lambda=1 step_offset=0 implicit_above=inf sampling=sequential' ORDER BY id) FROM rows;
SELECT casgd_train(sparsearray(ARRAY[1, 2], ARRAY[10, id]), y,
                   'loss=squared_hinge lambda=1 step_offset=0 implicit_above=inf sampling=sequential' ORDER BY id) FROM rows;
SELECT sgd_train(sparsearray(ARRAY[1, 2], ARRAY[10, id]), y,
                 'loss=squared lambda=1 step_offset=0 implicit_above=inf sampling=sequential epochs=1' ORDER BY id) FROM rows;
SELECT asgd_train(sparsearray(ARRAY[1], ARRAY[CASE WHEN id % 2500 < 3 THEN 1e6 ELSE 1 END]), id % 2,
                  'loss=squared lambda=0.1 sampling=sequential epochs=1 implicit_above=inf' ORDER BY id)
FROM generate_series(3, 10000) AS id;
EXECUTE go_on;
-- with the automatic step size the same rows are learned, and where steps that are too long are taken implicitly
SELECT (sparselin_info(asgd_train(sparsearray(ARRAY[1], ARRAY[1e30 * id]), y, 'loss=squared lambda=1e-9 step_offset=0' ORDER BY id))).steps AS huge,
       (sparselin_info(sgd_train(sparsearray(ARRAY[1, 2], ARRAY[10, id]), y, 'loss=squared lambda=1 step_offset=0 epochs=1' ORDER BY id))).steps AS large
FROM rows;
SELECT l AS loss,
       (sparselin_info(asgd_train(sparsearray(ARRAY[1, 2], ARRAY[10, id]), y, sparselin_options(loss => l)))).steps
FROM rows, unnest('{squared,squared_hinge}'::text[]) AS l GROUP BY l ORDER BY l;

-- weights too large for a step size
SELECT asgd_train(x, y, NULL, 1e308) FROM rows;
SELECT casgd_train(x, y, 'loss=squared', 1e308) FROM rows;
SELECT (sparselin_info(asgd_train(x, y, NULL, 1e300))).steps FROM rows;
EXECUTE go_on;

-- applying
SELECT sparselin_probability(casgd_train(x, y, 'loss=hinge'), '{}') FROM rows;
SELECT sparselin_classify(casgd_train(x, y, 'loss=squared'), '{}') FROM rows;
SELECT sparselin_predict(casgd_train((x::text || '/20')::sparsearray, y), '{}/21') FROM rows;
SELECT sparselin_predict(casgd_train(x, y), '{2147483647:1}')
           = sparselin_predict(casgd_train(x, y), '{}') AS unseen_is_0
FROM rows;
EXECUTE go_on;

-- no window function; in parallel plans
SELECT casgd_train(x, y) OVER (ORDER BY id) FROM rows;
SELECT provolatile, proparallel, aggcombinefn, aggserialfn, aggdeserialfn, aggfinalmodify, count(*)
FROM pg_aggregate JOIN pg_proc p ON p.oid = aggfnoid
WHERE proname LIKE '%\_train' AND provariadic = 0 GROUP BY 1, 2, 3, 4, 5, 6;
EXECUTE go_on;

-- an error in a subtransaction leaves the outer one as it was
DO $$
BEGIN
    FOR i IN 1..50 LOOP
        BEGIN
            PERFORM casgd_train(x, CASE id WHEN 30 THEN 'NaN' ELSE y END ORDER BY id) FROM rows;
            RAISE 'no error';
        EXCEPTION WHEN invalid_parameter_value THEN NULL;
        END;
    END LOOP;
END $$;
EXECUTE go_on;
DEALLOCATE go_on;
