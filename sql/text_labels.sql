-- Labels that are texts: the classes of a call, and the same models by every way that rows can come

SET client_min_messages = warning;
CREATE SCHEMA text_labels;
SET search_path = text_labels, public;
CREATE TABLE tickets AS
SELECT id, sparsearray(ARRAY[1 + id * 7 % 11, 20 + id * 13 % 29]::bigint[], ARRAY[1, 0.5 + id % 3]) AS x,
       (ARRAY['billing', 'delivery', 'other', 'returns'])[1 + (id * 7 % 11 + id * 13 % 29 / 9) % 4] AS queue, 1 + id % 2 AS w
FROM generate_series(1, 2996) AS id;  -- full pages: a stream of each knows all classes
ALTER TABLE tickets SET (parallel_workers = 2);
ANALYZE tickets;
CREATE FUNCTION classes_of(model sparselin_model) RETURNS jsonb LANGUAGE sql AS $$ SELECT model::jsonb -> 'classes' $$;
CREATE FUNCTION pick(value jsonb, run int) RETURNS jsonb LANGUAGE sql AS $$
    SELECT CASE jsonb_typeof(value) WHEN 'array' THEN value -> run ELSE value END
$$;
-- What was learned of one class: bias and weights.
CREATE FUNCTION run_of(model sparselin_model, run int DEFAULT 0) RETURNS jsonb LANGUAGE sql AS $$
    SELECT jsonb_build_array(pick(m -> 'bias', run), pick(m -> 'centred_bias', run),
                             jsonb_object_agg(f.feature, pick(f.weights, run)) FILTER (WHERE pick(f.weights, run) <> '0'))
    FROM (SELECT model::jsonb AS m) AS given, LATERAL (
        SELECT (j.place)::text, j.weights
        FROM jsonb_array_elements(CASE jsonb_typeof(m -> 'weights') WHEN 'array' THEN m -> 'weights' END)
             WITH ORDINALITY AS j (weights, place)
        UNION ALL
        SELECT * FROM jsonb_each(CASE jsonb_typeof(m -> 'weights') WHEN 'object' THEN m -> 'weights' END)) AS f (feature, weights)
    GROUP BY m
$$;

-- every learner and every form; each class as a model of that class against the rest, bit for bit
-- A class alone is not settled either.
CREATE FUNCTION trained(learner text, label text, options text, weight text DEFAULT NULL) RETURNS sparselin_model
LANGUAGE plpgsql AS $$
DECLARE
    m sparselin_model;
BEGIN
    IF label <> 'queue' THEN
        options := format('(%s || '' settle=false'')::sparselin_options', coalesce(nullif(options, 'NULL'), ''''''));
    END IF;
    EXECUTE format('SELECT %s_train(x, %s%s%s ORDER BY id) FROM tickets', learner, label, ', ' || options, ', ' || weight) INTO m;
    RETURN m;
END $$;
CREATE TABLE names (learner text, options text);
INSERT INTO names
SELECT l, o FROM unnest('{sgd,asgd,casgd,onepass,truncated,elasticnet,sparselin}'::text[]) AS l,
                 (VALUES (NULL), ('NULL'), ('''loss=hinge epochs=2'''), ('''scale=std epochs=2''')) AS v (o);
SELECT learner, count(*) AS forms, min(classes_of(m)::text) AS classes, count(DISTINCT classes_of(m)) AS different,
       bool_and(run_of(m) = run_of(trained(learner, $$queue = 'billing'$$, options, weight)) IS TRUE) AS billing,
       bool_and(run_of(m, 2) = run_of(trained(learner, $$queue = 'other'$$, options, weight)) IS TRUE) AS other,
       bool_or(run_of(m) = run_of(m, 2)) AS all_the_same
FROM (SELECT learner, options, weight, trained(learner, 'queue', options, weight) AS m
      FROM names, (VALUES (NULL), ('w')) AS v (weight) WHERE options IS NOT NULL OR weight IS NULL) AS made
