-- The sections of a report that say what a model is, how it was learned, and what it goes by; NULL where there is nothing
-- to say.

CREATE FUNCTION sparselin_report_facts(door sparselin_door, facts text[][]) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
BEGIN
    RETURN (
    SELECT '<table class="facts"><tbody>' || string_agg(format('<tr><th scope="row">%s</th><td>%s</td></tr>',
        @extschema@.sparselin_report_text(facts[n][1]),
                                                               @extschema@.sparselin_report_text(facts[n][2])), ''
                                                                   ORDER BY n) || '</tbody></table>'
    FROM generate_subscripts(facts, 1) AS n WHERE facts[n][2] <> ''
    );
END $$;
COMMENT ON FUNCTION sparselin_report_facts(sparselin_door, text[]) IS
    'a list of facts in a report: what and which, without those that are not known';

CREATE FUNCTION sparselin_report_model(door sparselin_door, model sparselin_model, kept text[][]) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
BEGIN
    RETURN (
    SELECT @extschema@.sparselin_report_section(door, 'What it is',
        ARRAY[@extschema@.sparselin_report_facts(door, kept || ARRAY[
        ['Learner', i.learner], ['Loss', i.loss], ['Rows learned from',
            to_char(nullif(i.rows, 0), 'FM999,999,999,999,990')],
        ['Rows skipped', to_char(nullif(i.skipped, 0), 'FM999,999,999,999,990')],
            ['Passes over the rows', i.epochs::text],
        ['Classes', array_to_string(ARRAY(SELECT @extschema@.sparselin_report_short(c, 40)
            FROM unnest(i.classes[1:12]) AS c), ', ') || CASE
            WHEN cardinality(i.classes) > 12 THEN format(' and %s more', cardinality(i.classes) - 12) ELSE '' END],
        ['Weights that are not 0', to_char(i.nonzero, 'FM999,999,999,999,990')], ['Size', pg_size_pretty(i.bytes)],
            ['Options', i.options]])])
    FROM @extschema@.sparselin_info(model) AS i
    );
END $$;
COMMENT ON FUNCTION sparselin_report_model(sparselin_door, sparselin_model,
    text[]) IS 'the facts of a model in a report';

CREATE FUNCTION sparselin_report_learning(door sparselin_door, model sparselin_model) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
BEGIN
    RETURN (
    WITH history AS (
        SELECT shown.*
        FROM (SELECT jsonb_agg(jsonb_build_array(step, loss) ORDER BY step) AS points
              FROM @extschema@.sparselin_history(model) HAVING count(*) > 1) AS h,
             @extschema@.sparselin_chart_history(points) AS shown
    ), search AS (
        SELECT jsonb_agg(jsonb_build_array(strength, loss) ORDER BY strength) AS points,
               jsonb_agg(jsonb_build_array(strength, loss)) FILTER (WHERE chosen) AS chosen,
               min(CASE WHEN l1 IS NOT NULL THEN 'l1' WHEN gravity IS NOT NULL THEN 'gravity' ELSE 'lambda' END) AS name
        FROM @extschema@.sparselin_search(model), LATERAL (SELECT coalesce(l1, gravity, lambda) AS strength) AS s
        WHERE loss IS NOT NULL HAVING count(*) > 1
    ), charts AS (
        SELECT 1 AS place, @extschema@.sparselin_report_chart(
                   door, 'Loss while learning', about, x_label, y_label, series, logarithmic => logarithmic) AS chart
        FROM history
        UNION ALL
        SELECT 2, @extschema@.sparselin_report_chart(
                   door, 'What the search tried',
                   'How strongly the model is held back, against the loss on rows that were kept aside for it. The marked '
                   'one was chosen.',
                   name, 'mean loss',
                   jsonb_build_array(@extschema@.sparselin_chart_series('line', points),
                                     @extschema@.sparselin_chart_series('dots', points),
                                     @extschema@.sparselin_chart_series('mark', chosen, 'chosen')),
                   logarithmic => 'x')
        FROM search
    )
    SELECT @extschema@.sparselin_report_section(
        door, 'How it learned', ARRAY['<div class="charts">' || string_agg(chart, '' ORDER BY place) || '</div>'])
    FROM charts
    );
