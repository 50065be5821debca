-- sparselin_evaluate: its numbers, and that they do not depend on how rows come

SET max_parallel_workers_per_gather = 0;
-- The score is the value of the one feature; 101 different ones, so that there are ties.
CREATE TABLE judged AS
SELECT i AS id, i % 3 AS part, sparsearray(ARRAY[1], ARRAY[(i * 7919 % 101 - 40) / 16.0]) AS x,
       i::bigint * 104729 % 211 < 90 + i * 7919 % 101 AS y,
       2 * (i * 7919 % 101 - 40) / 16.0 + i * 31 % 17 / 4.0 - 3 AS number, 0.25 + i % 5 * 0.75 AS weight
FROM generate_series(1, 2000) AS i;
CREATE FUNCTION identity(loss text, labels text DEFAULT NULL) RETURNS sparselin_model LANGUAGE sql IMMUTABLE AS $$
    SELECT sparselin_model(jsonb_build_object('learner', 'sgd', 'loss', loss, 'weights', '{"1":1}'::jsonb)
                           || CASE WHEN labels IS NULL THEN '{}' ELSE jsonb_build_object('labels', labels) END)
$$;
-- The largest difference of the numbers, relative; infinite where one is NULL and the other is not, or there are none.
CREATE FUNCTION difference(a sparselin_evaluation, b sparselin_evaluation) RETURNS float8 LANGUAGE sql AS $$
    SELECT coalesce(max(CASE WHEN x IS NULL AND y IS NULL THEN 0
                             WHEN x IS NULL OR y IS NULL THEN 'Infinity'
                             WHEN x = y THEN 0 ELSE abs(x - y) / greatest(abs(x), abs(y)) END), 'Infinity')
    FROM (SELECT key, value::text::float8 AS x FROM jsonb_each(jsonb_strip_nulls(to_jsonb(a)))) AS v
    FULL JOIN (SELECT key, value::text::float8 AS y FROM jsonb_each(jsonb_strip_nulls(to_jsonb(b)))) AS w USING (key)
$$;

-- scikit-learn 1.2.1 on the same rows, by bench/evaluation.py --constants
CREATE TEMP TABLE sklearn (
    model_loss text, weighted boolean, loss float8, accuracy float8, precision float8, recall float8, f1 float8,
    auc float8, log_loss float8, true_positives float8, false_positives float8, true_negatives float8,
    false_negatives float8, rmse float8, mae float8, r2 float8);
INSERT INTO sklearn VALUES
    ('logistic', false, 0.7086058845283053, 0.647, 0.7586206896551724, 0.6828160484481454, 0.7187250996015936, 0.6806052450557941, 0.7086058845283053, 902.0, 287.0, 392.0, 419.0, NULL, NULL, NULL),
    ('logistic', true, 0.7093267517714316, 0.6457142857142857, 0.7591679692196706, 0.6810484305900119, 0.7179895383215829, 0.6800271626480562, 0.7093267517714316, 1578.5, 500.75, 681.5, 739.25, NULL, NULL, NULL),
    ('hinge', false, 0.899, 0.647, 0.7586206896551724, 0.6828160484481454, 0.7187250996015936, 0.6806052450557941, NULL, 902.0, 287.0, 392.0, 419.0, NULL, NULL, NULL),
    ('hinge', true, 0.9014776785714286, 0.6457142857142857, 0.7591679692196706, 0.6810484305900119, 0.7179895383215829, 0.6800271626480562, NULL, 1578.5, 500.75, 681.5, 739.25, NULL, NULL, NULL),
    ('squared_hinge', false, 1.1092109375, 0.647, 0.7586206896551724, 0.6828160484481454, 0.7187250996015936, 0.6806052450557941, NULL, 902.0, 287.0, 392.0, 419.0, NULL, NULL, NULL),
    ('squared_hinge', true, 1.1093988560267858, 0.6457142857142857, 0.7591679692196706, 0.6810484305900119, 0.7179895383215829, 0.6800271626480562, NULL, 1578.5, 500.75, 681.5, 739.25, NULL, NULL, NULL),
    ('squared', false, 2.4819169921875, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 2.2279663337615765, 1.83784375, 0.6643008330541966),
    ('squared', true, 2.3880322265625, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 2.1854208869517557, 1.80840625, 0.6691533082920773),
    ('absolute', false, 1.83784375, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 2.2279663337615765, 1.83784375, 0.6643008330541966),
    ('absolute', true, 1.80840625, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 2.1854208869517557, 1.80840625, 0.6691533082920773);
