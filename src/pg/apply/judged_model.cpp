#include "apply/judged_model.h"

#include "wall/aggregate.h"

extern "C" {
#include "utils/datum.h"
}

namespace sparselin {

Datum model_of_row(FunctionCallInfo fcinfo, const JudgedModel* judged, ModelGiven given) {
    if (given == ModelGiven::itself) return PG_GETARG_DATUM(model_argument);
    text* const name = PG_GETARG_TEXT_PP(model_argument);
    const bool known = judged != nullptr && judged->name != nullptr && text_view(name) == text_view(judged->name);
    return known ? judged->named : named_model(fcinfo, name);
}

JudgedModel judged_model(FunctionCallInfo fcinfo, Datum model) {
    JudgedModel judged;
    judged.key = key_of(model);
    judged.fingerprint = fingerprint_of_value(model);
    judged.models = judged_models_of_query(fcinfo);
    return judged;
}

void check_same_model(JudgedModel* judged, Datum model, int64 rows_before) {
    const ModelKey key = key_of(model);
    if (key == judged->key) return;
    if (!(fingerprint_of_value(model) == judged->fingerprint))
        refuse_change(rows_before, "the model is not that",
                      "One model is evaluated in a group; add what it depends on to GROUP BY.");
    judged->key = key;
}

void remember_name(FunctionCallInfo fcinfo, JudgedModel* judged, Datum model, MemoryContext context) {
    if (model == judged->named) return;
    if (judged->name != nullptr) {
        pfree(judged->name);
        pfree(DatumGetPointer(judged->named));
    }
    const MemoryContext caller = MemoryContextSwitchTo(context);
    judged->name = PG_GETARG_TEXT_P_COPY(model_argument);
    judged->named = datumCopy(model, false, -1);
    MemoryContextSwitchTo(caller);
}

const ReadyModel* ready_model(FunctionCallInfo fcinfo, JudgedModel* judged, Datum model) {
    if (judged->models == nullptr) judged->models = judged_models_of_query(fcinfo);
    return ready_model(judged->models, judged->key, model);
}

}  // namespace sparselin
