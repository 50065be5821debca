-- How rows have changed since a version was trained, with labels and without.
\pset null '(null)'
\set SHOW_CONTEXT never
CREATE TABLE drift_rows AS
SELECT i AS id, sparsearray(ARRAY[1 + i % 20, 21 + i % 7, 40 + i * 31 % 2500], ARRAY[1, 1, 0.5]) AS x,
       i % 20 < 6 OR (i % 20 < 12 AND i % 7 = 3) OR get_byte(decode(md5(i::text), 'hex'), 0) < 20 AS y, (i % 3)::text AS kind
FROM generate_series(1, 6000) AS i;
SELECT version FROM sparselin_fit('drifts', 'SELECT x AS features, y AS label, id AS key FROM drift_rows WHERE id <= 4000 ORDER BY id');

-- A profile is of the rows measured on: by its definition.
CREATE TEMP VIEW measured AS SELECT * FROM drift_rows WHERE id <= 4000 AND sparselin_held_out_by_key(id::text, 0.2);
SELECT (profile).rows = (SELECT count(*) FROM measured) AS rows,
       (profile).bounds = (SELECT percentile_disc('{.1,.2,.3,.4,.5,.6,.7,.8,.9}'::float8[]) WITHIN GROUP (ORDER BY sparselin_predict(v.measured, x)) FROM measured) AS bounds,
       (profile).shares = (SELECT array_agg((SELECT count(*)::float8 FROM measured WHERE width_bucket(sparselin_predict(v.measured, x), (profile).bounds) = place) / (profile).rows ORDER BY place)
                           FROM generate_series(0, 9) AS place) AS shares,
       abs((profile).unweighted - (SELECT avg((w.feature IS NULL)::int) FROM measured, sparsearray_entries(x) AS e LEFT JOIN sparselin_weights(v.measured) AS w ON w.feature = e.index)) < 1e-12 AS unweighted,
       (SELECT count(*) FROM sparsearray_entries((profile).features)) = (SELECT count(DISTINCT e.index) FROM measured, sparsearray_entries(x) AS e) AS features,
       (SELECT max(abs(f.value - s.share)) < 1e-6
        FROM sparsearray_entries((profile).features) AS f
             JOIN (SELECT e.index, count(*) / (profile).rows::float8 AS share FROM measured, sparsearray_entries(x) AS e GROUP BY 1) AS s USING (index)) AS feature_shares
FROM sparselin_model_values AS v WHERE name = 'drifts';

-- The same rows are what they were.
SELECT rows, verdict, value = expected AS same, unweighted = expected_unweighted AS same_unweighted, score_psi, features FROM sparselin_drift('drifts');
-- New ones of the same kind nearly so, whether labels are known, NULL or missing.
SELECT rows, verdict, value IS NOT NULL AS measured, abs(unweighted - expected_unweighted) < 0.15 AS near, score_psi < 0.1 AS steady,
       cardinality(features) AS features, (SELECT max(psi) < 0.1 FROM unnest(features)) AS features_are_steady
FROM (SELECT * FROM sparselin_drift('drifts', 'SELECT x AS features, y AS label FROM drift_rows WHERE id > 4000') AS d
      UNION ALL SELECT * FROM sparselin_drift('drifts', 'SELECT x AS features, NULL::boolean AS label FROM drift_rows WHERE id > 4000')
      UNION ALL SELECT * FROM sparselin_drift('drifts', 'SELECT x AS features FROM drift_rows WHERE id > 4000')) AS d;
-- A feature that is new, one that is gone, and one that more rows have; scores go with it, since the model knows it.
CREATE TEMP VIEW changed AS
SELECT id, CASE WHEN id % 2 = 0 AND sparsearray_get(x, 2) = 0 THEN x + '{2:1,9000:1}' ELSE x + '{9000:1}' END
           - CASE WHEN sparsearray_get(x, 21) > 0 THEN '{21:1}' ELSE '{}' END::sparsearray AS x, y
FROM drift_rows WHERE id > 4000;
SELECT verdict, value, score_psi > 0.25 AS shifted, unweighted > expected_unweighted + 0.1 AS more_without_a_weight
FROM sparselin_drift('drifts', 'SELECT x AS features FROM changed');
SELECT feature, round(share_before::numeric, 2) AS share_before, round(share::numeric, 2) AS share, psi > 0.1 AS counts
FROM sparselin_drift('drifts', 'SELECT x AS features FROM changed') AS d, unnest(d.features) WITH ORDINALITY AS f WHERE ordinality <= 3;
-- The index by its definition, of scores and of a feature.
WITH before AS (SELECT sparselin_predict(v.measured, x) AS score FROM measured, sparselin_model_values AS v WHERE name = 'drifts'),
     now AS (SELECT sparselin_predict(v.measured, x) AS score FROM changed, sparselin_model_values AS v WHERE name = 'drifts'),
     shares AS (SELECT ((SELECT count(*) FROM before WHERE width_bucket(score, (profile).bounds) = place) + 0.5) / ((SELECT count(*) FROM before) + 5)::float8 AS p,
                       ((SELECT count(*) FROM now WHERE width_bucket(score, (profile).bounds) = place) + 0.5) / ((SELECT count(*) FROM now) + 5)::float8 AS q
                FROM generate_series(0, 9) AS place, sparselin_model_values WHERE name = 'drifts')
