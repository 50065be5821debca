// Models that are ready to be applied. A session keeps them: all its statements and prepared plans share them.
//
// A model is known by the fingerprint in its header, its size, and the role that uses it: what is updated, deleted,
// rolled back or made anew is another model, or the same one again. The role is there because fingerprints are no
// cryptography: who makes a model that passes for another one deceives nobody but himself, and no SECURITY DEFINER
// function.
//
// Of a value no more is read than it takes to apply the model, where the rest can be left out.
//
// Those used last stay, up to sparselin.cache_size; while statements run that use models, up to work_mem where that is
// more. What a statement has used last is held besides, so that it neither goes away below a call nor has to be read
// for every row: up to eight models for each place in a query that uses models, whatever their size, until the
// statement ends.
#pragma once

#include "learn/apply/predictor.h"
#include "types/model_key.h"
#include "types/model_type.h"

namespace sparselin {

struct ReadyModel {
    Predictor predictor;
    double penalty;  // see objective.h; only for who judges
};

// The models that a place in a query uses. What follows ereports: C zone only.
struct HeldModels;

// They are held until `lasting` is reset or goes.
HeldModels* hold_models(MemoryContext lasting);

// Those of all the query under way, for aggregates that judge models: their support functions may find their fn_extra
// empty each time.
HeldModels* judged_models_of_query(FunctionCallInfo fcinfo);

// `key` is the model's own. What comes back lives until the next call for these models at least.
const ReadyModel* ready_model(HeldModels* held, const ModelKey& key, Datum model);

}  // namespace sparselin
