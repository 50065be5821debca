-- Features of different scale, and classes of different size

-- x1 is about 1, x2 about a million times smaller, x3 away from zero, x4 is seldom there; x5 is constant.
CREATE TEMP TABLE uneven AS
SELECT i AS id, i % 3 AS part,
       sparsearray(ARRAY[1, 2, 3, 4, 5]::bigint[],
                   ARRAY[i * 7 % 11 - 5, (i * 13 % 29 - 14) * 1e-6, 20 + i * 11 % 17,
                         CASE WHEN i % 50 = 0 THEN 1 ELSE 0 END, 123456.7]::float8[]) AS x,
       CASE WHEN (i * 7 % 11 - 5) / 3.0 + (i * 13 % 29 - 14) / 8.0 - (i * 11 % 17 - 8) / 5.0 > 0 THEN 1 ELSE -1 END::float8 AS y
FROM generate_series(1, 600) i;

-- The same rows in other units: powers of two, so that float4 loses nothing.
CREATE TEMP TABLE converted AS
SELECT id, part, y, sparsearray(ARRAY[1, 2, 3, 4, 5]::bigint[],
    ARRAY[sparsearray_get(x, 1) * 1024, sparsearray_get(x, 2) / 4096, sparsearray_get(x, 3), sparsearray_get(x, 4) * 2,
          sparsearray_get(x, 5) / 8]::float8[]) AS x
FROM uneven;

CREATE FUNCTION scale_accuracy(model sparselin_model) RETURNS float8
LANGUAGE sql AS $$ SELECT avg(((sparselin_classify(model, x) = y) IS TRUE)::int) FROM uneven $$;
-- The largest distance of two weights of a feature, as a share of one of them, or of 1 where that is smaller; a weight that
-- one of the models lacks is infinitely far away.
CREATE FUNCTION scale_distance(a sparselin_model, b sparselin_model) RETURNS float8
LANGUAGE sql AS $$
    SELECT max(coalesce(abs(v.weight - w.weight) / greatest(abs(w.weight), 1), 'Infinity'))
    FROM sparselin_weights(a) AS v FULL JOIN sparselin_weights(b) AS w USING (feature)
$$;

-- every learner takes every scale; the model takes features as they are, and knows what was asked
SET client_min_messages = warning;
CREATE TEMP TABLE scaled AS
SELECT learner, scale, CASE learner
           WHEN 'sgd' THEN (SELECT sgd_train(x, y, o ORDER BY id) FROM uneven)
           WHEN 'asgd' THEN (SELECT asgd_train(x, y, o ORDER BY id) FROM uneven)
           WHEN 'casgd' THEN (SELECT casgd_train(x, y, o ORDER BY id) FROM uneven)
           WHEN 'onepass' THEN (SELECT onepass_train(x, y, o ORDER BY id) FROM uneven)
           WHEN 'truncated' THEN (SELECT truncated_train(x, y, o ORDER BY id) FROM uneven)
           ELSE (SELECT elasticnet_train(x, y, o ORDER BY id) FROM uneven) END AS model
FROM unnest('{sgd,asgd,casgd,onepass,truncated,elasticnet}'::text[]) WITH ORDINALITY l(learner, number),
     unnest('{std,maxabs}'::text[]) AS scale,
     LATERAL (SELECT sparselin_options(scale => scale, epochs => 20) AS o) AS v
ORDER BY number, scale DESC;
RESET client_min_messages;
SELECT learner, scale, (sparselin_info(model)).options LIKE '%scale=' || scale || '%' AS said,
       (sparselin_info(model)).steps, scale_accuracy(model) > 0.83 AS good
FROM scaled;
-- where features lie away from zero, scale and centre together are best
SELECT scale_accuracy((SELECT casgd_train(x, y, 'scale=none' ORDER BY id) FROM uneven)) < 0.8 AS unscaled_is_poor,
       scale_accuracy((SELECT model FROM scaled WHERE learner = 'casgd' AND scale = 'std')) > 0.98 AS best;
