-- A fingerprint of a model of every kind: each learner, loss and option; in memory, spilled, streaming; weights, groups, few
-- rows; several classes; going on, merged, in parts. Two builds that compute the same print the same. Errors are part of it.
\set ON_ERROR_STOP 1
\pset format unaligned
\pset tuples_only on
SET client_min_messages = error;
SET synchronize_seqscans = off;
SET jit = off;
SET max_parallel_workers_per_gather = 0;
SET extra_float_digits = 3;

-- features that lie densely, and scattered ones; classes, numbers, weights of which some are 0
CREATE TABLE examples AS
SELECT id, id % 3 AS g, sparsearray(array_agg(f ORDER BY f), array_agg(v ORDER BY f)) AS x,
       (hashint4(id * 7 + 1) % 100 + 100) % 100 < 35 + 30 * (id % 2) AS y, (hashint4(id * 11) % 1000) / 100.0::float8 AS n,
       CASE WHEN id % 10 = 0 THEN 0 ELSE 1 + id % 4 END::float8 / 2 AS w
FROM (SELECT id, f, (1 + (hashint4(id * 31 + f) & 255)) / 64.0::float8 AS v
      FROM generate_series(1, 4000) AS id, LATERAL (
          SELECT DISTINCT 1 + (hashint4(id * (5 + j) + j) & CASE WHEN j < 3 THEN 15 WHEN j < 8 THEN 1023 ELSE 16777215 END) AS f
          FROM generate_series(1, 5 + id % 9) AS j) AS s) AS t
GROUP BY id ORDER BY id;
ANALYZE examples;
CREATE TABLE parted (LIKE examples) PARTITION BY LIST (g);
SELECT format('CREATE TABLE part_%s PARTITION OF parted FOR VALUES IN (%s)', g, g) FROM generate_series(0, 2) AS g \gexec
INSERT INTO parted SELECT * FROM examples ORDER BY id;

CREATE TABLE learners AS
SELECT * FROM (VALUES (1, 'sgd', 'lambda=0.01', ''), (2, 'asgd', 'lambda=0.01', ''), (3, 'casgd', 'lambda=0.01 center={1:0.5,7:0.25,900:0.01}', ''),
                      (4, 'onepass', '', ''), (5, 'truncated', '', 'eta0=0.001'), (6, 'elasticnet', '', 'eta0=0.001'))
    AS l (number, learner, to_stream, for_numbers);
CREATE VIEW streaming AS SELECT number, learner, 'epochs=1 sampling=sequential ' || to_stream AS options FROM learners;

CREATE FUNCTION pg_temp.fingerprint(call text, memory text DEFAULT '64MB') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
BEGIN
    PERFORM set_config('work_mem', memory, false);
    EXECUTE call INTO result;
    RETURN result;
EXCEPTION WHEN data_exception THEN
    RETURN SQLERRM;
END $$;
CREATE FUNCTION pg_temp.of_one(learner text, arguments text, source text DEFAULT 'examples') RETURNS text LANGUAGE sql AS $$
    SELECT format('SELECT md5(%s_train(%s)::text) FROM %s', learner, arguments, source)
$$;

SELECT learner, label, options, weight, memory,
       pg_temp.fingerprint(pg_temp.of_one(learner, format('x, %s, %L%s', label, concat_ws(' ', loss, options, rest), weight)), memory)
FROM learners,
     (VALUES ('y', 'loss=logistic'), ('y', 'loss=hinge'), ('y', 'loss=squared_hinge'), ('n', 'loss=squared'), ('n', 'loss=absolute'))
         AS labels (label, loss),
     unnest('{"",epochs=3 sampling=sequential,epochs=2 sampling=replacement,epochs=3 scale=std,epochs=2 scale=maxabs,epochs=2 intercept=false,'
            'epochs=2 seed=7,epochs=2 norm=l2,epochs=2 scale=idf norm=l2,STREAM norm=l2,epochs=2 class_weight=balanced,STREAM,STREAM intercept=false}'::text[]) AS kind,
     LATERAL (SELECT replace(kind, 'STREAM', 'epochs=1 sampling=sequential ' || to_stream) AS options,
                     CASE label WHEN 'n' THEN for_numbers END AS rest) AS o,
     (VALUES ('', '64MB'), ('', '64kB'), (', w', '64MB')) AS ways (weight, memory)
WHERE label = 'y' OR kind NOT LIKE '%class_weight%'
ORDER BY number, loss, options, weight, memory;

-- the options of some
SELECT learner, options, pg_temp.fingerprint(pg_temp.of_one(learner, format('x, y, %L', options))),
       pg_temp.fingerprint(format('SELECT string_agg(md5(m::text), '' '' ORDER BY g) '
           'FROM (SELECT g, %s_train(x, y, %L) AS m FROM examples GROUP BY g) AS s', learner, options)) AS groups
