-- sparselin_curve and sparselin_calibration, a threshold in sparselin_evaluate, and evaluating scores: against plain SQL
-- and scikit-learn

SET max_parallel_workers_per_gather = 0;
SET extra_float_digits = 0;
SET client_min_messages = warning;
\pset null none
CREATE TABLE judged AS
SELECT i AS id, i % 3 AS part, (i * 7919 % 101 - 40) / 16.0 AS score,
       sparsearray(ARRAY[1], ARRAY[(i * 7919 % 101 - 40) / 16.0]) AS x,
       i::bigint * 104729 % 211 < 90 + i * 7919 % 101 AS y, 0.25 + i % 5 * 0.75 AS weight
FROM generate_series(1, 2000) AS i;
CREATE FUNCTION identity(loss text, labels text DEFAULT NULL) RETURNS sparselin_model LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT sparselin_model(jsonb_build_object('learner', 'sgd', 'loss', loss, 'weights', '{"1":1}'::jsonb)
                           || CASE WHEN labels IS NULL THEN '{}' ELSE jsonb_build_object('labels', labels) END)
$$;

-- every point of a curve from its definition: what is above the threshold
CREATE TEMP TABLE levels AS
SELECT loss, weighted, CASE WHEN loss = 'logistic' THEN sparselin_probability(identity('logistic'), x) ELSE score END AS level,
       score, x, y, CASE WHEN weighted THEN weight ELSE 1 END AS w
FROM judged, unnest('{logistic,hinge,squared_hinge}'::text[]) AS loss, unnest('{false,true}'::boolean[]) AS weighted;
CREATE TEMP TABLE points AS
SELECT loss, weighted, p.*
FROM (SELECT loss, weighted, CASE WHEN weighted THEN sparselin_curve(identity(loss), x, y, w) ELSE sparselin_curve(identity(loss), x, y) END AS curve
      FROM levels GROUP BY loss, weighted) AS c,
     unnest(curve) WITH ORDINALITY AS p (threshold, true_positives, false_positives, true_negatives, false_negatives, precision, recall,
                                         false_positive_rate, lift, place);
SELECT loss, weighted, count(*) AS points, bool_and((tp, fp, tn, fn) = (true_positives, false_positives, true_negatives, false_negatives)) AS counts,
       bool_and(precision IS NOT DISTINCT FROM tp / nullif(tp + fp, 0)) AS precision, bool_and(recall = tp / (tp + fn)) AS recall,
       bool_and(false_positive_rate = fp / (fp + tn)) AS false_positive_rate,
       bool_and(abs(lift - tp / nullif(tp + fp, 0) * (tp + fp + tn + fn) / (tp + fn)) < 1e-14) AS lift,
       bool_and(threshold < before OR place = 1) AS descends
FROM (SELECT *, lag(threshold) OVER (PARTITION BY loss, weighted ORDER BY place) AS before FROM points) AS p,
     LATERAL (SELECT coalesce(sum(w) FILTER (WHERE level > threshold AND y), 0) AS tp,
                     coalesce(sum(w) FILTER (WHERE level > threshold AND NOT y), 0) AS fp,
                     coalesce(sum(w) FILTER (WHERE level <= threshold AND NOT y), 0) AS tn,
                     coalesce(sum(w) FILTER (WHERE level <= threshold AND y), 0) AS fn
              FROM levels AS l WHERE (l.loss, l.weighted) = (p.loss, p.weighted)) AS s
GROUP BY loss, weighted ORDER BY 1, 2;
-- one point for each level, and one for all rows
SELECT loss, weighted, count(*), min(threshold),
       count(*) FILTER (WHERE EXISTS (SELECT FROM levels AS l WHERE (l.loss, l.level) = (p.loss, p.threshold))) AS levels
FROM points AS p GROUP BY loss, weighted ORDER BY 1, 2;

-- the area under the points, by trapezoids, is the area that sparselin_evaluate says
SELECT loss, weighted, abs(area - CASE WHEN weighted THEN (sparselin_evaluate(identity(loss), x, y, weight)).auc
                                       ELSE (sparselin_evaluate(identity(loss), x, y)).auc END) < 1e-14 AS area
