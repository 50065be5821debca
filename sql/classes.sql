-- Classes by name: which class a row is of, how probable each is, and how good that is.
SET extra_float_digits = 0;
\set three '"labels": "text", "classes": ["bill", "other", "spam"], "bias": [0.25, -0.125, 0.5], "weights": [[1, -0.75, 0.5], [-0.5, 1, 0.25], [0.25, 0.5, -1]]'

-- Coefficients from elsewhere, written by hand.
CREATE TEMP TABLE by_hand (name text, model sparselin_model);
INSERT INTO by_hand VALUES
    ('rest', format('{"learner": "sgd", "loss": "logistic", %s}', :'three')::sparselin_model),
    ('joint', format('{"learner": "sgd", "loss": "multinomial", %s}', :'three')::sparselin_model),
    ('hinge', format('{"learner": "sgd", "loss": "hinge", %s}', :'three')::sparselin_model),
    ('two', '{"learner": "sgd", "loss": "logistic", "labels": "text", "classes": ["other", "spam"], "bias": 0.5, "weights": [0.5, 0.25, -1]}'),
    ('joint two', '{"learner": "sgd", "loss": "multinomial", "labels": "text", "classes": ["other", "spam"], "bias": [-0.25, 0.25], "weights": [[0, 0.5], [-0.25, 0], [0.5, -0.5]]}'),
    ('one', '{"learner": "sgd", "loss": "logistic", "labels": "text", "classes": ["alone"], "bias": -3, "weights": [1]}'),
    ('boolean', '{"learner": "sgd", "loss": "logistic", "labels": "boolean", "bias": 0.5, "weights": [0.5, 0.25, -1]}'),
    ('plus_minus', '{"learner": "sgd", "loss": "squared_hinge", "labels": "plus_minus", "bias": 0.5, "weights": [0.5, 0.25, -1]}'),
    ('zero_one', '{"learner": "sgd", "loss": "logistic", "labels": "zero_one", "bias": 0.5, "weights": [0.5, 0.25, -1]}'),
    ('number', '{"learner": "sgd", "loss": "squared", "labels": "number", "weights": [0.5]}');
SELECT name, bool_and(model::text = model::text::sparselin_model::text) AS reads_back FROM by_hand GROUP BY name ORDER BY name;

SELECT name, sparselin_class(model, '{1:1,3:-1}') AS class, c.class, c.score, round(c.probability::numeric, 9) AS probability
FROM by_hand, LATERAL (SELECT row_number() OVER () AS place, * FROM sparselin_classes(model, '{1:1,3:-1}')) AS c
WHERE name <> 'number' ORDER BY name, place;

-- Ties go to the earlier class, as sparselin_classify has it.
SELECT name, sparselin_class(model, '{1:-1}') AS class, (SELECT array_agg(c.class) FROM sparselin_classes(model, '{1:-1}') AS c) AS classes
FROM by_hand WHERE name IN ('two', 'boolean', 'plus_minus', 'zero_one') ORDER BY name;
SELECT c.* FROM by_hand, sparselin_classes(model, '{1:1}', 2) AS c WHERE name = 'hinge';
SELECT count(*) FROM by_hand, sparselin_classes(model, '{1:1}', 0) WHERE name = 'rest';
SELECT sparselin_class(NULL::sparselin_model, '{}'), sparselin_class(model, NULL), sparselin_probability(model, '{}', NULL),
       (SELECT count(*) FROM sparselin_classes(model, NULL)) AS classes
FROM by_hand WHERE name = 'rest';

-- MATH: what each run says of its own class by the sum over the classes; or softmax.
WITH s AS (
    SELECT name, model, x, c.*, 1 / (1 + exp(-score)) AS sigmoid
    FROM by_hand, (VALUES ('{}'::sparsearray), ('{1:2,2:-3}'), ('{3:20}'), ('{1:-30,2:-30,3:-30}')) AS r (x), sparselin_classes(model, x) AS c
    WHERE name IN ('rest', 'joint', 'two')
)
SELECT name, max(abs(probability - CASE name WHEN 'joint' THEN exp(score) / total ELSE sigmoid / sigmoids END)) < 1e-14 AS as_defined,
       bool_and(probability = sparselin_probability(model, x, class)) AS same_alone
