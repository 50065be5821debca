// The aggregate sparselin_evaluate: how good a model is on the rows of a group.
#include <cmath>

#include "types/sparsearray.h"
#include "apply/evaluate_state.h"
#include "apply/given_model.h"
#include "wall/aggregate.h"
#include "wall/result_rows.h"

extern "C" {
#include "utils/datum.h"
}

namespace sparselin {

namespace {

// Arguments of the transition functions: the state, then those of the aggregate.
enum { state_argument, model_argument, features_argument, label_argument, weight_argument };

// The same model has the same fingerprint wherever it is stored.
ModelKey fingerprint_key(const EvaluateState* state) {
    const Hash128& fingerprint = state->evaluation.subject().fingerprint;
    return {0, {fingerprint.low, fingerprint.high}};
}

// A name is looked up once for a state, which belongs to one query and so to one snapshot.
Datum model_of_row(FunctionCallInfo fcinfo, const EvaluateState* state, ModelGiven given) {
    if (given == ModelGiven::itself) return PG_GETARG_DATUM(model_argument);
    text* const name = PG_GETARG_TEXT_PP(model_argument);
    const bool known = state != nullptr && state->name != nullptr && text_view(name) == text_view(state->name);
    return known ? state->named : named_model(fcinfo, name);
}

void remember_name(FunctionCallInfo fcinfo, EvaluateState* state, Datum model) {
    if (model == state->named) return;
    if (state->name != nullptr) {
        pfree(state->name);
        pfree(DatumGetPointer(state->named));
    }
    const MemoryContext caller = MemoryContextSwitchTo(state->memory.context());
    state->name = PG_GETARG_TEXT_P_COPY(model_argument);
    state->named = datumCopy(model, false, -1);
    MemoryContextSwitchTo(caller);
}

EvaluateState* start(FunctionCallInfo fcinfo, Datum model, const ModelKey& key, bool boolean) {
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
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("row %lld: the model is not that of the rows before it",
                       static_cast<long long>(state->evaluation.rows_seen() + 1)),
                errhint("One model is evaluated in a group; add what it depends on to GROUP BY."));
    }
    state->model_key = key;
}

void make_room(FunctionCallInfo fcinfo, EvaluateState* state, Stack stack) {
    Scores& scores = state->evaluation.scores();
    const Size size = scores.next_size(stack, work_memory());
    spill_for(fcinfo, state, stack, size);
    guarded([&] { scores.make_room(stack, size); });
}

void judge(FunctionCallInfo fcinfo, EvaluateState* state, Datum model, const ModelKey& key, bool boolean) {
    Evaluation& evaluation = state->evaluation;
    const auto row =
        fetch_row(fcinfo, {features_argument, label_argument, weight_argument, boolean}, evaluation.rows_seen() + 1);
    if (!row) return evaluation.skip();
    if (state->models == nullptr) state->models = cache_of_query(fcinfo);
    const Predictor& predictor = ready_model(state->models, key, model)->predictor;
    for (;;) {
        Stack stack{};
        const auto add = [&] {
            return evaluation.add(predictor, row->x, row->label, row->weight, stack, server_stop());
        };
        if (guarded(add)) return;
        make_room(fcinfo, state, stack);
    }
}

Datum step(FunctionCallInfo fcinfo, ModelGiven given, bool boolean) {
    if (PG_ARGISNULL(model_argument))
        ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("the model to be evaluated is NULL"),
                errhint("Train a model first, and join it or give it as a subquery."));
    auto* state = state_of_call<EvaluateState>(fcinfo);
    const Datum model = model_of_row(fcinfo, state, given);
    const ModelKey key = key_of(model);
    if (state == nullptr) {
        state = start(fcinfo, model, key, boolean);
    } else {
        check_same_model(state, key, model);
    }
    judge(fcinfo, state, model, key, boolean);
    if (given == ModelGiven::by_name) remember_name(fcinfo, state, model);
    PG_RETURN_POINTER(state);
}

// The value of the type sparselin_evaluation.
Datum value_of(FunctionCallInfo fcinfo, Card& card) {
    const TupleDesc descriptor = result_type(fcinfo);
    const auto numbers = card.numbers();
    constexpr size_t columns = numbers.size() + 2;
    if (descriptor->natts != static_cast<int>(columns)) elog(ERROR, "sparselin_evaluation was expected as the result");
    Datum values[columns] = {Int64GetDatum(card.rows), Int64GetDatum(card.skipped)};
    bool nulls[columns] = {};
    for (size_t i = 0; i < numbers.size(); ++i) {
        values[i + 2] = Float8GetDatum(*numbers[i]);
        nulls[i + 2] = std::isnan(*numbers[i]);
    }
    return HeapTupleGetDatum(heap_form_tuple(descriptor, values, nulls));
}

}  // namespace

EvaluateState* new_evaluation(MemoryContext aggregate, const Subject& subject, bool boolean) {
    void* const place = MemoryContextAlloc(aggregate, sizeof(EvaluateState));
    return guarded([=] { return new (place) EvaluateState(aggregate, subject, boolean); });
}

SPARSELIN_MODEL_RETURNS(sparselin_evaluate_step, step, false)
SPARSELIN_MODEL_RETURNS(sparselin_evaluate_step_boolean, step, true)

// Puts scores in order, and no more: rows may follow, as over a moving window.
SPARSELIN_FUNCTION(sparselin_evaluate_final) {
    auto* const state = state_of_call<EvaluateState>(fcinfo);
    if (state == nullptr) PG_RETURN_NULL();
    const double auc = area_of(fcinfo, state);
    Card card = guarded([=] { return state->evaluation.card(auc); });
    PG_RETURN_DATUM(value_of(fcinfo, card));
}

}  // namespace sparselin
