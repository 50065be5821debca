-- Charts as SVG: those of reports, that of sparselin_history_plot, and anybody's. A chart has its own style, which is light
-- or dark as the reader has it, in colours that most of the colour-blind can tell apart, and says in words what is drawn.
-- It runs nothing and asks for nothing; what comes from data is text in it.

CREATE FUNCTION sparselin_chart(
    title text, x_label text, y_label text, series jsonb, about text DEFAULT NULL, x_range float8[] DEFAULT NULL,
    y_range float8[] DEFAULT NULL, logarithmic text DEFAULT ''
) RETURNS text
    AS 'MODULE_PATHNAME', 'sparselin_call_inside_alone' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparselin_chart(text, text, text, jsonb, text, float8[], float8[], text) IS
    'series of points as a picture, SVG: [{"kind": "line", "points": [[x, y], ...]}, ...], of kinds line, dots, bars, reference, mark';

CREATE FUNCTION sparselin_chart_style() RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT ':root{--page:#fff;--ink:#1b1f24;--soft:#57606a;--rule:#d0d7de;--box:#f6f8fa;'
           '--one:#0072b2;--two:#c2410c;--heat:0,114,178}'
           '@media(prefers-color-scheme:dark){:root{--page:#14171b;--ink:#e6e9ed;--soft:#a0a8b2;--rule:#3a424c;'
           '--box:#1d2228;--one:#56b4e9;--two:#f0a35e;--heat:86,180,233}}'
           'svg text{fill:var(--soft);font-size:15px;font-family:inherit}svg .name{fill:var(--ink)}'
           'svg .marked{fill:var(--ink);font-weight:600}.grid{stroke:var(--rule);stroke-width:1}'
           '.axis{fill:none;stroke:var(--soft);stroke-width:1.5}'
           '.line{fill:none;stroke:var(--one);stroke-width:2.5;stroke-linejoin:round}'
           '.reference{fill:none;stroke:var(--soft);stroke-width:1.5;stroke-dasharray:6 5}'
           '.dot{fill:var(--one)}.bar{fill:var(--one)}.mark{fill:var(--two);stroke:var(--page);stroke-width:2}'
$$;
COMMENT ON FUNCTION sparselin_chart_style() IS 'the colours of charts and pages, and how charts look';

-- Round numbers, few enough that what is written beside them does not overlap; the ends are such, too, unless they are
-- given. Where there is nothing between whole numbers, they are whole. In numeric, in which 10 ^ -20 is 0 but 1e-20 is not;
-- what comes out is within what float8 holds.
CREATE FUNCTION sparselin_chart_axis(
    lowest float8, highest float8, logarithmic boolean, given boolean, whole boolean, OUT low float8, OUT high float8,
    OUT ticks float8[]
) RETURNS record LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    a numeric := greatest(-1e307, least(1e307, coalesce(nullif(lowest, 'NaN'), 0)::numeric));
    b numeric := greatest(-1e307, least(1e307, coalesce(nullif(highest, 'NaN'), 1)::numeric));
    step numeric;
BEGIN
    IF logarithmic AND a > 0 THEN
        a := greatest(-307, floor(log(a)));
        b := greatest(ceil(log(greatest(b, 1e-307))), a + 1);
        step := ceil((b - a) / 6);
        low := ('1e' || a)::float8;
        high := ('1e' || b)::float8;
        ticks := ARRAY(SELECT ('1e' || p)::float8 FROM generate_series(a, b, step) AS p);
        RETURN;
    END IF;
    IF abs(a) < 1e-300 THEN
        a := 0;
    END IF;
    IF b - a < 1e-300 THEN
        b := a + CASE WHEN a = 0 THEN 1 ELSE abs(a) / 10 END;
        highest := b;
    END IF;
    step := ('1e' || floor(log((b - a) / 5)))::numeric;
    step := step * (SELECT min(t) FROM unnest('{1,2,5,10}'::numeric[]) AS t WHERE t * step * 5 >= (b - a) * 0.999);
    IF whole THEN
        step := CASE WHEN b - a <= 12 THEN 1 ELSE greatest(step, 1) END;
    END IF;
    a := floor(a / step + 0.001) * step;
    b := ceil(b / step - 0.001) * step;
    low := CASE WHEN given THEN lowest ELSE a END;
    high := CASE WHEN given THEN highest ELSE b END;
    ticks := ARRAY(SELECT t::float8 FROM generate_series(a, b, step) AS t WHERE t::float8 BETWEEN low AND high);
