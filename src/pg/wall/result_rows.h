// The rows of a set-returning function, all at once, into a tuplestore that spills by itself.
#pragma once

#include "wall/pg.h"

extern "C" {
#include "nodes/execnodes.h"
#include "utils/tuplestore.h"
}

namespace sparselin {

struct ResultRows {
    Tuplestorestate* store;
    TupleDesc descriptor;

    void put(Datum* values, bool* nulls) { tuplestore_putvalues(store, descriptor, values, nulls); }
};

// For a function declared with OUT parameters. The caller returns (Datum)0 at the end.
inline ResultRows begin_result_rows(FunctionCallInfo fcinfo) {
    auto* const result = reinterpret_cast<ReturnSetInfo*>(fcinfo->resultinfo);
    if (result == nullptr || !IsA(result, ReturnSetInfo) || !(result->allowedModes & SFRM_Materialize))
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("set-valued function called in context that cannot accept a set"),
                        errhint("Call it in the FROM clause.")));
    // What looking the type up leaves behind does not last, however many calls a query makes.
    TupleDesc found;
    if (get_call_result_type(fcinfo, nullptr, &found) != TYPEFUNC_COMPOSITE)
        elog(ERROR, "return type must be a row type");
    const MemoryContext caller = MemoryContextSwitchTo(result->econtext->ecxt_per_query_memory);
    ResultRows rows{};
    rows.descriptor = CreateTupleDescCopy(found);
    rows.store = tuplestore_begin_heap((result->allowedModes & SFRM_Materialize_Random) != 0, false, work_mem);
    result->returnMode = SFRM_Materialize;
    result->setResult = rows.store;
    result->setDesc = rows.descriptor;
    MemoryContextSwitchTo(caller);
    return rows;
}

}  // namespace sparselin
