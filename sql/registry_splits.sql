-- What is held out by sparselin_fit: told by a key, by hand, or by the features; and what comes of it when those move.
\pset null '(null)'
\set SHOW_CONTEXT never
CREATE FUNCTION pg_temp.without_numbers(text) RETURNS text LANGUAGE sql AS
$$ SELECT regexp_replace($1, '\d+(\.\d+)?', '#', 'g') $$;

-- By key: a share of the keys, more with a larger share, and neither the same rows as by features nor as a search has.
SELECT count(*) FILTER (WHERE sparselin_held_out_by_key(i::text, 0.2)) AS fifth,
       bool_and(sparselin_held_out_by_key(i::text, 0.5) OR NOT sparselin_held_out_by_key(i::text, 0.2)) AS more,
       bool_or(sparselin_held_out_by_key(i::text, 0)) AS none, bool_and(sparselin_held_out_by_key(i::text, 1)) AS all,
       count(*) FILTER (WHERE sparselin_search_held_out_by_key(i::text, 0.2)) AS searched,
       count(*) FILTER (WHERE sparselin_search_held_out_by_key(i::text, 0.2) AND sparselin_held_out_by_key(i::text, 0.2)) AS both
FROM generate_series(1, 10000) AS i;
SELECT sparselin_held_out_by_key('customer 1', 0.2), sparselin_held_out_by_key('customer 2', 0.2), sparselin_held_out_by_key('customer 3', 0.2),
       sparselin_held_out_by_key('', 0.2), sparselin_held_out_by_key(NULL, 0.2);
SELECT sparselin_held_out_by_key('a', -0.1);
SELECT sparselin_row_hash('{1:1,7:0.5}') = sparselin_row_hash('{1:1,7:0.5}/10') AS whatever_the_dimension,
       sparselin_row_hash('{1:1,7:0.5}') <> sparselin_row_hash('{1:1,8:0.5}') AS by_features;

CREATE TABLE split_rows AS
SELECT i AS id, i % 400 AS customer, timestamptz '2026-01-01 12:00+00' + i * interval '1 hour' AS seen,
       sparsearray(ARRAY[1 + i % 20, 21 + i % 7, 40 + i * 31 % 300], ARRAY[1, 1, 0.5]) AS x,
       i % 20 < 6 OR (i % 20 < 12 AND i % 7 = 3) OR i % 11 = 0 AS y, 1 + i % 3 AS w
FROM generate_series(1, 4000) AS i;

-- What was measured has learned from no row of a key that is held out; the search within has dealt by key, too.
SELECT version, active, metric, pg_temp.without_numbers(note) AS note
FROM sparselin_fit('by key', 'SELECT x AS features, y AS label, customer AS key FROM split_rows ORDER BY id');
SELECT m.held_out = (SELECT count(*) FROM split_rows WHERE sparselin_held_out_by_key(customer::text, 0.2)) AS by_key,
       m.rows, v.measured::text = (
           SELECT sparselin_compact((sparselin_fit_rows('casgd', x, y, 'search=true', 1, sparselin_search_held_out_by_key(customer::text, 0.2), NULL, NULL ORDER BY id)
                                     FILTER (WHERE NOT sparselin_held_out_by_key(customer::text, 0.2))).model)::text
           FROM split_rows) AS measured,
       v.measured::text = (
           SELECT sparselin_compact(casgd_train(x, y, 'search=true' ORDER BY id) FILTER (WHERE NOT sparselin_held_out_by_key(customer::text, 0.2)))::text
           FROM split_rows) AS as_if_searched_by_features,
       abs(m.value - (SELECT (sparselin_evaluate(v.measured, x, y)).log_loss FROM split_rows
                      WHERE sparselin_held_out_by_key(customer::text, 0.2))) < 1e-12 AS value
FROM sparselin_models AS m JOIN sparselin_model_values AS v USING (name, version) WHERE name = 'by key';
-- A search's loss of each strength is that of a model of the rows that it does not judge by, on those that it does.
SELECT count(*) AS tried, max(abs(tried.loss - (
           SELECT (sparselin_evaluate(t.model, x, y)).loss FROM split_rows
           WHERE NOT sparselin_held_out_by_key(customer::text, 0.2) AND sparselin_search_held_out_by_key(customer::text, 0.2)))) < 1e-9 AS by_key
