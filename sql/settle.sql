-- Settling: F never rises, probabilities are right on the mean, and all that a settled model is used for

CREATE TEMP TABLE sms (id serial, label float8, body text);
\copy sms (label, body) FROM PROGRAM 'gzip -dc demo/sms_spam.train.tsv.gz' (FORMAT csv, DELIMITER E'\t', QUOTE E'\b')
CREATE TEMP TABLE rows_of AS
SELECT 'spam' AS what, id, sparselin_features(to_tsvector('simple', body)) AS x, label AS y, 1 + id % 4 AS w FROM sms WHERE id <= 1500
UNION ALL
SELECT 'length', id, sparselin_features(to_tsvector('simple', body)), length(body) / 50.0, 1 + id % 4 FROM sms WHERE id <= 1500;
CREATE FUNCTION learn(learner text, options text, what text, weighted boolean DEFAULT false)
RETURNS sparselin_model LANGUAGE plpgsql AS $$
DECLARE
    m sparselin_model;
BEGIN
    EXECUTE format('SELECT %s_train(x, y, %L%s ORDER BY id) FROM rows_of WHERE what = %L', learner, options,
                   CASE WHEN weighted THEN ', w' ELSE '' END, what) INTO m;
    RETURN m;
END $$;
-- F, with what gravity pulls at as the price of weights that has no place in the objective.
CREATE FUNCTION f(model sparselin_model, the_rows text, weighted boolean) RETURNS float8 LANGUAGE sql AS $$
    SELECT (sparselin_evaluate(model, x, y, CASE WHEN weighted THEN w ELSE 1 END)).objective
           + CASE WHEN (sparselin_info(model)).learner = 'truncated'
                  THEN 1e-4 * (SELECT sum(abs(weight)) FROM sparselin_weights(model)) ELSE 0 END
    FROM rows_of WHERE what = the_rows
$$;
SET client_min_messages = warning;
CREATE TEMP TABLE settled AS
SELECT learner, loss, what, weighted, b, m
FROM unnest('{sgd,asgd,casgd,onepass,truncated,elasticnet}'::text[]) AS learner,
     (VALUES ('logistic', 'spam'), ('squared_hinge', 'spam'), ('squared', 'length'), ('absolute', 'length'), ('huber', 'length'),
             ('quantile', 'length')) AS losses (loss, what),
     unnest('{false,true}'::boolean[]) AS weighted,
     LATERAL format('loss=%s epochs=2 sampling=shuffle %s settle=', loss, CASE WHEN learner IN ('truncated', 'elasticnet') THEN 'eta0=0.02' END) AS o,
     learn(learner, o || 'false', what, weighted) AS b, learn(learner, o || 'true', what, weighted) AS m;

-- F is lower, or the same to rounding
SELECT count(*), count(*) FILTER (WHERE f(m, what, weighted) < f(b, what, weighted)) > 60 AS lower
FROM settled;
SELECT learner, loss, weighted, f(b, what, weighted) AS before, f(m, what, weighted) AS after
FROM settled WHERE (f(m, what, weighted) <= f(b, what, weighted) * (1 + 1e-12)) IS NOT TRUE;
-- the weights are the same but for one factor, and for absolute and quantile the same
SELECT count(*), bool_and((max_ratio - min_ratio) < 1e-12 * abs(max_ratio)) AS one_scale,
       bool_and(max_ratio = 1) FILTER (WHERE loss IN ('absolute', 'quantile')) AS bias_alone
FROM (SELECT learner, loss, weighted, max(v.weight / w.weight) AS max_ratio, min(v.weight / w.weight) AS min_ratio
      FROM settled, sparselin_weights(m) AS v JOIN sparselin_weights(b) AS w USING (feature) GROUP BY 1, 2, 3) AS ratios;
-- the mean probability is the share of positives, less what the price of the bias holds back
SELECT settled.learner, weighted, abs(mean - share + price) < 1e-9 AS right_on_the_mean
FROM settled, sparselin_info(m) AS i,
     LATERAL (SELECT sum(w * sparselin_probability(m, x)) / sum(w) AS mean, sum(w * y)::float8 / sum(w) AS share,
                     CASE WHEN i.learner IN ('truncated', 'elasticnet') THEN 0
                          ELSE i.lambda * (m::jsonb ->> 'centred_bias')::float8 * count(*) / sum(w) END AS price
              FROM (SELECT x, (y > 0)::int AS y, CASE WHEN weighted THEN rows_of.w ELSE 1 END AS w
                    FROM rows_of WHERE what = 'spam') AS r) AS s
