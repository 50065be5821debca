-- Training: every signature, labels, NULLs, weights, options, and all the places where SQL allows an aggregate

CREATE TEMP TABLE four (id int, x sparsearray, y float8, spam boolean);
INSERT INTO four VALUES
    (1, '{1:1,3:2,5:3}', 1, true), (2, '{2:4,3:5,4:6,5:7}', -1, false),
    (3, '{1:8,3:9}', 1, true), (4, '{2:10}', -1, false);

CREATE TEMP TABLE many AS
SELECT i AS id, i % 5 AS part,
       sparsearray(ARRAY[1 + i * 7 % 11, 20 + i * 13 % 29, 60 + i * i % 7]::bigint[], ARRAY[1, 0.5, i % 3 + 0.25]) AS x,
       CASE WHEN i * 7 % 11 + i * i % 7 > 7 THEN 1 ELSE -1 END::float8 AS y
FROM generate_series(1, 2500) i;

-- The largest relative distance of a model from given weights and bias.
CREATE FUNCTION train_distance(model sparselin_model, weights float8[], bias float8) RETURNS float8
LANGUAGE sql AS $$
    SELECT max(coalesce(abs(found - wanted) / abs(wanted), 'Infinity')) FROM (
        SELECT w.weight AS found, u.wanted
        FROM unnest(weights) WITH ORDINALITY u(wanted, feature) FULL JOIN sparselin_weights(model) w USING (feature)
        UNION ALL SELECT (sparselin_info(model)).bias, bias) AS v
$$;

-- The largest distance between two models, relative to the largest weight.
CREATE FUNCTION train_distance(a sparselin_model, b sparselin_model) RETURNS float8
LANGUAGE sql AS $$
    SELECT max(abs(coalesce(v.weight, 0) - coalesce(w.weight, 0))) / greatest(max(abs(v.weight)), max(abs(w.weight)))
    FROM (SELECT feature, weight FROM sparselin_weights(a) UNION ALL SELECT 0, (sparselin_info(a)).bias) v
    FULL JOIN (SELECT feature, weight FROM sparselin_weights(b) UNION ALL SELECT 0, (sparselin_info(b)).bias) w USING (feature)
$$;

CREATE FUNCTION train_weights(model sparselin_model) RETURNS text
LANGUAGE sql AS $$
    SELECT string_agg(feature || ':' || weight, ' ') || ' bias ' || min((sparselin_info(model)).bias)
    FROM sparselin_weights(model)
$$;

-- two published checks: the paper's setting, in this order
\set once 'loss=hinge lambda=0.01 epochs=1 sampling=sequential step_offset=0 average_power=0 implicit_above=inf'
SELECT train_distance(asgd_train(x, y, :'once' ORDER BY id),
           '{168.75,-108.333333333,100,-162.5,-33.3333333333}', 39.5833333333) < 1e-9 AS asgd,
       train_distance(casgd_train(x, y, :'once' ORDER BY id),
           '{18.75,-233.333333333,-31.25,-100,-10.4166666667}', 1142.1875) < 1e-9 AS casgd
FROM four;
\set often 'lambda=0.01 epochs=25 sampling=sequential step_offset=0 average_power=0 settle=false implicit_above=inf'
SELECT train_distance(asgd_train(x, y, :'often' ORDER BY id),
           '{32.1356167332,-16.7495100706,17.5227032548,-25.1242651058,-21.4018528472}', 2.13659659210) < 1e-9 AS asgd,
       train_distance(casgd_train(x, y, :'often' ORDER BY id),
           '{17.9601720304,-21.9841176607,13.2492896745,-9.42176471174,-7.92154431567}', 23.7545503775) < 1e-9 AS casgd
FROM four;
-- the same, streaming, with the center given
\set centred :once ' center={1:2.25,2:3.5,3:4,4:1.5,5:2.5}'
SELECT train_distance(casgd_train(x, y, :'centred' ORDER BY id),
           '{18.75,-233.333333333,-31.25,-100,-10.4166666667}', 1142.1875) < 1e-9 AS casgd
FROM four;
-- sgd, by hand: w_2 = (x_1 - x_2)/(0.5 * 2)
SELECT train_weights(sgd_train(x, y, 'loss=hinge lambda=0.5 epochs=1 sampling=sequential step_offset=0 implicit_above=inf' ORDER BY id))
FROM four WHERE id IN (1, 2);