END $$;
COMMENT ON FUNCTION sparselin_chart_axis(float8, float8, boolean, boolean, boolean) IS
    'the ends of an axis of a chart and the round numbers beside it, by its powers of ten or evenly';

-- As short as tells it from the next one, which is a step away.
CREATE FUNCTION sparselin_chart_tick(door sparselin_door, value float8, step float8, logarithmic boolean) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    opened text NOT NULL := door;
    size float8 := abs(value);
    power integer := floor(log(nullif(size, 0)));
    digits integer := least(6, greatest(3, power - floor(log(nullif(abs(step), 0))) + 1));
BEGIN
    RETURN CASE WHEN size >= 1e15 THEN @extschema@.sparselin_report_number(value, least(digits, 4))
                WHEN size >= 1e9 THEN @extschema@.sparselin_report_number(value / 1e9, digits) || 'G'
                WHEN size >= 1e6 THEN @extschema@.sparselin_report_number(value / 1e6, digits) || 'M'
                WHEN size >= 1e4 THEN @extschema@.sparselin_report_number(value / 1e3, digits) || 'k'
                WHEN logarithmic AND value > 0 AND value < 1e-2 THEN '1e' || round(log(value))
                WHEN size < 1e-3 AND value <> 0
                THEN trim_scale(round(value::numeric / ('1e' || power)::numeric, least(digits, 4) - 1)) || 'e' || power
                ELSE @extschema@.sparselin_report_number(value, digits) END;
END $$;
COMMENT ON FUNCTION sparselin_chart_tick(sparselin_door, float8, float8, boolean) IS
    'a round number beside an axis of a chart';

-- In numeric, in which no difference is too large or too small. What lies outside is at the end.
CREATE FUNCTION sparselin_chart_share(value float8, low float8, high float8, logarithmic boolean) RETURNS numeric
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT least(1, greatest(0, CASE
               WHEN logarithmic AND low > 0 THEN ((ln(greatest(value, low)) - ln(low)) / (ln(high) - ln(low)))::numeric
               ELSE (value::numeric - low::numeric) / (high::numeric - low::numeric) END))
$$;
COMMENT ON FUNCTION sparselin_chart_share(float8, float8, float8, boolean) IS
    'how far from the low end of an axis of a chart a value is, from 0 to 1';

CREATE FUNCTION sparselin_chart_series(kind text, points jsonb, label text DEFAULT NULL) RETURNS jsonb
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT jsonb_build_object('kind', kind, 'points', points, 'label', label)
$$;
COMMENT ON FUNCTION sparselin_chart_series(text, jsonb, text) IS 'points of a chart, and what they are shown as';

-- Those with a number that is missing, infinite or NaN are left out; numbers beyond 1e307 are drawn there.
CREATE FUNCTION sparselin_chart_points(
    all_series jsonb, OUT series bigint, OUT kind text, OUT label text, OUT place bigint, OUT x float8, OUT y float8
) RETURNS SETOF record LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    wrong jsonb := CASE WHEN jsonb_typeof(all_series) <> 'array' THEN all_series ELSE (
        SELECT s FROM jsonb_array_elements(all_series) AS s
        WHERE (s ->> 'kind' = ANY ('{line,dots,bars,reference,mark}')) IS NOT TRUE
              OR jsonb_typeof(s -> 'points') NOT IN ('array', 'null')
              OR jsonb_path_exists(s, 'strict $.points[*] ? (@.type() != "array" || @.size() != 2)', '{}', true)
              OR jsonb_path_exists(s, 'strict $.points[*][*] ? (@.type() != "number" && @ != null && '
                                      '@ != "NaN" && @ != "Infinity" && @ != "-Infinity")', '{}', true)
        LIMIT 1) END;
