-- Applying models to rows, and measuring how good they are.

CREATE FUNCTION sparselin_predict(model sparselin_model, features sparsearray) RETURNS float8
    AS 'MODULE_PATHNAME', 'sparselin_predict' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION sparselin_predict(sparselin_model, sparsearray) IS 'the score of a row: weights times features, plus the bias';

CREATE FUNCTION sparselin_probability(model sparselin_model, features sparsearray) RETURNS float8
    AS 'MODULE_PATHNAME', 'sparselin_probability' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION sparselin_probability(sparselin_model, sparsearray) IS 'the probability of the positive class, by a model with loss logistic';

CREATE FUNCTION sparselin_classify(model sparselin_model, features sparsearray) RETURNS float8
    AS 'MODULE_PATHNAME', 'sparselin_classify' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION sparselin_classify(sparselin_model, sparsearray) IS
    'the predicted label, written as in training: 1 or 0 for boolean and 0/1 labels, 1 or -1 for -1/+1';

CREATE FUNCTION sparselin_decide(model sparselin_model, features sparsearray) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sparselin_decide' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION sparselin_decide(sparselin_model, sparsearray) IS
    'whether the probability is above 0.5 (loss logistic), or the score above 0 (other losses)';

CREATE FUNCTION sparselin_decide(model sparselin_model, features sparsearray, threshold float8) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sparselin_decide' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION sparselin_decide(sparselin_model, sparsearray, float8) IS
    'whether the probability (loss logistic) or the score (other losses) is above the threshold';

-- Classes by name, of any model that has classes: those of text labels; else false and true, -1 and 1, 0 and 1.

CREATE FUNCTION sparselin_class(model sparselin_model, features sparsearray) RETURNS text
    AS 'MODULE_PATHNAME', 'sparselin_class' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_class(sparselin_model, sparsearray) IS
    'the class with the highest score; of those that are equal the earlier';

CREATE FUNCTION sparselin_classes(
    model sparselin_model, features sparsearray, top integer DEFAULT NULL,
    OUT class text, OUT score float8, OUT probability float8
) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sparselin_classes' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 40 ROWS 10;
COMMENT ON FUNCTION sparselin_classes(sparselin_model, sparsearray, integer) IS
    'all classes, or the first ones, best first, with scores and, where the loss gives them, probabilities';

CREATE FUNCTION sparselin_probability(model sparselin_model, features sparsearray, class text) RETURNS float8
    AS 'MODULE_PATHNAME', 'sparselin_probability_of_class' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_probability(sparselin_model, sparsearray, text) IS
    'the probability of a class, by a model with loss logistic or multinomial';

-- Evaluating.

CREATE TYPE sparselin_evaluation AS (
    rows bigint, skipped bigint, loss float8, objective float8,
    accuracy float8, precision float8, recall float8, f1 float8, auc float8, log_loss float8,
    true_positives float8, false_positives float8, true_negatives float8, false_negatives float8,
    rmse float8, mae float8, r2 float8,
    unknown bigint
);
COMMENT ON TYPE sparselin_evaluation IS
    'how good a model is on some rows; NULL is what does not apply to its loss, or is not defined for these rows';
COMMENT ON COLUMN sparselin_evaluation.rows IS 'rows that were judged';
COMMENT ON COLUMN sparselin_evaluation.skipped IS 'rows with a NULL or of weight 0';
COMMENT ON COLUMN sparselin_evaluation.loss IS 'weighted mean of the model''s own loss';
COMMENT ON COLUMN sparselin_evaluation.objective IS
    'what training minimises: the sum of weighted losses by the number of rows, and what lambda and l1 add; NULL where the model was trained on a scale';
COMMENT ON COLUMN sparselin_evaluation.accuracy IS 'share of rows whose class is the one that the model takes them for';
COMMENT ON COLUMN sparselin_evaluation.precision IS 'share of positives among the rows with a score above 0; of several classes the mean over them';
COMMENT ON COLUMN sparselin_evaluation.recall IS 'share of rows with a score above 0 among the positives; of several classes the mean over them';
COMMENT ON COLUMN sparselin_evaluation.f1 IS 'harmonic mean of precision and recall; of several classes the mean over them';
COMMENT ON COLUMN sparselin_evaluation.auc IS
    'area under the ROC curve: how often a positive row has a higher score than a negative one, ties counting half';
COMMENT ON COLUMN sparselin_evaluation.log_loss IS 'mean of -log of the probability given to the right class; losses logistic and multinomial';
COMMENT ON COLUMN sparselin_evaluation.true_positives IS 'weight of the positives with a score above 0';
COMMENT ON COLUMN sparselin_evaluation.false_positives IS 'weight of the negatives with a score above 0';
COMMENT ON COLUMN sparselin_evaluation.true_negatives IS 'weight of the other negatives';
COMMENT ON COLUMN sparselin_evaluation.false_negatives IS 'weight of the other positives';
COMMENT ON COLUMN sparselin_evaluation.rmse IS 'root of the mean squared error';
COMMENT ON COLUMN sparselin_evaluation.mae IS 'mean absolute error';
COMMENT ON COLUMN sparselin_evaluation.r2 IS 'share of the labels'' variance that the model explains';

