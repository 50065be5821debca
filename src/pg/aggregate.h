// What every support function of an aggregate asks first.
#pragma once

#include "pg.h"

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

}  // namespace sparselin
