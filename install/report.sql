-- A page about a model, for whoever wants to see what it is and how good.

CREATE FUNCTION sparselin_report(model sparselin_model, query text DEFAULT NULL, names text DEFAULT NULL) RETURNS text
    AS 'MODULE_PATHNAME', 'sparselin_call_inside' LANGUAGE C VOLATILE COST 100000;
COMMENT ON FUNCTION sparselin_report(sparselin_model, text, text) IS
    'a page about a model, HTML: how good it is on the rows of a query of (features, label [, weight] [, key]), with the names of features by one of (feature, name)';

CREATE FUNCTION sparselin_report(name text, query text DEFAULT NULL, names text DEFAULT NULL) RETURNS text
    AS 'MODULE_PATHNAME', 'sparselin_call_inside' LANGUAGE C VOLATILE COST 100000;
COMMENT ON FUNCTION sparselin_report(text, text, text) IS
    'a page about the active version of a model, HTML: how good it was on the rows held out, or is on those of a query, and its versions over time';

-- `lead` and `kept` are facts and `versions` a section of models that are kept.
CREATE FUNCTION sparselin_report_write(
    door sparselin_door, title text, lead text, model sparselin_model, its jsonb, names text, kept text[], versions text
) RETURNS text LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
    opened text NOT NULL := door;
    about record := @extschema@.sparselin_report_kind(door, model);
    called text[] := ARRAY(SELECT @extschema@.sparselin_report_short(c, 20) FROM unnest(about.classes) AS c);
    known jsonb := @extschema@.sparselin_report_names(door, names, ARRAY(
        SELECT feature FROM @extschema@.sparselin_report_strongest(door, model, about.kind)
        UNION SELECT r.feature FROM jsonb_array_elements(its -> 'examples') AS e,
            @extschema@.sparselin_report_reasons(door, model, e, about.kind) AS r));
