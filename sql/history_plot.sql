-- sparselin_history_plot: a picture on one line
CREATE TEMP TABLE plots AS
SELECT name, m, sparselin_history_plot(m) AS plot
FROM (SELECT 'many rows' AS name, casgd_train(sparsearray(ARRAY[1 + i % 20, 21 + i % 7], ARRAY[1, 1]), i % 20 < 6 ORDER BY i) AS m
      FROM generate_series(1, 5000) AS i
      UNION ALL
      SELECT 'one row', onepass_train('{1:1}', 5, 'loss=squared')
      UNION ALL
      SELECT name, model::sparselin_model
      FROM (VALUES ('flat', '{"learner":"sgd","loss":"hinge","weights":{},"steps":4,"history":[[1,0.5],[4,0.5]]}'),
                   ('huge', '{"learner":"sgd","loss":"hinge","weights":{},"steps":4,"history":[[1,-1e308],[4,1e308]]}'),
                   ('none', '{"learner":"sgd","loss":"hinge","weights":{}}')) AS v (name, model)) AS models;
SELECT name, plot ~ '^<svg xmlns="http://www.w3.org/2000/svg" [^>]*>.*</svg>$' AND strpos(plot, E'\n') = 0 AS one_line,
       plot !~ '&|nan|inf' AS plain,
       regexp_count AS circles, regexp_count = (SELECT count(*) FROM sparselin_history(m)) AS as_history,
       substring(plot FROM '<title>([^<]*)</title>') AS title
FROM plots, LATERAL (SELECT count(*) AS regexp_count FROM regexp_matches(plot, '<circle ', 'g')) AS r ORDER BY name;
-- read by an XML parser, where PostgreSQL has one
CREATE FUNCTION is_xml(document text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    RETURN xmlparse(document document) IS DOCUMENT;
EXCEPTION WHEN feature_not_supported THEN RETURN true;
END $$;
SELECT bool_and(is_xml(plot)) AS well_formed FROM plots;
SELECT sparselin_history_plot(NULL);
DROP FUNCTION is_xml;
