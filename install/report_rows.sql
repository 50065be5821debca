-- What a report measures: the statements that it puts around the query of who calls, with every name and operator of
-- ours qualified, since they run under another search_path.

-- What a model says: two classes, several, or a number; the names of two, the negative one first.
CREATE FUNCTION sparselin_report_kind(door sparselin_door, model sparselin_model, OUT kind text, OUT classes text[],
    OUT probabilities boolean) RETURNS record
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
BEGIN
    SELECT r.* INTO kind, classes, probabilities FROM (
    SELECT CASE WHEN i.loss IN ('squared', 'absolute', 'huber', 'quantile') THEN 'number'
                WHEN i.labels = 'text' AND cardinality(i.classes) <> 2 THEN 'several' ELSE 'two' END,
           CASE i.labels WHEN 'text' THEN i.classes WHEN 'boolean' THEN '{false,true}' WHEN 'plus_minus' THEN '{-1,1}'
               ELSE '{0,1}' END,
           i.loss IN ('logistic', 'multinomial')
    FROM @extschema@.sparselin_info(model) AS i
    ) AS r;
END $$;
COMMENT ON FUNCTION sparselin_report_kind(sparselin_door, sparselin_model) IS
    'what the reports of a model are about: two classes, several, or a number';

-- What a model says of a row, and how sure it is of that: columns actual, said, level, is_right and sure, after those
-- of the row. $1 is the model, $2 the names of two classes.
CREATE FUNCTION sparselin_report_scored(
    door sparselin_door, kind text, probabilities boolean, label_type text
) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    opened text NOT NULL := door;
    actual text := CASE label_type
        WHEN 'boolean' THEN '($2)[CASE WHEN g.label THEN 2 ELSE 1 END]'
        WHEN 'double precision' THEN '($2)[CASE WHEN g.label OPERATOR(pg_catalog.>) 0 THEN 2 ELSE 1 END]'
        ELSE 'g.label' END;
    right_one text := 'v.said COLLATE pg_catalog."C" OPERATOR(pg_catalog.=) v.actual COLLATE pg_catalog."C"';
BEGIN
    IF kind = 'number' THEN
        RETURN $sql$
    SELECT v.*, NULL AS said, false AS is_right, pg_catalog.abs(v.error) AS sure
    FROM (SELECT g.*, p.level, g.label::pg_catalog.text AS actual, p.level OPERATOR(pg_catalog.-) g.label AS error
          FROM given AS g, @extschema@.sparselin_predict($1, g.features) AS p (level)) AS v$sql$;
    ELSIF kind = 'several' THEN
        RETURN format($sql$
    SELECT v.*, %s AS is_right, v.level AS sure
    FROM (SELECT g.*, %s AS actual, c.class AS said, coalesce(c.probability, c.score) AS level
          FROM given AS g, @extschema@.sparselin_classes($1, g.features, 1) AS c) AS v$sql$, right_one, actual);
    END IF;
    RETURN format($sql$
    SELECT v.*, %s AS is_right, pg_catalog.abs(v.level OPERATOR(pg_catalog.-) %s::double precision) AS sure
    FROM (SELECT g.*, %s AS actual, @extschema@.sparselin_class($1, g.features) AS said, p.level
          FROM given AS g, @extschema@.%s AS p (level)) AS v$sql$,
        right_one, CASE WHEN probabilities THEN 0.5 ELSE 0 END, actual,
        CASE WHEN probabilities THEN 'sparselin_probability($1, g.features, ($2)[2])'
             ELSE 'sparselin_predict($1, g.features)' END);
END $$;
COMMENT ON FUNCTION sparselin_report_scored(sparselin_door, text, boolean, text) IS
    'the part of the statement of a report that scores rows';

-- What is made of the scores, by name: of a regression some rows, and how large errors are between the ends that leave
-- out one in a hundred; and examples.
CREATE FUNCTION sparselin_report_looks(kind text, keyed boolean) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT concat_ws(', ', CASE WHEN kind = 'number' THEN $sql$'pairs', (
        SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_array(label, level) ORDER BY place)
        FROM (SELECT r.*, pg_catalog.count(*) OVER () OPERATOR(pg_catalog./) 300 AS others FROM scored AS r) AS r
        WHERE place OPERATOR(pg_catalog.%) (others OPERATOR(pg_catalog.+) 1) OPERATOR(pg_catalog.=) 0), 'errors', (
        SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('low', low, 'high', high, 'bin', bin, 'rows', rows))
        FROM (SELECT low, high, bin, pg_catalog.sum(weight) AS rows
              FROM (SELECT pg_catalog.percentile_disc(0.005) WITHIN GROUP (ORDER BY error) AS low,
                           pg_catalog.percentile_disc(0.995) WITHIN GROUP (ORDER BY error) AS high FROM scored) AS ends,
                   scored, LATERAL (SELECT pg_catalog.width_bucket(error, low, high, 21) AS bin
                                    WHERE low OPERATOR(pg_catalog.<) high) AS b
              GROUP BY low, high, bin) AS bins)$sql$ END,
        CASE WHEN keyed THEN $sql$'examples', (
        SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
                   'key', key, 'actual', actual, 'said', said, 'level', level, 'right', is_right,
                   'features', features::pg_catalog.text) ORDER BY is_right, n)
        FROM (SELECT r.*, pg_catalog.row_number() OVER (PARTITION BY is_right ORDER BY sure DESC, place) AS n
              FROM scored AS r) AS r WHERE n OPERATOR(pg_catalog.<=) 5)$sql$ END)
$$;
COMMENT ON FUNCTION sparselin_report_looks(text, boolean) IS
    'the part of the statement of a report that looks at scored rows';

