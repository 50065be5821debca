-- Going on from a model, merging models, compacting them

CREATE TEMP TABLE many AS
SELECT i AS id, i % 5 AS part,
       sparsearray(ARRAY[1 + i % 20, 21 + i % 7, 40 + i % 300]::bigint[],
                   ARRAY[1, 1, (i::bigint * 7919 % 1000) / 1000.0 + 0.001]) AS x,
       i % 20 < 6 OR (i % 20 < 12 AND i % 7 = 3) AS y, CASE WHEN i % 3 = 0 THEN 0.25 ELSE 2 END AS weight
FROM generate_series(1, 3000) AS i;
-- How each learner streams.
CREATE TEMP TABLE streams (learner text, options text);
INSERT INTO streams VALUES
    ('sgd', 'lambda=1e-4'), ('asgd', 'lambda=1e-4'), ('casgd', 'lambda=1e-4 center={1:0.1,40:0.01}'),
    ('onepass', ''), ('truncated', ''), ('elasticnet', ''),
    ('sgd', 'lambda=1e-4 loss=hinge step_offset=0 intercept=false'),
    ('asgd', 'lambda=1e-2 loss=squared_hinge average_power=0'),
    ('asgd', 'lambda=1e-3 loss=absolute step_offset=10 average_power=1.5'),
    ('casgd', 'lambda=1e-4 loss=absolute center={1:0.1,40:0.01}/400 intercept=false'),
    ('onepass', 'loss=squared lambda=0 average_start=700'), ('onepass', 'lambda=0.9 decay_rate=0 gamma0=1'),
    ('truncated', 'gravity=0.01 truncate_every=7 threshold=0.5'),
    ('truncated', 'method=round threshold=0.01 clip_min=-2 clip_max=2'),
    ('elasticnet', 'l1=1e-3 loss=squared eta0=0.1'), ('elasticnet', 'method=fobos lambda=0.1 power=0');
UPDATE streams SET options = 'epochs=1 sampling=sequential ' || options;

-- A model of the rows WHERE ..., in their order.
CREATE FUNCTION learn(learner text, options text, rows text, weighted boolean DEFAULT false)
RETURNS sparselin_model LANGUAGE plpgsql AS $$
DECLARE
    m sparselin_model;
BEGIN
    EXECUTE format('SELECT %s_train(x, y, %L%s ORDER BY id) FROM many WHERE %s', learner, options,
                   CASE WHEN weighted THEN ', weight' ELSE '' END, rows) INTO m;
    RETURN m;
END $$;
CREATE FUNCTION go_on(model sparselin_model, rows text, weighted boolean DEFAULT false)
RETURNS sparselin_model LANGUAGE plpgsql AS $$
DECLARE
    m sparselin_model;
BEGIN
    EXECUTE format('SELECT sparselin_continue($1, x, y%s ORDER BY id) FROM many WHERE %s',
                   CASE WHEN weighted THEN ', weight' ELSE '' END, rows) INTO m USING model;
    RETURN m;
END $$;
-- The largest distance between two models, relative to the largest weight.
CREATE FUNCTION model_distance(a sparselin_model, b sparselin_model) RETURNS float8 LANGUAGE sql AS $$
    SELECT max(abs(coalesce(v.weight, 0) - coalesce(w.weight, 0))) / greatest(max(abs(v.weight)), max(abs(w.weight)))
    FROM (SELECT feature, weight FROM sparselin_weights(a) UNION ALL SELECT 0, (sparselin_info(a)).bias) v
    FULL JOIN (SELECT feature, weight FROM sparselin_weights(b) UNION ALL SELECT 0, (sparselin_info(b)).bias) w USING (feature)
$$;

--
-- sparselin_continue
--

SET client_min_messages = warning;
-- k rows and then the others are the same as all in one call, bit for bit: few rows, which are held back, and many
CREATE TEMP TABLE whole AS SELECT learner, options, learn(learner, options, 'true') AS m FROM streams;
SELECT learner, options, k
FROM whole, unnest('{1,999,1000,1001,2500}'::int[]) AS k
WHERE go_on(learn(learner, options, 'id <= ' || k), 'id > ' || k)::text IS DISTINCT FROM m::text;
-- in many steps; through text each time; with weights
SELECT learner, options
FROM whole
WHERE go_on(go_on(go_on(go_on(learn(learner, options, 'id <= 3'), 'id > 3 AND id <= 10'), 'id > 10 AND id <= 1300'),
                  'id = 1301'), 'id > 1301')::text IS DISTINCT FROM m::text;
