// The four doors of the type: text in and out, binary in and out.
#include "learn/rows/sparse_binary.h"
#include "learn/rows/sparse_text.h"
#include "wall/varlena.h"
#include "types/sparsearray.h"

#include <cstring>

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
    auto* buffer = reinterpret_cast<StringInfo>(PG_GETARG_POINTER(0));
    const auto length = static_cast<size_t>(buffer->len - buffer->cursor);
    const char* bytes = buffer->data + buffer->cursor;
    SparseArray* result = compute_sparsearray([=](Memory memory, StopSign stop) {
        return decode_sparse({bytes, length}, memory, stop);
    });
    buffer->cursor = buffer->len;
    PG_RETURN_POINTER(result);
}

SPARSELIN_FUNCTION(sparsearray_send) {
    const SparseRow row = PG_GETARG_SPARSEARRAY(0)->row();
    bytea* const bytes = new_bytes(sparse_wire_size(row));
    guarded([&] { encode_sparse(row, VARDATA(bytes), server_stop()); });
    PG_RETURN_BYTEA_P(bytes);
}