END $$;
COMMENT ON FUNCTION sparselin_report_learning(sparselin_door, sparselin_model) IS 'how a model learned, in a report';

-- Of each side of two classes or a number, or of each class. Two that learned together have weights each: those of the
-- later one say it all.
CREATE FUNCTION sparselin_report_strongest(door sparselin_door, model sparselin_model, kind text, OUT class text,
    OUT side integer,
    OUT place bigint, OUT feature integer, OUT weight float8) RETURNS SETOF record
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
BEGIN
    RETURN QUERY
    SELECT class, side, place, feature, weight
    FROM (SELECT w.class, s.side, w.feature, w.weight, row_number() OVER (PARTITION BY w.class, s.side
        ORDER BY abs(w.weight) DESC, w.feature) AS place
          FROM @extschema@.sparselin_weights(model) AS w, LATERAL (SELECT sign(w.weight)::integer AS side) AS s,
               @extschema@.sparselin_report_kind(door, model) AS k
          WHERE kind <> 'two' OR w.class IS NULL OR w.class = k.classes[2]) AS w
    WHERE CASE WHEN kind = 'several' THEN side > 0 AND place <= 8 ELSE place <= 12 END;
END $$;
COMMENT ON FUNCTION sparselin_report_strongest(sparselin_door, sparselin_model, text) IS
    'the strongest weights of a model, for a report';

CREATE FUNCTION sparselin_report_feature(door sparselin_door, feature integer, names jsonb) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
BEGIN
    RETURN (
    SELECT coalesce(@extschema@.sparselin_report_text(names ->> feature::text, 60),
        'feature ' || feature)
    );
END $$;
COMMENT ON FUNCTION sparselin_report_feature(sparselin_door, integer,
    jsonb) IS 'the name of a feature in a report, or its number';

CREATE FUNCTION sparselin_report_weights(door sparselin_door, model sparselin_model, kind text, classes text[],
    names jsonb) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
BEGIN
    RETURN (
    WITH strongest AS (SELECT * FROM @extschema@.sparselin_report_strongest(door, model, kind)), sides AS (
        SELECT side, format('<div class="%s"><h3>%s</h3>%s</div>', CASE WHEN side > 0 THEN 'plus' ELSE 'minus' END,
                CASE WHEN kind = 'number' THEN CASE WHEN side > 0 THEN 'For more' ELSE 'For less' END
                     ELSE 'For ' || @extschema@.sparselin_report_text(classes[CASE WHEN side > 0 THEN 2
                         ELSE 1 END]) END,
                @extschema@.sparselin_report_table(door, '{feature,weight}', array_agg(ARRAY[
                    @extschema@.sparselin_report_feature(door, feature, names)
                    || format('<span class="meter" aria-hidden="true" style="width:%s%%">&#160;</span>',
                        round((100 * abs(weight) / nullif(max, 0))::numeric, 1)),
                    @extschema@.sparselin_report_number(weight, 3)] ORDER BY place))) AS html
        FROM (SELECT *, max(abs(weight)) OVER () FROM strongest WHERE kind <> 'several') AS s GROUP BY side
    ), of_classes AS (
        SELECT class, ARRAY[@extschema@.sparselin_report_text(class, 40),
            string_agg(@extschema@.sparselin_report_feature(door, feature, names), ', ' ORDER BY place)] AS cells
        FROM strongest WHERE kind = 'several' GROUP BY class
    )
    SELECT @extschema@.sparselin_report_section(door, 'What it goes by',
        ARRAY[(SELECT format('<div class="sides">%s</div>', string_agg(html, '' ORDER BY side DESC)) FROM sides
            HAVING count(*) > 0),
        (SELECT @extschema@.sparselin_report_table(door, '{class,strongest features}',
            array_agg(cells ORDER BY class COLLATE "C"), 3)
         FROM (SELECT * FROM of_classes ORDER BY class COLLATE "C" LIMIT 40) AS c),
        (SELECT '<p>The strongest weights: what a feature adds to the score where its value is 1.'
                || CASE WHEN names = '{}' THEN ' Features have numbers here. The argument names gives them names: a query such as '
                    '<code>SELECT feature, name FROM your_table AS t, sparselin_names(t)</code>, of what '
                    'sparselin_features was given.' ELSE '' END || '</p>'
         FROM strongest LIMIT 1)])
    );
