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

-- By a model, or by the name of one (keeping.sql), for numeric, boolean and text labels, without weights and with them.
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
                ('model', '%s.sparselin_model', 'IMMUTABLE', '', 'a model'),
                ('name', 'text', 'STABLE', '_named', 'the active version of a model')
             ) AS models (argument, type, volatility, ending_of_model, model),
             (VALUES ('float8', ''), ('boolean', '_boolean'), ('text', '_text')) AS labels (label, ending),
             (VALUES ('', '', ''), (', float8', ', weight float8', ', and a weight for each row')) AS weights (types, arguments, weighted),
             (VALUES
                ('evaluate', 'how good %s is on rows with known labels%s: loss, accuracy, AUC and more, or the errors of a regression'),
                ('confusion', 'for which classes %s takes rows of known classes%s: an array for unnest(), by actual and predicted class in byte order')
             ) AS aggregates (aggregate, meaning)
    LOOP
        EXECUTE format($sql$
            CREATE FUNCTION %1$s.sparselin_%8$s_step(internal, %2$s, %1$s.sparsearray, %3$s) RETURNS internal
                AS 'MODULE_PATHNAME', 'sparselin_%8$s_step%4$s' LANGUAGE C %5$s PARALLEL SAFE COST 20;
            COMMENT ON FUNCTION %1$s.sparselin_%8$s_step(internal, %2$s, %1$s.sparsearray, %3$s) IS
                'transition function of sparselin_%8$s';
            CREATE AGGREGATE %1$s.sparselin_%8$s(%6$s %2$s, features %1$s.sparsearray, label %7$s) (
                SFUNC = %1$s.sparselin_%8$s_step, STYPE = internal, SSPACE = 2048,
                FINALFUNC = %1$s.sparselin_%8$s_final, FINALFUNC_MODIFY = READ_ONLY,
                COMBINEFUNC = %1$s.sparselin_%8$s_combine, SERIALFUNC = %1$s.sparselin_%8$s_serialize,
                DESERIALFUNC = %1$s.sparselin_%8$s_deserialize, PARALLEL = SAFE);
            COMMENT ON AGGREGATE %1$s.sparselin_%8$s(%6$s %2$s, features %1$s.sparsearray, label %7$s) IS
                %9$L;
            $sql$,
            ours, format(made.type, ours), made.label || made.types, made.ending || made.ending_of_model, made.volatility,
            made.argument, made.label || made.arguments, made.aggregate, format(made.meaning, made.model, made.weighted));
    END LOOP;
    PERFORM set_config('search_path', path, true);
END $generate$;