BEGIN
    IF wrong IS NOT NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('this is no series of a chart: %s', left(wrong::text, 100)),
            HINT = 'Give an array of {"kind": "line", "points": [[x, y], ...]}; kinds are line, dots, bars, reference and '
                   'mark.';
    END IF;
    RETURN QUERY
    SELECT n, s ->> 'kind', s ->> 'label', place, greatest(-1e307, least(1e307, a)), greatest(-1e307, least(1e307, b))
    FROM jsonb_array_elements(all_series) WITH ORDINALITY AS numbered (s, n),
         jsonb_path_query(s, '$.points[*]') WITH ORDINALITY AS its_points (p, place),
         LATERAL (SELECT (p ->> 0)::float8 AS a, (p ->> 1)::float8 AS b) AS pair
    WHERE abs(a) < 'Infinity' AND abs(b) < 'Infinity';
END $$;
COMMENT ON FUNCTION sparselin_chart_points(jsonb) IS 'the points of the series of a chart, and an error for what is none';

-- What is within <svg>, 320 high, from -24 to 488; NULL where there is no point to draw. `logarithmic` has an x, a y, or
-- both. What lies outside of a range is drawn at its end.
CREATE FUNCTION sparselin_chart_drawing(
    door sparselin_door, title text, about text, x_label text, y_label text, series jsonb, x_range float8[],
    y_range float8[], logarithmic text
) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
    x_log boolean := logarithmic LIKE '%x%';
    y_log boolean := logarithmic LIKE '%y%';