END $$;
COMMENT ON FUNCTION sparselin_report_weights(sparselin_door, sparselin_model, text, text[], jsonb) IS
    'the strongest weights of a model, in a report';

-- What a row's features add to the score, the largest first; of several classes to that of the one that is said.
CREATE FUNCTION sparselin_report_reasons(door sparselin_door, model sparselin_model, example jsonb, kind text,
    OUT feature integer,
    OUT contribution float8) RETURNS SETOF record
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
BEGIN
    RETURN QUERY
    SELECT x.feature, x.contribution
    FROM @extschema@.sparselin_report_kind(door, model) AS k,
         @extschema@.sparselin_explain(model, (example ->> 'features')::@extschema@.sparsearray, 5,
                                       CASE kind WHEN 'several' THEN example ->> 'said'
                                           WHEN 'two' THEN k.classes[2] END) AS x
    WHERE x.feature IS NOT NULL AND x.contribution <> 0;
END $$;
COMMENT ON FUNCTION sparselin_report_reasons(sparselin_door, sparselin_model, jsonb, text) IS
    'why a model says what it says of an example of a report';

CREATE FUNCTION sparselin_report_examples(
    door sparselin_door, its jsonb, model sparselin_model, kind text, classes text[], probabilities boolean, names jsonb
) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
BEGIN
    RETURN (
    WITH examples AS (
        SELECT n, (e ->> 'right')::boolean AS is_right,
               @extschema@.sparselin_report_text(coalesce(e ->> 'key', ''), 80) AS key,
               @extschema@.sparselin_report_text(e ->> 'actual', 40) AS class,
               @extschema@.sparselin_report_text(e ->> 'said', 40) AS said,
               CASE WHEN kind = 'number'
                    THEN @extschema@.sparselin_report_number((e ->> 'actual')::float8) END AS number,
               @extschema@.sparselin_report_number((e ->> 'level')::float8) AS level,
               (SELECT string_agg(
                           format('%s (%s%s)', @extschema@.sparselin_report_feature(door, feature, names),
                                  CASE WHEN contribution > 0 THEN '+' ELSE '' END,
                                  @extschema@.sparselin_report_number(contribution, 2)),
                           ', ' ORDER BY abs(contribution) DESC)
                FROM @extschema@.sparselin_report_reasons(door, model, e, kind)) AS reasons
        FROM jsonb_array_elements(its -> 'examples') WITH ORDINALITY AS x (e, n)
    ), tables AS (
        SELECT is_right,
               CASE WHEN kind = 'number' THEN '<h3>Furthest off</h3>' || @extschema@.sparselin_report_table(
                        door, '{key,is,estimated,because of}', array_agg(ARRAY[key, number, level, reasons] ORDER BY n),
                            5)
                    ELSE format('<h3>%s, and surest of it</h3>', CASE WHEN is_right THEN 'Right' ELSE 'Wrong' END)
                         || @extschema@.sparselin_report_table(
                                door, ARRAY['key', 'is', 'taken for', 'because of',
                                      CASE WHEN probabilities THEN 'probability' ELSE 'score' END
                                      || CASE WHEN kind = 'two' THEN ' of ' || classes[2] ELSE '' END],
                                array_agg(ARRAY[key, class, said, reasons, level] ORDER BY n), 5) END AS html
        FROM examples GROUP BY is_right
    )
    SELECT @extschema@.sparselin_report_section(door, 'Examples', ARRAY[string_agg(html, '' ORDER BY is_right)]) FROM tables
    );
END $$;
COMMENT ON FUNCTION sparselin_report_examples(sparselin_door, jsonb, sparselin_model, text, text[], boolean, jsonb) IS
    'examples of what a model gets right and wrong, in a report';
