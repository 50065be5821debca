-- The sections of a report that say how good a model is. Each is made of what was measured, as jsonb; NULL where there is
-- nothing to say.

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
                @extschema@.sparselin_chart_series('reference', '[[0, 0], [1, 1]]'),
                @extschema@.sparselin_chart_series('line', roc),
                @extschema@.sparselin_chart_series(
                    'mark', jsonb_build_array(jsonb_build_array(false_alarms, recall)), rule)),
            '{0,1}', '{0,1}'),
        @extschema@.sparselin_report_chart(
            door, 'Precision and recall',
            format('For every threshold: how much of what is taken for %1$s really is, against how much of it is '
                   'found. The dashed line is the share of %1$s among all rows, %2$s.',
                   class, @extschema@.sparselin_report_percent(share)),
            'found (recall)', 'precision',
            jsonb_build_array(
                @extschema@.sparselin_chart_series(
                    'reference', jsonb_build_array(jsonb_build_array(0, share), jsonb_build_array(1, share))),
                @extschema@.sparselin_chart_series('line', precision_recall),
                @extschema@.sparselin_chart_series(
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
            @extschema@.sparselin_chart_series('reference', '[[0, 0], [1, 1]]'),
            @extschema@.sparselin_chart_series('line', points), @extschema@.sparselin_chart_series('dots', points)),
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
                @extschema@.sparselin_chart_series('bars', @extschema@.sparselin_report_lift(door, its -> 'curve')),
                @extschema@.sparselin_chart_series('reference', '[[0.4, 1], [10.6, 1]]')),
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
                @extschema@.sparselin_chart_series('reference', jsonb_build_array(jsonb_build_array(low, low),
                                                                                   jsonb_build_array(high, high))),
                @extschema@.sparselin_chart_series('dots', its -> 'pairs')),
            ARRAY[low, high], ARRAY[low, high]),
        @extschema@.sparselin_report_chart(
            door, 'Errors',
            'How many rows are estimated too high (right) and too low (left), by how much. What lies further off is '
            'with the outermost.',
            'estimated less true', 'rows',
            jsonb_build_array(@extschema@.sparselin_chart_series(
                'bars', (SELECT jsonb_agg(jsonb_build_array(middle, rows) ORDER BY middle) FROM bins))))))])
    FROM ends WHERE its -> 'pairs' IS NOT NULL
    );
END $$;
COMMENT ON FUNCTION sparselin_report_estimates(sparselin_door, jsonb) IS 'charts of a regression in a report';
