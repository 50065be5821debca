-- What the functions that keep models refuse, and how they say it.
\set SHOW_CONTEXT never
CREATE TABLE registry_rows (id int, x sparsearray, y boolean, words text[], kind text);
INSERT INTO registry_rows
SELECT i, sparsearray(ARRAY[1 + i % 20, 21 + i % 7, 40 + i], ARRAY[1, 1, 1]), i % 20 < 6, ARRAY['a'], CASE WHEN i % 20 < 6 THEN 'spam' ELSE 'ham' END
FROM generate_series(1, 200) AS i;

-- Queries: what they are, which columns they have, and of what types.
SELECT sparselin_fit('m', '');
SELECT sparselin_fit('m', '-- nothing');
SELECT sparselin_fit('m', 'SELEC 1');
SELECT sparselin_fit('m', 'registry_rows');
SELECT sparselin_fit('m', ' public."registry_rows" ;');
SELECT sparselin_fit('m', 'all registry rows');
SELECT sparselin_fit('m', 'TABLE registry_rows');
SELECT sparselin_fit('m', 'SELECT x AS features, y AS label FROM registry_rows WHERE (id = 1');
SELECT sparselin_fit('m', 'SELECT x AS features, y AS label FROM registry_rows /* ');
SELECT sparselin_fit('m', 'SELECT x AS features, y AS label FROM registry_rows) AS q; DROP TABLE registry_rows; SELECT (1');
SELECT sparselin_fit('m', 'SELECT x AS features, y AS label FROM registry_rows; DROP TABLE registry_rows');
SELECT sparselin_fit('m', 'DELETE FROM registry_rows RETURNING x AS features, y AS label');
SELECT sparselin_fit('m', 'WITH gone AS (DELETE FROM registry_rows RETURNING *) SELECT x AS features, y AS label FROM gone');
SELECT sparselin_fit('m', 'SELECT x AS features, y AS label INTO registry_copy FROM registry_rows');
SELECT sparselin_fit('m', 'CREATE TABLE registry_copy AS SELECT x AS features, y AS label FROM registry_rows');
SELECT sparselin_fit('m', 'EXPLAIN SELECT x AS features, y AS label FROM registry_rows');
SELECT sparselin_fit('m', 'COMMIT');
SELECT sparselin_fit('m', 'EXECUTE something');
SELECT sparselin_fit('m', 'SELECT x AS features, y AS label FROM registry_rows WHERE id > $2');
SELECT sparselin_fit('m', 'SELECT x AS features, y AS label FROM registry_rows WHERE id > $1');
SELECT sparselin_fit('m', 'SELECT x, y FROM registry_rows');
SELECT sparselin_fit('m', 'SELECT FROM registry_rows');
SELECT sparselin_fit('m', 'SELECT x AS features FROM registry_rows');
SELECT sparselin_fit('m', 'SELECT x AS features, x AS features, y AS label FROM registry_rows');
SELECT sparselin_fit('m', 'SELECT words AS features, y AS label FROM registry_rows');
SELECT sparselin_fit('m', 'SELECT x AS features, to_jsonb(kind) AS label FROM registry_rows');
SELECT sparselin_fit('m', 'SELECT x AS features, NULL AS label FROM registry_rows');
SELECT sparselin_fit('m', 'SELECT x AS features, y AS label, kind AS weight FROM registry_rows');
SELECT sparselin_fit('m', 'SELECT x AS features, y AS label FROM registry_nowhere');
-- A slip in a name is none that may pass.
SELECT sparselin_fit('m', 'SELECT x AS feature, y AS label FROM registry_rows');
SELECT sparselin_fit('m', 'SELECT x AS features, y AS label, 1 AS wieght FROM registry_rows');
SELECT sparselin_fit('m', 'SELECT x AS features, y AS label, 1 AS "Weight" FROM registry_rows');
SELECT sparselin_fit('m', 'SELECT x AS features, y AS label, y AS labels FROM registry_rows');

