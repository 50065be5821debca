-- tf-idf in one call: scale => 'idf' and norm => 'l2', of which nothing is repeated where the model predicts

-- Rows of counts, some of them empty; word 40 is in every other row, words from 100 on are rare.
CREATE TEMP TABLE counts AS
SELECT i AS id, i % 3 AS part, (i * 7919) % 13 < 6 AS y, (ARRAY['red', 'green', 'blue'])[1 + i * 31 % 3] AS colour, i * 7 % 19 AS n,
       CASE WHEN i % 60 = 0 THEN '{}'::sparsearray
            ELSE (SELECT sparsearray_agg(f, v) FROM unnest(ARRAY[1 + i % 7, 8 + (i * 7919) % 13, 40, 100 + i % 90], ARRAY[1 + i % 5, 2, i % 2, 9]) AS u(f, v) WHERE v > 0)
       END AS x
FROM generate_series(1, 600) AS i;
CREATE TEMP TABLE tf_idf AS
SELECT casgd_train(x, y, 'scale=idf norm=l2' ORDER BY id) AS model, sparselin_idf(x) AS idf FROM counts;

-- the score from its definition: what the model keeps is what sparselin_idf says, and weights are for counts
SELECT count(*), max(abs(1 / s.value::float8 - sparsearray_get(idf, s.key::int))) < 1e-6 AS idf
FROM tf_idf, jsonb_each_text(model::jsonb->'scale') AS s;
CREATE FUNCTION score_by_hand(model sparselin_model, row_of sparsearray) RETURNS float8 LANGUAGE sql AS $$
    SELECT coalesce(sum(e.value * coalesce(w.weight, 0)) / nullif(sqrt(sum((e.value / s) ^ 2)), 0), 0) + (sparselin_info(model)).bias
    FROM sparsearray_entries(row_of) AS e LEFT JOIN sparselin_weights(model) AS w ON w.feature = e.index,
         LATERAL (SELECT CASE WHEN model::jsonb ? 'scale' THEN (model::jsonb->'scale'->>e.index::text)::float8 ELSE 1 END AS s) AS v
$$;
SELECT count(*), max(abs(sparselin_predict(model, x) - score_by_hand(model, x))) < 1e-12 AS as_defined FROM counts, tf_idf WHERE id % 20 < 3;
-- as in two statements, but for float4
SELECT max(abs(sparselin_predict(model, x) - sparselin_predict(m, sparsearray_normalize(sparsearray_multiply(x, idf))))) < 1e-5 AS same
FROM counts, tf_idf, (SELECT casgd_train(sparsearray_normalize(sparsearray_multiply(x, idf)), y ORDER BY id) AS m FROM counts, tf_idf) AS two;
-- how long a row is does not matter, words that training did not see do not count, and an empty row has the bias
SELECT sparselin_predict(model, x) = sparselin_predict(model, x * 1024) AS any_length,
       sparselin_predict(model, x) = sparselin_predict(model, x + '{5000:7,2147483647:1e30}') AS unseen,
       sparselin_predict(model, '{}') = (sparselin_info(model)).bias AS empty,
       sparselin_predict(model, '{5000:7}') = (sparselin_info(model)).bias AS nothing_seen
FROM counts, tf_idf WHERE id = 17;
-- without a scale they count
SELECT sparselin_predict(m, x) = sparselin_predict(m, x * 1024) AS any_length,
       abs(score_by_hand(m, x + '{5000:7}') - sparselin_predict(m, x + '{5000:7}')) < 1e-12 AS unseen_counts,
       sparselin_predict(m, x) <> sparselin_predict(m, x + '{5000:7}') AS and_matters, m::jsonb ? 'scale' AS scale
FROM counts, (SELECT casgd_train(x, y, 'norm=l2' ORDER BY id) AS m FROM counts) AS v WHERE id = 17;

-- all that applies a model takes counts
SELECT bool_and(abs(sparselin_probability(model, x) - 1 / (1 + exp(-sparselin_predict(model, x)))) < 1e-12) AS probability,
       bool_and(sparselin_decide(model, x) = (sparselin_predict(model, x) > 0)) AS decide,
       bool_and(sparselin_classify(model, x) = (sparselin_predict(model, x) > 0)::int) AS classify,
       bool_and(sparselin_class(model, x) = (sparselin_predict(model, x) > 0)::text) AS class
