// Calls from a plan: the settings of the session, what stays from one call to the next, what support functions of
// aggregates have in common, and what they can know of the plan.
#pragma once

#include <type_traits>

#include "wall/pg.h"

extern "C" {
#include "access/xact.h"
#include "nodes/execnodes.h"
}

namespace sparselin {

// In kB: a part with rows that take more learns from them where it is.
extern int max_shipped_state;

// In kB: models that are ready to be applied stay up to so much.
extern int cache_size;

// In ms, 0 for never: how often a NOTICE tells how training gets on.
extern int progress_interval;

// In bytes.
inline Size work_memory() {
    return static_cast<Size>(work_mem) * 1024;
}

// Whether this session works for a coordinator of Citus: what is here besides the rows, such as settings and the tables
// of models, is not what the query's user has there.
bool on_citus_worker();

// The place in a query that calls a function: it knows which function that is. An error where there is none: a function
// in C may call another one by its address alone.
inline FmgrInfo* call_place(FunctionCallInfo fcinfo) {
    if (fcinfo->flinfo != nullptr) return fcinfo->flinfo;
    ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("function of sparselin called without its FmgrInfo"),
            errhint("Call it with FunctionCallInvoke() or OidFunctionCall, not with DirectFunctionCall."));
}

// The result of make(), which takes its memory from `context`.
template <typename Make>
auto in_context(MemoryContext context, Make&& make) {
    const MemoryContext caller = MemoryContextSwitchTo(context);
    const auto result = make();
    MemoryContextSwitchTo(caller);
    return result;
}

// Zeros in a memory context.
template <typename Value>
Value* zeroed(MemoryContext context) {
    return static_cast<Value*>(MemoryContextAllocZero(context, sizeof(Value)));
}

// Has forget(gone) called when the context is reset, or goes.
inline void at_reset(MemoryContext context, MemoryContextCallbackFunction forget, const void* gone) {
    auto* const callback = zeroed<MemoryContextCallback>(context);
    callback->func = forget;
    callback->arg = const_cast<void*>(gone);
    MemoryContextRegisterResetCallback(context, callback);
}

// Values that stay from one call to the next. They belong to a place in a query that calls a function, or to a memory
// context, are found again by it, and go with it. One for each place that calls; zeros at first.
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
        Entry* next;
    };
    static Entry* entries = nullptr;
    for (Entry* entry = entries; entry != nullptr; entry = entry->next) {
        made = false;
        if (entry->context == context) return &entry->kept;
    }
    made = true;
    auto* const entry = zeroed<Entry>(context);
    entry->context = context;
    entry->next = entries;
    const auto forget = [](void* gone) {
        Entry** link = &entries;
        while (*link != gone) link = &(*link)->next;
        *link = (*link)->next;
    };
    at_reset(context, forget, entry);
    entries = entry;
    return &entry->kept;
}

// The context that the aggregate's state lives in; an error when the function is called on its own.
inline MemoryContext aggregate_context(FunctionCallInfo fcinfo) {
    MemoryContext context;
    if (!AggCheckCallContext(fcinfo, &context)) {
        ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                errmsg("support function of an aggregate called outside of it"), errhint("Call the aggregate itself."));
    }
    return context;
}

// The state that is an argument; nullptr for NULL, which there is before the first row.
template <typename State>
State* state_at(FunctionCallInfo fcinfo, int argument) {
    return PG_ARGISNULL(argument) ? nullptr : reinterpret_cast<State*>(PG_GETARG_POINTER(argument));
}

// The state of a support function that takes no other: its first argument.
template <typename State>
State* state_of_call(FunctionCallInfo fcinfo) {
    aggregate_context(fcinfo);
    return state_at<State>(fcinfo, 0);
}

// As a support function returns it.
inline Datum state_datum(FunctionCallInfo fcinfo, const void* state) {
    fcinfo->isnull = state == nullptr;
    return PointerGetDatum(state);
}

