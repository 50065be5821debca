-- sparselin_model: text, JSON, binary form, what can be seen of it, every error

-- a model from elsewhere needs a learner, a loss and weights; keys and features come in any order
SELECT '{"learner":"sgd","loss":"logistic","weights":{"1":0.5,"70":2}}'::sparselin_model;
SELECT ' { "bias" : -1e-1, "weights" : {"7":2,"1":0.5,"3":0}, "loss":"squared","learner" : "casgd" } '::sparselin_model;
SELECT '{"learner":"asgd","loss":"hinge","labels":"zero_one","weights":[0.1,0,0.30000000000000004,-1e300]}'::sparselin_model;
SELECT '{"learner":"asg\u0064","loss":"absolute","weights":{}}'::sparselin_model;

CREATE TABLE kept_models (name text, model sparselin_model);
INSERT INTO kept_models VALUES
    ('full', '{"sparselin_model":1,"learner":"casgd","loss":"hinge","labels":"boolean","options":"loss=hinge lambda=0.01",
       "lambda":0.01,"bias":-0.25,"centred_bias":5e-324,"progressive_loss":0.125,"rows":1000,"skipped":3,"steps":5000,
       "epochs":5,"dimension":100,"history":[[1,0.5],[3,0.25],[5000,0.1]],"weights":{"1":0.1,"100":-1.2345678901234567e25},
       "resume":"AAECAwQFBgc="}'),
    ('small', '{"learner":"sgd","loss":"logistic","weights":{"1":0.5}}'),
    ('none', NULL);
INSERT INTO kept_models
    SELECT 'dense', ('{"learner":"asgd","loss":"logistic","weights":[' || string_agg((i / 7.0::float8)::text, ',') || ']}')::sparselin_model
    FROM generate_series(1, 20000) i;
INSERT INTO kept_models
    SELECT 'sparse', ('{"learner":"asgd","loss":"logistic","weights":{' || string_agg(format('"%s":%s', i * 1000, i / 7.0::float8), ',' ORDER BY -i) || '}}')::sparselin_model
    FROM generate_series(1, 20000) i;

-- text, binary and jsonb read back; the cast to jsonb leaves out the resume state
SELECT name, model::text::sparselin_model::text = model::text AS text_reads_back,
       sparselin_model_send(model::text::sparselin_model) = sparselin_model_send(model) AS to_the_same_bytes,
       (model::jsonb::sparselin_model)::jsonb = model::jsonb AS jsonb_reads_back,
       model::jsonb ? 'resume' AS has_resume, length(sparselin_model_send(model)) AS bytes
FROM kept_models ORDER BY name;
SELECT jsonb_pretty(model::jsonb) FROM kept_models WHERE name = 'full';
SELECT (model::jsonb || '{"bias":3}')::sparselin_model FROM kept_models WHERE name = 'small';
CREATE TABLE as_jsonb (j jsonb);
INSERT INTO as_jsonb SELECT model FROM kept_models WHERE name = 'small';
INSERT INTO kept_models SELECT 'back', j FROM as_jsonb;
SELECT model FROM kept_models WHERE name = 'back';

-- what can be seen of it
SELECT name, (sparselin_info(model)).* FROM kept_models ORDER BY name;
SELECT name, w.* FROM kept_models, sparselin_weights(model) w WHERE name IN ('full', 'small', 'none') ORDER BY name, feature;
SELECT name, count(*), min(feature), max(feature), sum(weight * 7) AS total
FROM kept_models, sparselin_weights(model) WHERE name IN ('dense', 'sparse') GROUP BY name ORDER BY name;
SELECT name, h.* FROM kept_models, sparselin_history(model) h ORDER BY name, step;
SELECT * FROM sparselin_weights('{"learner":"sgd","loss":"logistic","weights":[0.5,0,2]}'::sparselin_model) LIMIT 1;

-- whatever way the value is stored
CREATE TABLE stored AS SELECT name, model FROM kept_models WHERE name IN ('dense', 'small');
ALTER TABLE stored ALTER model SET STORAGE extended;
UPDATE stored SET model = model::text::sparselin_model;
SELECT s.name, s.model::text = k.model::text AS same FROM stored s JOIN kept_models k USING (name) ORDER BY name;
ALTER TABLE stored ALTER model SET STORAGE main;
UPDATE stored SET model = model::text::sparselin_model;
SELECT s.name, s.model::text = k.model::text AS same FROM stored s JOIN kept_models k USING (name) ORDER BY name;

-- models have no order and no equality
SELECT DISTINCT model FROM kept_models;

