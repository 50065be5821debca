// What DISTINCT, GROUP BY, ORDER BY, UNION, joins and indexes need: an order and a hash of sparsearrays.
//
// Nothing here polls for interrupts: an index may call it while it holds a lock.
#include "types/sparsearray.h"

using namespace sparselin;

// Index support functions are called in contexts that live long: a detoasted copy may not stay behind.
static void release(const SparseArray* value, Datum datum) {
    if (reinterpret_cast<const void*>(value) != DatumGetPointer(datum)) pfree(const_cast<SparseArray*>(value));
}

static int compare_arguments(FunctionCallInfo fcinfo) {
    const SparseArray* a = PG_GETARG_SPARSEARRAY(0);
    const SparseArray* b = PG_GETARG_SPARSEARRAY(1);
    const int order = compare(a->row(), b->row());
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

static int content_size(const SparseArray* x) {
    return static_cast<int>(VARSIZE(x) - VARHDRSZ);
}

SPARSELIN_FUNCTION(sparsearray_hash) {
    const SparseArray* x = PG_GETARG_SPARSEARRAY(0);
    const Datum hash = hash_any(content(x), content_size(x));
    release(x, PG_GETARG_DATUM(0));
    return hash;
}

SPARSELIN_FUNCTION(sparsearray_hash_extended) {
    const SparseArray* x = PG_GETARG_SPARSEARRAY(0);
    const Datum hash = hash_any_extended(content(x), content_size(x), static_cast<uint64>(PG_GETARG_INT64(1)));
    release(x, PG_GETARG_DATUM(0));
    return hash;
}
