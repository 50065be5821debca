// The aggregates sparsearray_agg, sparsearray_sum, sparsearray_avg and sparselin_idf: all keep a SparseSum in the
// aggregate's memory context.
#include "learn/rows/sparse_sum.h"
#include "types/sparsearray.h"
#include "wall/aggregate.h"

using namespace sparselin;

namespace {

// Abandoned together with its memory context.
struct SumState {
    explicit SumState(MemoryContext context) : memory(context), sum(&memory) {}

    ContextMemory memory;
    SparseSum sum;
};

SumState* new_state(MemoryContext context) {
    return new (MemoryContextAlloc(context, sizeof(SumState))) SumState(context);
}

SumState* state_or_new(FunctionCallInfo fcinfo) {
    const MemoryContext context = aggregate_context(fcinfo);
    SumState* const state = state_at<SumState>(fcinfo, 0);
    return state != nullptr ? state : new_state(context);
}

Datum take_row(FunctionCallInfo fcinfo, void (SparseSum::*take)(const SparseRow&, StopSign)) {
    SumState* const state = state_or_new(fcinfo);
    if (PG_ARGISNULL(1)) {
        state->sum.skip();
    } else {
        const SparseRow row = fetch_sparsearray(PG_GETARG_DATUM(1), state->sum.next_row())->row();
        guarded([=] { (state->sum.*take)(row, server_stop()); });
    }
    PG_RETURN_POINTER(state);
}

// The final functions leave the state as it is, so that the aggregates work over moving windows too.
Datum result(FunctionCallInfo fcinfo, SparseVector (SparseSum::*compute)(Memory, StopSign) const) {
    const SumState* const state = state_of_call<SumState>(fcinfo);
    if (state->sum.is_empty()) PG_RETURN_NULL();
    PG_RETURN_POINTER(
        compute_sparsearray([=](Memory memory, StopSign stop) { return (state->sum.*compute)(memory, stop); }));
}

}  // namespace

// (state, index, value [, dim])
SPARSELIN_FUNCTION(sparsearray_agg_step) {
    SumState* const state = state_or_new(fcinfo);
    const bool has_dimension = PG_NARGS() > 3;
    if (PG_ARGISNULL(1) || PG_ARGISNULL(2) || (has_dimension && PG_ARGISNULL(3))) PG_RETURN_POINTER(state);
    const int64 index = PG_GETARG_INT64(1);
    const float8 value = PG_GETARG_FLOAT8(2);
    const int32 dim = has_dimension ? PG_GETARG_INT32(3) : 0;
    guarded([=] {
        has_dimension ? state->sum.add(index, value, dim, server_stop()) : state->sum.add(index, value, server_stop());
    });
    PG_RETURN_POINTER(state);
}

SPARSELIN_RETURNS(sparsearray_sum_step, take_row(fcinfo, &SparseSum::add))
SPARSELIN_RETURNS(sparselin_idf_step, take_row(fcinfo, &SparseSum::count))

SPARSELIN_FUNCTION(sparsearray_sum_combine) {
    const auto begin = [](MemoryContext context, const SumState&) { return new_state(context); };
    return combine<SumState>(fcinfo, begin, [](SumState& left, const SumState& right) {
        guarded([&] {
            SparseSum both(&left.memory);
            both.add(left.sum, server_stop());
            both.add(right.sum, server_stop());
            left.sum = std::move(both);
        });
    });
}

SPARSELIN_FUNCTION(sparsearray_sum_serialize) {
    const SumState* const state = state_of_call<SumState>(fcinfo);
    PG_RETURN_POINTER(guarded([=] {
        ContextMemory memory(CurrentMemoryContext);
        return make_varlena(state->sum.encode(&memory, server_stop()), memory);
    }));
}

SPARSELIN_FUNCTION(sparsearray_sum_deserialize) {
    aggregate_context(fcinfo);
    const std::span<const char> bytes = bytes_view(PG_GETARG_VARLENA_PP(0));
    SumState* const state = new_state(CurrentMemoryContext);
    guarded([=] { state->sum = SparseSum::decode(bytes, &state->memory, server_stop()); });
    PG_RETURN_POINTER(state);
}

SPARSELIN_RETURNS(sparsearray_sum_final, result(fcinfo, &SparseSum::total))
SPARSELIN_RETURNS(sparsearray_avg_final, result(fcinfo, &SparseSum::mean))
SPARSELIN_RETURNS(sparselin_idf_final, result(fcinfo, &SparseSum::idf))
