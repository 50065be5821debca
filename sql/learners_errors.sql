-- onepass_train, truncated_train and elasticnet_train: every error, its hint, and that the session goes on after it

CREATE TEMP TABLE rows (id int, x sparsearray, y float8);
INSERT INTO rows
SELECT i, sparsearray(ARRAY[1 + i % 4, 10 + i % 3]::bigint[], ARRAY[1, i % 5 - 2]), i % 2
FROM generate_series(1, 30) AS i;
PREPARE go_on AS
SELECT (sparselin_info(onepass_train(x, y))).steps AS onepass,
       (sparselin_info(truncated_train(x, y))).steps AS truncated,
       (sparselin_info(elasticnet_train(x, y))).steps AS elasticnet
FROM rows;
EXECUTE go_on;

-- options of other learners
SELECT onepass_train(x, y, 'eta0=0.5') FROM rows;
SELECT onepass_train(x, y, 'step_offset=1') FROM rows;
SELECT truncated_train(x, y, 'implicit_above=1') FROM rows;
SELECT elasticnet_train(x, y, 'implicit_above=infinity') FROM rows;
SELECT onepass_train(x, y, 'l1=1e-6') FROM rows;
SELECT onepass_train(x, y, 'center={1:1}') FROM rows;
SELECT onepass_train(x, y, 'method=sgd') FROM rows;
SELECT truncated_train(x, y, 'lambda=1e-4') FROM rows;
SELECT truncated_train(x, y, 'l1=0') FROM rows;
SELECT truncated_train(x, y, 'gamma0=1') FROM rows;
SELECT truncated_train(x, y, sparselin_options(average_start => 0)) FROM rows;
SELECT elasticnet_train(x, y, 'gravity=0.1') FROM rows;
SELECT elasticnet_train(x, y, 'threshold=0.1') FROM rows;
SELECT elasticnet_train(x, y, 'truncate_every=1') FROM rows;
SELECT elasticnet_train(x, y, 'decay=0.5') FROM rows;
SELECT elasticnet_train(x, y, 'average_power=2') FROM rows;
SELECT elasticnet_train(x, y, 'clip_min=0 clip_max=1') FROM rows;
SELECT sgd_train(x, y, 'average_power=2') FROM rows;
SELECT casgd_train(x, y, 'l1=0.1') FROM rows;
SELECT asgd_train(x, y, sparselin_options(gamma0 => 0.1)) FROM rows;
SELECT sgd_train(x, y, sparselin_options(gravity => 0.1, eta0 => 1)) FROM rows;
EXECUTE go_on;
-- methods of the other learner
SELECT truncated_train(x, y, 'method=sgd') FROM rows;
SELECT truncated_train(x, y, 'method=fobos') FROM rows;
SELECT elasticnet_train(x, y, 'method=truncate') FROM rows;
SELECT elasticnet_train(x, y, sparselin_options(method => 'round')) FROM rows;
SELECT truncated_train(x, y, 'method=rond') FROM rows;
EXECUTE go_on;

-- numbers out of range, in text and by name
SELECT truncated_train(x, y, 'gravity=-0.1') FROM rows;
SELECT truncated_train(x, y, 'threshold=-1e-9') FROM rows;
SELECT truncated_train(x, y, 'truncate_every=0') FROM rows;
SELECT truncated_train(x, y, 'truncate_every=1.5') FROM rows;
SELECT truncated_train(x, y, 'truncate_every=-10') FROM rows;
SELECT truncated_train(x, y, 'eta0=0') FROM rows;
SELECT elasticnet_train(x, y, 'eta0=-0.5') FROM rows;
SELECT elasticnet_train(x, y, 'power=-0.1') FROM rows;
SELECT elasticnet_train(x, y, 'power=1.1') FROM rows;
SELECT elasticnet_train(x, y, 'l1=-1') FROM rows;
SELECT elasticnet_train(x, y, 'lambda=-1') FROM rows;
SELECT onepass_train(x, y, 'gamma0=0') FROM rows;
SELECT onepass_train(x, y, 'decay=2') FROM rows;
SELECT onepass_train(x, y, 'decay_rate=-1') FROM rows;
SELECT onepass_train(x, y, 'average_start=-1') FROM rows;
SELECT onepass_train(x, y, 'average_start=99.5') FROM rows;
SELECT onepass_train(x, y, 'epochs=0') FROM rows;
SELECT truncated_train(x, y, 'gravity=NaN') FROM rows;
SELECT truncated_train(x, y, 'threshold=Infinity') FROM rows;
SELECT truncated_train(x, y, 'clip_min=-inf') FROM rows;
SELECT elasticnet_train(x, y, 'l1=1e400') FROM rows;
SELECT elasticnet_train(x, y, 'eta0=1e-400') FROM rows;
SELECT sparselin_options(gravity => -1);
SELECT sparselin_options(gravity => 'NaN');
SELECT sparselin_options(threshold => 'Infinity');
SELECT sparselin_options(truncate_every => 0);
SELECT sparselin_options(truncate_every => 1.5);
SELECT sparselin_options(clip_min => '-Infinity');
SELECT sparselin_options(clip_max => 'NaN');
SELECT sparselin_options(eta0 => 0);
SELECT sparselin_options(eta0 => 'Infinity');
SELECT sparselin_options(power => 1.5);
SELECT sparselin_options(l1 => -1e-300);
SELECT sparselin_options(gamma0 => '-0');
SELECT sparselin_options(decay => 'NaN');
SELECT sparselin_options(average_start => '-Infinity');
EXECUTE go_on;