FROM (SELECT loss, weighted, sum((false_positive_rate - fpr) * (recall + tpr) / 2) AS area
      FROM (SELECT *, lag(false_positive_rate) OVER w AS fpr, lag(recall) OVER w AS tpr
            FROM points WINDOW w AS (PARTITION BY loss, weighted ORDER BY place)) AS p GROUP BY loss, weighted) AS a, judged
GROUP BY loss, weighted, area ORDER BY 1, 2;

-- scikit-learn 1.2.1: roc_curve, precision_recall_curve and average_precision_score of the same rows; its thresholds are
-- the lowest scores that are positive, ours the highest ones that are not
CREATE TEMP TABLE sklearn (weighted boolean, place int, threshold float8, fpr float8, tpr float8, precision float8);
INSERT INTO sklearn VALUES
    (false, 2, 3.75, 0.004418262150220913, 0.012869038607115822, 0.85),
    (false, 14, 3.0, 0.053019145802650956, 0.16729750189250567, 0.8599221789883269),
    (false, 26, 2.25, 0.11782032400589101, 0.3141559424678274, 0.8383838383838383),
    (false, 38, 1.5, 0.20176730486008837, 0.45117335352006055, 0.8130968622100955),
    (false, 50, 0.75, 0.30633284241531666, 0.5768357305071915, 0.7855670103092783),
    (false, 62, 0.0, 0.4329896907216495, 0.6926570779712339, 0.7568238213399504),
    (false, 74, -0.75, 0.5758468335787923, 0.7978803936411809, 0.7294117647058823),
    (false, 86, -1.5, 0.7378497790868925, 0.894776684330053, 0.7023172905525846),
    (false, 98, -2.25, 0.9278350515463918, 0.9772899318697956, 0.6720458094742322),
    (false, 102, -2.5, 1.0, 1.0, 0.6605),
    (true, 2, 3.75, 0.0038063015436667373, 0.013159313989860857, 0.8714285714285714),
    (true, 14, 3.0, 0.04884753647705646, 0.17107108186819114, 0.8728673637864612),
    (true, 26, 2.25, 0.1184182702474096, 0.3152842196095351, 0.8392190640252656),
    (true, 38, 1.5, 0.20215690420807783, 0.4522705209793981, 0.814332880170907),
    (true, 50, 0.75, 0.3066187354620427, 0.5759896451299752, 0.7864506627393225),
    (true, 62, 0.0, 0.4332839923873969, 0.6911875741559702, 0.7577155019510464),
    (true, 74, -0.75, 0.581306830196659, 0.795167727321756, 0.7283865230708428),
    (true, 86, -1.5, 0.7403256502431804, 0.8931075396397368, 0.7028265851795263),
    (true, 98, -2.25, 0.9262000422922394, 0.9773487218207313, 0.6741313890335541),
    (true, 102, -2.5, 1.0, 1.0, 0.6622142857142858);
SELECT s.weighted, count(*) AS points, bool_and(p.threshold < s.threshold) AS thresholds,
       bool_and(abs(s.fpr - false_positive_rate) < 1e-14) AS fpr, bool_and(abs(s.tpr - recall) < 1e-14) AS tpr,
       bool_and(abs(s.precision - p.precision) < 1e-14) AS precision
FROM sklearn AS s JOIN points AS p ON p.loss = 'hinge' AND (p.weighted, p.place) = (s.weighted, s.place)
GROUP BY s.weighted ORDER BY 1;
SELECT weighted, round(sum((recall - before) * precision)::numeric, 14) AS average_precision
FROM (SELECT *, lag(recall) OVER (PARTITION BY weighted ORDER BY place) AS before FROM points WHERE loss = 'hinge') AS p
GROUP BY weighted ORDER BY 1;

