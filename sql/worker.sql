-- What a session does that works for a coordinator of Citus, which is told by its application_name

SET max_parallel_workers_per_gather = 0;
CREATE TABLE shard (id int, part int, x sparsearray, y boolean) PARTITION BY LIST (part);
CREATE TABLE shard_0 PARTITION OF shard FOR VALUES IN (0);
CREATE TABLE shard_1 PARTITION OF shard FOR VALUES IN (1);
INSERT INTO shard SELECT i, i % 2, sparsearray(ARRAY[1 + i % 5], ARRAY[1]), i % 10 < 4 FROM generate_series(1, 500) AS i;
ANALYZE shard;
SELECT version FROM sparselin_fit('of the worker', 'SELECT x AS features, y AS label FROM shard');
CREATE TABLE reference_models AS SELECT model FROM sparselin_models JOIN sparselin_model_values USING (name, version) WHERE active AND name = 'of the worker';
SELECT count(*) AS predicted FROM shard WHERE sparselin_predict('of the worker', x) IS NOT NULL;

-- no model of the worker's own, whatever its name
SET application_name = 'citus_internal gpid=10000000027';
SELECT count(*) FROM shard WHERE sparselin_predict('of the worker', x) IS NOT NULL;
SELECT sparselin_info('nobody''s');
SELECT (sparselin_evaluate('of the worker', x, y)).rows FROM shard;
SELECT count(sparselin_predict(model, x)) AS predicted FROM shard, reference_models;

SET application_name = 'somebody';
SELECT count(*) AS predicted FROM shard WHERE sparselin_predict('of the worker', x) IS NOT NULL;
SELECT sparselin_drop('of the worker');
