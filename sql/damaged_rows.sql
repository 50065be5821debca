-- Rows that were damaged where they are stored, as a superuser's cast makes them: whoever learns from rows or adds them
-- up names the row; whoever only reads them reads nothing else, and the server goes on

CREATE CAST (bytea AS sparsearray) WITHOUT FUNCTION;
-- dimension, number of non-zeros, the unused number, then indices and values as they lie on disk
CREATE FUNCTION pg_temp.bytes_of(numbers bigint[]) RETURNS bytea LANGUAGE sql AS $$
    SELECT coalesce(string_agg(decode(substr(b, 7, 2) || substr(b, 5, 2) || substr(b, 3, 2) || substr(b, 1, 2), 'hex'), '' ORDER BY i), '')
    FROM unnest(numbers) WITH ORDINALITY AS n (x, i), lpad(to_hex(x & x'ffffffff'::bigint), 8, '0') AS b
$$;
-- 1065353216 is 1 as a float4
CREATE TEMP TABLE damaged AS
SELECT name, pg_temp.bytes_of(numbers)::sparsearray AS x
FROM (VALUES
    ('index -1', ARRAY[0, 2, 0, -1, 3, 1065353216, 1065353216]::bigint[]),
    ('index -5', ARRAY[0, 2, 0, -5, 3, 1065353216, 1065353216]),
    ('index -1 behind others', ARRAY[0, 3, 0, 1, -1, 5, 1065353216, 1065353216, 1065353216]),
    ('least index', ARRAY[0, 1, 0, -2147483648, 1065353216]),
    ('index 2^31', ARRAY[0, 1, 0, 2147483647, 1065353216]),
    ('far away in the middle', ARRAY[0, 3, 0, 1, 2147483646, 5, 1065353216, 1065353216, 1065353216]),
    ('not in order', ARRAY[0, 3, 0, 5, 2, 7, 1065353216, 1065353216, 1065353216]),
    ('twice', ARRAY[0, 2, 0, 3, 3, 1065353216, 1065353216]),
    ('beyond the dimension', ARRAY[10, 1, 0, 10, 1065353216]),
    ('NaN', ARRAY[0, 1, 0, 3, 2143289344]),
    ('infinite', ARRAY[0, 1, 0, 3, 2139095040]),
    ('-infinite', ARRAY[0, 1, 0, 3, 4286578688]),
    ('too many non-zeros', ARRAY[0, 3, 0, 1, 2, 1065353216, 1065353216]),
    ('far too many non-zeros', ARRAY[0, 2147483647, 0, 1, 2, 1065353216, 1065353216]),
    ('too few non-zeros', ARRAY[0, 1, 0, 1, 2, 1065353216, 1065353216]),
    ('negative non-zeros', ARRAY[0, -1, 0, 1, 2, 1065353216, 1065353216]),
    ('negative dimension', ARRAY[-1, 1, 0, 1, 1065353216]),
    ('the unused number', ARRAY[0, 1, 1, 1, 1065353216]),
    ('header alone', ARRAY[0, 1]),
    ('nothing', ARRAY[]::bigint[])) AS v (name, numbers);
SELECT pg_temp.bytes_of(ARRAY[4, 2, 0, 0, 2, 1065353216, 1073741824])::sparsearray AS whole;

CREATE TEMP TABLE rows_of (id int, x sparsearray, y boolean, n float8);
INSERT INTO rows_of VALUES (1, '{1:1,3:2}', true, 1), (2, NULL, true, 2), (3, '{2:1}', false, 3), (4, '{1:1,40:1}', true, 4);
-- '', or the error's code and text, with the first four rows as they are
CREATE FUNCTION pg_temp.said(call text, x sparsearray) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    code text;
    hint text;
BEGIN
    INSERT INTO rows_of VALUES (5, x, false, 5);
    BEGIN
        EXECUTE replace(call, 'ROWS', '(SELECT * FROM rows_of ORDER BY id) AS rows_of');
        code := '';
    EXCEPTION WHEN OTHERS THEN
        GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
        code := SQLSTATE || ' ' || SQLERRM || CASE hint WHEN '' THEN ' without a hint' ELSE '' END;
    END;
    DELETE FROM rows_of WHERE id = 5;
    RETURN code;