FROM sparselin_model_values AS v, sparselin_info(v.measured) AS i, sparselin_search(v.measured) AS tried,
     LATERAL (SELECT casgd_train(x, y, sparselin_options(lambda => tried.lambda * i.rows / count) ORDER BY id) AS model
              FROM (SELECT *, count(*) OVER () FROM split_rows
                    WHERE NOT sparselin_held_out_by_key(customer::text, 0.2) AND NOT sparselin_search_held_out_by_key(customer::text, 0.2)) AS learned
             ) AS t
WHERE v.name = 'by key' AND tried.lambda * i.rows > 0.02;

-- Keys of all types go by their text, and a time by that in UTC, whatever the session's settings.
CREATE FUNCTION pg_temp.held_out_with(key text) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM sparselin_fit('by ' || key, format('SELECT x AS features, y AS label, %s AS key FROM split_rows', key), options => 'search=false epochs=1', replace => true);
    RETURN (SELECT held_out FROM sparselin_models WHERE name = 'by ' || key AND active);
END $$;
SELECT key, pg_temp.held_out_with(key) AS held_out, (SELECT count(*) FROM split_rows WHERE sparselin_held_out_by_key(customer::text, 0.2)) AS expected
FROM unnest(ARRAY['customer::text', 'customer::bigint', 'customer::numeric', 'customer::text COLLATE "C"', 'customer::varchar', 'customer::text::name']) AS key;
CREATE TABLE split_counts AS
SELECT key, pg_temp.held_out_with(key) AS held_out
FROM unnest(ARRAY['seen', 'date ''2026-01-01'' + customer', 'seen AT TIME ZONE ''UTC''', 'ROW(customer)', 'ARRAY[customer]',
                   'md5(customer::text)::uuid', 'jsonb_build_object(1, customer)',
                   'customer / 0.3::float8', 'interval ''1.5 days'' * customer', 'customer::text::bytea', 'customer::money', 'ROW(seen)', 'ARRAY[seen]',
                   'tstzrange(NULL, seen)', 'daterange(NULL, date ''2026-01-01'' + customer)', 'point(customer / 0.3, 1)']) AS key;
SET TimeZone = 'Asia/Tokyo';
SET DateStyle = 'German';
SET IntervalStyle = 'iso_8601';
SET extra_float_digits = -5;
SET bytea_output = 'escape';
SELECT key, held_out BETWEEN 600 AND 1000 AS fifth, held_out = pg_temp.held_out_with(key) AS the_same FROM split_counts;
RESET TimeZone;
RESET IntervalStyle;
RESET extra_float_digits;
RESET bytea_output;
RESET DateStyle;
-- Types of the session's own that hide those of the server, as temporary ones do wherever search_path does not say otherwise, are not taken for them.
CREATE DOMAIN pg_temp.text AS pg_catalog.text CHECK (false);
CREATE DOMAIN pg_temp.date AS pg_catalog.date CHECK (false);
CREATE DOMAIN pg_temp.timestamptz AS pg_catalog.timestamptz CHECK (false);
SELECT label, key, value > 0 AS fitted
FROM (VALUES ('y', 'NULL'), ('y', 'id'), ('y', 'md5(id::pg_catalog.text)'), ('y', 'seen'), ('y', 'ROW(id)'), ('md5((id % 2)::pg_catalog.text)', 'id'),
             ('pg_catalog.date ''2026-01-01'' + id % 2', 'id'), ('id % 2', 'id')) AS v (label, key),
     sparselin_fit('hidden', format('SELECT x AS features, %s AS label, %s AS key FROM split_rows', label, key), options => 'epochs=1', replace => true) AS f;
DROP DOMAIN pg_temp.text, pg_temp.date, pg_temp.timestamptz;
-- Without a key a row goes by its features.
SELECT version FROM sparselin_fit('some keys', 'SELECT x AS features, y AS label, CASE WHEN id % 2 = 0 THEN customer END AS key FROM split_rows');
SELECT held_out = (SELECT count(*) FROM split_rows
                   WHERE CASE WHEN id % 2 = 0 THEN sparselin_held_out_by_key(customer::text, 0.2) ELSE sparselin_held_out(x, 0.2) END) AS both_ways
