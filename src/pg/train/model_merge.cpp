// The aggregate sparselin_merge, and sparselin_compact.
#include "learn/engine/model_merge.h"
#include "types/model_type.h"
#include "wall/aggregate.h"

using namespace sparselin;

namespace {

// Abandoned together with its memory context.
struct MergeState {
    explicit MergeState(MemoryContext context) : memory(context), merge(&memory) {}

    ContextMemory memory;
    ModelMerge merge;
    Datum only = 0;  // the first model: alone, it is the result
};

MergeState* start(MemoryContext context, Datum model) {
    auto* state = new (MemoryContextAlloc(context, sizeof(MergeState))) MergeState(context);
    state->only = in_context(context, [=] { return PointerGetDatum(PG_DETOAST_DATUM_COPY(model)); });
    return state;
}

enum class MergeAdvice { unsettled, count };

void notice_unsettled(FunctionCallInfo fcinfo, const ModelMerge& merge) {
    if (!merge.unsettles() || !first_time<static_cast<size_t>(MergeAdvice::count)>(fcinfo, MergeAdvice::unsettled))
        return;
    ereport(NOTICE, errmsg("the merged model is not settled, as its parts are"),
            errhint("Its probabilities, or estimates, may be off on the mean: merging has no rows to settle over. "
                    "sparselin_continue settles over those that it is given; parts trained with settle => false merge "
                    "without this notice."));
}

}  // namespace

// NULL, the model of no rows, adds nothing.
SPARSELIN_FUNCTION(sparselin_merge_step) {
    const MemoryContext context = aggregate_context(fcinfo);
    auto* state = state_at<MergeState>(fcinfo, 0);
    if (PG_ARGISNULL(1)) return state_datum(fcinfo, state);
    if (state == nullptr) state = start(context, PG_GETARG_DATUM(1));
    const MemoryContext scratch = new_model_context();
    const Model* model = fetch_model(PG_GETARG_DATUM(1), scratch);
    guarded([&] { state->merge.add(*model, server_stop()); });
    MemoryContextDelete(scratch);
    PG_RETURN_POINTER(state);
}

SPARSELIN_FUNCTION(sparselin_merge_final) {
    auto* const state = state_of_call<MergeState>(fcinfo);
    if (state == nullptr) PG_RETURN_NULL();
    if (state->merge.models() == 1) PG_RETURN_DATUM(state->only);
    notice_unsettled(fcinfo, state->merge);
    const MemoryContext scratch = new_model_context();
    const Datum result = new_model(*written_model(
        scratch, [=](Model& model, Memory memory) { state->merge.write(model, memory, server_stop()); }));
    MemoryContextDelete(scratch);
    PG_RETURN_DATUM(result);
}

// The model without its resume state; weights that are zero are not in it anyway.
SPARSELIN_FUNCTION(sparselin_compact) {
    const MemoryContext scratch = new_model_context();
    auto* model = const_cast<Model*>(fetch_model(PG_GETARG_DATUM(0), scratch));
    model->resume.clear();
    const Datum result = new_model(*model);
    MemoryContextDelete(scratch);
    PG_RETURN_DATUM(result);
}
