-- Keeping models: what users call.

CREATE FUNCTION sparselin_fit(
    name text, query text, learner text DEFAULT 'casgd', options sparselin_options DEFAULT NULL,
    holdout float8 DEFAULT 0.2, replace boolean DEFAULT false, refit boolean DEFAULT true, refine integer DEFAULT 0,
    OUT version integer, OUT active boolean, OUT metric text, OUT value float8, OUT note text
) RETURNS record
    AS 'MODULE_PATHNAME', 'sparselin_call_inside' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION sparselin_fit(text, text, text, sparselin_options, float8, boolean, boolean, integer) IS
    'trains a model on the rows of a query, and refines it in so many scans at most, measures it on those held out, does the same with all rows, and keeps it under a name, with the query';

CREATE FUNCTION sparselin_retrain(
    name text, tolerance float8 DEFAULT 0.01, on_failure text DEFAULT 'warn', mode text DEFAULT 'fresh',
    keep integer DEFAULT 5,
    OUT version integer, OUT active boolean, OUT metric text, OUT value float8, OUT note text
) RETURNS record
    AS 'MODULE_PATHNAME', 'sparselin_call_inside' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION sparselin_retrain(text, float8, text, text, integer) IS
    'trains a model anew on today''s rows, or goes on with new ones, and takes the result only when it is not worse on rows held out';

CREATE FUNCTION sparselin_drift(
    name text, query text DEFAULT NULL, tolerance float8 DEFAULT 0.1,
    OUT version integer, OUT rows bigint, OUT metric text, OUT value float8, OUT expected float8, OUT verdict text,
    OUT unweighted float8, OUT expected_unweighted float8, OUT score_psi float8, OUT features sparselin_drifted_feature[]
) RETURNS record
    AS 'MODULE_PATHNAME', 'sparselin_call_inside' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION sparselin_drift(text, text, float8) IS
    'how the active version does on the rows of a query, or of its own one, against how it did when it was trained, and how the rows themselves have changed; labels may be missing';

CREATE FUNCTION sparselin_keep(name text, model sparselin_model) RETURNS integer
    AS 'MODULE_PATHNAME', 'sparselin_call_inside' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION sparselin_keep(text, sparselin_model) IS
    'keeps a model that was made elsewhere as a version: of a new name the active one, else one to activate';

CREATE FUNCTION sparselin_rename(old_name text, new_name text) RETURNS void
    AS 'MODULE_PATHNAME', 'sparselin_call_inside' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION sparselin_rename(text, text) IS 'gives a model, with all its versions, another name';

CREATE FUNCTION sparselin_activate(name text, version integer) RETURNS void
    AS 'MODULE_PATHNAME', 'sparselin_call_inside' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION sparselin_activate(text, integer) IS
    'makes a version the one that is used by name, from the next statement on: to roll back, or to take one all the same';

CREATE FUNCTION sparselin_drop(name text) RETURNS void
    AS 'MODULE_PATHNAME', 'sparselin_call_inside' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION sparselin_drop(text) IS 'removes a model, with all its versions';

CREATE FUNCTION sparselin_drop(name text, version integer) RETURNS void
    AS 'MODULE_PATHNAME', 'sparselin_call_inside' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION sparselin_drop(text, integer) IS 'removes a version that is not active';

CREATE FUNCTION sparselin_grant(name text, role_name name) RETURNS void
    AS 'MODULE_PATHNAME', 'sparselin_call_inside' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION sparselin_grant(text, name) IS
    'lets a role, or public, see and use a model; its query remains the owner''s to run';

CREATE FUNCTION sparselin_revoke(name text, role_name name) RETURNS void
    AS 'MODULE_PATHNAME', 'sparselin_call_inside' LANGUAGE C VOLATILE;
COMMENT ON FUNCTION sparselin_revoke(text, name) IS 'takes back what sparselin_grant() gave';

-- Using the active version by its name. One lookup a query.

CREATE FUNCTION sparselin_predict(name text, features sparsearray) RETURNS float8
    AS 'MODULE_PATHNAME', 'sparselin_predict_named' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION sparselin_predict(text, sparsearray) IS
    'the score of a row by the active version of a model: weights times features, plus the bias';

CREATE FUNCTION sparselin_probability(name text, features sparsearray) RETURNS float8
    AS 'MODULE_PATHNAME', 'sparselin_probability_named' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION sparselin_probability(text, sparsearray) IS
    'the probability of the positive class, by the active version of a model with loss logistic';

