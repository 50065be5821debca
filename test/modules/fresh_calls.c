/*
 * Aggregates in two steps, with their support functions called as a distributed engine calls them: each time through a
 * new FmgrInfo, which remembers nothing and knows no expression, inside of another aggregate, whose arguments are not
 * theirs; what is deserialized is gone as soon as it has been combined.
 *
 *   fresh_partial(aggregate, ROW(arguments))   a state as bytes; NULL without rows
 *   fresh_final(aggregate, state)              the result of all states
 *   node_partial(aggregate, ROW(arguments))    a state as the node of a partial plan gets it, for whoever takes it
 *   called_directly(function, arguments)       called by its address alone, with no FmgrInfo at all
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_aggregate.h"
#include "executor/executor.h"
#include "executor/nodeAgg.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(fresh_step);
PG_FUNCTION_INFO_V1(fresh_serialize);
PG_FUNCTION_INFO_V1(fresh_combine);
PG_FUNCTION_INFO_V1(fresh_end);
PG_FUNCTION_INFO_V1(node_serialize);
PG_FUNCTION_INFO_V1(called_directly);

typedef struct State {
    FormData_pg_aggregate aggregate;
    NullableDatum inner;
} State;

static const NullableDatum null = {0, true};

static NullableDatum call(FunctionCallInfo outer, Oid function, const NullableDatum* arguments, int count) {
    FmgrInfo info;
    NullableDatum result;
    LOCAL_FCINFO(inner, 8);

    fmgr_info(function, &info);
    InitFunctionCallInfoData(*inner, &info, count, InvalidOid, outer->context, outer->resultinfo);
    for (int i = 0; i < count; ++i) {
        if (info.fn_strict && arguments[i].isnull) return null;
        inner->args[i] = arguments[i];
    }
    result.value = FunctionCallInvoke(inner);
    result.isnull = inner->isnull;
    return result;
}

static State* state_of(FunctionCallInfo fcinfo) {
    MemoryContext context;
    HeapTuple tuple;
    State* state;

    if (!AggCheckCallContext(fcinfo, &context)) elog(ERROR, "not in an aggregate");
    if (!PG_ARGISNULL(0)) return (State*)PG_GETARG_POINTER(0);
    state = MemoryContextAllocZero(context, sizeof(State));
    tuple = SearchSysCache1(AGGFNOID, PG_GETARG_DATUM(1));
    if (!HeapTupleIsValid(tuple)) elog(ERROR, "no aggregate");
    state->aggregate = *(Form_pg_aggregate)GETSTRUCT(tuple);
    ReleaseSysCache(tuple);
    state->inner = null;
    return state;
}

Datum fresh_step(PG_FUNCTION_ARGS) {
    State* state = state_of(fcinfo);
    HeapTupleHeader row = PG_GETARG_HEAPTUPLEHEADER(2);
    NullableDatum arguments[8] = {state->inner};
    int count = HeapTupleHeaderGetNatts(row);

    if (count > 7) elog(ERROR, "too many arguments");
    for (int i = 1; i <= count; ++i) arguments[i].value = GetAttributeByNum(row, i, &arguments[i].isnull);
    state->inner = call(fcinfo, state->aggregate.aggtransfn, arguments, count + 1);
    PG_RETURN_POINTER(state);
}

Datum fresh_serialize(PG_FUNCTION_ARGS) {
    State* state = (State*)(PG_ARGISNULL(0) ? NULL : PG_GETARG_POINTER(0));
    NullableDatum bytes = state == NULL ? null : call(fcinfo, state->aggregate.aggserialfn, &state->inner, 1);

    if (bytes.isnull) PG_RETURN_NULL();
    PG_RETURN_DATUM(bytes.value);
}

Datum fresh_combine(PG_FUNCTION_ARGS) {
    State* state = state_of(fcinfo);
    MemoryContext brief = AllocSetContextCreate(CurrentMemoryContext, "brief", ALLOCSET_DEFAULT_SIZES);
    MemoryContext caller = MemoryContextSwitchTo(brief);
    NullableDatum arguments[2] = {{PG_GETARG_DATUM(2), PG_ARGISNULL(2)}, {0, false}};
    NullableDatum sides[2] = {state->inner, null};

    /* A copy of the bytes, so that nothing may be left in them either. */
    if (!PG_ARGISNULL(2)) {
        arguments[0].value = PointerGetDatum(PG_DETOAST_DATUM_COPY(PG_GETARG_DATUM(2)));
        sides[1] = call(fcinfo, state->aggregate.aggdeserialfn, arguments, 2);
    }
    state->inner = call(fcinfo, state->aggregate.aggcombinefn, sides, 2);
    MemoryContextSwitchTo(caller);
    if (!PG_ARGISNULL(2))
        memset(VARDATA(DatumGetPointer(arguments[0].value)), 0x7f,
               VARSIZE(DatumGetPointer(arguments[0].value)) - VARHDRSZ);
    MemoryContextDelete(brief);
    PG_RETURN_POINTER(state);
}

Datum fresh_end(PG_FUNCTION_ARGS) {
    State* state = (State*)(PG_ARGISNULL(0) ? NULL : PG_GETARG_POINTER(0));
    NullableDatum result = state == NULL ? null : call(fcinfo, state->aggregate.aggfinalfn, &state->inner, 1);

    if (result.isnull) PG_RETURN_NULL();
    PG_RETURN_DATUM(result.value);
}

/* For the time of the call it is the node's own. */
Datum node_serialize(PG_FUNCTION_ARGS) {
    State* state = (State*)(PG_ARGISNULL(0) ? NULL : PG_GETARG_POINTER(0));
    AggState* node = (AggState*)fcinfo->context;
    FunctionCallInfo nodes_own = node->pertrans[0].serialfn_fcinfo;
    FmgrInfo info;
    Datum bytes;
    LOCAL_FCINFO(inner, 1);

    if (state == NULL || state->inner.isnull) PG_RETURN_NULL();
    fmgr_info(state->aggregate.aggserialfn, &info);
    InitFunctionCallInfoData(*inner, &info, 1, InvalidOid, fcinfo->context, NULL);
    inner->args[0] = state->inner;
    node->pertrans[0].serialfn_fcinfo = inner;
    bytes = FunctionCallInvoke(inner);
    node->pertrans[0].serialfn_fcinfo = nodes_own;
    if (!VARATT_IS_EXTERNAL_INDIRECT(DatumGetPointer(bytes))) elog(ERROR, "no reference to a state");
    PG_RETURN_DATUM(bytes);
}

Datum called_directly(PG_FUNCTION_ARGS) {
    PGFunction function =
        (PGFunction)load_external_function("$libdir/sparselin", text_to_cstring(PG_GETARG_TEXT_PP(0)), true, NULL);
    LOCAL_FCINFO(inner, 8);

    InitFunctionCallInfoData(*inner, NULL, 8, InvalidOid, NULL, NULL);
    for (int i = 0; i < 8; ++i) inner->args[i] = null;
    for (int i = 1; i < PG_NARGS(); ++i) inner->args[i - 1] = fcinfo->args[i];
    PG_RETURN_DATUM(function(inner));
}
