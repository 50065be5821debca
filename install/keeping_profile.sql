-- Keeping models: profiles: what rows are like that a version was measured on, for sparselin_drift() to compare others with.

CREATE FUNCTION sparselin_presence(features sparsearray) RETURNS sparsearray
    AS 'MODULE_PATHNAME', 'sparselin_presence' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2;
COMMENT ON FUNCTION sparselin_presence(sparsearray) IS 'a row with 1 in place of each of its values';

CREATE FUNCTION sparselin_unweighted(model sparselin_model, features sparsearray) RETURNS integer
    AS 'MODULE_PATHNAME', 'sparselin_unweighted' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION sparselin_unweighted(sparselin_model, sparsearray) IS
    'how many features of a row a model has no weight for';

CREATE FUNCTION sparselin_top_score(model sparselin_model, features sparsearray) RETURNS float8
    AS 'MODULE_PATHNAME', 'sparselin_top_score' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION sparselin_top_score(sparselin_model, sparsearray) IS
    'the score of a row, or the highest of those of several classes';

-- Of a profile that is kept, the features are the 1000 that most rows have; of one that is compared with it, all.
CREATE TYPE sparselin_profile AS (
    rows bigint, features sparsearray, unweighted float8, bounds float8[], shares float8[]
);
COMMENT ON TYPE sparselin_profile IS
    'what rows are like: how many they are, the share of rows that have a feature, the share of features without a weight, bounds between scores, and the shares of rows between them';

CREATE TYPE sparselin_drifted_feature AS (feature integer, share_before float8, share float8, psi float8);
COMMENT ON TYPE sparselin_drifted_feature IS
    'a feature that another share of rows has than before, and how much that counts';

-- The population stability index of shares before and now: the sum of (q - p) ln(q/p). Half a row more in each place
-- keeps what is empty finite, and few rows from counting for much.
CREATE FUNCTION sparselin_psi(shares_before float8[], rows_before float8, shares float8[], rows float8) RETURNS float8
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT sum((q - p) * ln(q / p))
    FROM (SELECT (b * rows_before + 0.5) / (rows_before + 0.5 * cardinality(shares_before)),
                 (a * rows + 0.5) / (rows + 0.5 * cardinality(shares_before))
          FROM unnest(shares_before, shares) AS s (b, a)) AS of_places (p, q)
$$;
COMMENT ON FUNCTION sparselin_psi(float8[], float8, float8[], float8) IS
    'the population stability index: how far shares are from what they were before';

-- The end of the statement that sparselin_statement() makes: of the rows that are measured on, or of all where there are
-- none, $7 being the bounds of the profile to compare with.
CREATE FUNCTION sparselin_profile_call(splits boolean, kept boolean) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN format($sql$
shown AS MATERIALIZED (
    SELECT r.features, %1$s.sparsearray_nnz(r.features) AS count, %1$s.sparselin_unweighted(m.model, r.features) AS unweighted,
           %1$s.sparselin_top_score(m.model, r.features) AS score
    FROM given AS r, (SELECT coalesce(t.model, $3) AS model FROM trained AS t OFFSET 0) AS m
    WHERE r.features IS NOT NULL AND m.model IS NOT NULL AND (r.held_out OR NOT %2$L::boolean)
), bounds AS MATERIALIZED (
    SELECT coalesce($7, pg_catalog.percentile_disc('{0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9}'::double precision[])
                            WITHIN GROUP (ORDER BY s.score)) AS bounds FROM shown AS s
), places AS MATERIALIZED (
    SELECT pg_catalog.width_bucket(s.score, b.bounds) AS place, pg_catalog.count(*)::double precision AS rows
    FROM shown AS s, bounds AS b GROUP BY 1
), profile AS MATERIALIZED (
    SELECT ROW(a.rows, (
               SELECT %1$s.sparsearray_agg(e.index::bigint, e.value::double precision) FROM (
                   SELECT e.index, e.value FROM %1$s.sparsearray_entries(a.shares) AS e ORDER BY 2 DESC, 1 LIMIT %3$L::bigint) AS e
           ), a.unweighted, b.bounds, ARRAY(
               SELECT coalesce(p.rows, 0::double precision) OPERATOR(pg_catalog./) a.rows::double precision
               FROM pg_catalog.generate_series(0, pg_catalog.cardinality(b.bounds)) AS i
                    LEFT JOIN places AS p ON p.place OPERATOR(pg_catalog.=) i ORDER BY i)
           )::%1$s.sparselin_profile AS profile
    FROM bounds AS b,
         (SELECT pg_catalog.count(*) AS rows, %1$s.sparsearray_avg(%1$s.sparselin_presence(s.features)) AS shares,
                 CASE WHEN pg_catalog.sum(s.count) OPERATOR(pg_catalog.>) 0::bigint THEN
                     pg_catalog.sum(s.unweighted)::double precision OPERATOR(pg_catalog./) pg_catalog.sum(s.count)::double precision
                 END AS unweighted
          FROM shown AS s) AS a
    WHERE a.rows OPERATOR(pg_catalog.>) 0::bigint
)$sql$, '@extschema@', splits, CASE WHEN kept THEN 1000 END);
END $$;
COMMENT ON FUNCTION sparselin_profile_call(boolean, boolean) IS 'the part of a statement that makes a profile of its rows';

CREATE FUNCTION sparselin_can_show(model sparselin_model, what text) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sparselin_can_show' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparselin_can_show(sparselin_model, text) IS
    'whether a curve, a calibration or a confusion can be made of what a model says';

-- What a model says of the rows held out, for pictures: those that there are for it.
CREATE FUNCTION sparselin_charts_call() RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN 'pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object('
        || (SELECT string_agg(format(
                '%2$L::pg_catalog.text, (SELECT pg_catalog.to_jsonb(%1$s.sparselin_%2$s(t.model, r.features, r.label, r.weight)) FROM given AS r '
                'WHERE r.held_out AND %1$s.sparselin_can_show(t.model, %2$L::pg_catalog.text))', '@extschema@', what), ', ' ORDER BY what)
            FROM unnest('{curve,calibration,confusion}'::text[]) AS what) || '))';
END $$;
COMMENT ON FUNCTION sparselin_charts_call() IS
    'the part of a statement that makes curve, calibration and confusion of the rows held out';