GROUP BY learner ORDER BY learner;
SELECT sparselin_train(x, queue ORDER BY id)::text = casgd_train(x, queue ORDER BY id)::text AS text,
       sparselin_train(x, queue = 'other', 'epochs=2' ORDER BY id)::text = casgd_train(x, queue = 'other', 'epochs=2' ORDER BY id)::text AS boolean,
       sparselin_train(x, w - 1, NULL, w ORDER BY id)::text = casgd_train(x, w - 1, NULL, w ORDER BY id)::text AS number,
       (sparselin_info(sparselin_train(x, w, 'loss=squared'))).learner
FROM tickets;

-- two classes: one run, positive for the later in byte order, whichever came first
SELECT classes_of(m), run_of(m) = run_of(b) AS as_binary, sparselin_decide(m, '{1:1}') = sparselin_decide(b, '{1:1}') AS decides
FROM (SELECT casgd_train(x, queue ORDER BY id) AS m, casgd_train(x, queue = 'returns' ORDER BY id) AS b
      FROM tickets WHERE queue IN ('returns', 'delivery')) AS v;
-- and together: a run for each class, which add up to nothing
SELECT learner, classes_of(m), jsonb_array_length(m::jsonb -> 'bias') AS runs,
       (SELECT bool_and(abs(total) < 1e-9)
        FROM (SELECT sum(value::float8) AS total FROM generate_series(0, 3) AS run, jsonb_each_text(run_of(m, run) -> 2)
              GROUP BY key) AS sums) AS add_up_to_0
FROM (SELECT learner, trained(learner, 'queue', '''loss=multinomial''') AS m
      FROM unnest('{sgd,asgd,casgd,sparselin}'::text[]) AS learner) AS v
ORDER BY learner;

-- what is taken for a text: untyped literals, a NULL, and the types of the same kind; enums and the like need a cast
CREATE TYPE state AS ENUM ('open', 'closed');
CREATE DOMAIN code AS text;
SELECT classes_of(sparselin_train(x, 'one')) AS literal, sparselin_train(x, NULL) IS NULL AS unknown,
       sparselin_train(x, NULL::text) IS NULL AS null, classes_of(sparselin_train(x, queue::varchar)) AS varchar,
       classes_of(sparselin_train(x, queue::char(8))) AS char, classes_of(sparselin_train(x, queue::name)) AS name,
       classes_of(sparselin_train(x, left(queue, 1)::"char")) AS "char", classes_of(sparselin_train(x, queue::code)) AS domain
FROM tickets;
SELECT classes_of(sparselin_train(x, (enum_range(NULL::state))[w]::text)) AS enum, classes_of(sparselin_train(x, w::text)) AS number,
       classes_of(sparselin_train(x, ('2024-02-01'::date + w)::text)) AS date, classes_of(sparselin_train(x, (w = 1)::text)) AS boolean
FROM tickets;

-- rows without a label are skipped and counted, and name no class
SELECT classes_of(m), (sparselin_info(m)).rows, (sparselin_info(m)).skipped,
       run_of(m) = (SELECT run_of(casgd_train(x, queue ORDER BY id)) FROM tickets WHERE queue <> 'other') AS as_without
FROM (SELECT casgd_train(x, nullif(queue, 'other') ORDER BY id) AS m FROM tickets) AS v;
SELECT classes_of(m), (sparselin_info(m)).skipped
FROM (SELECT casgd_train(CASE WHEN queue <> 'other' THEN x END, queue, NULL, CASE queue WHEN 'returns' THEN 0 ELSE w END) AS m FROM tickets) AS v;

-- names are any texts, told apart byte by byte, and in byte order
SELECT classes_of(casgd_train(x, name ORDER BY id, name)) = classes_of(casgd_train(x, name ORDER BY id DESC, name DESC)) AS any_order,
       classes_of(casgd_train(x, name))
FROM tickets, unnest(ARRAY['two words', '"quoted"', 'it''s', '', ' ', 'NULL', 'null', E'back\\slash', '{a,b}', 'Case', 'case', 'CASE',
                           'trailing', 'trailing ', 'trailing  ', E'tab\t', E'line\n', '1', '01', 'true']) AS name
WHERE id <= 20;
SELECT length(classes_of(m) ->> 2) AS longest, run_of(m, 2) = run_of(b) AS as_binary, m::text::sparselin_model::text = m::text AS reads_back
FROM (SELECT asgd_train(x, CASE queue WHEN 'other' THEN repeat('long', 262144) ELSE queue END, 'epochs=1' ORDER BY id) AS m,
             asgd_train(x, queue = 'other', 'epochs=1 settle=false' ORDER BY id) AS b
      FROM tickets WHERE id <= 100) AS v;