WHERE settled.loss = 'logistic' ORDER BY 1, 2;
-- squared: the mean estimate is the mean label; a quantile lies above its share of labels
SELECT learner, abs(mean) < 1e-9 AS right_on_the_mean
FROM settled, LATERAL (SELECT avg(sparselin_predict(m, x) - y) AS mean FROM rows_of WHERE what = 'length') AS v
WHERE loss = 'squared' AND learner IN ('truncated', 'elasticnet') AND NOT weighted ORDER BY 1;
SELECT q, count(*) FILTER (WHERE y < p - 1e-9) <= q * count(*) AS no_more, count(*) FILTER (WHERE y <= p + 1e-9) >= q * count(*) AS no_less
FROM (SELECT q, y, sparselin_predict(m, x) AS p
      FROM unnest('{0.1,0.5,0.9}'::float8[]) AS q,
           learn('truncated', format('loss=quantile quantile=%s', q), 'length') AS m, rows_of WHERE what = 'length') AS v
GROUP BY q ORDER BY q;
RESET client_min_messages;

-- what the model says of it: by itself, asked for, not asked for, and where it cannot be
SELECT options, substring((sparselin_info(m)).options FROM 'settle=\w+') AS settled, (m::jsonb -> 'given') ? 'settle' AS given
FROM unnest('{"",settle=true,settle=false,loss=hinge,epochs=1,"epochs=1 sampling=sequential lambda=0.01",intercept=false}'::text[])
         WITH ORDINALITY AS o (options, place), learn('asgd', options, 'spam') AS m ORDER BY place;
SELECT substring((sparselin_info(m)).options FROM 'settle=\w+') AS one_class, substring((sparselin_info(n)).options FROM 'settle=\w+') AS price
FROM (SELECT elasticnet_train(x, true, 'settle=true') AS m, asgd_train(x, true) AS n FROM rows_of WHERE what = 'spam') AS v;
SELECT substring((sparselin_info(m)).options FROM 'settle=\w+') AS two, substring((sparselin_info(n)).options FROM 'settle=\w+') AS three
FROM (SELECT asgd_train(x, (id % 2)::text) AS m, asgd_train(x, (id % 3)::text) AS n FROM rows_of WHERE what = 'spam') AS v;
-- errors
SELECT learn('onepass', 'settle=true', 'spam');
SELECT learn('asgd', 'settle=true epochs=1 sampling=sequential lambda=0.1', 'spam');
SELECT learn('asgd', 'settle=true loss=hinge', 'spam');
SELECT learn('truncated', 'settle=true method=round threshold=0.01', 'spam');
SELECT learn('truncated', 'settle=true gravity=0', 'spam');
SELECT learn('onepass', 'settle=true lambda=0 epochs=2', 'spam');
SELECT learn('asgd', 'settle=true loss=quantile intercept=false', 'length');
SELECT asgd_train(x, (id % 3)::text, 'settle=true') FROM rows_of WHERE what = 'spam';
SELECT asgd_train(x, (id % 2)::text, 'settle=true loss=multinomial') FROM rows_of WHERE what = 'spam';

-- in a file, with and without room for the scores: the same model, bit for bit
CREATE TEMP TABLE in_memory AS
SELECT learner, loss, learn(learner, o, what)::text AS m
FROM unnest('{casgd,elasticnet}'::text[]) AS learner, (VALUES ('logistic', 'spam'), ('quantile', 'length')) AS l (loss, what),
     format('loss=%s epochs=2 sampling=sequential', loss) AS o;
SET work_mem = '64kB';
SELECT learner, loss, m = learn(learner, format('loss=%s epochs=2 sampling=sequential', loss), CASE loss WHEN 'logistic' THEN 'spam' ELSE 'length' END)::text AS same
FROM in_memory ORDER BY 1, 2;
SET work_mem = '256kB';
SELECT learner, loss, m = learn(learner, format('loss=%s epochs=2 sampling=sequential', loss), CASE loss WHEN 'logistic' THEN 'spam' ELSE 'length' END)::text AS same
FROM in_memory ORDER BY 1, 2;
RESET work_mem;