FROM sparselin_models WHERE name = 'some keys';

-- By hand: by time. A NULL is not held out; a key still tells a search apart.
SELECT version, metric, pg_temp.without_numbers(note) AS note
FROM sparselin_fit('by time', $$SELECT x AS features, y AS label, w AS weight, seen > '2026-06-01' AS held_out FROM split_rows ORDER BY id$$, options => 'search=false');
SELECT m.held_out = (SELECT count(*) FROM split_rows WHERE seen > '2026-06-01') AS held_out,
       v.measured::text = (SELECT sparselin_compact(casgd_train(x, y, 'search=false', w ORDER BY id) FILTER (WHERE seen <= '2026-06-01'))::text FROM split_rows) AS measured,
       v.model::text = (SELECT sparselin_compact(casgd_train(x, y, 'search=false', w ORDER BY id))::text FROM split_rows) AS model
FROM sparselin_models AS m JOIN sparselin_model_values AS v USING (name, version) WHERE name = 'by time';
SELECT version FROM sparselin_fit('by hand', 'SELECT x AS features, y AS label, customer AS key, CASE WHEN id > 100 THEN id > 3500 END AS held_out FROM split_rows ORDER BY id', holdout => 0);
SELECT held_out, rows FROM sparselin_models WHERE name = 'by hand';
SELECT v.measured::text = (
           SELECT sparselin_compact((sparselin_fit_rows('casgd', x, y, 'search=true', 1, sparselin_search_held_out_by_key(customer::text, 0.2), NULL, NULL ORDER BY id)
                                     FILTER (WHERE id <= 3500)).model)::text
           FROM split_rows) AS search_by_key
FROM sparselin_model_values AS v WHERE name = 'by hand';
SELECT * FROM sparselin_fit('nowhere', 'SELECT x AS features, y AS label, false AS held_out FROM split_rows');
SELECT * FROM sparselin_fit('everywhere', 'SELECT x AS features, y AS label, true AS held_out FROM split_rows');
SELECT * FROM sparselin_fit('by key', 'SELECT x AS features, y AS label, 7 AS key FROM split_rows', replace => true);

-- A search is made where rows are kept, and nobody has said how strongly to regularise.
CREATE TABLE split_calls AS
SELECT coalesce(learner || ' ' || options, learner) AS name, learner, options::sparselin_options
FROM (VALUES ('casgd', NULL), ('casgd', 'epochs=3'), ('casgd', 'lambda=1e-3'), ('casgd', 'search=false'), ('sgd', 'search=true'),
             ('casgd', 'search=false lambda=1e-3'), ('onepass', NULL), ('onepass', 'sampling=shuffle'), ('asgd', 'epochs=1 sampling=sequential lambda=1e-4'),
             ('truncated', NULL), ('truncated', 'gravity=1e-3'), ('truncated', 'method=round threshold=0.01'),
             ('elasticnet', NULL), ('elasticnet', 'l1=1e-4'), ('elasticnet', 'lambda=1e-4')) AS calls (learner, options);
SELECT count(sparselin_fit(name, 'SELECT x AS features, y AS label FROM split_rows', learner, options)) FROM split_calls;
SELECT name, (SELECT count(*) > 5 FROM sparselin_search(name)) AS searched FROM split_calls;
SELECT sparselin_fit('both', 'SELECT x AS features, y AS label FROM split_rows', options => 'search=true lambda=1e-3');
-- Nobody who has not asked for it is told that there are too few rows for one.
SELECT version FROM sparselin_fit('few', 'SELECT x AS features, y AS label FROM split_rows WHERE id <= 100');
SELECT version FROM sparselin_fit('few', 'SELECT x AS features, y AS label FROM split_rows WHERE id <= 100', options => 'search=true', replace => true);