FROM counts, tf_idf;
SELECT max(abs(total - sparselin_predict(model, x))) < 1e-12 AS contributions_add_up, bool_and(as_learned) AS contribution
FROM counts, tf_idf,
     LATERAL (SELECT sum(contribution) AS total,
                     bool_and(coalesce(abs(contribution - value * weight / (SELECT sqrt(sum((e.value * sparsearray_get(idf, e.index::int)) ^ 2)) FROM sparsearray_entries(x) AS e)) < 1e-6, true)) AS as_learned
              FROM sparselin_explain(model, x)) AS e
WHERE id <= 60;
SELECT (e).rows, abs((e).loss - loss) < 1e-12 AS loss, (e).objective, (e).true_positives + (e).true_negatives = hits AS hits
FROM (SELECT sparselin_evaluate(model, x, y) AS e, avg(-ln(CASE WHEN y THEN p ELSE 1 - p END)) AS loss, count(*) FILTER (WHERE (p > 0.5) = y) AS hits
      FROM counts, tf_idf, sparselin_probability(model, x) AS p) AS v;
SELECT sum((c).rows) AS rows, sum((c).rows) FILTER (WHERE (c).actual = (c).predicted) = max(hits) AS hits
FROM (SELECT unnest(sparselin_confusion(model, x, y)) AS c, count(*) FILTER (WHERE sparselin_decide(model, x) = y) AS hits FROM counts, tf_idf) AS v;
-- words by themselves, one of which tells all
SET client_min_messages = warning;
CREATE TEMP TABLE words AS
SELECT i AS id, to_tsvector('simple', CASE WHEN i % 2 = 0 THEN 'win a free prize' ELSE 'see you at noon' END || ' today ' || md5(i::text)) AS body, i % 2 = 0 AS spam
FROM generate_series(1, 200) AS i;
CREATE TEMP TABLE filters AS SELECT sparselin_train(sparselin_features(body), spam, 'scale=idf norm=l2' ORDER BY id) AS model FROM words;
RESET client_min_messages;
SELECT abs(total - sparselin_predict(model, sparselin_features(body))) < 1e-12 AS adds_up, names
FROM filters, words, LATERAL (SELECT sum(contribution) AS total, string_agg(name, ' ' ORDER BY name) FILTER (WHERE length(name) < 20) AS names FROM sparselin_explain(model, body)) AS e
WHERE id = 2;
-- the rarer word weighs more than the one in all rows
SELECT s->>(SELECT feature::text FROM sparselin_names('today'::tsvector)) AS in_all_rows, (s->>(SELECT feature::text FROM sparselin_names('free'::tsvector)))::float8 < 0.8 AS in_half
FROM (SELECT model::jsonb->'scale' AS s FROM filters) AS v;

-- by name, from a query of raw counts
SELECT version, active, metric, round(value::numeric, 3) AS value FROM sparselin_fit('by tf-idf', 'SELECT x AS features, y AS label FROM pg_temp.counts', options => 'scale=idf norm=l2');
SELECT options ~ 'scale=idf norm=l2' AS options FROM sparselin_info('by tf-idf');
SELECT sparselin_predict('by tf-idf', x) = sparselin_predict('by tf-idf', x * 2) AS any_length FROM counts WHERE id = 17;
SELECT sparselin_drop('by tf-idf');

-- several classes, one against the rest and together; a number
SET client_min_messages = warning;
CREATE TEMP TABLE others AS
SELECT options, (SELECT casgd_train(x, colour, (options || ' scale=idf norm=l2')::sparselin_options ORDER BY id) FROM counts) AS model
FROM unnest('{loss=logistic,loss=multinomial,loss=hinge}'::text[]) AS options;
SELECT options, bool_and(c.score = d.score) AS any_length,
       max(abs(c.score - (SELECT sum(contribution) FROM sparselin_explain(model, x, NULL, c.class)))) < 1e-12 AS adds_up