END $$;
CREATE TEMP TABLE model AS
SELECT asgd_train(x, y) AS buffered, asgd_train(x, y, 'lambda=0.1 epochs=1 sampling=sequential step_offset=1') AS streamed
FROM rows_of;
CREATE TEMP TABLE calls AS
SELECT format('SELECT %s_train(x, y, %L) FROM ROWS', learner, concat_ws(' ', options, CASE WHEN options LIKE '%sequential%' THEN lambda END)) AS call
FROM (VALUES ('sgd', 'lambda=0.1 step_offset=1'), ('asgd', 'lambda=0.1 step_offset=1'), ('casgd', 'lambda=0.1 step_offset=1 center={1:0.5}'),
             ('onepass', NULL), ('truncated', NULL), ('elasticnet', NULL)) AS l (learner, lambda),
     unnest(ARRAY['', 'epochs=1 sampling=sequential', 'scale=std', 'scale=maxabs', 'class_weight=balanced']) AS options
UNION ALL SELECT unnest(ARRAY[
    'SELECT onepass_train(x, n, ''loss=squared gamma0=0.01'') FROM ROWS',
    'SELECT asgd_train(x, n, ''loss=absolute'', 2) FROM ROWS',
    'SELECT sparselin_continue(buffered, x, y) FROM ROWS, model',
    'SELECT sparselin_continue(streamed, x, y) FROM ROWS, model',
    'SELECT sparselin_evaluate(buffered, x, y) FROM ROWS, model',
    'SELECT sparsearray_sum(x) FROM ROWS',
    'SELECT sparsearray_avg(x) FROM ROWS',
    'SELECT sparselin_idf(x) FROM ROWS']);
SELECT count(*) FROM calls;
-- each names the row; nothing here
SELECT call, name, said FROM calls, damaged, pg_temp.said(call, x) AS said
WHERE said !~ '^[0-9A-Z]{5} row 5: ' OR said ~ 'without a hint' ORDER BY call, name;
-- how
SELECT name, pg_temp.said('SELECT casgd_train(x, y) FROM ROWS', x) AS casgd, pg_temp.said('SELECT sparsearray_sum(x) FROM ROWS', x) = pg_temp.said('SELECT casgd_train(x, y) FROM ROWS', x) AS sum_too
FROM damaged ORDER BY name;
-- the first row is one as well
SELECT asgd_train(x, true) FROM damaged WHERE name = 'index -1';
SELECT sparselin_idf(x) FROM damaged WHERE name = 'header alone';
SELECT sparsearray_sum(x) IS NULL AS no_rows, sparsearray_avg(x) IS NULL AS no_mean, sparselin_idf(x) IS NULL AS no_idf FROM rows_of WHERE x IS NULL;
SELECT sparsearray_sum(x) OVER (ORDER BY id) FROM (VALUES (1, NULL), (2, '{1:1}'::sparsearray), (3, NULL)) AS v (id, x);

-- reading: any answer or error, and no harm
CREATE TEMP TABLE reading AS
SELECT unnest(ARRAY['sparselin_predict(m, x)', 'sparselin_probability(m, x)', 'sparselin_classify(m, x)', 'sparselin_decide(m, x)',
                    'sparselin_explain(m, x)', 'x::text', 'sparsearray_send(x)', 'x::real[]', 'sparsearray_get(x, 4)', 'sparsearray_norm(x)',
                    'sparsearray_normalize(x)', 'sparsearray_dot(x, x)', 'sparsearray_dot(x, ''{4:1}'')', 'x + ''{4:1}''', 'x - x', 'x * 2',
                    'sparsearray_multiply(x, ''{4:1}'')', 'sparsearray_interact(x, ''{4:1}'')', '''{4:1}/4'' || x', 'x = x', 'x < ''{4:1}''',
                    'sparsearray_entries(x)', 'sparselin_options(center => x)']) AS call;
SELECT call, count(*) FILTER (WHERE said = '') AS answers, count(*) FILTER (WHERE said <> '') AS errors
FROM reading, damaged,
     pg_temp.said(format('SELECT %s FROM (SELECT x, buffered AS m FROM rows_of, model WHERE id = 5) AS s', call), x) AS said
GROUP BY call ORDER BY call;
-- weights in a plain array, and few that are far apart
SELECT weights, string_agg(coalesce(p::text, 'error'), ' ' ORDER BY name) FROM damaged,
     (VALUES ('{"1":1,"4":2}'), ('{"1":1,"4":2,"2000000000":3}')) AS w (weights),
     LATERAL (SELECT sparselin_predict(format('{"learner":"sgd","loss":"squared","weights":%s}', weights)::sparselin_model, x) AS p
              WHERE name ~ 'index|order|twice|middle') AS s
GROUP BY weights ORDER BY weights;
DROP TABLE damaged;
DROP CAST (bytea AS sparsearray);
