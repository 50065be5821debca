// What every support function of an aggregate asks first.
#pragma once

#include "wall/pg.h"

extern "C" {
#include "nodes/execnodes.h"
}

namespace sparselin {

// The context that the aggregate's state lives in; an error when the function is called on its own.
inline MemoryContext aggregate_context(FunctionCallInfo fcinfo) {
    MemoryContext context;
    if (!AggCheckCallContext(fcinfo, &context)) {
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("support function of an aggregate called outside of it"),
                        errhint("Call the aggregate itself.")));
    }
    return context;
}

// The memory context of the query whose aggregate it is.
inline MemoryContext query_context(FunctionCallInfo fcinfo) {
    // The nodes of aggregates and of windows begin alike.
    return reinterpret_cast<const ScanState*>(fcinfo->context)->ps.state->es_query_cxt;
}

// The node of a partial plan that calls this serialization function; nullptr when another aggregate's function calls it
// in its name, as some engines do.
const AggState* serializing_node(FunctionCallInfo fcinfo);

// Whether the final function may be called again for the same state: groups in a hash table are, when the plan above
// goes through them a second time.
inline bool may_be_finished_again(FunctionCallInfo fcinfo) {
    if (fcinfo->context == nullptr || !IsA(fcinfo->context, AggState)) return true;
    const AggStrategy strategy = reinterpret_cast<const AggState*>(fcinfo->context)->aggstrategy;
    return strategy == AGG_HASHED || strategy == AGG_MIXED;
}

// Whether the plan may really do so, or have a state serialized again: then it has to stay, which takes memory where
// there are many groups. What is in a subplan may.
bool must_stay(FunctionCallInfo fcinfo);

// To be called by a serialization function before it makes its bytes. A node frees what it gave when it is asked for
// more; so the bytes of its last group would stay as long as the plan, those of each partition. They go when another
// node has its turn.
void free_what_was_given_before(const AggState* node);

}  // namespace sparselin