CREATE TEMP VIEW ours AS
SELECT s.model_loss, s.weighted,
       CASE WHEN s.weighted THEN weighed ELSE plain END AS e,
       ROW((e).rows, (e).skipped, s.loss, (e).objective, s.accuracy, s.precision, s.recall, s.f1, s.auc, s.log_loss,
           s.true_positives, s.false_positives, s.true_negatives, s.false_negatives, s.rmse, s.mae,
           s.r2, NULL)::sparselin_evaluation AS expected
FROM sklearn AS s,
     LATERAL (SELECT sparselin_evaluate(identity(s.model_loss), x, label) AS plain,
                     sparselin_evaluate(identity(s.model_loss), x, label, weight) AS weighed
              FROM judged,
                   LATERAL (SELECT CASE WHEN s.model_loss IN ('squared', 'absolute') THEN number ELSE y::int END AS label)
                       AS l) AS v,
     LATERAL (SELECT CASE WHEN s.weighted THEN weighed ELSE plain END AS e) AS w;
SELECT model_loss, weighted, (e).rows, (e).skipped, difference(e, expected) < 1e-14 AS as_scikit_learn FROM ours;

-- a model of real messages, against SQL's own sums and ranks
CREATE TEMP TABLE lines (id serial, label float8, body text);
\copy lines (label, body) FROM PROGRAM 'gzip -dc demo/sms_spam.test.tsv.gz' (FORMAT csv, DELIMITER E'\t', QUOTE E'\b')
CREATE TABLE sms AS SELECT id, label, sparselin_features(to_tsvector('simple', body)) AS features FROM lines;
CREATE TABLE sms_model AS SELECT casgd_train(features, label ORDER BY id) AS m FROM sms WHERE id <= 700;
SELECT e.rows, e.skipped, e.rmse, e.mae, e.r2,
       abs(e.loss - s.loss) < 1e-14 AND e.log_loss = e.loss AS loss,
       abs(e.objective - s.loss - f.penalty) < 1e-13 AS objective,
       abs(e.accuracy - s.accuracy) < 1e-15 AND e.accuracy > 0.95 AS accuracy,
       (e.true_positives, e.false_positives, e.true_negatives, e.false_negatives) = (s.tp, s.fp, s.tn, s.fn) AS counts,
       abs(e.auc - r.auc) < 1e-14 AND e.auc > 0.95 AS auc
FROM (SELECT (sparselin_evaluate(m, features, label)).* FROM sms_model, sms WHERE id > 700) AS e,
     (SELECT avg(ln(1 + exp(-label * p))) AS loss, avg(((p > 0) = (label > 0))::int) AS accuracy,
             count(*) FILTER (WHERE p > 0 AND label > 0) AS tp, count(*) FILTER (WHERE p > 0 AND label < 0) AS fp,
             count(*) FILTER (WHERE p <= 0 AND label < 0) AS tn, count(*) FILTER (WHERE p <= 0 AND label > 0) AS fn
      FROM sms_model, sms, sparselin_predict(m, features) AS p WHERE id > 700) AS s,
     (SELECT lambda / 2 * (sum(weight ^ 2) + ((m::jsonb) ->> 'centred_bias')::float8 ^ 2) AS penalty
      FROM sms_model, sparselin_info(m), sparselin_weights(m) GROUP BY lambda, m::jsonb) AS f,
     (SELECT (sum(rank) FILTER (WHERE label > 0) - pos * (pos + 1) / 2) / (pos * neg) AS auc
      FROM (SELECT label, (rank() OVER (ORDER BY p) + count(*) OVER (ORDER BY p)) / 2.0 AS rank,
                   count(*) FILTER (WHERE label > 0) OVER () AS pos, count(*) FILTER (WHERE label < 0) OVER () AS neg
            FROM sms_model, sms, sparselin_predict(m, features) AS p WHERE id > 700) AS ranked
      GROUP BY pos, neg) AS r;