FROM others, counts, LATERAL sparselin_classes(model, x) AS c JOIN sparselin_classes(model, x * 4096) AS d USING (class)
WHERE id BETWEEN 1 AND 9 GROUP BY options ORDER BY options;
SELECT options, sum((c).rows) AS rows FROM (SELECT options, unnest(sparselin_confusion(model, x, colour)) AS c FROM others, counts GROUP BY options) AS v GROUP BY 1 ORDER BY 1;
SELECT loss, max(abs(sparselin_predict(m, x) - score_by_hand(m, x))) < 1e-11 AS as_defined
FROM unnest('{squared,absolute,huber,quantile}'::text[]) AS loss,
     LATERAL (SELECT asgd_train(x, n, sparselin_options(loss => loss, scale => 'std', norm => 'l2') ORDER BY id) AS m FROM counts) AS v,
     (SELECT x FROM counts WHERE id < 20) AS c GROUP BY loss ORDER BY loss;
RESET client_min_messages;

-- every learner, with every scale
SELECT scale, count(*), bool_and((sparselin_info(model)).options LIKE '%norm=l2%') AS said, max(abs(sparselin_predict(model, x) - score_by_hand(model, x))) < 1e-10 AS as_defined
FROM unnest('{none,std,maxabs,idf}'::text[]) AS scale, LATERAL (SELECT sparselin_options(scale => scale, norm => 'l2', epochs => 2, sampling => 'shuffle') AS o) AS v,
     LATERAL (SELECT unnest(ARRAY[sgd_train(x, y, o ORDER BY id), asgd_train(x, y, o ORDER BY id), casgd_train(x, y, o ORDER BY id), onepass_train(x, y, o ORDER BY id),
                                  truncated_train(x, y, o ORDER BY id), elasticnet_train(x, y, o ORDER BY id)]) AS model FROM counts) AS w,
     (SELECT x FROM counts WHERE id < 10) AS c GROUP BY scale ORDER BY scale;
-- a search learns with what it has chosen
SELECT m::jsonb->'weights' = (SELECT casgd_train(x, y, ('lambda=' || (sparselin_info(m)).lambda || ' scale=idf norm=l2')::sparselin_options ORDER BY id)::jsonb->'weights' FROM counts) AS same,
       (SELECT count(*) >= 9 FROM sparselin_search(m)) AS tried
FROM (SELECT casgd_train(x, y, 'scale=idf norm=l2 search=true' ORDER BY id) AS m FROM counts) AS v;
-- rows that do not fit in memory
SET work_mem = '64kB';
SELECT (SELECT casgd_train(x, y, 'scale=idf norm=l2 sampling=sequential' ORDER BY id) FROM counts, generate_series(1, 10) AS g)::text
       = (SELECT casgd_train(x, y, 'scale=idf norm=l2 sampling=sequential' ORDER BY id) FROM counts, generate_series(1, 10) AS g)::text AS same;
RESET work_mem;

-- kept as text, as jsonb and in bytes, with or without what going on needs
SELECT model::text::sparselin_model::text = model::text AS text,
       model::jsonb::sparselin_model::jsonb = model::jsonb AS jsonb,
       (SELECT bool_and(sparselin_predict(sparselin_compact(model), x) = sparselin_predict(model, x)) FROM counts) AS compact,
       (SELECT bool_and(sparselin_predict(model::jsonb::sparselin_model, x) = sparselin_predict(model, x)) FROM counts) AS from_jsonb
FROM tf_idf;
CREATE TEMP TABLE sent (model bytea);
INSERT INTO sent SELECT sparselin_model_send(model) FROM tf_idf;
SELECT get_byte(model, 9) & 4 AS has_scale FROM sent;
-- going on: rows that come late bring words that come late, which are taken as they are and count from then on
CREATE TEMP TABLE later AS
SELECT sparselin_continue(model, x + '{7000:3}', y ORDER BY id) AS model FROM counts, tf_idf WHERE id <= 100;
SELECT (sparselin_info(model)).rows, model::jsonb->'scale'->>'7000' AS scale,
       (SELECT max(abs(sparselin_predict(model, x + '{7000:1}') - score_by_hand(model, x + '{7000:1}'))) < 1e-12 FROM counts WHERE id < 20) AS as_defined
FROM later;
-- a stream that is normalised goes on bit for bit
SELECT (SELECT sparselin_continue(m, x, y ORDER BY id) FROM counts WHERE id > 250)::text = (SELECT onepass_train(x, y, 'norm=l2' ORDER BY id)::text FROM counts) AS same
FROM (SELECT onepass_train(x, y, 'norm=l2' ORDER BY id) AS m FROM counts WHERE id <= 250) AS v;
SELECT asgd_train(x, y, 'norm=l2 epochs=1 sampling=sequential lambda=0.01' ORDER BY id) IS NOT NULL AS streams FROM counts;