-- Columns that look like typing errors, or like others' names for what is a column here.
SELECT sparselin_fit('typo', 'SELECT x AS features, y AS label, w AS wieght FROM split_rows');
SELECT sparselin_fit('typo', 'SELECT x AS features, y AS label, w AS keys FROM split_rows');
SELECT sparselin_fit('typo', 'SELECT x AS features, y AS label, y AS heldout FROM split_rows');
SELECT sparselin_fit('typo', 'SELECT x AS features, y AS label, y AS is_train FROM split_rows');
SELECT sparselin_fit('typo', 'SELECT x AS features, y AS label, w AS sample_weight FROM split_rows');
SELECT sparselin_fit('typo', 'SELECT x AS features, y AS label, w AS held_out FROM split_rows');
SELECT sparselin_fit('typo', 'SELECT x AS features, y AS label, ''a'' AS key, ''b'' AS key FROM split_rows');

-- Rows whose features move, as with idf: each has a rare feature of its own, by which a model knows it again, and the labels
-- are noisy. Without a key the split is dealt anew: version 1 is judged by rows that it has learned from, and does better
-- than version 2, of which it can learn more, would on rows that neither has seen. With a key it is the other way round.
CREATE TABLE split_documents AS
SELECT i AS id, i % 40 AS topic, get_byte(decode(md5(i::text), 'hex'), 0) < CASE WHEN i % 40 < 20 THEN 40 ELSE 216 END AS y
FROM generate_series(1, 3000) AS i;
CREATE TABLE split_day AS SELECT 300 AS documents, 1.0 AS idf;
CREATE VIEW split_features AS
SELECT id, sparsearray(ARRAY[1 + topic, 100 + id], ARRAY[idf, idf]) AS x, y
FROM split_documents, split_day WHERE id <= documents ORDER BY id;
SELECT version FROM sparselin_fit('moving', 'SELECT x AS features, y AS label FROM split_features', options => 'lambda=1e-3');
SELECT version FROM sparselin_fit('moving, keyed', 'SELECT x AS features, y AS label, id AS key FROM split_features', options => 'lambda=1e-3');
UPDATE split_day SET documents = 1000, idf = 1.01;
SELECT version, active, pg_temp.without_numbers(note) AS note FROM sparselin_retrain('moving');
SELECT version, active, pg_temp.without_numbers(note) AS note FROM sparselin_retrain('moving, keyed');
SELECT name, still_held_out FROM sparselin_models WHERE name LIKE 'moving%' AND version = 2 ORDER BY 1;
-- On rows that none of them has seen:
UPDATE split_day SET documents = 3000;
SELECT a.name, (SELECT (sparselin_evaluate(b.measured, x, y)).log_loss < (sparselin_evaluate(a.measured, x, y)).log_loss
                FROM split_features WHERE id > 1000) AS second_is_better
FROM sparselin_model_values AS a JOIN sparselin_model_values AS b USING (name) WHERE a.name LIKE 'moving%' AND a.version = 1 AND b.version = 2 ORDER BY 1;
-- Where rows stay as they are, new ones do no harm.
SELECT version FROM sparselin_fit('staying', 'SELECT x AS features, y AS label FROM split_features WHERE id <= 900');
UPDATE sparselin_models SET query = 'SELECT x AS features, y AS label FROM split_features' WHERE name = 'staying';
SELECT pg_temp.without_numbers(note) AS note FROM sparselin_retrain('staying');
SELECT still_held_out FROM sparselin_models WHERE name = 'staying' ORDER BY version;

-- The standard error of the difference, against its definition.
WITH rows AS (
    SELECT sparselin_row_cost(b.measured, x, y, 'log_loss') - sparselin_row_cost(a.measured, x, y, 'log_loss') AS d
    FROM split_features, sparselin_model_values AS a JOIN sparselin_model_values AS b USING (name)
    WHERE a.name = 'moving, keyed' AND a.version = 1 AND b.version = 2 AND id <= 1000 AND sparselin_held_out_by_key(id::text, 0.2)
)
SELECT abs(standard_error / (SELECT stddev_samp(d) / sqrt(count(*)) FROM rows) - 1) < 1e-9 AS standard_error,
       abs(value - previous_value - (SELECT avg(d) FROM rows)) < 1e-12 AS difference
FROM sparselin_models WHERE name = 'moving, keyed' AND version = 2;
-- With weights: sqrt(n/(n-1) sum (w (d - mean))^2) / sum w. A row that counts for nothing is none.
WITH rows (w, d) AS (VALUES (1.0, 0.5), (2, -0.25), (0.5, 1), (3, 0)),
     mean AS (SELECT sum(w * d) / sum(w) AS m FROM rows)
