-- sparselin_chart and sparselin_history_plot: pictures on one line, well-formed, within their frame whatever the numbers, and
-- with every point where it belongs.
\pset null none
\set SHOW_CONTEXT never
SET extra_float_digits = 0;
-- read by an XML parser, where PostgreSQL has one
CREATE FUNCTION is_xml(document text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    RETURN xmlparse(document document) IS DOCUMENT;
EXCEPTION WHEN feature_not_supported THEN RETURN NULL;
          WHEN invalid_xml_document THEN RETURN false;
END $$;
CREATE FUNCTION wrong_with(plot text) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(', ', CASE WHEN NOT is_xml(plot) THEN 'not well-formed' END,
                     CASE WHEN plot !~ '^<svg xmlns="http://www.w3.org/2000/svg" [^>]*role="img" aria-label="[^"]*">.*</svg>$' THEN 'no SVG' END,
                     CASE WHEN strpos(plot, E'\n') > 0 THEN 'several lines' END, CASE WHEN plot ~* 'nan|infin' THEN 'no number' END,
                     CASE WHEN plot !~ '<style>[^<]*prefers-color-scheme:dark[^<]*</style>' THEN 'no style' END,
                     CASE WHEN plot ~* '<script|href|url\(|@import|\son[a-z]+=' THEN 'a script or a request' END)
$$;
-- Where dots are, from the low ends of the axes, which are 378 by 240.
CREATE FUNCTION dots_of(plot text, OUT n bigint, OUT across numeric, OUT up numeric, OUT says text) RETURNS SETOF record LANGUAGE sql AS $$
    SELECT n, m[1]::numeric - 76, 256 - m[2]::numeric, m[3]
    FROM regexp_matches(plot, '<circle class="[a-z]+" cx="([0-9.]+)" cy="([0-9.]+)" r="[46]"><title>([^<]*)</title></circle>', 'g') WITH ORDINALITY AS r (m, n)
$$;
CREATE FUNCTION numbers_of(plot text, side text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(m[1], ' ') FROM regexp_matches(plot, '<text x="[0-9.]+" y="[0-9.]+" text-anchor="' || side || '">([^<]*)</text>', 'g') AS m
$$;
CREATE TABLE histories AS
SELECT name, history::jsonb
FROM (VALUES ('none', '[]'), ('one', '[[1,0.7]]'), ('one of nothing', '[[1,0]]'), ('flat', '[[1,0.5],[4,0.5]]'), ('nothing', '[[1,0],[2,0],[3,0]]'),
             ('huge', '[[1,-1e308],[4,1e308]]'), ('most', '[[1,1.7976931348623157e308],[2,1.7976931348623157e308]]'),
             ('from most to tiny', '[[1,1.7976931348623157e308],[2,1e-299],[40000000,1]]'), ('tiny', '[[1,5e-324],[2,0]]'),
             ('from tiny to most', '[[1,5e-324],[2,1.7976931348623157e308]]'), ('below 0', '[[1,-3],[2,-1e-5]]'), ('falls', '[[1,1e6],[2,1],[3,17]]'),
             ('around 1', '[[1,0.99],[2,1],[3,1.01]]')) AS v (name, history)
UNION ALL
SELECT 'longest', jsonb_agg(jsonb_build_array(2::bigint ^ i, exp(-i)) ORDER BY i) FROM generate_series(0, 52) AS i;
CREATE TABLE plots AS
SELECT name, sparselin_history_plot(model) AS plot, (SELECT count(*) FROM sparselin_history(model)) AS points
FROM (SELECT 'many rows' AS name, casgd_train(sparsearray(ARRAY[1 + i % 20, 21 + i % 7], ARRAY[1, 1]), i % 20 < 6 ORDER BY i) AS model
      FROM generate_series(1, 5000) AS i
      UNION ALL
      SELECT 'one row', onepass_train('{1:1}', 5, 'loss=squared')
      UNION ALL
      SELECT name, sparselin_model(jsonb_build_object('learner', 'sgd', 'loss', 'hinge', 'weights', '{}'::jsonb, 'steps', coalesce(history -> -1 -> 0, '0'), 'history', history))
      FROM histories) AS models;
SELECT name, wrong_with(plot) AS wrong, points, substring(plot FROM '<title>([^<]*)</title>') AS title,
       (SELECT count(*) FROM dots_of(plot)) = points AS dots,
       (SELECT bool_and(across BETWEEN 0 AND 378 AND up BETWEEN 0 AND 240) FROM dots_of(plot)) AS within,
       (SELECT bool_and(across >= before) FROM (SELECT across, lag(across, 1, 0.0) OVER (ORDER BY n) AS before FROM dots_of(plot)) AS d) AS in_order
FROM plots ORDER BY name COLLATE "C";
SELECT name, numbers_of(plot, 'middle') AS steps, numbers_of(plot, 'end') AS losses FROM plots WHERE points > 0 ORDER BY name COLLATE "C";
SELECT plot LIKE '%>no points to show<%' AS says_so FROM plots WHERE name = 'none';
-- checks that can fail
SELECT replace(wrong_with(E'<svg>\n<script/>NaN'), 'not well-formed, ', '') AS wrong, wrong_with(replace(plot, '</svg>', '<g></svg>')) ~ 'well-formed' OR is_xml('<a/>') IS NULL AS unclosed FROM plots WHERE name = 'one';
SELECT sparselin_history_plot(NULL);

-- points are where they belong: by their size, by powers of ten on either axis, from 0 where that is near
CREATE FUNCTION drawn(points text, more text DEFAULT '') RETURNS text LANGUAGE plpgsql AS $$
DECLARE made text;
BEGIN
    EXECUTE format('SELECT sparselin_chart(%L, %L, %L, %L%s)', 'title', 'x', 'y', '[{"kind":"dots","points":' || points || '}]', more) INTO made;
    RETURN made;
END $$;
SELECT what, numbers_of(plot, 'middle') AS x, numbers_of(plot, 'end') AS y, (SELECT string_agg(format('%s/%s "%s"', across, up, says), ', ' ORDER BY n) FROM dots_of(plot)) AS dots
FROM (VALUES ('even', drawn('[[1,0],[2,5],[3,10]]')), ('x by powers', drawn('[[1,0],[10,5],[1000,10]]', ', logarithmic => ''x''')),
             ('both', drawn('[[1,0.01],[10,1],[1000,10000]]', ', logarithmic => ''xy''')), ('no powers of 0', drawn('[[0,0],[10,1]]', ', logarithmic => ''xy''')),
             ('in a range', drawn('[[0,0],[0.5,0.25],[2,-1]]', ', x_range => ''{0,1}'', y_range => ''{0,1}''')),
             ('not from 0', drawn('[[0,0.9],[1,1]]')), ('left out', drawn('[[1,"NaN"],[null,3],["-Infinity",4],[3,5],[5,6]]')),
             ('beyond', drawn('[[-1.7976931348623157e308,1e308],[1.7976931348623157e308,-1e308]]')), ('narrow', drawn('[[2008,100000],[2020,100040]]')),
             ('tiny', drawn('[[0,2e-20],[3e-300,7e-20]]')), ('nothing', drawn('[]')), ('not even a series', sparselin_chart('t', 'x', 'y', NULL))) AS v (what, plot);
-- of all kinds; bars stand on 0, within the frame
SELECT wrong_with(plot) AS wrong, m[1] AS shape
FROM sparselin_chart('kinds', 'x', 'y', '[{"kind":"bars","points":[[1,3],[2,-1]]},{"kind":"reference","points":[[0,1],[3,1]]},
                                          {"kind":"line","points":[[1,1],[2,2]]},{"kind":"mark","points":[[2,2]],"label":"here"}]') AS plot,
     regexp_matches(plot, '(<rect class="bar"[^>]*>|<path class="(?:line|reference)"[^>]*>|<circle[^>]*>|<text class="marked" x="[0-9.]+" y="[1-9][^>]*>[^<]*)', 'g') AS m;
SELECT count(*) AS bars, bool_and(m[1]::numeric >= 76 AND m[1]::numeric + m[2]::numeric <= 454) AS within
FROM regexp_matches(sparselin_chart('bars', 'x', 'y', '[{"kind":"bars","points":[[1,3],[2,-1],[4,2]]}]'), '<rect class="bar" x="([0-9.]+)" y="[0-9.]+" width="([0-9.]+)"', 'g') AS m;
-- text is text, and where it is too long cut, but whole for who hears it
SELECT wrong_with(plot) AS wrong, (SELECT string_agg(m[1], ' | ') FROM regexp_matches(plot, '>([^<>]*(?:&[a-z]+;)[^<>]*)<', 'g') AS m) AS texts, plot LIKE '%aria-label="%z &amp;. what &quot;&lt;it&gt;&quot; shows">%' AS heard
FROM sparselin_chart('<script>alert(1)</script> ' || repeat('long ', 12) || 'z &', '<x> & ' || repeat('x', 50), '<y> & ' || repeat('y', 50),
                     '[{"kind":"mark","points":[[1,1]],"label":"</text><script>alert(\"label\")</script>"}]', 'what "<it>" shows') AS plot;
SELECT wrong_with(sparselin_chart(NULL, NULL, NULL, '[{"kind":"line","points":[[1,1]]}]')) AS without_names;
-- very many points
SELECT wrong_with(plot) AS wrong, count(*) AS dots, bool_and(across BETWEEN 0 AND 378 AND up BETWEEN 0 AND 240) AS within, length(plot) < 180000 AS short
FROM (SELECT drawn(jsonb_agg(jsonb_build_array(i, sin(i / 100.0)))::text) AS plot FROM generate_series(1, 2000) AS i) AS many, dots_of(plot) GROUP BY plot;
-- settings that change how numbers are written do not change it
SET extra_float_digits = -14;
SELECT bool_and(p.plot = sparselin_history_plot(sparselin_model(jsonb_build_object('learner', 'sgd', 'loss', 'hinge', 'weights', '{}'::jsonb, 'steps', coalesce(history -> -1 -> 0, '0'), 'history', history)))) AS the_same
FROM plots AS p JOIN histories USING (name);
RESET extra_float_digits;

-- errors
SELECT drawn('5');
SELECT drawn('[[1]]');
SELECT drawn('[[1,"a"]]');
SELECT drawn('[1,2]');
SELECT sparselin_chart('t', 'x', 'y', '{"kind":"line","points":[[1,2]]}');
SELECT sparselin_chart('t', 'x', 'y', '[{"kind":"pie","points":[[1,2]]}]');
SELECT sparselin_chart('t', 'x', 'y', '[{"points":[[1,2]]}]');
SELECT drawn('[[1,2]]', ', logarithmic => ''z''');
SELECT drawn('[[1,2]]', ', x_range => ''{1,1}''');
SELECT drawn('[[1,2]]', ', y_range => ''{0,NaN}''');
SELECT drawn('[[1,2]]', ', y_range => ''{0,NULL}''');
SELECT drawn('[[1,2]]', ', y_range => ''{0}''');

-- a picture of a model at hand takes no rights on those that are kept
CREATE ROLE regress_sparselin_painter;
SET ROLE regress_sparselin_painter;
SELECT length(sparselin_history_plot('{"learner":"sgd","loss":"hinge","weights":{},"steps":4,"history":[[1,0.5],[4,0.5]]}'::sparselin_model)) > 1000 AS drawn;
SELECT length(drawn('[[1,2]]')) > 1000 AS drawn;
SELECT sparselin_history_plot('of another');
RESET ROLE;
DROP ROLE regress_sparselin_painter;
DROP TABLE histories, plots;
DROP FUNCTION is_xml, wrong_with, dots_of, numbers_of, drawn;
