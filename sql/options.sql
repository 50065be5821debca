-- sparselin_options: text and binary form, the function with named arguments, comparison, every error

-- what is printed is canonical: the table's order, shortest numbers
SELECT 'epochs=5 loss=hinge lambda=1e-4'::sparselin_options;
SELECT E' LOSS = Squared\n\tepochs=1e1  seed=9007199254740992 step_offset=100000 '::sparselin_options;
SELECT 'intercept=off resumable=Yes average_power=0.5 sampling=sequential'::sparselin_options;
SELECT 'center={3:2, 1:0.5}/4 lambda=auto'::sparselin_options;
SELECT ''::sparselin_options = 'lambda=auto'::sparselin_options AS same;

-- casts from and to text, and reading back
SELECT ('loss=' || l)::sparselin_options::text FROM unnest(ARRAY['hinge', 'absolute']) l;
SELECT bool_and((o::text::sparselin_options = o) IS TRUE) AS reads_back
FROM (VALUES ('lambda=0.1'::sparselin_options), ('lambda=1e-100'), ('lambda=0'), ('lambda=5e-324'),
             ('lambda=1.7976931348623157e308'), ('lambda=0.30000000000000004 center={1:0.1,2147483647:-3e38}'),
             ('')) v(o);

-- by name
SELECT sparselin_options();
SELECT sparselin_options(lambda => 1e-4, loss => 'hinge', epochs => 1e1);
SELECT sparselin_options(sampling => 'auto', seed => 0, intercept => false, resumable => true, center => '{}/3');
SELECT sparselin_options('logistic', NULL, NULL, NULL, 0.5, 0.25, 3, 'replacement', 7, 0, 0, 'infinity', 0.1, 0.75, 0.01, 100, 0.5, 0, 'fobos', 1e-3,
                         5, 2, -1, 1, 'std', 'l2', 'balanced', true, true, '{2:1}', false);
SELECT sparselin_options(NULL, NULL, epochs => NULL) = '' AS nothing_set;

-- binary form, tables, toast
SELECT sparselin_options_send('loss=hinge epochs=2');
CREATE TABLE given (id int, o sparselin_options);
INSERT INTO given VALUES (1, 'epochs=2 loss=hinge'), (2, 'center={1:1}'), (3, ''), (4, NULL);
INSERT INTO given
    SELECT 5, sparselin_options(center => ('{' || string_agg(i || ':' || i / 7.0::float4, ',') || '}')::sparsearray)
    FROM generate_series(1, 20000) i;
SELECT id, length(o::text), o::text::sparselin_options = o AS reads_back FROM given ORDER BY id;

-- comparison, DISTINCT, GROUP BY, joins, an index
SELECT o FROM (VALUES ('loss=hinge'::sparselin_options), ('epochs=3'), ('loss=hinge epochs=1'), ('')) v(o) ORDER BY o;
SELECT count(DISTINCT o), count(*) FROM (VALUES ('epochs=1e1'::sparselin_options), ('epochs=10'), ('epochs=9')) v(o);
SET enable_sort = off;
SELECT o, count(*) FROM (VALUES ('epochs=1e1'::sparselin_options), ('epochs=10')) v(o) GROUP BY o;
RESET enable_sort;
SELECT 'epochs=1'::sparselin_options < 'epochs=2' AS lt, 'epochs=1'::sparselin_options <= 'epochs=1' AS le,
       'epochs=1'::sparselin_options > 'epochs=2' AS gt, 'epochs=1'::sparselin_options >= 'epochs=1' AS ge,
       'epochs=1'::sparselin_options = 'epochs=2' AS eq, 'epochs=1'::sparselin_options <> 'epochs=2' AS ne;
SELECT sparselin_options_cmp('epochs=1', 'epochs=10') AS shorter_first, sparselin_options_cmp('', '') AS same,
       sparselin_options_hash('epochs=1e1') = sparselin_options_hash('epochs=10') AS hash,
       sparselin_options_hash_extended('epochs=1e1', 7) = sparselin_options_hash_extended('epochs=10', 7) AS extended;
SELECT count(*) FROM given a JOIN given b USING (o);
CREATE UNIQUE INDEX given_o ON given (o) WHERE id < 5;
INSERT INTO given VALUES (1, 'loss=hinge epochs=2.0');
DROP TABLE given;

-- the form is wrong
SELECT 'lamda=1'::sparselin_options;
SELECT 'average=1'::sparselin_options;
SELECT 'l2=1'::sparselin_options;
SELECT 'xyzzy=1'::sparselin_options;
SELECT 'loss=hinge loss=hinge'::sparselin_options;
SELECT 'hinge'::sparselin_options;
SELECT 'lambda 1e-4'::sparselin_options;
SELECT '=1'::sparselin_options;
SELECT 'lambda='::sparselin_options;
SELECT 'lambda= epochs=3'::sparselin_options;
SELECT 'loss=hinge, lambda=1e-4'::sparselin_options;
SELECT 'lambda=0,5'::sparselin_options;
SELECT 'center={1:2}, loss=hinge'::sparselin_options;