SELECT abs(sparselin_standard_error(ARRAY[count(*), sum(w), sum(w * d), sum(w * w), sum(w * w * d), sum(w * w * d * d)]::float8[])
           - (SELECT sqrt(4 / 3.0 * sum((w * (d - m)) ^ 2)) / sum(w) FROM rows, mean)) < 1e-12 AS weighted
FROM rows;
-- Of root mean squares: that of the squares, by their sum.
SELECT version FROM sparselin_fit('rmse', 'SELECT x AS features, id % 5 AS label, w AS weight, id AS key FROM split_rows WHERE id <= 1000', options => 'loss=squared');
UPDATE sparselin_models SET query = 'SELECT x AS features, id % 5 AS label, w AS weight, id AS key FROM split_rows' WHERE name = 'rmse';
SELECT version, metric FROM sparselin_retrain('rmse', tolerance => 1);
WITH rows AS (
    SELECT w, (sparselin_predict(a.measured, x) - id % 5) ^ 2 AS before, (sparselin_predict(b.measured, x) - id % 5) ^ 2 AS now
    FROM split_rows, sparselin_model_values AS a JOIN sparselin_model_values AS b USING (name)
    WHERE a.name = 'rmse' AND a.version = 1 AND b.version = 2 AND sparselin_held_out_by_key(id::text, 0.2)
), means AS (SELECT sum(w * before) / sum(w) AS before, sum(w * now) / sum(w) AS now, sum(w) AS w, count(*) AS n FROM rows)
SELECT abs(value / sqrt(means.now) - 1) < 1e-12 AS value, abs(previous_value / sqrt(means.before) - 1) < 1e-12 AS previous_value,
       abs(standard_error * (sqrt(means.now) + sqrt(means.before)) * means.w
           / (SELECT sqrt(n / (n - 1.0) * sum((r.w * (r.now - r.before - means.now + means.before)) ^ 2)) FROM rows AS r) - 1) < 1e-9 AS standard_error
FROM sparselin_models, means WHERE name = 'rmse' AND version = 2;
SELECT sparselin_standard_error('{1,1,0.5,1,0.5,0.25}') AS of_one_row, sparselin_standard_error(NULL) AS of_none;

-- What a row costs adds up to what an evaluation says, whatever the loss and the labels.
SELECT loss, sparselin_measure(model, model) AS measure, abs(CASE sparselin_measure(model, model) WHEN 'rmse' THEN sqrt(cost) ELSE cost END
       - sparselin_measured_value(to_jsonb(e), sparselin_measure(model, model))) < 1e-12 AS same
FROM (VALUES ('logistic'), ('hinge'), ('squared_hinge'), ('squared'), ('absolute'), ('huber'), ('quantile')) AS losses (loss),
     LATERAL (SELECT casgd_train(x, y::int, sparselin_options(loss => loss, epochs => 2)) AS model FROM split_rows) AS t,
     LATERAL (SELECT avg(sparselin_row_cost(model, x, y::int, sparselin_measure(model, model))) AS cost,
                     sparselin_evaluate(model, x, y::int) AS e FROM split_rows) AS o;
SELECT loss, measure, abs(cost - sparselin_measured_value(to_jsonb(e), measure)) < 1e-12 AS same
FROM (VALUES ('logistic', 'log_loss'), ('logistic', 'logistic_loss'), ('multinomial', 'log_loss'), ('hinge', 'hinge_loss'), ('hinge', 'error_rate')) AS losses (loss, measure),
     (VALUES (2), (5)) AS counts (classes),
     LATERAL (SELECT casgd_train(x, (id % classes)::text, sparselin_options(loss => loss, epochs => 2)) AS model FROM split_rows WHERE id <= 500) AS t,
     LATERAL (SELECT avg(sparselin_row_cost(model, x, (id % (classes + 1))::text, measure)) AS cost,
                     sparselin_evaluate(model, x, (id % (classes + 1))::text) AS e FROM split_rows WHERE id <= 500) AS o;
