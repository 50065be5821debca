-- sparselin_gradient and sparselin_refine: F and its gradient, however rows come, and the way to the minimum

SET max_parallel_workers_per_gather = 0;
CREATE TABLE rows_to_refine AS
SELECT i AS id, i % 4 AS part, sparsearray(ARRAY[1 + i % 20, 21 + i % 7, 40 + i * 31 % 300]::bigint[],
                                           ARRAY[1, 1 + i % 3, (i::bigint * 7919 % 1000) / 1000.0 + 0.001]) AS x,
       i % 20 < 6 OR (i % 20 < 12 AND i % 7 = 3) OR i % 101 = 0 AS y, (i % 20) / 4.0 + (i % 7) ^ 2 / 10.0 AS number,
       (ARRAY['one', 'two', 'three', 'four'])[1 + CASE WHEN i % 13 = 0 THEN i % 3 ELSE i % 20 / 5 END] AS class,
       0.5 + i % 3 AS w
FROM generate_series(1, 4000) AS i;
ALTER TABLE rows_to_refine SET (parallel_workers = 4);
ANALYZE rows_to_refine;
CREATE TABLE kinds (kind text, learner text, options text, label text, weight text);
INSERT INTO kinds VALUES
    ('asgd', 'asgd', '', 'y', ''), ('casgd', 'casgd', 'epochs=2', 'y', ''), ('weights', 'casgd', 'epochs=2', 'y', ', w'),
    ('onepass', 'onepass', 'loss=squared_hinge lambda=1e-3', 'y', ''), ('std', 'casgd', 'scale=std epochs=3', 'y', ''),
    ('idf', 'casgd', 'scale=idf epochs=2', 'y', ''), ('maxabs', 'asgd', 'scale=maxabs loss=squared', 'number', ', w'), ('huber', 'casgd', 'loss=huber delta=0.3', 'number', ''),
    ('without intercept', 'sgd', 'intercept=false', 'y', ''), ('one against the rest', 'casgd', 'scale=std', 'class', ', w'),
    ('multinomial', 'casgd', 'loss=multinomial', 'class', ''), ('length 1', 'casgd', 'norm=l2 epochs=2', 'y', ''),
    ('length 1, std', 'asgd', 'norm=l2 scale=std loss=squared', 'number', ', w'), ('length 1, given centre', 'casgd', 'norm=l2 center={1:0.2,2:0.1,999:1}', 'y', ''),
    ('one against the rest, length 1, idf', 'casgd', 'norm=l2 scale=idf', 'class', ', w'),
    ('multinomial, length 1', 'casgd', 'loss=multinomial norm=l2 intercept=false', 'class', ''),
    ('balanced', 'casgd', 'class_weight=balanced epochs=2', 'y', ', w'), ('multinomial, balanced', 'casgd', 'class_weight=balanced loss=multinomial norm=l2', 'class', ''),
    ('one against the rest, balanced', 'asgd', 'class_weight=balanced scale=idf', 'class', ', w');
CREATE TABLE fitted (kind text, m sparselin_model, label text, weight text);
DO $$
DECLARE k record;
BEGIN
    FOR k IN SELECT * FROM kinds LOOP
        EXECUTE format('INSERT INTO fitted SELECT %L, %s_train(x, %s, %L%s ORDER BY id), %L, %L FROM rows_to_refine',
                       k.kind, k.learner, k.label, k.options, k.weight, k.label, k.weight);
    END LOOP;
END $$;
CREATE FUNCTION slope(m sparselin_model, label text, weight text, source text DEFAULT 'rows_to_refine') RETURNS sparselin_slope
LANGUAGE plpgsql AS $$
DECLARE
    found sparselin_slope;
BEGIN
    EXECUTE format('SELECT (g).* FROM (SELECT sparselin_gradient($1, x, %s%s) AS g FROM %s) AS s', label, weight, source) INTO found USING m;
    RETURN found;
