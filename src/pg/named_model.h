// Models by name: the active version, looked up once for one user and one snapshot, not once per row.
//
// The lookup is a query with the rights of who calls, so row security holds, and it sees what the calling query
// sees: all rows of a statement are scored by one version. The predictors are cached as those of models at hand.
#pragma once

#include "predict_cache.h"

namespace sparselin {

// The predictor of the active version of the model whose name is argument 0. Lives until the next call at least.
// An error, with the nearest name as its hint, when there is none. Ereports: C zone only.
const Predictor* named_predictor(FunctionCallInfo fcinfo);

}  // namespace sparselin