CREATE TEMP TABLE models AS SELECT loss, identity(loss) AS m FROM unnest('{logistic,hinge}'::text[]) AS loss;
-- a threshold of the curve is one for sparselin_decide and sparselin_evaluate
SELECT count(*) AS thresholds, bool_and((e).true_positives = p.true_positives AND (e).false_positives = p.false_positives
                AND (e).true_negatives = p.true_negatives AND (e).false_negatives = p.false_negatives) AS counts,
       bool_and((e).precision IS NOT DISTINCT FROM p.precision AND (e).recall = p.recall) AS ratios,
       bool_and((e).accuracy = (p.true_positives + p.true_negatives) / 2000) AS accuracy, count(DISTINCT (e).auc) AS areas,
       bool_and(decided = p.true_positives + p.false_positives) AS decided
FROM points AS p,
     LATERAL (SELECT sparselin_evaluate(m.m, x, y, 1, p.threshold) AS e, count(*) FILTER (WHERE sparselin_decide(m.m, x, p.threshold)) AS decided
              FROM judged, models AS m WHERE m.loss = p.loss) AS v
WHERE NOT p.weighted AND p.loss IN ('logistic', 'hinge') AND place % 3 = 1 GROUP BY p.loss ORDER BY 1;
-- NULL for none; the same as the usual one where no score is so close to it
SELECT a = b AS none, a = c AS usual, (d).rows, (d).skipped
FROM (SELECT sparselin_evaluate(identity('logistic'), x, y, weight) AS a, sparselin_evaluate(identity('logistic'), x, y, weight, NULL) AS b,
             sparselin_evaluate(identity('logistic'), x, y, weight, 0.5) AS c, sparselin_evaluate(identity('logistic'), x, y, NULL, 0.5) AS d
      FROM judged) AS v;

-- many levels, few positives: 200 points at most, exact, evenly along the ROC curve
CREATE TABLE many AS
SELECT sparsearray(ARRAY[1], ARRAY[s]) AS x, (s::real)::float8 AS score, y
FROM (SELECT i % 331 = 0 AS y, sin(i) * 3 + CASE WHEN i % 331 = 0 THEN 2 ELSE 0 END AS s FROM generate_series(1, 20000) AS i) AS v;
SELECT count(*) BETWEEN 100 AND 200 AS points, max(recall - tpr + false_positive_rate - fpr) < 2 / 199.0 + 1 / 60.0 AS steps,
       min(recall + false_positive_rate) AS first, max(recall + false_positive_rate) AS last,
       bool_and(true_positives = tp AND false_positives = fp) AS exact
FROM (SELECT *, lag(recall) OVER w AS tpr, lag(false_positive_rate) OVER w AS fpr
      FROM (SELECT sparselin_curve(identity('hinge'), x, y) AS curve FROM many) AS c, unnest(curve) WINDOW w AS (ORDER BY threshold DESC)) AS p,
     LATERAL (SELECT count(*) FILTER (WHERE y) AS tp, count(*) FILTER (WHERE NOT y) AS fp FROM many WHERE score > threshold) AS s;

-- calibration: bins from the ranks, in plain SQL
SELECT bins, weighted, count(b.rows) = count(expected.rows) AS same_bins, bool_and(abs(b.rows - expected.rows) < 1e-9) AS rows,
       bool_and(abs(b.predicted - expected.predicted) < 1e-14) AS predicted, bool_and(abs(b.observed - expected.observed) < 1e-14) AS observed
FROM (SELECT bins, weighted, (unnest(calibration)).*
      FROM (SELECT bins, weighted, sparselin_calibration(identity('logistic'), x, y, w, bins) AS calibration
            FROM levels, unnest('{1,4,10,1000}'::int[]) AS bins WHERE loss = 'logistic' GROUP BY bins, weighted) AS c) AS b