SELECT learner, options
FROM whole
WHERE go_on(go_on(learn(learner, options, 'id <= 700')::text::sparselin_model, 'id > 700 AND id <= 2300')
                ::text::sparselin_model, 'id > 2300')::text IS DISTINCT FROM m::text;
SELECT learner, options
FROM streams
WHERE go_on(go_on(learn(learner, options, 'id <= 600', true), 'id > 600 AND id <= 1400', true), 'id > 1400',
            true)::text IS DISTINCT FROM learn(learner, options, 'true', true)::text;
-- the comparison sees small things: one row less, one in another place
SELECT learner, go_on(learn(learner, options, 'id <= 500'), 'id > 501')::text <> m::text AS one_less,
       go_on(learn(learner, options, 'id <= 500 OR id = 502'), 'id = 501 OR id > 502')::text <> m::text AS order_matters
FROM whole WHERE options ~ 'sequential $|lambda=1e-4( center=\S+0.01})?$';
-- numbers as labels, of both codings, and of a regression
SELECT sparselin_continue(m, x, y::int * 2 - 1 ORDER BY id)::text = (SELECT asgd_train(x, y::int * 2 - 1, o ORDER BY id)::text FROM many) AS plus_minus
FROM many, (VALUES ('epochs=1 sampling=sequential lambda=1e-3'::sparselin_options)) AS v(o),
     LATERAL (SELECT asgd_train(w.x, w.y::int * 2 - 1, o ORDER BY w.id) AS m FROM many w WHERE id <= 900) AS s
WHERE id > 900 GROUP BY o;
SELECT sparselin_continue(m, x, y::int ORDER BY id)::text = (SELECT onepass_train(x, y::int ORDER BY id)::text FROM many) AS zero_one,
       sparselin_continue(n, x, id ORDER BY id)::text
           = (SELECT onepass_train(x, id, 'loss=squared' ORDER BY id)::text FROM many) AS number
FROM many, (SELECT onepass_train(x, y::int ORDER BY id) AS m, onepass_train(x, id, 'loss=squared' ORDER BY id) AS n
            FROM many WHERE id <= 1200) AS s
WHERE id > 1200;

-- out of a table: inline, compressed, toasted, and after COPY
CREATE TEMP TABLE models (how text, learner text, k int, m sparselin_model);
INSERT INTO models SELECT 'external', learner, k, learn(learner, options, 'id <= ' || k)
FROM streams, (VALUES (10), (800), (2000)) AS v(k) WHERE options ~ 'sequential $|lambda=1e-4( center=\S+0.01})?$';
CREATE TEMP TABLE compressed (LIKE models);
ALTER TABLE compressed ALTER m SET STORAGE main;
INSERT INTO compressed SELECT 'compressed', learner, k, m FROM models;
INSERT INTO models SELECT * FROM compressed;
SELECT count(*), count(DISTINCT pg_column_size(m) < (sparselin_info(m)).bytes) AS kinds FROM models;
SELECT how, learner, k
FROM models
LEFT JOIN (SELECT learner, m AS whole FROM whole WHERE options ~ 'sequential $|lambda=1e-4( center=\S+0.01})?$') AS w USING (learner),
     LATERAL (SELECT sparselin_continue(models.m, x, y ORDER BY id) AS m FROM many WHERE id > k) AS g
WHERE g.m::text IS DISTINCT FROM whole::text;
-- one model for each group, joined in; and one for all groups
CREATE TEMP TABLE by_part AS
SELECT part, onepass_train(x, y ORDER BY id) FILTER (WHERE id <= 1500) AS m, onepass_train(x, y ORDER BY id) AS whole
FROM many GROUP BY part;
SELECT part, sparselin_continue(m, x, y ORDER BY id)::text = min(whole::text) AS same
FROM many JOIN by_part USING (part) WHERE id > 1500 GROUP BY part ORDER BY part;
SELECT part, sparselin_continue(m, x, y ORDER BY id)::text
           = (SELECT sparselin_continue(m, x, y ORDER BY id)::text FROM many AS w, by_part WHERE by_part.part = 3 AND w.part = many.part) AS same
