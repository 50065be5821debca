// The tables in which models are kept, for the functions that belong to them.
#pragma once

#include "wall/pg.h"

extern "C" {
#include "storage/lockdefs.h"
}

namespace sparselin {

// The schema of the function that was called, which is that of the extension and so of its tables.
Oid registry_schema(FunctionCallInfo fcinfo);

// An error for superusers, and for who can become one, where somebody else can put code on the tables, or other things
// into their place. Looks at the catalog alone, so that none of that runs. Locks the tables for the transaction: with
// RowExclusiveLock nobody adds a trigger meanwhile, which is what those need who change rows.
void refuse_superuser(Oid schema, LOCKMODE lock);

// The same of the schema alone: where functions of ours are found by name, and no table is used.
void refuse_superuser_in(Oid schema);

// An error, which says whom to ask, for who may not read the tables. Which rows of them is up to row security.
void require_rights(Oid schema);

// An error when the schema no longer has the name under which the functions look for each other.
void require_name_of_schema(Oid schema);

// A type; InvalidOid when there is none.
Oid type_in(Oid schema, const char* name);

// A function by its very argument types; InvalidOid when there is none.
Oid function_in(Oid schema, const char* name, const Oid* types, int count);

}  // namespace sparselin
