// The memory of all states of an aggregate: a context of its own, which goes when the last of them has ended.
//
// Memory that is freed within a context is not given back, and PostgreSQL keeps the context of a plan's node until the
// plan ends. A plan over partitions has a node for each of them: the memory of one that is done has to serve the next.
//
// C zone only.
#pragma once

#include "wall/kept.h"

namespace sparselin {

struct StateMemory {
    MemoryContext aggregate;
    MemoryContext context;  // below it
    int64 states;
    struct LastingAsked* asked;  // what they were asked for, the latest first; in the context
};

// For one more state of the aggregate that has this context.
inline StateMemory* join_memory(MemoryContext aggregate) {
    bool made;
    auto* const memory = kept_with<StateMemory>(aggregate, made);
    memory->aggregate = aggregate;
    if (memory->context == nullptr)
        memory->context = AllocSetContextCreate(aggregate, "sparselin states", ALLOCSET_DEFAULT_SIZES);
    ++memory->states;
    return memory;
}

// One state less; with the last one goes the context.
inline void leave_memory(StateMemory* memory) {
    if (--memory->states > 0) return;
    MemoryContextDelete(memory->context);
    memory->context = nullptr;
    memory->asked = nullptr;
}

}  // namespace sparselin
