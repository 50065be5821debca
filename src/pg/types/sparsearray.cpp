// The type sparsearray: its values, and its order and hash, for DISTINCT, GROUP BY, ORDER BY, UNION, joins and indexes.
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

// An index may call what follows while it holds a lock: the server holds interrupts off then, and so do the polls here.
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

}  // namespace sparselin