-- labels of 0, from which absolute loss goes a step to either side, are no divergence
SELECT l AS learner, abs((sparselin_info(m)).bias) < 1 AS near_0, (sparselin_info(m)).progressive_loss < 2 AS small_loss
FROM (SELECT 'asgd' AS l, asgd_train('{1:1}'::sparsearray, 0.0, 'loss=absolute') AS m FROM generate_series(1, 10)
      UNION ALL SELECT 'sgd', sgd_train('{1:1}'::sparsearray, 0.0, 'loss=absolute') FROM generate_series(1, 10)
      UNION ALL SELECT 'casgd', casgd_train('{1:1}'::sparsearray, 0.0, 'loss=absolute') FROM generate_series(1, 10)
      UNION ALL SELECT 'onepass', onepass_train('{1:1}'::sparsearray, 0.0, 'loss=absolute') FROM generate_series(1, 10)
      UNION ALL SELECT 'streamed', asgd_train('{1:1}'::sparsearray, 0.0, 'loss=absolute lambda=1e-3 epochs=1 sampling=sequential')
                FROM generate_series(1, 3000)) AS s ORDER BY l;
-- weights whose squares leave the range of float8: with a lambda to match, the model of weights of 1
SELECT w AS weight, train_distance(asgd_train(x, y, format('lambda=%s', 0.1 * w)::sparselin_options, w ORDER BY id),
                                   asgd_train(x, y, 'lambda=0.1' ORDER BY id)) < 1e-9 AS asgd,
       train_distance(casgd_train(x, y, format('lambda=%s', 0.1 * w)::sparselin_options, w ORDER BY id),
                      casgd_train(x, y, 'lambda=0.1' ORDER BY id)) < 1e-9 AS casgd
FROM four, unnest(ARRAY[1, 1e153, 1e154, 1e155, 1e200, 1e300]::float8[]) AS w GROUP BY w ORDER BY w;
SELECT (sparselin_info(asgd_train(x, y, NULL, 1e200))).nonzero FROM four;

-- every signature; those that mean the same give the same model
SELECT (sparselin_info(model)).learner, (sparselin_info(model)).labels, (sparselin_info(model)).rows,
       (sparselin_info(model)).steps, count(*), count(DISTINCT model::text) AS different
FROM (SELECT ARRAY[sgd_train(x, y), sgd_train(x, y, NULL), sgd_train(x, y, NULL, 1),
                   sgd_train(x, spam), sgd_train(x, spam, NULL), sgd_train(x, spam, NULL, 1),
                   asgd_train(x, y), asgd_train(x, y, NULL), asgd_train(x, y, NULL, 1),
                   asgd_train(x, spam), asgd_train(x, spam, NULL), asgd_train(x, spam, NULL, 1),
                   casgd_train(x, y), casgd_train(x, y, NULL), casgd_train(x, y, NULL, 1),
                   casgd_train(x, spam), casgd_train(x, spam, NULL), casgd_train(x, spam, NULL, 1)] AS models
      FROM four) AS m, unnest(models) AS model
GROUP BY 1, 2, 3, 4 ORDER BY 1, 2;

-- label codings: the same weights, and answers in the coding of the labels
SELECT (sparselin_info(model)).labels, sparselin_classify(model, '{1:9,3:9}') AS yes,
       sparselin_classify(model, '{2:9}') AS no,
       train_weights(model) = train_weights(first_value(model) OVER ()) AS same_weights
FROM (SELECT ARRAY[casgd_train(x, y), casgd_train(x, (y + 1) / 2), casgd_train(x, spam), casgd_train(x, y::int),
                   casgd_train(x, spam::int), casgd_train(x, y > 0),
                   casgd_train(x, CASE WHEN spam THEN 1 ELSE '-0'::float8 END)] AS models
      FROM four) AS m, unnest(models) AS model;
-- regression takes any finite number
SELECT l AS loss, (sparselin_info(model)).labels, abs(sparselin_predict(model, '{1:2}') - 5.5) < 0.1 AS near
FROM unnest('{squared,absolute}'::text[]) l,
     LATERAL (SELECT casgd_train(sparsearray(ARRAY[1], ARRAY[i / 10.0]), 2 * i / 10.0 + 1.5,
                                 sparselin_options(loss => l, lambda => 1e-6, epochs => 100)) AS model
              FROM generate_series(-20, 50) i) AS m;