FROM many, (SELECT m FROM by_part WHERE part = 3) AS v GROUP BY part ORDER BY part;

-- what goes on is counted as one
SELECT i.rows, i.skipped, i.steps, i.epochs, i.resumable, i.learner
FROM sparselin_info(go_on(learn('onepass', NULL, 'id <= 100'), 'id > 100 AND id <= 1200')) AS i;
-- no rows: NULL; only rows that are skipped: the model, and they are counted
SELECT sparselin_continue(m, x, y) IS NULL AS no_rows FROM by_part, many WHERE false;
SELECT i.rows, i.skipped, i.steps, model_distance(m, n) AS distance
FROM (SELECT m, (SELECT sparselin_continue(m, CASE WHEN id < 3 THEN x END, CASE WHEN id > 2 THEN y END) FROM many
                 WHERE id < 5) AS n
      FROM by_part WHERE part = 0) AS v, sparselin_info(n) AS i;
SELECT (sparselin_info(sparselin_continue(m, x, y, CASE WHEN id > 2 THEN 0::float8 END))).skipped
FROM by_part, many WHERE by_part.part = 0 AND id < 5;
-- a dimension stays; labels of one class may be joined by the other
SELECT (sparselin_info(sparselin_continue(m, sparsearray(ARRAY[2], ARRAY[1]), false))).dimension
FROM (SELECT onepass_train('{1:1}/7', true) AS m) AS v;

-- shuffled, more than one epoch: they run over the new rows alone, from where the model is, always in the same way
SELECT v.learner, v.options, i.rows, i.steps, i.epochs, n::text = go_on(m, 'id > 2000')::text AS reproducible,
       model_distance(m, n) > 0 AS learned, i.resumable,
       (SELECT avg((sparselin_decide(n, x) = y)::int) > (SELECT avg((sparselin_decide(m, x) = y)::int) FROM many) - 0.05 FROM many) AS as_good
FROM (VALUES ('sgd', NULL), ('asgd', NULL), ('casgd', NULL), ('casgd', 'scale=std epochs=3'),
             ('onepass', 'epochs=2 sampling=shuffle'), ('truncated', 'sampling=replacement epochs=3'),
             ('elasticnet', 'scale=maxabs class_weight=balanced epochs=2')) AS v (learner, options),
     learn(v.learner, v.options, 'id <= 2000') AS m, go_on(m, 'id > 2000') AS n, sparselin_info(n) AS i;

-- errors
SELECT sparselin_continue(NULL, x, y) FROM many;
SELECT sparselin_continue(CASE WHEN id < 3 THEN m END, x, y ORDER BY id) FROM many, by_part WHERE by_part.part = 0;
SELECT sparselin_continue(m, x, y ORDER BY id) FROM many JOIN by_part USING (part);
SELECT sparselin_continue(sparselin_compact(m), x, y) FROM many, by_part;
SELECT sparselin_continue(m, x, y) FROM many, (SELECT casgd_train(x, y, 'resumable=false') AS m FROM many) AS v;
SELECT sparselin_continue(m::jsonb::sparselin_model, x, y) FROM many, by_part;
SELECT sparselin_continue('{"learner": "asgd", "loss": "hinge", "weights": {"3": 0.1}}', x, y) FROM many;
SELECT sparselin_continue(m, x, 1) FROM many, by_part;
SELECT sparselin_continue(m, x, y) FROM many, (SELECT casgd_train(x, y::int) AS m FROM many) AS v;
SELECT sparselin_continue(m, x, y::int ORDER BY id)
FROM many, (SELECT casgd_train(x, y::int * 2 - 1) AS m FROM many) AS v;
SELECT sparselin_continue(m, x, 0.5) FROM many, (SELECT casgd_train(x, y::int) AS m FROM many) AS v;
SELECT sparselin_continue(m, '{1:1}/9', true) FROM (SELECT casgd_train('{1:1}/7', true) AS m) AS v;
SELECT sparselin_continue(m, '{8:1}', true) FROM (SELECT casgd_train('{1:1}/7', true) AS m) AS v;
SELECT sparselin_continue(m, x, y, -1) FROM many, by_part;
SELECT sparselin_continue(m, x, y) OVER () FROM many, by_part;
SELECT sparselin_continue('epochs=3', x, y) FROM many;
-- nor do they leave anything behind
SELECT sparselin_continue(m, x, y ORDER BY id)::text = min(whole::text) AS same
FROM many JOIN by_part USING (part) WHERE id > 1500 AND part = 0;

