-- Text as it is, without any option: within a point of LIBLINEAR's accuracy on these messages, 98.30 % (demo/README.md).
CREATE TEMP TABLE sms (number serial, split text DEFAULT 'train', label float8, body text);
\copy sms (label, body) FROM PROGRAM 'gzip -dc demo/sms_spam.train.tsv.gz' (FORMAT csv, DELIMITER E'\t', QUOTE E'\b')
ALTER TABLE sms ALTER split SET DEFAULT 'test';
\copy sms (label, body) FROM PROGRAM 'gzip -dc demo/sms_spam.test.tsv.gz' (FORMAT csv, DELIMITER E'\t', QUOTE E'\b')
SELECT split, count(*), count(*) FILTER (WHERE label = 1) AS spam FROM sms GROUP BY split ORDER BY split;
CREATE TEMP TABLE sms_models AS
SELECT words, casgd_train(sparselin_features(to_tsvector(words, body)), label ORDER BY number) AS model
FROM sms, unnest('{simple,english}'::regconfig[]) AS words WHERE split = 'train' GROUP BY words;
SELECT words, (card).rows, (card).accuracy >= 0.9830 - 0.01 AS within_a_point, (card).auc > 0.9918 - 0.01 AS auc_too
FROM (SELECT words, sparselin_evaluate(model, sparselin_features(to_tsvector(words, body)), label) AS card
      FROM sms, sms_models WHERE split = 'test' GROUP BY words) AS cards ORDER BY words::text;
-- what words add to a score, with the bias, is the score
SELECT words, count(*) AS rows, bool_and((abs(score - total) < 1e-12) IS TRUE) AS explained
FROM sms, sms_models, sparselin_predict(model, sparselin_features(to_tsvector(words, body))) AS score,
     LATERAL (SELECT sum(contribution) AS total FROM sparselin_explain(model, to_tsvector(words, body))) AS e
WHERE split = 'test' GROUP BY words ORDER BY words::text;
