-- What a report is written with: text that comes from data, numbers as people read them, figures, tables. All of it is
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
    rounded := trim_scale(round(value::numeric / ('1e' || power)::numeric, digits - 1));
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

CREATE FUNCTION sparselin_report_chart(
    door sparselin_door, title text, about text, x_label text, y_label text, series jsonb,
    x_range float8[] DEFAULT NULL, y_range float8[] DEFAULT NULL, logarithmic text DEFAULT ''
) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    opened text NOT NULL := door;
BEGIN
    RETURN format('<figure><svg viewBox="-24 0 512 320" role="img" aria-label="%1$s. %2$s">%3$s</svg>'
                  '<figcaption><b>%1$s.</b> %2$s</figcaption></figure>',
                  @extschema@.sparselin_report_text(title), @extschema@.sparselin_report_text(about), drawn)
    FROM @extschema@.sparselin_chart_drawing(
        door, title, about, x_label, y_label, series, x_range, y_range, logarithmic) AS drawn
    WHERE drawn IS NOT NULL;
END $$;
COMMENT ON FUNCTION sparselin_report_chart(sparselin_door, text, text, text, text, jsonb, float8[], float8[], text) IS
    'a chart in a report, with a text that says what is to be seen; NULL where there is no point';

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
%s
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
        @extschema@.sparselin_report_text(title), @extschema@.sparselin_chart_style(), array_to_string(parts, E'\n'))
    );
END $$;
COMMENT ON FUNCTION sparselin_report_page(sparselin_door, text, text[]) IS 'a report, put together';
