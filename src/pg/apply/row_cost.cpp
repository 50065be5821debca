// What a row costs a model, and by which number two models are compared: row by row, or on the whole.
#include "learn/apply/costs.h"
#include "learn/apply/evaluation.h"
#include "types/sparsearray.h"
#include "apply/given_model.h"

using namespace sparselin;

namespace {

// A measure goes by the name of its number; one that is a mean loss by that of the loss.
Measure measure_named(std::string_view name) {
    if (name == "log_loss") return Measure::log_loss;
    if (name == "rmse") return Measure::rmse;
    if (name == "mae") return Measure::mae;
    return name == "error_rate" ? Measure::error_rate : Measure::loss;
}

// (model, features, label, measure)
Datum row_cost(FunctionCallInfo fcinfo, LabelKind labels) {
    enum { model_argument, features_argument, label_argument, measure_argument };
    const Predictor* const predictor = predictor_of_call(fcinfo, ModelGiven::itself);
    const auto row = fetch_row(fcinfo, {features_argument, label_argument, measure_argument + 1, labels}, 1);
    const Measure measure = measure_named(text_view(PG_GETARG_TEXT_PP(measure_argument)));
    PG_RETURN_FLOAT8(guarded([&] {
        ContextMemory memory(CurrentMemoryContext);
        return cost_of(measure, *predictor, row->x, row->label, labels, &memory, server_stop());
    }));
}

}  // namespace

// Estimates have errors in the unit of the label, probabilities a log loss; all other models have a mean loss of their
// own. That of two models is a mean over other runs where they know different classes, which leaves what share is
// wrong.
SPARSELIN_FUNCTION(sparselin_measure) {
    const MemoryContext scratch = new_model_context();
    const Model* const model = fetch_model(PG_GETARG_DATUM(0), scratch);
    const Model* const other = fetch_model(PG_GETARG_DATUM(1), scratch);
    const char* name = nullptr;
    if (gives_probabilities(model->loss))
        name = "log_loss";
    else if (model->loss == Loss::squared)
        name = "rmse";
    else if (model->loss == Loss::absolute)
        name = "mae";
    else if (model->classes != other->classes)
        name = "error_rate";
    else
        name = psprintf("%s_loss", name_of(model->loss));
    text* const result = cstring_to_text(name);
    MemoryContextDelete(scratch);
    PG_RETURN_TEXT_P(result);
}

// (model, what): whether a curve, a calibration or a confusion can be made of what the model says.
SPARSELIN_FUNCTION(sparselin_can_show) {
    const MemoryContext scratch = new_model_context();
    const Model* const model = fetch_model(PG_GETARG_DATUM(0), scratch);
    const std::string_view what = text_view(PG_GETARG_TEXT_PP(1));
    const Subject subject{{}, model->loss, 0, static_cast<int64>(model->classes.size())};
    bool can = subject.has_classes();
    if (what != "confusion") can = subject.has_two_classes();
    if (what == "calibration") can = can && gives_probabilities(model->loss);
    MemoryContextDelete(scratch);
    PG_RETURN_BOOL(can);
}

SPARSELIN_RETURNS(sparselin_row_cost, row_cost(fcinfo, LabelKind::number))
SPARSELIN_RETURNS(sparselin_row_cost_boolean, row_cost(fcinfo, LabelKind::boolean))
SPARSELIN_RETURNS(sparselin_row_cost_text, row_cost(fcinfo, LabelKind::text))