BEGIN
    RETURN (
WITH points AS MATERIALIZED (
    SELECT * FROM @extschema@.sparselin_chart_points(series)
), bars AS (
    -- Half of what a bar takes.
    SELECT coalesce((max(x) - min(x)) / nullif(count(*) - 1, 0), 1) / 2 AS half
    FROM points WHERE kind = 'bars' AND NOT x_log HAVING count(*) > 0
), frame AS MATERIALIZED (
    SELECT x.low AS x_low, x.high AS x_high, x.ticks AS x_ticks, y.low AS y_low, y.high AS y_high, y.ticks AS y_ticks
    FROM (SELECT coalesce(x_range[1], least(min(x), min(x - half))) AS x1,
                 coalesce(x_range[2], greatest(max(x), max(x + half))) AS x2,
                 -- Bars begin at 0, and so does what lies near it.
                 coalesce(y_range[1], CASE WHEN bool_or(kind = 'bars')
                                                OR NOT y_log AND (min(y) BETWEEN 0 AND max(y)::numeric / 2 OR min(y) = max(y))
                                           THEN least(0, min(y)) ELSE min(y) END) AS y1,
                 coalesce(y_range[2], max(y)) AS y2,
                 bool_and(x = floor(x)) FILTER (WHERE kind <> 'reference') AS whole
          FROM points LEFT JOIN bars ON kind = 'bars') AS extent,
         LATERAL @extschema@.sparselin_chart_axis(x1, x2, x_log, x_range IS NOT NULL, whole) AS x,
         LATERAL @extschema@.sparselin_chart_axis(y1, y2, y_log, y_range IS NOT NULL, false) AS y
), ticks AS (
    SELECT 'x tick' AS kind, @extschema@.sparselin_chart_tick(door, t, x_ticks[2] - x_ticks[1], x_log) AS label,
           n AS place, t AS x, y_low AS y
    FROM frame, unnest(x_ticks) WITH ORDINALITY AS x (t, n)
    UNION ALL
    SELECT 'y tick', @extschema@.sparselin_chart_tick(door, t, y_ticks[2] - y_ticks[1], y_log), n, x_low, t
    FROM frame, unnest(y_ticks) WITH ORDINALITY AS y (t, n)
), apart AS (
    -- So many numbers along the x axis that there is a blank between them.
    SELECT greatest(1, ceil((max(length(label)) * 9.6 + 4) * (count(*) - 1) / 378))::integer AS every
    FROM ticks WHERE kind = 'x tick'
), places AS MATERIALIZED (
    SELECT p.*, round(76 + 378 * @extschema@.sparselin_chart_share(x, x_low, x_high, x_log), 1) AS across,
           round(256 - 240 * @extschema@.sparselin_chart_share(y, y_low, y_high, y_log), 1) AS down,
           round(256 - 240 * @extschema@.sparselin_chart_share(0, y_low, y_high, y_log), 1) AS ground,
           greatest(3, least(30, round(300.0 / count(*) OVER (PARTITION BY p.series)))) AS broad
    FROM (SELECT * FROM points UNION ALL SELECT 0, ticks.* FROM ticks) AS p, frame
), shapes AS (
    SELECT -1 AS level, place, CASE kind
        WHEN 'x tick' THEN format('<path class="grid" d="M%s 16V256"/>', across)
                           || CASE WHEN (place - 1) % every = 0 THEN format(
                               '<text x="%s" y="279" text-anchor="middle">%s</text>', across, label) ELSE '' END
        ELSE format('<path class="grid" d="M76 %sH454"/><text x="68" y="%s" text-anchor="end">%s</text>',
                    down, down + 4, label) END AS shape
    FROM places, apart WHERE kind IN ('x tick', 'y tick')
    UNION ALL
    SELECT series, 0, format('<path class="%s" d="M%s"/>', kind, string_agg(across || ' ' || down, 'L' ORDER BY place))
    FROM places WHERE kind IN ('line', 'reference') GROUP BY series, kind
    UNION ALL
    SELECT series, place, format(CASE kind
        WHEN 'dots' THEN '<circle class="dot" cx="%1$s" cy="%2$s" r="4">%3$s</circle>'
        WHEN 'bars' THEN '<rect class="bar" x="%4$s" y="%5$s" width="%6$s" height="%7$s">%3$s</rect>'
        ELSE '<circle class="mark" cx="%1$s" cy="%2$s" r="6">%3$s</circle>'
             '<text class="marked" x="%8$s" y="%9$s" text-anchor="%10$s">%11$s</text>' END,
        across, down, format('<title>%s: %s</title>', @extschema@.sparselin_report_number(x),
                             @extschema@.sparselin_report_number(y)),
        round(across - broad::numeric / 2, 1), least(down, ground), broad, abs(ground - down),
        -- Off the curve, which goes to the far corner.
        CASE WHEN across < 265 THEN across + 10 ELSE across - 10 END,
        CASE WHEN down < 136 THEN down + 22 ELSE down - 12 END,
        CASE WHEN across < 265 THEN 'start' ELSE 'end' END, @extschema@.sparselin_report_text(label, 24))
    FROM places WHERE kind IN ('dots', 'bars', 'mark')
)
SELECT format('<title>%s</title><desc>%s</desc>%s<path class="axis" d="M76 16V256H454"/>'
              '<text class="name" x="265" y="308" text-anchor="middle">%s</text>'
              '<text class="name" transform="translate(-6 136) rotate(-90)" text-anchor="middle">%s</text>',
              @extschema@.sparselin_report_text(title), @extschema@.sparselin_report_text(about),
              string_agg(shape, '' ORDER BY level, place), @extschema@.sparselin_report_text(x_label, 40),
              @extschema@.sparselin_report_text(y_label, 30))
FROM shapes WHERE EXISTS (SELECT FROM points) HAVING count(*) > 0
    );
END $$;
COMMENT ON FUNCTION sparselin_chart_drawing(
    sparselin_door, text, text, text, text, jsonb, float8[], float8[], text) IS
    'what is within a chart: series of points, axes, and text that says what is to be seen';

-- In a file there is nothing around a chart: it has its title, its style and its ground with it.
CREATE FUNCTION sparselin_chart_inside(
    door sparselin_door, title text, x_label text, y_label text, series jsonb, about text, x_range float8[],
    y_range float8[], logarithmic text
) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    opened text NOT NULL := door;
    given text;
