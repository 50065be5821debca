// The aggregate sparselin_evaluate: how good a model is on the rows of a group.
#include "evaluate_state.h"

#include "aggregate.h"

#include <cmath>

#include "sparsearray.h"

namespace sparselin {

namespace {

// Arguments of the transition functions: the state, then those of the aggregate.
enum { state_argument, model_argument, features_argument, label_argument, weight_argument };

// The same model has the same fingerprint wherever it is stored.
ModelKey fingerprint_key(const EvaluateState* state) {
    const Hash128& fingerprint = state->evaluation.subject().fingerprint;
    return {0, {fingerprint.low, fingerprint.high}};
}

EvaluateState* start(FunctionCallInfo fcinfo, const ModelKey& key, bool boolean) {
    const Datum model = PG_GETARG_DATUM(model_argument);
    PredictCache* const models = cache_of_query(fcinfo);
    const ReadyModel* const ready = ready_model(models, key, model);
    const Loss loss = ready->predictor.loss();
    guarded([=] { check_labels(loss, ready->coding, boolean); });
    const ModelKey fingerprint = fingerprint_key_of(model);
    const Subject subject{{fingerprint.words[0], fingerprint.words[1]}, loss, ready->penalty};
    EvaluateState* const state = new_evaluation(aggregate_context(fcinfo), subject, boolean);
    state->model_key = key;
    state->models = models;
    return state;
}

void check_same_model(EvaluateState* state, const ModelKey& key, Datum model) {
    if (key == state->model_key) return;
    if (!(fingerprint_key_of(model) == fingerprint_key(state))) {
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("row %lld: the model is not that of the rows before it",
                               static_cast<long long>(state->evaluation.rows_seen() + 1)),
                        errhint("One model is evaluated in a group; add what it depends on to GROUP BY.")));
    }
    state->model_key = key;
}

void make_room(FunctionCallInfo fcinfo, EvaluateState* state, Stack stack) {
    Scores& scores = state->evaluation.scores();
    const Size size = scores.next_size(stack, static_cast<Size>(work_mem) * 1024);
    spill_for(fcinfo, state, stack, size);
    guarded([&] { scores.make_room(stack, size); });
}

void judge(FunctionCallInfo fcinfo, EvaluateState* state, const ModelKey& key, bool boolean) {
    const bool weighted = PG_NARGS() > weight_argument;
    Evaluation& evaluation = state->evaluation;
    if (PG_ARGISNULL(features_argument) || PG_ARGISNULL(label_argument) || (weighted && PG_ARGISNULL(weight_argument)))
        return evaluation.skip();
    if (state->models == nullptr) state->models = cache_of_query(fcinfo);
    const Predictor& predictor = ready_model(state->models, key, PG_GETARG_DATUM(model_argument))->predictor;
    const SparseRow x = PG_GETARG_SPARSEARRAY(features_argument)->row();
    const double label = boolean ? PG_GETARG_BOOL(label_argument) : PG_GETARG_FLOAT8(label_argument);
    const double weight = weighted ? PG_GETARG_FLOAT8(weight_argument) : 1;
    for (;;) {
        Stack stack{};
        if (guarded([&] { return evaluation.add(predictor, x, label, weight, stack); })) return;
        make_room(fcinfo, state, stack);
    }
}

Datum step(FunctionCallInfo fcinfo, bool boolean) {
    aggregate_context(fcinfo);
    if (PG_ARGISNULL(model_argument))
        ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("the model to be evaluated is NULL"),
                        errhint("Train a model first, and join it or give it as a subquery.")));
    const Datum model = PG_GETARG_DATUM(model_argument);
    const ModelKey key = key_of(model);
    EvaluateState* state;
    if (PG_ARGISNULL(state_argument)) {
        state = start(fcinfo, key, boolean);
    } else {
        state = reinterpret_cast<EvaluateState*>(PG_GETARG_POINTER(state_argument));
        check_same_model(state, key, model);
    }
    judge(fcinfo, state, key, boolean);
    PG_RETURN_POINTER(state);
}

// The value of the type sparselin_evaluation.
Datum value_of(FunctionCallInfo fcinfo, Card& card) {
    TupleDesc descriptor = nullptr;
    const auto numbers = card.numbers();
    constexpr size_t columns = numbers.size() + 2;
    if (get_call_result_type(fcinfo, nullptr, &descriptor) != TYPEFUNC_COMPOSITE ||
        descriptor->natts != static_cast<int>(columns))
        elog(ERROR, "sparselin_evaluation was expected as the result");
    Datum values[columns] = {Int64GetDatum(card.rows), Int64GetDatum(card.skipped)};
    bool nulls[columns] = {};
    for (size_t i = 0; i < numbers.size(); ++i) {
        values[i + 2] = Float8GetDatum(*numbers[i]);
        nulls[i + 2] = std::isnan(*numbers[i]);
    }
    return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls));
}

}  // namespace

EvaluateState* new_evaluation(MemoryContext aggregate, const Subject& subject, bool boolean) {
    void* const place = MemoryContextAlloc(aggregate, sizeof(EvaluateState));
    return guarded([=] { return new (place) EvaluateState(aggregate, subject, boolean); });
}

SPARSELIN_FUNCTION(sparselin_evaluate_step) {
    return step(fcinfo, false);
}
SPARSELIN_FUNCTION(sparselin_evaluate_step_boolean) {
    return step(fcinfo, true);
}

// Puts scores in order, and no more: rows may follow, as over a moving window.
SPARSELIN_FUNCTION(sparselin_evaluate_final) {
    aggregate_context(fcinfo);
    if (PG_ARGISNULL(state_argument)) PG_RETURN_NULL();
    auto* const state = reinterpret_cast<EvaluateState*>(PG_GETARG_POINTER(state_argument));
    const double auc = area_of(fcinfo, state);
    Card card = guarded([=] { return state->evaluation.card(auc); });
    PG_RETURN_DATUM(value_of(fcinfo, card));
}

}  // namespace sparselin
