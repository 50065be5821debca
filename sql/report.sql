-- sparselin_report: that it is one page, whole and safe, and that its numbers are those of plain SQL

SET max_parallel_workers_per_gather = 0;
SET client_min_messages = warning;
SET extra_float_digits = 0;
\pset null none
-- Scores are the value of one feature, of few levels; weights are such that sums are exact.
CREATE TABLE seen AS
SELECT i AS id, sparsearray(ARRAY[1, 2], ARRAY[(i * 7919 % 41 - 20) / 8.0, 1]) AS x, (i * 7919 % 41 - 20) / 8.0 AS score,
       i::bigint * 104729 % 83 < 10 + i * 7919 % 41 AS y, 0.5 + i % 3 AS w,
       (ARRAY['<script>alert(1)</script>', 'a "b" & c', 'plain'])[2 + sign(round((i * 7919 % 41 - 20) / 16.0 + (i::bigint * 104729 % 211) / 100.0 - 1))::int] AS kind
FROM generate_series(1, 1200) AS i;
CREATE FUNCTION fixed(loss text, labels text DEFAULT 'boolean') RETURNS sparselin_model LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT sparselin_model(jsonb_build_object('learner', 'sgd', 'loss', loss, 'labels', labels, 'weights', '{"1":1,"7":-2}'::jsonb))
$$;
CREATE TABLE models AS
SELECT fixed('logistic') AS two, fixed('hinge') AS hinge, casgd_train(x, kind ORDER BY id) AS several,
       casgd_train(x, kind ORDER BY id) FILTER (WHERE kind <> 'plain') AS named,
       casgd_train(x, kind, 'loss=multinomial' ORDER BY id) FILTER (WHERE kind <> 'plain') AS together, fixed('squared', 'number') AS number FROM seen;

