-- the option search: a strength of regularisation that is chosen; what was tried; errors and notices

CREATE FUNCTION pg_temp.chance(what text) RETURNS float8 LANGUAGE sql IMMUTABLE AS
$$ SELECT ('x' || left(md5(what), 8))::bit(32)::bigint / 2.0::float8 ^ 32 $$;
-- ten features that matter a little, many that do not; three kinds
CREATE TEMP TABLE made AS
SELECT id, x, s + 0.5 * (pg_temp.chance('y' || id) - 0.5) AS number, s > 0.15 * (pg_temp.chance('l' || id) - 0.5) AS yes,
       CASE WHEN s > 0.1 THEN 'high' WHEN s < -0.1 THEN 'low' ELSE 'middle' END AS kind
FROM (SELECT id, sparsearray_agg(j, v) AS x, coalesce(sum(v * (j % 3 - 1)) FILTER (WHERE j <= 10), 0) / 3 AS s
      FROM (SELECT id, 1 + floor(60 * pg_temp.chance(id || 'j' || n) ^ 1.5)::int AS j, pg_temp.chance(id || 'v' || n) - 0.5 AS v
            FROM generate_series(1, 1500) AS id, generate_series(1, 12) AS n) AS entries
      GROUP BY id) AS summed;
CREATE FUNCTION pg_temp.learn(learner text, label text, options sparselin_options, rows text DEFAULT 'id <= 1000')
RETURNS sparselin_model LANGUAGE plpgsql AS $$
DECLARE
    model sparselin_model;
BEGIN
    EXECUTE format('SELECT %s_train(x, %s, $1 ORDER BY id) FROM made WHERE %s', learner, label, rows) INTO model USING options;
    RETURN model;
END $$;

-- what was tried, with the model's value among it; the best is chosen
CREATE TEMP TABLE searched AS
SELECT v.*, pg_temp.learn(learner, label, ('search=true ' || more)::sparselin_options) AS model
FROM (VALUES ('casgd', 'yes', ''), ('sgd', 'number', 'loss=squared'), ('asgd', 'kind', ''), ('casgd', 'kind', 'loss=multinomial'),
             ('onepass', 'yes', 'epochs=2'), ('elasticnet', 'yes', ''), ('truncated', 'yes', 'threshold=0.5'),
             ('casgd', 'number', 'loss=quantile quantile=0.3')) AS v (learner, label, more);
SELECT learner, label, more, count(*) >= 9 AS tried, count(*) FILTER (WHERE chosen) AS chosen,
       min(loss) = min(loss) FILTER (WHERE chosen) AS best, count(s.lambda) > 0 AS lambda, count(l1) > 0 AS l1, count(gravity) > 0 AS gravity,
       bool_or(chosen AND coalesce(s.gravity, s.l1, s.lambda) =
               (SELECT value FROM (SELECT substring(options FROM '(?:^| )' || CASE learner WHEN 'truncated' THEN 'gravity' WHEN 'elasticnet' THEN 'l1' ELSE 'lambda' END || '=(\S+)')::float8 AS value
                                   FROM sparselin_info(model)) AS i)) AS as_in_options
FROM searched, sparselin_search(model) AS s
GROUP BY learner, label, more
ORDER BY learner, label, more;
-- as the options say; and with that value given, the same model is learned
SELECT s.learner, label, more, i.options ~ 'search=true' AS says_so,
       (SELECT array_agg(w ORDER BY w) FROM sparselin_weights(model) AS w) =
       (SELECT array_agg(w ORDER BY w)
        FROM sparselin_weights(pg_temp.learn(s.learner, label, (more || CASE s.learner
             WHEN 'truncated' THEN ' gravity=' || (SELECT gravity FROM sparselin_search(model) WHERE chosen)
             WHEN 'elasticnet' THEN ' l1=' || (SELECT l1 FROM sparselin_search(model) WHERE chosen)
             ELSE ' lambda=' || i.lambda END)::sparselin_options)) AS w) AS same
FROM searched AS s, sparselin_info(model) AS i
ORDER BY 1, 2, 3;
-- better than without, on other rows
SELECT (sparselin_evaluate(model, x, yes)).log_loss < (sparselin_evaluate(plain, x, yes)).log_loss AS better
FROM made, searched, (SELECT pg_temp.learn('casgd', 'yes', NULL) AS plain) AS p
WHERE id > 1000 AND learner = 'casgd' AND label = 'yes';
-- it travels as text, as bytes and as jsonb; without a search there is nothing
SELECT way, bool_and((SELECT array_agg(s) FROM sparselin_search(its) AS s) = (SELECT array_agg(s) FROM sparselin_search(model) AS s)) AS same
FROM searched, LATERAL (VALUES ('text', model::text::sparselin_model), ('jsonb', model::jsonb::sparselin_model),
                               ('compact', sparselin_compact(model))) AS v (way, its)
