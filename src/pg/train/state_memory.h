// The memory of all states of an aggregate: a context of its own, which goes when the last of them has ended.
//
// What is freed within a context is not given back, and PostgreSQL keeps the context of a plan's node until the plan
// ends. A plan over partitions has a node for each of them: what one has done with has to serve the next.
//
// C zone only.
#pragma once

#include "wall/pg.h"

namespace sparselin {

struct StateMemory {
    MemoryContext aggregate;
    MemoryContext context;  // below it
    int64 states;
};

// For one more state of the aggregate that has this context.
StateMemory* join_memory(MemoryContext aggregate);

// One state less; with the last one goes the context.
void leave_memory(StateMemory* memory);

}  // namespace sparselin
