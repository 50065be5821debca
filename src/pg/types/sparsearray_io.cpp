// The type sparsearray as text and in binary.
#include "types/sparsearray.h"

#include "learn/rows/sparse_binary.h"
#include "learn/rows/sparse_text.h"

#include <cstring>

namespace sparselin {

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

}  // namespace sparselin
