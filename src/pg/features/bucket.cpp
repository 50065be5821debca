// sparselin_bucket: a number as a category.
#include "learn/rows/bucket.h"
#include "wall/guard.h"

using namespace sparselin;

SPARSELIN_FUNCTION(sparselin_bucket) {
    const float8 value = PG_GETARG_FLOAT8(0);
    ArrayType* const array = PG_GETARG_ARRAYTYPE_P(1);
    if (ARR_NDIM(array) > 1 || array_contains_nulls(array))
        ereport(ERROR, errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
                ARR_NDIM(array) > 1 ? errmsg("bounds has %d dimensions", ARR_NDIM(array))
                                    : errmsg("bounds contains a NULL"),
                errhint("Give ascending numbers, as in '{18,30,65}'."));
    const auto* const bound = reinterpret_cast<const float8*>(ARR_DATA_PTR(array));
    const auto count = static_cast<size_t>(ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)));
    const Phrase name = guarded([=] { return bucket_of(value, {bound, count}, server_stop()); });
    PG_RETURN_TEXT_P(cstring_to_text(name.c_str()));
}
