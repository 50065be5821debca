// What all states of an aggregate share: found by the memory context that they live in, and gone with it.
#pragma once

#include "wall/pg.h"

#include <type_traits>

namespace sparselin {

// Zeros when it is `made`. There is one for each context, that is for each node of a plan that has such an aggregate.
template <typename Shared>
Shared* shared_by_states(MemoryContext aggregate, bool& made) {
    static_assert(std::is_trivially_destructible_v<Shared>);
    struct Entry {
        Shared shared;
        MemoryContext aggregate;
        MemoryContextCallback forget;
        Entry* next;
    };
    static Entry* entries = nullptr;
    for (Entry* entry = entries; entry != nullptr; entry = entry->next) {
        made = false;
        if (entry->aggregate == aggregate) return &entry->shared;
    }
    made = true;
    auto* const entry = static_cast<Entry*>(MemoryContextAllocZero(aggregate, sizeof(Entry)));
    entry->aggregate = aggregate;
    entry->next = entries;
    entry->forget.arg = entry;
    entry->forget.func = [](void* gone) {
        Entry** link = &entries;
        while (*link != gone) link = &(*link)->next;
        *link = (*link)->next;
    };
    entries = entry;
    MemoryContextRegisterResetCallback(aggregate, &entry->forget);
    return &entry->shared;
}

}  // namespace sparselin