END $$;
-- The sum of the squares of all numbers of a gradient.
CREATE FUNCTION squares(m sparselin_model) RETURNS float8 LANGUAGE sql AS $$
    SELECT sum(weight ^ 2) + (SELECT sum(b::text::float8 ^ 2) FROM jsonb_path_query(m::jsonb, '$.bias[*]') AS b) FROM sparselin_weights(m)
$$;
-- How far two of them are from each other, relative to the largest number.
CREATE FUNCTION difference(a sparselin_model, b sparselin_model) RETURNS float8 LANGUAGE sql AS $$
    SELECT max(abs(coalesce(v.weight, 0) - coalesce(w.weight, 0))) / max(abs(v.weight))
    FROM sparselin_weights(a) AS v FULL JOIN sparselin_weights(b) AS w
    ON v.feature = w.feature AND v.class IS NOT DISTINCT FROM w.class
$$;

-- F is what sparselin_evaluate says, where that says it; the gap is the length of the gradient
SELECT kind, (g).rows, CASE WHEN kind NOT LIKE '%balanced' THEN abs((g).objective / e - 1) < 1e-10 END AS as_evaluated,
       abs((g).gap / (squares((g).gradient) * CASE WHEN kind LIKE 'one against the rest%' THEN 4 ELSE 1 END / 2 / lambda) - 1) < 1e-12 AS gap
FROM (SELECT kind, slope(m, label, weight) AS g, (sparselin_info(m)).lambda,
             (xpath('//row/objective/text()', query_to_xml(format(
                 'SELECT (sparselin_evaluate(m, x, %s%s)).objective FROM rows_to_refine, fitted WHERE kind = %L', label, weight, kind),
                 false, false, '')))[1]::text::float8 AS e
      FROM fitted) AS s
ORDER BY 1;

-- a step down the gradient lowers F by as much as the gradient says
SELECT kind, abs((b - a) / (-h * q) - 1) < 1e-4 AS as_the_gradient_says
FROM (SELECT kind, (g).objective AS a, (slope(sparselin_model(jsonb_set(jsonb_set(m::jsonb, '{weights}', (
                 SELECT jsonb_object_agg(feature, coalesce(w.weight, 0) - h * coalesce(d.weight, 0))
                 FROM sparselin_weights(m) AS w FULL JOIN sparselin_weights((g).gradient) AS d USING (feature)
                 WHERE coalesce(w.weight, 0) - h * coalesce(d.weight, 0) <> 0)),
                 '{bias}', to_jsonb((sparselin_info(m)).bias - h * (sparselin_info((g).gradient)).bias))), label, weight)).objective AS b,
             h, squares((g).gradient) AS q
      FROM (SELECT *, slope(m, label, weight) AS g, 1e-5 AS h FROM fitted WHERE kind IN ('asgd', 'onepass')) AS s) AS t
ORDER BY 1;