-- NULL features, label or weight: skipped and counted; so is a weight of 0
SELECT (sparselin_info(model)).rows, (sparselin_info(model)).skipped, (sparselin_info(model)).lambda,
       train_weights(model) = (SELECT train_weights(casgd_train(x, y)) FROM four) AS as_without
FROM (SELECT casgd_train(x, y, NULL, w ORDER BY id, skipped) AS model
      FROM (SELECT id, x, y, 1 AS w, 1 AS skipped FROM four
            UNION ALL VALUES (0, NULL::sparsearray, 1::float8, 1, 0), (2, '{1:99}', NULL, 1, 0),
                             (3, '{1:99}', -1, NULL, 0), (4, '{7:99}', -1, 0, 0), (9, NULL, NULL, NULL, 0)) AS v) AS m;

-- no rows: NULL, and nothing but skipped rows too
SELECT casgd_train(x, y) IS NULL AS no_rows,
       casgd_train(x, y, 'epochs=1 sampling=sequential lambda=1 center={}') IS NULL AS streaming
FROM four WHERE false;
SELECT casgd_train(NULL, y) IS NULL AS features, casgd_train(x, NULL::boolean) IS NULL AS label,
       casgd_train(x, y, NULL, NULL) IS NULL AS weight, casgd_train(x, y, NULL, 0) IS NULL AS weightless,
       asgd_train(x, y, 'epochs=1 sampling=sequential lambda=1', 0) IS NULL AS streaming
FROM four;
SELECT part, casgd_train(x, y) FILTER (WHERE id > 10000) IS NULL AS none FROM many GROUP BY part ORDER BY part;

-- one row, one class: a model, and a NOTICE for each place in the query, not for each group
SELECT sparselin_classify(casgd_train(x, y), '{1:1}') FROM four WHERE id = 1;
SELECT sparselin_decide(asgd_train('{}'::sparsearray, false), '{}');
SELECT id, sparselin_classify(casgd_train(x, y), x) = y AS casgd,
       sparselin_decide(sgd_train(x, spam), x) = spam AS sgd
FROM four GROUP BY id, x, y, spam ORDER BY id;
SELECT count(*), bool_and((sparselin_predict(m, x) <> 0) IS TRUE)
FROM (SELECT x, casgd_train(x, y) AS m FROM many GROUP BY id, x LIMIT 300) AS v;
-- regression has no classes
SELECT sparselin_predict(casgd_train(x, y, 'loss=squared'), x) > 0 AS positive FROM four WHERE id = 1 GROUP BY x;

-- weights: one of 3 is the row three times, at the same lambda times rows
SELECT train_distance(w.model, r.model) < 0.01 AS weight_is_repetition,
       train_distance(w.model, u.model) > 0.1 AS and_matters
FROM (SELECT asgd_train(x, y, 'epochs=2000', CASE id WHEN 2 THEN 3 ELSE 1 END) AS model FROM four) w,
     (SELECT asgd_train(x, y, 'epochs=2000') AS model
      FROM four, generate_series(1, CASE id WHEN 2 THEN 3 ELSE 1 END)) r,
     (SELECT asgd_train(x, y, 'epochs=2000') AS model FROM four) u;

-- options: as literal, function, cast, column, parameter
SELECT count(DISTINCT m::text) AS different
FROM (SELECT ARRAY[casgd_train(x, y, 'loss=hinge epochs=3'),
                   casgd_train(x, y, sparselin_options(loss => 'hinge', epochs => 3)),
                   casgd_train(x, y, ('loss=' || 'hinge epochs=3')::sparselin_options), casgd_train(x, y, o)] AS models
      FROM four, (VALUES (' epochs=3   LOSS=Hinge'::sparselin_options)) AS v(o)) AS s, unnest(models) AS m;
PREPARE train(sparselin_options) AS SELECT (sparselin_info(casgd_train(x, y, $1))).epochs FROM four;
EXECUTE train('epochs=4');
EXECUTE train(NULL);
DEALLOCATE train;
-- options that differ by group, also across groups that are under way together
SELECT o, (sparselin_info(casgd_train(x, y, o))).epochs, count(*)
FROM four, (VALUES ('epochs=2'::sparselin_options), ('epochs=7'), (NULL)) AS v(o)
GROUP BY o ORDER BY o;
SET enable_sort = off;
SELECT o, (sparselin_info(casgd_train(x, y, o ORDER BY id))).epochs
FROM four, (VALUES ('epochs=2'::sparselin_options), ('epochs=7')) AS v(o)
GROUP BY o ORDER BY 2;
RESET enable_sort;
-- what has been decided is in the model
SELECT learner, loss, labels, nonzero, dimension, rows, skipped, steps, epochs, lambda, resumable,
       abs(bias - 2.479661370344114) < 1e-9 AS bias, abs(progressive_loss - 0.5367223772806298) < 1e-9 AS progressive_loss,
       options