-- names
SELECT truncated_train(x, y, 'gravitiy=1') FROM rows;
SELECT truncated_train(x, y, 'treshold=1') FROM rows;
SELECT truncated_train(x, y, 'truncate=5') FROM rows;
SELECT elasticnet_train(x, y, 'l2=1') FROM rows;
SELECT elasticnet_train(x, y, 'l1_ratio=1') FROM rows;
SELECT elasticnet_train(x, y, 'learning_rate=1') FROM rows;
SELECT onepass_train(x, y, 'gamma=1') FROM rows;
SELECT onepass_train(x, y, sparselin_options(averagestart => 1)) FROM rows;
SELECT onepass_train(x, y, 'scale=standard') FROM rows;
SELECT onepass_train(x, y, 'class_weight=balance') FROM rows;
EXECUTE go_on;

-- options that do not go together
SELECT truncated_train(x, y, 'method=round') FROM rows;
SELECT truncated_train(x, y, 'method=round threshold=0.1 gravity=0.1') FROM rows;
SELECT truncated_train(x, y, 'clip_min=1 clip_max=0.5') FROM rows;
SELECT elasticnet_train(x, y, 'eta0=0.5 lambda=2') FROM rows;
SELECT elasticnet_train(x, y, 'lambda=3') FROM rows;
SELECT elasticnet_train(x, y, 'lambda=1e308 eta0=1e308') FROM rows;
SELECT (sparselin_info(elasticnet_train(x, y, 'eta0=0.5 lambda=2 method=fobos'))).options FROM rows;
SELECT (sparselin_info(elasticnet_train(x, y, 'eta0=0.5 lambda=1.999'))).options FROM rows;
SELECT onepass_train(x, y, 'lambda=2 gamma0=0.5') FROM rows;
SELECT onepass_train(x, y, 'lambda=1e308 gamma0=1e308') FROM rows;
SELECT (sparselin_info(onepass_train(x, y, 'lambda=2'))).options FROM rows;
SELECT asgd_train(x, y, 'lambda=1e-101') FROM rows;
SELECT casgd_train(x, y, 'lambda=0') FROM rows;
SELECT sgd_train(x, y, 'lambda=0 epochs=1 sampling=sequential') FROM rows;
SELECT casgd_train(x, y, 'class_weight=balanced loss=squared') FROM rows;
SELECT onepass_train(x, y, 'class_weight=balanced loss=absolute') FROM rows;
SELECT truncated_train(x, y, 'class_weight=balanced loss=squared') FROM rows;
SELECT elasticnet_train(x, y, 'class_weight=balanced loss=squared') FROM rows;
EXECUTE go_on;
-- the same checks where a model comes from elsewhere
SELECT '{"learner": "truncated", "loss": "hinge", "weights": {}, "options": "lambda=1"}'::sparselin_model;
SELECT '{"learner": "elasticnet", "loss": "hinge", "weights": {}, "options": "method=round"}'::sparselin_model;
SELECT '{"learner": "onepass", "loss": "hinge", "weights": {}, "options": "lambda=2 gamma0=1"}'::sparselin_model;
SELECT '{"learner": "onepas", "loss": "hinge", "weights": {}}'::sparselin_model;
SELECT '{"learner": "elasticnet", "loss": "hinge", "weights": {}, "lambda": -1}'::sparselin_model;

-- rows: labels, weights, dimensions, options that change
SELECT onepass_train(x, y + 1 ORDER BY id) FROM rows;
SELECT truncated_train(x, CASE id WHEN 7 THEN 'NaN' ELSE y END ORDER BY id) FROM rows;
SELECT elasticnet_train(x, CASE id WHEN 7 THEN -1 ELSE y END ORDER BY id) FROM rows;
SELECT onepass_train(x, y, NULL, -1) FROM rows;
SELECT truncated_train(x, y, NULL, CASE id WHEN 5 THEN 'NaN' ELSE 1.5::float8 END ORDER BY id) FROM rows;
SELECT elasticnet_train(x, y, 'epochs=1 sampling=sequential', 'Infinity') FROM rows;
SELECT onepass_train((x::text || '/' || 20 + id % 2)::sparsearray, y ORDER BY id) FROM rows;
SELECT truncated_train(CASE id WHEN 30 THEN '{21:1}' ELSE (x::text || '/20')::sparsearray END, y ORDER BY id) FROM rows;
SELECT elasticnet_train(x, y, sparselin_options(l1 => id) ORDER BY id) FROM rows;
SELECT onepass_train(x, y, 0.5) FROM rows;
SELECT truncated_train(x, '2024-01-01'::date) FROM rows;
SELECT elasticnet_train(x, y) OVER () FROM rows;
SELECT onepass_train(x, y, options => 'lambda=0') FROM rows;
EXECUTE go_on;