-- classes given beforehand: those of the rows and others, for which no row is
SELECT classes_of(m), run_of(m) = run_of(trained('casgd', $$queue = 'a b'$$, NULL)) AS none, run_of(m, 2) = run_of(trained('casgd', $$queue = 'delivery'$$, NULL)) AS some,
       (sparselin_info(m)).options LIKE '%classes={"a b",billing,delivery,other,returns}%' AS kept
FROM (SELECT trained('casgd', 'queue', $$'classes={returns,delivery,"a b",other,billing}'$$) AS m) AS v;
SELECT o, o::text::sparselin_options = o AS reads_back
FROM (SELECT sparselin_options(classes => ARRAY['a b', 'c"d', '', 'NULL', E'back\\slash', '{b}', ' x ', E'tab\tline', 'x=1,y=2'], epochs => 3)) AS v (o);

-- streaming: the classes of the first 1000 rows, or those that are given
\set streaming 'epochs=1 sampling=sequential lambda=0.01 center={1:0.1}'
SELECT classes_of(m), run_of(m, 2) = run_of(b) AS as_binary
FROM (SELECT casgd_train(x, queue, :'streaming' ORDER BY id) AS m, casgd_train(x, queue = 'other', :'streaming' ORDER BY id) AS b FROM tickets) AS v;
\set given :streaming ' classes={late,other,billing,delivery,returns}'
SELECT classes_of(m), run_of(m, 2) = run_of(b) AS as_binary, (sparselin_info(m)).rows
FROM (SELECT casgd_train(x, c, :'given' ORDER BY id) AS m,
             casgd_train(x, c = 'late', :'streaming' ORDER BY id) AS b
      FROM (SELECT id, x, CASE WHEN id > 1000 AND id % 2 = 0 THEN 'late' ELSE queue END AS c FROM tickets) AS t) AS v;
SELECT classes_of(onepass_train(x, CASE WHEN id = 1000 THEN 'late' ELSE queue END ORDER BY id)) AS just_in_time,
       classes_of(onepass_train(x, CASE WHEN id = 1001 THEN 'late' ELSE queue END, 'epochs=2' ORDER BY id)) AS buffered
FROM tickets;

