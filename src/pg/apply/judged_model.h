// The model that an aggregate judges the rows of a group by: argument 1 of its transition function, after the state.
// The same for all rows, by value or by name; kept ready. C zone only.
#pragma once

#include "apply/given_model.h"

namespace sparselin {

// Arguments of the transition functions: the state, then those of the aggregate.
enum { state_argument, model_argument, features_argument, label_argument, weight_argument };

struct JudgedModel {
    ModelKey key{};                // as it came with the rows before
    Hash128 fingerprint{};         // the same wherever the model is stored
    HeldModels* models = nullptr;  // of the query
    text* name = nullptr;          // where the model was given by name
    Datum named = 0;               // the active version of that name
};

// The model of a row; `judged` is nullptr before the first one. A name is looked up once for a state, which belongs to
// one query and so to one snapshot.
Datum model_of_row(FunctionCallInfo fcinfo, const JudgedModel* judged, ModelGiven given);

// For the first row.
JudgedModel judged_model(FunctionCallInfo fcinfo, Datum model);

// For the others, of which there have been so many: an error where it is another model.
void check_same_model(JudgedModel* judged, Datum model, int64 rows_before);

// Where the model is given by name: what it was takes memory in `context`.
void remember_name(FunctionCallInfo fcinfo, JudgedModel* judged, Datum model, MemoryContext context);

const ReadyModel* ready_model(FunctionCallInfo fcinfo, JudgedModel* judged, Datum model);

}  // namespace sparselin