--
-- sparselin_merge
--

-- the mean of the weights and biases, weighted by steps: unequal parts, three of them, in any order
CREATE TEMP TABLE parts (learner text, options text, part int, m sparselin_model);
INSERT INTO parts
SELECT learner, options, part, learn(learner, options || ' settle=false', rows)
FROM (SELECT * FROM streams
      UNION SELECT learner, o FROM streams, unnest('{"",epochs=2 resumable=false,loss=hinge scale=std,loss=squared_hinge scale=maxabs intercept=false epochs=2}'::text[]) AS o) AS s,
     (VALUES (1, 'id % 10 < 3'), (2, 'id % 10 > 3 AND id <= 1500'), (3, 'id % 10 = 3 AND id < 400')) AS p (part, rows);
CREATE FUNCTION mean_distance(merged sparselin_model, models sparselin_model[]) RETURNS float8 LANGUAGE sql AS $$
    SELECT max(abs(coalesce(w.weight, 0) - coalesce(v.weight, 0))) / max(abs(v.weight))
    FROM (SELECT feature, sum(weight * steps) / max(total) AS weight
          FROM (SELECT m, i.steps, i.bias, sum(i.steps) OVER () AS total FROM unnest(models) AS m, sparselin_info(m) AS i) AS s,
               LATERAL (SELECT feature, weight FROM sparselin_weights(m) UNION ALL SELECT 0, bias) AS u
          GROUP BY feature) AS v
    FULL JOIN (SELECT feature, weight FROM sparselin_weights(merged) UNION ALL SELECT 0, (sparselin_info(merged)).bias) AS w
    USING (feature)
$$;
SELECT learner, options, distance
FROM (SELECT learner, options, mean_distance(m, models) AS distance
      FROM (SELECT learner, options, sparselin_merge(m ORDER BY part) AS m, array_agg(m) AS models
            FROM parts GROUP BY 1, 2
            UNION ALL SELECT learner, options, sparselin_merge(m ORDER BY -part), array_agg(m) FROM parts GROUP BY 1, 2
            UNION ALL SELECT learner, options, sparselin_merge(m ORDER BY part % 3), array_agg(m) FROM parts GROUP BY 1, 2
            UNION ALL SELECT learner, options, sparselin_merge(sparselin_compact(m)), array_agg(m) FROM parts GROUP BY 1, 2
            UNION ALL SELECT learner, options, sparselin_merge(m ORDER BY part), array_agg(m) FROM parts WHERE part < 3 GROUP BY 1, 2)
           AS s) AS d
WHERE (distance < 1e-12) IS NOT TRUE;
SELECT count(*), count(DISTINCT (learner, options)) AS kinds, min((sparselin_info(m)).nonzero) > 3 AS learned FROM parts;
-- counted together; what can go on still can
SELECT s.learner, rows = 1840 AS rows, steps = 1840 * epochs AS steps, resumable
FROM (SELECT learner, sparselin_merge(m) AS m FROM parts WHERE options LIKE '%sequential%' GROUP BY learner, options) AS s,
     sparselin_info(m) AS i
GROUP BY 1, 2, 3, 4 ORDER BY 1;
SELECT s.learner, i.rows - j.rows AS rows, i.resumable, model_distance(m, n) > 0 AS learned
FROM (SELECT learner, sparselin_merge(m) AS m FROM parts WHERE options ~ 'sequential $|lambda=1e-4( center=\S+0.01})?$' GROUP BY 1) AS s,
     go_on(m, 'id > 2500') AS n, sparselin_info(n) AS i, sparselin_info(m) AS j
