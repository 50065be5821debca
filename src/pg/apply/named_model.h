// Models by name: the active version, looked up once for one user and one snapshot, not once per row.
//
// The lookup is a query with the rights of who calls, so row security holds, and it sees what the calling query
// sees: all rows of a statement are scored by one version. The predictors are cached as those of models at hand.
// A name without a model is an error, whose hint is the nearest name. All of it ereports: C zone only.
#pragma once

#include "apply/predict_cache.h"

namespace sparselin {

// What a function has in the place of its model.
enum class ModelGiven : uint8 { itself, by_name };

// The predictor of the active version of the model whose name is argument 0. Lives until the next call at least.
const Predictor* named_predictor(FunctionCallInfo fcinfo);

// The same for a function that has more to keep: the cache is at `*place`, nullptr at first, and lives in `lasting`.
const Predictor* named_predictor(FunctionCallInfo fcinfo, void** place, MemoryContext lasting);

// The active version of a model as it is stored, mostly a toast pointer, in the current context. Looked up each time.
Datum named_model(FunctionCallInfo fcinfo, text* name);

// Argument 0: a model, or the name of one.
Datum model_of_call(FunctionCallInfo fcinfo, ModelGiven given);

}  // namespace sparselin