BEGIN
    known := coalesce(known, '{}');
    title := coalesce(title, CASE about.kind WHEN 'two' THEN format('A model: %s or %s', called[2], called[1])
                                             WHEN 'several' THEN format('A model of %s classes',
                                                 cardinality(about.classes)) ELSE 'A model of a number' END);
    lead := (SELECT format('%s with loss %s', i.learner || '_train', i.loss)
        || coalesce(format(', learned from %s rows', to_char(nullif(i.rows, 0), 'FM999,999,999,999,990')), '')
             FROM @extschema@.sparselin_info(model) AS i) || coalesce('; ' || lead, '') || '.';
    -- Of two classes the card has them, too.
    IF about.kind = 'two' AND NOT its ? 'confusion' AND its #> '{evaluation,true_positives}' IS NOT NULL THEN
        its := its || jsonb_build_object('confusion', (
            SELECT jsonb_agg(jsonb_build_object('actual', about.classes[a], 'predicted', about.classes[p], 'rows',
                c.rows))
            FROM jsonb_populate_record(NULL::@extschema@.sparselin_evaluation, its -> 'evaluation') AS e,
                 LATERAL (VALUES (1, 1, true_negatives), (1, 2, false_positives), (2, 1, false_negatives),
                     (2, 2, true_positives)) AS c (a, p, rows)));
    END IF;
    RETURN @extschema@.sparselin_report_page(door, title,
        ARRAY[format('<h1>%s</h1><p>%s</p>', @extschema@.sparselin_report_text(title),
            @extschema@.sparselin_report_text(lead)),
        @extschema@.sparselin_report_quality(door, its, about.kind, called),
        CASE WHEN about.kind = 'two' THEN @extschema@.sparselin_report_decisions(door, its, called,
            about.probabilities) END,
        @extschema@.sparselin_report_estimates(door, its),
        @extschema@.sparselin_report_mistakes(door, its),
        @extschema@.sparselin_report_weights(door, model, about.kind, called, known),
        @extschema@.sparselin_report_examples(door, its, model, about.kind, called, about.probabilities, known),
        @extschema@.sparselin_report_learning(door, model),
        versions,
        @extschema@.sparselin_report_model(door, model, kept),
        format('<footer>sparselin, %s</footer>', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI "UTC"'))]);
END $$;
COMMENT ON FUNCTION sparselin_report_write(sparselin_door, text, text, sparselin_model, jsonb, text, text[],
    text) IS 'a report, of what was measured';

-- Numbers go through jsonb, whole.
CREATE FUNCTION sparselin_report_inside(door sparselin_door, model sparselin_model, query text, names text) RETURNS text
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET extra_float_digits = 1 AS $$
#variable_conflict use_variable
DECLARE
    opened text NOT NULL := door;
BEGIN
    IF model IS NULL THEN
        RETURN NULL;
    END IF;
    RETURN @extschema@.sparselin_report_write(door, NULL, NULL, model,
        CASE WHEN query IS NOT NULL THEN @extschema@.sparselin_report_measures(door, model, query) ELSE '{}' END, names,
            '{}', NULL);
END $$;
COMMENT ON FUNCTION sparselin_report_inside(sparselin_door, sparselin_model, text, text) IS 'sparselin_report() within';

-- The mean held-out loss of each version, and what became of it.
CREATE FUNCTION sparselin_report_versions(door sparselin_door, name text) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
    model_name ALIAS FOR $2;
    chart text;
    list text;
BEGIN
    SELECT @extschema@.sparselin_report_chart(
               door, 'Loss of each version',
               'The mean loss on the rows that were held out when it was trained; the marked one is active.',
               'version', 'mean loss',
               jsonb_build_array(@extschema@.sparselin_chart_series('line', jsonb_agg(point ORDER BY version)),
                                 @extschema@.sparselin_chart_series('dots', jsonb_agg(point ORDER BY version)),
                                 @extschema@.sparselin_chart_series(
                                     'mark', jsonb_agg(point) FILTER (WHERE active), 'active')))
    INTO chart
    FROM (SELECT version, active, jsonb_build_array(version, metrics -> 'loss') AS point
          FROM @extschema@.sparselin_models WHERE name = model_name AND metrics ->> 'loss' IS NOT NULL) AS v
    HAVING count(*) > 1;
    SELECT @extschema@.sparselin_report_table(
               door, '{version,trained,by,what became of it,rows,loss}',
               array_agg(ARRAY[
                   version::text, to_char(trained_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI'),
                   @extschema@.sparselin_report_text(trained_by::text),
                   concat(CASE WHEN active THEN '<b>active</b> ' END,
                          @extschema@.sparselin_report_text(coalesce(failure, note))),
                   to_char(rows, 'FM999,999,999,999,990'),
                   @extschema@.sparselin_report_number((metrics ->> 'loss')::float8)]
                   ORDER BY version DESC),
               5)
    INTO list
    FROM (SELECT * FROM @extschema@.sparselin_models WHERE name = model_name ORDER BY version DESC LIMIT 20) AS v;
    RETURN @extschema@.sparselin_report_section(
        door, 'Its versions', ARRAY['<div class="charts">' || chart || '</div>', list]);
END $$;
COMMENT ON FUNCTION sparselin_report_versions(sparselin_door, text) IS 'the versions of a model, in a report';

CREATE FUNCTION sparselin_report_inside(door sparselin_door, name text, query text, names text) RETURNS text
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET extra_float_digits = 1 AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
    model_name ALIAS FOR $2;
    asked ALIAS FOR $3;
    names_asked ALIAS FOR $4;
    its jsonb;
    model @extschema@.sparselin_model;
BEGIN
    IF model_name IS NULL THEN
        RETURN NULL;
    END IF;
    SELECT to_jsonb(m) || coalesce(v.charts, '{}'), v.model INTO its, model
    FROM @extschema@.sparselin_models AS m JOIN @extschema@.sparselin_model_values AS v USING (name, version)
    WHERE m.name = model_name AND m.active;
    IF model IS NULL THEN
        PERFORM @extschema@.sparselin_missing_model(model_name);
    END IF;
    RETURN @extschema@.sparselin_report_write(door, model_name,
        format('version %s, trained %s by %s', its ->> 'version',
            to_char((its ->> 'trained_at')::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD'), its ->> 'trained_by'), model,
        CASE WHEN asked IS NOT NULL THEN @extschema@.sparselin_report_measures(door, model, asked)
             ELSE jsonb_strip_nulls(jsonb_build_object('evaluation', its -> 'metrics', 'curve', its -> 'curve',
                 'calibration', its -> 'calibration',
                                                'confusion', its -> 'confusion')) END,
        names_asked, ARRAY[
            ['Name', model_name], ['Version', its ->> 'version'],
            ['Trained', to_char((its ->> 'trained_at')::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI "UTC"')],
            ['By', its ->> 'trained_by'], ['Rows held out', its ->> 'held_out'], ['Note', its ->> 'note']],
        @extschema@.sparselin_report_versions(door, model_name));
END $$;
COMMENT ON FUNCTION sparselin_report_inside(sparselin_door, text, text, text) IS 'sparselin_report() within';
