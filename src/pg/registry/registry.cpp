#include "registry/registry.h"

#include "wall/call_place.h"

extern "C" {
#include "access/relation.h"
#include "catalog/pg_class.h"
#include "catalog/pg_proc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
}

namespace sparselin {

namespace {

// SET ROLE and SET SESSION AUTHORIZATION do not count: whatever runs can undo them.
bool a_superuser_is_at_work() {
    return superuser_arg(GetUserId()) || superuser_arg(GetSessionUserId()) || superuser_arg(GetAuthenticatedUserId());
}

[[noreturn]] void refuse(const char* where, Oid role) {
    const char* const name = quote_identifier(GetUserNameFromId(role, false));
    ereport(
        ERROR,
        (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("a superuser does not use models in %s of %s", where, name),
         errdetail("Code that %s can put there would run with the rights of a superuser.", name),
         errhint("Connect as a role that is no superuser. SET ROLE is not enough, since code can undo it.")));
    pg_unreachable();
}

Oid owner_of_function(Oid function) {
    const HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
    if (!HeapTupleIsValid(tuple)) elog(ERROR, "cache lookup failed for function %u", function);
    const Oid owner = reinterpret_cast<Form_pg_proc>(GETSTRUCT(tuple))->proowner;
    ReleaseSysCache(tuple);
    return owner;
}

// Rights on a table of somebody else's are enough for a trigger.
void refuse_triggers(const TriggerDesc* triggers) {
    for (int i = 0; triggers != nullptr && i < triggers->numtriggers; ++i) {
        const Oid owner = owner_of_function(triggers->triggers[i].tgfoid);
        if (!superuser_arg(owner)) refuse("a table with a trigger", owner);
    }
}

}  // namespace

Oid registry_schema(FunctionCallInfo fcinfo) {
    return get_func_namespace(call_place(fcinfo)->fn_oid);
}

void refuse_superuser(Oid schema) {
    if (!a_superuser_is_at_work()) return;
    static constexpr const char* tables[] = {"sparselin_registry", "sparselin_models", "sparselin_model_values"};
    for (const char* const name : tables) {
        const Relation table = try_relation_open(get_relname_relid(name, schema), AccessShareLock);
        if (table == nullptr)
            ereport(ERROR,
                    (errcode(ERRCODE_UNDEFINED_TABLE),
                     errmsg("there is no table %s", quote_qualified_identifier(get_namespace_name(schema), name)),
                     errhint("Drop the extension and create it again.")));
        if (!superuser_arg(table->rd_rel->relowner)) refuse("tables", table->rd_rel->relowner);
        refuse_triggers(table->trigdesc);
        relation_close(table, NoLock);
    }
}

Oid function_in(Oid schema, const char* name, const Oid* types, int count) {
    return GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(name),
                           PointerGetDatum(buildoidvector(types, count)), ObjectIdGetDatum(schema));
}

void require_name_of_schema(Oid schema) {
    const Oid home = function_in(schema, "sparselin_home", nullptr, 0);
    if (!OidIsValid(home)) elog(ERROR, "function sparselin_home() is gone");
    const char* const then = TextDatumGetCString(OidFunctionCall0(home));
    const char* const now = quote_identifier(get_namespace_name(schema));
    if (strcmp(then, now) != 0)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("the schema of sparselin was renamed from %s to %s", then, now),
                        errdetail("Its functions look for each other under the old name."),
                        errhint("ALTER SCHEMA %s RENAME TO %s.", now, then)));
}

}  // namespace sparselin
