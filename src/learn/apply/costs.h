// What one row costs a model: its loss, or what else a number is made of that says how good the model is.
#pragma once

#include "apply/verdict.h"
#include "engine/intake.h"

namespace sparselin {

// What the scores of all classes, given one of which a row is, or none of them, come to.
struct Costs {
    double loss, log_loss;
};

// The scores become something else on the way.
Costs costs_of(const Predictor& predictor, std::span<double> scores, size_t actual);

// Numbers that say how good a model is, each the mean of what rows cost, or for rmse its square root.
enum class Measure : uint8_t {
    loss,        // of the model itself
    log_loss,    // of its probabilities
    rmse,        // the squared error
    mae,         // the error's size
    error_rate,  // 1 for a wrong class
};

// The label has been looked at, by an Evaluation, among those of all rows.
double cost_of(Measure measure, const Predictor& predictor, const SparseRow& x, const Label& label, LabelKind kind,
               Memory memory, StopSign stop);

}  // namespace sparselin
