// Models made ready once per query, not once per row.
//
// A cache knows a model by its toast pointer, without fetching what that points to, or by the fingerprint in the first
// bytes of a value at hand. The latest eight models stay whatever their size, and as many as 256 while together they
// fit in work_mem or 64 MB: a row scored by more models than stay would decode each of them again, for every row.
#pragma once

#include "learn/apply/evaluation.h"
#include "types/model_type.h"

namespace sparselin {

struct PredictCache;

struct ReadyModel {
    Predictor predictor;
    Coding coding;
    double penalty;  // see objective.h
};

// What follows belongs to the C zone. What it returns lives until the next call at least.

// One cache for all of the query under way, found anew where a support function of an aggregate finds its fn_extra
// empty each time.
PredictCache* cache_of_query(FunctionCallInfo fcinfo);

PredictCache* new_cache(MemoryContext lasting);

// `key` is the model's own.
const ReadyModel* ready_model(PredictCache* cache, const ModelKey& key, Datum model);

inline const Predictor* ready_predictor(PredictCache* cache, Datum model) {
    return &ready_model(cache, key_of(model), model)->predictor;
}

}  // namespace sparselin
