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

template <typename Take>
Datum take_row(FunctionCallInfo fcinfo, Take&& take) {
    const MemoryContext context = aggregate_context(fcinfo);
    SumState* state = state_at<SumState>(fcinfo, 0);
    if (state == nullptr) state = new_state(context);
    if (PG_ARGISNULL(1)) {
        state->sum.skip();
    } else {
        const SparseRow row = fetch_sparsearray(PG_GETARG_DATUM(1), state->sum.next_row())->row();
        guarded([=] { take(state->sum, row); });
    }
    PG_RETURN_POINTER(state);
}

// The final functions leave the state as it is, so that the aggregates work over moving windows too.
template <typename Compute>
Datum result(FunctionCallInfo fcinfo, Compute&& compute) {
    aggregate_context(fcinfo);
    const SumState* const state = state_at<SumState>(fcinfo, 0);
    if (state->sum.is_empty()) PG_RETURN_NULL();
    PG_RETURN_POINTER(
        compute_sparsearray([&](Memory memory, StopSign stop) { return compute(state->sum, memory, stop); }));
}

}  // namespace

SPARSELIN_FUNCTION(sparsearray_agg_step) {
    const MemoryContext context = aggregate_context(fcinfo);
    SumState* state = state_at<SumState>(fcinfo, 0);
    if (PG_ARGISNULL(1) || PG_ARGISNULL(2)) return state_datum(fcinfo, state);
    if (state == nullptr) state = new_state(context);
    const int64 index = PG_GETARG_INT64(1);
    const float8 value = PG_GETARG_FLOAT8(2);
    guarded([=] { state->sum.add(index, value, server_stop()); });
    return state_datum(fcinfo, state);
}

SPARSELIN_FUNCTION(sparsearray_sum_step) {
    return take_row(fcinfo, [](SparseSum& sum, const SparseRow& row) { sum.add(row, server_stop()); });
}

SPARSELIN_FUNCTION(sparselin_idf_step) {
    return take_row(fcinfo, [](SparseSum& sum, const SparseRow& row) { sum.count(row, server_stop()); });
}

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
    aggregate_context(fcinfo);
    const SumState* const state = state_at<SumState>(fcinfo, 0);
    PG_RETURN_POINTER(guarded([=] {
        ContextMemory memory(CurrentMemoryContext);
        return make_varlena(state->sum.encode(&memory, server_stop()), memory);
    }));
}

SPARSELIN_FUNCTION(sparsearray_sum_deserialize) {
    aggregate_context(fcinfo);
    varlena* const value = PG_GETARG_VARLENA_PP(0);
    SumState* const state = new_state(CurrentMemoryContext);
    const std::span<const char> bytes(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
    guarded([=] { state->sum = SparseSum::decode(bytes, &state->memory, server_stop()); });
    PG_RETURN_POINTER(state);
}

SPARSELIN_FUNCTION(sparsearray_sum_final) {
    return result(fcinfo, [](const SparseSum& sum, Memory memory, StopSign stop) { return sum.total(memory, stop); });
}

SPARSELIN_FUNCTION(sparsearray_avg_final) {
    return result(fcinfo, [](const SparseSum& sum, Memory memory, StopSign stop) { return sum.mean(memory, stop); });
}

SPARSELIN_FUNCTION(sparselin_idf_final) {
    return result(fcinfo, [](const SparseSum& sum, Memory memory, StopSign stop) { return sum.idf(memory, stop); });
}
