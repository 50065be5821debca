// What DISTINCT, GROUP BY, ORDER BY, UNION, joins and indexes need: an order and a hash of sparsearrays.
//
// An index may call this while it holds a lock: the server holds interrupts off then, and so do the polls here.
#include "types/sparsearray.h"

using namespace sparselin;

// Index support functions are called in contexts that live long: a detoasted copy may not stay behind.
static void release(const SparseArray* value, Datum datum) {
    if (reinterpret_cast<const void*>(value) != DatumGetPointer(datum)) pfree(const_cast<SparseArray*>(value));
}

static int compare_arguments(FunctionCallInfo fcinfo) {
    const SparseArray* a = PG_GETARG_SPARSEARRAY(0);
    const SparseArray* b = PG_GETARG_SPARSEARRAY(1);
    const int order = guarded([&] { return compare(a->row(), b->row(), server_stop()); });
    release(a, PG_GETARG_DATUM(0));
    release(b, PG_GETARG_DATUM(1));
    return order;
}

SPARSELIN_FUNCTION(sparsearray_cmp) {
    PG_RETURN_INT32(compare_arguments(fcinfo));
}

SPARSELIN_FUNCTION(sparsearray_eq) {
    PG_RETURN_BOOL(compare_arguments(fcinfo) == 0);
}

SPARSELIN_FUNCTION(sparsearray_ne) {
    PG_RETURN_BOOL(compare_arguments(fcinfo) != 0);
}

SPARSELIN_FUNCTION(sparsearray_lt) {
    PG_RETURN_BOOL(compare_arguments(fcinfo) < 0);
}

SPARSELIN_FUNCTION(sparsearray_le) {
    PG_RETURN_BOOL(compare_arguments(fcinfo) <= 0);
}

SPARSELIN_FUNCTION(sparsearray_gt) {
    PG_RETURN_BOOL(compare_arguments(fcinfo) > 0);
}

SPARSELIN_FUNCTION(sparsearray_ge) {
    PG_RETURN_BOOL(compare_arguments(fcinfo) >= 0);
}

static const unsigned char* content(const SparseArray* x) {
    return reinterpret_cast<const unsigned char*>(VARDATA(const_cast<SparseArray*>(x)));
}

// In pieces of 1 MB, the hash of each being the seed of the next.
static uint64 hash_argument(FunctionCallInfo fcinfo, uint64 seed) {
    constexpr Size piece = Size{1} << 20;
    const SparseArray* x = PG_GETARG_SPARSEARRAY(0);
    const unsigned char* at = content(x);
    Size left = VARSIZE(x) - VARHDRSZ;
    for (; left > piece; at += piece, left -= piece) {
        CHECK_FOR_INTERRUPTS();
        seed = DatumGetUInt64(hash_any_extended(at, piece, seed));
    }
    seed = DatumGetUInt64(hash_any_extended(at, static_cast<int>(left), seed));
    release(x, PG_GETARG_DATUM(0));
    return seed;
}

// Without a seed it is the lower half, as the server expects; of up to one piece it is that of hash_any().
SPARSELIN_FUNCTION(sparsearray_hash) {
    PG_RETURN_UINT32(static_cast<uint32>(hash_argument(fcinfo, 0)));
}

SPARSELIN_FUNCTION(sparsearray_hash_extended) {
    PG_RETURN_UINT64(hash_argument(fcinfo, static_cast<uint64>(PG_GETARG_INT64(1))));
}