FROM (SELECT i.* FROM (SELECT casgd_train(x, y) AS m FROM four) AS s, sparselin_info(m) AS i) AS info;
SELECT abs((sparselin_info(asgd_train(x, y))).lambda - 1 / 2500.0) < 1e-18 AS one_by_rows FROM many;

-- the order of the rows: arrival
SELECT train_weights(asgd_train(x, y, 'sampling=sequential' ORDER BY id))
           <> train_weights(asgd_train(x, y, 'sampling=sequential' ORDER BY id DESC)) AS order_matters,
       train_weights(asgd_train(x, y, 'sampling=sequential' ORDER BY id))
           = train_weights(asgd_train(x, y, 'epochs=10 sampling=sequential' ORDER BY id)) AS reproducible
FROM many;
-- shuffle and replacement: the same again by the same seed
SELECT s AS sampling, a::jsonb - 'given' = b::jsonb - 'given' AS reproducible, train_weights(a) <> train_weights(c) AS seed_matters,
       train_weights(c) = train_weights(d) AS default_is_42
FROM unnest('{shuffle,replacement}'::text[]) AS s,
     LATERAL (SELECT casgd_train(x, y, sparselin_options(sampling => s, seed => 7) ORDER BY id) AS a,
                     casgd_train(x, y, sparselin_options(sampling => s, seed => 7, epochs => 10) ORDER BY id) AS b,
                     casgd_train(x, y, sparselin_options(sampling => s, seed => 42) ORDER BY id) AS c,
                     casgd_train(x, y, sparselin_options(sampling => s) ORDER BY id) AS d
              FROM many) AS m;
SELECT train_weights(casgd_train(x, y ORDER BY id))
           = train_weights(casgd_train(x, y, 'sampling=shuffle' ORDER BY id)) AS shuffle_is_default,
       train_weights(casgd_train(x, y ORDER BY id))
           <> train_weights(casgd_train(x, y, 'sampling=replacement' ORDER BY id)) AS replacement_is_not
FROM many;
SELECT (sparselin_info(sgd_train(x, y, 'sampling=replacement epochs=3'))).steps FROM many;

-- streaming: the first 1000 rows, or all when there are fewer, decide the step size for the others
CREATE FUNCTION train_stream(rows int, step_offset float8) RETURNS sparselin_model LANGUAGE sql AS $$
    SELECT asgd_train(x, y, sparselin_options(epochs => 1, sampling => 'sequential', lambda => 0.01,
                                              step_offset => step_offset) ORDER BY id)
    FROM many WHERE id <= rows
$$;
CREATE FUNCTION train_offset(model sparselin_model) RETURNS float8 LANGUAGE sql AS $$
    SELECT substring((sparselin_info(model)).options FROM 'step_offset=(\S+)')::float8
$$;
CREATE TEMP TABLE streamed AS
SELECT n, train_stream(n, NULL) AS model FROM unnest('{5,999,1000,1001,2500}'::int[]) AS n;
SELECT n, (sparselin_info(model)).steps,
       train_distance(model, train_stream(n, train_offset(train_stream(least(n, 1000), NULL)))) < 1e-9 AS as_given,
       (SELECT avg((sparselin_classify(model, x) = y)::int) > 0.8 FROM many WHERE id <= n) AS learned
FROM streamed ORDER BY n;
SELECT train_distance(train_stream(2500, NULL), train_stream(2500, 0)) > 0.01 AS offset_matters;

-- intercept and resumable
SELECT (sparselin_info(asgd_train(x, y, 'intercept=false'))).bias AS asgd,
       (sparselin_info(sgd_train(x, y, 'intercept=false'))).bias AS sgd FROM four;
SELECT (sparselin_info(yes)).resumable AS yes, (sparselin_info(no)).resumable AS no,
       (sparselin_info(yes)).bytes > (sparselin_info(no)).bytes AS costs,
       train_weights(yes) = train_weights(no) AS same_weights
