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

static const SparseArray* checked(const varlena* its, int64 row) {
    const auto* const value = reinterpret_cast<const SparseArray*>(its);
    const Size size = VARSIZE(value);
    if (size < sparsearray_size(0) || value->nnz < 0 || size != sparsearray_size(value->nnz) || value->dim < 0 ||
        value->unused != 0)
        refuse_header(size, row);
    return value;
}

const SparseArray* fetch_sparsearray(Datum datum, int64 row) {
    prefetch_next(DatumGetPointer(datum));
    return checked(PG_DETOAST_DATUM(datum), row);
}

// For so few bytes the compiler would make memcpy() a single instruction that takes its time.
static void copy_words(char* target, const char* source, Size size) {
    Size at = 0;
    for (; at + 16 <= size; at += 16) memcpy(target + at, source + at, 16);
    for (; at + 4 <= size; at += 4) memcpy(target + at, source + at, 4);
    for (; at < size; ++at) target[at] = source[at];
}

const SparseArray* fetch_sparsearray_for_now(Datum datum, int64 row) {
    const auto* const stored = reinterpret_cast<const varlena*>(DatumGetPointer(datum));
    if (!VARATT_IS_SHORT(stored) || VARATT_IS_EXTERNAL(stored)) return fetch_sparsearray(datum, row);
    // A varlena alone may lie anywhere.
    alignas(SparseArray) static union {
        varlena value;
        char bytes[VARHDRSZ + VARATT_SHORT_MAX];
    } copy;
    prefetch_next(stored);
    const Size size = VARSIZE_SHORT(stored) - VARHDRSZ_SHORT;
    copy_words(copy.bytes + VARHDRSZ, VARDATA_SHORT(stored), size);
    SET_VARSIZE(copy.bytes, VARHDRSZ + size);
    return checked(&copy.value, row);
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