-- scale => 'none' is what happens without it
SET client_min_messages = warning;
SELECT (SELECT casgd_train(x, y, 'scale=none' ORDER BY id) FROM uneven)::jsonb - 'given'
       = (SELECT casgd_train(x, y ORDER BY id) FROM uneven)::jsonb - 'given' AS same;
RESET client_min_messages;

-- units do not matter: each weight is in its feature's unit, the rest is the same to the bit
SELECT scale, w.*, (sparselin_info(m)).bias = (sparselin_info(n)).bias AS same_bias
FROM unnest('{std,maxabs}'::text[]) AS scale,
     LATERAL (SELECT casgd_train(x, y, sparselin_options(scale => scale) ORDER BY id) AS m FROM uneven) AS a,
     LATERAL (SELECT casgd_train(x, y, sparselin_options(scale => scale) ORDER BY id) AS n FROM converted) AS b,
     LATERAL (SELECT count(*) AS weights, count(*) FILTER (WHERE b.weight = a.weight / unit) AS converted
              FROM sparselin_weights(m) AS a FULL JOIN sparselin_weights(n) AS b USING (feature)
              LEFT JOIN (VALUES (1, 1024), (2, 1 / 4096.0::float8), (3, 1), (4, 2), (5, 0.125)) AS u(feature, unit) USING (feature)) AS w
ORDER BY scale;

-- a given center is in the features' units; the mean, given, is what is found without one (but for float4)
SELECT scale_distance((SELECT casgd_train(x, y, 'scale=std' ORDER BY id) FROM uneven),
                      (SELECT casgd_train(x, y, sparselin_options(scale => 'std', center => mean) ORDER BY id)
                       FROM uneven, (SELECT sparsearray_avg(x) AS mean FROM uneven) AS c)) < 1e-7 AS as_found;

-- all rows are needed, so they are kept, and lambda may be automatic
SELECT (sparselin_info(m)).lambda = 1 / 600.0::float8 AS one_by_rows, (sparselin_info(m)).epochs, (sparselin_info(m)).steps
FROM (SELECT unnest(ARRAY[asgd_train(x, y, 'scale=std epochs=1 sampling=sequential'),
                          sgd_train(x, y, 'class_weight=balanced scale=none epochs=1 sampling=sequential')]) AS m
      FROM uneven) AS t;
SELECT asgd_train(x, y, 'scale=none epochs=1 sampling=sequential') FROM uneven;

-- a file makes no difference where the order is given
CREATE TEMP TABLE large AS
SELECT i AS id, sparsearray(ARRAY[1 + i * 7 % 11, 20 + i * 13 % 29, 60]::bigint[], ARRAY[1, 0.5, i % 31 + 0.25]) AS x,
       i % 2 = 0 AS y
FROM generate_series(1, 5000) i;
CREATE FUNCTION scale_weights(options text) RETURNS text
LANGUAGE sql AS $$
    SELECT string_agg(feature || ':' || weight, ' ') || ' bias ' || min((sparselin_info(m)).bias)
    FROM (SELECT casgd_train(x, y, options::sparselin_options ORDER BY id) AS m FROM large) AS t, sparselin_weights(m)
$$;
CREATE TEMP TABLE in_memory AS
SELECT o, scale_weights(o) AS w
FROM unnest('{scale=std sampling=sequential,scale=maxabs sampling=replacement class_weight=balanced}'::text[]) o;
SET work_mem = '64kB';
SELECT o, scale_weights(o) = w AS same FROM in_memory;
RESET work_mem;

-- one row, rows without features
SELECT sparselin_classify(casgd_train(x, y, 'scale=std'), x) = y AS right FROM uneven WHERE id = 1 GROUP BY x, y;
SELECT sparselin_decide(asgd_train('{}'::sparsearray, y, 'scale=std'), '{}') FROM (VALUES (true), (true), (false)) AS v(y);
-- the smallest and the largest float4
SELECT abs(sparselin_predict(m, '{1:1e-45,2:3e38}')) < 10 AS finite, (sparselin_info(m)).nonzero
FROM (SELECT casgd_train(sparsearray(ARRAY[1, 2], ARRAY[1e-45 * (i % 3), 3e38 * (i % 2 * 2 - 1)]::float8[]), i % 2,
                         'scale=std') AS m FROM generate_series(1, 20) i) AS t;

