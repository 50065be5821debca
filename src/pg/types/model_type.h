// The type sparselin_model: a varlena of the codec's bytes (src/learn/model/model.h), and how to take a model from a
// Datum and make one.
#pragma once

#include "learn/model/model.h"
#include "wall/guard.h"

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

// Read and validated, all of it in `context`; never destroyed, the context is. Ereports: C zone only.
const Model* fetch_model(Datum datum, MemoryContext context);

// Texts from outside become texts of this database. Inside the wall.
void check_texts(const Model& model);

// An error when its text form would not fit, so that whatever is stored can be dumped. Inside the wall.
varlena* value_of(const Model& model, Encoding& encoding, Memory memory);

// The value of a model, in the current context, whose resume state write_resume(writer) writes, about so many bytes of
// it: 0 for none. Inside the wall.
template <typename WriteResume>
varlena* make_model(const Model& model, size_t about, WriteResume&& write_resume) {
    check_texts(model);
    ContextMemory memory(CurrentMemoryContext);
    Encoding encoding(model, VARHDRSZ, about, &memory, server_stop());
    if (about > 0) write_resume(encoding.resume());
    return value_of(model, encoding, &memory);
}

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
const Model* written_model(MemoryContext scratch, Write&& write) {
    ContextMemory* const memory = lasting_memory(scratch);
    return guarded([&] {
        Model made(memory);
        write(made, memory);
        return keep(std::move(made), *memory);
    });
}

}  // namespace sparselin
