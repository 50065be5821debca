-- A spam filter, from text messages as they are. Run by demo/run in this folder, with the data beside it; the variables
-- "plot" and "report" say which files the picture and the report go to.
\set QUIET on
\encoding UTF8
\pset pager off
\pset footer off
SET client_min_messages = warning;
SET extra_float_digits = -11; -- four digits are enough to look at
CREATE EXTENSION sparselin;
CREATE TEMP TABLE lines (number serial, split text DEFAULT 'train', label int, body text);
-- CSV with a quote that no message has: quotes and backslashes are text.
\copy lines (label, body) FROM PROGRAM 'gzip -dc sms_spam.train.tsv.gz' (FORMAT csv, DELIMITER E'\t', QUOTE E'\b')
ALTER TABLE lines ALTER split SET DEFAULT 'test';
\copy lines (label, body) FROM PROGRAM 'gzip -dc sms_spam.test.tsv.gz' (FORMAT csv, DELIMITER E'\t', QUOTE E'\b')
CREATE TABLE messages AS SELECT split, label > 0 AS is_spam, body FROM lines ORDER BY number;

\echo
\echo '1. Text messages, as people sent them (SMS Spam Collection, see demo/README.md)'
\echo
\set ECHO queries
SELECT is_spam, left(body, 90) AS body FROM messages LIMIT 4;
SELECT split, count(*) AS messages, count(*) FILTER (WHERE is_spam) AS spam FROM messages GROUP BY split;
\set ECHO none

\echo '2. Their words, and a model of them'
\echo
\set ECHO queries
ALTER TABLE messages ADD words tsvector GENERATED ALWAYS AS (to_tsvector('simple', body)) STORED;
\timing on
CREATE TABLE models AS
  SELECT casgd_train(sparselin_features(words), is_spam) AS model FROM messages WHERE split = 'train';
\timing off
\set ECHO none

\echo
\echo '3. How good it is, on messages that it has not seen'
\echo
\set ECHO queries
SELECT rows, accuracy, precision, recall, auc, false_positives AS "false alarms", false_negatives AS missed
FROM (SELECT (sparselin_evaluate(model, sparselin_features(words), is_spam)).*
      FROM messages, models WHERE split = 'test') AS card;
\set ECHO none

\echo '4. What it says of new ones'
\echo
\set ECHO queries
SELECT sparselin_probability(model, sparselin_features(to_tsvector('simple', body))) AS spam, body
FROM models, (VALUES ('Congratulations! Call now to claim your free prize of 1000 cash'),
                     ('Urgent: your mobile number has won, reply to this txt for the award'),
                     ('Are we still on for lunch? Call me when you are free')) AS new (body);
\set ECHO none

\echo '5. Why: of the messages that it has not seen, the one most like spam, and what its words add to the score'
\echo
\set ECHO queries
CREATE VIEW suspect AS
  SELECT body, words, model FROM messages, models WHERE split = 'test'
  ORDER BY sparselin_predict(model, sparselin_features(words)) DESC LIMIT 1;
SELECT body FROM suspect \g (format=unaligned tuples_only=on)
\echo
SELECT name AS word, value AS times, weight, contribution FROM suspect, sparselin_explain(model, words, top => 8);
\set ECHO none

\echo '6. How it learned: the loss, each message judged before the model learned from it'
\echo
\set ECHO queries
SELECT step, loss, repeat('*', (100 * loss)::int) AS curve FROM models, sparselin_history(model) WHERE step >= 32;
SELECT sparselin_history_plot(model) FROM models \g (format=unaligned tuples_only=on) :plot
\set ECHO none
\echo
\echo The same as a picture for a browser: :plot

\echo
\echo '7. Kept under a name, with its query'
\echo
\set ECHO queries
SELECT * FROM sparselin_fit('spam filter',
  $$ SELECT sparselin_features(words) AS features, is_spam AS label FROM messages WHERE split = 'train' $$);
\set ECHO none

\echo '8. All of it on one page, to look at and to show to others: how good it is on the messages that it has not seen'
\echo
\set ECHO queries
SELECT sparselin_report('spam filter',
  $$ SELECT sparselin_features(words) AS features, is_spam AS label, left(body, 70) AS key
     FROM messages WHERE split = 'test' $$,
  $$ SELECT feature, name FROM messages, sparselin_names(words) $$) \g (format=unaligned tuples_only=on) :report
\set ECHO none
\echo
\echo Open it in a browser: :report

\echo
\echo '9. Later there are more messages: the new version is taken if it is not worse'
\echo
\set ECHO queries
UPDATE messages SET split = 'train' WHERE split = 'test';
SELECT * FROM sparselin_retrain('spam filter');
SELECT sparselin_decide('spam filter', sparselin_features(to_tsvector('simple', 'You have won a free prize'))) AS spam;
\set ECHO none
\echo 'These were the statements of demo/demo.sql. The extension is installed: CREATE EXTENSION sparselin; in your database.'