ORDER BY 1;
-- going on and merging, over and over: the history stays short, and the model can still go on
CREATE FUNCTION rounds(times int) RETURNS sparselin_model LANGUAGE plpgsql AS $$
DECLARE
    m sparselin_model := learn('asgd', 'epochs=1 sampling=sequential lambda=1e-4 step_offset=10', 'id <= 3');
    n sparselin_model := m;
BEGIN
    FOR i IN 1..times LOOP
        SELECT sparselin_merge(v) INTO m FROM unnest(ARRAY[m, n]) AS v;
        m := go_on(m, 'id > 3 AND id <= 6');
    END LOOP;
    RETURN m;
END $$;
SELECT i.steps, i.resumable, count(*) <= 64 AS short, max(h.step) = i.steps AS whole,
       abs(sum(h.loss * (h.step - before)) / i.steps - i.progressive_loss) < 1e-9 AS mean, m::text::sparselin_model::text = m::text AS readable
FROM rounds(100) AS m, sparselin_info(m) AS i,
     LATERAL (SELECT step, loss, lag(step, 1, 0::bigint) OVER (ORDER BY step) AS before FROM sparselin_history(m)) AS h
GROUP BY 1, 2, 6, i.progressive_loss;
-- one model alone is given back; NULLs count for nothing; without a model, NULL
SELECT count(*), bool_and((merged::text = m::text) IS TRUE) AS same
FROM (SELECT m, (SELECT sparselin_merge(v.m) FROM (VALUES (NULL), (p.m), (NULL)) AS v(m)) AS merged FROM parts AS p) AS s;
SELECT sparselin_merge(m) IS NULL AS none FROM parts WHERE false;
SELECT sparselin_merge(NULL) IS NULL AS only_null FROM parts;
SELECT sparselin_merge(m ORDER BY part)::text
           = (SELECT sparselin_merge(v.m ORDER BY i)::text FROM (SELECT part AS i, m FROM parts WHERE learner = 'asgd' AND options = '' UNION ALL VALUES (0, NULL::sparselin_model), (9, NULL)) AS v) AS ignored
FROM parts WHERE learner = 'asgd' AND options = '';
-- options that differ are no obstacle, but the result cannot go on
SELECT i.learner, i.resumable, mean_distance(m, models) < 1e-12 AS mean
FROM (SELECT sparselin_merge(m) AS m, array_agg(m) AS models FROM parts WHERE learner = 'sgd' AND options NOT LIKE '%loss=%') AS s,
     sparselin_info(m) AS i;
-- who chose a setting is no obstacle, and what some of them were not given was not given; the order says nothing
SELECT i.resumable, m::jsonb -> 'given' AS given, m::jsonb -> 'given' = n::jsonb -> 'given' AS same_given, i.options = j.options AS same_options
FROM (SELECT compact, sparselin_merge(m ORDER BY o) AS m, sparselin_merge(m ORDER BY o DESC) AS n
      FROM (SELECT o, compact, CASE WHEN compact THEN sparselin_compact(m) ELSE m END AS m
            FROM (SELECT 1 AS o, asgd_train(x, y, 'lambda=1e-3 epochs=1 sampling=sequential') AS m FROM many
                  UNION ALL SELECT 2, asgd_train(x, y, 'lambda=1e-3 epochs=1 sampling=sequential seed=42') FROM many) AS v,
                 (VALUES (true), (false)) AS c (compact)) AS w
      GROUP BY compact) AS s,
     sparselin_info(m) AS i, sparselin_info(n) AS j
ORDER BY compact;
SELECT (sparselin_info(sparselin_merge(m ORDER BY o))).options = (sparselin_info(sparselin_merge(m ORDER BY o DESC))).options AS same
FROM (SELECT id % 2 AS o, asgd_train(x, y, CASE WHEN id % 2 = 0 THEN 'epochs=2'::sparselin_options ELSE 'epochs=3' END) AS m
      FROM many GROUP BY id % 2) AS v;