-- divergence: the step and what to try
SELECT onepass_train(x, y, 'loss=squared gamma0=100 implicit_above=inf' ORDER BY id) FROM rows;
SELECT onepass_train(x, y, 'loss=squared gamma0=1e300 lambda=0 implicit_above=inf' ORDER BY id) FROM rows;
SELECT truncated_train(x, y, 'loss=squared eta0=100 sampling=sequential' ORDER BY id) FROM rows;
SELECT truncated_train(sparsearray(ARRAY[1], ARRAY[1e30]), y, 'loss=squared sampling=sequential' ORDER BY id, n)
FROM rows, generate_series(1, 9) AS n;
SELECT elasticnet_train(x, y, 'loss=squared eta0=100 power=0 sampling=sequential' ORDER BY id) FROM rows;
SELECT elasticnet_train(sparsearray(ARRAY[1], ARRAY[1e30]), y, 'loss=squared_hinge method=fobos sampling=sequential'
                        ORDER BY id, n) FROM rows, generate_series(1, 9) AS n;
SELECT elasticnet_train(x, y, 'sampling=sequential', 1e308 ORDER BY id) FROM rows;
SELECT truncated_train(x, y, 'epochs=1 sampling=sequential loss=absolute eta0=1.7e308' ORDER BY id) FROM rows;
EXECUTE go_on;
-- a stream is judged every 1000 rows
SELECT elasticnet_train(sparsearray(ARRAY[1], ARRAY[CASE WHEN id % 2500 < 3 THEN 1e6 ELSE 1 END]), id % 2,
                        'loss=squared sampling=sequential epochs=1' ORDER BY id)
FROM generate_series(3, 10000) AS id;
SELECT onepass_train(sparsearray(ARRAY[1], ARRAY[CASE WHEN id % 2500 < 3 THEN 1e6 ELSE 1 END]), id % 2,
                     'loss=squared implicit_above=inf' ORDER BY id)
FROM generate_series(3, 10000) AS id;
EXECUTE go_on;
-- with what is automatic, or smaller, the same rows are learned
SELECT (sparselin_info(onepass_train(x, y, 'loss=squared'))).steps AS onepass,
       (sparselin_info(truncated_train(x, y, 'loss=squared eta0=0.05'))).steps AS truncated,
       (sparselin_info(elasticnet_train(x, y, 'loss=squared eta0=0.05'))).steps AS elasticnet FROM rows;

-- the largest and smallest numbers there are: a model or a clean error, and a model reads back
CREATE FUNCTION outcome(learner text, options text, weight float8 DEFAULT 1, factor float8 DEFAULT 1) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    m sparselin_model;
BEGIN
    EXECUTE format('SELECT %s_train(x * %L, y, %L, %L ORDER BY id) FROM rows', learner, factor, options, weight) INTO m;
    RETURN CASE WHEN m::text::sparselin_model::text = m::text THEN 'a model' ELSE 'damaged' END;
EXCEPTION WHEN OTHERS THEN
    RETURN CASE WHEN SQLERRM ~ '^training diverged' THEN 'diverged'
                WHEN SQLERRM ~ 'must be below 1' THEN 'refused' ELSE SQLERRM END;
END $$;
SELECT DISTINCT learner, outcome
FROM (VALUES ('onepass', '{lambda,gamma0,decay_rate}'::text[], ''),
             ('truncated', '{eta0,gravity,threshold,clip_max}', ''),
             ('truncated', '{eta0,threshold}', ' method=round clip_max=1'),
             ('elasticnet', '{eta0,lambda,l1}', ''), ('elasticnet', '{eta0,lambda,l1}', ' method=fobos'))
         AS v (learner, options, more),
     unnest('{logistic,squared_hinge,absolute}'::text[]) AS loss, unnest(v.options) AS a,
     unnest(v.options) AS b, unnest('{1.7e308,1e-5,5e-324}'::text[]) AS p, unnest('{1.7e308,0.1,5e-324}'::text[]) AS q,
     outcome(learner, format('loss=%s %s=%s %s=%s', loss, a, p, b, q) || more)
WHERE a < b
ORDER BY 1, 2;
SELECT learner, weight, factor, outcome(learner, 'sampling=sequential', weight::float8, factor)
FROM unnest('{onepass,truncated,elasticnet}'::text[]) AS learner, unnest('{1e308,1e150,1e-320}'::text[]) AS weight,
     unnest('{1,1e37}'::real[]) AS factor;
EXECUTE go_on;

-- an error in a subtransaction leaves the outer one as it was
DO $$
BEGIN
    FOR i IN 1..50 LOOP
        BEGIN
            PERFORM onepass_train(x, CASE id WHEN 30 THEN 'NaN' ELSE y END ORDER BY id),
                    elasticnet_train(x, y), truncated_train(x, y) FROM rows;
            RAISE 'no error';
        EXCEPTION WHEN invalid_parameter_value THEN NULL;
        END;
    END LOOP;
END $$;
EXECUTE go_on;
DEALLOCATE go_on;
DROP FUNCTION outcome;