-- the notice: once for each place in a query, not for each group
SELECT part, casgd_train(x, y) IS NOT NULL AS trained FROM uneven GROUP BY part ORDER BY part;
SELECT asgd_train(x, y, 'lambda=1e-3 epochs=1 sampling=sequential step_offset=1e13') IS NOT NULL AS streamed,
       asgd_train(x, y, 'lambda=1e-3 epochs=1 sampling=sequential') IS NOT NULL AS held_back
FROM uneven;
-- numbers of hashed names, of so many bits, can be looked up
SELECT asgd_train(sparselin_features(jsonb_build_object('share', 1 / id::float8, 'price', 1000 * id), 10), y) IS NOT NULL AS trained FROM uneven;
SELECT DISTINCT feature, name FROM uneven, sparselin_names(jsonb_build_object('share', 1 / id::float8, 'price', 1000 * id), 10) AS n ORDER BY 1;
-- what has such a dimension need not come from names
SELECT asgd_train((array_fill(1::real, ARRAY[254]) || ARRAY[1 / id::float8, 1000 * id]::real[])::sparsearray, y) IS NOT NULL AS trained FROM uneven;
-- not when something was said, and not when there is nothing to say
SELECT part, casgd_train(x, y, 'scale=none') IS NOT NULL AS none, casgd_train(x, y, 'scale=std') IS NOT NULL AS std,
       casgd_train(x, y, sparselin_options(scale => 'maxabs')) IS NOT NULL AS maxabs
FROM uneven GROUP BY part ORDER BY part;
SELECT asgd_train(x, y) IS NOT NULL AS trained FROM large;

-- class_weight: of a hundred rows five are positive, and hidden among others
CREATE TEMP TABLE rare AS
SELECT i AS id, i % 20 = 0 AS y,
       sparsearray(ARRAY[1 + i % 7, 10, 20 + i % 3]::bigint[],
                   ARRAY[1, CASE WHEN i % 20 = 0 THEN 2 ELSE 1 END + i * 13 % 31 / 10.0, 0.5]::float8[]) AS x
FROM generate_series(1, 2000) i;
CREATE FUNCTION scale_recall(model sparselin_model) RETURNS float8
LANGUAGE sql AS $$ SELECT avg((sparselin_decide(model, x) IS TRUE)::int) FROM rare WHERE y $$;
SELECT scale_recall(plain) < 0.5 AS plain, scale_recall(balanced) > 0.6 AS balanced
FROM (SELECT casgd_train(x, y) AS plain, casgd_train(x, y, 'class_weight=balanced') AS balanced FROM rare) AS t;
-- it is a weight for the rows of each class
SELECT scale_distance(asgd_train(x, y, 'class_weight=balanced', w ORDER BY id),
                      asgd_train(x, y, NULL, w * CASE WHEN y THEN 2000 / 200.0 ELSE 2000 / 3800.0 END ORDER BY id)) < 1e-9 AS same
FROM rare, LATERAL (SELECT 1 + id % 3 AS w) AS v;
-- one class weighs 1
SELECT sparselin_decide(asgd_train(x, y, 'class_weight=balanced'), '{10:1}') FROM rare WHERE NOT y;
-- every learner; regression has no classes
SELECT count(*), bool_and((scale_recall(m) > 0.5) IS TRUE)
FROM (SELECT unnest(ARRAY[sgd_train(x, y, 'class_weight=balanced'), asgd_train(x, y, 'class_weight=balanced'),
                          onepass_train(x, y, 'class_weight=balanced epochs=10'),
                          truncated_train(x, y, 'class_weight=balanced eta0=0.05'),
                          elasticnet_train(x, y, 'class_weight=balanced eta0=0.05')]) AS m FROM rare) AS t;
SELECT casgd_train(x, y::int, 'class_weight=balanced loss=squared') FROM rare;
SELECT casgd_train(x, y, sparselin_options(class_weight => 'fair')) FROM rare;
SELECT casgd_train(x, y, 'scale=stdev') FROM rare;

DROP FUNCTION scale_accuracy, scale_distance, scale_weights, scale_recall;
