// A model's facts, weights and history, and the history as a picture.
#include "learn/apply/history_plot.h"
#include "types/model_type.h"
#include "apply/given_model.h"
#include "wall/result_rows.h"

using namespace sparselin;

static const Model* fetch_given(FunctionCallInfo fcinfo, ModelGiven given) {
    return fetch_model(model_of_call(fcinfo, given), CurrentMemoryContext);
}

static Datum info(FunctionCallInfo fcinfo, ModelGiven given) {
    const Model* const model = fetch_given(fcinfo, given);
    Datum values[] = {
        CStringGetTextDatum(name_of(model->learner)),
        CStringGetTextDatum(name_of(model->loss)),
        CStringGetTextDatum(name_of(model->coding)),
        Int64GetDatum(static_cast<int64>(model->index.size())),
        Int32GetDatum(model->dimension),
        Float8GetDatum(model->bias[0]),
        Int64GetDatum(model->rows),
        Int64GetDatum(model->skipped),
        Int64GetDatum(model->steps),
        Int64GetDatum(model->epochs),
        Float8GetDatum(model->lambda),
        Float8GetDatum(model->progressive_loss),
        PointerGetDatum(cstring_to_text_with_len(model->options.data(), static_cast<int>(model->options.size()))),
        BoolGetDatum(!model->resume.empty()),
        Int64GetDatum(static_cast<int64>(encoded_size(*model) + VARHDRSZ)),
    };
    bool nulls[std::size(values)] = {};
    nulls[4] = model->dimension == 0;
    return HeapTupleGetDatum(heap_form_tuple(result_type(fcinfo), values, nulls));
}

static FuncCallContext* next_row_of(FunctionCallInfo fcinfo, ModelGiven given) {
    if (SRF_IS_FIRSTCALL()) begin_row_a_call(fcinfo, [=] { return fetch_given(fcinfo, given); });
    return SRF_PERCALL_SETUP();
}

static Datum weights(FunctionCallInfo fcinfo, ModelGiven given) {
    FuncCallContext* const call = next_row_of(fcinfo, given);
    const auto* const model = static_cast<const Model*>(call->user_fctx);
    const uint64 i = call->call_cntr;
    if (i >= model->index.size()) SRF_RETURN_DONE(call);
    Datum values[] = {Int32GetDatum(model->index[i] + 1), Float8GetDatum(model->weight[i])};
    SRF_RETURN_NEXT(call, row_of(call->tuple_desc, values));
}

static Datum history(FunctionCallInfo fcinfo, ModelGiven given) {
    FuncCallContext* const call = next_row_of(fcinfo, given);
    const auto* const model = static_cast<const Model*>(call->user_fctx);
    const uint64 i = call->call_cntr;
    if (i >= model->history.size()) SRF_RETURN_DONE(call);
    Datum values[] = {Int64GetDatum(model->history[i].step), Float8GetDatum(model->history[i].loss)};
    SRF_RETURN_NEXT(call, row_of(call->tuple_desc, values));
}

static Datum history_plot(FunctionCallInfo fcinfo, ModelGiven given) {
    const Model* const model = fetch_given(fcinfo, given);
    PG_RETURN_POINTER(guarded([=] {
        ContextMemory memory(CurrentMemoryContext);
        return make_varlena(plot_history(*model, &memory), memory);
    }));
}

SPARSELIN_MODEL_RETURNS(sparselin_info, info)
SPARSELIN_MODEL_RETURNS(sparselin_weights, weights)
SPARSELIN_MODEL_RETURNS(sparselin_history, history)
SPARSELIN_MODEL_RETURNS(sparselin_history_plot, history_plot)
