// The model that a function is given: itself, or by its name. By name it is the active version, looked up once for one
// user and one snapshot, not once per row.
//
// The lookup is a query with the rights of who calls, so row security holds, and it sees what the calling query
// sees: all rows of a statement are scored by one version. The predictors are cached as those of models at hand.
// A name without a model is an error, whose hint is the nearest name. All of it ereports: C zone only.
//
// Either way it is made ready once per query, not once per row. A cache knows a model by its toast pointer, without
// fetching what that points to, or by the fingerprint in the first bytes of a value at hand. The latest eight models
// stay whatever their size, and as many as 256 while together they fit in work_mem or 64 MB: a row scored by more
// models than stay would decode each of them again, for every row.
#pragma once

#include "learn/apply/predictor.h"
#include "learn/base/hash.h"
#include "types/model_key.h"
#include "types/model_type.h"

namespace sparselin {

struct PredictCache;

struct ReadyModel {
    Predictor predictor;
    double penalty;  // see objective.h
};

// One cache for all of the query under way, found anew where a support function of an aggregate finds its fn_extra
// empty each time.
PredictCache* cache_of_query(FunctionCallInfo fcinfo);

// `key` is the model's own. What comes back lives until the next call at least.
const ReadyModel* ready_model(PredictCache* cache, const ModelKey& key, Datum model);

// Which of the two a function has for an argument.
enum class ModelGiven : uint8 { itself, by_name };

// The predictor of argument 0: of a model, or of the active version of the one with this name. Lives until the next
// call at least. For one place in a query: its cache lives in fn_extra.
const Predictor* predictor_of_call(FunctionCallInfo fcinfo, ModelGiven given);

// The same for a function that has more to keep: the cache is at `*place`, nullptr at first, and lives in `lasting`.
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