-- parallel plans: the classes and, of rows that are put together, the bits of a serial plan
CREATE FUNCTION workers(number int, leader boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config(name, value, false)
    FROM (VALUES ('parallel_setup_cost', '0'), ('parallel_tuple_cost', '0'), ('min_parallel_table_scan_size', '0'),
                 ('max_parallel_workers_per_gather', number::text), ('parallel_leader_participation', leader::text)) AS s (name, value);
END $$;
CREATE FUNCTION partial(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        IF line ~ 'Partial Aggregate' THEN RETURN true; END IF;
    END LOOP;
    RETURN false;
END $$;
CREATE TABLE calls (kind text, call text);
INSERT INTO calls VALUES
    ('casgd', 'sparselin_train(x, queue)'), ('multinomial', $$sparselin_train(x, queue, 'loss=multinomial')$$),
    ('truncated', 'truncated_train(x, queue, NULL, w)'),
    ('late', $$asgd_train(x, CASE WHEN id > 2900 THEN 'late' ELSE queue END)$$),
    ('streaming', $$casgd_train(x, queue, 'epochs=1 sampling=sequential lambda=0.01 center={1:0.1}')$$),
    ('given', $$onepass_train(x, CASE WHEN id > 2900 THEN 'late' ELSE queue END, 'classes={late,billing,delivery,other,returns}')$$);
-- All in one page of a table, which one process takes: they come in the order of a serial plan.
CREATE TABLE packed (tickets tickets[]);
ALTER TABLE packed ALTER tickets SET STORAGE EXTERNAL;
INSERT INTO packed SELECT array_agg(t ORDER BY id) FROM tickets AS t GROUP BY (id - 1) / 1000 ORDER BY (id - 1) / 1000;
CREATE FUNCTION unpacked(tickets[]) RETURNS SETOF tickets ROWS 100000 PARALLEL SAFE LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT * FROM unnest($1);
END $$;
ALTER TABLE packed SET (parallel_workers = 2);
ANALYZE packed;
CREATE TABLE by_plan (plan text, kind text, m sparselin_model, partial boolean);
CREATE FUNCTION learn(plan text, source text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    made record;
    m sparselin_model;
BEGIN
    FOR made IN SELECT * FROM calls LOOP
        EXECUTE format('SELECT %s FROM %s', made.call, source) INTO m;
        INSERT INTO by_plan VALUES (plan, made.kind, m, partial(format('SELECT %s FROM %s', made.call, source)));
    END LOOP;
END $$;
SELECT workers(2, true);
SELECT pg_relation_size('packed') = current_setting('block_size')::int AS one_page;
SELECT learn('parts', 'tickets');
SELECT learn('one part', 'packed, unpacked(tickets)');
-- several of one plan are of the same parts
SELECT classes_of(c), run_of(c, 2) = run_of(d) AS buffered, run_of(s, 2) = run_of(t) AS streaming
FROM (SELECT casgd_train(x, queue) AS c, casgd_train(x, queue = 'other', 'settle=false') AS d,
             onepass_train(x, queue) AS s, onepass_train(x, queue = 'other') AS t
      FROM tickets) AS v;
SELECT workers(0, true);
SELECT learn('serial', 'tickets');
SELECT kind, count(*) AS plans, count(*) FILTER (WHERE partial) AS parallel, count(DISTINCT classes_of(m)) AS different_classes, min(classes_of(m)::text) AS classes,
       count(DISTINCT (sparselin_info(m)).rows) AS different_rows,
       count(DISTINCT run_of(m, 1)) FILTER (WHERE plan <> 'parts') AS different_in_serial_order
FROM by_plan GROUP BY kind ORDER BY kind;

-- merged: of the same classes; a run is the mean of its runs
CREATE TABLE parts AS
SELECT id % 3 AS part, sparselin_train(x, queue ORDER BY id) AS m, sparselin_train(x, queue = 'other', 'settle=false' ORDER BY id) AS b,
       onepass_train(x, queue ORDER BY id) AS s, onepass_train(x, queue = 'other' ORDER BY id) AS t,
       asgd_train(x, queue, 'loss=multinomial' ORDER BY id) AS joint
FROM tickets GROUP BY 1;
SELECT classes_of(sparselin_merge(m ORDER BY part)), run_of(sparselin_merge(m ORDER BY part), 2) = run_of(sparselin_merge(b ORDER BY part)) AS as_binary,
       classes_of(sparselin_merge(s ORDER BY part)), run_of(sparselin_merge(s ORDER BY part), 2) = run_of(sparselin_merge(t ORDER BY part)) AS streamed,
       classes_of(sparselin_merge(joint)) AS together, (sparselin_info(sparselin_merge(joint))).rows
FROM parts;

-- going on from a model: with its classes; k rows and then l are k + l rows where it streams
SELECT classes_of(more), run_of(more, 2) = run_of(of_one) AS as_binary, (sparselin_info(more)).rows
FROM (SELECT sparselin_continue(m, x, queue ORDER BY id) AS more, sparselin_continue(b, x, queue = 'other' ORDER BY id) AS of_one
      FROM tickets, parts WHERE part = 0) AS v;
SELECT run_of(sparselin_continue(half, x, queue, w ORDER BY id)) = (SELECT run_of(onepass_train(x, queue, NULL, w ORDER BY id)) FROM tickets) AS same
FROM tickets, (SELECT onepass_train(x, queue, NULL, w ORDER BY id) AS half FROM tickets WHERE id <= 1700) AS v WHERE id > 1700;
-- the classes of rows that are still held back are those of the first 1000 in all
SELECT classes_of((SELECT onepass_train(x, queue ORDER BY id) FROM tickets WHERE id <= 700 AND queue <> 'other')) AS half,
       classes_of(sparselin_continue((SELECT onepass_train(x, queue ORDER BY id) FROM tickets WHERE id <= 700 AND queue <> 'other'), x, queue
                                     ORDER BY id)) AS more
FROM tickets WHERE id > 700;
SELECT classes_of(sparselin_continue(joint, x, queue)), (sparselin_info(sparselin_continue(joint, x, queue))).loss FROM tickets, parts WHERE part = 0;