CREATE FUNCTION sparselin_classify(name text, features sparsearray) RETURNS float8
    AS 'MODULE_PATHNAME', 'sparselin_classify_named' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION sparselin_classify(text, sparsearray) IS
    'the label predicted by the active version of a model, written as in training';

CREATE FUNCTION sparselin_decide(name text, features sparsearray) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sparselin_decide_named' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION sparselin_decide(text, sparsearray) IS
    'whether the active version of a model gives a probability above 0.5 (loss logistic), or a score above 0 (other losses)';

CREATE FUNCTION sparselin_decide(name text, features sparsearray, threshold float8) RETURNS boolean
    AS 'MODULE_PATHNAME', 'sparselin_decide_named' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION sparselin_decide(text, sparsearray, float8) IS
    'whether the active version of a model gives a probability (loss logistic) or a score (other losses) above the threshold';

CREATE FUNCTION sparselin_class(name text, features sparsearray) RETURNS text
    AS 'MODULE_PATHNAME', 'sparselin_class_named' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_class(text, sparsearray) IS
    'the class with the highest score by the active version of a model; of those that are equal the earlier';

CREATE FUNCTION sparselin_classes(
    name text, features sparsearray, top integer DEFAULT NULL,
    OUT class text, OUT score float8, OUT probability float8
) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sparselin_classes_named' LANGUAGE C STABLE PARALLEL SAFE COST 40 ROWS 10;
COMMENT ON FUNCTION sparselin_classes(text, sparsearray, integer) IS
    'all classes of the active version of a model, or the first ones, best first, with scores and, where the loss gives them, probabilities';

CREATE FUNCTION sparselin_probability(name text, features sparsearray, class text) RETURNS float8
    AS 'MODULE_PATHNAME', 'sparselin_probability_of_class_named' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparselin_probability(text, sparsearray, text) IS
    'the probability of a class, by the active version of a model with loss logistic or multinomial';

CREATE FUNCTION sparselin_info(
    name text,
    OUT learner text, OUT loss text, OUT labels text, OUT classes text[], OUT nonzero bigint, OUT dimension int, OUT bias float8,
    OUT rows bigint, OUT skipped bigint, OUT steps bigint, OUT epochs bigint, OUT lambda float8,
    OUT progressive_loss float8, OUT options text, OUT resumable boolean, OUT bytes bigint
) RETURNS record
    AS 'MODULE_PATHNAME', 'sparselin_info_named' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparselin_info(text) IS
    'the facts of the active version of a model; classes is NULL when they have no names, dimension when it is open, bias when each class has its own; bytes is the size before compression';

CREATE FUNCTION sparselin_weights(name text, OUT class text, OUT feature int, OUT weight float8) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sparselin_weights_named' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000 ROWS 10000;
COMMENT ON FUNCTION sparselin_weights(text) IS
    'the weights of the active version of a model, but for zeros, by feature and class';

CREATE FUNCTION sparselin_history(name text, OUT step bigint, OUT loss float8) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sparselin_history_named' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000 ROWS 30;
COMMENT ON FUNCTION sparselin_history(text) IS
    'how learning the active version of a model went: the mean loss over the steps since the row before, up to this step';

CREATE FUNCTION sparselin_search(
    name text, OUT lambda float8, OUT l1 float8, OUT gravity float8, OUT loss float8, OUT chosen boolean
) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sparselin_search_named' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000 ROWS 9;
COMMENT ON FUNCTION sparselin_search(text) IS
    'what the option search has tried for the active version of a model, the strongest regularisation first';

CREATE FUNCTION sparselin_history_plot(name text) RETURNS text
    AS 'MODULE_PATHNAME', 'sparselin_call_inside' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparselin_history_plot(text) IS
    'the history of the active version of a model as a picture, SVG on one line';

CREATE FUNCTION sparselin_explain(
    model text, features sparsearray, top integer DEFAULT NULL, class text DEFAULT NULL,
    OUT name text, OUT feature integer, OUT value real, OUT weight float8, OUT contribution float8
) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'sparselin_explain_sparsearray_named' LANGUAGE C STABLE PARALLEL SAFE COST 100 ROWS 20;
COMMENT ON FUNCTION sparselin_explain(text, sparsearray, integer, text) IS
    'what each feature adds to the score of a class of a row by the active version of a model, the largest first, and the bias: together they are that score';