FROM (SELECT *, sum(exp(score)) OVER w AS total, sum(sigmoid) OVER w AS sigmoids FROM s WINDOW w AS (PARTITION BY name, x::text)) AS t
GROUP BY name ORDER BY name;
SELECT name, sparselin_probability(model, '{1:1}', 'spam') = sparselin_probability(model, '{1:1}') AS of_the_later,
       sparselin_decide(model, '{1:1}') AS decide, sparselin_predict(model, '{1:1}') AS score
FROM by_hand WHERE name = 'two';
SELECT name, round(sum(probability)::numeric, 12) AS sum FROM by_hand, (VALUES ('{1:1e30}'::sparsearray), ('{1:-1e30}'), ('{2:1e30,3:-1e30}')) AS r (x),
     sparselin_classes(model, x) AS c WHERE name IN ('rest', 'joint') GROUP BY name, x::text ORDER BY 1, 2;

-- Errors name what to use instead.
SELECT sparselin_predict(model, '{1:1}') FROM by_hand WHERE name = 'rest';
SELECT sparselin_probability(model, '{1:1}') FROM by_hand WHERE name = 'rest';
SELECT sparselin_decide(model, '{1:1}') FROM by_hand WHERE name = 'joint two';
SELECT sparselin_classify(model, '{1:1}') FROM by_hand WHERE name = 'rest';
SELECT sparselin_classify(model, '{1:1}') FROM by_hand WHERE name = 'two';
SELECT sparselin_probability(model, '{1:1}', 'spma') FROM by_hand WHERE name = 'rest';
SELECT sparselin_probability(model, '{1:1}', 'Weather') FROM by_hand WHERE name = 'rest';
SELECT sparselin_probability(model, '{1:1}', '2') FROM by_hand WHERE name = 'zero_one';
SELECT sparselin_probability(model, '{1:1}', 'spam') FROM by_hand WHERE name = 'hinge';
SELECT sparselin_class(model, '{1:1}') FROM by_hand WHERE name = 'number';
SELECT * FROM by_hand, sparselin_classes(model, '{1:1}') WHERE name = 'number';
SELECT sparselin_probability(model, '{1:1}', 'x') FROM by_hand WHERE name = 'number';
SELECT * FROM by_hand, sparselin_classes(model, '{1:1}', -1) WHERE name = 'rest';
SELECT sparselin_class(model, '{1:1}/7') FROM (SELECT jsonb_set(model::jsonb, '{dimension}', '8')::sparselin_model AS model FROM by_hand WHERE name = 'rest') AS m;

-- Looking.
SELECT name, i.labels, i.classes, i.nonzero, i.bias FROM by_hand, sparselin_info(model) AS i ORDER BY name;
SELECT name, w.* FROM by_hand, LATERAL (SELECT row_number() OVER () AS place, * FROM sparselin_weights(model)) AS w
WHERE name IN ('joint two', 'two', 'number') ORDER BY name, place;
SELECT e.* FROM by_hand, sparselin_explain(model, '{1:1,3:-1}'::sparsearray) AS e WHERE by_hand.name = 'rest';
SELECT e.* FROM by_hand, sparselin_explain(model, '{1:1,3:-1}'::sparsearray, 1, 'other') AS e WHERE by_hand.name = 'rest';
SELECT e.* FROM by_hand, sparselin_explain(model, '{1:1,3:-1}'::sparsearray) AS e WHERE by_hand.name = 'two';
SELECT e.* FROM by_hand, sparselin_explain(model, '{1:1,3:-1}'::sparsearray, class => 'other') AS e WHERE by_hand.name = 'two';
SELECT e.* FROM by_hand, sparselin_explain(model, '{1:1,3:-1}'::sparsearray, class => 'false') AS e WHERE by_hand.name = 'boolean';
SELECT e.* FROM by_hand, sparselin_explain(model, '{1:1,3:-1}'::sparsearray, class => 'x') AS e WHERE by_hand.name = 'rest';
SELECT e.* FROM by_hand, sparselin_explain(model, '{1:1,3:-1}'::sparsearray, class => 'x') AS e WHERE by_hand.name = 'number';