-- what the objective adds; nothing is known of a model that was learned on a scale
SELECT learner, round((e.objective - e.loss)::numeric, 12) AS adds
FROM (VALUES ('{"learner":"asgd","loss":"hinge","lambda":0.5,"bias":2,"weights":{"1":1,"7":-3}}'::sparselin_model),
             ('{"learner":"casgd","loss":"hinge","lambda":0.5,"bias":2,"centred_bias":1,"weights":{"1":1,"7":-3}}'),
             ('{"learner":"elasticnet","loss":"hinge","lambda":0.5,"bias":2,"weights":{"1":1,"7":-3},"options":"l1=0.25"}'),
             ('{"learner":"truncated","loss":"hinge","bias":2,"weights":{"1":1,"7":-3}}'),
             ('{"learner":"asgd","loss":"hinge","lambda":0.5,"bias":2,"weights":{"1":1,"7":-3},"options":"scale=std"}')) AS v (m),
     LATERAL (SELECT (sparselin_info(m)).learner) AS i,
     LATERAL (SELECT (sparselin_evaluate(m, x, y)).* FROM judged) AS e;
-- by hand: 3 in error by 1 each, of weight 2; the objective goes by rows, the loss by weights
SELECT loss, objective FROM (SELECT (sparselin_evaluate(identity('absolute'), '{1:1}', 2, 2)).* FROM generate_series(1, 3)) AS e;

-- labels: boolean, -1 and 1, 0 and 1, whichever the model learned from
SELECT labels, difference(a, b) AS plus_minus, difference(a, c) AS zero_one
FROM unnest('{boolean,plus_minus,zero_one}'::text[]) AS labels,
     LATERAL (SELECT sparselin_evaluate(identity('hinge', labels), x, y) AS a,
                     sparselin_evaluate(identity('hinge', labels), x, y::int * 2 - 1) AS b,
                     sparselin_evaluate(identity('hinge', labels), x, y::int) AS c FROM judged) AS v;
-- a regression that learned from boolean labels takes such, as -1 and 1
SELECT difference(a, b)
FROM (SELECT sparselin_evaluate(identity('squared', 'boolean'), x, y) AS a,
             sparselin_evaluate(identity('squared'), x, y::int * 2 - 1) AS b FROM judged) AS v;

-- ties: by hand
SELECT name, (sparselin_evaluate(identity('logistic'), sparsearray(ARRAY[1], ARRAY[score]), y, weight)).auc
FROM (VALUES ('all tied', 0, true, 1), ('all tied', 0, false, 1),
             ('half', 1, true, 1), ('half', 2, true, 1), ('half', 1.5, false, 7),
             ('one tie', 1, true, 1), ('one tie', 1, false, 3), ('one tie', 0, false, 1),
             ('signs of zero', -0.0, true, 0.5), ('signs of zero', 0, false, 0.25),
             ('the wrong way', -1, true, 1), ('the wrong way', 1, false, 1)) AS v (name, score, y, weight)
GROUP BY name ORDER BY name;