-- an open dimension goes with a known one
SELECT (sparselin_info(sparselin_merge(m))).dimension
FROM (SELECT asgd_train('{1:1}', true) AS m UNION ALL SELECT asgd_train('{1:1}/5', true)) AS v;
-- where all labels are 1, how the other class is written is left to the other models, as long as the model can go on
SELECT other, i.labels, i.rows, i.resumable, sparselin_classify(m, '{2:1}') AS classified
FROM unnest('{0,-1,1}'::int[]) AS other,
     LATERAL (SELECT sparselin_merge(s ORDER BY i) AS m
              FROM (SELECT 1 AS i, asgd_train('{1:1}', 1) AS s UNION ALL SELECT 3, asgd_train('{1:1}', 1)
                    UNION ALL SELECT 2, asgd_train(x, y) FROM (VALUES ('{2:1}'::sparsearray, other), ('{1:1}', 1)) AS w (x, y)) AS u) AS t,
     sparselin_info(m) AS i;
SELECT labels, resumable
FROM (SELECT sparselin_merge(s ORDER BY i) AS m
      FROM (SELECT 1 AS i, asgd_train('{1:1}', 1) AS s UNION ALL SELECT 2, asgd_train('{1:1}', 0, 'epochs=3')) AS u) AS t, sparselin_info(m);
SELECT sparselin_merge(m ORDER BY i)
FROM (SELECT 1 AS i, asgd_train('{1:1}', 1) AS m UNION ALL SELECT 2, asgd_train('{1:1}', 0) UNION ALL SELECT 3, asgd_train('{1:1}', -1)) AS v;
SELECT sparselin_merge(m ORDER BY i)
FROM (SELECT 1 AS i, sparselin_compact(asgd_train('{1:1}', 1)) AS m UNION ALL SELECT 2, asgd_train('{1:1}', 0)) AS v;
SELECT sparselin_merge(m ORDER BY i) FROM (SELECT 1 AS i, asgd_train('{1:1}', 1) AS m UNION ALL SELECT 2, asgd_train('{1:1}', true)) AS v;
-- errors name both
SELECT sparselin_merge(m ORDER BY learner DESC) FROM parts WHERE options = '' AND learner IN ('sgd', 'asgd') AND part = 1;
SELECT sparselin_merge(m ORDER BY options) FROM parts WHERE learner = 'asgd' AND part = 1;
SELECT sparselin_merge(m) FROM (SELECT asgd_train(x, y) AS m FROM many UNION ALL SELECT asgd_train(x, y::int) FROM many) AS v;
SELECT sparselin_merge(m) FROM (SELECT asgd_train('{1:1}/5', true) AS m UNION ALL SELECT asgd_train('{1:1}/6', true)) AS v;
SELECT sparselin_merge(m) FROM (SELECT '{"learner": "asgd", "loss": "hinge", "weights": {"3": 0.1}}'::sparselin_model AS m) AS v;
SELECT sparselin_merge(m) OVER () FROM parts;

--
-- sparselin_compact
--
SELECT count(*), bool_and((c.bytes < i.bytes OR NOT i.resumable) IS TRUE) AS smaller, bool_or(c.resumable) AS resumable,
       bool_and((model_distance(m, n) = 0) IS TRUE) AS same_weights,
       bool_and((SELECT bool_and((sparselin_predict(m, x) = sparselin_predict(n, x)) IS TRUE) FROM many WHERE id < 50)) AS same_predictions,
       bool_and(((i.rows, i.skipped, i.steps, i.epochs, i.lambda, i.options) = (c.rows, c.skipped, c.steps, c.epochs, c.lambda, c.options)) IS TRUE) AS same_facts,
       bool_and((sparselin_compact(n)::text = n::text) IS TRUE) AS once_is_enough, bool_and((n::jsonb = m::jsonb) IS TRUE) AS as_jsonb
FROM (SELECT m, sparselin_compact(m) AS n FROM parts) AS s, sparselin_info(m) AS i, sparselin_info(n) AS c;
SELECT sparselin_compact(NULL) IS NULL AS nothing;

DROP FUNCTION learn, go_on, rounds, model_distance, mean_distance;
