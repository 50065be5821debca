-- Labels that are texts: errors, and their hints

\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
CREATE SCHEMA text_labels_errors;
SET search_path = text_labels_errors, public;
CREATE TABLE tickets AS
SELECT id, sparsearray(ARRAY[1 + id % 11, 20 + id % 7]::bigint[], ARRAY[1, 0.5]) AS x,
       (ARRAY['billing', 'delivery', 'other'])[1 + id % 3] AS queue, id % 2 = 0 AS closed
FROM generate_series(1, 1500) AS id;
CREATE TYPE state AS ENUM ('open', 'closed');
CREATE FUNCTION classes_of(model sparselin_model) RETURNS jsonb LANGUAGE sql AS $$ SELECT model::jsonb -> 'classes' $$;

-- features that are none: of sparselin_train alone, whatever comes after them
SELECT sparselin_train(queue, queue) FROM tickets;
SELECT sparselin_train(queue, closed, 'epochs=2', 1) FROM tickets;
SELECT sparselin_train(queue, 'open'::state) FROM tickets;
SELECT sparselin_train(queue::varchar, id) FROM tickets;
SELECT sparselin_train('{1,2}'::smallint[], queue) FROM tickets;
SELECT sparselin_train(ARRAY[id::smallint], closed, NULL) FROM tickets;
SELECT sparselin_train(ARRAY[1, 2], queue) FROM tickets;
SELECT casgd_train(queue, queue) FROM tickets;
-- an untyped literal is a sparsearray where the label has a type that labels have, else it fits both
SELECT classes_of(sparselin_train('{1:1}', queue)) FROM tickets;
SELECT classes_of(sparselin_train('{1:1}', closed)) IS NULL FROM tickets;
SELECT sparselin_train('{1:1}', 'spam');
SELECT sparselin_train('{1:1}', NULL);
SELECT sparselin_train('{1:1}', 'open'::state);
SELECT classes_of(sparselin_train('{1:1}'::sparsearray, 'spam'));
-- no rows, no error
SELECT sparselin_train(queue, closed) IS NULL FROM tickets WHERE false;

-- labels of other types
SELECT sparselin_train(x, 'open'::state) FROM tickets;
SELECT sparselin_train(x, '2024-01-01'::date) FROM tickets;
SELECT sparselin_train(x, id) FROM tickets;

-- what does not go with texts, and what goes with nothing else
SELECT casgd_train(x, queue, 'loss=squared') FROM tickets;
SELECT elasticnet_train(x, queue, 'loss=absolute') FROM tickets;
SELECT onepass_train(x, queue, 'loss=multinomial') FROM tickets;
SELECT truncated_train(x, queue, sparselin_options(loss => 'multinomial')) FROM tickets;
SELECT casgd_train(x, closed, 'loss=multinomial') FROM tickets;
SELECT casgd_train(x, id % 2, 'loss=multinomial') FROM tickets;
SELECT casgd_train(x, closed, 'classes={a,b}') FROM tickets;

-- classes beforehand
SELECT sparselin_options(classes => '{}');
SELECT sparselin_options(classes => ARRAY['a', NULL]);
SELECT sparselin_options(classes => ARRAY[['a'], ['b']]);
SELECT sparselin_options(classes => ARRAY['b', 'a', 'b']);
SELECT sparselin_options(classes => NULL);
SELECT 'classes={a'::sparselin_options;
SELECT 'classes=a'::sparselin_options;
SELECT 'classes={a,"b}'::sparselin_options;
SELECT 'classes={{a},{b}}'::sparselin_options;
SELECT sparselin_train(x, queue, 'classes={billing,other}' ORDER BY id) FROM tickets;

-- streaming: a class that comes after the first 1000 rows
\set streaming 'epochs=1 sampling=sequential lambda=0.01'
SELECT asgd_train(x, CASE id WHEN 1001 THEN 'late' ELSE queue END, :'streaming' ORDER BY id) FROM tickets;
SELECT onepass_train(x, CASE WHEN id > 1200 THEN 'it''s "late"' ELSE queue END ORDER BY id) FROM tickets;
SELECT onepass_train(x, CASE WHEN id > 1200 THEN repeat('late', 100000) ELSE queue END ORDER BY id) FROM tickets;
SELECT onepass_train(x, CASE id WHEN 7 THEN 'unasked' ELSE queue END, 'classes={billing,delivery,other}' ORDER BY id) FROM tickets;
SELECT classes_of(onepass_train(x, CASE WHEN id > 1200 THEN 'late' ELSE queue END, 'classes={billing,delivery,late,other}' ORDER BY id)) FROM tickets;

-- parts and models that know different classes
CREATE TABLE models AS
SELECT sparselin_train(x, queue) AS three, sparselin_train(x, queue) FILTER (WHERE queue <> 'other') AS two,
       sparselin_train(x, closed) AS of_boolean, sparselin_train(x, queue, 'loss=multinomial') AS together,
       sparselin_train(x, replace(queue, 'other', 'Other')) AS named_otherwise
FROM tickets;
SELECT sparselin_merge(m) FROM models, unnest(ARRAY[three, two]) AS m;
SELECT sparselin_merge(m) FROM models, unnest(ARRAY[three, named_otherwise]) AS m;
SELECT sparselin_merge(m) FROM models, unnest(ARRAY[three, of_boolean]) AS m;
SELECT sparselin_merge(m) FROM models, unnest(ARRAY[three, together]) AS m;
SELECT sparselin_continue(three, x, 'new' ORDER BY id) FROM models, tickets;
SELECT sparselin_continue(two, x, queue ORDER BY id) FROM models, tickets;
SELECT sparselin_continue(three, x, closed) FROM models, tickets;
SELECT sparselin_continue(three, x, 1) FROM models, tickets;
SELECT sparselin_continue(of_boolean, x, queue) FROM models, tickets;
SELECT sparselin_continue(of_boolean, x, 'true') FROM models, tickets;

-- the session goes on
SELECT classes_of(sparselin_train(x, queue)) FROM tickets;

-- parts of one call that learn from rows as they come, and know different classes
CREATE TABLE parted (id int, x sparsearray, c text) PARTITION BY RANGE (id);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (1200);
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (1200) TO (2400);
INSERT INTO parted SELECT i, sparsearray(ARRAY[1 + i % 7], ARRAY[1]), CASE WHEN i % 2 = 0 THEN 'in both' ELSE 'in ' || i / 1200 END
FROM generate_series(0, 2399) AS i;
ANALYZE parted;
SET enable_partitionwise_aggregate = on;
SET cpu_tuple_cost = 1000;
SET max_parallel_workers_per_gather = 0;
EXPLAIN (COSTS OFF) SELECT asgd_train(x, c, 'epochs=1 sampling=sequential lambda=0.01') FROM parted;
SELECT asgd_train(x, c, 'epochs=1 sampling=sequential lambda=0.01') FROM parted;
SELECT rows, classes FROM (SELECT (sparselin_info(asgd_train(x, c, 'epochs=1 sampling=sequential lambda=0.01 classes={"in both","in 0","in 1"}'))).* FROM parted) AS i;
SELECT rows, classes FROM (SELECT (sparselin_info(asgd_train(x, c, 'lambda=0.01'))).* FROM parted) AS i;
RESET enable_partitionwise_aggregate;
RESET cpu_tuple_cost;
RESET max_parallel_workers_per_gather;
DROP TABLE parted;
