// The type sparselin_model: a varlena of the codec's bytes (src/learn/model.h), and how to take a model from a
// Datum and make one.
#pragma once

#include "learn/model/model.h"
#include "wall/guard.h"
#include "wall/varlena.h"

namespace sparselin {

// The bytes of a model, read where they are or detoasted into the current context. Ereports: C zone only.
std::span<const char> fetch_model_bytes(Datum datum);

// Read and validated, all of it in `context`; never destroyed, the context is. Ereports: C zone only.
const Model* fetch_model(Datum datum, MemoryContext context);

// The value of a model, in the current context. An error when its text form would not fit either, so that whatever
// is stored can be dumped. Ereports: C zone only.
Datum new_model(const Model& model);

// A resource for what stays: itself in the context, since what is kept there points to it. C zone only.
ContextMemory* lasting_memory(MemoryContext context);

// Moves a value to where it lives as long as its context; it is never destroyed.
template <typename Value>
Value* keep(Value&& value, ContextMemory& memory) {
    static_assert(std::is_rvalue_reference_v<Value&&>);
    return new (memory.allocate(sizeof(Value), alignof(Value))) Value(std::move(value));
}

}  // namespace sparselin

#define PG_GETARG_MODEL(n) sparselin::fetch_model(PG_GETARG_DATUM(n), CurrentMemoryContext)
