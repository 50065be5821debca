-- onepass_train, truncated_train and elasticnet_train: what they have in common, and what is their own

-- one of the features of `noisy` is the label: each call would say so
SET client_min_messages = warning;
CREATE TEMP TABLE many AS
SELECT i AS id, i % 5 AS part,
       sparsearray(ARRAY[1 + i * 7 % 11, 20 + i * 13 % 29, 60 + i * i % 7]::bigint[], ARRAY[1, 0.5, i % 3 + 0.25]) AS x,
       CASE WHEN i * 7 % 11 + i * i % 7 > 7 THEN 1 ELSE -1 END::float8 AS y
FROM generate_series(1, 2500) i;
-- Three features that matter, and three of four hundred that do not.
CREATE TEMP TABLE noisy AS
SELECT i AS id, sparsearray(ARRAY[1 + i % 3, 10 + i * 37 % 400, 10 + (i * 91 + i / 50) % 400]::bigint[],
                            ARRAY[1, 0.5, 0.5]) AS x, i % 3 = 1 AS y
FROM generate_series(1, 3000) i WHERE (i * 37 - i * 91 - i / 50) % 400 <> 0;

-- A model of any learner.
CREATE FUNCTION learn(learner text, source text, options text, VARIADIC arguments text[] DEFAULT '{x,y}')
RETURNS sparselin_model LANGUAGE plpgsql AS $$
DECLARE
    m sparselin_model;
BEGIN
    IF options IS NOT NULL OR cardinality(arguments) > 2 THEN
        arguments := arguments[1:2] || (coalesce(quote_literal(options), 'NULL')) || arguments[3:];
    END IF;
    EXECUTE format('SELECT %s_train(%s ORDER BY id) FROM %s', learner, array_to_string(arguments, ', '), source) INTO m;
    RETURN m;
END $$;

-- The largest distance between two models, relative to the largest weight.
CREATE FUNCTION model_distance(a sparselin_model, b sparselin_model) RETURNS float8
LANGUAGE sql AS $$
    SELECT max(abs(coalesce(v.weight, 0) - coalesce(w.weight, 0))) / greatest(max(abs(v.weight)), max(abs(w.weight)))
    FROM (SELECT feature, weight FROM sparselin_weights(a) UNION ALL SELECT 0, (sparselin_info(a)).bias) v
    FULL JOIN (SELECT feature, weight FROM sparselin_weights(b) UNION ALL SELECT 0, (sparselin_info(b)).bias) w USING (feature)
$$;
CREATE FUNCTION model_weights(model sparselin_model) RETURNS text
LANGUAGE sql AS $$
    SELECT string_agg(feature || ':' || weight, ' ' ORDER BY feature) || ' bias ' || min((sparselin_info(model)).bias)
    FROM sparselin_weights(model)