-- The names of numbers: estimates have errors in the label's unit, and two hinge models of other classes a share of errors.
SELECT sparselin_measure(a.model, b.model)
FROM (SELECT casgd_train(x, (id % 3)::text, 'loss=hinge') AS model FROM split_rows) AS a, (SELECT casgd_train(x, (id % 4)::text, 'loss=hinge') AS model FROM split_rows) AS b;

-- Curve, calibration and confusion of the rows held out are kept, those that there are for a model.
SELECT name, (SELECT string_agg(key, ' ' ORDER BY key) FROM jsonb_object_keys(charts) AS key) AS charts,
       charts -> 'curve' = jsonb_strip_nulls((SELECT to_jsonb(sparselin_curve(v.measured, x, y)) FROM split_rows WHERE sparselin_held_out_by_key(customer::text, 0.2))) AS curve,
       charts -> 'calibration' = (SELECT to_jsonb(sparselin_calibration(v.measured, x, y)) FROM split_rows WHERE sparselin_held_out_by_key(customer::text, 0.2)) AS calibration,
       charts -> 'confusion' = (SELECT to_jsonb(sparselin_confusion(v.measured, x, y)) FROM split_rows WHERE sparselin_held_out_by_key(customer::text, 0.2)) AS confusion
FROM sparselin_model_values AS v WHERE name = 'by key';
SELECT count(*) > 10 AS points, max(recall) AS recall FROM sparselin_model_values, jsonb_populate_recordset(NULL::sparselin_curve_point, charts -> 'curve') WHERE name = 'by key';
CREATE TABLE split_kinds AS SELECT kind, label, options FROM (VALUES
    ('hinge', 'y', 'loss=hinge'), ('numbers', 'id % 5', 'loss=squared'), ('three', '(id % 3)::text', ''), ('two', '(id % 2)::text', ''),
    ('joint', '(id % 2)::text', 'loss=multinomial'), ('nothing', 'y', '')) AS k (kind, label, options);
SELECT count(sparselin_fit(kind, format('SELECT x AS features, %s AS label, id AS key FROM split_rows', label), options => (options || ' search=false')::sparselin_options,
    holdout => CASE kind WHEN 'nothing' THEN 0 ELSE 0.2 END)) FROM split_kinds;
SELECT name, (SELECT string_agg(key, ' ' ORDER BY key) FROM jsonb_object_keys(charts) AS key) AS charts FROM sparselin_model_values JOIN split_kinds ON kind = name ORDER BY 1;

-- Categories: equal rows are held out together, so that what was measured has not learned some of them at all. What predicts has.
CREATE TABLE split_categories AS
SELECT sparsearray(ARRAY[c], ARRAY[1]) AS x, i <= 20 + 2 * c AS y FROM generate_series(1, 30) AS c, generate_series(1, 100) AS i;
SELECT version, pg_temp.without_numbers(note) AS note FROM sparselin_fit('categories', 'SELECT x AS features, y AS label FROM split_categories ORDER BY x, y');
SELECT count(*) AS categories, count(*) FILTER (WHERE NOT sparselin_held_out(x, 0.2)) AS learned_to_measure,
       max(abs(sparselin_probability('categories', x) - share)) < 0.05 AS probabilities_are_right,
       max(abs(sparselin_probability(measured, x) - share)) > 0.1 AS those_of_measured_are_not
FROM (SELECT x, avg(y::int) AS share FROM split_categories GROUP BY x) AS c, sparselin_model_values AS v WHERE name = 'categories';
-- Without refit it is the measured one that predicts, now and later.
SELECT version FROM sparselin_fit('measured', 'SELECT x AS features, y AS label FROM split_categories ORDER BY x, y', refit => false);
SELECT version FROM sparselin_retrain('measured');
SELECT m.version, refit, rows + held_out AS rows, measured IS NULL AS only_one, v.model::text = (
           SELECT c.measured::text FROM sparselin_model_values AS c WHERE c.name = 'categories') AS the_measured
FROM sparselin_models AS m JOIN sparselin_model_values AS v USING (name, version) WHERE name = 'measured' ORDER BY 1;

SELECT count(sparselin_drop(name)) > 20 AS dropped FROM sparselin_registry;
DROP TABLE split_rows, split_counts, split_calls, split_kinds, split_documents, split_day, split_categories CASCADE;