-- merging: without a scale the mean, with one only where it is the same
SET client_min_messages = warning;
SELECT max(abs(sparselin_predict(merged, x) - mean)) < 1e-12 AS mean
FROM (SELECT sparselin_merge(m ORDER BY part) AS merged FROM (SELECT part, asgd_train(x, y, 'norm=l2 settle=false resumable=false' ORDER BY id) AS m FROM counts GROUP BY part) AS p) AS v,
     LATERAL (SELECT x, avg(sparselin_predict(m, x)) AS mean
              FROM (SELECT part, asgd_train(x, y, 'norm=l2 settle=false resumable=false' ORDER BY id) AS m FROM counts GROUP BY part) AS p, (SELECT x FROM counts WHERE id < 20) AS c GROUP BY x) AS w;
SELECT max(abs(sparselin_predict(merged, x) - sparselin_predict(model, x))) < 1e-12 AS its_own_mean
FROM (SELECT sparselin_merge(sparselin_compact(model)) AS merged FROM tf_idf, generate_series(1, 3)) AS v, tf_idf, counts;
RESET client_min_messages;
SELECT sparselin_merge(m ORDER BY part) FROM (SELECT part, asgd_train(x, y, 'scale=idf norm=l2' ORDER BY id) AS m FROM counts GROUP BY part) AS p;
SELECT sparselin_merge(m ORDER BY o) FROM (SELECT o, asgd_train(x, y, o::sparselin_options ORDER BY id) AS m FROM counts, unnest('{norm=l2,norm=none}'::text[]) AS o GROUP BY o) AS p;
-- parts of one query put their rows together; where they are too many for that it is an error
CREATE TABLE normalize_parted (id int, part int, x sparsearray, y boolean) PARTITION BY LIST (part);
CREATE TABLE normalize_part_0 PARTITION OF normalize_parted FOR VALUES IN (0);
CREATE TABLE normalize_part_1 PARTITION OF normalize_parted FOR VALUES IN (1, 2);
INSERT INTO normalize_parted SELECT id, part, x, y FROM counts ORDER BY id;
ANALYZE normalize_parted;
SET enable_partitionwise_aggregate = on;
SET cpu_tuple_cost = 10;
SET max_parallel_workers_per_gather = 0;
SELECT casgd_train(x, y, 'scale=idf norm=l2 sampling=sequential')::text
       = (SELECT casgd_train(x, y, 'scale=idf norm=l2 sampling=sequential')::text FROM (SELECT * FROM normalize_parted OFFSET 0) AS v) AS same
FROM normalize_parted;
SET sparselin.max_shipped_state = 0;
SELECT casgd_train(x, y, 'scale=idf norm=l2') FROM normalize_parted;
SET client_min_messages = error;
SELECT (sparselin_info(casgd_train(x, y, 'norm=l2'))).rows FROM normalize_parted;
RESET client_min_messages;
RESET sparselin.max_shipped_state;
RESET enable_partitionwise_aggregate;
RESET cpu_tuple_cost;
RESET max_parallel_workers_per_gather;
DROP TABLE normalize_parted;

-- numbers as large and as small as float4 has them, rows of one feature, features anywhere; the length is not out of reach
SELECT o, bool_and(sparselin_predict(m, x) BETWEEN -100 AND 100) AS finite
FROM (SELECT i, CASE i % 4 WHEN 0 THEN '{1:3.4e38,2:3.4e38,3:-3.4e38}' WHEN 1 THEN '{1:1e-45,3:1e-45}' WHEN 2 THEN '{2147483647:1e-45}' ELSE '{2:-3.4e38,2147483647:3.4e38}' END::sparsearray AS x, i % 3 = 0 AS y FROM generate_series(1, 40) AS i) AS r,
     LATERAL (SELECT o, (SELECT casgd_train(CASE j % 4 WHEN 0 THEN '{1:3.4e38,2:3.4e38,3:-3.4e38}' WHEN 1 THEN '{1:1e-45,3:1e-45}' WHEN 2 THEN '{2147483647:1e-45}' ELSE '{2:-3.4e38,2147483647:3.4e38}' END::sparsearray, j % 3 = 0, o::sparselin_options ORDER BY j) FROM generate_series(1, 40) AS j) AS m
              FROM unnest('{norm=l2,norm=l2 scale=std,norm=l2 scale=maxabs,norm=l2 scale=idf}'::text[]) AS o) AS v