-- bad text: every one with a hint
CREATE FUNCTION pg_temp.refusal(body text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    hint text;
BEGIN
    RETURN body::sparselin_model;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
    RETURN format('%s: %s | %s', SQLSTATE, SQLERRM, hint);
END $$;
\pset format unaligned
SELECT pg_temp.refusal(body) FROM unnest(ARRAY[
    '', 'casgd', '[]', '1', '{', '{}',
    '{"learner":"sgd","loss":"hinge"}',
    '{"learner":"sgd","learner":"sgd"}',
    '{"learnr":"sgd"}',
    '{"learner":"sdg"}',
    '{"learner":3}',
    '{"loss":null}',
    '{"labels":"name"}',
    '{"bias":"1"}',
    '{"bias":NaN}',
    '{"bias":1e999}',
    '{"bias":1e-999}',
    '{"rows":1.5}',
    '{"rows":-1}',
    '{"dimension":2147483648}',
    '{"sparselin_model":2}',
    '{"history":[[1]]}',
    '{"weights":3}',
    '{"weights":{"0":1}}',
    '{"weights":{"-1":1}}',
    '{"weights":{"2147483648":1}}',
    '{"weights":{"01":1}}',
    '{"weights":{"1":1,"1":2}}',
    '{"weights":{"5":0,"1":2,"5":0}}',
    '{"weights":[1,"2"]}',
    '{"weights":[1,,2]}',
    '{"resume":"AAA"}',
    '{"options":"\u0000"}',
    '{"learner":"sgd","loss":"hinge","weights":{}} x',
    '{"learner":"sgd","loss":"hinge","weights":{"7":1},"dimension":6}',
    '{"learner":"sgd","loss":"hinge","weights":{},"labels":"number"}',
    '{"learner":"sgd","loss":"hinge","weights":{},"lambda":-1}',
    '{"learner":"sgd","loss":"hinge","weights":{},"history":[[2,1],[2,1]]}',
    '{"learner":"sgd","loss":"hinge","weights":{},"options":"lambada=1"}',
    '{"learner":"sgd","loss":"hinge","weights":{},"options":"center={1:1}"}',
    repeat('[', 100000),
    '{"weights":{"1":' || repeat('[', 100000)]) body;
\pset format aligned
-- jsonb keeps the last of two values, and forgets nothing else
SELECT '{"learner":"sgd","loss":"hinge","weights":{"1":1,"1":2}}'::jsonb::sparselin_model;
SELECT '[1]'::jsonb::sparselin_model;

-- bytes: cut, mangled, and of another kind; a disk form is read with as little trust as the wire's, where it is read: none
-- of them is known by its fingerprint
SET sparselin.cache_size = 0;
CREATE CAST (bytea AS sparselin_model) WITHOUT FUNCTION;
CREATE TEMP TABLE bytes_of AS SELECT name, sparselin_model_send(model) AS b FROM kept_models WHERE name IN ('full', 'small');
CREATE FUNCTION pg_temp.state_of(b bytea) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM sparselin_predict(b::sparselin_model, '{1:1}');
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE;
END $$;
CREATE FUNCTION pg_temp.sent(b bytea) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN CASE WHEN sparselin_model_send(b::sparselin_model) = b THEN 'sent' ELSE 'changed' END;
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE;
END $$;
-- what applies a model looks at no more of it than that takes: a resume state and what lies behind may be cut or changed
SELECT name, pg_temp.state_of(b) AS whole,
       (SELECT string_agg(DISTINCT pg_temp.state_of(substr(b, 1, n)), ',') FROM generate_series(0, length(b) - 1) n) AS cut,
       (SELECT string_agg(DISTINCT pg_temp.state_of(set_bit(b, n, 1 - get_bit(b, n))), ',') FROM generate_series(0, 8 * length(b) - 1) n) AS flipped,
       pg_temp.state_of(b || '\x00') AS longer
FROM bytes_of ORDER BY name;
SELECT set_byte(b, 4, 2)::sparselin_model FROM bytes_of WHERE name = 'small';
SELECT set_byte(b, 0, 0)::sparselin_model FROM bytes_of WHERE name = 'small';
SELECT set_byte(b, 20, get_byte(b, 20) # 1)::sparselin_model FROM bytes_of WHERE name = 'small';
SELECT substr(b, 1, 31)::sparselin_model FROM bytes_of WHERE name = 'small';
SELECT ''::bytea::sparselin_model;
-- nothing damaged goes out: in the query, in binary COPY, from where it is stored
SELECT name, (SELECT string_agg(DISTINCT pg_temp.sent(set_bit(b, n, 1 - get_bit(b, n))), ',') FROM generate_series(0, 8 * length(b) - 1) n) AS flipped,
       (SELECT string_agg(DISTINCT pg_temp.sent(substr(b, 1, n)), ',') FROM generate_series(0, length(b) - 1) n) AS cut,
       pg_temp.sent(b) AS whole
FROM bytes_of ORDER BY name;
CREATE TEMP TABLE damaged_model AS SELECT set_byte(b, 70, get_byte(b, 70) # 1)::sparselin_model AS m FROM bytes_of WHERE name = 'small';
COPY damaged_model TO '/dev/null' WITH (FORMAT binary);
SELECT sparselin_model_send(m) FROM damaged_model;
DROP TABLE damaged_model;
DROP CAST (bytea AS sparselin_model);
RESET sparselin.cache_size;

-- binary COPY in, its stream written by printf
CREATE TEMP TABLE received (m sparselin_model);
CREATE FUNCTION pg_temp.receive(payload bytea) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    stream bytea := '\x5047434f50590aff0d0a0000000000000000000001'::bytea ||
                    int4send(length(payload)) || payload || '\xffff'::bytea;
    octal text;
BEGIN
    SELECT string_agg('\' || lpad((b / 64)::text || (b / 8 % 8)::text || (b % 8)::text, 3, '0'), '' ORDER BY i) INTO octal
    FROM generate_series(0, length(stream) - 1) i, get_byte(stream, i) b;
    TRUNCATE received;
    EXECUTE format('COPY received FROM PROGRAM %L WITH (FORMAT binary)', format('printf ''%s''', octal));
    RETURN (SELECT sparselin_model_send(m) = payload FROM received);
EXCEPTION WHEN OTHERS THEN
    RETURN format('%s: %s', SQLSTATE, SQLERRM);
END $$;
SELECT name, pg_temp.receive(b), pg_temp.receive(substr(b, 1, length(b) - 1)) AS cut, pg_temp.receive(set_byte(b, 40, 255)) AS mangled
FROM bytes_of ORDER BY name;
DROP TABLE kept_models, as_jsonb, stored;
