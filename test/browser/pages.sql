-- Pages of reports of all kinds, into the directory :dir, from the messages of the demo and from what nobody would wish to
-- show. Run in demo/.
\set QUIET on
SET client_min_messages = warning;
CREATE EXTENSION sparselin;
CREATE TEMP TABLE lines (number serial, label int, body text);
\copy lines (label, body) FROM PROGRAM 'gzip -dc sms_spam.train.tsv.gz sms_spam.test.tsv.gz' (FORMAT csv, DELIMITER E'\t', QUOTE E'\b')
CREATE TABLE messages AS
SELECT number, label > 0 AS is_spam, body, to_tsvector('simple', body) AS words, CASE WHEN label > 0 THEN 'spam' ELSE 'ham' END AS kind,
       length(body) * 1e6 AS long,
       CASE WHEN label > 0 THEN '<script>alert("spam")</script>' ELSE repeat('a very long name of a class ', 8) || repeat('x', 120) END AS awkward,
       format('queue %s of %s', hashtext(left(body, 4)) & 15, repeat('many ', hashtext(left(body, 4)) & 3)) AS queue
FROM lines;
CREATE VIEW learned AS SELECT *, sparselin_features(words) AS features FROM messages WHERE number % 3 > 0;
CREATE VIEW others AS SELECT *, sparselin_features(words) AS features, left(body, 70) AS key FROM messages WHERE number % 3 = 0;
CREATE TABLE names AS SELECT DISTINCT feature, name FROM messages, sparselin_names(words);
CREATE TABLE models AS
SELECT casgd_train(features, kind, 'search=true') AS kind, casgd_train(features, awkward, 'epochs=2') AS awkward, casgd_train(features, queue, 'epochs=3') AS queue,
       elasticnet_train(features, long, 'loss=huber search=true') AS long, casgd_train(features, is_spam, 'loss=hinge') AS hinge FROM learned;
CREATE TABLE fits AS SELECT * FROM sparselin_fit('spam <filter>', 'SELECT features, is_spam AS label FROM learned WHERE number < 2000');
INSERT INTO fits SELECT r.* FROM generate_series(1, 3), LATERAL sparselin_retrain('spam <filter>') AS r;
\pset format unaligned
\pset tuples_only on
\o :dir/two.html
SELECT sparselin_report(kind, 'SELECT *, kind AS label FROM others', 'SELECT * FROM names') FROM models;
\o :dir/awkward.html
SELECT sparselin_report(awkward, 'SELECT features, awkward AS label, repeat(key || key, 3) AS key FROM others', 'SELECT feature, repeat(name, 30) AS name FROM names') FROM models;
\o :dir/several.html
SELECT sparselin_report(queue, 'SELECT features, queue AS label, number AS key FROM others', 'SELECT * FROM names') FROM models;
\o :dir/number.html
SELECT sparselin_report(long, 'SELECT features, long AS label, key FROM others', 'SELECT * FROM names') FROM models;
\o :dir/hinge.html
SELECT sparselin_report(hinge, 'SELECT features, is_spam AS label FROM others') FROM models;
\o :dir/kept.html
SELECT sparselin_report('spam <filter>');
-- Pictures on their own, with numbers and names that fill them.
CREATE TABLE pictures AS
SELECT sparselin_history_plot('spam <filter>') AS picture UNION ALL SELECT sparselin_history_plot(long) FROM models
UNION ALL
SELECT sparselin_chart('Prices & <years>, by a title that is far too long for one line', 'year of our Lord, and some more words to be cut', 'price in <euros>, and more words to be cut',
                       jsonb_build_array(jsonb_build_object('kind', 'dots', 'points', jsonb_agg(jsonb_build_array(2008 + i, -100000 - 3 * i)))))
FROM generate_series(0, 12) AS i
UNION ALL
SELECT sparselin_chart('Large and small', 'by powers of ten', 'by powers of ten', '[{"kind":"line","points":[[1e-300,1e300],[1e300,1e-300]]},{"kind":"mark","label":"here","points":[[1,1]]}]', logarithmic => 'xy')
UNION ALL
SELECT sparselin_chart('Bars', 'n', 'millions', '[{"kind":"bars","points":[[1,3e6],[2,-1e6],[3,2e6]]}]');
\o :dir/pictures.html
SELECT $$<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"/><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>$$
       || '<meta name="color-scheme" content="light dark"/><title>pictures</title></head><body><main>' || string_agg(picture, '') || '</main></body></html>'
FROM pictures;
-- What the page "two" has to show.
\o :dir/two.expected
SELECT 'accuracy ' || round(100 * avg((o.kind = sparselin_class(m.kind, o.features))::int), 1) || '%' FROM others AS o, models AS m;
SELECT format('%s %s %s', o.kind, c.class, count(*)) FROM others AS o, models AS m, LATERAL (SELECT sparselin_class(m.kind, o.features) AS class) AS c GROUP BY o.kind, c.class ORDER BY 1;
\o