-- weights whose products are out of range
SELECT a, b, abs((e).auc - (f).auc) < 1e-14 AS auc, abs((e).recall - (f).recall) < 1e-14 AS recall
FROM unnest('{1e-300,1,1e300}'::float8[]) AS a, unnest('{1e-300,1e300}'::float8[]) AS b,
     LATERAL (SELECT sparselin_evaluate(identity('hinge'), x, y, weight * CASE WHEN y THEN a ELSE b END) AS e,
                     sparselin_evaluate(identity('hinge'), x, y, weight) AS f FROM judged) AS v ORDER BY a, b;
SELECT f1 FROM (SELECT (sparselin_evaluate(identity('hinge'), '{1:1}', true, 1.5e308)).*) AS e;

-- nothing to divide by; a score of 0 is negative
\pset null none
SELECT name, accuracy AS acc, precision AS prec, recall AS rec, f1, auc, true_positives AS tp, false_positives AS fp,
       true_negatives AS tn, false_negatives AS fn
FROM (SELECT name, (sparselin_evaluate(identity('hinge'), sparsearray(ARRAY[1], ARRAY[score]), y)).*
      FROM (VALUES ('no positives', 1, false), ('no positives', -1, false), ('no negatives', 1, true),
                   ('no negatives', -1, true), ('none said', -1, true), ('none said', -2, false), ('neither', -1, false),
                   ('zero', 0, true), ('zero', 0, false)) AS v (name, score, y) GROUP BY name) AS e ORDER BY name;
SELECT sparselin_evaluate(identity('squared'), x, 0.1) AS constant_labels FROM judged WHERE id <= 2;
SELECT sparselin_evaluate(identity('squared'), x, number) AS one_row FROM judged WHERE id = 1;

-- no rows; rows that are skipped
SELECT sparselin_evaluate(identity('hinge'), x, y) FROM judged WHERE id < 0;
SELECT sparselin_evaluate(identity('hinge'), NULL, y) AS all_null, sparselin_evaluate(identity('hinge'), x, y, 0) AS weightless,
       sparselin_evaluate(identity('squared'), x, NULL::float8) AS no_label FROM judged;
SELECT e.rows, e.skipped, difference(e.e, f.e)
FROM (SELECT (sparselin_evaluate(m, x, y, w)).rows, (sparselin_evaluate(m, x, y, w)).skipped,
             sparselin_evaluate(m, x, y, w) FILTER (WHERE x IS NOT NULL AND y IS NOT NULL AND w > 0) AS e
      FROM (SELECT identity('logistic') AS m, CASE WHEN id % 7 > 0 THEN x END AS x, CASE WHEN id % 11 > 0 THEN y END AS y,
                   CASE WHEN id % 13 = 1 THEN 0 WHEN id % 13 > 1 THEN weight END AS w FROM judged) AS v) AS e,
     (SELECT sparselin_evaluate(identity('logistic'), x, y, weight) AS e FROM judged
      WHERE id % 7 > 0 AND id % 11 > 0 AND id % 13 > 1) AS f;

-- the type: fields by their names, without quotes
SELECT (e).rows, (e).precision > 0.7 AS precise, (e).true_positives AS tp
FROM (SELECT sparselin_evaluate(identity('hinge'), x, y) AS e FROM judged) AS v;
SELECT precision > 0.7 AS precise, rows FROM (SELECT (sparselin_evaluate(identity('hinge'), x, y)).* FROM judged) AS v;