-- Against scikit-learn 1.2.1: bench/classes.py has the same models and rows, and printed these numbers.
CREATE TEMP TABLE judged AS
SELECT i, i % 3 + 1 AS weight, sparsearray(ARRAY[x1, x2, x3]) AS x, label
FROM (
    SELECT i, (i * 7 % 11 - 5) / 4.0 AS x1, (i * 5 % 13 - 6) / 4.0 AS x2, (i * 3 % 7 - 3) / 4.0 AS x3,
           CASE WHEN i % 7 = 0 THEN lag(rule) OVER (ORDER BY i) ELSE rule END AS label
    FROM generate_series(1, 60) AS i,
         LATERAL (SELECT (ARRAY['bill', 'other', 'spam'])[1 + abs((i * 7 % 11 - 5) + 2 * (i * 5 % 13 - 6) + i % 2) % 3] AS rule) AS r
) AS t;
CREATE FUNCTION near(e sparselin_evaluation, VARIADIC float8[]) RETURNS boolean LANGUAGE sql AS $$
    SELECT bool_and(abs(ours - theirs) < 1e-13) FROM unnest(ARRAY[e.accuracy, e.precision, e.recall, e.f1, e.log_loss], $2) AS u (ours, theirs)
$$;
SELECT name, near(sparselin_evaluate(model, x, label), 0.26666666666666666, 0.28239681328926175, 0.2507936507936508, 0.2566013696448479,
                  CASE name WHEN 'rest' THEN 1.2379038567976504 ELSE 1.5582447725813646 END) AS plain,
       near(sparselin_evaluate(model, x, label, weight), 0.2916666666666667, 0.3100274187230709, 0.2599745853917869, 0.27381983890119055,
            CASE name WHEN 'rest' THEN 1.2428488966549702 ELSE 1.5600053825624325 END) AS weighted
FROM by_hand, judged WHERE name IN ('rest', 'joint') GROUP BY name ORDER BY name;
SELECT (c).* FROM (SELECT unnest(sparselin_confusion(model, x, label, weight)) AS c FROM by_hand, judged WHERE name = 'rest') AS t;
SELECT abs(e.accuracy - 0.275) + abs(e.precision - 0.17520564042303172) + abs(e.recall - 0.16651104886399004)
       + abs(e.f1 - 0.16251526251526255) < 1e-13 AS as_scikit_learn, e.rows, e.skipped, e.unknown
FROM (SELECT sparselin_evaluate(model, x, CASE WHEN i % 10 = 0 THEN 'news' WHEN i % 25 = 0 THEN 'ads' ELSE label END, weight) AS r
      FROM by_hand, judged WHERE name = 'rest') AS t, LATERAL (SELECT (r).*) AS e;
SELECT near(e, 0.38333333333333336, 0.3023255813953488, 0.65, 0.4126984126984127, 0.9048114221860523) AND abs((e).auc - 0.4225) < 1e-15 AS as_scikit_learn,
       to_jsonb(e) - 'unknown' = to_jsonb(of_boolean) - 'unknown' AS as_of_boolean, (e).unknown, (of_boolean).unknown
FROM (SELECT sparselin_evaluate(t.model, x, CASE label WHEN 'spam' THEN label ELSE 'other' END) AS e FROM judged, by_hand AS t WHERE t.name = 'two') AS t,
     (SELECT sparselin_evaluate(t.model, x, label = 'spam') AS of_boolean FROM judged, by_hand AS t WHERE t.name = 'boolean') AS u;
-- Two classes with a score each: only their difference matters.
SELECT count(*), max(abs(a.value::float8 - b.value::float8)) < 1e-14 AS same
FROM (SELECT sparselin_evaluate(model, x, CASE label WHEN 'spam' THEN label ELSE 'other' END) AS e FROM judged, by_hand WHERE name = 'joint two') AS t,
     (SELECT sparselin_evaluate(model, x, label = 'spam') AS e FROM judged, by_hand WHERE name = 'boolean') AS u,
     jsonb_each_text(jsonb_strip_nulls(to_jsonb(t.e))) AS a JOIN LATERAL jsonb_each_text(to_jsonb(u.e)) AS b USING (key)
WHERE key <> 'unknown';