FROM (VALUES ('asgd', 'average_power=0 step_offset=0'), ('asgd', 'average_power=1.5'), ('casgd', 'step_offset=3 average_power=0'),
             ('sgd', 'step_offset=0'), ('onepass', 'average_start=0'), ('onepass', 'average_start=50 decay=0.6 decay_rate=0.01 gamma0=0.01'),
             ('onepass', 'epochs=3 lambda=0.5 gamma0=0.9'), ('onepass', 'lambda=0'), ('truncated', 'gravity=0.001 truncate_every=3'),
             ('truncated', 'gravity=0.01 threshold=0.1'), ('truncated', 'method=round threshold=0.01'),
             ('truncated', 'clip_min=-1 clip_max=1 loss=squared_hinge'), ('truncated', 'power=0 eta0=0.1'), ('truncated', 'power=1'),
             ('elasticnet', 'l1=0.001 lambda=0.01'), ('elasticnet', 'method=fobos l1=0.0001 lambda=0.1'),
             ('elasticnet', 'l1=0 lambda=0 power=0 eta0=0.05'), ('elasticnet', 'lambda=1.9 power=0 epochs=1'), ('elasticnet', 'l1=1'),
             ('elasticnet', 'method=fobos power=1')) AS o (learner, options);

-- few rows, and one class
SELECT learner, options, rows, pg_temp.fingerprint(pg_temp.of_one(learner, format('x, y, %L', options), 'examples WHERE ' || rows))
FROM (SELECT number, learner, '' AS options FROM learners UNION ALL TABLE streaming) AS s,
     unnest('{id=1,id<4,id<300,y,y AND id<50,id<1001}'::text[]) AS rows
ORDER BY number, options, rows;

-- several classes, of as many runs as leave the loops over them a rest of every length, and more than go together
SELECT learner, classes, options, memory,
       pg_temp.fingerprint(pg_temp.of_one(learner, format('x, (abs(hashint4(id * 7 + 1)) %% %s)::text, %L', classes, options)), memory)
FROM (SELECT number, learner, unnest('{epochs=2,epochs=2 scale=std,epochs=2 loss=hinge intercept=false,epochs=2 loss=multinomial}'::text[]) AS options
      FROM learners) AS s,
     (SELECT unnest('{2,3,4,5,6,7,8,9,11,12,13,16,20,25,39,64,65,150}'::int[]) AS classes) AS c,
     unnest('{64MB,64kB}'::text[]) AS memory
WHERE learner IN ('sgd', 'asgd', 'casgd') OR (classes IN (3, 9) AND options NOT LIKE '%multinomial')
ORDER BY number, classes, options, memory;

-- a model that goes on, and two that are merged
SELECT learner, options, rows,
       pg_temp.fingerprint(format('WITH a AS MATERIALIZED (SELECT %1$s_train(x, y, %2$L) AS m FROM examples WHERE %3$s) '
           'SELECT md5(sparselin_continue(m, x, y)::text) FROM a, examples WHERE NOT (%3$s)', learner, options, rows)) AS continued,
       pg_temp.fingerprint(format('WITH a AS MATERIALIZED (SELECT %3$s AS k, %1$s_train(x, y, %2$L) AS m FROM examples GROUP BY 1) '
           'SELECT md5(sparselin_merge(m ORDER BY k)::text) FROM a', learner, options, rows)) AS merged
FROM (SELECT number, learner, unnest('{epochs=2,epochs=2 scale=std}'::text[]) AS options FROM learners UNION ALL TABLE streaming) AS s,
     unnest('{id<=500,id<=1500}'::text[]) AS rows
ORDER BY number, options, rows;

-- in parts: rows put together, spilled, or learned from by each part alone
SET enable_partitionwise_aggregate = on;
SET cpu_tuple_cost = 1000;
SET enable_sort = off;
SELECT learner, options, weight, memory, pg_temp.fingerprint(pg_temp.of_one(learner, format('x, y, %L%s', options, weight), 'parted'), memory)
FROM (SELECT number, learner, unnest('{epochs=2,epochs=2 scale=std,epochs=2 class_weight=balanced}'::text[]) AS options FROM learners
      UNION ALL TABLE streaming) AS s,
     (VALUES ('', '64MB'), ('', '64kB'), (', w', '64MB')) AS ways (weight, memory)
ORDER BY number, options, weight, memory;
SET sparselin.max_shipped_state = '64kB';
SELECT learner, options, pg_temp.fingerprint(pg_temp.of_one(learner, format('x, y, %L', options), 'parted'))
FROM (SELECT number, learner, unnest('{epochs=2,epochs=2 scale=std,epochs=2 class_weight=balanced}'::text[]) AS options FROM learners
      UNION ALL TABLE streaming) AS s
ORDER BY number, options;
