-- The messages that docs/troubleshooting.md explains are those that the server gives. Run from the repository's root.
\set page `cat docs/troubleshooting.md`
CREATE TEMP TABLE explained AS SELECT regexp_replace(:'page', '\s+', ' ', 'g') AS page;

CREATE FUNCTION pg_temp.message(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
    RETURN sqlerrm;
END
$$;

CREATE TEMP TABLE attempts (number serial, statement text);
INSERT INTO attempts (statement) VALUES
    ($$SELECT casgd_train('{1:1}', 2)$$),
    ($$SELECT casgd_train('{1:1}', -n) FROM generate_series(0, 1) AS n$$),
    ($$SELECT casgd_train('{1:1}'::sparsearray, '2024-01-01'::date)$$),
    ($$SELECT onepass_train('{1:1}'::sparsearray, CASE WHEN n > 1000 THEN 'late' ELSE 'early' END) FROM generate_series(1, 1001) AS n$$),
    ($$SELECT sparselin_train('spam'::text, true)$$),
    ($$SELECT sparselin_features('free prize'::text)$$),
    ($$SELECT sparselin_predict(NULL::sparselin_model, 'free prize')$$),
    ($$SELECT casgd_train(ARRAY[1, 0, 2], true)$$),
    ($$SELECT casgd_train('{1:1}'::sparsearray, true, 'loss=hinge'::text)$$),
    ($$SELECT sparselin_options(lamda => 1e-3)$$),
    ($$SELECT 'lamda=1e-3'::sparselin_options$$),
    ($$SELECT asgd_train('{1:1}', true, 'center={1:1}')$$),
    ($$SELECT 'lambda=1e-3, epochs=3'::sparselin_options$$),
    ($$SELECT asgd_train('{1:1}', true, 'epochs=1 sampling=sequential')$$),
    ($$SELECT asgd_train('{1:1}', true, sparselin_options(epochs => n)) FROM generate_series(1, 2) AS n$$),
    ($$SELECT elasticnet_train('{1:1e20}', n, 'loss=squared sampling=sequential') FROM generate_series(1, 20) AS n$$),
    ($$SELECT elasticnet_train('{1:1}', true, 'lambda=3')$$),
    ($$SELECT onepass_train('{1:1}', true, 'lambda=4 gamma0=0.5')$$),
    ($$SELECT '{0:1}'::sparsearray$$),
    ($$SELECT '{1:1,1:2}'::sparsearray$$),
    ($$SELECT '{1:1e-50}'::sparsearray$$),
    ($$SELECT sparselin_features('{"age": 30}')$$),
    ($$SELECT sparselin_features(s) FROM (SELECT 'NaN'::float8 AS price) AS s$$),
    ($$SELECT sparselin_features(s) FROM (SELECT '{1,2}'::real[] AS embedding) AS s$$),
    ($$SELECT sparsearray(ARRAY[1.5, NULL])$$),
    ($$SELECT casgd_train(x, true) FROM (VALUES ('{1:1}/100'::sparsearray), ('{1:1}/200')) AS v (x)$$),
    ($$SELECT '{1:1}/100'::sparsearray + '{1:1}/200'$$),
    ($$SELECT sparselin_probability(asgd_train('{1:1}', n > 1, 'loss=hinge'), '{1:1}') FROM generate_series(1, 2) AS n$$),
    ($$SELECT casgd_train('{1:1}'::sparsearray, true) OVER ()$$);

SELECT number, message, strpos(page, '`' || message || '`') > 0 AS explained
FROM attempts, explained, LATERAL pg_temp.message(statement) AS message
ORDER BY number;

-- Notices, not errors.
SELECT casgd_train('{1:1}', true) IS NOT NULL AS a_model;
SELECT strpos(page, '`all labels are of one class`') > 0 AS explained FROM explained;
SELECT casgd_train(sparsearray(ARRAY[n, 5000 * n]), n > 10) IS NOT NULL AS a_model FROM generate_series(1, 20) AS n;
SELECT strpos(page, '`features differ in scale: feature 1 ranges over 19, feature 2 over 9.5e+04`') > 0 AS explained
FROM explained;