// A combine function: take_in(left, right) puts what the right state has into the left one, which begin(context, right)
// makes where there is none. The right one does not live long: what is taken from it is copied.
template <typename State, typename Begin, typename TakeIn>
Datum combine(FunctionCallInfo fcinfo, Begin&& begin, TakeIn&& take_in) {
    const MemoryContext context = aggregate_context(fcinfo);
    auto* left = state_at<State>(fcinfo, 0);
    auto* const right = state_at<State>(fcinfo, 1);
    if (right != nullptr) {
        if (left == nullptr) left = begin(context, *right);
        take_in(*left, *right);
    }
    return state_datum(fcinfo, left);
}

// An error for a row whose model, or options, are not those of the rows before it, of which there are so many.
[[noreturn]] inline void refuse_change(int64 rows_before, const char* what, const char* hint) {
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("row %lld: %s of the rows before it", static_cast<long long>(rows_before + 1), what),
            errhint("%s", hint));
}

// An error where the model to do something with, an argument, is NULL.
inline void require_model(FunctionCallInfo fcinfo, int argument, const char* to_do) {
    if (PG_ARGISNULL(argument))
        ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("the model to %s is NULL", to_do),
                errhint("Train a model first, and join it or give it as a subquery."));
}

// An error where `missing` of the things that a serialized state is to have did not come with it.
inline void check_all_came(const char* state, const char* things, int64 missing) {
    if (missing == 0) return;
    ereport(ERROR, errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
            errmsg("invalid binary %s: %lld %s are missing", state, static_cast<long long>(missing), things),
            errhint("The value was damaged on its way; take it from its source again."));
}

// The memory context of the query whose aggregate it is.
inline MemoryContext query_context(FunctionCallInfo fcinfo) {
    // The nodes of aggregates and of windows begin alike.
    return reinterpret_cast<const ScanState*>(fcinfo->context)->ps.state->es_query_cxt;
}

// The node of a partial plan that calls this serialization function; nullptr when another aggregate's function calls it
// in its name, as some engines do.
const AggState* serializing_node(FunctionCallInfo fcinfo);

// Whether what a final function keeps at its place is there for the next group: an engine that calls it in the name of
// an aggregate of its own makes a place for each call.
bool place_lasts(FunctionCallInfo fcinfo);

// True once in a statement, for each place in memory.
inline bool first_in_statement(TimestampTz& said) {
    if (said == GetCurrentStatementStartTimestamp()) return false;
    said = GetCurrentStatementStartTimestamp();
    return true;
}

// Whether something of a kind is to be said now, `which` being its number: once for each place in a query, not once for
// each group, and where places do not last, once for each statement.
template <size_t kinds, typename Kind>
bool first_time(FunctionCallInfo fcinfo, Kind which) {
    struct Said {
        bool said[kinds];
    };
    static TimestampTz in_statement[kinds];
    const auto number = static_cast<size_t>(which);
    if (!place_lasts(fcinfo)) return first_in_statement(in_statement[number]);
    bool& said = kept_at_place<Said>(fcinfo)->said[number];
    return said ? false : (said = true);
}

// Whether the final function may be called again for the same state: groups in a hash table are, when the plan above
// goes through them a second time.
inline bool may_be_finished_again(FunctionCallInfo fcinfo) {
    if (fcinfo->context == nullptr || !IsA(fcinfo->context, AggState)) return true;
    const AggStrategy strategy = reinterpret_cast<const AggState*>(fcinfo->context)->aggstrategy;
    return strategy == AGG_HASHED || strategy == AGG_MIXED;
}

// Whether the plan may really do so, or have a state serialized again: then it has to stay, which takes memory where
// there are many groups. A subplan may run again.
bool must_stay(FunctionCallInfo fcinfo);

// To be called by a serialization function before it makes its bytes: frees those of the node that serialized before
// it, if that is another one and is done. The executor frees the bytes of a group when it asks the node for the next
// one, so those of the last group would stay as long as the plan, with a group's for each partition.
void free_bytes_of_node_before(const AggState* node);

}  // namespace sparselin
