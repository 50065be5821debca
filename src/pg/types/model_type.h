// The type sparselin_model: a varlena of the codec's bytes (src/learn/model/model.h), and how to take a model from a
// Datum and make one.
#pragma once

#include "learn/model/model.h"
#include "wall/guard.h"

extern "C" {
#include "access/detoast.h"
}

namespace sparselin {

// The result of read(bytes of a model); where they have to be detoasted, they are freed after that. C zone only.
template <typename Read>
auto read_model_bytes(Datum datum, Read&& read) {
    varlena* const stored = reinterpret_cast<varlena*>(DatumGetPointer(datum));
    varlena* const value = pg_detoast_datum_packed(stored);
    const auto result = read(bytes_view(value));
    if (value != stored) pfree(value);
    return result;
}

// Whether the first bytes of a value can be fetched without the others: where it is apart from its row, as it is.
inline bool can_be_cut(const varlena* stored) {
    if (!VARATT_IS_EXTERNAL_ONDISK(stored)) return false;
    varatt_external pointer;
    VARATT_EXTERNAL_GET_POINTER(pointer, stored);
    return !is_compressed(pointer);
}

// The same for what it takes to apply the model, for decode_front(): no more than that is fetched where it can be cut.
template <typename Read>
auto read_model_front(Datum datum, Read&& read) {
    varlena* const stored = reinterpret_cast<varlena*>(DatumGetPointer(datum));
    if (!can_be_cut(stored)) return read_model_bytes(datum, read);
    varlena* const prefix = pg_detoast_datum_slice(stored, 0, fingerprint_prefix);
    const std::span<const char> header = bytes_view(prefix);
    const Size front = header.size() < fingerprint_prefix ? 0 : Min(front_of(header), max_value_size);
    pfree(prefix);
    varlena* const value = pg_detoast_datum_slice(stored, 0, static_cast<int32>(front));
    const auto result = read(bytes_view(value));
    pfree(value);
    return result;
}

// Read and validated, all of it in `context`; never destroyed, the context is. Ereports: C zone only.
const Model* fetch_model(Datum datum, MemoryContext context);

// The value of a model, in the current context, whose resume state has been written. Texts from outside become texts of
// this database; an error when its text form would not fit, so that whatever is stored can be dumped. Inside the wall.
varlena* value_of(const Model& model, Encoding& encoding, Memory memory);

// The same for a model that has its resume state with it. Ereports: C zone only.
Datum new_model(const Model& model);

// A memory resource for values that stay: it is in the context as well, since the values point to it. C zone only.
ContextMemory* lasting_memory(MemoryContext context);

// Moves a value to where it lives as long as its context; it is never destroyed.
template <typename Value>
Value* keep(Value&& value, ContextMemory& memory) {
    static_assert(std::is_rvalue_reference_v<Value&&>);
    return new (memory.allocate(sizeof(Value), alignof(Value))) Value(std::move(value));
}

// For models that are at hand for a moment, below the current context.
inline MemoryContext new_model_context() {
    return AllocSetContextCreate(CurrentMemoryContext, "sparselin model", ALLOCSET_SMALL_SIZES);
}

// A model that write(model, memory) makes, inside the wall, in `scratch`. C zone only.
template <typename Write>
Model* written_model(MemoryContext scratch, Write&& write) {
    ContextMemory* const memory = lasting_memory(scratch);
    return guarded([&] {
        Model made(memory);
        write(made, memory);
        return keep(std::move(made), *memory);
    });
}

}  // namespace sparselin