CREATE FUNCTION sparselin_report_statement(
    door sparselin_door, kind text, probabilities boolean, body text, label_type text, weighted boolean, keyed boolean
) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    opened text NOT NULL := door;
    -- As sparselin_statement() has it.
    label text := CASE label_type
        WHEN 'text' THEN '(q.label::pg_catalog.text) COLLATE pg_catalog."C"'
        WHEN 'date' THEN $name$(pg_catalog.to_jsonb(q.label::pg_catalog.date) OPERATOR(pg_catalog.#>>) '{}')
                               COLLATE pg_catalog."C"$name$
        ELSE 'q.label::' || label_type END;
    cards text := (
        SELECT string_agg(format('%L, @extschema@.sparselin_%s($1, g.features, g.label, g.weight)', card, aggregate),
                          ', ')
        FROM (VALUES ('evaluation', 'evaluate', true), ('confusion', 'confusion', kind <> 'number'),
                     ('curve', 'curve', kind = 'two'), ('calibration', 'calibration', kind = 'two' AND probabilities))
                 AS c (card, aggregate, wanted)
        WHERE wanted);
BEGIN
    RETURN format($sql$
WITH given AS MATERIALIZED (
    SELECT c.*, pg_catalog.row_number() OVER () AS place
    FROM (
        SELECT q.features::@extschema@.sparsearray AS features, %s AS label, %s AS weight, %s AS key
        FROM (
%s
        ) AS q
        OFFSET 0
    ) AS c
    WHERE c.features IS NOT NULL AND c.label IS NOT NULL AND c.weight OPERATOR(pg_catalog.<>) 0::double precision
), scored AS MATERIALIZED (%s
)
SELECT (SELECT pg_catalog.jsonb_build_object(%s) FROM given AS g)
       OPERATOR(pg_catalog.||) pg_catalog.jsonb_build_object(%s)
$sql$,
        label, CASE WHEN weighted THEN 'q.weight::double precision' ELSE '1::double precision' END,
        CASE WHEN keyed THEN 'q.key::pg_catalog.text' ELSE 'NULL::pg_catalog.text' END, body,
        @extschema@.sparselin_report_scored(door, kind, probabilities, label_type), cards,
        @extschema@.sparselin_report_looks(kind, keyed));
END $$;
COMMENT ON FUNCTION sparselin_report_statement(sparselin_door, text, boolean, text, text, boolean, boolean) IS
    'the statement by which a report measures a model, made around the text of a query';

-- What a statement gives for $1 and $2, under the search_path of who came in.
CREATE FUNCTION sparselin_report_run(door sparselin_door, statement text, model sparselin_model,
    classes text[]) RETURNS jsonb
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
    opened text NOT NULL := door;
    result jsonb;
BEGIN
    PERFORM set_config('search_path', opened, true);
    EXECUTE statement INTO result USING model, classes;
    RETURN result;
END $$;
COMMENT ON FUNCTION sparselin_report_run(sparselin_door, text, sparselin_model,
    text[]) IS 'runs a statement of a report';

CREATE FUNCTION sparselin_report_measures(door sparselin_door, model sparselin_model, query text) RETURNS jsonb
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
    opened text NOT NULL := door;
    shape @extschema@.sparselin_query_shape := @extschema@.sparselin_check_query(query, opened, true);
    its record := @extschema@.sparselin_report_kind(door, model);
    measures jsonb;
BEGIN
    measures := @extschema@.sparselin_report_run(door, @extschema@.sparselin_report_statement(
        door, its.kind, its.probabilities, shape.body, shape.label_type, shape.weighted,
        shape.key_form <> 'none'), model, its.classes);
    IF coalesce((measures #>> '{evaluation,rows}')::bigint, 0) = 0 THEN
        RAISE EXCEPTION 'the query gave no rows to report on' USING
            ERRCODE = 'no_data_found',
                HINT = 'Run it by itself to see why. Rows with NULL as features, label or weight, or of weight 0, do not count.';
    END IF;
    RETURN jsonb_strip_nulls(measures);
END $$;
COMMENT ON FUNCTION sparselin_report_measures(sparselin_door, sparselin_model, text) IS
    'all that a report says of how a model does on the rows of a query';

-- Names of features, those that there are for each, of a query of (feature, name).
CREATE FUNCTION sparselin_report_names(door sparselin_door, names text, features integer[]) RETURNS jsonb
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
    opened text NOT NULL := door;
BEGIN
    IF names IS NULL OR cardinality(features) = 0 THEN
        RETURN '{}';
    END IF;
    RETURN @extschema@.sparselin_report_run(door, format($sql$
SELECT pg_catalog.jsonb_object_agg(feature, name) FROM (
    SELECT n.feature, pg_catalog.string_agg(n.name, ', ' ORDER BY n.name) AS name
    FROM (SELECT DISTINCT n.feature::bigint AS feature, n.name::pg_catalog.text COLLATE pg_catalog."C" AS name FROM (
%s
        ) AS n WHERE n.feature::bigint OPERATOR(pg_catalog.=) ANY (%L::bigint[]) AND n.name IS NOT NULL) AS n
            GROUP BY n.feature) AS n
$sql$, rtrim(names, E' \t\r\n;'), features), NULL, NULL);
EXCEPTION WHEN undefined_column THEN
    RAISE EXCEPTION 'the query for names does not give columns feature and name' USING
        ERRCODE = 'undefined_column',
            DETAIL = SQLERRM,
            HINT = 'Give one such as SELECT DISTINCT feature, name FROM messages, sparselin_names(words).';
END $$;
COMMENT ON FUNCTION sparselin_report_names(sparselin_door, text,
    integer[]) IS 'the names of features by a query of (feature, name)';