COMMENT ON COLUMN sparselin_evaluation.unknown IS
    'rows of a class that the model does not know, all of which it gets wrong; where labels are text';

CREATE TYPE sparselin_confusion_cell AS (actual text, predicted text, rows float8);
COMMENT ON TYPE sparselin_confusion_cell IS 'how many rows of a class a model takes for one';
COMMENT ON COLUMN sparselin_confusion_cell.actual IS 'the class of the rows';
COMMENT ON COLUMN sparselin_confusion_cell.predicted IS 'the class that the model takes them for';
COMMENT ON COLUMN sparselin_confusion_cell.rows IS 'how many they are: the sum of their weights';

CREATE FUNCTION sparselin_evaluate_final(internal) RETURNS sparselin_evaluation
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparselin_evaluate_final(internal) IS 'final function of sparselin_evaluate';
CREATE FUNCTION sparselin_evaluate_combine(internal, internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparselin_evaluate_combine(internal, internal) IS 'combine function of sparselin_evaluate';
CREATE FUNCTION sparselin_evaluate_serialize(internal) RETURNS bytea
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparselin_evaluate_serialize(internal) IS 'serialization function of sparselin_evaluate';
CREATE FUNCTION sparselin_evaluate_deserialize(bytea, internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparselin_evaluate_deserialize(bytea, internal) IS 'deserialization function of sparselin_evaluate';

CREATE FUNCTION sparselin_confusion_final(internal) RETURNS sparselin_confusion_cell[]
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparselin_confusion_final(internal) IS 'final function of sparselin_confusion';
CREATE FUNCTION sparselin_confusion_combine(internal, internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparselin_confusion_combine(internal, internal) IS 'combine function of sparselin_confusion';
CREATE FUNCTION sparselin_confusion_serialize(internal) RETURNS bytea
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparselin_confusion_serialize(internal) IS 'serialization function of sparselin_confusion';
CREATE FUNCTION sparselin_confusion_deserialize(bytea, internal) RETURNS internal
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparselin_confusion_deserialize(bytea, internal) IS 'deserialization function of sparselin_confusion';

CREATE TYPE sparselin_curve_point AS (
    threshold float8, true_positives float8, false_positives float8, true_negatives float8, false_negatives float8,
    precision float8, recall float8, false_positive_rate float8, lift float8
);
COMMENT ON TYPE sparselin_curve_point IS 'what comes of a threshold: of taking rows for positive that are above it';
COMMENT ON COLUMN sparselin_curve_point.threshold IS
    'of the probability where the model gives it, else of the score, as sparselin_decide has it';
COMMENT ON COLUMN sparselin_curve_point.true_positives IS 'weight of the positives above the threshold';
COMMENT ON COLUMN sparselin_curve_point.false_positives IS 'weight of the negatives above the threshold';
COMMENT ON COLUMN sparselin_curve_point.true_negatives IS 'weight of the other negatives';
COMMENT ON COLUMN sparselin_curve_point.false_negatives IS 'weight of the other positives';
COMMENT ON COLUMN sparselin_curve_point.precision IS 'share of positives among the rows above the threshold';
COMMENT ON COLUMN sparselin_curve_point.recall IS 'share of the positives that are above the threshold';
COMMENT ON COLUMN sparselin_curve_point.false_positive_rate IS 'share of the negatives that are above the threshold';
COMMENT ON COLUMN sparselin_curve_point.lift IS 'precision, divided by the share of positives among all rows';

CREATE TYPE sparselin_calibration_bin AS (bin integer, rows float8, predicted float8, observed float8);
COMMENT ON TYPE sparselin_calibration_bin IS 'rows of about the same probability, and how many of them are positive';
COMMENT ON COLUMN sparselin_calibration_bin.bin IS 'its number, from 1: the lowest probabilities';
COMMENT ON COLUMN sparselin_calibration_bin.rows IS 'how many they are: the sum of their weights';
COMMENT ON COLUMN sparselin_calibration_bin.predicted IS 'the mean of their probabilities';
COMMENT ON COLUMN sparselin_calibration_bin.observed IS 'the share of positives among them';

CREATE FUNCTION sparselin_curve_final(internal) RETURNS sparselin_curve_point[]
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparselin_curve_final(internal) IS 'final function of sparselin_curve';
CREATE FUNCTION sparselin_calibration_final(internal) RETURNS sparselin_calibration_bin[]
    AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparselin_calibration_final(internal) IS 'final function of sparselin_calibration';

-- By a model, or by the name of one (keeping.sql), for numeric, boolean and text labels, without weights and with them;
-- and sparselin_evaluate of scores. Where aggregates have the same arguments and step, PostgreSQL counts once for all.
DO $generate$
DECLARE
    path text := pg_catalog.current_setting('search_path');
    ours text := '@extschema@';
    made record;
BEGIN
    SET LOCAL search_path = pg_catalog, pg_temp;
    -- %1$s the schema, %2$s the arguments of a step after the state, %3$s the step, %4$s where it is, %5$s its volatility
    FOR made IN
        SELECT format('%s, %s.sparsearray, %s%s', format(model, ours), ours, label, further) AS arguments, step,
               format('sparselin_%s_step%s%s%s', step, ending_of_further, ending_of_label, ending_of_model) AS place, volatility
        FROM (VALUES ('%s.sparselin_model', 'IMMUTABLE', ''), ('text', 'STABLE', '_named'))
                 AS models (model, volatility, ending_of_model),
             (VALUES ('float8', ''), ('boolean', '_boolean'), ('text', '_text')) AS labels (label, ending_of_label),
             (VALUES ('evaluate', '', ''), ('evaluate', ', float8', ''), ('evaluate', ', float8, float8', ''),
                     ('evaluate', ', float8, integer', '_bins'), ('confusion', '', ''), ('confusion', ', float8', ''))
                 AS steps (step, further, ending_of_further)
        UNION ALL
        SELECT format('float8, %s, text%s', label, weight), 'evaluate', 'sparselin_evaluate_step_score' || ending, 'IMMUTABLE'
        FROM (VALUES ('float8', ''), ('boolean', '_boolean')) AS labels (label, ending),
             (VALUES (''), (', float8')) AS weights (weight)
    LOOP
        EXECUTE format($sql$
            CREATE FUNCTION %1$s.sparselin_%3$s_step(internal, %2$s) RETURNS internal
                AS 'MODULE_PATHNAME', %4$L LANGUAGE C %5$s PARALLEL SAFE COST 20;
            COMMENT ON FUNCTION %1$s.sparselin_%3$s_step(internal, %2$s) IS 'transition function of sparselin_%3$s';
            $sql$, ours, made.arguments, made.step, made.place, made.volatility);
    END LOOP;
    FOR made IN
        SELECT aggregate, step, format(meaning, of_model, meaning_of_further) AS meaning,
               format('%s, features %s.sparsearray, label %s%s', format(model, ours), ours, label, further) AS arguments
        FROM (VALUES ('model %s.sparselin_model', 'a model'), ('name text', 'the active version of a model'))
                 AS models (model, of_model),
             (VALUES ('float8'), ('boolean'), ('text')) AS labels (label),
             (VALUES
                ('evaluate', 'evaluate', 'how good %s is on rows with known labels%s: loss, accuracy, AUC and more, or the errors of a regression'),
                ('confusion', 'confusion', 'for which classes %s takes rows of known classes%s: an array for unnest(), by actual and predicted class in byte order'),
                ('curve', 'evaluate', 'what comes of the thresholds that %s of two classes can have on rows of known classes%s: an array for unnest(), from the highest threshold to the lowest'),
                ('calibration', 'evaluate', 'whether the probabilities that %s gives are shares of positives, on rows of known classes%s: an array for unnest(), by ascending probability')
             ) AS aggregates (aggregate, step, meaning),
             (VALUES ('', '', NULL), (', weight float8', ', and a weight for each row', NULL),
                     (', weight float8, threshold float8', ', a weight for each row, and a threshold to decide by', 'evaluate'),
                     (', weight float8, bins integer', ', a weight for each row, and so many bins', 'calibration'))
                 AS furthers (further, meaning_of_further, of_aggregate)
        WHERE of_aggregate IS NULL OR of_aggregate = aggregate
        UNION ALL
        SELECT 'evaluate', 'evaluate', 'how good scores are, whoever made them, on rows with known labels, by a loss' || weighted,
               format('score float8, label %s, loss text%s', label, weight)
        FROM (VALUES ('float8'), ('boolean')) AS labels (label),
             (VALUES ('', ''), (', weight float8', ', and a weight for each row')) AS weights (weight, weighted)
    LOOP
        EXECUTE format($sql$
            CREATE AGGREGATE %1$s.sparselin_%2$s(%4$s) (
                SFUNC = %1$s.sparselin_%3$s_step, STYPE = internal, SSPACE = 2048,
                FINALFUNC = %1$s.sparselin_%2$s_final, FINALFUNC_MODIFY = READ_ONLY,
                COMBINEFUNC = %1$s.sparselin_%3$s_combine, SERIALFUNC = %1$s.sparselin_%3$s_serialize,
                DESERIALFUNC = %1$s.sparselin_%3$s_deserialize, PARALLEL = SAFE);
            COMMENT ON AGGREGATE %1$s.sparselin_%2$s(%4$s) IS %5$L;
            $sql$, ours, made.aggregate, made.step, made.arguments, made.meaning);
    END LOOP;
    PERFORM set_config('search_path', path, true);
END $generate$;