-- a value is wrong
SELECT 'loss=hinje'::sparselin_options;
SELECT 'sampling=random'::sparselin_options;
SELECT 'lambda=small'::sparselin_options;
SELECT 'lambda=nan'::sparselin_options;
SELECT 'lambda=-1'::sparselin_options;
SELECT 'lambda=1e-400'::sparselin_options;
SELECT 'lambda=1e400'::sparselin_options;
SELECT 'epochs=0'::sparselin_options;
SELECT 'epochs=2.5'::sparselin_options;
SELECT 'epochs=1000001'::sparselin_options;
SELECT 'seed=-1'::sparselin_options;
SELECT 'seed=9007199254740994'::sparselin_options;
SELECT 'step_offset=-1'::sparselin_options;
SELECT 'average_power=11'::sparselin_options;
SELECT 'implicit_above=0'::sparselin_options;
SELECT 'implicit_above=never'::sparselin_options;
SELECT sparselin_options(implicit_above => 'NaN');
SELECT sparselin_options(implicit_above => '-infinity');
SELECT 'gamma0=0'::sparselin_options;
SELECT 'decay=1.5'::sparselin_options;
SELECT 'average_start=0.5'::sparselin_options;
SELECT 'method=rounding'::sparselin_options;
SELECT 'scale=sd'::sparselin_options;
SELECT 'class_weight=2'::sparselin_options;
SELECT 'intercept=maybe'::sparselin_options;
SELECT 'center=3'::sparselin_options;
SELECT 'center={1:2'::sparselin_options;
SELECT 'center={5:2}/4'::sparselin_options;

-- by name, the same checks
SELECT sparselin_options(loss => 'hinje');
SELECT sparselin_options(lambda => -5e-324);
SELECT sparselin_options(lambda => 'NaN');
SELECT sparselin_options(lambda => 'Infinity');
SELECT sparselin_options(epochs => 0);
SELECT sparselin_options(epochs => 1.5);
SELECT sparselin_options(seed => -1);
SELECT sparselin_options(average_power => '-Infinity');

-- the binary form is read by the same rules: the bytes of a binary COPY, written by printf
CREATE TEMP TABLE received (o sparselin_options);
CREATE FUNCTION pg_temp.receive(payload bytea) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    stream bytea := '\x5047434f50590aff0d0a0000000000000000000001'::bytea ||
                    int4send(length(payload)) || payload || '\xffff'::bytea;
    octal text;
BEGIN
    SELECT string_agg('\' || (b / 64)::text || (b / 8 % 8)::text || (b % 8)::text, '' ORDER BY i) INTO octal
    FROM generate_series(0, length(stream) - 1) i, get_byte(stream, i) b;
    TRUNCATE received;
    EXECUTE format('COPY received FROM PROGRAM %L WITH (FORMAT binary)', format('printf ''%s''', octal));
    RETURN (SELECT o FROM received);
EXCEPTION
    WHEN character_not_in_repertoire THEN RETURN 'no text';
    WHEN OTHERS THEN RETURN format('%s: %s', SQLSTATE, SQLERRM);
END $$;
SELECT pg_temp.receive(sparselin_options_send('loss=hinge center={1:0.5}/3')), pg_temp.receive('') AS empty;
SELECT pg_temp.receive('epochs=1e1  loss=hinge') AS canonical;
SELECT pg_temp.receive('loss=hin') UNION ALL SELECT pg_temp.receive('lambda=-1') UNION ALL
SELECT pg_temp.receive('lambda') UNION ALL SELECT pg_temp.receive('loss=hinge'::bytea || '\x00');

-- the table of options, and that the function's arguments are the table's rows
SELECT name, type, default_value, allowed, learners FROM sparselin_option_table();
SELECT name, meaning FROM sparselin_option_table();
SELECT p.proargnames = t.names AS names, p.pronargdefaults = cardinality(t.names) AS all_default_to_null,
       string_to_array(p.proargtypes::text, ' ')::oid[] = t.types AS types
FROM pg_proc p,
     (SELECT array_agg(name) AS names,
             array_agg(CASE type WHEN 'choice' THEN 'text' WHEN 'boolean' THEN 'boolean'
                                 WHEN 'sparsearray' THEN 'sparsearray' WHEN 'text[]' THEN 'text[]' ELSE 'float8' END::regtype::oid) AS types
      FROM sparselin_option_table()) t
WHERE p.proname = 'sparselin_options' AND p.prokind = 'f';
-- a default that is a value is one that can be written
SELECT count(*),
       count(*) FILTER (WHERE (name || '=' || value)::sparselin_options::text <> name || '=' || value) AS wrong
FROM sparselin_option_table(), regexp_split_to_table(default_value, '; |: ') AS value
WHERE value !~ '[ /]' AND value <> ALL (learners);
