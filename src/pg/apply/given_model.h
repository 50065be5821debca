// The model that a function is given: itself, or by its name. By name it is the active version, looked up once for one
// user and one snapshot, not once per row.
//
// The lookup is a query with the rights of who calls, so row security holds, and it sees what the calling query
// sees: all rows of a statement are scored by one version. The predictors are cached as those of models at hand.
// A name without a model is an error, whose hint is the nearest name. All of it ereports: C zone only.
//
// Either way it is made ready once for all the session, see model_cache.h.
#pragma once

#include "apply/model_cache.h"

namespace sparselin {

// Which of the two a function has for an argument.
enum class ModelGiven : uint8 { itself, by_name };

// The predictor of argument 0: of a model, or of the active version of the one with this name. Lives until the next
// call at least. For one place in a query, which has fn_extra for it.
const Predictor* predictor_of_call(FunctionCallInfo fcinfo, ModelGiven given);

// The same for a function that has more to keep: what is held is at `*place`, nullptr at first, and lives in `lasting`.
const Predictor* predictor_of_call(FunctionCallInfo fcinfo, ModelGiven given, void** place, MemoryContext lasting);

// The active version of a model as it is stored, mostly a toast pointer, in the current context. Looked up each time.
Datum named_model(FunctionCallInfo fcinfo, text* name);

// Argument 0: a model, or the name of one.
Datum model_of_call(FunctionCallInfo fcinfo, ModelGiven given);

}  // namespace sparselin

// NAME for a model, and NAME_named for a name; both return function(fcinfo, how the model is given, ...).
#define SPARSELIN_MODEL_RETURNS(name, function, ...)                                         \
    SPARSELIN_RETURNS(name, function(fcinfo, ModelGiven::itself __VA_OPT__(, ) __VA_ARGS__)) \
    SPARSELIN_RETURNS(name##_named, function(fcinfo, ModelGiven::by_name __VA_OPT__(, ) __VA_ARGS__))