-- however rows come: in parallel, by parts, in another order
CREATE TABLE slopes AS SELECT kind, m, label, weight, slope(m, label, weight) AS g FROM fitted;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 4;
CREATE FUNCTION plan_has(pattern text, query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        IF line ~ pattern THEN RETURN true; END IF;
    END LOOP;
    RETURN false;
END $$;
SELECT plan_has('Partial Aggregate', 'SELECT sparselin_gradient((SELECT m FROM fitted LIMIT 1), x, y) FROM rows_to_refine') AS in_parallel;
SELECT kind, p.rows = (g).rows AND abs(p.objective / (g).objective - 1) < 1e-14 AS objective,
       difference(p.gradient, (g).gradient) < 1e-12 AS gradient, abs(p.gap / (g).gap - 1) < 1e-11 AS gap
FROM slopes, LATERAL slope(m, label, weight) AS p ORDER BY 1;
SET max_parallel_workers_per_gather = 0;
SELECT kind, abs(p.objective / (g).objective - 1) < 1e-14 AND difference(p.gradient, (g).gradient) < 1e-12 AS in_another_order
FROM slopes, LATERAL slope(m, label, weight, '(SELECT * FROM rows_to_refine ORDER BY md5(id::text)) AS r') AS p ORDER BY 1;

-- rows that count for nothing, and no rows
SELECT (g).rows, (g).objective, (g).gap, (g).gradient
FROM (SELECT sparselin_gradient(m, NULL, y) AS g FROM rows_to_refine, fitted WHERE kind = 'asgd') AS s;
SELECT sparselin_gradient(m, x, y) IS NULL AS of_nothing FROM rows_to_refine, fitted WHERE kind = 'asgd' AND id < 0;
SELECT (sparselin_gradient(m, x, y, CASE WHEN id < 100 THEN w WHEN id < 200 THEN 0 END)).rows FROM rows_to_refine, fitted WHERE kind = 'asgd';

-- to the minimum: lower, the gap as asked for, and the same by parts
CREATE TABLE refined AS
SELECT f.kind, f.m, f.label, f.weight, r.*, p.refined AS by_parts, p.scans AS scans_by_parts, p.objective AS objective_by_parts
FROM fitted AS f,
     LATERAL (SELECT format('SELECT x AS features, %s AS label%s, part %s FROM rows_to_refine', label,
                            replace(weight, 'w', 'w AS weight'), '%s') AS query) AS q,
     LATERAL sparselin_refine(m, format(query, 'AS piece'), 400, 1e-6) AS r,
     LATERAL sparselin_refine(m, format(query, ''), 400, 1e-6) AS p;
SELECT kind, objective < objective_before AS lower, gap <= 1e-6 * objective AS gap,
       abs((slope(refined, label, weight)).objective / objective - 1) < 1e-10 AS as_added_up,
       abs((slope(m, label, weight)).objective / objective_before - 1) < 1e-10 AS as_before,
       scans = scans_by_parts AND abs(objective_by_parts / objective - 1) < 1e-9 AND difference(by_parts, refined) < 1e-6 AS by_parts
FROM refined ORDER BY 1;
-- rows that training makes are what they are when somebody makes them beforehand: the same minimum, and the same said of a row
CREATE FUNCTION made_by_hand(options text, features text, label text DEFAULT 'y', OUT lower boolean, OUT minimum boolean, OUT said boolean)
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format($query$
        WITH models AS MATERIALIZED (
                 SELECT sparselin_train(x, %3$s, 'epochs=2 %1$s' ORDER BY id) AS raw, sparselin_train(%2$s, %3$s, 'epochs=2' ORDER BY id) AS made
                 FROM rows_to_refine, idf_to_refine),
             refined AS MATERIALIZED (
                 SELECT a, b
                 FROM models, sparselin_refine(raw, 'SELECT x AS features, %3$s AS label FROM rows_to_refine', 400, 1e-9) AS a,
                      sparselin_refine(made, 'SELECT %2$s AS features, %3$s AS label FROM rows_to_refine, idf_to_refine', 400, 1e-9) AS b)
        SELECT bool_and((a).objective < (a).objective_before), bool_and(abs((a).objective / (b).objective - 1) < 1e-6),
               max(abs(p.probability - q.probability)) < 1e-4
        FROM refined, rows_to_refine, idf_to_refine, sparselin_classes((a).refined, x) AS p JOIN sparselin_classes((b).refined, %2$s) AS q USING (class)
    $query$, options, features, label) INTO lower, minimum, said;
END $$;
CREATE TABLE idf_to_refine AS SELECT sparselin_idf(x) AS idf FROM rows_to_refine;
SELECT options, made.*
FROM (VALUES ('norm=l2', 'sparsearray_normalize(x)', 'y'), ('norm=l2', 'sparsearray_normalize(x)', 'class'),
             ('scale=idf', 'sparsearray_multiply(x, idf)', 'y'), ('norm=l2 scale=idf', 'sparsearray_normalize(sparsearray_multiply(x, idf))', 'y')) AS these (options, features, label),
     made_by_hand(options, features, label) AS made;

-- and classes that weigh the same are what they are with weights of their rows; one class alone weighs what its rows do
CREATE FUNCTION unbalanced(m sparselin_model) RETURNS sparselin_model LANGUAGE sql AS $$
    SELECT sparselin_model(jsonb_set(m::jsonb, '{options}', to_jsonb(replace(m::jsonb->>'options', 'class_weight=balanced', ''))))
$$;
CREATE VIEW weighted_to_refine AS
SELECT *, 4000.0 / (2 * count(*) OVER (PARTITION BY y)) AS of_y, 4000.0 / (4 * count(*) OVER (PARTITION BY class)) AS of_class FROM rows_to_refine;
SELECT kind, abs(p.objective / (g).objective - 1) < 1e-13 AS objective, difference((g).gradient, p.gradient) < 1e-12 AS gradient,
       abs(b.objective / (g).objective - 1) > 1e-3 AS matters, r.scans = a.scans AND abs(r.objective / a.objective - 1) < 1e-9 AS minimum
FROM slopes, slope(unbalanced(m), label, format(', of_%s%s', label, replace(weight, ', w', ' * w')), 'weighted_to_refine') AS p, slope(unbalanced(m), label, weight) AS b,
     sparselin_refine(m, format('SELECT x AS features, %s AS label%s FROM rows_to_refine', label, replace(weight, 'w', 'w AS weight'))) AS r,
     sparselin_refine(unbalanced(m), format('SELECT x AS features, %1$s AS label, of_%1$s%2$s AS weight FROM weighted_to_refine', label, replace(weight, ', w', ' * w'))) AS a
WHERE kind LIKE '%balanced' ORDER BY 1;
SELECT abs((slope(m, label, weight, of_one)).objective / (slope(unbalanced(m), label, weight, of_one)).objective - 1) < 1e-15 AS one_class
FROM fitted, (VALUES ('(SELECT * FROM rows_to_refine WHERE y) AS r')) AS s (of_one) WHERE kind = 'balanced';

-- features that a model on a scale has not seen do not count, as they do not when it predicts
SELECT abs(b.objective / a.objective - 1) < 1e-13 AS objective, difference(a.refined, b.refined) < 1e-6 AS model, a.scans = b.scans AS scans
FROM fitted, sparselin_refine(m, 'SELECT x AS features, class AS label FROM rows_to_refine') AS a,
     sparselin_refine(m, 'SELECT x + sparsearray(ARRAY[1000 + id % 30], ARRAY[7]) AS features, class AS label FROM rows_to_refine') AS b
WHERE kind = 'one against the rest, length 1, idf';

-- who has it already makes one scan, and gets what was given
SELECT kind, r.scans, r.refined::text = f.refined::text AS same
FROM refined AS f, sparselin_refine(f.refined, 'SELECT x AS features, y AS label FROM rows_to_refine', 40, 1e-2) AS r
WHERE kind = 'casgd';
-- lambda follows the rows unless it was given; there is nothing to go on from
SELECT (i).lambda * (i).rows AS z, (i).rows, (i).resumable
FROM (SELECT sparselin_info((sparselin_refine(m, 'SELECT x AS features, y AS label FROM rows_to_refine WHERE id <= 1000', 5)).refined) AS i
      FROM fitted WHERE kind = 'casgd') AS s;
SELECT (sparselin_info((sparselin_refine(asgd_train(x, y, 'lambda=0.01'), 'SELECT x AS features, y AS label FROM rows_to_refine', 5)).refined)).lambda
FROM rows_to_refine WHERE id <= 1000;
-- models of parts, merged: within 1 % of the minimum, and as good as one of all rows
SELECT r.scans <= 40 AND r.objective < 1.01 * best.objective AND r.objective < 0.95 * r.objective_before AS near
FROM (SELECT sparselin_merge(m) AS m FROM (SELECT asgd_train(x, y, 'settle=false') AS m FROM rows_to_refine GROUP BY id % 8) AS s) AS merged,
     sparselin_refine(m, 'SELECT x AS features, y AS label, part FROM rows_to_refine') AS r,
     (SELECT objective FROM refined WHERE kind = 'asgd') AS best;

-- parts of which nothing is known: their sums are empty
SELECT kind, (SELECT bool_or(r.scans > 1 AND r.objective < r.objective_before) FROM sparselin_refine(m,
    format('SELECT CASE WHEN id %% 3 > 0 THEN x END AS features, %s AS label, id %% 3 AS part FROM rows_to_refine', label)) AS r) AS better
FROM fitted WHERE kind IN ('multinomial', 'one against the rest', 'multinomial, balanced', 'one against the rest, balanced') ORDER BY kind;

-- a class that is alone
SELECT abs((g).objective / (e).objective - 1) < 1e-12 AS same, r.objective <= r.objective_before AS not_worse,
       sparselin_probability(refined, '{1:1}') > 0.9 AS still_it
FROM (SELECT asgd_train(x, 'only'::text) AS m FROM rows_to_refine) AS alone,
     LATERAL (SELECT sparselin_gradient(m, x, 'only'::text) AS g, sparselin_evaluate(m, x, 'only'::text) AS e FROM rows_to_refine) AS judged,
     sparselin_refine(m, 'SELECT x AS features, ''only''::text AS label FROM rows_to_refine') AS r;

-- what cannot be refined, and what is no query
\set VERBOSITY default
SELECT sparselin_gradient(asgd_train, x, y) FROM rows_to_refine, (SELECT asgd_train(x, y, 'loss=hinge') FROM rows_to_refine) AS s;
SELECT sparselin_gradient(elasticnet_train, x, y) FROM rows_to_refine, (SELECT elasticnet_train(x, y) FROM rows_to_refine) AS s;
SELECT sparselin_gradient(NULL::sparselin_model, x, y) FROM rows_to_refine;
SELECT sparselin_gradient(m, x, class) FROM rows_to_refine, fitted WHERE kind = 'casgd';
SELECT sparselin_gradient(m, x, upper(class)) FROM (SELECT * FROM rows_to_refine ORDER BY id) AS r, fitted WHERE kind = 'multinomial';
SELECT sparselin_gradient(m, x, y) FROM rows_to_refine, fitted WHERE kind IN ('asgd', 'casgd');
SELECT sparselin_gradient(m, x, y, -w) FROM (SELECT * FROM rows_to_refine ORDER BY id) AS r, fitted WHERE kind = 'asgd';
SELECT sparselin_refine(m, 'SELECT x AS features, y AS label FROM rows_to_refine', 0) FROM fitted WHERE kind = 'asgd';
SELECT sparselin_refine(m, 'SELECT x AS features, y AS label FROM rows_to_refine', 5, -1) FROM fitted WHERE kind = 'asgd';
SELECT sparselin_refine(m, 'SELECT x AS features, y AS label FROM rows_to_refine WHERE id < 0') FROM fitted WHERE kind = 'asgd';
SELECT sparselin_refine(m, 'SELECT x AS features, NULL::boolean AS label FROM rows_to_refine') FROM fitted WHERE kind = 'asgd';
SELECT sparselin_refine(m, 'SELECT NULL::sparsearray AS features, class AS label, part FROM rows_to_refine') FROM fitted WHERE kind = 'multinomial';
SELECT sparselin_refine(m, 'SELECT x, y AS label FROM rows_to_refine') FROM fitted WHERE kind = 'asgd';
SELECT sparselin_refine(m, 'DELETE FROM rows_to_refine') FROM fitted WHERE kind = 'asgd';
SELECT sparselin_refine(m, 'SELECT x AS features, y AS label FROM rows_to_refine WHERE $1 < now()') FROM fitted WHERE kind = 'asgd';
SELECT sparselin_refine(m, 'SELECT x AS features, id / (id - 7) > 1 AS label FROM rows_to_refine') FROM fitted WHERE kind = 'asgd';
DO $$
BEGIN
    PERFORM sparselin_refine(m, 'SELECT x AS features, y AS label FROM rows_to_refine WHERE random() < 0.5') FROM fitted WHERE kind = 'asgd';
EXCEPTION WHEN invalid_parameter_value THEN
    RAISE NOTICE '%', regexp_replace(SQLERRM, '\d+', 'some', 'g');
END $$;
SELECT sparselin_gradient_total('\x00') ;
SELECT sparselin_refine(NULL, 'SELECT 1') IS NULL AS of_null;
