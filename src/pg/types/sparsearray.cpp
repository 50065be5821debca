#include "types/sparsearray.h"

namespace sparselin {

// A page is filled from its end, so the next row of a scan lies right below this one as a rule, and is about as long:
// asking for it now has it in the cache when its turn comes. An address that leads nowhere does no harm.
[[gnu::always_inline]] static inline void prefetch_next(const void* value) {
    if (VARATT_IS_EXTERNAL(value)) return;
    const Size far = Min(VARSIZE_ANY(value) + 128, 4096);
    for (Size below = 0; below < far; below += 64) __builtin_prefetch(static_cast<const char*>(value) - below);
}

[[noreturn]] static void refuse_header(Size size, int64 row) {
    ereport(ERROR, errcode(ERRCODE_DATA_CORRUPTED),
            row > 0 ? errmsg("row %lld: invalid sparsearray of %zu bytes", static_cast<long long>(row), size)
                    : errmsg("invalid sparsearray of %zu bytes", size),
            errhint("The stored value was damaged, or is of another type."));
}

const SparseArray* fetch_sparsearray(Datum datum, int64 row) {
    prefetch_next(DatumGetPointer(datum));
    const auto* value = reinterpret_cast<const SparseArray*>(PG_DETOAST_DATUM(datum));
    const Size size = VARSIZE(value);
    if (size < sparsearray_size(0) || value->nnz < 0 || size != sparsearray_size(value->nnz) || value->dim < 0 ||
        value->unused != 0)
        refuse_header(size, row);
    return value;
}

SparseArray* make_sparsearray(const SparseRow& row, ContextMemory& memory) {
    if (row.nnz > max_nonzeros)
        throw Error(Fault::too_large, "a sparsearray of %lld non-zeros is too large", static_cast<long long>(row.nnz))
            .hint("A sparsearray holds up to %lld non-zeros, which is 1 GB.", static_cast<long long>(max_nonzeros));
    const size_t half = sizeof(int32) * static_cast<size_t>(row.nnz);
    auto* value = static_cast<SparseArray*>(memory.allocate(sparsearray_size(row.nnz), MAXIMUM_ALIGNOF));
    SET_VARSIZE(value, sparsearray_size(row.nnz));
    value->dim = row.dim;
    value->nnz = row.nnz;
    value->unused = 0;
    copy_bytes(reinterpret_cast<char*>(value->index), reinterpret_cast<const char*>(row.index), half, server_stop());
    copy_bytes(reinterpret_cast<char*>(value->values()), reinterpret_cast<const char*>(row.value), half, server_stop());
    return value;
}

}  // namespace sparselin