BEGIN
    FOREACH given IN ARRAY ARRAY[x_range::text, y_range::text] LOOP
        IF cardinality(given::float8[]) <> 2 OR array_position(given::float8[], NULL) > 0 OR NOT (
            (given::float8[])[1] > '-Infinity' AND (given::float8[])[1] < (given::float8[])[2]
            AND (given::float8[])[2] < 'Infinity') THEN
            RAISE invalid_parameter_value USING MESSAGE = format('this is no range of an axis: %s', given),
                HINT = 'Give the lowest and the highest number, such as {0,1}; or NULL, for what there is.';
        END IF;
    END LOOP;
    IF logarithmic !~ '^x?y?$' THEN
        RAISE invalid_parameter_value USING MESSAGE = format('no axes to go by powers of ten: "%s"', logarithmic),
            HINT = 'Write x, y, xy or nothing.';
    END IF;
    RETURN format(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="-24 -44 512 364" width="768" height="546" role="img" '
        'aria-label="%s"><style>%ssvg{max-width:100%%;height:auto;font-family:system-ui,-apple-system,"Segoe UI",Roboto,'
        '"Liberation Sans",sans-serif}.ground{fill:var(--page)}</style>'
        '<rect class="ground" x="-24" y="-44" width="512" height="364"/>'
        '<text class="marked" x="236" y="-16" text-anchor="middle">%s</text>%s</svg>',
        @extschema@.sparselin_report_text(concat_ws('. ', title, about)), @extschema@.sparselin_chart_style(),
        @extschema@.sparselin_report_text(title, 50),
        coalesce(@extschema@.sparselin_chart_drawing(
                     door, title, about, x_label, y_label, series, x_range, y_range, logarithmic),
                 format('<title>%s</title><text x="236" y="136" text-anchor="middle">no points to show</text>',
                        @extschema@.sparselin_report_text(title))));
END $$;
COMMENT ON FUNCTION sparselin_chart_inside(
    sparselin_door, text, text, text, jsonb, text, float8[], float8[], text) IS 'sparselin_chart() within';

-- What a loss that falls by more than a factor of 100 does is seen by its powers of ten alone.
CREATE FUNCTION sparselin_chart_history(
    history jsonb, OUT about text, OUT x_label text, OUT y_label text, OUT series jsonb, OUT logarithmic text
) RETURNS record LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT 'Each row judged before the model learned from it: the mean since the dot before.', 'rows seen', 'mean loss',
           jsonb_build_array(jsonb_build_object('kind', 'line', 'points', history),
                             jsonb_build_object('kind', 'dots', 'points', history)),
           CASE WHEN min(loss) > 0 AND log(max(loss)) > log(min(loss)) + 2 THEN 'xy' ELSE 'x' END
    FROM (SELECT (p ->> 1)::float8 AS loss FROM jsonb_array_elements(history) AS p) AS losses
    WHERE abs(loss) < 'Infinity'
$$;
COMMENT ON FUNCTION sparselin_chart_history(jsonb) IS 'how the loss while learning, as pairs of steps and losses, is drawn';

CREATE FUNCTION sparselin_history_plot_inside(door sparselin_door, model sparselin_model) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp SET extra_float_digits = 1 AS $$
DECLARE
    opened text NOT NULL := door;
BEGIN
    RETURN @extschema@.sparselin_chart_inside(
               door, format('%s_train, loss %s: loss while learning', i.learner, i.loss), c.x_label, c.y_label, c.series,
               c.about, NULL, NULL, c.logarithmic)
    FROM @extschema@.sparselin_info(model) AS i,
         (SELECT coalesce(jsonb_agg(jsonb_build_array(step, loss) ORDER BY step), '[]') AS points
          FROM @extschema@.sparselin_history(model)) AS h, @extschema@.sparselin_chart_history(h.points) AS c;
END $$;
COMMENT ON FUNCTION sparselin_history_plot_inside(sparselin_door, sparselin_model) IS 'sparselin_history_plot() within';

CREATE FUNCTION sparselin_history_plot_inside(door sparselin_door, name text) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
    model_name ALIAS FOR $2;
    kept @extschema@.sparselin_model := (
        SELECT v.model
        FROM @extschema@.sparselin_models AS m JOIN @extschema@.sparselin_model_values AS v USING (name, version)
        WHERE m.name = model_name AND m.active);
BEGIN
    IF kept IS NULL THEN
        PERFORM @extschema@.sparselin_missing_model(model_name);
    END IF;
    RETURN @extschema@.sparselin_history_plot_inside(door, kept);
END $$;
COMMENT ON FUNCTION sparselin_history_plot_inside(sparselin_door, text) IS 'sparselin_history_plot() within';
