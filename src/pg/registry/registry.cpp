#include "registry/registry.h"

#include "wall/aggregate.h"

extern "C" {
#include "access/genam.h"
#include "access/relation.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_database.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "utils/acl.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
}

namespace sparselin {

namespace {

// Goes up when roles change.
uint64 changes_of_roles = 0;

void count_change(Datum, int, uint32) {
    ++changes_of_roles;
}

// Read once, and again when roles have changed.
const List* all_superusers() {
    static List* superusers = NIL;
    static uint64 read_at = 0;
    if (changes_of_roles == 0) {
        CacheRegisterSyscacheCallback(AUTHOID, count_change, Datum{0});
        changes_of_roles = 1;
    }
    if (read_at == changes_of_roles) return superusers;
    list_free(superusers);
    superusers = NIL;
    const uint64 now = changes_of_roles;
    const Relation roles = table_open(AuthIdRelationId, AccessShareLock);
    const SysScanDesc scan = systable_beginscan(roles, InvalidOid, false, nullptr, 0, nullptr);
    while (const HeapTuple tuple = systable_getnext(scan)) {
        const auto* const role = reinterpret_cast<const FormData_pg_authid*>(GETSTRUCT(tuple));
        if (!role->rolsuper) continue;
        superusers = in_context(TopMemoryContext, [=] { return lappend_oid(superusers, role->oid); });
    }
    systable_endscan(scan);
    table_close(roles, AccessShareLock);
    read_at = now;
    return superusers;
}

// A superuser, or who has the rights of one or can SET ROLE to one: has nothing to gain, and as much to lose.
bool is_as_good_as_superuser(Oid role) {
    if (superuser_arg(role)) return true;
    const ListCell* cell = nullptr;
    foreach (cell, all_superusers())
        if (can_act_as(role, lfirst_oid(cell))) return true;
    return false;
}

// SET ROLE and SET SESSION AUTHORIZATION do not count: whatever runs can undo them.
bool a_superuser_is_at_work() {
    return is_as_good_as_superuser(GetUserId()) || is_as_good_as_superuser(GetSessionUserId()) ||
           is_as_good_as_superuser(GetAuthenticatedUserId());
}

[[noreturn]] void refuse(const char* where) {
    ereport(ERROR, errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("a superuser does not use models in %s", where),
            errdetail("Code that somebody else can put there would run with the rights of a superuser."),
            errhint("Connect as a role that is no superuser, nor a member of one. SET ROLE is not enough, since code "
                    "can undo it."));
}

void refuse_unless_superuser(Oid owner, const char* what) {
    if (!is_as_good_as_superuser(owner))
        refuse(psprintf("%s of %s", what, quote_identifier(GetUserNameFromId(owner, false))));
}

template <typename Row>
Oid owner_of(Oid object, int cache, Oid Row::*owner) {
    const HeapTuple tuple = SearchSysCache1(cache, ObjectIdGetDatum(object));
    if (!HeapTupleIsValid(tuple)) elog(ERROR, "cache lookup failed for object %u", object);
    const Oid role = reinterpret_cast<const Row*>(GETSTRUCT(tuple))->*owner;
    ReleaseSysCache(tuple);
    return role;
}

// Who can rename it, at any time, and then put another one where functions and tables are looked for by name.
Oid owner_of_schema(Oid schema) {
    const Oid owner = owner_of(schema, NAMESPACEOID, &FormData_pg_namespace::nspowner);
    return is_database_owner_role(owner) ? owner_of(MyDatabaseId, DATABASEOID, &FormData_pg_database::datdba) : owner;
}

// Rights on a table of somebody else's are enough for a trigger. Its condition is code of who made it, and its
// arguments may be, whoever owns the function. A foreign key from another table is triggers on this one, which run
// those of the other.
void refuse_triggers(const TriggerDesc* triggers) {
    for (int i = 0; triggers != nullptr && i < triggers->numtriggers; ++i) {
        const Trigger& trigger = triggers->triggers[i];
        refuse_unless_superuser(owner_of(trigger.tgfoid, PROCOID, &FormData_pg_proc::proowner),
                                "a table with a trigger");
        if (trigger.tgqual != nullptr || trigger.tgnargs > 0)
            refuse(psprintf("a table whose trigger %s has a condition or arguments", quote_identifier(trigger.tgname)));
        if (OidIsValid(trigger.tgconstrrelid))
            refuse(
                psprintf("a table with foreign key %s", quote_identifier(get_constraint_name(trigger.tgconstraint))));
    }
}

constexpr const char* tables[] = {"sparselin_registry", "sparselin_models", "sparselin_model_values"};

}  // namespace

Oid registry_schema(FunctionCallInfo fcinfo) {
    return get_func_namespace(call_place(fcinfo)->fn_oid);
}

void refuse_superuser(Oid schema, LOCKMODE lock) {
    if (!a_superuser_is_at_work()) return;
    for (const char* const name : tables) {
        const Relation table = try_relation_open(get_relname_relid(name, schema), lock);
        if (table == nullptr)
            ereport(ERROR, errcode(ERRCODE_UNDEFINED_TABLE),
                    errmsg("there is no table %s", quote_qualified_identifier(get_namespace_name(schema), name)),
                    errhint("Drop the extension and create it again."));
        refuse_unless_superuser(table->rd_rel->relowner, "tables");
        refuse_triggers(table->trigdesc);
        relation_close(table, NoLock);
    }
    refuse_unless_superuser(owner_of_schema(schema), "a schema");
}

void refuse_superuser_in(Oid schema) {
    if (a_superuser_is_at_work()) refuse_unless_superuser(owner_of_schema(schema), "a schema");
}

void require_rights(Oid schema) {
    for (const char* const name : tables) {
        const Oid table = get_relname_relid(name, schema), user = GetUserId();
        if (!OidIsValid(table) || pg_class_aclcheck(table, user, ACL_SELECT) == ACLCHECK_OK ||
            pg_attribute_aclcheck_all(table, user, ACL_SELECT, ACLMASK_ANY) == ACLCHECK_OK)
            continue;
        ereport(ERROR, errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("permission denied for table %s", name),
                errhint("The owner of the tables lets you use models: GRANT SELECT ON sparselin_registry, "
                        "sparselin_models, sparselin_model_values TO %s. The owner of a model then grants it with "
                        "sparselin_grant(name, role).",
                        quote_identifier(GetUserNameFromId(user, false))));
    }
}

Oid type_in(Oid schema, const char* name) {
    return GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum(name), ObjectIdGetDatum(schema));
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
        ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                errmsg("the schema of sparselin was renamed from %s to %s", then, now),
                errdetail("Its functions look for each other under the old name."),
                errhint("ALTER SCHEMA %s RENAME TO %s.", now, then));
}

}  // namespace sparselin