FULL JOIN (SELECT n AS bins, weighted, bin, sum(w) AS rows, sum(w * level) / sum(w) AS predicted,
                  coalesce(sum(w) FILTER (WHERE y), 0) / sum(w) AS observed
           FROM (SELECT *, floor(n * coalesce(sum(w) OVER (PARTITION BY weighted, n ORDER BY score GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
                                 / sum(w) OVER (PARTITION BY weighted, n)) + 1 AS bin
                 FROM levels, unnest('{1,4,10,1000}'::int[]) AS n WHERE loss = 'logistic') AS ranked
           GROUP BY n, weighted, bin) AS expected USING (bins, weighted, bin)
GROUP BY bins, weighted ORDER BY bins, weighted;
-- scikit-learn 1.2.1: calibration_curve(strategy='quantile', n_bins=10)
SELECT count(*), bool_and(abs(b.predicted - s.predicted) < 1e-14) AS predicted, bool_and(abs(b.observed - s.observed) < 1e-14) AS observed
FROM (SELECT sparselin_calibration(identity('logistic'), x, y) AS calibration FROM judged) AS c,
     unnest(calibration) AS b,
     (VALUES (1, 0.1022725304325007, 0.44495412844036697),
             (2, 0.17925924144254432, 0.49238578680203043),
             (3, 0.2889316366442619, 0.5477386934673367),
             (4, 0.43081208130618065, 0.5888324873096447),
             (5, 0.5844414067288249, 0.635),
             (6, 0.7234451598996964, 0.6785714285714286),
             (7, 0.8294623739847097, 0.7437185929648241),
             (8, 0.9007286958855675, 0.7868020304568528),
             (9, 0.9442479605918714, 0.83),
             (10, 0.9693528621161812, 0.8781725888324873)) AS s (bin, predicted, observed)
WHERE s.bin = b.bin;

-- no rows; rows that are skipped; one class; one row
SELECT sparselin_curve(identity('hinge'), x, y), sparselin_calibration(identity('logistic'), x, y) FROM judged WHERE id < 0;
SELECT sparselin_curve(identity('hinge'), NULL, y) AS no_features, sparselin_curve(identity('hinge'), x, y, 0) AS weightless,
       sparselin_calibration(identity('logistic'), x, NULL::boolean) AS no_label,
       sparselin_evaluate(identity('hinge'), x, y, NULL, 0.3) AS no_weight FROM judged;
SELECT y, (unnest(sparselin_curve(identity('hinge'), x, y))).* FROM judged WHERE id % 250 = 7 GROUP BY y ORDER BY y, 2 DESC;
SELECT y, (unnest(sparselin_calibration(identity('logistic'), x, y))).* FROM judged WHERE id % 250 = 7 GROUP BY y ORDER BY y, 2;
SELECT a = b AS as_without_nulls
FROM (SELECT sparselin_curve(identity('hinge'), CASE WHEN id % 7 > 0 THEN x END, CASE WHEN id % 11 > 0 THEN y END, weight) AS a,
             sparselin_curve(identity('hinge'), x, y, weight) FILTER (WHERE id % 7 > 0 AND id % 11 > 0) AS b FROM judged) AS v;

-- labels of all kinds, rows of a class that the model does not know, and several models
CREATE TABLE fruit AS
SELECT *, CASE WHEN id % 50 = 0 THEN 'quince' WHEN y THEN 'pear' ELSE 'apple' END AS kind FROM judged;
CREATE TABLE fruit_model AS
SELECT casgd_train(x, kind ORDER BY id) AS named, asgd_train(x, kind, 'loss=multinomial' ORDER BY id) AS joint,
       casgd_train(x, y ORDER BY id) AS plain FROM fruit WHERE id % 50 > 0;
SELECT a = b AS of_names, c = d AS of_plus_minus, c = e AS of_zero_one, f = g AS calibration
FROM fruit_model, LATERAL (
    SELECT sparselin_curve(named, x, kind) AS a, sparselin_curve(named, x, kind) FILTER (WHERE id % 50 > 0) AS b,
           sparselin_curve(plain, x, y) AS c, sparselin_curve(plain, x, y::int * 2 - 1) AS d, sparselin_curve(plain, x, y::int) AS e,
           sparselin_calibration(named, x, kind, weight, 5) AS f,
           sparselin_calibration(named, x, kind, weight, 5) FILTER (WHERE id % 50 > 0) AS g FROM fruit) AS v;
-- two runs: the probability is that of sparselin_classes
SELECT count(*), bool_and(tp = true_positives AND fp = false_positives) AS exact, bool_and((e).true_positives = tp) AS evaluate,
       bool_and((e).false_positives = fp + unknown) AS with_unknown
FROM fruit_model, LATERAL (SELECT sparselin_curve(joint, x, kind) AS curve FROM fruit) AS c, unnest(curve) AS p,
     LATERAL (SELECT count(*) FILTER (WHERE kind = 'pear') AS tp, count(*) FILTER (WHERE kind = 'apple') AS fp, count(*) FILTER (WHERE kind = 'quince') AS unknown
              FROM fruit WHERE sparselin_probability(joint, x, 'pear') > threshold + 1e-12) AS s,
     LATERAL (SELECT sparselin_evaluate(joint, x, kind, 1, threshold + 1e-12) AS e FROM fruit WHERE threshold < 1) AS v;
SELECT of, points > 50 AS points
FROM (SELECT part AS of, casgd_train(x, y ORDER BY id) AS m FROM judged GROUP BY part) AS models,
     LATERAL (SELECT cardinality(sparselin_curve(m, x, y)) AS points FROM judged) AS v ORDER BY of;

-- by name; a window; with evaluate in one scan
SELECT active FROM sparselin_fit('fruit', 'SELECT x AS features, y AS label FROM judged', options => 'epochs=2');
SELECT a = b AS curve, c = d AS calibration, e = f AS evaluation
FROM (SELECT model AS m FROM sparselin_models JOIN sparselin_model_values USING (name, version) WHERE name = 'fruit') AS kept,
     LATERAL (SELECT sparselin_curve('fruit', x, y) AS a, sparselin_curve(m, x, y) AS b, sparselin_calibration('fruit', x, y, weight, 7) AS c,
                     sparselin_calibration(m, x, y, weight, 7) AS d, sparselin_evaluate('fruit', x, y, weight, 0.3) AS e,
                     sparselin_evaluate(m, x, y, weight, 0.3) AS f FROM judged) AS v;
SELECT sparselin_drop('fruit');
SELECT id, cardinality(sparselin_curve(identity('hinge'), x, y) OVER (ORDER BY id)) FROM judged WHERE id <= 5;

-- in parallel: the same
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
CREATE TEMP TABLE serial AS
SELECT sparselin_curve(identity('logistic'), x, y, weight) AS c, sparselin_calibration(identity('logistic'), x, y, weight, 4) AS b,
       sparselin_evaluate(score, y, 'logistic', weight) AS s, sparselin_evaluate(identity('logistic'), x, y, weight, 0.3) AS e FROM judged;
SET max_parallel_workers_per_gather = 2;
CREATE FUNCTION planned(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
    RETURN plan::text LIKE '%Partial%Gather%' OR plan::text LIKE '%Gather%Partial%';
END $$;
SELECT planned($$SELECT sparselin_curve(identity('logistic'), x, y, weight), sparselin_calibration(identity('logistic'), x, y, weight, 4) FROM judged$$);
SELECT s.c = p.c AS curve, s.b = p.b AS calibration, (s.s).auc = (p.s).auc AND abs((s.s).loss - (p.s).loss) < 1e-14 AS scores,
       (s.e).true_positives = (p.e).true_positives AND abs((s.e).loss - (p.e).loss) < 1e-14 AS threshold
FROM serial AS s,
     (SELECT sparselin_curve(identity('logistic'), x, y, weight) AS c, sparselin_calibration(identity('logistic'), x, y, weight, 4) AS b,
             sparselin_evaluate(score, y, 'logistic', weight) AS s, sparselin_evaluate(identity('logistic'), x, y, weight, 0.3) AS e FROM judged) AS p;
SET max_parallel_workers_per_gather = 0;

-- scores, whoever made them: what the model gets
SELECT loss, to_jsonb(a) - 'objective' = to_jsonb(b) - 'objective' AS plain, to_jsonb(c) - 'objective' = to_jsonb(d) - 'objective' AS weighted,
       (b).objective, to_jsonb(a) - 'objective' = to_jsonb(f) - 'objective' AS numbers
FROM unnest('{logistic,hinge,squared_hinge}'::text[]) AS loss,
     LATERAL (SELECT sparselin_evaluate(identity(loss), x, y) AS a, sparselin_evaluate(score, y, loss) AS b, sparselin_evaluate(identity(loss), x, y, weight) AS c,
                     sparselin_evaluate(score, y, upper(loss), weight) AS d, sparselin_evaluate(score, y::int, loss) AS f FROM judged) AS v;
SELECT loss, to_jsonb(a) - 'objective' = to_jsonb(b) - 'objective' AS same, (a).rmse > 0 AS errors
FROM unnest('{squared,absolute,huber,quantile}'::text[]) AS loss,
     LATERAL (SELECT sparselin_evaluate(identity(loss), x, id / 300.0) AS a, sparselin_evaluate(score, id / 300.0, loss) AS b FROM judged) AS v;
SELECT abs((e).loss - avg) < 1e-14 AS parameter
FROM (SELECT sparselin_evaluate(score, id / 300.0, 'quantile quantile=0.9') AS e,
             avg(CASE WHEN id / 300.0 > score THEN 0.9 * (id / 300.0 - score) ELSE 0.1 * (score - id / 300.0) END) FROM judged) AS v;
SELECT sparselin_evaluate(CASE WHEN id > 3 THEN score END, CASE WHEN id > 2 THEN y END, 'hinge', CASE WHEN id > 1 THEN 1 END) AS nulls
FROM judged WHERE id <= 4;
SELECT sparselin_evaluate(score, y, 'hinge') FROM judged WHERE id < 0;

-- errors
SELECT sparselin_evaluate(identity('logistic'), x, y, 1, 1.5) FROM judged;
SELECT sparselin_evaluate(identity('hinge'), x, y, 1, 'NaN') FROM judged;
SELECT sparselin_evaluate(identity('hinge'), x, y, 1, id) FROM judged;
SELECT sparselin_evaluate(identity('squared'), x, id, 1, 1) FROM judged;
SELECT sparselin_evaluate(m, x, part::text, 1, 0.5) FROM judged, (SELECT casgd_train(x, part::text) AS m FROM judged) AS t;
SELECT sparselin_curve(m, x, part::text) FROM judged, (SELECT casgd_train(x, part::text) AS m FROM judged) AS t;
SELECT sparselin_curve(identity('squared'), x, id) FROM judged;
SELECT sparselin_curve(NULL::sparselin_model, x, y) FROM judged;
SELECT sparselin_calibration(identity('hinge'), x, y) FROM judged;
SELECT sparselin_calibration(identity('logistic'), x, y, 1, 0) FROM judged;
SELECT sparselin_calibration(identity('logistic'), x, y, 1, id) FROM judged;
SELECT sparselin_curve(identity('hinge'), x, y, 1e308) FROM judged;
SELECT sparselin_evaluate(score, y, 'hing') FROM judged;
SELECT sparselin_evaluate(score, y, 'hinge lambda=1') FROM judged;
SELECT sparselin_evaluate(score, y, 'auto') FROM judged;
SELECT sparselin_evaluate(score, y, 'multinomial') FROM judged;
SELECT sparselin_evaluate(score, y, NULL) FROM judged;
SELECT sparselin_evaluate(score, y, CASE WHEN id < 9 THEN 'hinge' ELSE 'logistic' END ORDER BY id) FROM judged;
SELECT sparselin_evaluate('infinity', y, 'hinge') FROM judged;
SELECT sparselin_evaluate(score, 3, 'hinge') FROM judged;
DROP TABLE judged, many, fruit, fruit_model CASCADE;
DROP FUNCTION identity, planned CASCADE;
