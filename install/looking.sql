-- Looking into models, and at what a model says of a row.

CREATE FUNCTION sparselin_info(
    model sparselin_model,
    OUT learner text, OUT loss text, OUT labels text, OUT classes text[], OUT nonzero bigint, OUT dimension int, OUT bias float8,
    OUT rows bigint, OUT skipped bigint, OUT steps bigint, OUT epochs bigint, OUT lambda float8,
    OUT progressive_loss float8, OUT options text, OUT resumable boolean, OUT bytes bigint
) RETURNS record
    AS 'MODULE_PATHNAME', 'sparselin_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparselin_info(sparselin_model) IS
    'the facts of a model; classes is NULL when they have no names, dimension when it is open, bias when each class has its own; bytes is the size before compression';

CREATE FUNCTION sparselin_weights(model sparselin_model, OUT class text, OUT feature int, OUT weight float8) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sparselin_weights' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 10000;
COMMENT ON FUNCTION sparselin_weights(sparselin_model) IS 'the weights that are not zero, by feature and class; class is NULL where a score is that of no class alone';

-- Contributions of features to the score of a row; NULL for a model or a row gives no rows.
CREATE FUNCTION sparselin_explain(
    model sparselin_model, features sparsearray, top integer DEFAULT NULL, class text DEFAULT NULL,
    OUT name text, OUT feature integer, OUT value real, OUT weight float8, OUT contribution float8
) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sparselin_explain_sparsearray' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100 ROWS 20;
COMMENT ON FUNCTION sparselin_explain(sparselin_model, sparsearray, integer, text) IS
    'what each feature adds to the score of a class of a row, the largest first, and the bias: together they are that score';

-- With the names of features: by a model, or by the name of one (keeping.sql).
DO $generate$
DECLARE
    path text := pg_catalog.current_setting('search_path');
    ours text := '@extschema@';
    made record;
BEGIN
    SET LOCAL search_path = pg_catalog, pg_temp;
    FOR made IN
        SELECT *
        FROM (VALUES
                ('%s.sparselin_model', 'IMMUTABLE', '', 'the same by name'),
                ('text', 'STABLE', '_named', 'the same with the names of features')
             ) AS models (model, volatility, ending_of_model, meaning),
             (VALUES
                ('tsvector', 'tsvector', '', ', ngrams integer DEFAULT NULL, tf text DEFAULT NULL', NULL),
                ('text[]', 'text_array', '', '', NULL),
                ('jsonb', 'jsonb', '', '', NULL),
                ('record', 'row', ' exclude text[] DEFAULT ''{}'',', '', 'STABLE')
             ) AS sources (source, ending, exclude, terms, volatility_of_source)
    LOOP
        EXECUTE format($sql$
            CREATE FUNCTION %1$s.sparselin_explain(
                model %2$s, source %3$s, top integer DEFAULT NULL, class text DEFAULT NULL,%4$s idf %1$s.sparsearray DEFAULT NULL, norm text DEFAULT NULL%9$s,
                OUT name text, OUT feature integer, OUT value real, OUT weight float8, OUT contribution float8
            ) RETURNS SETOF record
                AS 'MODULE_PATHNAME', 'sparselin_explain_%5$s' LANGUAGE C %6$s PARALLEL SAFE COST 200 ROWS 20;
            COMMENT ON FUNCTION %1$s.sparselin_explain(%2$s, %3$s, integer, text,%7$s %1$s.sparsearray, text%10$s) IS
                '%8$s, for a model of sparselin_features(source), with idf and sparsearray_normalize(..., norm) as in training';
            $sql$,
            ours, format(made.model, ours), made.source, made.exclude, made.ending || made.ending_of_model,
            coalesce(made.volatility_of_source, made.volatility), CASE WHEN made.exclude <> '' THEN ' text[],' ELSE '' END,
            made.meaning, made.terms, CASE WHEN made.terms <> '' THEN ', integer, text' ELSE '' END);
    END LOOP;
    PERFORM set_config('search_path', path, true);
END $generate$;

CREATE FUNCTION sparselin_history(model sparselin_model, OUT step bigint, OUT loss float8) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sparselin_history' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 30;
COMMENT ON FUNCTION sparselin_history(sparselin_model) IS
    'how learning went: the mean loss over the steps since the row before, up to this step';

CREATE FUNCTION sparselin_search(
    model sparselin_model, OUT lambda float8, OUT l1 float8, OUT gravity float8, OUT loss float8, OUT chosen boolean
) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sparselin_search' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 9;
COMMENT ON FUNCTION sparselin_search(sparselin_model) IS
    'what the option search has tried, the strongest regularisation first: the mean loss of the rows held out, NULL where learning diverged';

CREATE FUNCTION sparselin_history_plot(model sparselin_model) RETURNS text
    AS 'MODULE_PATHNAME', 'sparselin_call_inside_alone' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparselin_history_plot(sparselin_model) IS
    'the history as a picture, SVG on one line: psql -At -c "SELECT sparselin_history_plot(...)" -o loss.svg';

-- How trainings get on that are under way in other sessions.
CREATE FUNCTION sparselin_progress(
    OUT pid integer, OUT database name, OUT role name, OUT learner text, OUT phase text, OUT model bigint,
    OUT rows bigint, OUT done bigint, OUT epoch bigint, OUT epochs bigint, OUT progressive_loss float8, OUT ends_at timestamptz,
    OUT seen_at timestamptz
) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sparselin_progress' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED ROWS 10;
COMMENT ON FUNCTION sparselin_progress() IS 'what the view sparselin_progress shows';
CREATE VIEW sparselin_progress AS SELECT * FROM @extschema@.sparselin_progress();
COMMENT ON VIEW sparselin_progress IS
    'the trainings under way that the caller may see, his own and those of roles whose rights he has, all for members of pg_read_all_stats';
GRANT SELECT ON sparselin_progress TO PUBLIC;
