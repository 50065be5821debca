-- A spam filter, learned and applied in SQL. Run by demo/run in this folder; needs the bundled data beside it.
\set QUIET on
\pset pager off
\pset footer off
\pset format wrapped
\pset columns 118
SET client_min_messages = warning;
CREATE EXTENSION sparselin;

\echo
\echo 1. The data: text messages, each a line of "label index:count index:count ..."
\echo '   (UCI SMS Spam Collection v.1, Almeida & Gomez Hidalgo; see demo/README.md)'
\echo
CREATE TEMP TABLE lines (split text DEFAULT 'train', line text);
\copy lines (line) FROM PROGRAM 'gzip -dc sms_spam.train.svm.gz'
ALTER TABLE lines ALTER split SET DEFAULT 'test';
\copy lines (line) FROM PROGRAM 'gzip -dc sms_spam.test.svm.gz'
CREATE TABLE vocabulary (feature int PRIMARY KEY, word text UNIQUE, messages int);
\copy vocabulary FROM PROGRAM 'gzip -dc sms_spam.vocab.tsv.gz'

\set ECHO queries
CREATE TABLE messages AS
  SELECT split, label, features FROM lines, sparselin_libsvm(line);
SELECT split, count(*) AS messages, count(*) FILTER (WHERE label > 0) AS spam,
       round(avg(sparsearray_nnz(features)), 1) AS words
FROM messages GROUP BY split ORDER BY split DESC;
\set ECHO none

\echo '2. Training: an aggregate over a table. No options.'
\echo
\set ECHO queries
\timing on
CREATE TABLE models AS
  SELECT 'spam' AS name, casgd_train(features, label) AS model
  FROM messages WHERE split = 'train';
\timing off
\set ECHO none

\echo
\echo 3. How good it is, on messages it has not seen:
\echo
\set ECHO queries
SELECT count(*) AS messages,
       round(100 * avg((sparselin_classify(model, features) = label)::int), 2) AS "accuracy %",
       round(100 * avg((label < 0)::int), 2) AS "always 'no spam' %",
       count(*) FILTER (WHERE said AND label < 0) AS "false alarms",
       count(*) FILTER (WHERE NOT said AND label > 0) AS missed
FROM messages, models, sparselin_decide(model, features) AS said
WHERE split = 'test' AND name = 'spam';
\set ECHO none

\echo '4. What the model is:'
\echo
\pset expanded on
\set ECHO queries
SELECT i.* FROM models, sparselin_info(model) AS i;
\set ECHO none
\pset expanded off

\echo '5. What it has learned: the words that say "spam", and those that say "no spam"'
\echo
\set ECHO queries
WITH w AS (
  SELECT word, weight, row_number() OVER (ORDER BY weight DESC) AS high,
                       row_number() OVER (ORDER BY weight) AS low
  FROM models, sparselin_weights(model) JOIN vocabulary USING (feature))
SELECT s.word AS spam, round(s.weight::numeric, 3) AS weight, n.word AS "no spam", round(n.weight::numeric, 3) AS weight
FROM w AS s JOIN w AS n ON s.high = n.low
WHERE s.high <= 10 ORDER BY s.high;
\set ECHO none

\echo '6. Scoring new messages: words to features with sparsearray_agg, features to a probability'
\echo
\set ECHO queries
SELECT round(sparselin_probability(model, features)::numeric, 4) AS "P(spam)", message
FROM models, (VALUES ('Congratulations! Call now to claim your free prize of 1000 cash'),
                     ('Urgent: your mobile number has won, reply to this txt for the award'),
                     ('Running late, will be home at seven. Love you'),
                     ('Are we still on for lunch? Call me when you are free')) AS new (message),
  LATERAL (SELECT sparsearray_agg(feature, 1) AS features
           FROM regexp_matches(lower(message), '\w\w+', 'g') AS found JOIN vocabulary ON word = found[1]) AS f
ORDER BY 1 DESC;
\set ECHO none

\echo 'That was demo/demo.sql. The extension is installed now: CREATE EXTENSION sparselin; in your own database.'