-- Where it happened: in the query, and otherwise nothing of ours.
\set SHOW_CONTEXT errors
CREATE FUNCTION registry_fails(id int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN 1 / (id - 100) > 0; END $$;
SELECT sparselin_fit('m', 'SELECT x AS features, registry_fails(id) AS label FROM registry_rows');
SELECT sparselin_fit('m', 'SELECT x AS features, z AS label FROM registry_rows');
SELECT sparselin_fit('m', 'SELECT x AS features, y AS label FROM registry_rows', options => 'gravity=1');
SELECT sparselin_fit('m', 'SELECT x AS features, y AS label FROM registry_rows WHERE false');
SELECT sparselin_drift('m', 'SELECT x AS features, y AS label FROM registry_rows');
SELECT sparselin_drop('m');
DO $$ BEGIN PERFORM sparselin_fit('m', 'SELECT x AS features, registry_fails(id) AS label FROM registry_rows'); END $$;
DO $$ BEGIN PERFORM sparselin_drop('m'); END $$;
DROP FUNCTION registry_fails;
\set SHOW_CONTEXT never

-- Rows.
SELECT sparselin_fit('m', 'SELECT x AS features, y AS label FROM registry_rows WHERE false');
SELECT sparselin_fit('m', 'SELECT x AS features, NULL::boolean AS label FROM registry_rows');
SELECT sparselin_fit('m', 'SELECT x AS features, y AS label, NULL::int AS weight FROM registry_rows');
SELECT sparselin_fit('m', 'SELECT x AS features, true AS label FROM registry_rows');
SELECT sparselin_fit('m', 'SELECT x AS features, 7 AS label FROM registry_rows');
-- A class that is only among the rows held out, or only where there are no features, is not learned from.
SELECT sparselin_fit('m', 'SELECT x AS features, sparselin_held_out(x, 0.2) AS label FROM registry_rows');
SELECT sparselin_fit('m', 'SELECT CASE WHEN y THEN x END AS features, y::int AS label FROM registry_rows');
SELECT sparselin_fit('m', 'SELECT x AS features, y AS label, CASE WHEN y THEN 1 END AS weight FROM registry_rows');
SELECT sparselin_fit('m', 'SELECT ''{1:1}''::sparsearray AS features, y AS label FROM registry_rows');
SELECT sparselin_fit('m', 'SELECT ''{1:1}''::sparsearray AS features, y AS label FROM registry_rows', holdout => 0.9999999);
SELECT sparselin_fit('m', 'SELECT x AS features, y AS label, -1 AS weight FROM registry_rows');
SELECT sparselin_fit('m', 'SELECT x AS features, y AS label, CASE WHEN id = 99 THEN -1 ELSE 1 END AS weight FROM registry_rows');

-- Arguments.
SELECT sparselin_fit(NULL, 'SELECT x AS features, y AS label FROM registry_rows');
SELECT sparselin_fit('m', NULL);
SELECT sparselin_fit('m', 'SELECT x AS features, y AS label FROM registry_rows', NULL);
SELECT sparselin_fit('', 'SELECT x AS features, y AS label FROM registry_rows');
SELECT sparselin_fit(repeat('n', 64), 'SELECT x AS features, y AS label FROM registry_rows');
SELECT sparselin_fit('m', 'SELECT x AS features, y AS label FROM registry_rows', 'svm');
SELECT sparselin_fit('m', 'SELECT x AS features, y AS label FROM registry_rows', 'loss=hinge');
SELECT sparselin_fit('m', 'SELECT x AS features, y AS label FROM registry_rows', 'sparselin_merge');
SELECT sparselin_fit('m', 'SELECT x AS features, y AS label FROM registry_rows', options => 'gravity=1');
SELECT sparselin_fit('m', 'SELECT x AS features, y AS label FROM registry_rows', options => 'lamda=1');
SELECT sparselin_fit('m', 'SELECT x AS features, y AS label FROM registry_rows', holdout => 1);
SELECT sparselin_fit('m', 'SELECT x AS features, y AS label FROM registry_rows', holdout => -0.1);
SELECT sparselin_fit('m', 'SELECT x AS features, y AS label FROM registry_rows', holdout => 'NaN');
SELECT count(*) FROM sparselin_registry;

-- Names.
SELECT version FROM sparselin_fit('spam filter', 'SELECT x AS features, y AS label FROM registry_rows');
SELECT version FROM sparselin_fit('spam filter', 'SELECT x AS features, y AS label FROM registry_rows');
SELECT sparselin_predict('spam fliter', '{1:1}');
SELECT sparselin_probability('Spam Filter', '{1:1}');
SELECT sparselin_classify('something else', '{1:1}');
SELECT sparselin_decide('', '{1:1}');
SELECT sparselin_predict('{"learner":"sgd","loss":"squared","weights":[1]}', '{1:1}');
SELECT sparselin_predict(repeat('ä', 10000), '{1:1}');
SELECT sparselin_retrain('spam');
SELECT sparselin_retrain(NULL);
SELECT sparselin_drift('spamfilter');
SELECT sparselin_activate('spamfilter', 1);
SELECT sparselin_drop('spamfilter');
SELECT sparselin_grant('spamfilter', current_user);
SELECT sparselin_revoke('spamfilter', current_user);

-- Versions.
SELECT sparselin_activate('spam filter', 2);
SELECT sparselin_activate('spam filter', NULL);
SELECT sparselin_drop('spam filter', 1);
SELECT sparselin_drop('spam filter', 7);
SELECT sparselin_drop('spam filter', NULL);
SET client_min_messages = error;
SELECT version FROM sparselin_retrain('spam filter', mode => 'continue');
RESET client_min_messages;
SELECT sparselin_activate('spam filter', 2);
-- None is active: when somebody has changed the table by hand.
UPDATE sparselin_models SET active = false WHERE name = 'spam filter';
SELECT sparselin_predict('spam filter', '{1:1}');
SELECT sparselin_retrain('spam filter');
SELECT sparselin_drift('spam filter');
SELECT sparselin_activate('spam filter', 1);
-- Two are.
\set VERBOSITY terse
UPDATE sparselin_models SET active = true, failure = NULL WHERE name = 'spam filter';
UPDATE sparselin_models SET active = true WHERE name = 'spam filter' AND version = 2;
UPDATE sparselin_models SET learner = 'drop' WHERE name = 'spam filter';
SELECT sparselin_retrain('spam filter', on_failure => 'error');
\set VERBOSITY default
UPDATE sparselin_models SET learner = 'casgd' WHERE name = 'spam filter';

-- Retraining and drift.
SELECT sparselin_retrain('spam filter', -0.01);
SELECT sparselin_retrain('spam filter', 'NaN');
SELECT sparselin_retrain('spam filter', NULL);
SELECT sparselin_retrain('spam filter', on_failure => 'ignore');
SELECT sparselin_retrain('spam filter', mode => 'again');
SELECT sparselin_retrain('spam filter', mode => NULL);
SELECT sparselin_retrain('spam filter', keep => -1);
SELECT sparselin_drift('spam filter', 'SELECT 1');
SELECT sparselin_drift('spam filter', 'SELECT x AS features, y AS label FROM registry_rows WHERE false');
SELECT sparselin_drift('spam filter', 'SELECT x AS features, 7 AS label FROM registry_rows');
SELECT sparselin_drift('spam filter', 'SELECT x AS features, y AS label FROM registry_rows', -1);
SELECT sparselin_grant('spam filter', 'nobody with that name');
SELECT sparselin_grant('spam filter', NULL);

-- A transaction that only reads.
BEGIN READ ONLY;
SELECT sparselin_retrain('spam filter');
ROLLBACK;
BEGIN READ ONLY;
SELECT sparselin_predict('spam filter', '{1:1}') IS NULL AS missing;
ROLLBACK;

SELECT sparselin_drop('spam filter');
DROP TABLE registry_rows;