-- groups, several models, FILTER, DISTINCT, ORDER BY, grouping sets, windows
SELECT part, (e).rows, (e).true_positives + (e).false_negatives = count AS positives
FROM (SELECT part, sparselin_evaluate(identity('hinge'), x, y) AS e, count(*) FILTER (WHERE y) FROM judged GROUP BY part) AS v
ORDER BY part;
CREATE TABLE models AS
SELECT part, casgd_train(x, y ORDER BY id) AS m FROM judged GROUP BY part;
SELECT part, (sparselin_evaluate(m, x, y)).rows, (sparselin_evaluate(m, x, y)).accuracy > 0.6 AS good
FROM models JOIN judged USING (part) GROUP BY part ORDER BY part;
SELECT m.part AS model, j.part, (sparselin_evaluate(m, x, y)).rows FROM models AS m, judged AS j GROUP BY 1, 2 ORDER BY 1, 2;
SELECT (sparselin_evaluate(identity('hinge'), x, y) FILTER (WHERE part = 1)).rows AS filtered,
       (SELECT (sparselin_evaluate(identity('hinge'), x, y)).rows FROM (SELECT DISTINCT x, y FROM judged) AS v) AS distinct FROM judged;
SELECT (sparselin_evaluate(m, x, y ORDER BY id)).rows AS ordered,
       difference(sparselin_evaluate(m, x, y, weight ORDER BY id DESC), sparselin_evaluate(m, x, y, weight)) < 1e-14 AS same
FROM judged, (SELECT identity('logistic') AS m) AS v;
SELECT part, y, (sparselin_evaluate(identity('hinge'), x, y)).rows, (sparselin_evaluate(identity('hinge'), x, y)).auc > 0.6 AS auc
FROM judged GROUP BY GROUPING SETS ((part, y), (part), ()) ORDER BY 1, 2;
SELECT bool_and(difference(e, f) < 1e-13) AS windows, count(*), min((last).rows), max((last).rows)
FROM (SELECT id, sparselin_evaluate(identity('logistic'), x, y, weight) OVER (ORDER BY id) AS e,
             sparselin_evaluate(identity('logistic'), x, y, weight) OVER (ORDER BY id ROWS 9 PRECEDING) AS last
      FROM judged WHERE id <= 200) AS w,
     LATERAL (SELECT sparselin_evaluate(identity('logistic'), x, y, weight) AS f FROM judged WHERE judged.id <= w.id) AS v;
-- a model made in the same query
SELECT (sparselin_evaluate((SELECT casgd_train(x, y) FROM judged WHERE id <= 1000), x, y)).rows FROM judged WHERE id > 1000;

-- beyond work_mem: the same, bit for bit
CREATE TABLE many AS
SELECT i AS id, i % 3 AS part, sparsearray(ARRAY[1], ARRAY[(i::bigint * 7919 % 40009 - 18000) / 16384.0]) AS x,
       (i::bigint * 104729 % 40009 + i::bigint * 7919 % 40009 > 40000) AS y,
       CASE WHEN i % 4 > 0 THEN 1 ELSE 0.1 * (i % 11) END AS weight
