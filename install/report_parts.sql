-- What a report is written with: text that comes from data, numbers as people read them, axes and charts. All of it is
-- well-formed XML in ASCII, but for what data brings along.

CREATE FUNCTION sparselin_report_short(value text, most integer) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN length(value) > most THEN left(value, most - 3) || '...' ELSE value END
$$;
COMMENT ON FUNCTION sparselin_report_short(text, integer) IS 'a text of a report, cut where it is too long';

CREATE FUNCTION sparselin_report_text(value text, most integer DEFAULT NULL) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    -- No control characters, which XML cannot have; line feeds and tabs are blanks to it.
    SELECT replace(replace(replace(replace(
               regexp_replace(CASE WHEN length(value) > most THEN left(value, most - 3) || '...' ELSE value END,
                              '[\x01-\x08\x0b\x0c\x0e-\x1f\x7f]', '?', 'g'),
               '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;')
$$;
COMMENT ON FUNCTION sparselin_report_text(text, integer) IS
    'a text as XML has it, cut where it is too long: within a report all that comes from data goes through it';

CREATE FUNCTION sparselin_report_number(value float8, digits integer DEFAULT 4) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    power integer;
    rounded numeric;
BEGIN
    IF value IS NULL THEN
        RETURN '-';
    ELSIF value = 0 OR value IN ('Infinity', '-Infinity', 'NaN') THEN
        RETURN replace(value::text, 'Infinity', 'infinite');
    END IF;
    power := floor(log(abs(value)));
    IF power BETWEEN -5 AND 14 THEN
        rounded := round(value::numeric, greatest(0, digits - 1 - power));
        RETURN CASE WHEN rounded < 0 THEN '-' ELSE '' END || to_char(trunc(abs(rounded)), 'FM999,999,999,999,990')
               || coalesce(substring(trim_scale(abs(rounded))::text FROM '\..*'), '');
    END IF;
    rounded := trim_scale(round((value / 10::float8 ^ power)::numeric, digits - 1));
    IF abs(rounded) = 10 THEN
        rounded := rounded / 10;
        power := power + 1;
    END IF;
    RETURN trim_scale(rounded) || 'e' || power;
END $$;
COMMENT ON FUNCTION sparselin_report_number(float8, integer) IS 'a number of a few digits, as a report has it';

CREATE FUNCTION sparselin_report_percent(share float8) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN share IS NULL OR share = 'NaN' THEN '-'
                ELSE round(100 * share::numeric, CASE WHEN share = 1 THEN 0 WHEN share > 0.99 THEN 2 ELSE 1 END)
                    || '%' END
$$;
COMMENT ON FUNCTION sparselin_report_percent(float8) IS 'a share in percent, as a report has it';

-- Short enough for an axis.
CREATE FUNCTION sparselin_report_tick(door sparselin_door, value float8, logarithmic boolean) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
BEGIN
    RETURN (
    SELECT CASE WHEN abs(value) >= 1e15 THEN @extschema@.sparselin_report_number(value, 2)
                WHEN abs(value) >= 1e9 THEN @extschema@.sparselin_report_number(value / 1e9, 3) || 'G'
                WHEN abs(value) >= 1e6 THEN @extschema@.sparselin_report_number(value / 1e6, 3) || 'M'
                WHEN abs(value) >= 1e4 THEN @extschema@.sparselin_report_number(value / 1e3, 3) || 'k'
                WHEN logarithmic AND value > 0 AND value < 1e-2 THEN '1e' || round(log(value))
                WHEN abs(value) < 1e-3 AND value <> 0 THEN trim_scale(round((value / 10 ^ power)::numeric, 1)) || 'e'
                    || power
                ELSE @extschema@.sparselin_report_number(value, 3) END
    FROM (SELECT floor(log(nullif(abs(value), 0))) AS power) AS p
    );
END $$;
COMMENT ON FUNCTION sparselin_report_tick(sparselin_door, float8,
    boolean) IS 'a round number beside an axis of a chart';

-- Round numbers, few enough that what is written beside them does not overlap; the ends are such, too, unless they are
-- given. Where there is nothing between whole numbers, they are whole.
CREATE FUNCTION sparselin_report_axis(
    lowest float8, highest float8, logarithmic boolean, given boolean, whole boolean, OUT low float8, OUT high float8,
        OUT ticks float8[]
) RETURNS record LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    a numeric := coalesce(nullif(lowest, 'NaN'), 0);
    b numeric := coalesce(nullif(highest, 'NaN'), 1);
    step numeric;
BEGIN
    IF logarithmic AND a > 0 THEN
        a := floor(log(a));
        b := greatest(ceil(log(b)), a + 1);
        step := ceil((b - a) / 6);
        low := 10 ^ a::float8;
        high := 10 ^ b::float8;
        ticks := ARRAY(SELECT 10 ^ p::float8 FROM generate_series(a, b, step) AS p);
        RETURN;
    END IF;
    IF a >= b THEN
        b := a + greatest(abs(a) / 10, 1e-9);
        highest := b;
    END IF;
    step := 10::numeric ^ floor(log((b - a) / 5));
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
COMMENT ON FUNCTION sparselin_report_axis(float8, float8, boolean, boolean, boolean) IS
    'the ends of an axis of a chart and the round numbers beside it, by its powers of ten or evenly';

-- Series, as jsonb: {"kind": ..., "points": [[x, y], ...], "label": ...}; of the kind line, dots, bars, reference (a
-- line to compare with) or mark (a dot with its label). What is at one end of a fixed range stays within it.
CREATE FUNCTION sparselin_report_chart(
    door sparselin_door, title text, about text, x_label text, y_label text, series jsonb,
        x_range float8[] DEFAULT NULL,
    y_range float8[] DEFAULT NULL, logarithmic boolean DEFAULT false
) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
BEGIN
    RETURN (
WITH points AS MATERIALIZED (
    SELECT n AS series, s ->> 'kind' AS kind, s ->> 'label' AS label, place,
           (p ->> 0)::float8 AS x, (p ->> 1)::float8 AS y
    FROM jsonb_array_elements(series) WITH ORDINALITY AS all_series (s, n),
         jsonb_path_query(s, '$.points[*]') WITH ORDINALITY AS its_points (p, place)
    WHERE abs((p ->> 0)::float8) < 'Infinity' AND abs((p ->> 1)::float8) < 'Infinity'
), frame AS (
    SELECT x.low AS x_low, x.high AS x_high, x.ticks AS x_ticks, y.low AS y_low, y.high AS y_high, y.ticks AS y_ticks
    FROM (SELECT coalesce(x_range[1], min(x)) AS x1, coalesce(x_range[2], max(x)) AS x2,
                 -- Bars begin at 0, and so does what lies near it.
                 coalesce(y_range[1], CASE WHEN bool_or(kind = 'bars') OR min(y) BETWEEN 0 AND max(y) / 2
                                           THEN least(0, min(y)) ELSE min(y) END) AS y1,
                 coalesce(y_range[2], max(y)) AS y2,
                 bool_and(x = floor(x)) FILTER (WHERE kind <> 'reference') AS whole FROM points) AS extent,
         LATERAL @extschema@.sparselin_report_axis(x1, x2, logarithmic, x_range IS NOT NULL, whole) AS x,
         LATERAL @extschema@.sparselin_report_axis(y1, y2, false, y_range IS NOT NULL, false) AS y
), places AS MATERIALIZED (
    SELECT p.*, round((76 + 378 * least(1, greatest(0, CASE
               WHEN logarithmic AND x_low > 0 THEN ln(greatest(x, x_low) / x_low) / ln(x_high / x_low)
               ELSE (x - x_low) / (x_high - x_low) END)))::numeric, 1) AS across,
           round((256 - 240 * least(1, greatest(0, (y - y_low) / (y_high - y_low))))::numeric, 1) AS down,
           round((256 - 240 * least(1, greatest(0, (0 - y_low) / (y_high - y_low))))::numeric, 1) AS ground,
           greatest(3, least(30, round(300.0 / count(*) OVER (PARTITION BY p.series)))) AS broad
    FROM (SELECT * FROM points UNION ALL
          SELECT 0, 'x tick', NULL, n, t, y_low FROM frame, unnest(x_ticks) WITH ORDINALITY AS x (t, n)
          UNION ALL
          SELECT 0, 'y tick', NULL, n, x_low, t FROM frame, unnest(y_ticks) WITH ORDINALITY AS y (t, n)) AS p, frame
), shapes AS (
    SELECT -1 AS level, place, CASE kind
        WHEN 'x tick' THEN format('<path class="grid" d="M%s 16V256"/>'
                                  '<text x="%s" y="279" text-anchor="middle">%s</text>', across, across,
                                      @extschema@.sparselin_report_tick(door, x, logarithmic))
        ELSE format('<path class="grid" d="M76 %sH454"/><text x="68" y="%s" text-anchor="end">%s</text>',
                    down, down + 4, @extschema@.sparselin_report_tick(door, y, false)) END AS shape
    FROM places WHERE kind IN ('x tick', 'y tick')
    UNION ALL
    SELECT series, 0, format('<path class="%s" d="M%s"/>', kind, string_agg(across || ' ' || down, 'L' ORDER BY place))
    FROM places WHERE kind IN ('line', 'reference') GROUP BY series, kind
    UNION ALL
    SELECT series, place, CASE kind
        WHEN 'dots' THEN format('<circle class="dot" cx="%s" cy="%s" r="4"/>', across, down)
        WHEN 'bars' THEN format('<rect class="bar" x="%s" y="%s" width="%s" height="%s"/>',
                                across - broad / 2, least(down, ground), broad, abs(ground - down))
        ELSE format('<circle class="mark" cx="%s" cy="%s" r="6"/>', across, down)
             || format('<text class="marked" x="%s" y="%s" text-anchor="%s">%s</text>',
                       CASE WHEN across < 265 THEN across + 10 ELSE across - 10 END,
                       -- Off the curve, which goes to the far corner.
                       CASE WHEN down < 136 THEN down + 22 ELSE down - 12 END,
                       CASE WHEN across < 265 THEN 'start' ELSE 'end' END, @extschema@.sparselin_report_text(label)) END
    FROM places WHERE kind IN ('dots', 'bars', 'mark')
)
SELECT CASE WHEN EXISTS (SELECT FROM points) THEN format(
    '<figure><svg viewBox="0 0 480 320" role="img" aria-label="%1$s. %2$s"><title>%1$s</title><desc>%2$s</desc>'
    '%3$s<path class="axis" d="M76 16V256H454"/><text class="name" x="265" y="308" text-anchor="middle">%4$s</text>'
    '<text class="name" transform="translate(14 136) rotate(-90)" text-anchor="middle">%5$s</text></svg>'
    '<figcaption><b>%1$s.</b> %2$s</figcaption></figure>',
    @extschema@.sparselin_report_text(title), @extschema@.sparselin_report_text(about),
    (SELECT string_agg(shape, '' ORDER BY level, place) FROM shapes), @extschema@.sparselin_report_text(x_label),
    @extschema@.sparselin_report_text(y_label)) END
    );
END $$;
COMMENT ON FUNCTION sparselin_report_chart(sparselin_door, text, text, text, text, jsonb, float8[], float8[],
    boolean) IS
    'a chart of a report: series of points as SVG, with axes and a text that says what is to be seen';

CREATE FUNCTION sparselin_report_series(kind text, points jsonb, label text DEFAULT NULL) RETURNS jsonb
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT jsonb_build_object('kind', kind, 'points', points, 'label', label)
$$;
COMMENT ON FUNCTION sparselin_report_series(text, jsonb, text) IS
    'points of a chart of a report, and what they are shown as';

-- Names of columns, and rows of cells that are HTML already; the columns from `numbers` on are to the right.
CREATE FUNCTION sparselin_report_table(door sparselin_door, head text[], cells text[][],
    numbers integer DEFAULT 2) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
BEGIN
    RETURN (
    SELECT '<div class="wide" tabindex="0"><table><thead><tr>'
           || (SELECT string_agg(format('<th scope="col"%s>%s</th>', CASE WHEN n >= numbers THEN ' class="number"'
               ELSE '' END,
                                        @extschema@.sparselin_report_text(h)), '' ORDER BY n)
                                            FROM unnest(head) WITH ORDINALITY AS h (h, n))
           || '</tr></thead><tbody>'
           || string_agg((SELECT '<tr>' || string_agg(format('<td%s>%s</td>', CASE
               WHEN n >= numbers THEN ' class="number"' ELSE '' END,
                                                             coalesce(cells[r][n], '')), '' ORDER BY n) || '</tr>'
                          FROM generate_series(1, cardinality(head)) AS n), '' ORDER BY r)
           || '</tbody></table></div>'
    FROM generate_subscripts(cells, 1) AS r
    );
END $$;
COMMENT ON FUNCTION sparselin_report_table(sparselin_door, text[], text[], integer) IS 'a table of a report';

CREATE FUNCTION sparselin_report_section(door sparselin_door, title text, parts text[]) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
BEGIN
    RETURN (
    SELECT format('<section><h2>%s</h2>%s</section>', @extschema@.sparselin_report_text(title),
        string_agg(part, '' ORDER BY n))
    FROM unnest(parts) WITH ORDINALITY AS all_parts (part, n) HAVING count(part) > 0
    );
END $$;
COMMENT ON FUNCTION sparselin_report_section(sparselin_door, text,
    text[]) IS 'a section of a report; NULL where it has no part';

CREATE FUNCTION sparselin_report_page(door sparselin_door, title text, parts text[]) RETURNS text
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    opened text NOT NULL := door;
BEGIN
    RETURN (
    SELECT format($html$<!DOCTYPE html>
<html lang="en"><head><meta charset="%s"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="color-scheme" content="light dark"/><title>%s</title><style>
:root{--page:#fff;--ink:#1b1f24;--soft:#57606a;--rule:#d0d7de;--box:#f6f8fa;--one:#0072b2;--two:#c2410c;--heat:0,114,178}
@media(prefers-color-scheme:dark){:root{--page:#14171b;--ink:#e6e9ed;--soft:#a0a8b2;--rule:#3a424c;--box:#1d2228;--one:#56b4e9;--two:#f0a35e;--heat:86,180,233}}
*{box-sizing:border-box}
body{margin:0;overflow-wrap:anywhere;background:var(--page);color:var(--ink);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans",sans-serif}
main{max-width:66rem;margin:0 auto;padding:1.5rem 1rem 3rem}
h1{font-size:1.7rem;line-height:1.2;margin:.5rem 0}
h2{font-size:1.2rem;margin:0 0 .6rem;padding-top:1.6rem}
h3{font-size:1rem;margin:1rem 0 .3rem}
p,figcaption{color:var(--soft);max-width:44rem;margin:.4rem 0}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%%,10rem),1fr));gap:.7rem;margin:1rem 0}
.tile{background:var(--box);border:1px solid var(--rule);border-radius:.5rem;padding:.7rem .9rem}
.tile b{display:block;font-size:1.6rem;line-height:1.3;font-variant-numeric:tabular-nums}
.tile small{color:var(--soft);display:block;line-height:1.35}
.facts th{font-weight:400;padding-left:0}.facts td{overflow-wrap:anywhere;max-width:40rem}
.charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%%,24rem),1fr));gap:1.2rem 2rem}
figure{margin:0;min-width:0;break-inside:avoid}figcaption{font-size:.9rem;line-height:1.4}figcaption b{color:var(--ink)}
svg{display:block;width:100%%;height:auto;max-width:36rem}
svg text{fill:var(--soft);font-size:15px;font-family:inherit}svg .name{fill:var(--ink)}svg .marked{fill:var(--ink);font-weight:600}
.grid{stroke:var(--rule);stroke-width:1}.axis{fill:none;stroke:var(--soft);stroke-width:1.5}
.line{fill:none;stroke:var(--one);stroke-width:2.5;stroke-linejoin:round}.reference{fill:none;stroke:var(--soft);stroke-width:1.5;stroke-dasharray:6 5}
.dot{fill:var(--one)}.bar{fill:var(--one)}.mark{fill:var(--two);stroke:var(--page);stroke-width:2}
.wide{overflow-x:auto;margin:.6rem 0}
table{border-collapse:collapse;font-size:.92rem;font-variant-numeric:tabular-nums}
th,td{text-align:left;vertical-align:top;padding:.3rem .7rem;border-bottom:1px solid var(--rule);max-width:26rem;overflow-wrap:break-word}
th{color:var(--soft);font-weight:600;white-space:nowrap}.number{text-align:right;white-space:nowrap}
.sides{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%%,20rem),1fr));gap:0 2rem}
.sides table{width:100%%;table-layout:fixed}.sides .number{width:5.5rem}.sides td{overflow-wrap:anywhere}
.meter{display:block;height:.35rem;overflow:hidden;font-size:1px;border-radius:.2rem;background:var(--one);margin-top:.15rem}.minus .meter{background:var(--two)}
footer{color:var(--soft);font-size:.85rem;margin-top:2.5rem;border-top:1px solid var(--rule);padding-top:.6rem}
@media print{main{max-width:none;padding:0}section{break-inside:avoid-page}.wide{overflow:visible}}
</style></head><body><main>%s</main></body></html>
$html$,
        CASE pg_client_encoding() WHEN 'LATIN1' THEN 'iso-8859-1' WHEN 'WIN1252' THEN 'windows-1252' ELSE 'utf-8' END,
        @extschema@.sparselin_report_text(title), array_to_string(parts, E'\n'))
    );
END $$;
COMMENT ON FUNCTION sparselin_report_page(sparselin_door, text, text[]) IS 'a report, put together';
