-- losses with a parameter: huber and quantile, in all learners and ways; intervals; errors and their hints

CREATE FUNCTION pg_temp.chance(what text) RETURNS float8 LANGUAGE sql IMMUTABLE AS
$$ SELECT ('x' || left(md5(what), 8))::bit(32)::bigint / 2.0::float8 ^ 32 $$;
-- the noise is as large as the second feature says
CREATE TEMP TABLE noisy AS
SELECT id, sparsearray(ARRAY[1, 2]::bigint[], ARRAY[a, b]) AS x, 3 * a - b + (0.2 + 2 * b) * (u + v + w - 1.5) AS y
FROM (SELECT id, 2 * pg_temp.chance('a' || id) - 1 AS a, pg_temp.chance('b' || id) AS b, pg_temp.chance('u' || id) AS u,
             pg_temp.chance('v' || id) AS v, pg_temp.chance('w' || id) AS w
      FROM generate_series(1, 4000) AS id) AS made;
CREATE FUNCTION pg_temp.learn(learner text, options sparselin_options, rows text DEFAULT 'id <= 3000') RETURNS sparselin_model
LANGUAGE plpgsql AS $$
DECLARE
    model sparselin_model;
BEGIN
    EXECUTE format('SELECT %s_train(x, y, $1 ORDER BY id) FROM noisy WHERE %s', learner, rows) INTO model USING options;
    RETURN model;
END $$;

-- the options that are not given have their defaults, and none has the parameter of another loss
SELECT loss, options
FROM unnest('{loss=huber,loss=huber delta=2.5,loss=quantile,loss=quantile quantile=0.9}'::text[]) AS given,
     LATERAL (SELECT * FROM sparselin_info(pg_temp.learn('truncated', (given || ' epochs=1')::sparselin_options))) AS info;

-- each learner, buffered and streaming: the share of labels below what it says is the quantile, and huber is near the middle
SELECT learner, loss || more AS options,
       abs(avg((y < p)::int) - CASE loss WHEN 'loss=huber' THEN 0.5 ELSE 0.8 END) < 0.08 AS as_it_should_be
FROM (VALUES ('sgd', ' epochs=30'), ('asgd', ''), ('casgd', ''), ('onepass', ' gamma0=0.5'), ('truncated', ' gravity=0'),
             ('elasticnet', ' l1=0'), ('asgd', ' epochs=1 sampling=sequential lambda=1e-4'),
             ('casgd', ' epochs=1 sampling=sequential lambda=1e-3 center={2:0.5}')) AS v (learner, more),
     unnest('{loss=huber,loss=quantile quantile=0.8}'::text[]) AS loss,
     LATERAL (SELECT pg_temp.learn(learner, (loss || more)::sparselin_options) AS model OFFSET 0) AS m,
     LATERAL (SELECT y, sparselin_predict(model, x) AS p FROM noisy WHERE id > 3000) AS judged
GROUP BY learner, loss, more
ORDER BY learner, options;

-- two quantiles make an interval: 80 % of new labels lie in it, where they spread little and where they spread much
SELECT b > 0.5 AS much, abs(avg((y BETWEEN low AND high)::int) - 0.8) < 0.08 AS covers, avg(high - low) > 1.3 AS wide
FROM (SELECT pg_temp.learn('casgd', 'loss=quantile quantile=0.1 epochs=30') AS low_model,
             pg_temp.learn('casgd', 'loss=quantile quantile=0.9 epochs=30') AS high_model) AS models,
     LATERAL (SELECT y, sparsearray_get(x, 2) AS b, sparselin_predict(low_model, x) AS low,
                     sparselin_predict(high_model, x) AS high
              FROM noisy WHERE id > 3000) AS judged
GROUP BY b > 0.5
ORDER BY much;

-- labels in another unit: the same model in that unit
SELECT loss, abs(avg(sparselin_predict(large, x) / 1024 - sparselin_predict(model, x))) < 1e-12 AS same
FROM (VALUES ('absolute', '', ''), ('quantile', ' quantile=0.3', ' quantile=0.3'), ('huber', ' delta=0.5', ' delta=512'))
         AS v (loss, one, other),
     LATERAL (SELECT casgd_train(x, y, ('loss=' || loss || one)::sparselin_options ORDER BY id) AS model,
                     casgd_train(x, 1024 * y, ('loss=' || loss || other)::sparselin_options ORDER BY id) AS large
              FROM noisy) AS m,
     noisy
GROUP BY loss
ORDER BY loss;

-- the loss of an evaluation is the model's own, with its parameter; as text it is the same model
CREATE TEMP TABLE models AS
SELECT loss, pg_temp.learn('asgd', loss::sparselin_options) AS model
FROM unnest('{loss=huber delta=0.25,loss=quantile quantile=0.9}'::text[]) AS loss;
SELECT loss, (card).rows, abs((card).loss - expected) < 1e-12 AS as_defined, (card).mae > 0 AS mae,
       sparselin_predict(model::text::sparselin_model, '{1:1}') = sparselin_predict(model, '{1:1}') AS as_text,
       (model::text::sparselin_model)::text = model::text AS same_text
