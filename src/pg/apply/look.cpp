// What SQL can see of a model: its facts, its weights, its history.
#include "types/model_type.h"
#include "apply/named_model.h"

namespace sparselin {

// The tuple descriptor of a function declared with OUT parameters.
static TupleDesc result_descriptor(FunctionCallInfo fcinfo) {
    TupleDesc descriptor = nullptr;
    if (get_call_result_type(fcinfo, nullptr, &descriptor) != TYPEFUNC_COMPOSITE)
        elog(ERROR, "a composite result was expected");
    return BlessTupleDesc(descriptor);
}

// The first call of a function that gives the rows of a model.
static void begin_rows(FunctionCallInfo fcinfo, ModelGiven given) {
    FuncCallContext* const first = SRF_FIRSTCALL_INIT();
    const MemoryContext caller = MemoryContextSwitchTo(first->multi_call_memory_ctx);
    first->tuple_desc = result_descriptor(fcinfo);
    first->user_fctx = const_cast<Model*>(fetch_model(model_of_call(fcinfo, given), first->multi_call_memory_ctx));
    MemoryContextSwitchTo(caller);
}

static Datum pair_row(FuncCallContext* call, Datum first, Datum second) {
    Datum values[] = {first, second};
    bool nulls[] = {false, false};
    return HeapTupleGetDatum(heap_form_tuple(call->tuple_desc, values, nulls));
}

static Datum info(FunctionCallInfo fcinfo, ModelGiven given) {
    const Model* const model = fetch_model(model_of_call(fcinfo, given), CurrentMemoryContext);
    const bool open = model->dimension == 0;
    Datum values[] = {
        CStringGetTextDatum(name_of(model->learner)),
        CStringGetTextDatum(name_of(model->loss)),
        CStringGetTextDatum(name_of(model->coding)),
        Int64GetDatum(static_cast<int64>(model->index.size())),
        Int32GetDatum(model->dimension),
        Float8GetDatum(model->bias),
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
    nulls[4] = open;
    PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(result_descriptor(fcinfo), values, nulls)));
}

static Datum weights(FunctionCallInfo fcinfo, ModelGiven given) {
    if (SRF_IS_FIRSTCALL()) begin_rows(fcinfo, given);
    FuncCallContext* const call = SRF_PERCALL_SETUP();
    const auto* const model = static_cast<const Model*>(call->user_fctx);
    const uint64 i = call->call_cntr;
    if (i >= model->index.size()) SRF_RETURN_DONE(call);
    SRF_RETURN_NEXT(call, pair_row(call, Int32GetDatum(model->index[i] + 1), Float8GetDatum(model->weight[i])));
}

static Datum history(FunctionCallInfo fcinfo, ModelGiven given) {
    if (SRF_IS_FIRSTCALL()) begin_rows(fcinfo, given);
    FuncCallContext* const call = SRF_PERCALL_SETUP();
    const auto* const model = static_cast<const Model*>(call->user_fctx);
    const uint64 i = call->call_cntr;
    if (i >= model->history.size()) SRF_RETURN_DONE(call);
    const HistoryPoint& point = model->history[i];
    SRF_RETURN_NEXT(call, pair_row(call, Int64GetDatum(point.step), Float8GetDatum(point.loss)));
}

}  // namespace sparselin

using namespace sparselin;

SPARSELIN_FUNCTION(sparselin_info) {
    return info(fcinfo, ModelGiven::itself);
}
SPARSELIN_FUNCTION(sparselin_weights) {
    return weights(fcinfo, ModelGiven::itself);
}
SPARSELIN_FUNCTION(sparselin_history) {
    return history(fcinfo, ModelGiven::itself);
}

// The same by name.
SPARSELIN_FUNCTION(sparselin_info_named) {
    return info(fcinfo, ModelGiven::by_name);
}
SPARSELIN_FUNCTION(sparselin_weights_named) {
    return weights(fcinfo, ModelGiven::by_name);
}
SPARSELIN_FUNCTION(sparselin_history_named) {
    return history(fcinfo, ModelGiven::by_name);
}
