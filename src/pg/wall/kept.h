// Values that stay from one call to the next. They belong to a place in a query that calls a function, or to a memory
// context, are found again by it, and go with it.
#pragma once

#include "wall/pg.h"

#include <type_traits>

namespace sparselin {

// The place in a query that calls a function: it knows which function that is. An error where there is none: a function
// in C may call another one by its address alone.
inline FmgrInfo* call_place(FunctionCallInfo fcinfo) {
    if (fcinfo->flinfo != nullptr) return fcinfo->flinfo;
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("function of sparselin called without its FmgrInfo"),
                    errhint("Call it with FunctionCallInvoke() or OidFunctionCall, not with DirectFunctionCall.")));
    pg_unreachable();
}

// One for each place that calls; zeros at first.
template <typename Kept>
Kept* kept_at_place(FunctionCallInfo fcinfo) {
    FmgrInfo* const place = call_place(fcinfo);
    if (place->fn_extra == nullptr) place->fn_extra = MemoryContextAllocZero(place->fn_mcxt, sizeof(Kept));
    return static_cast<Kept*>(place->fn_extra);
}

// One for each memory context, made at first: zeros. An aggregate's context is that of a plan's node, and what is kept
// with it belongs to the states of all its groups; a query's is all the query's.
template <typename Kept>
Kept* kept_with(MemoryContext context, bool& made) {
    static_assert(std::is_trivially_destructible_v<Kept>);
    struct Entry {
        Kept kept;
        MemoryContext context;
        MemoryContextCallback forget;
        Entry* next;
    };
    static Entry* entries = nullptr;
    for (Entry* entry = entries; entry != nullptr; entry = entry->next) {
        made = false;
        if (entry->context == context) return &entry->kept;
    }
    made = true;
    auto* const entry = static_cast<Entry*>(MemoryContextAllocZero(context, sizeof(Entry)));
    entry->context = context;
    entry->next = entries;
    entry->forget.arg = entry;
    entry->forget.func = [](void* gone) {
        Entry** link = &entries;
        while (*link != gone) link = &(*link)->next;
        *link = (*link)->next;
    };
    entries = entry;
    MemoryContextRegisterResetCallback(context, &entry->forget);
    return &entry->kept;
}

}  // namespace sparselin