SELECT abs(score_psi - (SELECT sum((q - p) * ln(q / p)) FROM shares)) < 1e-12 AS score_psi
FROM sparselin_drift('drifts', 'SELECT x AS features FROM changed');
SELECT abs(f.psi - ((q - p) * ln(q / p) + (p - q) * ln((1 - q) / (1 - p)))) < 1e-5 AS psi
FROM sparselin_drift('drifts', 'SELECT x AS features FROM changed') AS d, unnest(d.features) AS f,
     (SELECT (count(*) FILTER (WHERE sparsearray_get(x, 2) > 0) + 0.5) / (count(*) + 1)::float8 FROM measured) AS before (p),
     (SELECT (count(*) FILTER (WHERE sparsearray_get(x, 2) > 0) + 0.5) / (count(*) + 1)::float8 FROM changed) AS now (q)
WHERE f.feature = 2;
-- With labels these decide.
SELECT verdict FROM sparselin_drift('drifts', 'SELECT x AS features, NOT y AS label FROM drift_rows WHERE id > 4000');
SELECT rows, verdict FROM sparselin_drift('drifts', 'SELECT x AS features FROM drift_rows WHERE id > 5950');
SELECT rows, verdict FROM sparselin_drift('drifts', 'SELECT NULL::sparsearray AS features FROM drift_rows');
SELECT sparselin_drift('drifts', 'SELECT y AS label FROM drift_rows');

-- Several classes have a score each: the highest counts. Nothing held out: all rows are in the profile.
SELECT version FROM sparselin_fit('classes', 'SELECT x AS features, kind AS label FROM drift_rows WHERE id <= 4000 ORDER BY id', holdout => 0, options => 'epochs=2 search=false');
SELECT (profile).rows, (profile).bounds[5] = (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY score) FROM drift_rows, sparselin_classes(model, x, 1) WHERE id <= 4000) AS highest,
       (SELECT count(*) FROM sparsearray_entries((profile).features)) AS features
FROM sparselin_model_values WHERE name = 'classes';
-- Of more features than are kept those are missing that fewest rows have: they had at most the share of the last one, and
-- what has not changed is no drift.
SELECT count(*) AS features, count(*) FILTER (WHERE value > (SELECT min(value) FROM sparsearray_entries((profile).features))) AS above
FROM (SELECT sparsearray_avg(sparselin_presence(x)) AS shares FROM drift_rows WHERE id <= 4000) AS s, sparselin_model_values, sparsearray_entries(shares)
WHERE name = 'classes' GROUP BY profile, shares;
SELECT features FROM sparselin_drift('classes', 'SELECT x AS features FROM drift_rows WHERE id <= 4000');
SELECT verdict, score_psi < 0.1 AS steady FROM sparselin_drift('classes', 'SELECT x AS features FROM drift_rows WHERE id <= 4000');
-- What was kept as it came has none.
SELECT sparselin_keep('kept', model) FROM sparselin_model_values WHERE name = 'drifts';
SELECT rows, verdict, unweighted IS NOT NULL AS unweighted, expected_unweighted, score_psi, features
FROM sparselin_drift('kept', 'SELECT x AS features, y AS label FROM drift_rows');
SELECT rows, verdict FROM sparselin_drift('kept', 'SELECT x AS features FROM drift_rows');
-- Going on makes a profile of the new rows.
SELECT version FROM sparselin_fit('goes on', 'SELECT x AS features, y AS label, id AS key FROM drift_rows WHERE id <= CASE WHEN $1 = ''-infinity'' THEN 4000 ELSE 0 END OR id > CASE WHEN $1 = ''-infinity'' THEN 6000 ELSE 4000 END ORDER BY id');
SELECT version FROM sparselin_retrain('goes on', mode => 'continue', tolerance => 9);
SELECT version, (profile).rows = (SELECT count(*) FROM drift_rows WHERE (id > 4000) = (version = 2) AND sparselin_held_out_by_key(id::text, 0.2)) AS its_own
FROM sparselin_model_values WHERE name = 'goes on' ORDER BY 1;

SELECT count(sparselin_drop(name)) FROM sparselin_registry;
DROP TABLE drift_rows CASCADE;