-- The mean over the classes of what each binary model costs.
SELECT name, round((sparselin_evaluate(model, x, label)).loss::numeric, 12) AS loss, round((sparselin_evaluate(model, x, label)).objective::numeric, 12) AS objective,
       (sparselin_evaluate(model, x, label)).auc
FROM by_hand, judged WHERE name IN ('rest', 'joint', 'hinge') GROUP BY name ORDER BY name;
SELECT round(avg(loss)::numeric, 12) AS mean_of_binary
FROM (SELECT (sparselin_evaluate(sparselin_model(jsonb_build_object('learner', 'sgd', 'loss', 'logistic', 'labels', 'boolean',
                 'bias', bias, 'weights', weights)), x, label = class)).loss
      FROM judged, (VALUES ('bill', 0.25, '[1, -0.5, 0.25]'::jsonb), ('other', -0.125, '[-0.75, 1, 0.5]'), ('spam', 0.5, '[0.5, 0.25, -1]')) AS b (class, bias, weights)
      GROUP BY class) AS t;

-- No row, NULLs, weights of 0; unknown classes alone.
SELECT sparselin_evaluate(model, x, label), sparselin_confusion(model, x, label) FROM by_hand, judged WHERE name = 'none';
SELECT sparselin_evaluate(model, x, NULL::text), sparselin_confusion(model, x, NULL::text), sparselin_confusion(model, x, label, 0) FROM by_hand, judged WHERE name = 'rest' AND i = 1;
SELECT name, (sparselin_evaluate(model, '{}', 'news')).*, sparselin_confusion(model, '{}', 'news')
FROM by_hand WHERE name IN ('rest', 'joint', 'two', 'joint two', 'one') GROUP BY name ORDER BY name \gx
SELECT name, sparselin_confusion(model, x, i % 2 = 0), sparselin_confusion(model, x, (i % 2)::float8)
FROM by_hand, judged WHERE name IN ('boolean', 'plus_minus', 'zero_one') GROUP BY name ORDER BY name;
SELECT sparselin_confusion(model, '{1:1}', label) FROM by_hand, (VALUES (0), (-1)) AS l (label) WHERE name = 'zero_one';
SELECT sparselin_confusion(model, '{1:1}', 1) FROM by_hand WHERE name = 'number';
SELECT sparselin_confusion(model, '{1:1}', 'spam', 'NaN') FROM by_hand WHERE name = 'rest';
SELECT sparselin_confusion(model, '{1:1}', 'spam', 1e308) FROM by_hand, generate_series(1, 3) WHERE name = 'rest';
SELECT sparselin_evaluate(model, '{1:1}', 'spam') FROM by_hand WHERE name = 'boolean';
SELECT sparselin_evaluate(model, '{1:1}', 'spam') FROM by_hand WHERE name = 'zero_one';
SELECT sparselin_evaluate(model, '{1:1}', true) FROM by_hand WHERE name = 'two';
SELECT sparselin_confusion(model, '{1:1}', 1) FROM by_hand WHERE name = 'rest';
SELECT sparselin_confusion(model, '{1:1}', 'spam') FROM by_hand WHERE name IN ('rest', 'joint');