FROM (SELECT loss, model::text AS text, sparselin_evaluate(model, x, y) AS card,
             avg(CASE WHEN loss LIKE '%quantile%' THEN greatest(0.9 * (y - p), -0.1 * (y - p))
                      WHEN abs(y - p) <= 0.25 THEN (y - p) ^ 2 / 2 ELSE 0.25 * (abs(y - p) - 0.125) END) AS expected
      FROM models, noisy, LATERAL (SELECT sparselin_predict(model, x) AS p) AS said
      WHERE id > 3000
      GROUP BY loss, model::text) AS cards JOIN models USING (loss)
ORDER BY loss;

-- streams go on as if they had not ended; what parts have learned is put together
SELECT loss, going_on::text = at_once::text AS goes_on, (sparselin_info(merged)).steps, (sparselin_info(merged)).options
FROM (SELECT loss, pg_temp.learn('asgd', options) AS at_once,
             (SELECT sparselin_continue(first, x, y ORDER BY id) FROM noisy WHERE id BETWEEN 1501 AND 3000) AS going_on,
             (SELECT sparselin_merge(m) FROM (VALUES (first), (second)) AS v (m)) AS merged
      FROM unnest('{loss=huber delta=0.25,loss=quantile quantile=0.9,loss=absolute}'::text[]) AS loss,
           LATERAL (SELECT (loss || ' lambda=1e-3 epochs=1 sampling=sequential')::sparselin_options AS options) AS o,
           LATERAL (SELECT pg_temp.learn('asgd', options, 'id <= 1500') AS first,
                           pg_temp.learn('asgd', options, 'id BETWEEN 1501 AND 3000') AS second OFFSET 0) AS parts) AS m
ORDER BY loss;
SELECT sparselin_merge(model) FROM (SELECT pg_temp.learn('asgd', ('loss=quantile quantile=' || q)::sparselin_options) AS model
                                    FROM unnest('{0.1,0.9}'::text[]) AS q) AS m;
SELECT sparselin_merge(sparselin_compact(model))
FROM (SELECT pg_temp.learn('asgd', ('loss=quantile quantile=' || q)::sparselin_options) AS model
      FROM unnest('{0.1,0.9}'::text[]) AS q) AS m;

-- a model made elsewhere: what its options leave open is the default, and its loss is its own
SELECT sparselin_evaluate('{"learner": "asgd", "loss": "huber", "weights": {"1": 1}}'::sparselin_model, '{1:3}', 1) AS by_default,
       sparselin_evaluate('{"learner": "asgd", "loss": "huber", "weights": {"1": 1}, "options": "delta=0.5"}'::sparselin_model,
                          '{1:3}', 1) AS given;
SELECT '{"learner": "asgd", "loss": "absolute", "weights": {"1": 1}, "options": "delta=0.5"}'::sparselin_model;

-- bad parameters, as text and by name
SELECT 'loss=huber delta=0'::sparselin_options;
SELECT 'loss=huber delta=-1'::sparselin_options;
SELECT 'loss=huber delta=NaN'::sparselin_options;
SELECT sparselin_options(loss => 'huber', delta => 'NaN');
SELECT sparselin_options(loss => 'huber', delta => 'Infinity');
SELECT 'loss=quantile quantile=0'::sparselin_options;
SELECT 'loss=quantile quantile=1'::sparselin_options;
SELECT 'loss=quantile quantile=-1'::sparselin_options;
SELECT sparselin_options(loss => 'quantile', quantile => 1);
SELECT sparselin_options(loss => 'quantile', quantile => 'NaN');
-- parameters of other losses, labels that are none
SELECT asgd_train(x, y, 'delta=1') FROM noisy;
SELECT elasticnet_train(x, y, 'loss=absolute quantile=0.5') FROM noisy;
SELECT onepass_train(x, y, 'loss=huber quantile=0.5') FROM noisy;
SELECT casgd_train(x, y, 'loss=quantile delta=0.5') FROM noisy;
SELECT casgd_train(x, 'a'::text, 'loss=quantile') FROM noisy;
SELECT casgd_train(x, y, 'loss=huber class_weight=balanced') FROM noisy;
SELECT sparselin_classify(model, '{1:1}') FROM models WHERE loss LIKE '%huber%';
SELECT sparselin_probability(model, '{1:1}') FROM models WHERE loss LIKE '%huber%';

-- a kept model
SELECT version, metric, round(value::numeric, 1) AS value
FROM sparselin_fit('nine tenths', 'SELECT x AS features, y AS label FROM noisy ORDER BY id', 'casgd',
                   'loss=quantile quantile=0.9');
SELECT version, active FROM sparselin_retrain('nine tenths');
SELECT sparselin_drop('nine tenths');
