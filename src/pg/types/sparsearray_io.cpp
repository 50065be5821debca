// The four doors of the type, text in and out, binary in and out; and its order and hash, for DISTINCT, GROUP BY,
// ORDER BY, UNION, joins and indexes.
#include "learn/rows/sparse_binary.h"
#include "learn/rows/sparse_text.h"

#include <cstring>

#include "types/sparsearray.h"
#include "types/ordering.h"

using namespace sparselin;

SPARSELIN_FUNCTION(sparsearray_in) {
    const char* text = PG_GETARG_CSTRING(0);
    const size_t length = strlen(text);
    PG_RETURN_POINTER(guarded_input(fcinfo, [=] {
        return sparsearray_of([=](Memory memory, StopSign stop) { return parse_sparse({text, length}, memory, stop); });
    }));
}

SPARSELIN_FUNCTION(sparsearray_out) {
    const SparseRow row = PG_GETARG_SPARSEARRAY(0)->row();
    const Size room = Min(sparse_text_bound(row) + 1, MaxAllocSize);
    char* text = static_cast<char*>(palloc(room));
    const size_t length = guarded([&] { return print_sparse(row, {text, room - 1}, server_stop()); });
    text[length] = '\0';
    PG_RETURN_CSTRING(text);
}

SPARSELIN_FUNCTION(sparsearray_recv) {
    const std::span<const char> bytes = rest_of_message(fcinfo);
    PG_RETURN_POINTER(
        compute_sparsearray([=](Memory memory, StopSign stop) { return decode_sparse(bytes, memory, stop); }));
}

SPARSELIN_FUNCTION(sparsearray_send) {
    const SparseRow row = PG_GETARG_SPARSEARRAY(0)->row();
    bytea* const bytes = new_bytes(sparse_wire_size(row));
    guarded([&] { encode_sparse(row, VARDATA(bytes), server_stop()); });
    PG_RETURN_BYTEA_P(bytes);
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
