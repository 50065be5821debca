// Functions and operators of sparsearrays: their parts, norms and products, and arithmetic.
#include "learn/rows/sparse_math.h"
#include "types/sparsearray.h"
#include "wall/result_rows.h"

using namespace sparselin;

SPARSELIN_RETURNS(sparsearray_dim, Int32GetDatum(PG_GETARG_SPARSEARRAY(0)->dim))
SPARSELIN_RETURNS(sparsearray_nnz, Int32GetDatum(PG_GETARG_SPARSEARRAY(0)->nnz))

SPARSELIN_FUNCTION(sparsearray_norm) {
    const SparseRow x = PG_GETARG_SPARSEARRAY(0)->row();
    const std::string_view name = text_view(PG_GETARG_TEXT_PP(1));
    PG_RETURN_FLOAT8(guarded([&] { return norm(x, norm_by_name(name), server_stop()); }));
}

SPARSELIN_FUNCTION(sparsearray_normalize) {
    const SparseRow x = PG_GETARG_SPARSEARRAY(0)->row();
    const std::string_view name = text_view(PG_GETARG_TEXT_PP(1));
    PG_RETURN_POINTER(compute_sparsearray(
        [&](Memory memory, StopSign stop) { return normalize(x, norm_by_name(name), memory, stop); }));
}

SPARSELIN_FUNCTION(sparsearray_dot) {
    const SparseRow a = PG_GETARG_SPARSEARRAY(0)->row(), b = PG_GETARG_SPARSEARRAY(1)->row();
    PG_RETURN_FLOAT8(guarded([&] { return dot(a, b, server_stop()); }));
}

SPARSELIN_FUNCTION(sparsearray_get) {
    const SparseRow x = PG_GETARG_SPARSEARRAY(0)->row();
    const int64 index = PG_GETARG_INT64(1);
    PG_RETURN_FLOAT4(guarded([&] { return get(x, index); }));
}

SPARSELIN_FUNCTION(sparsearray_entries) {
    if (SRF_IS_FIRSTCALL()) begin_row_a_call(fcinfo, [=] { return PG_GETARG_SPARSEARRAY(0); });
    FuncCallContext* const call = SRF_PERCALL_SETUP();
    const auto* const x = static_cast<const SparseArray*>(call->user_fctx);
    if (call->call_cntr >= static_cast<uint64>(x->nnz)) SRF_RETURN_DONE(call);
    // An index is below 2147483647, and a damaged one may print as it likes, but not overflow.
    const auto index = static_cast<int32>(static_cast<uint32>(x->index[call->call_cntr]) + 1);
    Datum values[] = {Int32GetDatum(index), Float4GetDatum(x->values()[call->call_cntr])};
    SRF_RETURN_NEXT(call, row_of(call->tuple_desc, values));
}

static Datum of_two(FunctionCallInfo fcinfo, decltype(add) operation) {
    const SparseRow a = PG_GETARG_SPARSEARRAY(0)->row(), b = PG_GETARG_SPARSEARRAY(1)->row();
    return PointerGetDatum(
        compute_sparsearray([&](Memory memory, StopSign stop) { return operation(a, b, memory, stop); }));
}

SPARSELIN_RETURNS(sparsearray_add, of_two(fcinfo, add))
SPARSELIN_RETURNS(sparsearray_subtract, of_two(fcinfo, subtract))
SPARSELIN_RETURNS(sparsearray_multiply, of_two(fcinfo, multiply))
SPARSELIN_RETURNS(sparsearray_append, of_two(fcinfo, append))

static Datum scaled(Datum array, double factor) {
    const SparseRow x = fetch_sparsearray(array)->row();
    return PointerGetDatum(
        compute_sparsearray([&](Memory memory, StopSign stop) { return scale(x, factor, memory, stop); }));
}

SPARSELIN_RETURNS(sparsearray_scale, scaled(PG_GETARG_DATUM(0), PG_GETARG_FLOAT8(1)))
SPARSELIN_RETURNS(sparsearray_scale_commuted, scaled(PG_GETARG_DATUM(1), PG_GETARG_FLOAT8(0)))