FROM (SELECT casgd_train(x, y, 'resumable=true') AS yes,
             casgd_train(x, y, 'resumable=false') AS no FROM four) AS v;

-- an open dimension fits all
SELECT (sparselin_info(casgd_train(x, y))).dimension IS NULL AS open,
       (sparselin_info(casgd_train((x::text || CASE id WHEN 3 THEN '/10' ELSE '' END)::sparsearray, y))).dimension,
       (sparselin_info(casgd_train(x, y, 'center={}/20'))).dimension AS from_center
FROM four;

-- FILTER, DISTINCT, HAVING, grouping sets, several at a time
SELECT (sparselin_info(casgd_train(x, y) FILTER (WHERE id < 4))).rows AS filtered,
       (sparselin_info(casgd_train(DISTINCT x, y))).rows AS distinct_rows,
       (sparselin_info(casgd_train(ALL x, y))).rows AS all_rows
FROM (SELECT * FROM four UNION ALL SELECT * FROM four) AS twice;
SELECT part, (sparselin_info(sgd_train(x, y))).rows FROM many
GROUP BY ROLLUP (part) HAVING sparselin_predict(sgd_train(x, y), '{}') IS NOT NULL ORDER BY part;
SELECT part, grouped.m::text = alone.m::text AS same_as_alone
FROM (SELECT part, casgd_train(x, y ORDER BY id) AS m FROM many GROUP BY part) AS grouped,
     LATERAL (SELECT casgd_train(x, y ORDER BY id) AS m FROM many WHERE many.part = grouped.part) AS alone
ORDER BY part;
-- a model trained in a subquery, once and for each row outside; one trained on what another says
SELECT count(*) > 3 AS most_right FROM four WHERE sparselin_classify((SELECT casgd_train(x, y) FROM four), x) = y;
SELECT part, (SELECT (sparselin_info(asgd_train(x, y))).rows FROM many WHERE many.part = p.part)
FROM generate_series(3, 5) AS p(part);
SELECT (sparselin_info(asgd_train(x, sparselin_decide(m, x)))).rows
FROM many, (SELECT casgd_train(x, y) AS m FROM many) AS v;

-- groups in a hash table that the plan above goes through more than once
SET enable_material = off;
SET enable_sort = off;
SELECT n, count(*), sum((sparselin_info(m)).rows) AS rows, min((sparselin_info(merged)).rows) AS merged,
       count(DISTINCT m::text) AS models
FROM generate_series(1, 3) AS n
LEFT JOIN (SELECT part, casgd_train(x, y) AS m, asgd_train(x, y) FILTER (WHERE id < 0) AS none FROM many GROUP BY part) AS s
    ON n > part AND none IS NULL
LEFT JOIN (SELECT part, sparselin_merge(m) AS merged
           FROM (SELECT part, id % 2, onepass_train(x, y) AS m FROM many GROUP BY 1, 2) AS v GROUP BY part) AS t
    ON n >= t.part + s.part
GROUP BY n ORDER BY n;
RESET enable_material;
RESET enable_sort;

-- a thousand calls leave nothing behind
CREATE FUNCTION train_memory() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE bytes bigint := 0;
BEGIN
    IF to_regclass('pg_catalog.pg_backend_memory_contexts') IS NOT NULL THEN
        EXECUTE 'SELECT sum(total_bytes) FROM pg_backend_memory_contexts' INTO bytes;
    END IF;
    RETURN bytes;
END $$;
CREATE FUNCTION train_growth(query text, times int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    before bigint;
BEGIN
    FOR i IN 1..times + 50 LOOP
        IF i = 50 THEN before := train_memory(); END IF;
        EXECUTE query;
    END LOOP;
    RETURN train_memory() - before;
END $$;
SELECT train_growth($$SELECT casgd_train(x, y), asgd_train(x, y, 'epochs=1 sampling=sequential lambda=1') FROM four$$,
                    1000)
           < 65536 AS small_growth;
SELECT train_growth('SELECT sparselin_predict(m, x) FROM four, (SELECT casgd_train(x, y) AS m FROM four) AS v', 300)
           < 65536 AS small_growth;

DROP FUNCTION train_growth, train_memory, train_stream, train_offset, train_weights,
    train_distance(sparselin_model, sparselin_model), train_distance(sparselin_model, float8[], float8);