GROUP BY o ORDER BY o;
-- rows that are all empty, and then some that are not
SELECT (sparselin_info(m)).nonzero, m::jsonb ? 'scale' AS scale, sparselin_predict(m, '{1:5}') = (sparselin_info(m)).bias AS bias
FROM (SELECT casgd_train('{}', i % 3 = 0, 'scale=std norm=l2' ORDER BY i) AS m FROM generate_series(1, 30) AS i) AS v;
SELECT (SELECT sparselin_continue(m, '{3:2,4:2}', i % 3 = 0 ORDER BY i) FROM generate_series(1, 30) AS i)::jsonb->'scale' AS scale
FROM (SELECT casgd_train('{}', i % 3 = 0, 'scale=std norm=l2' ORDER BY i) AS m FROM generate_series(1, 30) AS i) AS v;

-- options, by either name in text
SELECT 'normalize=l2 scale=idf'::sparselin_options, sparselin_options(scale => 'idf', norm => 'l2');
SELECT 'norm=l1'::sparselin_options;
SELECT 'norm=l2 normalize=l2'::sparselin_options;
SELECT sparselin_options(scale => 'tf');
SELECT asgd_train(x, y, 'scale=idf norm=l2 epochs=1 sampling=sequential lambda=auto' ORDER BY id) IS NOT NULL AS buffered FROM counts;

-- a model that was made elsewhere
SELECT sparselin_predict('{"learner":"sgd","loss":"logistic","options":"norm=l2","bias":0.5,"weights":{"1":1,"2":2}}'::sparselin_model, '{1:3,9:4}') AS by_length;
SELECT sparselin_predict('{"learner":"sgd","loss":"logistic","options":"normalize=l2 scale=std","weights":{"1":1},"scale":{"2":0.5,"1":1}}'::sparselin_model, '{1:3,2:2,9:4}') AS on_a_scale;
SELECT '{"learner":"sgd","loss":"logistic","options":"norm=l2 scale=std","weights":{"1":1}}'::sparselin_model;
SELECT '{"learner":"sgd","loss":"logistic","options":"norm=l2 scale=std","weights":{"1":1},"scale":{"2":1}}'::sparselin_model;
SELECT '{"learner":"sgd","loss":"logistic","options":"norm=l2","weights":{"1":1},"scale":{"1":1}}'::sparselin_model;
SELECT '{"learner":"sgd","loss":"logistic","options":"scale=std","weights":{"1":1},"scale":{"1":1}}'::sparselin_model;
SELECT '{"learner":"sgd","loss":"logistic","options":"norm=l2 scale=std","weights":{"1":1},"scale":[1]}'::sparselin_model;
SELECT '{"learner":"sgd","loss":"logistic","options":"norm=l2 scale=std","weights":{"1":1},"scale":{"1":0}}'::sparselin_model;
SELECT '{"learner":"sgd","loss":"logistic","options":"norm=l2 scale=std","weights":{"1":1},"scale":{"1":-2}}'::sparselin_model;
SELECT '{"learner":"sgd","loss":"logistic","options":"norm=l2 scale=std","weights":{"1":1},"scale":{"1":1e200}}'::sparselin_model;
SELECT '{"learner":"sgd","loss":"logistic","options":"norm=l2 scale=std","weights":{"1":1},"scale":{"1":"2"}}'::sparselin_model;
SELECT '{"learner":"sgd","loss":"logistic","options":"norm=l2 scale=std","weights":{"1":1},"scale":{"0":2}}'::sparselin_model;
SELECT '{"learner":"sgd","loss":"logistic","options":"norm=l2 scale=std","weights":{"1":1},"scale":{"1":2,"1":3}}'::sparselin_model;
SELECT '{"learner":"sgd","loss":"logistic","options":"norm=l2 scale=std","weights":{"1":1},"scale":{"2":1,"1":2,"2":3}}'::sparselin_model;
SELECT '{"learner":"sgd","loss":"logistic","options":"norm=l2 scale=std","dimension":3,"weights":{"1":1},"scale":{"1":1,"4":2}}'::sparselin_model;
DROP FUNCTION score_by_hand;