FROM generate_series(1, 30000) AS i;
CREATE TEMP TABLE cards (work_mem text, part int, plain sparselin_evaluation, weighed sparselin_evaluation);
CREATE FUNCTION evaluate_in(setting text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('work_mem', setting, true);
    INSERT INTO cards SELECT setting, -1, sparselin_evaluate(identity('logistic'), x, y),
                             sparselin_evaluate(identity('logistic'), x, y, weight) FROM many;
    INSERT INTO cards SELECT setting, part, sparselin_evaluate(identity('logistic'), x, y),
                             sparselin_evaluate(identity('logistic'), x, y, weight) FROM many GROUP BY part;
END $$;
SELECT evaluate_in('64MB');
SELECT evaluate_in('64kB');
SELECT evaluate_in('200kB');
SET enable_hashagg = off;
SELECT evaluate_in('65kB');
RESET enable_hashagg;
SELECT part, count(DISTINCT plain::text) AS plain, count(DISTINCT weighed::text) AS weighed, min((plain).auc) > 0.6 AS auc
FROM cards GROUP BY part ORDER BY part;

-- in parallel plans with 0 to 4 workers: AUC and counts exactly, sums to rounding
ALTER TABLE many SET (parallel_workers = 4);
ANALYZE many;
CREATE FUNCTION forced(workers int, leader boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config(name, value, true)
    FROM (VALUES ('parallel_setup_cost', '0'), ('parallel_tuple_cost', '0'), ('min_parallel_table_scan_size', '0'),
                 ('max_parallel_workers_per_gather', workers::text),
                 ('parallel_leader_participation', leader::text)) AS s (name, value);
END $$;
CREATE FUNCTION parallel_plan() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) SELECT sparselin_evaluate(identity(''logistic''), x, y) FROM many' LOOP
        IF line ~ 'Partial Aggregate' THEN RETURN true; END IF;
    END LOOP;
    RETURN false;
END $$;
ALTER FUNCTION identity(text, text) PARALLEL SAFE;
CREATE FUNCTION in_parallel(workers int, leader boolean, memory text)
RETURNS TABLE (split boolean, same boolean, exact boolean) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM forced(workers, leader), set_config('work_mem', memory, true);
    split := parallel_plan();
    CREATE TEMP TABLE split_cards AS
    SELECT -1 AS part, sparselin_evaluate(identity('logistic'), x, y) AS plain,
           sparselin_evaluate(identity('logistic'), x, y, weight) AS weighed FROM many;
    CREATE TEMP TABLE split_groups AS
    SELECT part, sparselin_evaluate(identity('logistic'), x, y) AS plain,
           sparselin_evaluate(identity('logistic'), x, y, weight) AS weighed FROM many GROUP BY part;
    SELECT bool_and(difference(s.plain, c.plain) < 1e-12 AND difference(s.weighed, c.weighed) < 1e-12) AND count(*) = 4,
           bool_and(((s.plain).auc = (c.plain).auc AND (s.weighed).auc = (c.weighed).auc
                     AND (s.plain).true_positives = (c.plain).true_positives) IS TRUE)
    INTO same, exact
    FROM (TABLE split_cards UNION ALL TABLE split_groups) AS s JOIN cards AS c USING (part) WHERE c.work_mem = '64MB';
    DROP TABLE split_cards, split_groups;
    RETURN NEXT;
END $$;
SELECT workers, leader, memory, split OR workers < 2 AS split, same, exact
FROM generate_series(0, 4) AS workers, unnest('{true,false}'::boolean[]) AS leader, unnest('{64MB,64kB}'::text[]) AS memory,
     in_parallel(workers, leader, memory) AS p
WHERE leader OR workers > 0 ORDER BY 1, 2, 3;
-- workers without a row, and without one that counts
BEGIN;
SELECT forced(3, true);
SELECT (sparselin_evaluate(identity('hinge'), x, y)).rows FROM many WHERE id IN (5, 6);
SELECT sparselin_evaluate(identity('hinge'), x, y) FROM many WHERE id < 0;
SELECT sparselin_evaluate(identity('hinge'), NULL, y) FROM many;
SELECT sparselin_evaluate(identity('squared'), x, id) = (SELECT sparselin_evaluate(identity('squared'), x, id) FROM many) AS again FROM many;
COMMIT;
-- partitions, in one process
CREATE TABLE many_parted (LIKE many) PARTITION BY LIST (part);
CREATE TABLE many_part_0 PARTITION OF many_parted FOR VALUES IN (0);
CREATE TABLE many_part_1 PARTITION OF many_parted FOR VALUES IN (1);
CREATE TABLE many_part_2 PARTITION OF many_parted FOR VALUES IN (2);
INSERT INTO many_parted TABLE many;
ANALYZE many_parted;
SET enable_partitionwise_aggregate = on;
SET cpu_tuple_cost = 1000;
SET work_mem = '64kB';
SELECT difference(c.weighed, e) < 1e-12 AS same, (c.weighed).auc = (e).auc AS exact
FROM cards AS c, (SELECT sparselin_evaluate(identity('logistic'), x, y, weight) AS e FROM many_parted) AS v
WHERE c.work_mem = '64MB' AND part = -1;
RESET enable_partitionwise_aggregate;
RESET cpu_tuple_cost;
RESET work_mem;

-- errors
SELECT sparselin_evaluate(NULL, x, y) FROM judged;
SELECT sparselin_evaluate(m, x, y ORDER BY id) FROM judged LEFT JOIN models ON models.part = judged.part + 1;
SELECT sparselin_evaluate(m, x, y ORDER BY id) FROM judged JOIN models USING (part);
SELECT sparselin_evaluate(identity('hinge'), x, CASE id WHEN 3 THEN 2 ELSE 1 END ORDER BY id) FROM judged;
SELECT sparselin_evaluate(identity('hinge'), x, CASE id WHEN 3 THEN 0 ELSE -1 END ORDER BY id) FROM judged;
SELECT sparselin_evaluate(identity('squared'), x, CASE id WHEN 3 THEN 'NaN'::float8 ELSE 1 END ORDER BY id) FROM judged;
SELECT sparselin_evaluate(identity('squared'), x, y) FROM judged;
SELECT sparselin_evaluate(identity('absolute', 'boolean'), x, number) FROM judged;
SELECT sparselin_evaluate(identity('hinge'), x, y, CASE id WHEN 3 THEN -1 ELSE 1 END ORDER BY id) FROM judged;
SELECT sparselin_evaluate(identity('hinge'), x, y, 'Infinity') FROM judged;
SELECT sparselin_evaluate(identity('squared'), x, CASE id WHEN 3 THEN 1e200 ELSE 1 END ORDER BY id) FROM judged;
SELECT sparselin_evaluate(identity('hinge'), x, y, 1e308) FROM judged WHERE id <= 40;
SELECT sparselin_evaluate('{"learner":"sgd","loss":"hinge","weights":{"1":1},"dimension":5}'::sparselin_model,
                          CASE id WHEN 3 THEN '{1:1}/4' ELSE x END, y ORDER BY id) FROM judged;
SELECT sparselin_evaluate(DISTINCT m, x, y) FROM judged, models;
DROP VIEW ours;
DROP TABLE judged, models, many, many_parted, sms, sms_model, cards, sklearn, lines;
DROP FUNCTION in_parallel, parallel_plan, forced, evaluate_in, difference, identity;

-- Cross-validation in one statement: by LATERAL no row carries a model, and nothing goes to disk.
CREATE TABLE evaluate_folds AS
SELECT i AS id, i % 3 = 0 AS y,
       sparsearray(ARRAY(SELECT 1 + (n * 5000 + i * 7919 % 5000) FROM generate_series(0, 19) AS n), array_fill(1, ARRAY[20])) AS x
FROM generate_series(1, 1000) AS i;
ANALYZE evaluate_folds;
CREATE FUNCTION pg_temp.temporary_blocks(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT json) ' || query INTO plan;
    RETURN plan -> 0 -> 'Plan' ->> 'Temp Written Blocks';
END $$;
WITH t AS (SELECT fold, casgd_train(x, y) AS m FROM evaluate_folds, generate_series(0, 4) AS fold WHERE id % 5 <> fold GROUP BY fold)
SELECT fold, pg_column_size(m) > 300000 AS large, (card).rows
FROM t, LATERAL (SELECT sparselin_evaluate(m, x, y) AS card FROM evaluate_folds WHERE id % 5 = fold) AS c ORDER BY fold;
SELECT pg_temp.temporary_blocks($$
WITH t AS (SELECT fold, casgd_train(x, y) AS m FROM evaluate_folds, generate_series(0, 4) AS fold WHERE id % 5 <> fold GROUP BY fold)
SELECT fold, (card).rows
FROM t, LATERAL (SELECT sparselin_evaluate(m, x, y) AS card FROM evaluate_folds WHERE id % 5 = fold) AS c ORDER BY fold
$$);
DROP TABLE evaluate_folds;