-- Hostile names.
CREATE TEMP TABLE hostile (class text);
INSERT INTO hostile VALUES (''), (' '), ('a'), ('a '), ('A'), ('"quoted"'), ($$it's$$), ('{1,2}'), ('NULL'), (E'line\nbreak'), (repeat('m', 1048576));
CREATE TEMP TABLE hostile_rows AS
SELECT sparsearray(ARRAY[row_number() OVER (ORDER BY class COLLATE "C")], ARRAY[1::float8], 16) AS x, class FROM hostile;
CREATE TEMP TABLE hostile_model AS SELECT casgd_train(x, class) AS m FROM hostile_rows, generate_series(1, 3);
SELECT bool_and(sparselin_class(m, x) = class) AS class, bool_and(sparselin_probability(m, x, class) = (c).probability) AS probability,
       bool_and((SELECT array_agg(h.class ORDER BY h.class COLLATE "C") FROM hostile AS h) = (sparselin_info(m)).classes) AS info,
       bool_and(sparselin_class(m::text::sparselin_model, x) = class) AS text, bool_and(sparselin_class(m::jsonb::sparselin_model, x) = class) AS jsonb,
       (sparselin_evaluate(m, x, class)).accuracy, cardinality(sparselin_confusion(m, x, class)) AS cells
FROM hostile_model, hostile_rows, LATERAL (SELECT sparselin_classes(m, x, 1) AS c) AS l;
SELECT left(actual, 12), rows FROM hostile_model, LATERAL (SELECT unnest(sparselin_confusion(m, x, class)) FROM hostile_rows) AS u (c), LATERAL (SELECT (c).*) AS d;
SELECT count(DISTINCT class), count(*) FROM hostile_model, sparselin_weights(m);
SELECT sparselin_probability(m, '{}', 'b') FROM hostile_model;
SELECT '{"learner": "sgd", "loss": "hinge", "labels": "text", "classes": ["a", "b\u0000", "c"], "bias": [0, 0, 0], "weights": {}}'::sparselin_model;
SELECT '{"learner": "sgd", "loss": "hinge", "labels": "text", "classes": ["a", "\ud800", "c"], "bias": [0, 0, 0], "weights": {}}'::sparselin_model;

-- In several processes, and by name.
CREATE TABLE judged_in_parallel AS SELECT j.* FROM judged AS j, generate_series(1, 500);
ALTER TABLE judged_in_parallel SET (parallel_workers = 2);
ANALYZE judged_in_parallel;
SELECT model AS rest FROM by_hand WHERE name = 'rest' \gset
SELECT model AS two FROM by_hand WHERE name = 'two' \gset
CREATE FUNCTION both_plans(query text) RETURNS TABLE (parallel boolean, same boolean) LANGUAGE plpgsql AS $$
DECLARE serial text; split text; plan json;
BEGIN
    SET LOCAL max_parallel_workers_per_gather = 0;
    EXECUTE query INTO serial;
    SET LOCAL max_parallel_workers_per_gather = 2; SET LOCAL parallel_setup_cost = 0; SET LOCAL parallel_tuple_cost = 0; SET LOCAL min_parallel_table_scan_size = 0;
    EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
    EXECUTE query INTO split;
    parallel := plan::text ~ 'Partial'; same := serial = split;
    RETURN NEXT;
END $$;
SELECT p.* FROM (VALUES ('rest', :'rest'), ('two', :'two')) AS m (name, model), (VALUES ('label'), ('CASE WHEN i % 9 = 0 THEN ''u'' || i ELSE label END')) AS l (label),
     both_plans(format('SELECT sparselin_confusion(%L::sparselin_model, x, %s, weight)::text FROM judged_in_parallel', model, label)) AS p;
SELECT p.* FROM (VALUES ('rest', :'rest'), ('two', :'two')) AS m (name, model), (VALUES ('label'), ('CASE WHEN i % 9 = 0 THEN ''u'' || i ELSE label END')) AS l (label),
     both_plans(format('SELECT (rows, unknown, round(accuracy::numeric, 12), round(precision::numeric, 12), round(recall::numeric, 12), round(f1::numeric, 12), round(loss::numeric, 12), round(log_loss::numeric, 12), auc)::text '
                       'FROM (SELECT (sparselin_evaluate(%L::sparselin_model, x, %s, weight)).* FROM judged_in_parallel) AS e', model, label)) AS p;
SELECT p.* FROM both_plans(format('SELECT sparselin_confusion(%L::sparselin_model, x, label = ''spam'')::text FROM judged_in_parallel', '{"learner": "sgd", "loss": "hinge", "labels": "boolean", "weights": [1]}')) AS p;
DROP TABLE judged_in_parallel;

SELECT proname, count(*), bool_and(CASE WHEN proargtypes[CASE prokind WHEN 'a' THEN 0 WHEN 'f' THEN CASE WHEN proname ~ '_step$' THEN 1 ELSE 0 END END] = 'text'::regtype THEN provolatile = 's' ELSE provolatile = 'i' END OR prokind = 'a') AS volatility,
       bool_and(proparallel = 's') AS parallel, bool_and(proisstrict) AS strict
FROM pg_proc WHERE proname ~ '^sparselin_(class|classes|probability|confusion|confusion_step)$' GROUP BY proname ORDER BY proname;
SELECT sparselin_class('no such model', '{}');
SELECT sparselin_confusion('no such model', '{}', 'x');
DROP FUNCTION both_plans, near;
