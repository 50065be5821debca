// The way into the functions that keep models, which are in PL/pgSQL: NAME(...) calls NAME_inside(...), or
// NAME_under(search_path, ...), once it is sure that nobody else's code can have been put there for a superuser to run.
// Only from C can that be asked first: PL/pgSQL finds types and functions by names, under which others may have put
// theirs when the schema was renamed or the tables were.
#include "wall/call_place.h"
#include "wall/error_context.h"
#include "registry/registry.h"

extern "C" {
#include "utils/lsyscache.h"
}

namespace sparselin {

namespace {

enum class SearchPath { none, first };

// The function inside; found once for each place in a query.
FmgrInfo* inside_of(FunctionCallInfo fcinfo, Oid schema, SearchPath path) {
    FmgrInfo* const door = call_place(fcinfo);
    if (door->fn_extra != nullptr) return static_cast<FmgrInfo*>(door->fn_extra);
    Oid types[FUNC_MAX_ARGS + 1] = {TEXTOID};
    Oid* own = nullptr;
    int count = 0;
    get_func_signature(door->fn_oid, &own, &count);
    const int before = path == SearchPath::first ? 1 : 0;
    memcpy(types + before, own, sizeof(Oid) * static_cast<size_t>(count));
    const char* const name =
        psprintf("%s_%s", get_func_name(door->fn_oid), path == SearchPath::first ? "under" : "inside");
    const Oid function = function_in(schema, name, types, count + before);
    if (!OidIsValid(function)) elog(ERROR, "function %s() is gone", name);
    auto* const inside = static_cast<FmgrInfo*>(MemoryContextAllocZero(door->fn_mcxt, sizeof(FmgrInfo)));
    fmgr_info_cxt(function, inside, door->fn_mcxt);
    door->fn_extra = inside;
    return inside;
}

Datum call_inside(FunctionCallInfo fcinfo, SearchPath path) {
    const Oid schema = registry_schema(fcinfo);
    refuse_superuser(schema, RowExclusiveLock);
    require_name_of_schema(schema);
    FmgrInfo* const function = inside_of(fcinfo, schema, path);
    LOCAL_FCINFO(inner, FUNC_MAX_ARGS + 1);
    const int before = path == SearchPath::first ? 1 : 0;
    InitFunctionCallInfoData(*inner, function, static_cast<short>(fcinfo->nargs + before), fcinfo->fncollation, nullptr,
                             nullptr);
    if (path == SearchPath::first)
        inner->args[0] = {CStringGetTextDatum(GetConfigOptionByName("search_path", nullptr, false)), false};
    for (int i = 0; i < fcinfo->nargs; ++i) inner->args[i + before] = fcinfo->args[i];
    Datum result = 0;
    Datum* const place = &result;
    run_ours_apart([=] { *place = FunctionCallInvoke(inner); });
    fcinfo->isnull = inner->isnull;
    return result;
}

}  // namespace

}  // namespace sparselin

using namespace sparselin;

SPARSELIN_FUNCTION(sparselin_call_inside) {
    return call_inside(fcinfo, SearchPath::none);
}

SPARSELIN_FUNCTION(sparselin_call_under) {
    return call_inside(fcinfo, SearchPath::first);
}
