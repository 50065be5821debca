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

// The value of a model, in the current context. An error when its text form would not fit either, so that whatever
// is stored can be dumped. Ereports: C zone only.
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

inline void let_nothing_go() {}

// The value of a model that write(model, memory) makes, inside the wall. It is put together in a context of its own, so
// that thousands of groups leave nothing behind. What it was made from may go in between, by let_go(), so that the
// weights do not lie there once more when the value is made. C zone only.
template <typename Write, typename LetGo = decltype(&let_nothing_go)>
Datum new_model_of(Write&& write, LetGo&& let_go = let_nothing_go) {
    const MemoryContext scratch = new_model_context();
    ContextMemory* const memory = lasting_memory(scratch);
    const Model* const model = guarded([&] {
        Model made(memory);
        write(made, memory);
        return keep(std::move(made), *memory);
    });
    let_go();
    const Datum result = new_model(*model);
    MemoryContextDelete(scratch);
    return result;
}

}  // namespace sparselin
