// The order and the hash of sparsearrays, for DISTINCT, GROUP BY, ORDER BY, UNION, joins and indexes.
//
// An index may call this while it holds a lock: the server holds interrupts off then, and so do the polls here.
#include "types/sparsearray.h"

#include "types/ordering.h"

using namespace sparselin;

namespace {

void free_copy(const SparseArray* value, Datum datum) {
    if (reinterpret_cast<const void*>(value) != DatumGetPointer(datum)) pfree(const_cast<SparseArray*>(value));
}

int compare_arrays(FunctionCallInfo fcinfo) {
    const SparseArray* const a = PG_GETARG_SPARSEARRAY(0);
    const SparseArray* const b = PG_GETARG_SPARSEARRAY(1);
    const int order = guarded([&] { return compare(a->row(), b->row(), server_stop()); });
    free_copy(a, PG_GETARG_DATUM(0));
    free_copy(b, PG_GETARG_DATUM(1));
    return order;
}

// In pieces of 1 MB, the hash of each being the seed of the next.
uint64 hash_array(FunctionCallInfo fcinfo, uint64 seed) {
    constexpr Size piece = Size{1} << 20;
    const SparseArray* const x = PG_GETARG_SPARSEARRAY(0);
    const auto* at = reinterpret_cast<const unsigned char*>(VARDATA(const_cast<SparseArray*>(x)));
    Size left = VARSIZE(x) - VARHDRSZ;
    for (; left > piece; at += piece, left -= piece) {
        CHECK_FOR_INTERRUPTS();
        seed = DatumGetUInt64(hash_any_extended(at, piece, seed));
    }
    seed = DatumGetUInt64(hash_any_extended(at, static_cast<int>(left), seed));
    free_copy(x, PG_GETARG_DATUM(0));
    return seed;
}

}  // namespace

SPARSELIN_ORDERING(sparsearray, compare_arrays, hash_array)
