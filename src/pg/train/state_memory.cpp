#include "train/state_memory.h"

#include "wall/per_aggregate.h"

namespace sparselin {

StateMemory* join_memory(MemoryContext aggregate) {
    bool made;
    auto* const memory = shared_by_states<StateMemory>(aggregate, made);
    memory->aggregate = aggregate;
    if (memory->context == nullptr)
        memory->context = AllocSetContextCreate(aggregate, "sparselin states", ALLOCSET_DEFAULT_SIZES);
    ++memory->states;
    return memory;
}

void leave_memory(StateMemory* memory) {
    if (--memory->states > 0) return;
    MemoryContextDelete(memory->context);
    memory->context = nullptr;
}

}  // namespace sparselin
