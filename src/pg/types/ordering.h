// The support functions of a type that is ordered (btree) and hashed.
//
// Indexes call them in contexts that live long: a detoasted copy may not stay behind.
#pragma once

#include "wall/pg.h"

// PREFIX_cmp, _eq, _ne, _lt, _le, _gt, _ge, _hash, _hash_extended. compare(fcinfo) is negative, 0 or positive as
// argument 0 comes before argument 1, is equal or comes after it; hash(fcinfo, seed) is of argument 0, and of 64 bits:
// without a seed the server expects the lower half.
#define SPARSELIN_ORDERING(prefix, compare, hash)                                          \
    SPARSELIN_RETURNS(prefix##_cmp, Int32GetDatum(compare(fcinfo)))                        \
    SPARSELIN_RETURNS(prefix##_eq, BoolGetDatum(compare(fcinfo) == 0))                     \
    SPARSELIN_RETURNS(prefix##_ne, BoolGetDatum(compare(fcinfo) != 0))                     \
    SPARSELIN_RETURNS(prefix##_lt, BoolGetDatum(compare(fcinfo) < 0))                      \
    SPARSELIN_RETURNS(prefix##_le, BoolGetDatum(compare(fcinfo) <= 0))                     \
    SPARSELIN_RETURNS(prefix##_gt, BoolGetDatum(compare(fcinfo) > 0))                      \
    SPARSELIN_RETURNS(prefix##_ge, BoolGetDatum(compare(fcinfo) >= 0))                     \
    SPARSELIN_RETURNS(prefix##_hash, UInt32GetDatum(static_cast<uint32>(hash(fcinfo, 0)))) \
    SPARSELIN_RETURNS(prefix##_hash_extended, UInt64GetDatum(hash(fcinfo, static_cast<uint64>(PG_GETARG_INT64(1)))))
