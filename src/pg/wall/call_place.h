// The place in a query that calls a function: what stays from one call to the next hangs on it, and it knows which
// function that is.
#pragma once

#include "wall/pg.h"

namespace sparselin {

// An error where there is none: a function in C may call another one by its address alone.
inline FmgrInfo* call_place(FunctionCallInfo fcinfo) {
    if (fcinfo->flinfo != nullptr) return fcinfo->flinfo;
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("function of sparselin called without its FmgrInfo"),
                    errhint("Call it with FunctionCallInvoke() or OidFunctionCall, not with DirectFunctionCall.")));
    pg_unreachable();
}

}  // namespace sparselin
