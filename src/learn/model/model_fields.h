// The fields of a model, each once: its name in the text and its place in the model. What is done with a field follows
// from its type; so bytes, text, sizes and checks all go through this one list, in its order.
#pragma once

#include "model/model.h"

namespace sparselin {

// Index and weight make one field.
template <typename Its>
struct WeightsOf {
    Its& model;
};

// Calls visit(name, value) for each field. The kinds of value are a choice (learner, loss, coding), a String, Origins,
// a double, a count (int64_t), a dimension (int32_t), a history, WeightsOf, and a Vector<char>.
template <typename Its, typename Visit>
void each_field(Its& model, Visit&& visit) {
    visit("learner", model.learner);
    visit("loss", model.loss);
    visit("labels", model.coding);
    visit("options", model.options);
    visit("given", model.origins);
    visit("lambda", model.lambda);
    visit("bias", model.bias);
    visit("centred_bias", model.centred_bias);
    visit("progressive_loss", model.progressive_loss);
    visit("rows", model.rows);
    visit("skipped", model.skipped);
    visit("steps", model.steps);
    visit("epochs", model.epochs);
    visit("dimension", model.dimension);
    visit("history", model.history);
    visit("weights", WeightsOf<Its>{model});
    visit("resume", model.resume);
}

}  // namespace sparselin
