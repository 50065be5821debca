// A model's facts, weights and history, and the history as a picture.

#include <algorithm>
#include <cmath>

#include "features/feature_sink.h"
#include "types/model_type.h"
#include "apply/given_model.h"
#include "wall/result_rows.h"

using namespace sparselin;

static const Model* fetch_given(FunctionCallInfo fcinfo, ModelGiven given) {
    return fetch_model(model_of_call(fcinfo, given), CurrentMemoryContext);
}

static Datum array_of(const Vector<sparselin::String>& names) {
    auto* const elements = static_cast<Datum*>(palloc(sizeof(Datum) * Max(names.size(), size_t{1})));
    for (size_t i = 0; i < names.size(); ++i) elements[i] = PointerGetDatum(new_text(names[i]));
    return PointerGetDatum(construct_array(elements, static_cast<int>(names.size()), TEXTOID, -1, false, TYPALIGN_INT));
}

static Datum info(FunctionCallInfo fcinfo, ModelGiven given) {
    const Model* const model = fetch_given(fcinfo, given);
    const auto zeros = std::ranges::count(model->weight, 0.0);
    Datum values[] = {
        CStringGetTextDatum(name_of(model->learner)),
        CStringGetTextDatum(name_of(model->loss)),
        CStringGetTextDatum(name_of(model->coding)),
        array_of(model->classes),
        Int64GetDatum(static_cast<int64>(model->weight.size()) - zeros),
        Int32GetDatum(model->dimension),
        Float8GetDatum(model->bias[0]),
        Int64GetDatum(model->rows),
        Int64GetDatum(model->skipped),
        Int64GetDatum(model->steps),
        Int64GetDatum(model->epochs),
        Float8GetDatum(model->lambda),
        Float8GetDatum(model->progressive_loss),
        PointerGetDatum(new_text(model->options)),
        BoolGetDatum(!model->resume.empty()),
        Int64GetDatum(static_cast<int64>(encoded_size(*model) + VARHDRSZ)),
    };
    bool nulls[std::size(values)] = {};
    nulls[3] = model->classes.empty();
    nulls[5] = model->dimension == 0;
    nulls[6] = model->runs() > 1;
    return HeapTupleGetDatum(heap_form_tuple(result_type(fcinfo), values, nulls));
}

static FuncCallContext* next_row_of(FunctionCallInfo fcinfo, ModelGiven given) {
    if (SRF_IS_FIRSTCALL()) begin_row_a_call(fcinfo, [=] { return fetch_given(fcinfo, given); });
    return SRF_PERCALL_SETUP();
}

// Those of all runs, one after another as they lie there; zeros are passed over.
struct WeightsLeft {
    const Model* model;
    size_t next = 0;

    bool find_next() {
        while (next < model->weight.size() && model->weight[next] == 0) ++next;
        return next < model->weight.size();
    }
};

static const WeightsLeft* weights_left(FunctionCallInfo fcinfo, ModelGiven given) {
    return new (palloc(sizeof(WeightsLeft))) WeightsLeft{fetch_given(fcinfo, given)};
}

// Where all classes share a run, a weight is that of none of them.
static Datum weights(FunctionCallInfo fcinfo, ModelGiven given) {
    if (SRF_IS_FIRSTCALL()) begin_row_a_call(fcinfo, [=] { return weights_left(fcinfo, given); });
    FuncCallContext* const call = SRF_PERCALL_SETUP();
    auto* const left = static_cast<WeightsLeft*>(call->user_fctx);
    if (!left->find_next()) SRF_RETURN_DONE(call);
    const Model& model = *left->model;
    const size_t at = left->next++, feature = at / model.runs();
    const bool shared = model.runs() == 1;
    Datum values[] = {shared ? (Datum)0 : PointerGetDatum(new_text(model.classes[at % model.runs()])),
                      Int32GetDatum(model.index[feature] + 1), Float8GetDatum(model.weight[at])};
    SRF_RETURN_NEXT(call, row_of(call->tuple_desc, values, {shared, false, false}));
}

static Datum history(FunctionCallInfo fcinfo, ModelGiven given) {
    FuncCallContext* const call = next_row_of(fcinfo, given);
    const auto* const model = static_cast<const Model*>(call->user_fctx);
    const uint64 i = call->call_cntr;
    if (i >= model->history.size()) SRF_RETURN_DONE(call);
    Datum values[] = {Int64GetDatum(model->history[i].step), Float8GetDatum(model->history[i].loss)};
    SRF_RETURN_NEXT(call, row_of(call->tuple_desc, values));
}

static double strength_in_use(const Model& model) {
    return guarded([&] {
        ContextMemory memory(CurrentMemoryContext);
        return strength_of(model, &memory, server_stop());
    });
}

// The strongest first. Of the three strengths a learner has those that it has; only one differs.
static Datum search(FunctionCallInfo fcinfo, ModelGiven given) {
    FuncCallContext* const call = next_row_of(fcinfo, given);
    const auto* const model = static_cast<const Model*>(call->user_fctx);
    const uint64 i = call->call_cntr;
    if (i >= model->search.size()) SRF_RETURN_DONE(call);
    const Tried& tried = model->search[i];
    const Strength its = traits_of(model->learner).strength;
    Datum values[] = {Float8GetDatum(its == Strength::lambda ? tried.strength : model->lambda),
                      Float8GetDatum(tried.strength), Float8GetDatum(tried.strength), Float8GetDatum(tried.loss),
                      BoolGetDatum(tried.strength == strength_in_use(*model))};
    SRF_RETURN_NEXT(call, row_of(call->tuple_desc, values,
                                 {its == Strength::gravity, its != Strength::l1, its != Strength::gravity,
                                  std::isnan(tried.loss), false}));
}

SPARSELIN_MODEL_RETURNS(sparselin_info, info)
SPARSELIN_MODEL_RETURNS(sparselin_weights, weights)
SPARSELIN_MODEL_RETURNS(sparselin_history, history)
SPARSELIN_MODEL_RETURNS(sparselin_search, search)
