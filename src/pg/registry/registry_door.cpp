// The way into the functions that keep models, which are in PL/pgSQL: NAME(...) calls NAME_inside(door, ...), once it
// is sure that nobody else's code can have been put there for a superuser to run. Only from C can that be asked first:
// PL/pgSQL finds types and functions by names, under which others may have put theirs when the schema was renamed or
// the tables were.
//
// For the same reason nothing that PL/pgSQL could ask first would keep out who calls what is inside by itself. So all
// of it takes a value of type sparselin_door, which none but a door makes: there is no way to write one, and the
// executor finds the type by its number. The value is the search_path of who came in. A NULL can be had without a door,
// from a column or variable of the type: what takes one begins with a variable that is NOT NULL, and is the value.
#include "wall/aggregate.h"
#include "wall/error_context.h"
#include "registry/registry.h"

extern "C" {
#include "utils/lsyscache.h"
}

using namespace sparselin;

// The function inside; found once for each place in a query.
static FmgrInfo* inside_of(FunctionCallInfo fcinfo, Oid schema) {
    FmgrInfo* const door = call_place(fcinfo);
    if (door->fn_extra != nullptr) return static_cast<FmgrInfo*>(door->fn_extra);
    Oid types[FUNC_MAX_ARGS + 1] = {type_in(schema, "sparselin_door")};
    if (!OidIsValid(types[0])) elog(ERROR, "type sparselin_door is gone");
    Oid* own = nullptr;
    int count = 0;
    get_func_signature(door->fn_oid, &own, &count);
    memcpy(types + 1, own, sizeof(Oid) * static_cast<size_t>(count));
    const char* const name = psprintf("%s_inside", get_func_name(door->fn_oid));
    const Oid function = function_in(schema, name, types, count + 1);
    if (!OidIsValid(function)) elog(ERROR, "function %s() is gone", name);
    auto* const inside = zeroed<FmgrInfo>(door->fn_mcxt);
    fmgr_info_cxt(function, inside, door->fn_mcxt);
    door->fn_extra = inside;
    return inside;
}

static Datum call_inside(FunctionCallInfo fcinfo, Oid schema) {
    FmgrInfo* const function = inside_of(fcinfo, schema);
    LOCAL_FCINFO(inner, FUNC_MAX_ARGS + 1);
    InitFunctionCallInfoData(*inner, function, static_cast<short>(fcinfo->nargs + 1), fcinfo->fncollation, nullptr,
                             nullptr);
    inner->args[0] = {CStringGetTextDatum(GetConfigOptionByName("search_path", nullptr, false)), false};
    for (int i = 0; i < fcinfo->nargs; ++i) inner->args[i + 1] = fcinfo->args[i];
    Datum result = 0;
    Datum* const place = &result;
    run_ours_apart([=] { *place = FunctionCallInvoke(inner); });
    fcinfo->isnull = inner->isnull;
    return result;
}

SPARSELIN_FUNCTION(sparselin_call_inside) {
    const Oid schema = registry_schema(fcinfo);
    refuse_superuser(schema, RowExclusiveLock);
    require_name_of_schema(schema);
    require_rights(schema);
    return call_inside(fcinfo, schema);
}

// For what uses none of the tables, and so is there for those who have no rights on them.
SPARSELIN_FUNCTION(sparselin_call_inside_alone) {
    const Oid schema = registry_schema(fcinfo);
    refuse_superuser_in(schema);
    require_name_of_schema(schema);
    return call_inside(fcinfo, schema);
}

// Not STRICT: a NULL that is written is an error, too.
SPARSELIN_FUNCTION(sparselin_door_in) {
    ereport(ERROR, errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("a value of type sparselin_door cannot be written"),
            errhint("Call the function without _inside in its name, and without this argument."));
    PG_RETURN_NULL();
}