$$;
CREATE FUNCTION accuracy(model sparselin_model, source text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    result float8;
BEGIN
    EXECUTE format('SELECT avg((sparselin_decide($1, x) = (y::text IN (''1'', ''true'')))::int) FROM %s', source)
    INTO result USING model;
    RETURN result;
END $$;
CREATE TEMP VIEW learners AS SELECT * FROM unnest('{onepass,truncated,elasticnet}'::text[]) AS learner;

-- every signature, no options and NULL for them; what means the same gives the same
SELECT i.learner, i.labels, i.rows, i.steps, i.epochs, count(*), count(DISTINCT model::text) AS different
FROM (SELECT ARRAY[onepass_train(x, y), onepass_train(x, y, NULL), onepass_train(x, y, NULL, 1),
                   onepass_train(x, y > 0), onepass_train(x, y > 0, NULL), onepass_train(x, y > 0, NULL, 1),
                   truncated_train(x, y), truncated_train(x, y, NULL), truncated_train(x, y, NULL, 1),
                   truncated_train(x, y > 0), truncated_train(x, y > 0, NULL), truncated_train(x, y > 0, NULL, 1),
                   elasticnet_train(x, y), elasticnet_train(x, y, NULL), elasticnet_train(x, y, NULL, 1),
                   elasticnet_train(x, y > 0), elasticnet_train(x, y > 0, NULL), elasticnet_train(x, y > 0, NULL, 1)]
             AS models
      FROM (SELECT * FROM many ORDER BY id) AS v) AS m, unnest(models) AS model, sparselin_info(model) AS i
GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2;

-- what has been decided is in the model: defaults, and what the rows said
SELECT i.learner, regexp_replace(i.options, 'average_start=\d+ ', '') AS options
FROM learners AS l, sparselin_info(learn(l.learner, 'many', NULL)) AS i;
SELECT (sparselin_info(learn('onepass', 'many', NULL))).options ~ 'average_start=[1-9]\d\d' AS start_was_found,
       (sparselin_info(learn('onepass', 'many WHERE id < 100', NULL))).options ~ 'average_start' AS not_before_100,
       (sparselin_info(learn('onepass', 'many', 'loss=squared'))).options ~ 'decay=0.66666666' AS two_thirds,
       (sparselin_info(learn('onepass', 'many', 'lambda=0.25'))).options ~ 'decay_rate=0.25' AS as_lambda;
-- given again, the options of a model give the same model
SELECT o.learner, o.options, i.options::sparselin_options::text = i.options AS reads_back,
       model_distance(m, learn(o.learner, 'many', i.options)) < 1e-9 AS same_model
FROM (VALUES ('onepass', NULL), ('onepass', 'epochs=3 sampling=shuffle average_start=50 decay=0.5 decay_rate=0.01'),
             ('onepass', 'loss=absolute lambda=0'), ('truncated', NULL),
             ('truncated', 'method=round threshold=0.05 clip_min=-2 clip_max=2 power=0 eta0=0.01'),
             ('truncated', 'gravity=0.01 truncate_every=7 threshold=0.5 loss=squared_hinge'),
             ('elasticnet', NULL), ('elasticnet', 'method=fobos l1=0.001 lambda=0 power=1 eta0=2 intercept=false'),
             ('elasticnet', 'loss=hinge l1=0 lambda=0.5 seed=7')) AS o (learner, options),
     learn(o.learner, 'many', o.options) AS m, sparselin_info(m) AS i;

-- by hand: one feature, squared loss, constant steps of 1/2, no bias
CREATE TEMP TABLE ones AS SELECT i AS id, '{1:1}'::sparsearray AS x, 1 AS y FROM generate_series(1, 4) AS i;
SELECT learner, rows, options, wanted, abs(w.weight - wanted) < 1e-15 AS found
FROM (VALUES ('onepass', 1, 'gamma0=0.5 lambda=0.5 decay_rate=0 average_start=9', 0.5),
             ('onepass', 2, 'gamma0=0.5 lambda=0.5 decay_rate=0 average_start=9', 0.625),
             ('onepass', 2, 'gamma0=0.5 lambda=0.5 decay_rate=0 average_start=1', 0.625),
             ('onepass', 2, 'gamma0=0.5 lambda=0.5 decay_rate=0 average_start=0', 0.5625),
             ('truncated', 1, 'gravity=0.25 truncate_every=1', 0.375),
             ('truncated', 2, 'gravity=0.25 truncate_every=1', 0.5625),
             ('truncated', 2, 'gravity=0.25 truncate_every=2', 0.5),
             ('truncated', 2, 'gravity=0.25 truncate_every=3', 0.75),
             ('truncated', 2, 'gravity=0.25 truncate_every=2 threshold=0.7', 0.75),
             ('truncated', 2, 'gravity=0.25 truncate_every=1 threshold=0.5', 0.6875),
             ('truncated', 3, 'method=round truncate_every=2 threshold=0.7', 0.875),
             ('truncated', 3, 'method=round truncate_every=2 threshold=0.75', 0.5),
             ('truncated', 3, 'gravity=0 clip_min=0 clip_max=0', 1.5),
             ('truncated', 3, 'gravity=0 clip_min=2', -1.5),
             ('elasticnet', 1, 'l1=0.25 lambda=0.5', 0.25), ('elasticnet', 2, 'l1=0.25 lambda=0.5', 0.34375),
             ('elasticnet', 1, 'l1=0.25 lambda=0.5 method=fobos', 0.3),
             ('elasticnet', 2, 'l1=0.25 lambda=0.5 method=fobos', 0.42),
             ('elasticnet', 4, 'l1=0 lambda=0', 0.9375)) AS v (learner, rows, options, wanted),
     sparselin_weights(learn(learner, 'ones WHERE id <= ' || rows,
         'loss=squared intercept=false epochs=1 sampling=sequential '
         || CASE learner WHEN 'onepass' THEN '' ELSE 'eta0=0.5 power=0 ' END || options)) AS w;

-- where nothing regularises and nothing is averaged they are all the same
SELECT loss, epochs, max(model_distance(a, b)) < 1e-9 AS same, min((sparselin_info(a)).nonzero) AS nonzero
FROM unnest('{logistic,hinge,squared_hinge,squared,absolute}'::text[]) AS loss, (VALUES (1), (3)) AS e (epochs),
     LATERAL (VALUES ('onepass', 'decay=0 lambda=0 gamma0=0.05 average_start=1e9'),
                     ('truncated', 'gravity=0 power=0 eta0=0.05'),
                     ('truncated', 'method=round threshold=0 power=0 eta0=0.05'),
                     ('elasticnet', 'l1=0 lambda=0 power=0 eta0=0.05'),
                     ('elasticnet', 'l1=0 lambda=0 power=0 eta0=0.05 method=fobos')) AS o (learner, options),
     format('loss=%s epochs=%s sampling=shuffle ', loss, epochs) AS common,
     learn(learner, 'many', common || options) AS a,
     learn('elasticnet', 'many', common || 'l1=0 lambda=0 power=0 eta0=0.05') AS b
GROUP BY 1, 2 ORDER BY 1, 2;

-- onepass streams with no options at all: each row once, in the order of arrival, and no file
SELECT (sparselin_info(m)).steps,
       m::jsonb - 'given' = learn('onepass', 'many', 'epochs=1 sampling=sequential')::jsonb - 'given' AS sequential,
       model_weights(m) <> (SELECT model_weights(onepass_train(x, y ORDER BY id DESC)) FROM many) AS order_matters,
       model_weights(m) <> model_weights(learn('onepass', 'many', 'sampling=shuffle')) AS shuffle_matters,
       (sparselin_info(learn('onepass', 'many', 'epochs=4'))).steps AS more_epochs
FROM learn('onepass', 'many', NULL) AS m;
SELECT n, model_distance(learn('onepass', 'many WHERE id <= ' || n, NULL),
           learn('onepass', 'many WHERE id <= ' || n,
                 'gamma0=' || substring((sparselin_info(learn('onepass', 'many WHERE id <= 1000', NULL))).options
                                        FROM 'gamma0=(\S+)'))) < 1e-9 AS first_rows_decide
FROM unnest('{1000,1001,2500}'::int[]) AS n;
CREATE TEMP VIEW often AS
SELECT x, y FROM many UNION ALL SELECT x, y FROM many UNION ALL SELECT x, y FROM many UNION ALL SELECT x, y FROM many;
SET work_mem = '256kB';
SET temp_file_limit = 0;
\set VERBOSITY sqlstate
SELECT (sparselin_info(onepass_train(x, y))).rows FROM often;
SELECT (sparselin_info(truncated_train(x, y, 'epochs=1 sampling=sequential'))).rows FROM often;
SELECT (sparselin_info(elasticnet_train(x, y, 'epochs=1 sampling=sequential'))).rows FROM often;
SELECT onepass_train(x, y, 'sampling=shuffle') FROM often;
SELECT truncated_train(x, y) FROM often;
SELECT elasticnet_train(x, y) FROM often;
SET work_mem = '64kB';
SELECT (sparselin_info(onepass_train(x, y, 'gamma0=0.1'))).rows FROM often;
\set VERBOSITY default
RESET temp_file_limit;
-- with a file: the same model to the last bit where the order is the same, and as good a one where it is not
CREATE TEMP TABLE spilled AS
SELECT learner, sampling, learn(learner, 'many', 'epochs=3 sampling=' || sampling) AS m
FROM learners, unnest('{sequential,replacement,shuffle}'::text[]) AS sampling;
RESET work_mem;
SELECT learner, sampling, model_weights(m) = model_weights(in_memory) AS same, accuracy(m, 'many') > 0.9 AS good,
       abs(accuracy(m, 'many') - accuracy(in_memory, 'many')) < 0.02 AS as_good
FROM spilled, learn(learner, 'many', 'epochs=3 sampling=' || sampling) AS in_memory;

-- sparse models: fewer weights the stronger the pull, and those that matter stay
SELECT learner, options, (sparselin_info(m)).nonzero,
       (SELECT count(*) FROM sparselin_weights(m) WHERE feature <= 3) AS that_matter,
       round(accuracy(m, 'noisy')::numeric, 2) AS accuracy,
       (sparselin_info(m)).bytes < 700 + 12 * (sparselin_info(m)).nonzero AS small
FROM (VALUES ('truncated', 'gravity=0'), ('truncated', 'gravity=0.001'), ('truncated', 'gravity=0.01'),
             ('truncated', 'gravity=0.03'), ('truncated', 'gravity=0.03 threshold=0.001'),
             ('truncated', 'method=round threshold=0.01'), ('truncated', 'method=round threshold=0.1'),
             ('truncated', 'method=round threshold=0.1 truncate_every=100'),
             ('elasticnet', 'l1=0'), ('elasticnet', 'l1=0.001'), ('elasticnet', 'l1=0.01'), ('elasticnet', 'l1=0.03'),
             ('elasticnet', 'l1=0.001 method=fobos'), ('elasticnet', 'l1=0.03 method=fobos'),
             ('elasticnet', 'l1=1000'), ('truncated', 'gravity=1000'),
             ('truncated', 'gravity=1e308 truncate_every=1')) AS o (learner, options),
     learn(learner, 'noisy', 'resumable=false ' || options) AS m;
-- rounding leaves nothing up to the threshold
SELECT min(abs(weight)) > 0.1 FROM sparselin_weights(learn('truncated', 'noisy', 'method=round threshold=0.1'));
-- no regularisation at all, and a lot of it
SELECT learner, accuracy(learn(learner, 'noisy', 'lambda=0' || options), 'noisy') > 0.99 AS none,
       (SELECT coalesce(max(abs(weight)), 0) < 1e-6
        FROM sparselin_weights(learn(learner, 'noisy', 'lambda=1e300' || options)::text::sparselin_model)) AS a_lot,
       (SELECT coalesce(max(abs(weight)), 0) < 1e-6
        FROM sparselin_weights(learn(learner, 'noisy', 'lambda=1.7e308' || options)::text::sparselin_model)) AS most
FROM (VALUES ('onepass', ''), ('elasticnet', ' method=fobos')) AS v (learner, options);

-- NULLs and weights of 0 are skipped and counted; no rows: NULL
CREATE TEMP TABLE holes AS
SELECT id, x, y, 1::float8 AS w FROM many WHERE id <= 300
UNION ALL VALUES (0, NULL::sparsearray, 1::float8, 1), (7, '{1:99}', NULL, 1), (8, '{1:99}', -1, NULL),
                 (9, '{7:99}', -1, 0);
SELECT learner, (sparselin_info(m)).rows, (sparselin_info(m)).skipped,
       model_weights(m) = model_weights(learn(learner, 'many WHERE id <= 300', NULL)) AS as_without
FROM learners, learn(learner, 'holes', NULL, 'x', 'y', 'w') AS m;
SELECT learner, learn(learner, 'many WHERE false', NULL) IS NULL AS no_rows,
       learn(learner, 'many', NULL, 'NULL::sparsearray', 'y') IS NULL AS no_features,
       learn(learner, 'many', NULL, 'x', 'NULL::boolean') IS NULL AS no_labels,
       learn(learner, 'many', NULL, 'x', 'y', '0') IS NULL AS no_weight
FROM learners;
-- one that weighs 2 takes a step of twice the size
SELECT learner, model_weights(learn(learner, 'ones WHERE id = 1', options, 'x', 'y', '2')) AS twice
FROM (VALUES ('onepass', 'loss=absolute gamma0=0.25 lambda=0 decay=0'),
             ('truncated', 'loss=absolute gravity=0 eta0=0.25 epochs=1'),
             ('elasticnet', 'loss=absolute l1=0 lambda=0 eta0=0.25 epochs=1')) AS v (learner, options);

-- what applies to a model applies to these
SELECT i.learner, i.labels, sparselin_classify(m, '{2:1}') AS yes, sparselin_classify(m, '{1:1}') AS no,
       sparselin_decide(m, '{2:1}') AS decided, sparselin_decide(m, '{2:1}', 0.99999) AS surely,
       abs(sparselin_probability(m, '{2:1,500:3}') - 1 / (1 + exp(-sparselin_predict(m, '{2:1}')))) < 1e-15 AS odds,
       abs(sparselin_predict(m, '{3:2}') - i.bias - 2 * w.weight) < 1e-12 AS weights,
       (SELECT max(step) = i.steps AND count(*) > 9 FROM sparselin_history(m)) AS history,
       i.progressive_loss < 0.7 AS progress, i.resumable, i.dimension
FROM learners AS l, unnest(ARRAY[learn(l.learner, 'noisy', NULL), learn(l.learner, 'noisy', NULL, 'x', 'y::int'),
                                 learn(l.learner, 'noisy', NULL, 'x', '2 * y::int - 1')]) AS m,
     sparselin_info(m) AS i, sparselin_weights(m) AS w WHERE feature = 3;
SELECT sparselin_probability(onepass_train(x, y, 'loss=hinge'), '{}') FROM noisy;
SELECT sparselin_classify(elasticnet_train(x, y, 'loss=absolute'), '{}') FROM noisy;
-- other losses; regression
CREATE TEMP TABLE line AS
SELECT i AS id, sparsearray(ARRAY[1], ARRAY[i / 10.0]) AS x, 2 * i / 10.0 + 1.5 AS y FROM generate_series(-20, 50) AS i;
SELECT l.learner, i.loss, i.labels, abs(sparselin_predict(m, '{1:2}') - 5.5) < 0.1 AS near
FROM (VALUES ('onepass', 'lambda=1e-3'), ('truncated', 'eta0=0.05'), ('elasticnet', 'eta0=0.05'))
         AS l (learner, options),
     unnest('{squared,absolute}'::text[]) AS loss,
     learn(l.learner, 'line', format('loss=%s epochs=200 sampling=shuffle %s', loss, l.options)) AS m,
     sparselin_info(m) AS i;
SELECT learner, loss, accuracy(learn(learner, 'noisy', 'loss=' || loss), 'noisy') > 0.95 AS good
FROM learners, unnest('{logistic,hinge,squared_hinge}'::text[]) AS loss;

-- text, jsonb and back, to the last bit; without the resume state
CREATE TEMP TABLE kept AS
SELECT learner || ' ' || coalesce(options, '') AS name, learn(learner, source, options) AS m
FROM learners, (VALUES ('many', 'epochs=2'), ('noisy', 'resumable=false'), ('noisy WHERE id < 20', NULL),
                       ('many', 'loss=hinge')) AS v (source, options);
SELECT count(*), bool_and((m::text::sparselin_model::text = m::text) IS TRUE) AS text,
       bool_and((sparselin_model_send(m::text::sparselin_model) = sparselin_model_send(m)) IS TRUE) AS bytes,
       bool_and((m::jsonb::sparselin_model::jsonb = m::jsonb) IS TRUE) AS json,
       bool_and((model_weights(m::jsonb::sparselin_model) = model_weights(m)) IS TRUE) AS weights,
       bool_or((sparselin_info(m::jsonb::sparselin_model)).resumable) AS resumable
FROM kept;
SELECT m::jsonb -> 'learner' AS learner, m::jsonb -> 'lambda' AS lambda, m::jsonb ? 'resume' AS resume, count(*)
FROM kept GROUP BY 1, 2, 3 ORDER BY 1;
-- one that was trained elsewhere
SELECT i.learner, i.options, i.nonzero, sparselin_predict(m, '{3:2}')
FROM learners AS l, format('{"learner": "%s", "loss": "hinge", "weights": {"3": 0.5}}', l.learner) AS text,
     CAST(text AS sparselin_model) AS m, sparselin_info(m) AS i;

-- groups under way together: each as alone
SET enable_sort = off;
CREATE TEMP TABLE grouped AS
SELECT part, onepass_train(x, y) AS onepass, truncated_train(x, y) AS truncated, elasticnet_train(x, y) AS elasticnet
FROM (SELECT * FROM many ORDER BY id) AS v GROUP BY part;
RESET enable_sort;
SELECT part, model_weights(onepass) = model_weights(learn('onepass', 'many WHERE part = ' || part, NULL)) AS onepass,
       model_weights(truncated) = model_weights(learn('truncated', 'many WHERE part = ' || part, NULL)) AS truncated,
       model_weights(elasticnet) = model_weights(learn('elasticnet', 'many WHERE part = ' || part, NULL)) AS elasticnet
FROM grouped ORDER BY part;
-- a grid in one query, by the options
SELECT o, (sparselin_info(elasticnet_train(x, y, o ORDER BY id))).nonzero
FROM noisy, (VALUES ('l1=0.001'::sparselin_options), ('l1=0.01'), ('l1=0.1')) AS v (o) GROUP BY o ORDER BY o;

-- scale and class_weight are everybody's
SELECT learner, model_distance(learn(learner, 'many', 'scale=std'), m) > 0.01 AS std,
       model_distance(learn(learner, 'many', 'scale=maxabs'), m) > 0.01 AS maxabs,
       model_distance(learn(learner, 'many', 'class_weight=balanced'), m) > 0.01 AS balanced,
       model_weights(learn(learner, 'many', 'scale=none class_weight=none')) = model_weights(m) AS none_is_none
FROM learners, learn(learner, 'many', NULL) AS m;

DROP FUNCTION learn, model_distance, model_weights, accuracy;