-- What a page has to be, whatever is in it. Without libxml there is less to ask.
CREATE FUNCTION wrong_with(page text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE well boolean := true;
BEGIN
    BEGIN
        well := xml_is_well_formed_document(page);
    EXCEPTION WHEN feature_not_supported THEN NULL;
    END;
    RETURN concat_ws(', ', CASE WHEN NOT well THEN 'not well-formed' END, CASE WHEN page !~ '^<!DOCTYPE html>\n<html lang="en">' THEN 'no HTML' END,
                     CASE WHEN page !~ '</html>\n$' THEN 'no end' END, CASE WHEN page ~* '<script|javascript:|<iframe|<object|\son[a-z]+=' THEN 'a script' END,
                     CASE WHEN page ~* 'https?:|src=|href=|url\(|@import' THEN 'a request' END,
                     CASE WHEN page ~* '>(nan|null|-?infinity)<|\mM?NaN\M' THEN 'no number' END);
END $$;
CREATE FUNCTION headings(page text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(m[1], ' | ') FROM regexp_matches(page, '<h[123]>([^<]*)<', 'g') AS m
$$;
CREATE FUNCTION charts(page text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(m[1], ' | ') FROM regexp_matches(page, '<figcaption><b>(.*?)\.</b>', 'g') AS m
$$;

CREATE TABLE pages AS
SELECT 'two' AS of, sparselin_report(two, 'SELECT x AS features, y AS label, id AS key FROM seen', 'SELECT 1 AS feature, $$<i>one$$ AS name UNION SELECT 7, $$seven$$') AS page FROM models
UNION ALL SELECT 'weighted', sparselin_report(two, 'SELECT x AS features, y AS label, w AS weight FROM seen;  ') FROM models
UNION ALL SELECT 'hinge', sparselin_report(hinge, 'SELECT x AS features, y AS label, id AS key FROM seen') FROM models
UNION ALL SELECT 'named', sparselin_report(named, $$SELECT x AS features, kind AS label, kind || id AS key FROM seen -- all$$) FROM models
UNION ALL SELECT 'several', sparselin_report(several, 'SELECT x AS features, kind AS label, id AS key FROM seen', 'SELECT 1 AS feature, $$"one"$$ AS name') FROM models
UNION ALL SELECT 'number', sparselin_report(number, 'SELECT x AS features, id / 300.0 AS label, id AS key FROM seen') FROM models
UNION ALL SELECT 'together', sparselin_report(together, $$SELECT x AS features, kind AS label, id AS key FROM seen WHERE kind <> 'plain'$$) FROM models
UNION ALL SELECT 'model alone', sparselin_report(several) FROM models
UNION ALL SELECT 'one class', sparselin_report(two, 'SELECT x AS features, true AS label FROM seen') FROM models
UNION ALL SELECT 'one row', sparselin_report(two, 'SELECT x AS features, y AS label, NULL AS key FROM seen WHERE id = 1') FROM models
UNION ALL SELECT 'one number', sparselin_report(number, 'SELECT x AS features, 3 AS label, 1 AS key FROM seen WHERE id = 1') FROM models;
SELECT of, wrong_with(page) AS wrong, headings(page) FROM pages ORDER BY of COLLATE "C";
SELECT of, charts(page) FROM pages ORDER BY of COLLATE "C";
-- what the eye cannot see: checks that can fail
SELECT wrong_with('<!DOCTYPE html>' || E'\n<html lang="en"><b>NaN</b><script src="http://x"/></html>\n'), wrong_with('<html>');

-- settings that change how numbers and times are written do not change it
CREATE FUNCTION timeless(page text) RETURNS text LANGUAGE sql AS $$ SELECT regexp_replace(page, '<footer>.*', '') $$;
SET extra_float_digits = -11;
SET datestyle = 'German';
SELECT timeless(page) = timeless(sparselin_report(two, 'SELECT x AS features, y AS label, w AS weight FROM seen')) AS the_same FROM pages, models WHERE of = 'weighted';
SET extra_float_digits = 0;
RESET datestyle;

-- numbers: of the tiles
CREATE FUNCTION tile(page text, name text) RETURNS text LANGUAGE sql AS $$
    SELECT (regexp_match(page, '<div class="tile">' || name || '<b>(.*?)</b><small>(.*?)</small>'))[1] || ': '
           || (regexp_match(page, '<div class="tile">' || name || '<b>(.*?)</b><small>(.*?)</small>'))[2]
$$;
SELECT of, name, tile(page, name) FROM pages, unnest('{Right .accuracy.,Order .AUC.,Precision,Recall,"F1, mean of classes",Log loss,Typical error .RMSE.,Mean error .MAE.,Explained .R2.}'::text[])
     WITH ORDINALITY AS n (name, place) WHERE tile(page, name) IS NOT NULL AND of IN ('two', 'weighted', 'several', 'number') ORDER BY of COLLATE "C", place;
SELECT round(avg((y = (score > 0))::int) * 100, 1) AS accuracy, round(100 * avg((NOT y)::int), 1) AS always_false, round(100.0 * count(*) FILTER (WHERE y AND score > 0) / count(*) FILTER (WHERE score > 0), 1) AS precision,
       round(100.0 * count(*) FILTER (WHERE y AND score > 0) / count(*) FILTER (WHERE y), 1) AS recall, round(avg(ln(1 + exp(CASE WHEN y THEN -score ELSE score END))), 4) AS log_loss,
       round(-avg(y::int) * ln(avg(y::int)) - (1 - avg(y::int)) * ln(1 - avg(y::int)), 4) AS shares_alone FROM seen;
SELECT round(sqrt(avg((score - id / 300.0) ^ 2)), 3) AS rmse, round(stddev_pop(id / 300.0), 3) AS always_the_mean, round(avg(abs(score - id / 300.0)), 3) AS mae FROM seen;

-- of the ROC curve: its points are where the path goes
SELECT count(*) AS points, max(abs(76 + 378 * c.false_positive_rate - split_part(point, ' ', 1)::float8)) < 0.051 AS across,
       max(abs(256 - 240 * c.recall - split_part(point, ' ', 2)::float8)) < 0.051 AS down
FROM (SELECT (regexp_match(page, 'aria-label="ROC curve.*?<path class="line" d="M(.*?)"'))[1] AS path FROM pages WHERE of = 'two') AS p,
     regexp_split_to_table(path, 'L') WITH ORDINALITY AS points (point, n)
JOIN (SELECT c.*, row_number() OVER (ORDER BY threshold DESC) AS n
      FROM (SELECT sparselin_curve(two, x, y) AS curve FROM seen, models) AS s, unnest(curve) AS c) AS c USING (n);
-- of lift: by plain SQL, those that are equal in equal parts; bars of 240 for what the highest number beside them says
SELECT tenth, abs(height / 240 * highest - expected) < 0.05 / 240 * highest + 1e-9 AS lift
FROM (SELECT m[1]::float8 AS height, row_number() OVER () AS tenth
      FROM pages, regexp_matches((regexp_match(page, 'aria-label="Lift(.*?)</figure>'))[1], 'class="bar" [^>]* height="([0-9.]+)"', 'g') AS m WHERE of = 'two') AS bars,
     (SELECT max(m[1]::float8) AS highest FROM pages, regexp_matches((regexp_match(page, 'aria-label="Lift(.*?)class="bar"'))[1], 'text-anchor="end">([0-9.]+)<', 'g') AS m WHERE of = 'two') AS axis,
     LATERAL (SELECT expected FROM (
         SELECT k, sum(share * hits) * 10 / sum(sum(share * hits)) OVER () AS expected
         FROM (SELECT score, count(*) FILTER (WHERE y) AS hits, sum(count(*)) OVER (ORDER BY score DESC) - count(*) AS before, count(*) AS n, sum(count(*)) OVER () AS all_rows FROM seen GROUP BY score) AS levels,
              generate_series(1, 10) AS k,
              LATERAL (SELECT greatest(0, least(before + n, k * all_rows / 10.0) - greatest(before, (k - 1) * all_rows / 10.0)) / n AS share) AS part
         GROUP BY k) AS e WHERE k = tenth) AS e ORDER BY 1;
-- of the confusion matrix: all its cells, in order
SELECT of, cells, array_agg(round(coalesce(rows, 0)::numeric, 1)::float8::text ORDER BY a.name COLLATE "C", p.name COLLATE "C") AS expected
FROM (SELECT of, array_agg(m[1]) AS cells FROM pages, regexp_matches((regexp_match(page, '<table class="matrix">.*?</table>'))[1], '<td [^>]*>([0-9.]+)', 'g') AS m
      WHERE of = 'several' GROUP BY of) AS shown,
     (SELECT DISTINCT kind AS name FROM seen) AS a CROSS JOIN (SELECT DISTINCT kind AS name FROM seen) AS p
LEFT JOIN (SELECT c.* FROM (SELECT sparselin_confusion(several, x, kind) AS cells FROM seen, models) AS s, unnest(cells) AS c) AS c ON (actual, predicted) = (a.name, p.name)
GROUP BY of, cells;

-- of the errors of a regression: every row is in a bar, as high as it says; the middle one in a hundred are not outside
SELECT count(*) AS bars, sum(height) AS rows
FROM (SELECT (m[1]::float8 / (SELECT 240 / max(t[1]::float8) FROM pages, regexp_matches((regexp_match(page, 'aria-label="Errors(.*?)class="bar"'))[1], 'text-anchor="end">([0-9]+)<', 'g') AS t WHERE of = 'number'))::numeric(9, 1) AS height
      FROM pages, regexp_matches((regexp_match(page, 'aria-label="Errors(.*?)</figure>'))[1], 'class="bar" [^>]* height="([0-9.]+)"', 'g') AS m WHERE of = 'number') AS bars;

-- examples: the surest ones, by key; and names
SELECT array_agg(m[1]) AS keys FROM pages, regexp_matches((regexp_match(page, '<h3>Wrong, and surest of it</h3>(.*?)<h3>'))[1], '<tr><td>(\d+)</td>', 'g') AS m WHERE of = 'two';
SELECT array_agg(id) FROM (SELECT id FROM seen WHERE y <> (score > 0) ORDER BY abs(sparselin_probability(fixed('logistic'), x) - 0.5) DESC, id LIMIT 5) AS s;
SELECT of, page LIKE '%&lt;i&gt;one%' AS name, page LIKE '%feature 2%' AS number, page LIKE '%feature 1<%' AS unnamed FROM pages WHERE of IN ('two', 'hinge') ORDER BY of;
SELECT page LIKE '%&lt;script&gt;alert(1)&lt;/script&gt;%' AS class_is_text, page LIKE '%a &quot;b&quot; &amp; c%' AS quoted FROM pages WHERE of = 'named';

-- the parts: numbers, axes, text
SELECT v, sparselin_report_number(v) AS number, sparselin_report_number(v, 2) AS short
FROM unnest('{0,1,-1,0.5,12345.678,-0.00012345,1e-7,-2.5e-300,9.99996,99999,1e6,2.5e9,1e15,1.5e300,nan,inf,-inf,null}'::float8[]) AS v;
SELECT v, sparselin_report_percent(v) FROM unnest('{0,0.5,0.9875,0.99874,1,nan,null}'::float8[]) AS v;
SELECT v, a.* FROM (VALUES (0::float8, 1::float8, false, false, false), (0.0454, 0.0487, false, false, false), (-3, 17, false, false, false), (1, 3, false, false, true), (1, 4000, false, false, true),
                          (5, 5, false, false, false), (0, 0, false, false, false), (1, 30000, true, false, false), (1e-7, 1e-2, true, false, false), (3, 3, true, false, false),
                          (-1e300, 1e300, false, false, false), (0.4, 10.6, false, true, true), (2.2, 9.1, false, true, false), (0, 5, true, false, false)) AS v (least_one, most_one, logarithmic, given, whole),
     sparselin_chart_axis(least_one, most_one, logarithmic, given, whole) AS a;
SELECT sparselin_report_text(E'<a href="x">&amp;\x01\x1f\x7f\t\n</a>');
SELECT sparselin_report_text('a < b', 4), sparselin_report_text(NULL), sparselin_report_short('abcdef', 5), sparselin_report_short('abcde', 5);

-- by name: what was held out, the versions; of the rows of a query
SELECT active FROM sparselin_fit('a <b> & c', 'SELECT x AS features, y AS label FROM seen', options => 'epochs=3');
SELECT active FROM sparselin_retrain('a <b> & c');
SELECT wrong_with(page) AS wrong, headings(page), charts(page), page LIKE format('%%On %s rows whose labels are known.%%', held_out) AS held_out,
       page LIKE '%<h1>a &lt;b&gt; &amp; c</h1>%' AS name, page LIKE '%version 2, trained %' AS version
FROM sparselin_report('a <b> & c') AS page, sparselin_models WHERE name = 'a <b> & c' AND active;
SELECT wrong_with(page) AS wrong, page LIKE '%On 1,200 rows%' AS measured, charts(page) FROM sparselin_report('a <b> & c', 'SELECT x AS features, y AS label FROM seen') AS page;

-- the queries are those of who calls: names in them are found as anywhere, and those of the report are not
CREATE SCHEMA elsewhere;
CREATE TABLE elsewhere.few AS SELECT * FROM seen WHERE id <= 77;
CREATE FUNCTION elsewhere.sparselin_evaluate_minus(float8, float8) RETURNS float8 LANGUAGE sql AS 'SELECT 1 / (random() * 0)';
CREATE OPERATOR elsewhere.- (LEFTARG = float8, RIGHTARG = float8, FUNCTION = elsewhere.sparselin_evaluate_minus);
SET search_path = elsewhere, public, pg_catalog;
SELECT page LIKE '%On 77 rows%' AS found, wrong_with(page) AS wrong FROM models, sparselin_report(number, 'SELECT x AS features, id AS label, id AS key FROM few') AS page;
RESET search_path;
BEGIN READ ONLY;
SELECT length(sparselin_report(two, 'SELECT x AS features, y AS label FROM seen')) > 5000 AS read_only FROM models;
ROLLBACK;
SELECT sparselin_report(NULL::sparselin_model, 'SELECT'), sparselin_report(NULL::text);

-- errors
SELECT sparselin_report('nobody');
SELECT sparselin_report('a <b> & d');
SELECT sparselin_report(two, 'seen') FROM models;
SELECT sparselin_report(two, 'SELECT x, y AS label FROM seen') FROM models;
SELECT sparselin_report(two, 'SELECT x AS features, y AS label FROM seen WHERE id < 0') FROM models;
SELECT sparselin_report(two, 'SELECT x AS features, kind AS label FROM seen') FROM models;
SELECT sparselin_report(two, 'SELECT x AS features, y AS label FROM seen', 'SELECT 1 AS one') FROM models;
SELECT sparselin_report(two, 'SELECT x AS features, y AS label FROM seen', 'SELECT 1 AS feature, nme AS name FROM seen') FROM models;
SELECT sparselin_report(two, 'SELECT x AS features, y AS label, CASE id WHEN 2 THEN -1 ELSE 0 END AS weight FROM seen') FROM models;
SELECT sparselin_report(two, 'SELECT x AS features, y AS label, 0 AS weight FROM seen') FROM models;
SELECT sparselin_report(two, 'SELECT x AS features, y AS label FROM seen; DROP TABLE seen') FROM models;
-- somebody else's model is not there
CREATE ROLE regress_report_reader;
GRANT SELECT ON sparselin_registry, sparselin_models, sparselin_model_values TO regress_report_reader;
SET ROLE regress_report_reader;
SELECT sparselin_report('a <b> & c');
RESET ROLE;
SELECT sparselin_grant('a <b> & c', 'regress_report_reader');
SET ROLE regress_report_reader;
SELECT length(sparselin_report('a <b> & c')) > 5000 AS granted;
RESET ROLE;
SELECT sparselin_drop('a <b> & c');
REVOKE ALL ON sparselin_registry, sparselin_models, sparselin_model_values FROM regress_report_reader;
DROP ROLE regress_report_reader;
DROP SCHEMA elsewhere CASCADE;
DROP TABLE seen, models, pages;
DROP FUNCTION fixed, wrong_with, headings, charts, tile, timeless;