GROUP BY way
ORDER BY way;
SELECT count(*) FROM sparselin_search(pg_temp.learn('casgd', 'yes', 'epochs=1'));
SELECT count(*) FROM sparselin_search(NULL::sparselin_model);
SELECT jsonb_array_length(model::jsonb -> 'search') >= 9 AS in_json, pg_temp.learn('casgd', 'yes', 'epochs=1')::jsonb ? 'search' AS without
FROM searched WHERE learner = 'casgd' AND label = 'yes';

-- each group has its own; weights count; a plan with workers finds the same, since all rows come together
SELECT id % 2 AS half, (SELECT count(*) >= 9 FROM sparselin_search(casgd_train(x, yes, 'search=true' ORDER BY id))) AS searched
FROM made GROUP BY id % 2 ORDER BY 1;
SELECT (SELECT array_agg(s) FROM sparselin_search(casgd_train(x, yes, 'search=true', 1 + id % 2 ORDER BY id)) AS s) <>
       (SELECT array_agg(s) FROM sparselin_search(casgd_train(x, yes, 'search=true', 1 ORDER BY id)) AS s) AS weights_count
FROM made;

-- by name
SELECT version, active FROM sparselin_fit('searched', 'SELECT x AS features, yes AS label FROM pg_temp.made', 'casgd', 'search=true');
SELECT count(*) >= 9 AS by_name, bool_or(chosen) AS chosen FROM sparselin_search('searched');
SELECT sparselin_drop('searched');

-- going on: with what was chosen, and without another search
SELECT i.lambda = (sparselin_info(model)).lambda AS same_lambda, i.rows AS all_rows,
       (SELECT count(*) FROM sparselin_search(gone_on)) AS searched
FROM searched, LATERAL (SELECT sparselin_continue(model, x, yes ORDER BY id) AS gone_on FROM made WHERE id > 1000) AS c,
     sparselin_info(gone_on) AS i
WHERE learner = 'casgd' AND label = 'yes';
-- merging: rows by strength add up
SELECT abs(1 / (sparselin_info(merged)).lambda / (one + two) - 1) < 1e-12 AS adds_up
FROM (SELECT sparselin_merge(m) AS merged, sum(1 / l) FILTER (WHERE part = 0) AS one, sum(1 / l) FILTER (WHERE part = 1) AS two
      FROM (SELECT part, m, (sparselin_info(m)).lambda AS l
            FROM (SELECT id % 2 AS part, casgd_train(x, yes, 'search=true' ORDER BY id) AS m FROM made GROUP BY id % 2) AS parts) AS p) AS of_both;

-- too few rows to judge by; classes that a side lacks
SELECT count(*) AS tried FROM sparselin_search(pg_temp.learn('casgd', 'yes', 'search=true', 'id <= 100'));
SELECT (sparselin_info(m)).lambda = 1 / 100.0::float8 AS as_without
FROM (SELECT pg_temp.learn('casgd', 'yes', 'search=true', 'id <= 100') AS m) AS few;
SELECT count(*) > 0 AS tried
FROM sparselin_search(pg_temp.learn('casgd', 'CASE WHEN id = 7 THEN ''seventh'' ELSE kind END', 'search=true'));

-- what cannot be
SELECT casgd_train(x, yes, 'search=true lambda=1') FROM made;
SELECT elasticnet_train(x, yes, 'search=true l1=1e-3') FROM made;
SELECT truncated_train(x, yes, 'search=true gravity=1e-3') FROM made;
SELECT truncated_train(x, yes, 'search=true method=round threshold=0.1') FROM made;
SELECT asgd_train(x, yes, 'search=true epochs=1 sampling=sequential') FROM made;
SELECT onepass_train(x, yes, 'search=true') FROM made;
SELECT sparselin_options(search => true, lambda => 1);
SELECT elasticnet_train(x, number * 1e6, 'loss=squared search=true eta0=1e6 power=0 method=fobos' ORDER BY id) FROM made;
SELECT count(*) FROM (SELECT '{"learner":"casgd","loss":"logistic","weights":{},"search":[[1,0.5],[2,0.4]]}'::sparselin_model) AS m;
SELECT count(*) FROM (SELECT '{"learner":"casgd","loss":"logistic","weights":{},"search":[[1,0.5,3]]}'::sparselin_model) AS m;
SELECT lambda, loss, chosen
FROM sparselin_search('{"learner":"casgd","loss":"logistic","options":"lambda=0.5","weights":{},"search":[[1],[0.5,0.25]]}'::sparselin_model);
