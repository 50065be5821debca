// What SQL can see of a model: its facts, its weights, its history.
#include "model_type.h"

namespace sparselin {

// The tuple descriptor of a function declared with OUT parameters.
static TupleDesc result_descriptor(FunctionCallInfo fcinfo) {
    TupleDesc descriptor = nullptr;
    if (get_call_result_type(fcinfo, nullptr, &descriptor) != TYPEFUNC_COMPOSITE)
        elog(ERROR, "a composite result was expected");
    return BlessTupleDesc(descriptor);
}

// The first call of a function that gives the rows of a model.
static void begin_rows(FunctionCallInfo fcinfo) {
    FuncCallContext* const first = SRF_FIRSTCALL_INIT();
    const MemoryContext caller = MemoryContextSwitchTo(first->multi_call_memory_ctx);
    first->tuple_desc = result_descriptor(fcinfo);
    first->user_fctx = const_cast<Model*>(fetch_model(PG_GETARG_DATUM(0), first->multi_call_memory_ctx));
    MemoryContextSwitchTo(caller);
}

static Datum pair_row(FuncCallContext* call, Datum first, Datum second) {
    Datum values[] = {first, second};
    bool nulls[] = {false, false};
    return HeapTupleGetDatum(heap_form_tuple(call->tuple_desc, values, nulls));
}

}  // namespace sparselin

using namespace sparselin;

SPARSELIN_FUNCTION(sparselin_info) {
    const Model* const model = PG_GETARG_MODEL(0);
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

SPARSELIN_FUNCTION(sparselin_weights) {
    if (SRF_IS_FIRSTCALL()) begin_rows(fcinfo);
    FuncCallContext* const call = SRF_PERCALL_SETUP();
    const auto* const model = static_cast<const Model*>(call->user_fctx);
    const uint64 i = call->call_cntr;
    if (i >= model->index.size()) SRF_RETURN_DONE(call);
    SRF_RETURN_NEXT(call, pair_row(call, Int32GetDatum(model->index[i] + 1), Float8GetDatum(model->weight[i])));
}

SPARSELIN_FUNCTION(sparselin_history) {
    if (SRF_IS_FIRSTCALL()) begin_rows(fcinfo);
    FuncCallContext* const call = SRF_PERCALL_SETUP();
    const auto* const model = static_cast<const Model*>(call->user_fctx);
    const uint64 i = call->call_cntr;
    if (i >= model->history.size()) SRF_RETURN_DONE(call);
    const HistoryPoint& point = model->history[i];
    SRF_RETURN_NEXT(call, pair_row(call, Int64GetDatum(point.step), Float8GetDatum(point.loss)));
}
