// The order and the hash of sparselin_options, for DISTINCT, GROUP BY, ORDER BY, joins and indexes: equal values are
// equal bytes.
#include "types/ordering.h"

#include <cstring>

namespace {

// Bytes as memcmp orders them; of two that agree as far as the shorter goes, the shorter comes first.
int compare(FunctionCallInfo fcinfo) {
    varlena* const a = PG_GETARG_VARLENA_PP(0);
    varlena* const b = PG_GETARG_VARLENA_PP(1);
    const Size size_a = VARSIZE_ANY_EXHDR(a), size_b = VARSIZE_ANY_EXHDR(b);
    int result = memcmp(VARDATA_ANY(a), VARDATA_ANY(b), Min(size_a, size_b));
    if (result == 0) result = size_a < size_b ? -1 : size_a > size_b;
    PG_FREE_IF_COPY(a, 0);
    PG_FREE_IF_COPY(b, 1);
    return result < 0 ? -1 : result > 0;
}

uint64 hash(FunctionCallInfo fcinfo, uint64 seed) {
    varlena* const value = PG_GETARG_VARLENA_PP(0);
    const Datum result = hash_any_extended(reinterpret_cast<unsigned char*>(VARDATA_ANY(value)),
                                           static_cast<int>(VARSIZE_ANY_EXHDR(value)), seed);
    PG_FREE_IF_COPY(value, 0);
    return DatumGetUInt64(result);
}

}  // namespace

SPARSELIN_ORDERING(sparselin_options, compare, hash)
