// What DISTINCT, GROUP BY, ORDER BY, joins and indexes need of sparselin_options: equal values are equal bytes.
#include <cstring>

#include "wall/pg.h"

namespace {

// Bytes as memcmp orders them; of two that agree as far as the shorter goes, the shorter comes first.
int compare_arguments(FunctionCallInfo fcinfo) {
    varlena* const a = PG_GETARG_VARLENA_PP(0);
    varlena* const b = PG_GETARG_VARLENA_PP(1);
    const Size size_a = VARSIZE_ANY_EXHDR(a), size_b = VARSIZE_ANY_EXHDR(b);
    int result = memcmp(VARDATA_ANY(a), VARDATA_ANY(b), Min(size_a, size_b));
    if (result == 0) result = size_a < size_b ? -1 : size_a > size_b;
    // An index build compares many times in one memory context.
    PG_FREE_IF_COPY(a, 0);
    PG_FREE_IF_COPY(b, 1);
    return result < 0 ? -1 : result > 0;
}

}  // namespace

SPARSELIN_FUNCTION(sparselin_options_cmp) {
    PG_RETURN_INT32(compare_arguments(fcinfo));
}
SPARSELIN_FUNCTION(sparselin_options_eq) {
    PG_RETURN_BOOL(compare_arguments(fcinfo) == 0);
}
SPARSELIN_FUNCTION(sparselin_options_ne) {
    PG_RETURN_BOOL(compare_arguments(fcinfo) != 0);
}
SPARSELIN_FUNCTION(sparselin_options_lt) {
    PG_RETURN_BOOL(compare_arguments(fcinfo) < 0);
}
SPARSELIN_FUNCTION(sparselin_options_le) {
    PG_RETURN_BOOL(compare_arguments(fcinfo) <= 0);
}
SPARSELIN_FUNCTION(sparselin_options_gt) {
    PG_RETURN_BOOL(compare_arguments(fcinfo) > 0);
}
SPARSELIN_FUNCTION(sparselin_options_ge) {
    PG_RETURN_BOOL(compare_arguments(fcinfo) >= 0);
}

SPARSELIN_FUNCTION(sparselin_options_hash) {
    varlena* const value = PG_GETARG_VARLENA_PP(0);
    const Datum result =
        hash_any(reinterpret_cast<unsigned char*>(VARDATA_ANY(value)), static_cast<int>(VARSIZE_ANY_EXHDR(value)));
    PG_FREE_IF_COPY(value, 0);
    return result;
}

SPARSELIN_FUNCTION(sparselin_options_hash_extended) {
    varlena* const value = PG_GETARG_VARLENA_PP(0);
    const Datum result =
        hash_any_extended(reinterpret_cast<unsigned char*>(VARDATA_ANY(value)),
                          static_cast<int>(VARSIZE_ANY_EXHDR(value)), static_cast<uint64>(PG_GETARG_INT64(1)));
    PG_FREE_IF_COPY(value, 0);
    return result;
}