-- in groups each on its own
SELECT id % 3 AS part, asgd_train(x, y ORDER BY id)::text = (SELECT asgd_train(x, y ORDER BY id)::text FROM rows_of AS r WHERE what = 'spam' AND r.id % 3 = max(rows_of.id) % 3) AS same
FROM rows_of WHERE what = 'spam' GROUP BY 1 ORDER BY 1;

-- going on and merging are from what the models were before; a merged model is not settled, which is said once
CREATE TEMP TABLE parts AS
SELECT id % 3 AS part, asgd_train(x, y ORDER BY id) AS m, asgd_train(x, y, 'settle=false' ORDER BY id) AS b FROM rows_of WHERE what = 'spam' GROUP BY 1;
SELECT count(*), bool_and(merged::jsonb -> 'weights' = merged_before::jsonb -> 'weights' AND merged::jsonb -> 'bias' = merged_before::jsonb -> 'bias') AS same,
       count(DISTINCT substring((sparselin_info(merged)).options FROM 'settle=\w+')) AS options
FROM (SELECT part < 2, sparselin_merge(m ORDER BY part) AS merged, sparselin_merge(b ORDER BY part) AS merged_before
      FROM parts, generate_series(1, 2) GROUP BY 1) AS v;
SELECT sparselin_merge(m)::text = min(m::text) AS alone FROM parts WHERE part = 0;
SELECT abs((sparselin_info(merged)).bias - mean) < 1e-12 AS as_they_are, substring((sparselin_info(merged)).options FROM 'settle=\w+') AS settled
FROM (SELECT sparselin_merge(sparselin_compact(m)) AS merged, avg((sparselin_info(m)).bias) AS mean FROM parts) AS v;
SELECT substring((sparselin_info(n)).options FROM 'settle=\w+') AS settled, (sparselin_info(n)).bias <> (sparselin_info(nb)).bias AS over_new_rows,
       abs((SELECT avg(sparselin_probability(n, x)) - avg((y > 0)::int) FROM rows_of WHERE what = 'spam' AND id % 3 = 1)
           + (sparselin_info(n)).lambda * (sparselin_info(n)).bias) < 1e-9 AS right_on_the_mean
FROM (SELECT sparselin_continue(m, x, y ORDER BY id) AS n, sparselin_continue(b, x, y ORDER BY id) AS nb
      FROM parts, rows_of WHERE part = 0 AND what = 'spam' AND id % 3 = 1) AS v;
SELECT sparselin_continue(m, x, CASE WHEN false THEN y END)::jsonb -> 'weights' = min(m::text)::jsonb -> 'weights' AS no_new_rows
FROM parts, rows_of WHERE part = 0 AND what = 'spam';
SELECT m::text::sparselin_model::text = m::text AS text, sparselin_predict(sparselin_compact(m), x) = sparselin_predict(m, x) AS compact
FROM parts, rows_of WHERE part = 0 AND what = 'spam' AND id = 1;

-- a stream whose rows come sorted by label: said once, in whatever order and of whatever labels; not where they are mixed
SELECT 'sorted' AS rows, count(m) FROM (SELECT onepass_train(x, y ORDER BY y, id) AS m FROM rows_of WHERE what = 'spam' GROUP BY id % 2) AS v;
SELECT 'falling' AS rows, asgd_train(x, y > 0, 'epochs=1 sampling=sequential lambda=0.01' ORDER BY y DESC, id) IS NOT NULL AS learned FROM rows_of WHERE what = 'spam';
SELECT 'texts' AS rows, onepass_train(x, (id % 5)::text, 'classes={0,1,2,3,4}' ORDER BY id % 5) IS NOT NULL AS learned FROM rows_of WHERE what = 'spam';
SELECT 'mixed' AS rows, onepass_train(x, y ORDER BY id) IS NOT NULL AS learned FROM rows_of WHERE what = 'spam';
SELECT 'kept' AS rows, asgd_train(x, y ORDER BY y, id) IS NOT NULL AS learned FROM rows_of WHERE what = 'spam';
SELECT 'numbers' AS rows, onepass_train(x, y, 'loss=squared' ORDER BY y, id) IS NOT NULL AS learned FROM rows_of WHERE what = 'length';

DROP FUNCTION learn, f;
