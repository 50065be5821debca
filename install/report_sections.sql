-- The sections of a report. Each is made of what was measured, as jsonb, or of the model; NULL where there is nothing
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

CREATE FUNCTION sparselin_report_tile(door sparselin_door, name text, value text, meaning text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
BEGIN
    RETURN (
    SELECT format('<div class="tile">%s<b>%s</b><small>%s</small></div>', @extschema@.sparselin_report_text(name),
        value, @extschema@.sparselin_report_text(meaning))
    );
END $$;
COMMENT ON FUNCTION sparselin_report_tile(sparselin_door, text, text,
    text) IS 'a number in a report, with its name and its meaning';

-- Beside what somebody gets who always says the same.
CREATE FUNCTION sparselin_report_quality(door sparselin_door, its jsonb, kind text, classes text[]) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
    opened text NOT NULL := door;
    e @extschema@.sparselin_evaluation := jsonb_populate_record(NULL::@extschema@.sparselin_evaluation,
        its -> 'evaluation');
    most text;
    share float8;
    entropy float8;
    tiles text;
BEGIN
    IF e.rows IS NULL OR e.rows = 0 THEN
        RETURN NULL;
    END IF;
    SELECT c.actual, c.rows / all_rows, -sum(c.rows / all_rows * ln(c.rows / all_rows)) OVER (ORDER BY true)
    INTO most, share, entropy
    FROM (SELECT actual, sum(rows) AS rows, sum(sum(rows)) OVER () AS all_rows
          FROM jsonb_to_recordset(its -> 'confusion') AS c (actual text, rows float8) GROUP BY actual) AS c
    ORDER BY c.rows DESC, c.actual LIMIT 1;
    IF kind = 'number' THEN
        tiles := @extschema@.sparselin_report_tile(door, 'Typical error (RMSE)',
            @extschema@.sparselin_report_number(e.rmse),
                format('always saying the mean: %s', @extschema@.sparselin_report_number(e.rmse / sqrt(nullif(1 - e.r2,
                    0)))))
            || @extschema@.sparselin_report_tile(door, 'Mean error (MAE)', @extschema@.sparselin_report_number(e.mae),
                'how far off an estimate is on average')
            || @extschema@.sparselin_report_tile(door, 'Explained (R2)', @extschema@.sparselin_report_percent(e.r2),
                'of the variance of the label; the mean alone explains 0%');
    ELSE
        tiles := @extschema@.sparselin_report_tile(door, 'Right (accuracy)',
            @extschema@.sparselin_report_percent(e.accuracy),
                'of the rows' || coalesce(format('; always saying %s: %s', @extschema@.sparselin_report_short(most, 20),
                    @extschema@.sparselin_report_percent(share)), ''));
        IF kind = 'two' THEN
            tiles := tiles || @extschema@.sparselin_report_tile(door, 'Order (AUC)',
                @extschema@.sparselin_report_number(e.auc),
                    format('how often one that is %s scores above one that is not; by chance 0.5', classes[2]))
                || @extschema@.sparselin_report_tile(door, 'Precision',
                    @extschema@.sparselin_report_percent(e.precision),
                    format('of what it takes for %s is %s', classes[2], classes[2]))
                || @extschema@.sparselin_report_tile(door, 'Recall', @extschema@.sparselin_report_percent(e.recall),
                    format('of what is %s it takes for %s', classes[2], classes[2]));
        ELSE
            tiles := tiles || @extschema@.sparselin_report_tile(door, 'F1, mean of classes',
                @extschema@.sparselin_report_number(e.f1),
                'of precision and recall, each class counting the same; 1 is perfect');
        END IF;
        IF e.log_loss IS NOT NULL THEN
            tiles := tiles || @extschema@.sparselin_report_tile(door, 'Log loss',
                @extschema@.sparselin_report_number(e.log_loss),
                'lower is better' || coalesce(format('; knowing only the shares of the classes: %s',
                    @extschema@.sparselin_report_number(entropy)), ''));
        END IF;
    END IF;
    RETURN @extschema@.sparselin_report_section(door, 'How good it is', ARRAY[format('<div class="tiles">%s</div>', tiles),
        format('<p>On %s rows whose labels are known%s.</p>', to_char(e.rows, 'FM999,999,999,999,990'),
               CASE WHEN e.unknown > 0 THEN format('; %s of them of classes that the model does not know', e.unknown)
                   ELSE '' END)]);
END $$;
COMMENT ON FUNCTION sparselin_report_quality(sparselin_door, jsonb, text, text[]) IS 'how good a model is, in a report';

-- Tenths of the rows, those with the highest scores first, between the points of the curve.
CREATE FUNCTION sparselin_report_lift(door sparselin_door, curve jsonb) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
BEGIN
    RETURN (
    WITH points AS (
        SELECT true_positives AS hits, true_positives + false_positives AS taken,
            row_number() OVER (ORDER BY threshold DESC) AS n
        FROM jsonb_populate_recordset(NULL::@extschema@.sparselin_curve_point, curve)
    ), steps AS (
        SELECT lag(hits, 1, 0::float8) OVER (ORDER BY n) AS hits_before, hits,
            lag(taken, 1, 0::float8) OVER (ORDER BY n) AS taken_before, taken FROM points
    ), tenths AS (
        SELECT k, (SELECT hits_before + (hits - hits_before)
                                        * coalesce((k / 10.0 * total - taken_before) / nullif(taken - taken_before, 0),
                                            1)
                   FROM steps WHERE taken >= k / 10.0 * total - 1e-9 * total ORDER BY taken LIMIT 1) AS hits, positives
        FROM generate_series(0, 10) AS k, (SELECT max(taken) AS total, max(hits) AS positives FROM points) AS p
    )
    SELECT jsonb_agg(jsonb_build_array(k, lift) ORDER BY k)
    FROM (SELECT k, (hits - lag(hits) OVER (ORDER BY k)) * 10 / nullif(positives, 0) AS lift FROM tenths) AS t
        WHERE lift IS NOT NULL
    );
END $$;
COMMENT ON FUNCTION sparselin_report_lift(sparselin_door, jsonb) IS
    'of each tenth of the rows by their scores: how many times more positives it has than all rows';

-- ROC, precision and recall, with what the usual threshold comes to.
CREATE FUNCTION sparselin_report_thresholds(door sparselin_door, its jsonb, class text,
    probabilities boolean) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
BEGIN
    RETURN (
    WITH curve AS (
        SELECT jsonb_agg(jsonb_build_array(false_positive_rate, recall) ORDER BY threshold DESC) AS roc,
               jsonb_agg(jsonb_build_array(recall, precision) ORDER BY threshold DESC) AS precision_recall
        FROM jsonb_populate_recordset(NULL::@extschema@.sparselin_curve_point, its -> 'curve')
    ), usual AS (
        SELECT auc, recall, precision, false_positives / nullif(false_positives + true_negatives, 0) AS false_alarms,
               (true_positives + false_negatives)
               / nullif(true_positives + false_negatives + false_positives + true_negatives, 0) AS share,
               CASE WHEN probabilities THEN 'probability above 0.5' ELSE 'score above 0' END AS rule
        FROM jsonb_populate_record(NULL::@extschema@.sparselin_evaluation, its -> 'evaluation')
    )
    SELECT concat(
        @extschema@.sparselin_report_chart(
            door, 'ROC curve',
            format('For every threshold: the share of what is %s that is found, against the share of the others that '
                   'is taken for it by mistake. The further up and left the better; the area is %s.',
                   class, @extschema@.sparselin_report_number(auc)),
            'false alarms', 'found (recall)',
            jsonb_build_array(
                @extschema@.sparselin_report_series('reference', '[[0, 0], [1, 1]]'),
                @extschema@.sparselin_report_series('line', roc),
                @extschema@.sparselin_report_series(
                    'mark', jsonb_build_array(jsonb_build_array(false_alarms, recall)), rule)),
            '{0,1}', '{0,1}'),
        @extschema@.sparselin_report_chart(
            door, 'Precision and recall',
            format('For every threshold: how much of what is taken for %1$s really is, against how much of it is '
                   'found. The dashed line is the share of %1$s among all rows, %2$s.',
                   class, @extschema@.sparselin_report_percent(share)),
            'found (recall)', 'precision',
            jsonb_build_array(
                @extschema@.sparselin_report_series(
                    'reference', jsonb_build_array(jsonb_build_array(0, share), jsonb_build_array(1, share))),
                @extschema@.sparselin_report_series('line', precision_recall),
                @extschema@.sparselin_report_series(
                    'mark', jsonb_build_array(jsonb_build_array(recall, precision)), rule)),
            '{0,1}', '{0,1}'))
    FROM curve, usual
    );
END $$;
COMMENT ON FUNCTION sparselin_report_thresholds(sparselin_door, jsonb, text, boolean) IS
    'in a report: what comes of the thresholds of two classes';

CREATE FUNCTION sparselin_report_calibration(door sparselin_door, its jsonb, class text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
BEGIN
    RETURN (
    SELECT @extschema@.sparselin_report_chart(
        door, 'Calibration',
        'Rows in ten bins by their probability: the mean probability against the share that is really so. Dots on the '
        'dashed line mean what they say.',
        'probability', 'share of ' || class,
        jsonb_build_array(
            @extschema@.sparselin_report_series('reference', '[[0, 0], [1, 1]]'),
            @extschema@.sparselin_report_series('line', points), @extschema@.sparselin_report_series('dots', points)),
        '{0,1}', '{0,1}')
    FROM (SELECT jsonb_agg(jsonb_build_array(predicted, observed) ORDER BY bin) AS points
          FROM jsonb_populate_recordset(NULL::@extschema@.sparselin_calibration_bin, its -> 'calibration')) AS bins
    WHERE points IS NOT NULL
    );
END $$;
COMMENT ON FUNCTION sparselin_report_calibration(sparselin_door, jsonb,
    text) IS 'in a report: whether probabilities are what they say';

CREATE FUNCTION sparselin_report_decisions(door sparselin_door, its jsonb, classes text[],
    probabilities boolean) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
BEGIN
    RETURN (
    SELECT @extschema@.sparselin_report_section(door, 'Decisions', ARRAY[format('<div class="charts">%s</div>', concat(
        @extschema@.sparselin_report_thresholds(door, its, classes[2], probabilities),
        @extschema@.sparselin_report_calibration(door, its, classes[2]),
        @extschema@.sparselin_report_chart(
            door, 'Lift',
            format('Rows in tenths, the highest scores first: how many times more %s there is in a tenth than among '
                   'all rows.', classes[2]),
            'tenth of the rows', 'times the mean',
            jsonb_build_array(
                @extschema@.sparselin_report_series('bars', @extschema@.sparselin_report_lift(door, its -> 'curve')),
                @extschema@.sparselin_report_series('reference', '[[0.4, 1], [10.6, 1]]')),
            '{0.4,10.6}')))])
    WHERE jsonb_array_length(its -> 'curve') > 0
    );
END $$;
COMMENT ON FUNCTION sparselin_report_decisions(sparselin_door, jsonb, text[],
    boolean) IS 'curves of two classes in a report';

-- At most twelve classes, the largest ones; the others are put together, under NULL.
CREATE FUNCTION sparselin_report_matrix(door sparselin_door, its jsonb) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
BEGIN
    RETURN (
    WITH given AS (
        SELECT * FROM jsonb_to_recordset(its -> 'confusion') AS c (actual text, predicted text, rows float8)
    ), shown AS (
        SELECT class
        FROM given, LATERAL (VALUES (actual, rows), (predicted, 0)) AS v (class, size)
        GROUP BY class ORDER BY sum(size) DESC, class COLLATE "C" LIMIT 12
    ), cells AS (
        SELECT a.class AS actual, p.class AS predicted, sum(rows) AS rows
        FROM given LEFT JOIN shown AS a ON a.class = actual LEFT JOIN shown AS p ON p.class = predicted
        GROUP BY a.class, p.class
    ), classes AS (
        SELECT class, coalesce(@extschema@.sparselin_report_text(class, 20), 'others') AS called
        FROM (SELECT class FROM shown
              UNION ALL SELECT NULL WHERE EXISTS (SELECT FROM cells WHERE actual IS NULL OR predicted IS NULL)) AS c
    ), lines AS (
        SELECT a.class, format('<tr><th scope="row">%s</th>%s</tr>', a.called, string_agg(
                   format('<td class="number" style="background:rgba(var(--heat),%s)">%s%s</td>',
                          round((0.55 * coalesce(rows / nullif(all_of_them, 0), 0))::numeric, 3),
                          @extschema@.sparselin_report_number(coalesce(rows, 0), 6),
                          CASE WHEN a.class = p.class THEN ' &#10003;' ELSE '' END),
                   '' ORDER BY p.class COLLATE "C")) AS line
        FROM (SELECT a.*, (SELECT sum(rows) FROM cells WHERE actual IS NOT DISTINCT FROM a.class) AS all_of_them
              FROM classes AS a) AS a
        CROSS JOIN classes AS p
        LEFT JOIN cells AS c
            ON c.actual IS NOT DISTINCT FROM a.class AND c.predicted IS NOT DISTINCT FROM p.class
        GROUP BY a.class, a.called
    )
    SELECT '<div class="wide" tabindex="0"><table class="matrix"><thead><tr>'
           '<th scope="col">is &#8595; &#160; taken for &#8594;</th>'
           || (SELECT string_agg(format('<th scope="col" class="number">%s</th>', called), ''
                                 ORDER BY class COLLATE "C")
               FROM classes)
           || '</tr></thead><tbody>' || string_agg(line, '' ORDER BY class COLLATE "C") || '</tbody></table></div>'
    FROM lines
    );
END $$;
COMMENT ON FUNCTION sparselin_report_matrix(sparselin_door, jsonb) IS 'the confusion matrix of a report';

CREATE FUNCTION sparselin_report_mistakes(door sparselin_door, its jsonb) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
BEGIN
    RETURN (
    WITH classes AS (
        SELECT class, sum(is_actual * rows) AS actual, sum((1 - is_actual) * rows) AS predicted,
               sum(is_actual * rows) FILTER (WHERE c.actual = c.predicted) AS hits
        FROM jsonb_to_recordset(its -> 'confusion') AS c (actual text, predicted text, rows float8),
             LATERAL (VALUES (c.actual, 1), (c.predicted, 0)) AS v (class, is_actual)
        GROUP BY class
    ), lines AS (
        SELECT array_agg(ARRAY[
                   @extschema@.sparselin_report_text(class, 40), @extschema@.sparselin_report_number(actual, 6),
                   @extschema@.sparselin_report_percent(hits / nullif(predicted, 0)),
                   @extschema@.sparselin_report_percent(hits / nullif(actual, 0)),
                   @extschema@.sparselin_report_number(2 * hits / nullif(actual + predicted, 0), 3)]
                   ORDER BY actual DESC, class COLLATE "C") AS cells
        FROM (SELECT class, actual, predicted, coalesce(hits, 0) AS hits FROM classes) AS c
    )
    SELECT @extschema@.sparselin_report_section(
        door, 'Which classes it takes for which', ARRAY[@extschema@.sparselin_report_matrix(door, its),
        @extschema@.sparselin_report_table(door, '{class,rows,precision,recall,F1}', cells)])
    FROM lines
    );
END $$;
COMMENT ON FUNCTION sparselin_report_mistakes(sparselin_door, jsonb) IS
    'the classes of a report: which are taken for which, and how well each is known';

CREATE FUNCTION sparselin_report_estimates(door sparselin_door, its jsonb) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
BEGIN
    RETURN (
    WITH ends AS (
        SELECT min(n::text::float8) AS low, max(n::text::float8) AS high
        FROM jsonb_path_query(its -> 'pairs', '$[*][*]') AS n
    ), bins AS (
        SELECT low + (high - low) * (least(21, greatest(1, bin)) - 0.5) / 21 AS middle, sum(rows) AS rows
        FROM jsonb_to_recordset(its -> 'errors') AS e (low float8, high float8, bin integer, rows float8)
        GROUP BY middle
    )
    SELECT @extschema@.sparselin_report_section(door, 'Estimates', ARRAY[format('<div class="charts">%s</div>', concat(
        @extschema@.sparselin_report_chart(
            door, 'Estimated against true', 'Some of the rows. The nearer to the dashed line the better.',
            'true', 'estimated',
            jsonb_build_array(
                @extschema@.sparselin_report_series('reference', jsonb_build_array(jsonb_build_array(low, low),
                                                                                   jsonb_build_array(high, high))),
                @extschema@.sparselin_report_series('dots', its -> 'pairs')),
            ARRAY[low, high], ARRAY[low, high]),
        @extschema@.sparselin_report_chart(
            door, 'Errors',
            'How many rows are estimated too high (right) and too low (left), by how much. What lies further off is '
            'with the outermost.',
            'estimated less true', 'rows',
            jsonb_build_array(@extschema@.sparselin_report_series(
                'bars', (SELECT jsonb_agg(jsonb_build_array(middle, rows) ORDER BY middle) FROM bins))))))])
    FROM ends WHERE its -> 'pairs' IS NOT NULL
    );
END $$;
COMMENT ON FUNCTION sparselin_report_estimates(sparselin_door, jsonb) IS 'charts of a regression in a report';

CREATE FUNCTION sparselin_report_learning(door sparselin_door, model sparselin_model) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
BEGIN
    RETURN (
    WITH history AS (
        SELECT jsonb_agg(jsonb_build_array(step, loss) ORDER BY step) AS points
        FROM @extschema@.sparselin_history(model) HAVING count(*) > 1
    ), search AS (
        SELECT jsonb_agg(jsonb_build_array(strength, loss) ORDER BY strength) AS points,
               jsonb_agg(jsonb_build_array(strength, loss)) FILTER (WHERE chosen) AS chosen,
               min(CASE WHEN l1 IS NOT NULL THEN 'l1' WHEN gravity IS NOT NULL THEN 'gravity' ELSE 'lambda' END) AS name
        FROM @extschema@.sparselin_search(model), LATERAL (SELECT coalesce(l1, gravity, lambda) AS strength) AS s
        WHERE loss IS NOT NULL HAVING count(*) > 1
    ), charts AS (
        SELECT 1 AS place, @extschema@.sparselin_report_chart(
                   door, 'Loss while learning',
                   'Each row judged before the model learned from it: the mean since the dot before.',
                   'rows seen', 'mean loss',
                   jsonb_build_array(@extschema@.sparselin_report_series('line', points),
                                     @extschema@.sparselin_report_series('dots', points)),
                   logarithmic => true) AS chart
        FROM history
        UNION ALL
        SELECT 2, @extschema@.sparselin_report_chart(
                   door, 'What the search tried',
                   'How strongly the model is held back, against the loss on rows that were kept aside for it. The marked '
                   'one was chosen.',
                   name, 'mean loss',
                   jsonb_build_array(@extschema@.sparselin_report_series('line', points),
                                     @extschema@.sparselin_report_series('dots', points),
                                     @extschema@.sparselin_report_series('mark', chosen, 'chosen')),
                   logarithmic => true)
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
                || CASE WHEN names = '{}' THEN ' Features have numbers here; a query of (feature, name) as the last argument '
                                              'names them.' ELSE '' END || '</p>'
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
