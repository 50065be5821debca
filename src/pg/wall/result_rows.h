// The rows that functions return: one, one a call, or all at once.
#pragma once

#include "wall/pg.h"

extern "C" {
#include "nodes/execnodes.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
#include "utils/tuplestore.h"
}

namespace sparselin {

// The row type that a function is declared to return, in the current context.
inline TupleDesc result_type(FunctionCallInfo fcinfo) {
    TupleDesc descriptor = nullptr;
    if (get_call_result_type(fcinfo, nullptr, &descriptor) != TYPEFUNC_COMPOSITE)
        elog(ERROR, "return type must be a row type");
    return BlessTupleDesc(descriptor);
}

template <size_t columns>
Datum row_of(TupleDesc descriptor, Datum (&values)[columns], bool (&&nulls)[columns] = {}) {
    return HeapTupleGetDatum(heap_form_tuple(descriptor, values, nulls));
}

// The first call of a function that returns a row a call. What make() returns lives in the current context, and is
// there as user_fctx in each call.
template <typename Make>
void begin_row_a_call(FunctionCallInfo fcinfo, Make&& make) {
    FuncCallContext* const first = SRF_FIRSTCALL_INIT();
    const MemoryContext caller = MemoryContextSwitchTo(first->multi_call_memory_ctx);
    first->tuple_desc = result_type(fcinfo);
    first->user_fctx = const_cast<void*>(static_cast<const void*>(make()));
    MemoryContextSwitchTo(caller);
}

// The number of rows that are asked for at most; NULL asks for all. `what` they are, for the error.
inline size_t most_rows_argument(FunctionCallInfo fcinfo, int argument, const char* what) {
    if (PG_ARGISNULL(argument)) return SIZE_MAX;
    const int32 most = PG_GETARG_INT32(argument);
    if (most < 0)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("top is %d", most),
                errhint("Give the number of %s to show, or NULL for all of them.", what));
    return static_cast<size_t>(most);
}

// An array of rows, as the function is declared to return it: fill(i, values, nulls) sets the columns of row i, which
// are 0 and not NULL before.
template <size_t columns, typename Fill>
Datum array_of_rows(FunctionCallInfo fcinfo, size_t count, Fill&& fill) {
    const Oid type = get_element_type(get_func_rettype(fcinfo->flinfo->fn_oid));
    if (!OidIsValid(type)) elog(ERROR, "an array of rows was expected as the result");
    const TupleDesc descriptor = lookup_rowtype_tupdesc_copy(type, -1);
    if (descriptor->natts != static_cast<int>(columns)) elog(ERROR, "rows of %zu columns were expected", columns);
    auto* const elements = static_cast<Datum*>(MemoryContextAllocHuge(CurrentMemoryContext, sizeof(Datum) * count + 1));
    for (size_t i = 0; i < count; ++i) {
        CHECK_FOR_INTERRUPTS();
        Datum values[columns] = {};
        bool nulls[columns] = {};
        fill(i, values, nulls);
        elements[i] = HeapTupleGetDatum(heap_form_tuple(descriptor, values, nulls));
    }
    return PointerGetDatum(construct_array(elements, static_cast<int>(count), type, -1, false, TYPALIGN_DOUBLE));
}

// All at once, into a tuplestore that spills by itself.
struct ResultRows {
    Tuplestorestate* store;
    TupleDesc descriptor;

    void put(Datum* values, bool* nulls) { tuplestore_putvalues(store, descriptor, values, nulls); }
};

// The caller returns (Datum)0 at the end.
inline ResultRows begin_result_rows(FunctionCallInfo fcinfo) {
    auto* const result = reinterpret_cast<ReturnSetInfo*>(fcinfo->resultinfo);
    if (result == nullptr || !IsA(result, ReturnSetInfo) || !(result->allowedModes & SFRM_Materialize))
        ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                errmsg("set-valued function called in context that cannot accept a set"),
                errhint("Call it in the FROM clause."));
    // What looking the type up leaves behind does not last, however many calls a query makes.
    const TupleDesc found = result_type(fcinfo);
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
